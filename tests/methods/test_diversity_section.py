"""Diversity in an assessment: its part of the plan, of the report and of the comparison."""

from __future__ import annotations

from typing import Any

import pytest

import singleout as so
from singleout.errors import SingleoutError
from singleout.methods.diversity.section import METHOD
from singleout.report.content import Paragraph, ReportTable

PEOPLE = {
    "age": [30, 30, 30, 41, 41, 41, 50, 50],
    "sex": list("ffmmffmm"),
    "disease": ["flu", "flu", "cold", "flu", "cancer", "cold", "flu", "cold"],
    "visits": [1, 2, 1, 3, 2, 9, 1, 1],
}
PLAN: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi-identifier", "exposure": "EE"},
        "sex": {"role": "quasi-identifier", "exposure": "EE"},
        "disease": {"role": "sensitive", "moral": 3},
        "visits": {"role": "sensitive", "moral": 2},
    }
}


def assessed(plan: dict[str, Any] = PLAN, **options: Any) -> so.Assessment:
    methods = {"methods": {"diversity": options}} if options else {}
    return so.assess(PEOPLE, so.Plan(**plan, **methods))


def test_an_assessment_measures_every_sensitive_column_of_the_plan() -> None:
    found = assessed().measured["diversity"].result
    expected = so.diversity(PEOPLE, ["age", "sex"], ["disease", "visits"])
    assert found.to_dict() == expected.to_dict()
    section = METHOD.section(assessed().measured["diversity"], None)
    words, listed = section.parts[:2]
    assert isinstance(words, Paragraph)
    assert "4 of 8 records (50.0%) are in a class with one value of disease only" in words.text
    assert isinstance(listed, ReportTable)
    assert [row[0] for row in listed.rows] == ["disease", "visits"]


def test_a_plan_chooses_c_and_scales_or_leaves_it_out() -> None:
    visits = {**PLAN["columns"]["visits"], "scale": "nominal"}
    plan = {"columns": {**PLAN["columns"], "visits": visits}}
    found = assessed(plan, c=3).measured["diversity"].result
    assert (found.c, str(found.columns["visits"].scale)) == (3, "nominal")
    assert str(assessed().measured["diversity"].result.columns["visits"].scale) == "ordinal"
    assert assessed(enabled=False).measured["diversity"].result is None
    with pytest.raises(SingleoutError, match="c"):
        assessed(c=0)


def test_numbers_are_compared_before_and_after() -> None:
    found = assessed().measured["diversity"].result
    numbers = {number.measure: number for number in METHOD.numbers(found)}
    assert numbers["diversity_distinct_l"].value == 1
    assert numbers["diversity_distinct_l"].lower_is_better is False
    assert numbers["diversity_t"].value == found.t
    assert numbers["diversity_certain"].value == 0.5
