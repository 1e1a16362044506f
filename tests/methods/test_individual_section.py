"""Individual risk in an assessment: a section where the plan has weights, none where it has not."""

from __future__ import annotations

import json
from typing import Any

import pytest

import singleout as so
from singleout.assessment.report.content import report_of
from singleout.methods.individual.section import METHOD, IndividualPlan
from singleout.methods.method import Measured

DATA: dict[str, list[Any]] = {
    "A": [2, 3, 2, 2, 3, 3, 1, 2],
    "B": [3, 3, 3, 3, 3, 3, 4, 3],
    "C": [1, 3, 1, 2, 1, 1, 1, 1],
    "w": [18.0, 45.5, 39.0, 17.0, 92.0, 8.0, 123.5, 0.5],
    "home": [1, 1, 2, 2, 3, 3, 4, None],
}


def assessed(*, weights: bool = True, **options: Any) -> so.Assessment:
    known = {"role": "quasi-identifier", "exposure": "EE"}
    columns: dict[str, Any] = dict.fromkeys("ABC", known) | {"home": {"role": "household"}}
    columns["w"] = {"role": "weight" if weights else "other"}
    plan = {"columns": columns, "methods": {"individual": options}}
    return so.assess(so.read(DATA), plan)


def section_of(found: so.Assessment) -> Any:
    return {section.name: section for section in report_of(found).sections}.get("individual")


def test_a_plan_with_weights_adds_the_individual_risk() -> None:
    found = assessed()
    expected = so.individual_risk(DATA, ["A", "B", "C"], "w", "home")
    plain = json.loads(found.to_json())["individual"]
    assert plain["expected"] == expected.expected
    assert plain["household"]["expected"] == expected.household_expected
    section = section_of(found)
    assert "of its household" in section.parts[0].text
    assert "(w)" in section.parts[1].text


def test_a_wanted_global_risk_says_which_records_must_be_treated() -> None:
    section = section_of(assessed(wanted="2 %"))
    assert "To have a global risk of 2%" in section.parts[1].text
    assert "not above 90%" in section_of(assessed(wanted=0.9)).parts[1].text


def test_without_weights_there_is_no_section() -> None:
    found = assessed(weights=False)
    assert section_of(found) is None
    assert json.loads(found.to_json())["individual"] is None


def test_a_method_that_is_switched_off_says_so() -> None:
    assert "switches it off" in section_of(assessed(enabled=False)).parts[0].text


def test_the_riskiest_records_are_shown_where_they_are_asked_for() -> None:
    result = so.individual_risk(DATA, ["A", "B", "C"], "w", "home")
    (table,) = METHOD.single_records(result, 3)
    assert len(table.rows) == 3
    assert table.rows[0][0] == str(int(result.risk.argmax()) + 1)
    assert METHOD.section(Measured(result), IndividualPlan()) is not None


def test_numbers_are_compared_before_and_after() -> None:
    result = so.individual_risk(DATA, ["A", "B", "C"], "w")
    values = {number.measure: number.value for number in METHOD.numbers(result)}
    assert values["individual_expected"] == pytest.approx(result.expected)
    assert values["individual_global"] == pytest.approx(result.global_risk)
