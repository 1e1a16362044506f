"""Minimal sample uniques, compared with a search of every set of columns for every record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import naive_suda
from singleout.core.memory import available_memory
from singleout.core.progress import listening
from singleout.errors import BadChoice, UnusableTable
from singleout.kernels.uniques import layout as minimal_layout
from singleout.kernels.uniques.search import (
    MAX_VARIABLES,
    MinimalUniques,
    minimal_uniques,
    minimal_uniques_of,
    run_task,
    tasks,
)

Rows = list[tuple[int | None, ...]]


def encoded(rows: Rows) -> tuple[list[Any], list[int], list[int]]:
    """Return codes, levels and the codes of missing cells; None becomes the last code."""
    codes, levels, never = [], [], []
    for column in zip(*rows, strict=True):
        values = sorted({value for value in column if value is not None})
        code_of = {value: code for code, value in enumerate(values)}
        codes.append(np.array([code_of.get(v, len(values)) for v in column], dtype=np.uint8))
        never.append(len(values) if None in column else -1)
        levels.append(len(values) + (None in column))
    return codes, levels, never


def listing(uniques: MinimalUniques) -> list[tuple[int, tuple[int, ...]]]:
    pairs = []
    for records, masks in uniques.listed():
        assert (np.diff(records) >= 0).all()
        for record, mask in zip(records.tolist(), masks.tolist(), strict=True):
            pairs.append((record, tuple(bit for bit in range(64) if mask >> bit & 1)))
    return sorted(pairs)


def check(rows: Rows, max_size: int, *, never: bool = False) -> None:
    codes, levels, missing = encoded(rows)
    expected = naive_suda.minimal_uniques(rows, max_size, never=never)
    uniques = minimal_uniques(codes, levels, max_size, never=missing if never else None, keep=True)
    size = (len(rows), len(codes), max_size)
    assert uniques.by_variable.tolist() == naive_suda.counts_by_variable(expected, *size)
    assert uniques.by_variable.dtype == np.int32
    by_size = naive_suda.counts_by_size(expected, len(rows), max_size)
    assert uniques.by_size.tolist() == by_size
    assert listing(uniques) == sorted(expected)
    for index in range(len(rows)):
        mine = [columns for record, columns in expected if record == index]
        one = minimal_uniques_of(codes, index, max_size, never=missing if never else None)
        assert [tuple(columns) for columns in one] == sorted(mine, key=lambda c: (len(c), c))


def tables(width: int = 5, values: st.SearchStrategy[Any] | None = None) -> st.SearchStrategy[Rows]:
    cell = st.integers(0, 3) if values is None else values
    return st.integers(1, width).flatmap(
        lambda columns: st.lists(st.tuples(*[cell] * columns), min_size=1, max_size=14)
    )


@given(tables(), st.integers(1, 5))
def test_every_minimal_unique_is_found_and_no_other(rows: Rows, max_size: int) -> None:
    check(rows, min(max_size, len(rows[0])))


@given(tables(values=st.one_of(st.none(), st.integers(0, 2))), st.booleans())
def test_a_missing_cell_is_a_value_or_never_takes_part(rows: Rows, never: bool) -> None:
    check(rows, len(rows[0]), never=never)


@given(st.lists(st.tuples(*[st.integers(0, 11)] * 2), min_size=1, max_size=14), st.integers(1, 6))
def test_nested_columns(rows: Rows, max_size: int) -> None:
    nested = [(a // 6, a // 3, a, b, b // 4, b // 6) for a, b in rows]
    check(nested, max_size)


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=14), st.integers(1, 5))
def test_columns_that_say_the_same_in_other_words(rows: Rows, max_size: int) -> None:
    check([(a, b, 4 - a, c, (a + 2) % 5) for a, b, c in rows], max_size)


@given(tables(width=4), st.integers(2, 3))
def test_repeated_records_are_never_unique_and_block_the_others(rows: Rows, times: int) -> None:
    check([*rows, *rows[: len(rows) // 2] * times], len(rows[0]))


@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("rows", [1, 2, 7])
def test_all_equal_and_all_unique(rows: int, width: int) -> None:
    check([(0,) * width] * rows, width)
    check([(row,) * width for row in range(rows)], width)


def test_one_record_is_singled_out_by_each_of_its_columns() -> None:
    check([(1, 2, 3)], 3)


def test_a_column_of_missing_cells_only_takes_no_part() -> None:
    check([(None, 1), (None, 2), (None, 2)], 2, never=True)
    check([(None, None)], 2, never=True)


def test_columns_of_different_widths_in_bytes() -> None:
    rng = np.random.default_rng(3)
    codes: list[Any] = [
        rng.integers(0, 3, 900).astype(np.uint8),
        rng.integers(0, 700, 900).astype(np.uint16),
        rng.permutation(900).astype(np.uint32) // 2,
    ]
    assert_agrees(codes, [3, 700, 450], 3)


def test_codes_of_four_bytes() -> None:
    rng = np.random.default_rng(8)
    codes = [rng.choice(100_000, 40)[rng.integers(0, 40, 300)].astype(np.uint32) for _ in range(4)]
    assert_agrees(codes, [100_000] * 4, 4)


# ---- larger tables, compared with counting each set of columns


def set_by_set(
    codes: Sequence[Any], max_size: int, never: Sequence[int] | None = None
) -> np.ndarray[Any, Any]:
    records, width = len(codes[0]), len(codes)
    rows = list(zip(*(column.tolist() for column in codes), strict=True))
    unique: dict[tuple[int, ...], Any] = {}
    answer = np.zeros((max_size, records, width), dtype=np.int32)
    for size in range(1, max_size + 1):
        for columns in combinations(range(width), size):
            keys = [tuple(row[c] for c in columns) for row in rows]
            times = Counter(keys)
            alone = np.array([times[key] == 1 for key in keys])
            if never is not None:
                for column in columns:
                    alone &= codes[column] != never[column]
            unique[columns] = alone
            minimal = alone.copy()
            for part in combinations(columns, size - 1):
                if part:
                    minimal &= ~unique[part]
            for column in columns:
                answer[size - 1, minimal, column] += 1
    return answer


def assert_agrees(
    codes: Sequence[Any], levels: Sequence[int], max_size: int, never: Sequence[int] | None = None
) -> MinimalUniques:
    uniques = minimal_uniques(codes, levels, max_size, never=never)
    np.testing.assert_array_equal(uniques.by_variable, set_by_set(codes, max_size, never))
    return uniques


def drawn(records: int, levels: Sequence[int], seed: int = 1) -> list[Any]:
    """Return columns in which small codes are common and large ones rare."""
    rng = np.random.default_rng(seed)
    return [(k * rng.random(records) ** 2.5).astype(np.uint16) for k in levels]


@pytest.mark.parametrize(
    ("records", "levels", "max_size"),
    [
        (3000, [3, 50, 2, 7, 7, 400, 9], 3),
        (700, [2, 3, 4, 5, 3, 2, 6, 3], 8),
        (64, [2, 2, 3, 4, 3, 2], 6),
        (65, [60, 2, 3, 4, 3, 2], 4),
        (2500, [2000, 1500, 3], 2),
        (400, [2] * 12, 4),
    ],
)
@pytest.mark.parametrize("threads", ["1", "2", "3"])
def test_larger_tables_agree_with_counting_set_by_set_for_any_number_of_threads(
    records: int,
    levels: list[int],
    max_size: int,
    threads: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SINGLEOUT_THREADS", threads)
    codes = drawn(records, levels)
    never = [-1 if index % 2 else 1 for index in range(len(levels))]
    assert_agrees(codes, levels, max_size)
    assert_agrees(codes, levels, max_size, never)


def test_where_memory_is_short_records_are_searched_in_parts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    levels = [20, 3, 9, 5, 12, 4]
    codes = drawn(700, levels)
    whole = minimal_uniques(codes, levels, 4, keep=True)
    heard: list[str] = []
    monkeypatch.setattr(minimal_layout, "available_memory", lambda: 10_000)
    with listening(lambda what, *_: heard.append(what)):
        uniques = minimal_uniques(codes, levels, 4, keep=True)
    assert any("part 2 of" in what for what in heard)
    np.testing.assert_array_equal(uniques.by_variable, set_by_set(codes, 4))
    assert listing(uniques) == listing(whole)
    parts = [run_task(codes, levels, 4, task).by_variable for task in tasks(levels, 4)]
    np.testing.assert_array_equal(sum(parts), whole.by_variable)


def test_sixty_columns_are_searched() -> None:
    levels = [3 + index % 5 for index in range(60)]
    codes = drawn(120, levels)
    uniques = assert_agrees(codes, levels, 2)
    assert uniques.by_variable.shape == (2, 120, 60)
    assert uniques.by_size.sum() > 0


def test_the_order_of_columns_changes_nothing_but_their_order() -> None:
    levels = [3, 50, 2, 7, 12, 4]
    codes = drawn(500, levels)
    straight = minimal_uniques(codes, levels, 4).by_variable
    turned = minimal_uniques(codes[::-1], levels[::-1], 4).by_variable
    np.testing.assert_array_equal(straight, turned[:, :, ::-1])


def test_the_codes_are_left_as_they_are() -> None:
    codes = drawn(200, [5, 6, 7])
    before = [column.copy() for column in codes]
    for column in codes:
        column.flags.writeable = False
    minimal_uniques(codes, [5, 6, 7], 3, keep=True)
    minimal_uniques_of(codes, 0, 3)
    for column, was in zip(codes, before, strict=True):
        np.testing.assert_array_equal(column, was)


# ---- few records, many columns


@given(tables(values=st.one_of(st.none(), st.integers(0, 2))), st.integers(1, 5), st.booleans())
def test_few_records_are_searched_one_by_one_with_the_same_answer(
    rows: Rows, max_size: int, never: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(minimal_layout, "_MANY_SETS", 0)
        check(rows, min(max_size, len(rows[0])), never=never)


def test_two_records_are_told_apart_by_each_column_in_which_they_differ() -> None:
    codes = [np.array([0, column % 2], dtype=np.uint8) for column in range(28)]
    uniques = minimal_uniques(codes, [2] * 28, 28)
    assert uniques.by_variable.shape == (28, 2, 28)
    assert uniques.by_size[:, 0].tolist() == [14, 14]
    assert uniques.by_size.sum() == 28


def test_a_dozen_records_of_28_columns_are_searched_for_sets_of_all_sizes() -> None:
    codes = drawn(12, [2] * 28)
    uniques = minimal_uniques(codes, [2] * 28, 28, keep=True)
    counted: Counter[int] = Counter(record for record, _ in listing(uniques))
    assert [counted[index] for index in range(12)] == uniques.by_size.sum(axis=1).tolist()
    table = np.stack(codes)
    for record, columns in listing(uniques)[::97]:
        others = np.delete(table, record, axis=1)[list(columns)]
        agrees = others == table[list(columns), record][:, np.newaxis]
        assert not agrees.all(axis=0).any()  # alone
        for index in range(len(columns)):  # and not without any of the columns
            assert np.delete(agrees, index, axis=0).all(axis=0).any()


@pytest.mark.parametrize(("columns", "records", "most"), [(40, 3000, 8), (28, 40_000, 9)])
def test_a_search_that_would_not_end_is_refused_with_a_size_that_would(
    columns: int, records: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minimal_layout, "available_memory", lambda: 16 << 30)
    levels = [4] * columns
    with pytest.raises(BadChoice, match=f"would not end .* a max_size of at most {most}"):
        minimal_uniques(drawn(records, levels), levels, columns)
    assert minimal_layout._ends(columns, most, records)
    assert not minimal_layout._ends(columns, most + 1, records)


# ---- tasks for many machines


@given(tables(width=5, values=st.one_of(st.none(), st.integers(0, 2))), st.integers(1, 5))
@example([(0, 1)], 2)
def test_the_tasks_add_up_to_the_whole(rows: Rows, max_size: int) -> None:
    codes, levels, never = encoded(rows)
    size = min(max_size, len(codes))
    whole = minimal_uniques(codes, levels, size, never=never).by_variable
    parts = [
        run_task(codes, levels, size, task, never=never)
        for task in reversed(tasks(levels, size))  # in any order
    ]
    merged = parts[0]
    for part in parts[1:]:
        merged = merged.merge(part)
    np.testing.assert_array_equal(merged.by_variable, whole)


def test_there_are_enough_tasks_to_balance() -> None:
    levels = [40, 9, 9, 7, 5, 4, 4, 3, 3, 2, 2, 2]
    work = tasks(levels, 3)
    assert len(work) >= len(levels)
    assert len(set(work)) == len(work)
    codes = drawn(2000, levels)
    total = sum(int(run_task(codes, levels, 3, task).by_size.sum()) for task in work)
    assert total == int(minimal_uniques(codes, levels, 3).by_size.sum())


# ---- what users see


def test_progress_is_shown() -> None:
    heard: list[tuple[str, int, int]] = []
    with listening(lambda *said: heard.append(said)):
        minimal_uniques(drawn(3000, [20] * 9), [20] * 9, 3)
    assert heard
    assert all(0 <= done <= total for _, done, total in heard if total)


def test_what_does_not_fit_into_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (available_memory() or 1) > 0
    monkeypatch.setattr("singleout.core.memory.available_memory", lambda: 1000)
    with pytest.raises(UnusableTable, match="of memory"):
        minimal_uniques(drawn(1000, [5, 6]), [5, 6], 2)


def test_the_uniques_are_listed_only_if_they_were_kept() -> None:
    uniques = minimal_uniques(drawn(50, [5, 6]), [5, 6], 2)
    with pytest.raises(Exception, match="keep"):
        list(uniques.listed())


def test_as_many_columns_as_a_mask_has_bits() -> None:
    assert MAX_VARIABLES == 64
    codes = [np.array([0, 0, 1], dtype=np.uint8)] * 64
    uniques = minimal_uniques(codes, [2] * 64, 2, keep=True)
    assert uniques.by_variable[0].tolist() == [[0] * 64, [0] * 64, [1] * 64]
    assert not uniques.by_variable[1].any()
    assert listing(uniques) == [(2, (bit,)) for bit in range(64)]


@pytest.mark.parametrize("pattern", list(product([0, 1], repeat=3)))
def test_three_binary_columns_in_every_pattern_of_presence(pattern: tuple[int, ...]) -> None:
    rows: Rows = [row for row in product([0, 1], repeat=3) if row != pattern]
    check(rows, 3)
    check([*rows, rows[0]], 3)
