from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_peel
from local_cases import Case, cases
from singleout.kernels.peel import peel_loops, repair_loops, shared
from singleout.treatment.local import peeling
from singleout.treatment.local.classes import Ground


def peeled_in_order(case: Case, nodes: list[tuple[int, ...]], k: int) -> set[frozenset]:
    ground = Ground.of(case.lattice)
    keyed = peeling._keyed(ground)
    chosen = np.array(nodes, dtype=np.int32).reshape(len(nodes), ground.columns)
    of_group = np.full(len(ground.counts), -1, dtype=np.int64)
    ids, counts = np.arange(len(of_group)), ground.counts.copy()
    left, records, _, classes, _ = peel_loops.peel(
        keyed.codes, counts, ids, ground.records, keyed.keys, keyed.bases(chosen), 0,
        k, k - 1, 10**9, of_group, 0, keyed.compare, chosen, ground.maps, ground.codes,
    )  # fmt: skip
    assert records == ground.counts[of_group < 0].sum() == counts[:left].sum()
    assert sorted(ids[:left]) == np.flatnonzero(of_group < 0).tolist()
    assert classes == of_group.max() + 1
    rows = case.combinations
    return {frozenset(rows[g] for g in np.flatnonzero(of_group == c)) for c in range(classes)}


@given(cases(), st.integers(1, 6), st.randoms(use_true_random=False))
def test_peeling_takes_off_the_classes_of_the_definition(case: Case, k: int, rng) -> None:
    nodes = list(product(*(range(len(tree[0])) for tree in case.rows)))[:500]
    rng.shuffle(nodes)
    expected = naive_peel.peel(case.rows, case.counts, nodes, k)
    assert peeled_in_order(case, nodes, k) == expected


@given(cases(), st.integers(1, 6))
def test_keys_too_long_for_a_word_change_nothing(case: Case, k: int) -> None:
    nodes = list(product(*(range(len(tree[0])) for tree in case.rows)))[:500]
    expected = naive_peel.peel(case.rows, case.counts, nodes, k)
    with pytest.MonkeyPatch.context() as patch:
        # every key is the same, so that only comparing labels tells combinations apart
        patch.setattr(peeling, "_keys", lambda ground: (np.zeros_like(ground.maps, np.int64), True))
        assert peeled_in_order(case, nodes, k) == expected


histogram = st.lists(st.integers(0, 6), min_size=2, max_size=5).filter(lambda h: sum(h) > 0)


@given(
    histogram,
    st.lists(st.floats(0.1, 1.2), min_size=5, max_size=5),
    st.integers(1, 4),
    st.floats(1, 4),
    st.one_of(st.just((0.0, 0)), st.tuples(st.sampled_from([0.5, 1.0, 2.0]), st.integers(1, 4))),
    st.sampled_from([0.0, 0.1, 0.3, 2.0]),
    st.booleans(),
)
def test_a_class_lacks_nothing_exactly_if_every_criterion_holds(
    counts: list[int],
    caps: list[float],
    distinct_l: int,
    entropy_l: float,
    recursive: tuple[float, int],
    t: float,
    ordered: bool,
) -> None:
    values = len(counts)
    table = Counter({v: counts[v] + v + 1 for v in range(values)})
    usual = np.array([table[v] for v in range(values)]) / table.total()
    limits = np.array([[distinct_l, np.log(entropy_l), *recursive, t, ordered]])
    found = np.zeros(1)
    repair_loops.lacks(
        np.array([counts]), np.array([sum(counts)]), np.array([0, values]),
        np.array(caps[:values]), usual, limits, found,
    )  # fmt: skip
    mine = Counter({v: c for v, c in enumerate(counts) if c})
    c, l = recursive  # noqa: E741
    distance = naive_peel.distance(mine, table, ordered=ordered)
    holds = (
        naive_peel.holds_caps(mine, caps[:values])
        and len(mine) >= distinct_l
        and naive_peel.holds_entropy(mine, entropy_l)
        and (not c or naive_peel.holds_recursive(mine, c, l))
        and distance <= t + 1e-9
    )
    assert (found[0] == 0) == holds


def test_the_limits_of_a_column_stand_in_the_order_of_their_names() -> None:
    names = [shared.DISTINCT, shared.ENTROPY, shared.RECURSIVE_C, shared.RECURSIVE_L]
    assert [*names, shared.T, shared.ORDERED] == list(range(shared.LIMITS))
