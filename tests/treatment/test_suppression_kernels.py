"""The loops of suppression beside their slow twins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_suppression as naive
from singleout.core.arrays import I32, I64
from singleout.kernels.suppression import cover, hitting
from singleout.kernels.suppression import match_loops as match
from singleout.kernels.suppression.match import count_compatible
from singleout.kernels.suppression.peel import masks_to_try, peel

CELLS = st.tuples(*[st.integers(0, 3)] * 3)  # 3 is missing
TABLES = st.lists(CELLS, min_size=1, max_size=14)


def encoded(rows: Sequence[tuple[int, ...]]) -> tuple[I32, I64]:
    codes = np.array(rows, dtype=np.int32)
    missing = ((codes == 3).astype(np.int64) << np.arange(codes.shape[1])).sum(axis=1)
    return codes, missing


def shown(codes: I32, row: int, blank: int) -> naive.Row:
    return tuple(
        None if blank >> j & 1 else int(code) for j, code in enumerate(codes[row].tolist())
    )


@given(
    st.lists(st.lists(st.integers(1, 63), max_size=9), min_size=1, max_size=5),
    st.lists(st.sampled_from([0.5, 1.0, 1.0, 2.0, 7.0]), min_size=6, max_size=6),
)
def test_hitting_sets_cost_the_least(sets: list[list[int]], weights: list[float]) -> None:
    starts = np.cumsum([0] + [len(each) for each in sets])
    chosen, proven = np.zeros(len(sets), np.int64), np.zeros(len(sets), np.bool_)
    flat = np.array([each for some in sets for each in some], dtype=np.int64)
    hitting.hitting_sets(starts, flat, np.array(weights), np.arange(6), chosen, proven)
    assert proven.all()
    for some, columns in zip(sets, chosen.tolist(), strict=True):
        assert all(columns & each for each in some)
        cost = sum(weights[j] for j in range(6) if columns >> j & 1)
        assert cost == pytest.approx(naive.hitting_cost(some, 6, weights))


@given(TABLES, st.lists(st.integers(0, 7), min_size=14, max_size=14), st.integers(1, 3))
def test_rows_that_match_are_counted_as_by_hand(
    rows: list[tuple[int, ...]], blanks: list[int], times: int
) -> None:
    codes, missing = encoded(rows)
    everybody = np.arange(len(rows))
    blank = np.array(blanks[: len(rows)], dtype=np.int64) | missing
    counts = np.full(len(rows), times, dtype=np.int64)
    published = [shown(codes, i, int(blank[i])) for i in range(len(rows))]
    nothing = np.zeros(len(rows), dtype=np.int64)
    people = [shown(codes, i, 0) for i in range(len(rows))]
    covered = count_compatible(codes, everybody, blank, counts, everybody, nothing)
    assert covered.tolist() == [times * n for n in naive.covering(people, published)]
    matching = count_compatible(codes, everybody, blank, counts, everybody, blank)
    assert matching.tolist() == [
        times * sum(naive.matches(one, other) for other in published) for one in published
    ]


@given(TABLES, st.lists(st.integers(0, 7), min_size=14, max_size=14), st.booleans())
def test_rows_are_looked_up_as_they_are_compared(
    rows: list[tuple[int, ...]], blanks: list[int], compared: bool
) -> None:
    codes, missing = encoded(rows)
    blank = np.array(blanks[: len(rows)], dtype=np.int64) | missing
    published = [shown(codes, i, int(blank[i])) for i in range(len(rows))]
    first = {row: i for i, row in reversed(list(enumerate(published)))}
    distinct = np.array(sorted(first.values()))
    counts = np.array([published.count(published[i]) for i in distinct], dtype=np.int64)
    people = [shown(codes, i, 0) for i in range(len(rows))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cover, "_LOOKUP", 1000 if compared else 0)
        covered = cover.count_covering(
            codes, distinct, blank[distinct], counts, np.arange(len(rows))
        )
    assert covered.tolist() == naive.covering(people, published)


@given(TABLES, st.integers(2, 4))
def test_greedy_blanks_the_cells_of_its_twin(rows: list[tuple[int, ...]], k: int) -> None:
    codes, missing = encoded(rows)
    weights, values = np.array([1.0, 2.0, 1.0]), [4, 4, 5]
    masks, _ = masks_to_try(weights, values)
    order = naive.columns_by_cost(3, weights.tolist(), values)
    people = [shown(codes, i, int(missing[i])) for i in range(len(rows))]
    counts = np.ones(len(rows), dtype=np.int64)
    row, blank = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
    done = match.blank_rows(
        codes, missing, counts, np.arange(len(rows)), row, blank, 0, k, weights, masks,
        0, len(rows),
    )  # fmt: skip
    published = list(people)
    for i, bits in zip(row[:done].tolist(), blank[:done].tolist(), strict=True):
        published[i] = shown(codes, i, bits)
    if len(rows) >= k:
        assert published == naive.greedy(people, k, order)


@given(TABLES, st.integers(2, 4))
def test_a_peel_costs_no_more_than_its_plain_twin_unless_by_chance_a_little(
    rows: list[tuple[int, ...]], k: int
) -> None:
    codes, missing = encoded(rows)
    people = [shown(codes, i, int(missing[i])) for i in range(len(rows))]
    sizes = np.ones(len(rows), dtype=np.int64)
    found = peel(codes, missing, sizes, np.ones(3), [4, 4, 4], k)
    plain = naive.peel(people, k, naive.columns_by_cost(3, [1, 1, 1], [4, 4, 4]))
    if len(rows) < k:
        assert found.left.tolist() == list(range(len(rows)))
        return
    assert found.amount.sum() == len(rows)
    whole = [row or (None,) * 3 for row in plain]  # the last few would be blanked entirely
    assert found.cost <= naive.cells(people, whole, [1, 1, 1]) + 3 * k


def test_sets_of_columns_come_with_the_cheapest_first() -> None:
    masks, costs = masks_to_try(np.array([2.0, 1.0, 1.0]), [5, 2, 9])
    assert masks.tolist() == [0b000, 0b100, 0b010, 0b110, 0b001, 0b101, 0b011, 0b111]
    assert costs.tolist() == [0, 1, 1, 2, 2, 3, 3, 4]


def test_of_many_columns_small_sets_and_a_chain_down_to_nothing_are_tried() -> None:
    weights = np.arange(1.0, 21.0)
    masks, costs = masks_to_try(weights, [2] * 20)
    sets = set(masks.tolist())
    assert len(masks) < 1 << 13
    assert all(1 << j in sets for j in range(20))
    assert {(1 << j) - 1 for j in range(21)} <= sets
    assert (np.diff(costs) >= 0).all()
