"""A Merkle tree that only grows, with proofs of inclusion and consistency. RFC 9162, section 2.1.

A node is named by its level and its index: level 0 holds the leaves, and node ``(level, index)``
covers the leaves from ``index << level`` up to the next. Only complete subtrees have a node; they
never change once they are full. Everything else is folded from them when it is asked for.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256

from singleout.errors import BadChoice

__all__ = [
    "EMPTY_ROOT",
    "Frontier",
    "Node",
    "consistency_proof",
    "inclusion_proof",
    "inclusion_proofs",
    "is_consistent",
    "is_included",
    "leaf_hash",
    "node_hash",
    "peaks",
    "root",
]

Node = tuple[int, int]
Read = Callable[[int, int], bytes]

EMPTY_ROOT = sha256().digest()


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf; its first byte tells it from a node."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of a node from those of its children."""
    return sha256(b"\x01" + left + right).digest()


def peaks(start: int, end: int) -> list[Node]:
    """Return the complete subtrees that cover the leaves from ``start`` to ``end``, largest first.

    ``start`` must be a multiple of the size of the first of them, as in every tree and right part.

    >>> peaks(0, 11)
    [(3, 0), (1, 4), (0, 10)]
    """
    found = []
    while start < end:
        level = (end - start).bit_length() - 1
        found.append((level, start >> level))
        start += 1 << level
    return found


def _folded(hashes: Iterable[bytes]) -> bytes:
    """Return the hash over complete subtrees of falling size."""
    *larger, folded = hashes
    for left in reversed(larger):
        folded = node_hash(left, folded)
    return folded


def _over(read: Read, start: int, end: int) -> bytes:
    return _folded(read(level, index) for level, index in peaks(start, end))


def root(read: Read, size: int) -> bytes:
    """Return the hash of the whole tree of the first ``size`` leaves.

    Parameters
    ----------
    read
        A function of a level and an index that returns the hash of this complete subtree.
    size
        The number of leaves.
    """
    return _over(read, 0, size) if size else EMPTY_ROOT


class Frontier:
    """The complete subtrees at the right edge of a tree: all that appending needs.

    Parameters
    ----------
    size
        The number of leaves.
    hashes
        The hashes of `peaks` of the tree, largest first.
    """

    def __init__(self, size: int = 0, hashes: Sequence[bytes] = ()) -> None:
        if len(hashes) != size.bit_count():
            raise BadChoice(
                f"A tree of {size} leaves has {size.bit_count()} peaks, not {len(hashes)}."
            )
        self.size = size
        self.hashes = list(hashes)

    def append(self, leaf: bytes) -> list[tuple[Node, bytes]]:
        """Append the hash of a leaf; return every subtree that it completes, itself first."""
        level, index, node = 0, self.size, leaf
        completed = [((level, index), node)]
        while index & 1:
            node = node_hash(self.hashes.pop(), node)
            level, index = level + 1, index >> 1
            completed.append(((level, index), node))
        self.hashes.append(node)
        self.size += 1
        return completed

    def root(self) -> bytes:
        """Return the hash of the whole tree."""
        return _folded(self.hashes) if self.size else EMPTY_ROOT


# ---- proofs


def inclusion_proof(read: Read, index: int, size: int) -> list[bytes]:
    """Return the hashes that lead from a leaf to the root of the first ``size`` leaves."""
    return inclusion_proofs(read, [index], size)[0]


def inclusion_proofs(read: Read, indexes: Iterable[int], size: int) -> list[list[bytes]]:
    """Return the proof of each of several leaves; what they share is computed once."""
    wanted = list(indexes)
    for index in wanted:
        if not 0 <= index < size:
            raise BadChoice(f"There is no entry {index} among the first {size}; they count from 0.")
    found: dict[int, tuple[bytes, ...]] = {}
    _include(found, read, 0, size, sorted(set(wanted)), ())
    return [list(found[index]) for index in wanted]


def _include(
    found: dict[int, tuple[bytes, ...]],
    read: Read,
    start: int,
    end: int,
    wanted: Sequence[int],
    above: tuple[bytes, ...],
) -> None:
    """Find the proofs of leaves from ``start`` to ``end``, which all end with those ``above``."""
    if not wanted:
        return
    if end - start == 1:
        found[start] = above
        return
    middle = start + _split(end - start)
    place = bisect_left(wanted, middle)
    left, right = wanted[:place], wanted[place:]
    if left:
        _include(found, read, start, middle, left, (_over(read, middle, end), *above))
    if right:
        _include(found, read, middle, end, right, (_over(read, start, middle), *above))


def consistency_proof(read: Read, first: int, second: int) -> list[bytes]:
    """Return the hashes that show that a tree of ``second`` leaves begins with the first ones."""
    if not 0 < first <= second:
        raise BadChoice(
            f"A tree of {second} entries cannot be shown to continue one of {first}; "
            "ask for a smaller first size of at least 1."
        )
    proof = []
    start, end, known = 0, second, True
    while end != first:
        middle = start + _split(end - start)
        if first <= middle:
            proof.append(_over(read, middle, end))
            end = middle
        else:
            proof.append(_over(read, start, middle))
            start, known = middle, False
    # the reader already has this hash if it is the whole of the first tree
    return ([] if known else [_over(read, start, end)]) + proof[::-1]


def _split(size: int) -> int:
    """Return the largest power of two below ``size``."""
    return 1 << ((size - 1).bit_length() - 1)


# ---- verification


def is_included(
    leaf: bytes, index: int, size: int, proof: Sequence[bytes], expected: bytes
) -> bool:
    """Return whether a proof leads from a leaf hash to the expected root. Section 2.1.3.2."""
    if not 0 <= index < size:
        return False
    position, last, node = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if position & 1 or position == last:
            node = node_hash(sibling, node)
            shift = _zeros(position)
            position, last = position >> shift, last >> shift
        else:
            node = node_hash(node, sibling)
        position, last = position >> 1, last >> 1
    return last == 0 and node == expected


def is_consistent(
    first: int, second: int, first_root: bytes, second_root: bytes, proof: Sequence[bytes]
) -> bool:
    """Return whether a proof shows that the second tree continues the first. Section 2.1.4.2.

    Every tree continues the empty one, and itself.
    """
    if not 0 <= first <= second:
        return False
    if first == 0:
        return not proof and first_root == EMPTY_ROOT
    if first == second:
        return not proof and first_root == second_root
    return _folds_to_both(first, second, first_root, second_root, proof)


def _folds_to_both(
    first: int, second: int, first_root: bytes, second_root: bytes, proof: Sequence[bytes]
) -> bool:
    hashes = list(proof) if first.bit_count() > 1 else [first_root, *proof]
    if not hashes:
        return False
    shift = _ones(first - 1)
    position, last = (first - 1) >> shift, (second - 1) >> shift
    old = new = hashes[0]
    for sibling in hashes[1:]:
        if last == 0:
            return False
        if position & 1 or position == last:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
            shift = _zeros(position)
            position, last = position >> shift, last >> shift
        else:
            new = node_hash(new, sibling)
        position, last = position >> 1, last >> 1
    return last == 0 and old == first_root and new == second_root


def _zeros(number: int) -> int:
    """Return how many zeros a number ends with in binary; 0 has none to shift away."""
    return (number & -number).bit_length() - 1 if number else 0


def _ones(number: int) -> int:
    return _zeros(number + 1)
