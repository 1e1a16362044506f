"""`so.assess` comes to the same conclusions wherever the data is."""

from typing import Any

import polars as pl
import pytest
import tables
from answers import plain
from stores import Put

import singleout as so
from singleout.errors import UnusableTable

PLAN = {
    "columns": {
        "age": {"role": "quasi-identifier", "exposure": "EE"},
        "zip": {"role": "quasi-identifier", "exposure": "ER"},
        "sex": {"role": "quasi-identifier", "exposure": "EE"},
        "illness": {"role": "sensitive", "moral": 4},
    },
}


def conclusions(found: so.Assessment) -> dict[str, Any]:
    """Return all that is concluded, without where the data came from."""
    answer = plain(found)
    for key in ("source", "reading"):
        answer["table"].pop(key)
    return answer


def test_conclusions_are_the_same(there: Put) -> None:
    frame = tables.people()
    found, expected = so.assess(there(frame, "people"), PLAN), so.assess(frame, PLAN)
    assert conclusions(found) == _close(conclusions(expected))


def test_a_condition_chooses_the_same_people(there: Put) -> None:
    frame = tables.people()
    found = so.assess(there(frame, "people"), PLAN, where="region = 'north'")
    expected = so.assess(frame.filter(pl.col("region") == "north"), PLAN)
    assert conclusions(found) == _close(conclusions(expected))


def _close(answer: Any) -> Any:
    """Return an answer that equals others whose sums were taken in another order of records."""
    if isinstance(answer, dict):
        return {key: _close(value) for key, value in answer.items()}
    if isinstance(answer, list):
        return [_close(value) for value in answer]
    return pytest.approx(answer, rel=1e-12) if isinstance(answer, float) else answer


def test_there_is_nothing_to_assess_without_people(there: Put) -> None:
    with pytest.raises(UnusableTable, match="no rows"):
        so.assess(there(tables.empty(), "empty"), PLAN)
