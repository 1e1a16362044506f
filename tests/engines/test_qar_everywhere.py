"""`so.qar` counts the same combinations wherever the data is, and so gives the same risk."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import polars as pl
import pytest
import tables
from answers import plain
from stores import Put

import singleout as so
from singleout.errors import UndefinedMeasure, UnusableTable

TABLES = tables.SMALL


@pytest.mark.parametrize("table", TABLES)
def test_every_combination_has_as_many_distinct_values(
    there: Put, table: Callable[[], pl.DataFrame]
) -> None:
    frame = table()
    found, expected = so.qar(there(frame, table.__name__), size=2), so.qar(frame, size=2)
    assert found.distinct.tolist() == expected.distinct.tolist()
    assert plain(found) == plain(expected)


@pytest.mark.parametrize("size", [1, 3, 5])
def test_combinations_of_each_size_up_to_all_columns(there: Put, size: int) -> None:
    frame = tables.nulls()
    found, expected = so.qar(there(frame, "nulls"), size=size), so.qar(frame, size=size)
    assert found.distinct.tolist() == expected.distinct.tolist()
    assert plain(found) == plain(expected)


@cache
def risk_of_adults(folder: Path, size: int) -> so.DatasetRisk:
    return so.qar(tables.adult(folder), size=size)


@pytest.mark.parametrize("size", [2, 3])
def test_real_people_have_the_same_risk(there: Put, real_data: Path, size: int) -> None:
    expected = risk_of_adults(real_data, size)
    found = so.qar(there(tables.adult(real_data), "adult"), size=size)
    assert found.distinct.tolist() == expected.distinct.tolist()
    assert plain(found) == plain(expected)


def test_columns_are_combined_in_the_order_given(there: Put) -> None:
    frame = tables.people()
    names = ["zip", "age", "illness", "sex"]
    found = so.qar(there(frame, "people"), names, size=2)
    expected = so.qar(frame, names, size=2)
    assert found.columns == tuple(names)
    assert found.distinct.tolist() == expected.distinct.tolist()


@pytest.mark.parametrize("missing", ["value", "drop"])
def test_missing_values_mean_the_same(there: Put, missing: str) -> None:
    frame = tables.nulls().drop("nothing")
    data = there(frame, "nulls_but_nothing")
    found, expected = so.qar(data, size=2, missing=missing), so.qar(frame, size=2, missing=missing)
    assert found.distinct.tolist() == expected.distinct.tolist()
    assert plain(found) == plain(expected)


def test_missing_values_that_match_everything_are_refused(there: Put) -> None:
    with pytest.raises(UndefinedMeasure, match="matches everything"):
        so.qar(there(tables.nulls(), "nulls"), size=2, missing="wildcard")


def test_several_shares_are_answered_from_one_count(there: Put) -> None:
    frame = tables.people()
    found = so.qar(there(frame, "people"), size=2, alpha=[0.05, 0.01])
    expected = so.qar(frame, size=2, alpha=[0.05, 0.01])
    assert [plain(one) for one in found] == [plain(one) for one in expected]


def test_a_condition_chooses_the_same_people(there: Put) -> None:
    frame = tables.people()
    found = so.qar(there(frame, "people"), size=2, where="sex = 'f' and age > 25")
    expected = so.qar(frame.filter((pl.col("sex") == "f") & (pl.col("age") > 25)), size=2)
    assert plain(found) == plain(expected)


def test_there_is_no_risk_without_people(there: Put) -> None:
    with pytest.raises(UnusableTable, match="no rows"):
        so.qar(there(tables.empty(), "empty"), size=2)


def test_if_every_record_lacks_a_value_there_is_nothing_to_count(there: Put) -> None:
    data = there(tables.nulls(), "nulls")
    with pytest.raises(UnusableTable, match="missing"):
        so.qar(data, size=1, missing="drop")
