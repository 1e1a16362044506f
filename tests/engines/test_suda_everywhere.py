"""`so.suda` finds the same special uniques wherever the data is."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import tables
from answers import as_text, rows_of
from stores import Put

import singleout as so
from singleout.errors import UnusableTable


def by_record(found: so.Suda) -> Counter[tuple[Any, ...]]:
    """Return how often each record occurs with its uniques: a database has no order of records."""
    return Counter(
        (tuple(map(as_text, row)), tuple(uniques), score)
        for row, uniques, score in zip(
            rows_of(found.table), found.counts_by_size.tolist(), found.score.tolist(), strict=True
        )
    )


def assert_same(data: Any, frame: pl.DataFrame, *question: Any, **choices: Any) -> None:
    found = so.suda(data, *question, **choices)
    expected = so.suda(frame, *question, **choices)
    assert _numbers(found) == _numbers(expected)
    assert by_record(found) == by_record(expected)
    assert found.counts_by_variable.tolist() == expected.counts_by_variable.tolist()
    assert found.set_contributions.rows() == expected.set_contributions.rows()
    assert found.records_by_kind == expected.records_by_kind


def _numbers(found: so.Suda) -> dict[str, Any]:
    return {
        "records": found.records,
        "dropped": found.dropped,
        "columns": found.columns,
        "unique": found.unique,
        "in pairs": found.in_pairs,
        "with uniques": found.with_uniques,
        "special": len(found.special_uniques),
        "largest": found.max_size,
    }


@pytest.mark.parametrize("table", tables.SMALL)
def test_every_record_has_the_same_minimal_uniques(
    there: Put, table: Callable[[], pl.DataFrame]
) -> None:
    frame = table()
    assert_same(there(frame, table.__name__), frame, frame.columns)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_sets_of_up_to_each_size_are_searched(there: Put, size: int) -> None:
    frame = tables.people()
    names = ["age", "sex", "zip", "children", "illness"]
    assert_same(there(frame, "people"), frame, names, max_size=size)


def test_real_people_have_the_same_uniques(there: Put, real_data: Path) -> None:
    frame = tables.some_adults(real_data)
    assert_same(there(frame, "some_adults"), frame, frame.columns[:6])


@pytest.mark.parametrize("missing", ["value", "never", "drop"])
def test_missing_values_mean_the_same(there: Put, missing: str) -> None:
    frame = tables.nulls()
    assert_same(there(frame, "nulls"), frame, ["age", "income", "sex", "born"], missing=missing)


def test_scores_with_a_sampling_fraction_are_the_same(there: Put) -> None:
    frame = tables.people()
    names = ["age", "zip", "children"]
    found = so.suda(there(frame, "people"), names, sampling_fraction=0.1)
    expected = so.suda(frame, names, sampling_fraction=0.1)
    assert found.dis == expected.dis
    assert sorted(found.dis_score.tolist()) == sorted(expected.dis_score.tolist())


def test_a_condition_chooses_the_same_people(there: Put) -> None:
    frame = tables.people()
    names = ["age", "zip", "illness"]
    found = so.suda(there(frame, "people"), names, where="children > 1")
    expected = so.suda(frame.filter(pl.col("children") > 1), names)
    assert _numbers(found) == _numbers(expected)
    assert by_record(found) == by_record(expected)


def test_nobody_is_unique_in_an_empty_table(there: Put) -> None:
    with pytest.raises(UnusableTable, match="no rows"):
        so.suda(there(tables.empty(), "empty"), ["age", "sex"])
