"""report.json: what it holds, and that it is what its published schema says."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from singleout import __version__
from singleout.assessment.assess import assess
from singleout.assessment.plan.demo import demo_plan
from singleout.assessment.report.json import (
    FORMAT,
    report_json,
    report_json_text,
    report_schema,
    report_schema_text,
)
from singleout.assessment.result import Assessment
from singleout.errors import BadChoice, UnreadableFile
from singleout.io.demo import demo

WHEN = datetime(2026, 3, 1, 12, tzinfo=UTC)
PUBLISHED = Path(__file__).resolve().parents[2] / "docs" / "reference" / "report.schema.json"
PAPER = Path(__file__).parent / "paper_table1.csv"
PLAN: dict[str, Any] = {
    "columns": {
        "Age": {"role": "quasi-identifier", "exposure": "EE"},
        "Gender": {"role": "quasi-identifier", "exposure": "EE"},
        "Country": {"role": "direct-identifier"},
        "Disease": {"role": "sensitive", "moral": 4},
    },
    "policy": {"k": 2},
}


def problems(report: Any) -> list[str]:
    return [error.message for error in Draft202012Validator(report_schema()).iter_errors(report)]


@pytest.fixture(scope="module")
def found() -> Assessment:
    return assess(PAPER, PLAN)


@pytest.fixture(scope="module")
def demo_report() -> dict[str, Any]:
    text = report_json_text(assess(demo(), demo_plan()), WHEN)
    report: dict[str, Any] = json.loads(text)
    return report


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(report_schema())


def test_the_published_schema_is_that_of_the_code() -> None:
    assert PUBLISHED.read_text(encoding="utf-8") == report_schema_text()


def test_the_report_of_the_demo_is_what_the_schema_says(demo_report: dict[str, Any]) -> None:
    assert problems(demo_report) == []
    assert demo_report["qar"] is not None
    assert demo_report["suda"] is not None
    assert (demo_report["format"], demo_report["singleout"]) == (FORMAT, __version__)
    assert demo_report["made"] == "2026-03-01T12:00:00Z"


@pytest.mark.parametrize(
    ("data", "plan"),
    [
        (PAPER, PLAN),
        # no sensitive column, no policy, too few columns for QaR
        ({"age": [1, 2, 2]}, {"columns": {"age": {"role": "quasi-identifier"}}}),
        # nothing but the ratings
        (
            {"age": [1, None, 2], "x": list("aab")},
            {
                "missing": "wildcard",
                "columns": {
                    "age": {"role": "quasi-identifier", "exposure": "IE"},
                    "x": {"role": "sensitive", "moral": 1},
                },
                "methods": {"suda": {"enabled": False}, "qar": {"enabled": False}},
            },
        ),
        ({"age": [20, 30, 30, 40], "sex": list("mfmf"), "diagnosis": list("abab")}, None),
    ],
    ids=["paper", "identity", "wildcard", "guessed"],
)
def test_every_kind_of_result_is_what_the_schema_says(data: Any, plan: Any) -> None:
    assert problems(json.loads(report_json_text(assess(data, plan)))) == []


def test_the_schema_refuses_what_is_wrong(demo_report: dict[str, Any]) -> None:
    def broken(**changes: Any) -> dict[str, Any]:
        return {**deepcopy(demo_report), **changes}

    assert problems(broken(level=5))
    assert problems(broken(format=1))
    assert problems(broken(level_name="High"))
    assert problems(broken(rows=[]))
    assert problems(broken(met="yes"))
    assert problems(broken(made="yesterday"))
    without = broken()
    del without["verdict"]
    assert problems(without)
    row = broken()
    row["rows"][0]["rate"] = 1.5
    assert problems(row)


def test_it_says_what_was_found_and_what_is_accepted(found: Assessment) -> None:
    report = report_json(found, WHEN)
    assert report["level"] == found.level
    assert report["met"] is False
    assert report["table"]["sha256"] == found.facts.sha256
    assert len(report["rows"]) == len(found.ratings)
    assert report["plan"]["policy"]["k"] == 2


def test_it_holds_the_tables_of_the_paper_and_of_regulators(found: Assessment) -> None:
    report = report_json(found, WHEN)
    assert report["inference_bounds"] == [0.25, 0.5, 0.75]
    assert report["told"] == found.told().to_dicts()
    disease = {"column": "Disease", "bodily": None, "material": None, "moral": 4, "severity": 4}
    assert report["impacts"] == {"attributes": [disease], "values": []}
    assert report["regulators"] == found.regulators().to_dicts()
    assert report["exposure"] is None


def test_it_holds_impacts_by_value_bounds_and_what_a_disclosure_could_cost() -> None:
    plan = deepcopy(PLAN)
    plan["columns"]["Disease"]["values"] = {"HIV": 4, "Colds": 1}
    plan["matrices"] = {"inference": [0.1, 0.2, 0.3]}
    plan["methods"] = {"qar": {"size": 2, "cost_per_record": 100, "probability": 0.5}}
    cost = assess(PAPER, plan)
    report = json.loads(report_json_text(cost, WHEN))
    assert problems(report) == []
    assert report["inference_bounds"] == [0.1, 0.2, 0.3]
    assert report["impacts"]["values"] == [
        {"column": "Disease", "value": "HIV", "severity": 4},
        {"column": "Disease", "value": "Colds", "severity": 1},
    ]
    assert cost.exposure is not None
    assert report["exposure"]["tail_loss"] == 100 * cost.exposure.tail_records
    assert report["suda"]["set_contributions"][0]["columns"]


def test_an_assessment_gives_it_and_writes_it(found: Assessment, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    assert found.report_json(path, when=WHEN) == found.report_json(when=WHEN)
    assert path.read_bytes().decode() == report_json_text(found, WHEN)


@pytest.mark.parametrize("write", [Assessment.report_json, Assessment.pia])
def test_a_file_that_cannot_be_the_report_is_refused_in_a_sentence(
    write: Callable[..., Any], found: Assessment, tmp_path: Path
) -> None:
    data = tmp_path / "data.csv"
    data.write_text("age\n1\n")
    with pytest.raises(
        BadChoice, match=r"cannot be written as 'data\.csv'; end the name in \.json"
    ):
        write(found, data)
    assert data.read_text() == "age\n1\n"
    with pytest.raises(UnreadableFile, match="There is no folder"):
        write(found, tmp_path / "nowhere" / "report.json")


def test_it_holds_no_value_of_a_record_nor_of_an_identifier(found: Assessment) -> None:
    text = report_json_text(found, WHEN)
    for value in ("Nigeria", "Cameroon", "2019-09-21"):
        assert value not in text
