"""`so.diversity` gives the same numbers wherever the data is."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import tables
from stores import Put

import singleout as so
from singleout.errors import BadChoice, UndefinedMeasure, UnknownColumns
from singleout.methods.diversity.columns import MEASURES
from singleout.methods.diversity.result import Diversity


def same(found: Diversity, expected: Diversity) -> None:
    assert (found.records, found.dropped, found.classes) == (
        expected.records,
        expected.dropped,
        expected.classes,
    )
    assert found.k == expected.k
    for name, column in expected.columns.items():
        assert found.columns[name].scale == column.scale
        for measure in (*MEASURES, "occurring_delta", "certain"):
            number = getattr(column, measure)
            # logarithms are summed in another order
            wanted = number if number is None else pytest.approx(number, rel=1e-12, abs=1e-12)
            assert getattr(found.columns[name], measure) == wanted, (name, measure)


def assert_same(
    data: Any, frame: pl.DataFrame, known: Sequence[str], sensitive: Any, **choices: Any
) -> None:
    same(
        so.diversity(data, known, sensitive, **choices),
        so.diversity(frame, known, sensitive, **choices),
    )


@pytest.mark.parametrize(
    ("table", "known", "sensitive"),
    [
        (tables.people, ["zip", "sex"], ["illness", "age"]),
        (tables.nulls, ["sex"], ["income", "born"]),
        (tables.one_row, ["age"], "zip"),
        (tables.hostile_names, list(tables.HOSTILE_NAMES[:3]), tables.HOSTILE_NAMES[-1]),
        (tables.large_integers, ["part"], "key"),
        (tables.kinds, ["yes"], ["day", "amount", "moment", "real"]),
        (tables.texts, ["half"], "text"),
    ],
)
def test_values_of_every_kind_have_the_same_diversity(
    there: Put, table: Callable[[], pl.DataFrame], known: list[str], sensitive: Any
) -> None:
    frame = table()
    assert_same(there(frame, table.__name__), frame, known, sensitive)


def test_numbers_stored_as_text_are_in_the_order_of_numbers(there: Put) -> None:
    numbers = ["9", "10", "2", "33", "4", "100", "9", "2"]
    frame = pl.DataFrame({"x": list("aabbccab"), "s": numbers})
    data = there(frame, "digits")
    assert_same(data, frame, ["x"], "s")
    assert_same(data, frame, ["x"], "s", scale="nominal")
    expected = so.diversity(frame.with_columns(pl.col("s").cast(pl.Int64)), ["x"], "s")
    assert so.diversity(data, ["x"], "s").t == pytest.approx(expected.t)


@pytest.mark.parametrize("missing", ["value", "drop", "wildcard"])
def test_missing_values_mean_the_same(there: Put, missing: str) -> None:
    frame = tables.nulls()
    assert_same(there(frame, "nulls"), frame, ["age", "sex"], ["income"], missing=missing)


def test_groups_and_conditions_are_the_same(there: Put) -> None:
    frame = tables.people()
    data = there(frame, "people")
    choices: dict[str, Any] = {"by": "sex", "where": "age >= 30"}
    found = so.diversity(data, ["zip"], "illness", **choices)
    expected = so.diversity(frame, ["zip"], "illness", **choices)
    same(found, expected)
    assert list(found.groups) == list(expected.groups)
    for key, part in expected.groups.items():
        same(found.groups[key], part)


def test_classes_that_break_a_wanted_value_are_the_same(there: Put) -> None:
    frame = tables.people()
    found = so.diversity(there(frame, "people"), ["zip", "sex"], "illness").breaking(l=2, t=0.5)
    expected = so.diversity(frame, ["zip", "sex"], "illness").breaking(l=2, t=0.5)
    assert (found.classes, found.records) == (expected.classes, expected.records)
    listed = found.to_frame()
    known = ["zip", "sex", "records", "distinct_l", "breaks"]
    assert listed.select(known).rows() == expected.to_frame().select(known).rows()


def test_real_people_have_the_same_diversity(there: Put, real_data: Path) -> None:
    frame = tables.some_adults(real_data)
    assert_same(there(frame, "adult"), frame, ["sex", "race", "education"], ["salary-class", "age"])


def test_questions_that_have_no_answer_are_refused(there: Put) -> None:
    data = there(tables.people(), "people")
    with pytest.raises(UnknownColumns, match="'ills'"):
        so.diversity(data, ["zip"], "ills")
    with pytest.raises(BadChoice, match="both"):
        so.diversity(data, ["zip"], "zip")
    found = so.diversity(data, ["zip"], "illness")
    if there.engine != "local":
        with pytest.raises(UndefinedMeasure, match="engine"):
            _ = found.per_record
