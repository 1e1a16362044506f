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
    # which of equally risky records are taken out depends on their order, which databases lack
    answer["actions"] = [a for a in answer["actions"] if a["kind"] != "remove-records"]
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


PATIENTS = pl.DataFrame(
    {
        "class": [1, 1, 1, 2, 2, 2, 3, 3, 3],
        "ill": ["Colds"] * 3 + ["Colds", "Flu", "HIV"] + ["Diabetes", "Cancer", "HIV"],
        "weight": [10] * 9,
    }
)
ILL = {"Colds": 1, "Flu": 1, "Diabetes": 3, "HIV": 4, "Cancer": 4}


@pytest.mark.parametrize(
    ("population", "by_risk", "level", "if_member"),
    [
        ({}, (0, 5, 1, 3), 4, 4),
        ({"sampling_fraction": 0.1}, (2, 7, 0, 0), 2, 4),
        ({"size": 90}, (2, 7, 0, 0), 2, 4),
        ({"weights": "weight"}, (2, 7, 0, 0), 2, 4),
    ],
)
def test_nine_patients_have_the_same_risks_everywhere_and_no_record_is_fetched(
    there: Put,
    population: dict[str, Any],
    by_risk: tuple[int, ...],
    level: int,
    if_member: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan: dict[str, Any] = {
        "columns": {
            "class": {"role": "quasi-identifier", "exposure": "EE"},
            "ill": {"role": "sensitive", "moral": 4, "values": ILL},
            "weight": {"role": "weight" if "weights" in population else "other"},
        },
    }
    if population:
        plan["population"] = population
    data = there(PATIENTS, "patients")
    for name in ("fetch", "records"):
        monkeypatch.setattr(f"singleout.engines.sql.counter.DatabaseCounter.{name}", None)
    found = so.assess(data, plan)
    assert found.record_risks.by_level == by_risk
    assert (found.level, found.if_member, found.range) == (level, if_member, (level, level))


def test_there_is_nothing_to_assess_without_people(there: Put) -> None:
    with pytest.raises(UnusableTable, match="no rows"):
        so.assess(there(tables.empty(), "empty"), PLAN)
