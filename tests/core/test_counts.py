from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from singleout.core.counts import Counts, SizeProfile
from singleout.core.table import Table
from singleout.engines.local import counting as local
from singleout.errors import BadChoice
from singleout.io.read import read

records = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", None, "01", "1"]), st.one_of(st.none(), st.integers(-2, 2))
    ),
    min_size=1,
    max_size=40,
)


def table_of(rows: list[tuple[object, ...]]) -> Table:
    import polars as pl

    kinds = {"x": pl.String, "y": pl.Int64}
    return read(pl.DataFrame(rows, schema=kinds, orient="row"))


@given(records)
def test_counts_are_those_of_the_naive_twin(rows: list[tuple[object, ...]]) -> None:
    counted = local.counts(table_of(rows), ["x", "y"])
    assert dict(counted) == naive.group_sizes(rows)
    assert counted.records == len(rows)


@given(records, records)
def test_merging_two_parts_gives_the_counts_of_the_whole(
    first: list[tuple[object, ...]], second: list[tuple[object, ...]]
) -> None:
    parts = [local.counts(table_of(part), ["x", "y"]) for part in (first, second)]
    assert dict(parts[0].merge(parts[1])) == naive.group_sizes(first + second)


@given(records)
def test_a_marginal_is_the_count_over_fewer_columns(rows: list[tuple[object, ...]]) -> None:
    whole = local.counts(table_of(rows), ["x", "y"])
    assert dict(local.marginal(whole, ["y"])) == Counter((y,) for _, y in rows)


def test_true_and_one_stay_different_when_parts_are_merged() -> None:
    whole = local.counts(read({"x": [True]}), ["x"]).merge(local.counts(read({"x": [1]}), ["x"]))
    assert [(values[0] is True, size) for values, size in whole] == [(True, 1), (False, 1)]


def test_counts_over_different_columns_do_not_merge() -> None:
    a, b = (local.counts(read({name: [1]}), [name]) for name in "ab")
    with pytest.raises(BadChoice, match=r"\['a'\] cannot be merged with counts over \['b'\]"):
        a.merge(b)


def test_counts_cannot_be_changed() -> None:
    counted: Counts = local.counts(read({"x": [1, 1, 2]}), ["x"])
    with pytest.raises(ValueError, match="read-only"):
        counted.sizes[0] = 99


@given(st.lists(st.integers(1, 10**9), max_size=50))
def test_a_profile_counts_how_often_each_size_occurs(sizes: list[int]) -> None:
    import numpy as np

    profile = SizeProfile.of(np.array(sizes, dtype=np.int64))
    assert dict(zip(profile.sizes.tolist(), profile.sets.tolist(), strict=True)) == Counter(sizes)
    assert profile.records == sum(sizes)
    assert profile.number_of_sets == len(sizes)
