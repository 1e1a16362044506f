import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_qar
from singleout.core.table import smallest_codes
from singleout.kernels.distinct import count as distinct
from singleout.kernels.distinct import uniqueness
from singleout.kernels.distinct.count import distinct_counts
from singleout.kernels.distinct.prepared import prepare, record_bytes
from singleout.kernels.distinct.uniqueness import unique_bits, unique_sums

Coded = tuple[list[np.ndarray], list[int]]


@st.composite
def coded_tables(draw: st.DrawFn) -> Coded:
    """Tables with ties, constant columns, one record, wide columns, more columns than records."""
    records = draw(st.sampled_from([1, 2, 3, 9, 40, 64, 65, 150, 400]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns, levels = [], []
    for _ in range(draw(st.integers(1, 7))):
        count = draw(st.sampled_from([1, 2, 2, 3, 5, 9, 30, 200, 256, 257, 1000, 70_000]))
        power = draw(st.sampled_from([0.5, 1, 4]))
        columns.append(smallest_codes((count * rng.random(records) ** power).astype(int), count))
        levels.append(count)
    return columns, levels


def records_of(columns: list[np.ndarray]) -> list[tuple[int, ...]]:
    return list(zip(*(column.tolist() for column in columns), strict=True))


def unpacked(bits: np.ndarray, records: int) -> list[list[bool]]:
    flags = np.unpackbits(bits.view(np.uint8), axis=1, bitorder="little")[:, :records]
    return flags.astype(bool).T.tolist()


@given(coded_tables(), st.sampled_from([0, 1 << 20]))
def test_distinct_counts_are_the_naive_twins(table: Coded, room: int) -> None:
    columns, levels = table
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distinct, "_GATHERED", room)  # all records sorted, or none that need not be
        for size in range(1, min(len(columns), 4) + 1):
            counts = distinct_counts(columns, levels, size)
            assert counts.tolist() == naive_qar.distinct_counts(records_of(columns), size)


@given(coded_tables(), st.sampled_from([0, 1 << 20]))
def test_unique_records_are_the_naive_twins(table: Coded, room: int) -> None:
    columns, levels = table
    records = records_of(columns)
    table = prepare(columns, levels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uniqueness, "_GATHERED", room)
        for size in range(1, min(len(columns), 4) + 1):
            flags = naive_qar.unique_flags(records, size)
            sets = len(flags[0])
            weights = np.arange(1, sets + 1)
            sums, times = unique_sums(table, size, weights)
            assert times.tolist() == [sum(row) for row in flags]
            assert sums.tolist() == [int(weights[row].sum()) for row in np.array(flags)]
            wanted = np.arange(sets)[::-2]
            bits = unique_bits(table, size, wanted)
            assert unpacked(bits, len(records)) == [[row[q] for q in wanted] for row in flags]


def test_the_golden_table() -> None:
    records = naive_qar.golden_records()
    columns = [np.array(column) for column in zip(*records, strict=True)]
    levels = [2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 11, 12]
    counts = distinct_counts(columns, levels, 3)
    assert sum(map(sum, records)) == 8986
    assert counts[:5].tolist() == [24, 29, 30, 33, 40]
    assert counts.sum() == 32121
    _, times = unique_sums(prepare(columns, levels), 3, counts)
    assert times.sum() == 15645


def test_many_records_and_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    levels = [3, 700, 40, 2, 300, 17, 2, 90]
    columns = [(k * rng.random(5000) ** 3).astype(np.uint32) for k in levels]
    table = prepare(columns, levels)
    answers = []
    for threads, room in (("1", 1 << 15), ("2", 1 << 15), ("3", 0)):
        monkeypatch.setenv("SINGLEOUT_THREADS", threads)
        monkeypatch.setattr(distinct, "_GATHERED", room)
        monkeypatch.setattr(uniqueness, "_GATHERED", room)
        counted = distinct_counts(columns, levels, 3)
        answers.append(
            (counted, *unique_sums(table, 3, counted), unique_bits(table, 3, np.arange(9)))
        )
    for answer in answers[1:]:
        for mine, first in zip(answer, answers[0], strict=True):
            assert np.array_equal(mine, first)
    assert answers[0][0].tolist() == naive_qar.distinct_counts(records_of(columns), 3)


def test_more_bits_than_are_looked_at_together_and_bundles_of_constant_columns() -> None:
    rng = np.random.default_rng(5)
    levels = [200, 200, 100, 40, 7, 2, 2, 1, 1, 1, 256, 70_000]
    columns = [(k * rng.random(1500) ** 2).astype(np.uint32) for k in levels]
    table = prepare(columns, levels)
    counted = distinct_counts(columns, levels, 2)
    assert counted.tolist() == naive_qar.distinct_counts(records_of(columns), 2)
    flags = np.array(naive_qar.unique_flags(records_of(columns), 2))
    sums, times = unique_sums(table, 2, counted)
    assert times.tolist() == flags.sum(axis=1).tolist()
    assert sums.tolist() == (flags @ counted).tolist()


@pytest.mark.parametrize("room", [0, 1 << 20])
@pytest.mark.parametrize("lanes", [1, 4])
def test_more_flags_than_fit_into_a_word(
    room: int, lanes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(6)
    levels = [2, 3, 5, 2, 40, 7, 300, 2, 90, 4, 6, 3, 2]
    columns = [(k * rng.random(700) ** 2).astype(np.uint32) for k in levels]
    flags = np.array(naive_qar.unique_flags(records_of(columns), 2))
    monkeypatch.setattr(uniqueness, "_GATHERED", room)
    monkeypatch.setattr(uniqueness, "LANES", lanes)
    bits = unique_bits(prepare(columns, levels), 2, np.arange(78))
    assert unpacked(bits, 700) == flags.tolist()


def test_sums_that_leave_no_room_for_a_count_are_counted_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(7)
    levels = [2, 30, 5, 300]
    columns = [(k * rng.random(400)).astype(np.uint32) for k in levels]
    weights = np.array([5, 1 << 57, 0, 7, 1, 2])
    together = unique_sums(prepare(columns, levels), 2, weights)
    monkeypatch.setattr(uniqueness, "_WORD", 60)
    apart = unique_sums(prepare(columns, levels), 2, weights)
    flags = np.array(naive_qar.unique_flags(records_of(columns), 2))
    for sums, times in (together, apart):
        assert sums.tolist() == (flags @ weights).tolist()
        assert times.tolist() == flags.sum(axis=1).tolist()


def test_the_memory_of_a_table_that_is_laid_out_is_known_before() -> None:
    levels = [300, 70_000, 256, 200, 90, 12, 2, 2, 1]
    columns = [np.zeros(1000, dtype=np.uint32) for _ in levels]
    table = prepare(columns, levels)
    parts = (table.packed.rows, table.packed.bundled)
    taken = sum(part.nbytes for part in parts)
    assert record_bytes(levels)[0] * 1000 == taken
    assert table.packed.hot.nbytes == 32 * table.packing.bits.fours * 1000


def test_no_column_sets_are_asked_for_in_vain() -> None:
    table = prepare([np.array([0, 1, 1])], [2])
    assert unique_bits(table, 1, np.array([], dtype=np.int64)).shape == (0, 1)
