"""`so.read` brings the same table from wherever the data is."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import tables
from answers import as_text, rows_as_text, rows_of
from stores import Put

import singleout as so
from singleout.errors import BadChoice, UnknownColumns, UnusableTable

TABLES = [tables.people, *tables.SMALL]

# SQLite knows neither dates nor decimals nor booleans, MariaDB no booleans
EXACT = ("local", "ibis", "duckdb", "postgresql", "spark")


@pytest.mark.parametrize("table", TABLES)
def test_records_columns_and_codes_are_the_same(
    there: Put, table: Callable[[], pl.DataFrame]
) -> None:
    frame = table()
    found, expected = so.read(there(frame, table.__name__)), so.read(frame)
    assert found.columns == expected.columns
    assert rows_as_text(rows_of(found)) == rows_as_text(rows_of(expected))
    for here, local in zip(found, expected, strict=True):
        assert list(map(as_text, here.values)) == list(map(as_text, local.values))
        assert here.has_missing == local.has_missing
    assert _codes(found) == _codes(expected)


def _codes(table: so.Table) -> Counter[tuple[int, ...]]:
    return Counter(zip(*(column.codes.tolist() for column in table), strict=True))


@pytest.mark.parametrize("there", EXACT, indirect=True)
@pytest.mark.parametrize("table", TABLES)
def test_values_keep_their_types(there: Put, table: Callable[[], pl.DataFrame]) -> None:
    frame = table()
    for here, local in zip(so.read(there(frame, table.__name__)), so.read(frame), strict=True):
        assert list(here.values) == list(local.values)
        assert set(map(type, here.values)) == set(map(type, local.values))


def test_real_people_come_as_they_are(there: Put, real_data: Path) -> None:
    frame = tables.adult(real_data)
    found = so.read(there(frame, "adult"))
    assert Counter(rows_of(found)) == Counter(frame.rows())


def test_some_columns_come_in_the_order_asked_for(there: Put) -> None:
    frame = tables.hostile_names()
    names = list(tables.HOSTILE_NAMES[::-2])
    found = so.read(there(frame, "hostile_names"), columns=names)
    assert found.columns == tuple(names)
    assert Counter(rows_of(found)) == Counter(frame.select(names).rows())


def test_roles_and_the_policy_for_missing_values_are_taken(there: Put) -> None:
    data = there(tables.nulls(), "nulls")
    found = so.read(data, missing="drop", roles={"age": "quasi-identifier"})
    assert found.missing == "drop"
    assert found.quasi_identifiers == ("age",)


def test_options_for_text_files_are_refused(there: Put) -> None:
    with pytest.raises(BadChoice, match="delimiter has no meaning"):
        so.read(there(tables.people(), "people"), delimiter=";")


def test_a_table_that_was_fetched_gives_the_same_answers(there: Put) -> None:
    frame = tables.nulls()
    found = so.read(there(frame, "nulls"))
    names = ["age", "sex", "income"]
    assert so.anonymity_sets(found, names).histogram == so.anonymity_sets(frame, names).histogram


def test_a_condition_chooses_the_same_people(there: Put) -> None:
    frame = tables.people()
    found = so.read(there(frame, "people"), where="age between 30 and 34", columns=["age", "zip"])
    expected = frame.filter(pl.col("age").is_between(30, 34)).select("age", "zip")
    assert Counter(rows_of(found)) == Counter(expected.rows())


def test_the_engine_here_counts_what_is_elsewhere(there: Put) -> None:
    frame = tables.texts()
    data = there(frame, "texts")
    found = so.anonymity_sets(data, ["text"], engine="local")
    assert found.histogram == so.anonymity_sets(frame, ["text"]).histogram
    assert len(found.per_record) == frame.height


def test_what_cannot_be_read_is_refused(there: Put) -> None:
    with pytest.raises(UnusableTable, match="no rows"):
        so.read(there(tables.empty(), "empty"))
    with pytest.raises(UnknownColumns, match="'agee'"):
        so.read(there(tables.people(), "people"), columns=["agee"])
