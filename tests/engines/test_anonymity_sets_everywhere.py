"""`so.anonymity_sets` gives the same counts wherever the data is."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import tables
from answers import plain
from stores import Put

import singleout as so
from singleout.errors import BadChoice, UnknownColumns, UnusableColumn, UnusableTable

TABLES = [tables.people, *tables.SMALL]


def assert_same(data: Any, frame: pl.DataFrame, *question: Any, **choices: Any) -> None:
    found = so.anonymity_sets(data, *question, **choices)
    expected = so.anonymity_sets(frame, *question, **choices)
    if isinstance(expected, list):
        assert [plain(one) for one in found] == [plain(one) for one in expected]
    else:
        assert plain(found) == plain(expected)


@pytest.mark.parametrize("table", TABLES)
def test_each_column_pairs_of_them_and_all_of_them_have_the_same_sets(
    there: Put, table: Callable[[], pl.DataFrame]
) -> None:
    frame = table()
    names = frame.columns
    sets = [*([name] for name in names), *pairwise(names), names]
    assert_same(there(frame, table.__name__), frame, sets)


def test_real_people_have_the_same_sets(there: Put, real_data: Path) -> None:
    frame = tables.adult(real_data)
    data = there(frame, "adult")
    names = frame.columns
    assert_same(data, frame, [names, ["sex", "age", "race"], ["native-country"], names[2:6]])
    found = so.anonymity_sets(data, names)
    # as ARX counts them
    assert (found.sets, found.unique, found.records) == (19_502, 15_512, 30_162)


def test_one_set_is_asked_for_by_its_columns_and_one_column_by_its_name(there: Put) -> None:
    frame = tables.people()
    data = there(frame, "people")
    assert_same(data, frame, ["zip", "sex"])
    assert_same(data, frame, "zip")


@pytest.mark.parametrize("missing", ["value", "drop", "wildcard"])
def test_missing_values_mean_the_same(there: Put, missing: str) -> None:
    frame = tables.nulls()
    sets = [["age", "sex"], ["income"], ["born", "income", "age", "sex"], ["nothing", "age"]]
    assert_same(there(frame, "nulls"), frame, sets, missing=missing)


@pytest.mark.parametrize("missing", ["value", "drop", "wildcard"])
def test_groups_are_the_same_in_the_same_order(there: Put, missing: str) -> None:
    frame = tables.nulls()
    data = there(frame, "nulls")
    assert_same(data, frame, ["age", "income"], by="sex", missing=missing)
    assert_same(data, frame, ["age"], by=["born", "sex"], missing=missing)


@pytest.mark.parametrize(
    ("table", "known", "by"),
    [
        (tables.texts, "half", "text"),
        (tables.kinds, "small", "day"),
        (tables.kinds, "day", "yes"),
        (tables.kinds, "day", "moment"),
        (tables.large_integers, "part", "key"),
        (tables.hostile_names, tables.HOSTILE_NAMES[0], tables.HOSTILE_NAMES[5]),
    ],
)
def test_groups_by_values_of_every_kind(
    there: Put, table: Callable[[], pl.DataFrame], known: str, by: str
) -> None:
    frame = table()
    assert_same(there(frame, table.__name__), frame, [known], by=by)


def test_weights_add_up_to_the_same(there: Put) -> None:
    frame = tables.people()
    data = there(frame, "people")
    assert_same(data, frame, ["zip", "sex", "children"], weight="weight")
    assert_same(data, frame, ["zip", "children"], weight="weight", by="sex")


def test_weights_of_records_that_are_dropped_do_not_count(there: Put) -> None:
    frame = tables.nulls().with_columns(weight=pl.int_range(pl.len()) / 4)
    data = there(frame, "nulls_with_weights")
    assert_same(data, frame, ["age", "sex"], weight="weight", missing="drop")
    assert_same(data, frame, ["age", "sex"], weight="weight", missing="wildcard")


@pytest.mark.parametrize(
    ("weights", "why"), [([1.0, None], "missing"), ([1.0, -1.0], "negative"), (["1", "x"], "text")]
)
def test_weights_that_are_none_are_refused(there: Put, weights: list[Any], why: str) -> None:
    data = there(pl.DataFrame({"sex": ["f", "m"], "weight": weights}), f"weights_{why}")
    with pytest.raises(UnusableColumn, match="weight"):
        so.anonymity_sets(data, ["sex"], weight="weight")


@pytest.mark.parametrize(
    ("where", "chosen"),
    [
        ("age >= 40 and sex = 'f'", (pl.col("age") >= 40) & (pl.col("sex") == "f")),
        (
            "zip in ('0100', '100') or children = 0",
            pl.col("zip").is_in(["0100", "100"]) | (pl.col("children") == 0),
        ),
        (
            "not (region = 'süd') and weight between 2 and 7.25",
            (pl.col("region") != "süd") & pl.col("weight").is_between(2, 7.25),
        ),
        ("illness = 'None'", pl.col("illness") == "None"),
    ],
)
def test_a_condition_chooses_the_same_people(there: Put, where: str, chosen: pl.Expr) -> None:
    frame = tables.people()
    data = there(frame, "people")
    expected = so.anonymity_sets(frame.filter(chosen), ["zip", "children"], by="sex")
    assert 0 < expected.records < frame.height
    found = so.anonymity_sets(data, ["zip", "children"], by="sex", where=where)
    assert plain(found) == plain(expected)


def test_nobody_can_be_singled_out_of_an_empty_table(there: Put) -> None:
    with pytest.raises(UnusableTable, match="no rows"):
        so.anonymity_sets(there(tables.empty(), "empty"), ["age", "sex"])


def test_a_condition_that_nobody_meets_is_refused(there: Put) -> None:
    with pytest.raises((UnusableTable, BadChoice), match=r"condition|no rows"):
        so.anonymity_sets(there(tables.people(), "people"), ["sex"], where="age > 1000")


def test_columns_that_are_not_there_are_named_with_those_that_are(there: Put) -> None:
    data = there(tables.people(), "people")
    with pytest.raises(UnknownColumns, match=r"'agee'.*'age', 'sex'"):
        so.anonymity_sets(data, ["agee", "sex"])
    with pytest.raises(UnknownColumns, match="'agee'"):
        so.anonymity_sets(data, ["sex"], where="agee = 1")


@pytest.mark.parametrize("there", ["local", "postgresql"], indirect=True)
def test_names_that_differ_in_case_are_two_columns_where_they_can_be(there: Put) -> None:
    frame = tables.names_of_two_cases()
    data = there(frame, "names_of_two_cases")
    assert_same(data, frame, [["age"], ["Age"], ["AGE"], ["age", "AGE"]])


@pytest.mark.parametrize(
    "there", ["local", "ibis", "duckdb", "sqlite", "postgresql", "spark"], indirect=True
)
def test_a_name_may_be_any_character_that_the_database_allows(there: Put) -> None:
    frame = tables.name_beyond_two_bytes()
    assert_same(there(frame, "name_beyond_two_bytes"), frame, [["😀"], ["é", "😀"]])
