import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from singleout.core.table import smallest_codes
from singleout.kernels.grouping import group
from singleout.kernels.grouping.group import group_records, group_sizes


@st.composite
def coded_tables(draw: st.DrawFn) -> tuple[list[np.ndarray], list[int]]:
    """Tables of any shape: tie-heavy, wide, with huge key spaces, constant or all different."""
    records = draw(st.integers(1, 200))
    columns, levels = [], []
    for _ in range(draw(st.integers(1, 8))):
        count = draw(st.sampled_from([1, 2, 3, 7, 256, 257, 65_536, 65_537, 1 << 32]))
        used = draw(st.integers(1, min(count, 6)))
        picks = draw(st.lists(st.integers(0, used - 1), min_size=records, max_size=records))
        # spread over the whole range, so that the highest codes occur too
        codes = np.asarray(picks, dtype=np.int64) * ((count - 1) // max(used - 1, 1))
        columns.append(smallest_codes(codes, count))
        levels.append(count)
    return columns, levels


def rows(columns: list[np.ndarray]) -> list[tuple[int, ...]]:
    return list(zip(*(column.tolist() for column in columns), strict=True))


@given(coded_tables())
def test_group_sizes_are_those_of_the_naive_twin(table: tuple[list[np.ndarray], list[int]]) -> None:
    columns, levels = table
    expected = sorted(naive.group_sizes(rows(columns)).values())
    assert sorted(group_sizes(columns, levels).tolist()) == expected


@given(coded_tables())
def test_groups_are_those_of_the_naive_twin(table: tuple[list[np.ndarray], list[int]]) -> None:
    columns, levels = table
    records = rows(columns)
    groups = group_records(columns, levels)
    assert groups.sizes[groups.ids].tolist() == naive.sizes_of_records(records)
    # the same number means the same combination, and each group names its first record
    of_group: dict[int, tuple[int, ...]] = {}
    for record, number in zip(records, groups.ids.tolist(), strict=True):
        assert of_group.setdefault(number, record) == record
    assert len(of_group) == len(set(records)) == len(groups.sizes)
    for number, first in enumerate(groups.first.tolist()):
        assert records.index(of_group[number]) == first


@pytest.mark.parametrize("levels", [[9, 11, 2], [1 << 32, 1 << 32], [60_000] * 9])
def test_many_records_are_grouped_alike_for_any_number_of_threads(
    levels: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(20121)
    monkeypatch.setattr(group, "_PIECE", 1 << 10)
    columns = [
        smallest_codes(rng.choice(rng.integers(0, count, 20), 50_000), count) for count in levels
    ]
    answers = []
    for threads in ("1", "2", "5"):
        monkeypatch.setenv("SINGLEOUT_THREADS", threads)
        answers.append((group_records(columns, levels), group_sizes(columns, levels)))
    (one, one_sizes), *others = answers
    for groups, sizes in others:
        assert np.array_equal(groups.ids, one.ids)
        assert np.array_equal(groups.sizes, one.sizes)
        assert np.array_equal(groups.first, one.first)
        assert np.array_equal(sizes, one_sizes)
    expected = naive.group_sizes(rows(columns))
    assert sorted(one_sizes.tolist()) == sorted(expected.values())
    assert [expected[record] for record in rows(columns)] == one.sizes[one.ids].tolist()


def test_keys_that_fill_all_64_bits_stay_apart() -> None:
    top = np.array([2**32 - 1, 2**32 - 1, 0, 2**32 - 1], dtype=np.uint32)
    low = np.array([2**32 - 1, 0, 2**32 - 1, 2**32 - 1], dtype=np.uint32)
    assert sorted(group_sizes([top, low], [1 << 32, 1 << 32]).tolist()) == [1, 1, 2]


def test_records_alone_early_keep_their_group_when_columns_are_refined() -> None:
    identifier = np.array([5, 6, 7, 7], dtype=np.uint32)
    wide = [np.array([0, 0, 1, 2], dtype=np.uint32)] * 3
    groups = group_records([identifier, *wide], [1 << 32] * 4)
    assert groups.sizes.tolist() == [1, 1, 1, 1]
    assert sorted(groups.ids.tolist()) == [0, 1, 2, 3]
