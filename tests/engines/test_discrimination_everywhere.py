"""`so.discrimination_rate` gives the same rates wherever the data is."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import tables
from stores import Put

import singleout as so
from singleout.errors import BadChoice, UnknownColumns, UnusableTable

VARIANTS = ("paper", "mutual-information", "worst-value")


def assert_same(
    data: Any, frame: pl.DataFrame, known: Sequence[str], sensitive: str, **choices: Any
) -> None:
    found = so.discrimination_rate(data, known, sensitive, **choices)
    expected = so.discrimination_rate(frame, known, sensitive, **choices)
    assert (found.records, found.dropped, found.level) == (
        expected.records,
        expected.dropped,
        expected.level,
    )
    # logarithms are summed in another order
    assert found.rate == pytest.approx(expected.rate, rel=1e-13, abs=1e-15)
    assert found.entropy == pytest.approx(expected.entropy, rel=1e-13, abs=1e-15)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_reading_of_the_rate_is_the_same(there: Put, variant: str) -> None:
    frame = tables.people()
    assert_same(there(frame, "people"), frame, ["zip", "sex"], "illness", variant=variant)


@pytest.mark.parametrize(
    ("table", "known", "sensitive"),
    [
        (tables.nulls, ["sex"], "income"),
        (tables.nulls, ["nothing"], "born"),
        (tables.one_row, ["age"], "zip"),
        (tables.hostile_names, list(tables.HOSTILE_NAMES[:3]), tables.HOSTILE_NAMES[-1]),
        (tables.large_integers, ["key"], "part"),
        (tables.large_integers, ["part"], "key"),
        (tables.kinds, ["day", "amount"], "yes"),
        (tables.kinds, ["moment", "real"], "amount"),
        (tables.texts, ["text"], "half"),
    ],
)
def test_rates_of_values_of_every_kind_are_the_same(
    there: Put, table: Callable[[], pl.DataFrame], known: list[str], sensitive: str
) -> None:
    frame = table()
    assert_same(there(frame, table.__name__), frame, known, sensitive)


def test_real_people_have_the_same_rates(there: Put, real_data: Path) -> None:
    frame = tables.adult(real_data)
    assert_same(there(frame, "adult"), frame, ["age", "sex", "occupation"], "salary-class")


@pytest.mark.parametrize("missing", ["value", "drop"])
def test_missing_values_mean_the_same(there: Put, missing: str) -> None:
    frame = tables.nulls()
    data = there(frame, "nulls")
    assert_same(data, frame, ["age", "sex"], "income", missing=missing)


def test_a_condition_chooses_the_same_people(there: Put) -> None:
    frame = tables.people()
    found = so.discrimination_rate(there(frame, "people"), ["zip"], "illness", where="sex = 'm'")
    expected = so.discrimination_rate(frame.filter(pl.col("sex") == "m"), ["zip"], "illness")
    assert found.records == expected.records
    assert found.rate == pytest.approx(expected.rate, rel=1e-13)


def test_questions_that_have_no_answer_are_refused(there: Put) -> None:
    data = there(tables.people(), "people")
    with pytest.raises(UnusableTable, match="no rows"):
        so.discrimination_rate(there(tables.empty(), "empty"), ["zip"], "illness")
    with pytest.raises(UnknownColumns, match="'ills'"):
        so.discrimination_rate(data, ["zip"], "ills")
    with pytest.raises(BadChoice, match="both"):
        so.discrimination_rate(data, ["zip"], "zip")
