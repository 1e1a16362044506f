"""A sequence of changes that reaches a policy, confirmed by assessing the changed table."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import singleout as so
from singleout.assessment.advice.effect import effect_of
from singleout.assessment.advice.gauge import Gauge
from singleout.assessment.advice.rungs import Rungs
from singleout.assessment.guess.warnings import ordered_columns, taken_as_codes
from singleout.assessment.plan.demo import demo_plan
from singleout.assessment.rating.question import question_of
from singleout.assessment.rating.records import certain_risks
from singleout.assessment.rating.rows import RatingCache, rate_by_certainty
from singleout.assessment.result import Assessment

SHARED = Path(__file__).parents[3] / "shared" / "data"
QUICK: dict[str, Any] = {
    "qar": {"enabled": False},
    "contributions": {"enabled": False},
    "suda": {"enabled": False},
    "attackers": {"enabled": False},
    "attributes": {"enabled": False},
    "individual": {"enabled": False},
    "diversity": {"enabled": False},
    "population_uniqueness": {"enabled": False},
}
POLICY = {"highest_risk": 2, "k": 3, "unique_share": "1 %"}


def confirmed(found: Assessment) -> Assessment:
    """The assessment of the changed table by the same plan."""
    assert found.remedy is not None
    table, plan = found.remedy.table, found.plan.to_dict()
    columns = {name: says for name, says in plan["columns"].items() if name in table.columns}
    return so.assess(table, {"columns": columns, "methods": QUICK, "policy": POLICY}, advice=False)


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data")
def test_the_policy_is_reached_on_adult() -> None:
    known = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]
    columns: dict[str, Any] = {
        name: {"role": "quasi-identifier", "exposure": "EE"} for name in [*known, "occupation"]
    }
    columns["salary-class"] = {"role": "sensitive", "material": 3}
    plan = {"columns": columns, "methods": QUICK, "policy": POLICY}
    found = so.assess(SHARED / "adult.csv", plan)
    assert found.met is False
    assert found.remedy is not None
    assert found.remedy.reached
    assert 0 < found.remedy.loss < 1
    assert confirmed(found).met is True
    assert len(found.remedy.sentences) <= len(columns)


def test_the_policy_is_reached_on_the_demo() -> None:
    plan = demo_plan()
    weightless = plan.model_copy(update={"methods": so.Plan.of({"methods": QUICK}).methods})
    data = Path(so.__file__).parent / "demo_data" / "ma2019.csv"
    found = so.assess(data, weightless)
    assert found.met is False
    assert found.remedy is not None
    assert found.remedy.reached
    assert (found.remedy.after.level, found.remedy.after.k) == (2, 3)
    changed = confirmed(found)  # the table has the weights, so that the population stays
    assert changed.anonymity.k == found.remedy.after.k
    assert changed.level == found.remedy.after.level
    assert changed.record_risks.at_risk == found.remedy.after.at_risk
    assert changed.met is True


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared/data")
def test_the_policy_is_reached_on_census_income() -> None:
    table = so.read(SHARED / "census_income_kdd_299285.csv.gz")
    columns = so.guessed_plan(table).plan.to_dict()["columns"]
    plan = {"columns": columns, "methods": QUICK, "policy": POLICY}
    found = so.assess(table, plan)
    assert found.met is False
    assert found.remedy is not None
    assert found.remedy.reached
    # where one was born tells the origin, so that it is not enough to make sets larger
    telling = {"PENATVTY", "PEFNTVTY", "PEMNTVTY"}
    (left_out,) = [step for step in found.remedy.sentences if step.startswith("Leave out")]
    assert all(f"'{name}'" in left_out for name in telling)
    changed = confirmed(found)
    assert changed.met is True
    assert changed.anonymity.k == found.remedy.after.k
    assert changed.facts.rows == found.facts.rows - found.remedy.removed


@pytest.mark.parametrize("many", [1, 1_000_000])
@pytest.mark.parametrize("stated", [{}, {"weights": "stands_for"}, {"sampling_fraction": 0.1}])
def test_equal_records_are_rated_as_they_are_one_by_one(
    stated: dict[str, Any], many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singleout.assessment.advice.gauge._MANY", many)
    chance = np.random.default_rng(5)
    people: dict[str, Any] = {
        "age": chance.integers(20, 26, 900),
        "sex": chance.integers(0, 2, 900),
        "town": chance.integers(0, 3, 900),
        "income": chance.integers(0, 60, 900),
        "ill": chance.choice(["none", "flu", "HIV"], 900, p=[0.7, 0.25, 0.05]),
        "stands_for": chance.integers(1, 40, 900),
    }
    columns: dict[str, Any] = {
        "age": {"role": "quasi-identifier", "exposure": "EE"},
        "sex": {"role": "quasi-identifier", "exposure": "ER"},
        "town": {"role": "quasi-identifier", "exposure": "IE"},
        "income": {"role": "sensitive", "material": 3},
        "ill": {"role": "sensitive", "moral": 4, "values": {"none": 1}},
    }
    plan = so.Plan.of({"columns": columns, "population": stated, "combinations": {"x": ["sex"]}})
    question, _ = question_of(so.read(people), plan)
    kept = chance.random(900) < 0.9
    for rated in (None, kept):
        alone = question if rated is None else question.of_records(rated)
        pairs = rate_by_certainty(alone, RatingCache(), only_deciding=True).pairs
        numbers = np.arange(alone.table.rows)
        risks = certain_risks(alone, [one for one, _ in pairs], numbers)
        found = Gauge(question, RatingCache(), unique_share=0.0)(question, rated)
        assert found.counts is not None  # they were taken together
        assert asdict(found.effect) == pytest.approx(asdict(effect_of(alone, risks)), abs=1e-12)
        assert (found.mask(found.risk >= 3) == risks.at_risk_mask).all()


@pytest.mark.parametrize("many", [1, 1_000_000])
@pytest.mark.parametrize("stated", [{}, {"weights": "stands_for"}, {"sampling_fraction": 0.1}])
def test_a_coarse_table_is_rated_the_same_after_equal_records_were_taken_together(
    stated: dict[str, Any], many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singleout.assessment.advice.gauge._MANY", many)
    chance = np.random.default_rng(6)
    people: dict[str, Any] = {
        "age": chance.integers(20, 60, 900),
        "sex": chance.integers(0, 2, 900),
        "town": chance.integers(0, 3, 900),
        "income": chance.integers(0, 600, 900),
        "ill": chance.choice(["none", "flu", "HIV"], 900, p=[0.7, 0.25, 0.05]),
        "stands_for": chance.integers(1, 40, 900),
    }
    columns: dict[str, Any] = {
        "age": {"role": "quasi-identifier", "exposure": "EE"},
        "sex": {"role": "quasi-identifier", "exposure": "ER"},
        "town": {"role": "quasi-identifier", "exposure": "IE"},
        "income": {"role": "sensitive", "material": 3},
        "ill": {"role": "sensitive", "moral": 4, "values": {"none": 1}},
    }
    plan = so.Plan.of({"columns": columns, "population": stated})
    question, _ = question_of(so.read(people), plan)
    rungs = Rungs(question, frozenset({"age"}))
    gauge = Gauge(question, RatingCache(), unique_share=0.0)
    kept = chance.random(900) < 0.9
    states, to_come = [], []
    for name in ("age", "town", "age", "age", "sex"):
        rungs.move(name, 1)
        states.append(rungs.question())
        to_come.append(list(rungs.to_come()))
    for number, state in enumerate(states):
        gauge.narrow(state, to_come[number])
        for coarser in states[number:]:
            for rated in (None, kept):
                plain = Gauge(question, RatingCache())(coarser, rated)
                found = gauge(coarser, rated)
                assert asdict(found.effect) == pytest.approx(asdict(plain.effect), abs=1e-12)
                for at_least in (2, 3, 4):
                    mine, other = found.risk >= at_least, plain.risk >= at_least
                    assert (found.mask(mine) == plain.mask(other)).all()
    gauge.widen()
    plain = Gauge(question, RatingCache())(question)
    assert asdict(gauge(question).effect) == pytest.approx(asdict(plain.effect), abs=1e-12)


def test_the_policy_is_reached_if_one_column_reaches_it() -> None:
    chance = np.random.default_rng(3)
    ill = chance.choice(["none", "flu", "HIV"], 500, p=[0.6, 0.3, 0.1])
    people = {f"told{number}": ill for number in range(12)} | {
        "sex": chance.choice(["m", "f"], 500),
        "ill": ill,
    }
    known: dict[str, Any] = {"role": "quasi-identifier", "exposure": "EE"}
    columns = dict.fromkeys([name for name in people if name != "ill"], known)
    columns["ill"] = {"role": "sensitive", "moral": 4}
    plan = {"columns": columns, "methods": QUICK, "policy": POLICY}
    found = so.assess(people, plan)
    assert found.remedy is not None
    assert found.remedy.reached
    assert [name for name in found.remedy.table.columns if name != "ill"] == ["sex"]
    assert confirmed(found).met is True


def crowd() -> dict[str, list[Any]]:
    chance = np.random.default_rng(2)
    return {
        "born": [
            f"{year}-{month:02}-{day:02}"
            for year, month, day in zip(
                chance.integers(1950, 1954, 600),
                chance.integers(1, 13, 600),
                chance.integers(1, 29, 600),
                strict=True,
            )
        ],
        "ill": chance.choice(["none", "flu", "HIV"], 600, p=[0.7, 0.25, 0.05]).tolist(),
    }


PLAN: dict[str, Any] = {
    "columns": {
        "born": {"role": "quasi-identifier", "exposure": "EE"},
        "ill": {"role": "sensitive", "moral": 4, "values": {"none": 1}},
    },
    "methods": QUICK,
}


def test_a_birth_date_is_coarsened_before_it_is_left_out() -> None:
    people = {**crowd(), "sex": ["m", "f"] * 300}
    columns = {**PLAN["columns"], "sex": {"role": "quasi-identifier", "exposure": "EE"}}
    found = so.assess(people, {**PLAN, "columns": columns})
    kinds = [action.kind for action in found.actions if action.column == "born"]
    assert kinds.index("coarsen") < kinds.index("drop")


def test_nothing_is_proposed_that_puts_more_records_at_risk() -> None:
    found = so.assess(crowd(), PLAN)
    for action in found.actions:
        assert action.before is not None
        assert action.after is not None
        assert action.after.at_risk <= action.before.at_risk
        assert action.after.level <= action.before.level


def test_a_table_that_keeps_its_policy_needs_no_sequence() -> None:
    people = {"born": ["1950", "1951"] * 300, "ill": ["none", "none", "flu", "flu"] * 150}
    assert so.assess(people, {**PLAN, "policy": {"k": 3}}).remedy is None


def test_what_cannot_be_reached_is_said_with_what_is_nearest() -> None:
    people = {"born": ["1950", "1951"] * 3, "ill": ["HIV"] * 6}
    found = so.assess(people, {**PLAN, "policy": {"k": 100}})
    assert found.remedy is not None
    assert not found.remedy.reached
    assert str(found.remedy).startswith("None of the changes that were tried reaches it.")


def test_advice_can_be_left_out(tmp_path: Path) -> None:
    found = so.assess(crowd(), {**PLAN, "policy": {"k": 3}}, advice=False)
    assert (found.actions, found.remedy) == ((), None)
    found.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "were not tried out, as was asked for" in page
    assert "No single change that was tried lowers the risk" not in page


def test_codes_are_merged_and_not_cut_into_intervals() -> None:
    data = Path(so.__file__).parent / "demo_data" / "ma2019.csv"  # without labels
    found = so.assess(data, demo_plan())
    for name in ("HISP", "RAC1P"):
        ways = [a.what for a in found.actions if a.column == name and a.kind == "coarsen"]
        assert all(way.startswith("Merge the") for way in ways)
    assert found.remedy is not None
    assert not any("values of 'HISP'" in step for step in found.remedy.sentences)
    (note,) = [note for note in found.notes if "are taken as codes" in note]
    assert "'HISP'" in note
    assert "'AGEP'" not in note


def test_numbers_that_count_or_are_years_keep_their_order() -> None:
    known: dict[str, Any] = {"role": "quasi-identifier", "exposure": "EE"}
    people = so.read(
        {
            "q17": [1, 2, 3, 4] * 5,
            "visits_days": [1, 2, 3, 4] * 5,
            "wave": [1990, 1991, 1992, 1993] * 5,
            "length": list(range(20)),
            "weighed": [1.5, 2.5, 3.5, 4.5] * 5,
            "said": [1, 2, 3, 4] * 5,
        }
    )
    columns = dict.fromkeys(people.columns, known) | {"said": {**known, "scale": "ordinal"}}
    plan = so.Plan.of({"columns": columns})
    assert "q17" in taken_as_codes(people, plan)
    assert {"visits_days", "wave", "weighed", "said"} <= set(ordered_columns(people, plan))
