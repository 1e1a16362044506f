"""`so.contributions` and `so.eliminate` give the same answers wherever the data is."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import tables
from answers import plain
from stores import Put

import singleout as so
from singleout.errors import UnusableTable

NAMES = ["age", "sex", "zip", "region", "children"]


def measures(found: so.RecordContributions) -> pl.DataFrame:
    """Return the measures of all records, sorted: a database has no order of records."""
    frame = found.to_frame().drop("record")
    return frame.sort(frame.columns)


@pytest.mark.parametrize(
    "table", [tables.nulls, tables.hostile_names, tables.kinds, tables.texts, tables.large_integers]
)
def test_every_record_adds_as_much_to_the_risk(
    there: Put, table: Callable[[], pl.DataFrame]
) -> None:
    frame = table()
    data = there(frame, table.__name__)
    found, expected = so.contributions(data, size=2), so.contributions(frame, size=2)
    assert plain(found.dataset) == plain(expected.dataset)
    assert measures(found).equals(measures(expected))
    assert found.lowering == expected.lowering


@pytest.mark.parametrize("size", [1, 2, 3])
def test_combinations_of_each_size(there: Put, size: int) -> None:
    frame = tables.people()
    found = so.contributions(there(frame, "people"), NAMES, size=size)
    expected = so.contributions(frame, NAMES, size=size)
    assert measures(found).equals(measures(expected))


def test_real_people_add_as_much(there: Put, real_data: Path) -> None:
    frame = tables.some_adults(real_data)
    found = so.contributions(there(frame, "some_adults"), size=2)
    expected = so.contributions(frame, size=2)
    assert found.risk == expected.risk
    assert measures(found).equals(measures(expected))


@pytest.mark.parametrize("missing", ["value", "drop"])
def test_missing_values_mean_the_same(there: Put, missing: str) -> None:
    frame = tables.nulls()
    names = ["age", "income", "sex", "born"]
    found = so.contributions(there(frame, "nulls"), names, size=2, missing=missing)
    expected = so.contributions(frame, names, size=2, missing=missing)
    assert plain(found.dataset) == plain(expected.dataset)
    assert measures(found).equals(measures(expected))


def test_a_condition_chooses_the_same_people(there: Put) -> None:
    frame = tables.people()
    found = so.contributions(there(frame, "people"), NAMES, size=2, where="region != 'süd'")
    expected = so.contributions(frame.filter(pl.col("region") != "süd"), NAMES, size=2)
    assert measures(found).equals(measures(expected))


def test_removing_records_can_lower_the_risk_as_much(there: Put) -> None:
    frame = tables.people()
    found = so.eliminate(there(frame, "people"), records=20, columns=NAMES, size=2, every=10)
    expected = so.eliminate(frame, records=20, columns=NAMES, size=2, every=10)
    # which of two records alike goes first depends on their order, so the curve may differ
    assert found.risk[0] == expected.risk[0]
    for measure in ("removed", "bound", "bound_top"):
        assert getattr(found, measure).tolist() == getattr(expected, measure).tolist()
    assert found.records == frame.height


def test_nobody_adds_to_the_risk_of_an_empty_table(there: Put) -> None:
    with pytest.raises(UnusableTable, match="no rows"):
        so.contributions(there(tables.empty(), "empty"), size=2)
