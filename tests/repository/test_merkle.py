"""The tree beside the recursive definitions of RFC 9162, and beside published values."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_merkle
from singleout.errors import BadChoice
from singleout.repository.log.merkle import (
    EMPTY_ROOT,
    Frontier,
    consistency_proof,
    inclusion_proof,
    is_consistent,
    is_included,
    leaf_hash,
    peaks,
    root,
)

MOST = 70
LEAVES = [f"leaf {number}".encode() for number in range(MOST)]


class Tree:
    """All complete subtrees, as a store has them."""

    def __init__(self, leaves: list[bytes]) -> None:
        self.nodes: dict[tuple[int, int], bytes] = {}
        self.frontier = Frontier()
        for leaf in leaves:
            self.nodes.update(self.frontier.append(leaf_hash(leaf)))

    def read(self, level: int, index: int) -> bytes:
        return self.nodes[level, index]


TREE = Tree(LEAVES)
ROOTS = [naive_merkle.mth(LEAVES[:size]) for size in range(MOST + 1)]


def test_the_empty_tree_is_the_hash_of_nothing() -> None:
    published = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert EMPTY_ROOT.hex() == published == sha256(b"").hexdigest()
    assert root(TREE.read, 0) == Frontier().root() == EMPTY_ROOT


def test_an_empty_leaf_has_the_published_hash() -> None:
    published = "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    assert leaf_hash(b"").hex() == published


def test_the_root_of_every_size_is_the_recursive_one() -> None:
    for size in range(MOST + 1):
        assert root(TREE.read, size) == ROOTS[size]
        assert Tree(LEAVES[:size]).frontier.root() == ROOTS[size]


def test_a_tree_continues_from_its_peaks() -> None:
    for size in range(MOST):
        edge = [TREE.read(level, index) for level, index in peaks(0, size)]
        continued = Frontier(size, edge)
        for leaf in LEAVES[size:]:
            continued.append(leaf_hash(leaf))
        assert continued.root() == ROOTS[MOST]


def test_a_frontier_with_a_wrong_number_of_peaks_is_refused() -> None:
    with pytest.raises(BadChoice, match="3 leaves has 2 peaks, not 1"):
        Frontier(3, [EMPTY_ROOT])


def test_every_inclusion_proof_is_the_recursive_one_and_verifies() -> None:
    for size in range(1, MOST + 1):
        for index in range(size):
            proof = inclusion_proof(TREE.read, index, size)
            assert proof == naive_merkle.path(index, LEAVES[:size])
            assert is_included(leaf_hash(LEAVES[index]), index, size, proof, ROOTS[size])


def test_every_consistency_proof_is_the_recursive_one_and_verifies() -> None:
    for second in range(1, MOST + 1):
        for first in range(1, second + 1):
            proof = consistency_proof(TREE.read, first, second)
            assert proof == naive_merkle.proof(first, LEAVES[:second])
            assert is_consistent(first, second, ROOTS[first], ROOTS[second], proof)


@st.composite
def damaged(draw: st.DrawFn, proof: list[bytes]) -> list[bytes]:
    """A proof that is not this one: an entry changed, dropped, repeated, or the order changed."""
    kind = draw(st.sampled_from(["change", "drop", "insert", "swap"]))
    other = list(proof)
    at = draw(st.integers(0, max(len(other) - 1, 0)))
    if kind == "insert" or not other:
        other.insert(at, draw(st.sampled_from([EMPTY_ROOT, *proof])))
    elif kind == "change":
        byte = draw(st.integers(0, 31))
        changed = bytearray(other[at])
        changed[byte] ^= draw(st.integers(1, 255))
        other[at] = bytes(changed)
    elif kind == "drop":
        del other[at]
    else:
        other = other[::-1]
    return other


sizes = st.integers(1, MOST)


@given(sizes, st.data())
def test_a_damaged_inclusion_proof_is_refused(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    proof = inclusion_proof(TREE.read, index, size)
    other = data.draw(damaged(proof))
    good = is_included(leaf_hash(LEAVES[index]), index, size, other, ROOTS[size])
    assert good == (other == proof)


@given(sizes, st.data())
def test_a_proof_holds_for_its_own_leaf_index_and_root_only(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    proof = inclusion_proof(TREE.read, index, size)
    leaf = leaf_hash(LEAVES[index])
    for other in range(-1, size + 1):
        assert is_included(leaf, other, size, proof, ROOTS[size]) == (other == index)
    assert not is_included(leaf_hash(b"another"), index, size, proof, ROOTS[size])
    assert not is_included(leaf, index, size, proof, ROOTS[size - 1])


@given(sizes, st.data())
def test_a_damaged_consistency_proof_is_refused(second: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(1, second))
    proof = consistency_proof(TREE.read, first, second)
    other = data.draw(damaged(proof))
    assert is_consistent(first, second, ROOTS[first], ROOTS[second], other) == (other == proof)


@given(sizes, st.data())
def test_a_tree_with_another_past_is_no_continuation(second: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(1, second))
    changed = data.draw(st.integers(0, first - 1))
    leaves = [*LEAVES[:second]]
    leaves[changed] = b"another"
    other = Tree(leaves)
    proof = consistency_proof(other.read, first, second)
    new_root = other.frontier.root()
    assert not is_consistent(first, second, ROOTS[first], new_root, proof)
    if second > first:
        assert not is_consistent(second, first, ROOTS[first], new_root, proof)


def test_the_empty_tree_is_continued_by_every_tree_and_needs_no_proof() -> None:
    assert is_consistent(0, 5, EMPTY_ROOT, ROOTS[5], [])
    assert not is_consistent(0, 5, ROOTS[1], ROOTS[5], [])
    assert not is_consistent(0, 5, EMPTY_ROOT, ROOTS[5], [EMPTY_ROOT])
    assert not is_consistent(3, 5, ROOTS[3], ROOTS[5], [])
    assert not is_consistent(6, 5, ROOTS[6], ROOTS[5], [])


def test_a_proof_of_what_is_not_there_is_refused_with_the_reason() -> None:
    with pytest.raises(BadChoice, match="no entry 5 among the first 5"):
        inclusion_proof(TREE.read, 5, 5)
    with pytest.raises(BadChoice, match="cannot be shown to continue one of 6"):
        consistency_proof(TREE.read, 6, 5)
    with pytest.raises(BadChoice, match="at least 1"):
        consistency_proof(TREE.read, 0, 5)


def test_appending_completes_one_subtree_per_leaf_on_average() -> None:
    frontier = Frontier()
    completed = sum(len(frontier.append(EMPTY_ROOT)) for _ in range(1024))
    assert completed == 2 * 1024 - 1
    assert len(frontier.hashes) == 1
