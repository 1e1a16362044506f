"""`so.count` gives the same combinations wherever the data is."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
import tables
from answers import as_text
from stores import Put

import singleout as so
from singleout.errors import BadChoice, UnknownColumns

TABLES = [tables.people, *tables.SMALL]


def as_texts(counts: so.Counts) -> dict[tuple[str | None, ...], int]:
    found = [(tuple(map(as_text, values)), size) for values, size in counts]
    assert len(dict(found)) == len(found), "a combination is there twice"
    return dict(found)


@pytest.mark.parametrize("table", TABLES)
def test_combinations_and_their_sizes_are_the_same(
    there: Put, table: Callable[[], pl.DataFrame]
) -> None:
    frame = table()
    data = there(frame, table.__name__)
    for names in (frame.columns[:1], frame.columns):
        found, expected = so.count(data, names), so.count(frame, names)
        assert found.columns == expected.columns
        assert as_texts(found) == as_texts(expected)
        assert found.records == frame.height


def test_values_keep_their_types(there: Put) -> None:
    frame = tables.kinds()
    found = dict(so.count(there(frame, "kinds"), ["day", "yes", "small"]))
    # SQLite and MariaDB have 0 and 1 for booleans, which Python takes to be equal to them
    assert found == dict(so.count(frame, ["day", "yes", "small"]))


def test_real_people_are_counted_the_same(there: Put, real_data: Path) -> None:
    frame = tables.adult(real_data)
    names = ["sex", "race", "salary-class"]
    assert dict(so.count(there(frame, "adult"), names)) == dict(so.count(frame, names))


def test_a_condition_chooses_the_same_people(there: Put) -> None:
    frame = tables.people()
    found = so.count(there(frame, "people"), ["sex", "zip"], where="age < 30")
    assert dict(found) == dict(so.count(frame.filter(pl.col("age") < 30), ["sex", "zip"]))


@pytest.mark.parametrize(
    ("table", "where", "chosen"),
    [
        (tables.nulls, "age is null", pl.col("age").is_null()),
        (tables.nulls, "income is null", pl.col("income").fill_nan(None).is_null()),
        (tables.nulls, "income = 0", pl.col("income") == 0),
        (tables.nulls, "income < 5", pl.col("income").fill_nan(None) < 5),
        (tables.nulls, "not (age = 31)", pl.col("age") != 31),
        (tables.nulls, "sex = ''", pl.col("sex") == ""),
        (tables.nulls, "born < '1990-01-03'", pl.col("born") < date(1990, 1, 3)),
        (tables.texts, "text = 'a'", pl.col("text") == "a"),
        (tables.texts, "text in ('ä', 'ss')", pl.col("text").is_in(["ä", "ss"])),
        (tables.texts, "text < 'b'", pl.col("text") < "b"),
        (tables.large_integers, "key = 9007199254740993", pl.col("key") == 2**53 + 1),
        (tables.kinds, "amount = 1.5", pl.col("amount") == Decimal("1.5")),
        (tables.kinds, "amount > 0.1", pl.col("amount") > Decimal("0.1")),
        (tables.kinds, "yes = true", pl.col("yes")),
        (tables.kinds, "real = 0.3", pl.col("real") == 0.3),
        (tables.hostile_names, '"double ""quote"" """ = 1', pl.col('double "quote" "') == 1),
        (tables.hostile_names, '"select" = 1', pl.col("select") == 1),
    ],
)
def test_a_condition_on_values_of_every_kind(
    there: Put, table: Callable[[], pl.DataFrame], where: str, chosen: pl.Expr
) -> None:
    frame = table()
    names = frame.columns[:2]
    expected = so.count(frame.filter(chosen), names)
    assert 0 < expected.records < frame.height
    assert as_texts(so.count(there(frame, table.__name__), names, where=where)) == as_texts(
        expected
    )


def test_counts_from_here_and_there_can_be_merged(there: Put) -> None:
    frame = tables.texts()
    merged = so.count(there(frame, "texts"), ["text"]).merge(so.count(frame, ["text"]))
    assert dict(merged) == {values: 2 * size for values, size in so.count(frame, ["text"])}


def test_a_question_without_columns_or_with_unknown_ones_is_refused(there: Put) -> None:
    data = there(tables.people(), "people")
    with pytest.raises(BadChoice, match="No columns"):
        so.count(data, [])
    with pytest.raises(UnknownColumns, match="'x'"):
        so.count(data, ["sex", "x"])
