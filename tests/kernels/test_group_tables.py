"""Group tables against really deleting records and counting anew."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_qar
from singleout.kernels.removal import elimination_loops as loops
from singleout.kernels.removal.elimination import GroupTables, table_bytes
from singleout.kernels.removal.leave_one_out import LeaveOneOut, TailSettings
from singleout.methods.qar.measure import ones_for_certainty, position, risk_of

Records = list[tuple[int, ...]]

# few values (ties, constant columns) and many (more than a byte holds)
cell = st.one_of(st.integers(0, 2), st.sampled_from([0, 300, 70_000]))
tables = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.tuples(*[cell] * width), min_size=1, max_size=40)
)


def grouped(records: Records, size: int, wanted: list[int] | None = None) -> GroupTables:
    columns = [np.array(column, dtype=np.uint32) for column in zip(*records, strict=True)]
    distinct = np.array(naive_qar.distinct_counts(records, size))
    chosen = np.array(range(len(distinct)) if wanted is None else wanted)
    levels = [int(column.max()) + 1 for column in columns]
    return GroupTables(columns, levels, size, chosen, distinct[chosen])


def flags_of(tables: GroupTables) -> list[list[bool]]:
    """Which records are unique, a row for each combination in lexicographic order."""
    bits = np.unpackbits(tables.bits.view(np.uint8), axis=1, bitorder="little")
    return bits[np.argsort(tables.followed), : tables.rows].astype(bool).tolist()


@given(tables, st.data())
def test_after_removals_counts_and_bits_are_those_of_the_reduced_table(
    records: Records, data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, len(records[0])))
    gone = data.draw(st.lists(st.integers(0, len(records) - 1), unique=True))
    group_tables = grouped(records, size)
    group_tables.remove(np.array(gone, dtype=np.int64))
    left = [i for i in range(len(records)) if i not in gone]
    kept = [records[i] for i in left]
    expected = naive_qar.distinct_counts(kept, size) if kept else [0] * len(group_tables.distinct)
    assert group_tables.distinct[np.argsort(group_tables.followed)].tolist() == expected
    flags = naive_qar.unique_flags(kept, size) if kept else []
    by_set = [list(row) for row in zip(*flags, strict=True)] or [[]] * len(expected)
    for row, flagged in zip(flags_of(group_tables), by_set, strict=True):
        assert [row[i] for i in left] == flagged
        assert not any(row[i] for i in gone)


@given(tables, st.data())
def test_scores_add_up_the_weights_of_the_combinations_a_record_is_unique_in(
    records: Records, data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, len(records[0])))
    group_tables = grouped(records, size)
    weights = np.arange(1, len(group_tables.distinct) + 1)
    expected = [
        sum(int(weights[j]) for j, unique in enumerate(row) if unique)
        for row in naive_qar.unique_flags(records, size)
    ]
    assert group_tables.scores(weights[group_tables.followed]).tolist() == expected


@given(tables, st.data())
def test_only_the_wanted_combinations_are_followed(records: Records, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, len(records[0])))
    distinct = naive_qar.distinct_counts(records, size)
    wanted = data.draw(st.lists(st.integers(0, len(distinct) - 1), unique=True, min_size=1))
    group_tables = grouped(records, size, wanted)
    assert sorted(group_tables.followed.tolist()) == sorted(wanted)
    assert group_tables.distinct.tolist() == [distinct[j] for j in group_tables.followed.tolist()]


@given(tables, st.data())
def test_no_removal_ends_more_values_than_removing_the_smallest_groups(
    records: Records, data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, len(records[0])))
    group_tables = grouped(records, size)
    removed = np.arange(len(records) + 1)
    most = group_tables.removable(removed)
    for index, number in enumerate(group_tables.followed.tolist()):
        columns = naive_qar.column_sets(len(records[0]), size)[number]
        values = [tuple(record[c] for c in columns) for record in records]
        sizes = sorted(values.count(value) for value in set(values))
        expected = [int((np.cumsum(sizes) <= many).sum()) for many in removed.tolist()]
        assert most[:, index].tolist() == expected


def test_shares_of_groups_add_up_to_the_distinct_counts() -> None:
    group_tables = grouped([(0, 0), (0, 1), (0, 1), (1, 1)], 1)
    assert group_tables.shares(np.array([0, 1])).sum() == pytest.approx(group_tables.distinct.sum())


@given(tables.filter(lambda records: len(records) > 2), st.data())
def test_risks_without_each_record_are_those_after_really_deleting_it(
    records: Records, data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, len(records[0])))
    tail = data.draw(st.sampled_from([0.05, 0.3, 0.6, 0.9]))
    unbiased = data.draw(st.booleans())
    gone = data.draw(
        st.lists(st.integers(0, len(records) - 1), unique=True, max_size=len(records) - 2)
    )
    group_tables = grouped(records, size)
    group_tables.remove(np.array(gone, dtype=np.int64))
    sets = len(group_tables.distinct)
    estimator = "unbiased" if unbiased else "plotting"
    asked = TailSettings(
        *position(sets, tail), sets, ones_for_certainty(sets, 0.01), 0.01, tail, unbiased
    )
    alive = np.ones(len(records), dtype=np.bool_)
    alive[gone] = False
    left = int(alive.sum()) - 1

    def refit(lowered: np.ndarray) -> float:
        others = np.zeros(sets - len(lowered), dtype=np.int64)
        return risk_of(np.concatenate([others, lowered]), left, 0.01, tail, estimator)

    finder = LeaveOneOut(len(records))
    for _ in range(2):  # its arrays are used again
        risks = finder.remaining_risks(
            group_tables.bits, group_tables.distinct, alive, asked, refit
        )
    assert np.isnan(risks[gone]).all()
    for i in np.flatnonzero(alive).tolist():
        kept = [record for j, record in enumerate(records) if alive[j] and j != i]
        distinct = naive_qar.distinct_counts(kept, size)
        expected = risk_of(distinct, left, 0.01, tail, estimator)
        assert risks[i] == pytest.approx(expected, abs=1e-10)


def test_every_bit_of_a_word_is_found() -> None:
    for index in range(64):
        total = np.zeros(64, dtype=np.int64)
        loops.score(np.array([[1 << index]], dtype=np.uint64), np.array([7]), total)
        assert np.flatnonzero(total).tolist() == [index]
        assert total[index] == 7


def test_the_tables_are_the_same_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    records = [tuple(row) for row in rng.integers(0, [3, 9, 400, 5, 7], (300, 5)).tolist()]
    seen = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("SINGLEOUT_THREADS", threads)
        group_tables = grouped(records, 3)
        shares = group_tables.shares(np.arange(10)).tolist()
        group_tables.remove(np.arange(0, 300, 7))
        seen.append((group_tables.distinct.tolist(), group_tables.bits.tolist(), shares))
    assert seen[0] == seen[1] == seen[2]


def test_the_memory_that_is_announced_is_the_memory_of_the_tables() -> None:
    rng = np.random.default_rng(1)
    records = [tuple(row) for row in rng.integers(0, 20, (2000, 12)).tolist()]
    group_tables = grouped(records, 3)
    held = (
        group_tables.bits.nbytes
        + 4 * 2000 * len(group_tables.distinct)
        + 8 * int(group_tables.distinct.sum())
    )
    assert held <= table_bytes(2000, group_tables.distinct) <= 2 * held
