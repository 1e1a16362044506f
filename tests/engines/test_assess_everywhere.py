"""`so.assess` comes to the same conclusions wherever the data is."""

from functools import cache
from itertools import product
from typing import Any

import numpy as np
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
    # columns that HIPAA names are found by values, which stay where they are
    answer["regulators"] = [r for r in answer["regulators"] if "HIPAA" not in r["source"]]
    # which of equally risky records are taken out depends on their order, which databases lack
    answer["actions"] = [a for a in answer["actions"] if a["kind"] != "remove-records"]
    return answer


def test_conclusions_are_the_same(there: Put) -> None:
    frame = tables.people()
    found, expected = so.assess(there(frame, "people"), PLAN), so.assess(frame, PLAN)
    assert conclusions(found) == _close(conclusions(expected))


def test_groups_are_the_same(there: Put) -> None:
    frame = tables.people()
    found = so.assess(there(frame, "people"), PLAN, by="region").groups_frame
    expected = so.assess(frame, PLAN, by="region").groups_frame
    assert found.to_dicts() == _close(expected.to_dicts())


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


# ---- without a plan


@cache
def assessed_survey(people: int) -> so.Assessment:
    return so.assess(survey(people), advice=False)


@cache
def survey(people: int) -> pl.DataFrame:
    """Return a survey with columns of every kind, and more different numbers than are listed."""
    chance = np.random.default_rng(8)
    born = np.datetime64("1950-01-01") + chance.integers(0, 365 * 50, people)
    religions = ["catholic", "none", None, "not stated"]
    return pl.DataFrame(
        {
            "sex": chance.choice(["f", "m"], people),
            "born": born.astype("datetime64[D]"),
            "region": chance.choice(["north", "south", "west"], people),
            "religion": [religions[i] for i in chance.integers(0, 4, people)],
            "hiv": chance.choice(["negative", "positive", "unknown"], people),
            "income": chance.lognormal(8, 1, people).round(2),
            "children": chance.integers(0, 5, people),
            "mail": [f"person{i}@example.org" for i in chance.permutation(people)],
            "q7": chance.choice(["a", "b", "c"], people),
        }
    )


@pytest.mark.parametrize("people", [300, 21_000])
def test_a_plan_is_guessed_from_counts_as_from_records(
    there: Put, people: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = assessed_survey(people)
    data = there(survey(people), f"survey{people}")
    _take_records_away(monkeypatch)
    found = so.assess(data, advice=False)
    assert found.plan == expected.plan
    assert found.plan.sensitive == ("religion", "hiv", "income")
    assert found.plan.with_role("direct-identifier") == ("mail",)
    assert found.unexplained == expected.unexplained == ("q7",)
    assert found.guessed
    assert conclusions(found) == _close(conclusions(expected))


def _take_records_away(monkeypatch: pytest.MonkeyPatch) -> None:
    for engine in ("sql.counter.DatabaseCounter", "spark.counter.SparkCounter"):
        for name in ("fetch", "records"):
            monkeypatch.setattr(f"singleout.engines.{engine}.{name}", None)


def test_a_table_of_counts_is_noticed_everywhere_with_and_without_a_plan(
    there: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = list(product("fm", ["0-19", "20-64", "65+"], ["north", "south", "west"]))
    frame = pl.DataFrame(cells, schema=["sex", "age", "region"], orient="row").with_columns(
        population=pl.int_range(100, 100 + len(cells))
    )
    data = there(frame, "cells")
    _take_records_away(monkeypatch)
    known = {name: {"role": "quasi-identifier"} for name in ("sex", "age", "region")}
    for plan in (None, {"columns": known}):
        with pytest.raises(UnusableTable, match="Give --count population"):
            so.assess(data, plan)
    stated = {"columns": {**known, "population": {"role": "other"}}}
    assert so.assess(data, stated, advice=False).facts.rows == len(cells)


def test_there_is_nothing_to_assess_without_people(there: Put) -> None:
    with pytest.raises(UnusableTable, match="no rows"):
        so.assess(there(tables.empty(), "empty"), PLAN)
