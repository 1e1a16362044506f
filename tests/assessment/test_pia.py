"""The file for the PIA software of the CNIL: what its importer relies on, and the gauges."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from singleout.assessment.assess import assess
from singleout.assessment.report.pia import pia_export, pia_text
from singleout.assessment.result import Assessment

WHEN = datetime(2026, 3, 1, 12, tzinfo=UTC)
PAPER = Path(__file__).parent / "paper_table2.csv"
PLAN: dict[str, Any] = {
    "title": "Patients <b>2022</b>",
    "columns": {
        "Age": {"role": "quasi-identifier", "exposure": "EE"},
        "Admission Date": {"role": "quasi-identifier", "exposure": "IE"},
        "Country": {"role": "direct-identifier"},
        "Disease": {"role": "sensitive", "moral": 4, "values": {"Colds": 1}},
    },
}


@pytest.fixture(scope="module")
def found() -> Assessment:
    return assess(PAPER, PLAN)


@pytest.fixture(scope="module")
def exported(found: Assessment) -> dict[str, Any]:
    return pia_export(found, WHEN)


def answers(exported: dict[str, Any]) -> dict[int, dict[str, Any]]:
    return {answer["reference_to"]: answer["data"] for answer in exported["answers"]}


def test_it_has_what_the_importer_goes_through(exported: dict[str, Any]) -> None:
    # importData of pia.service.ts reads these five, the last four as lists
    assert list(exported) == ["pia", "answers", "measures", "evaluations", "comments"]
    assert all(isinstance(exported[part], list) for part in list(exported)[1:])
    pia = exported["pia"]
    assert pia["status"] == 0  # work in progress
    assert {"name", "author_name", "evaluator_name", "validator_name", "category"} <= set(pia)
    assert pia["created_at"] == "2026-03-01T12:00:00.000Z"


def test_answers_have_the_numbers_of_questions_and_the_three_kinds_of_data(
    exported: dict[str, Any],
) -> None:
    assert [answer["reference_to"] for answer in exported["answers"]] == [
        121, 321, 322, 323, 325, 326,
    ]  # fmt: skip
    for answer in exported["answers"]:
        assert set(answer["data"]) == {"text", "gauge", "list"}
        assert isinstance(answer["reference_to"], int)  # it is looked up by this number
        assert all(isinstance(item, str) for item in answer["data"]["list"])
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", answer["created_at"])
    lists = [q for q, data in answers(exported).items() if data["list"]]
    assert lists == [321, 322, 323]


def test_the_gauges_are_severity_and_exploitability_of_the_worst_row(
    found: Assessment, exported: dict[str, Any]
) -> None:
    data = answers(exported)
    assert (data[325]["gauge"], data[326]["gauge"]) == (4, 4)
    assert (data[325]["gauge"], data[326]["gauge"]) == (
        found.severity,
        found.exploitability,
    )
    assert all(data[question]["gauge"] is None for question in (121, 321, 322, 323))


def test_lower_levels_give_lower_gauges() -> None:
    plan = {
        "columns": {
            "age": {"role": "quasi-identifier", "exposure": "IR"},
            "answer": {"role": "sensitive", "moral": 2},
        },
    }
    people = {"age": [1, 1, 2, 2] * 5, "answer": list("xyxy") * 5}  # age tells nothing
    data = answers(pia_export(assess(people, plan), WHEN))
    assert (data[325]["gauge"], data[326]["gauge"]) == (2, 1)
    assert "People outside" not in " ".join(data[323]["list"])


def test_a_name_in_the_data_makes_an_attack_very_easy() -> None:
    plan = {
        "columns": {
            "name": {"role": "direct-identifier"},
            "age": {"role": "quasi-identifier", "exposure": "IR"},
            "answer": {"role": "sensitive", "moral": 4},
        },
        "methods": {"discrimination": {"variant": "mutual-information"}},
    }
    people = {"name": list("abcd"), "age": [1, 1, 2, 2], "answer": list("xyxy")}
    data = answers(pia_export(assess(people, plan), WHEN))
    assert (data[325]["gauge"], data[326]["gauge"]) == (4, 4)
    assert "the data hold what identifies people directly" in data[326]["text"]


def test_impacts_threats_and_sources_are_said(exported: dict[str, Any]) -> None:
    data = answers(exported)
    assert data[321]["list"] == ["Disclosure of Disease: maximum impact (4 of 4)"]
    assert data[322]["list"][:2] == [
        "Very easy: who sees Country knows who it is",
        "Easy: who knows Age infers Disease",
    ]
    assert len(data[323]["list"]) == 2  # one exposure inside, one outside
    assert "SHA-256" in data[121]["text"]
    assert "Identify people directly: Country" in data[121]["text"]


def test_without_a_sensitive_column_the_threat_is_to_be_singled_out() -> None:
    plan = {"columns": {"age": {"role": "quasi-identifier", "exposure": "EE"}}}
    data = answers(pia_export(assess({"age": [1, 2, 3, 3]}, plan), WHEN))
    assert data[321]["list"] == ["Being identified: significant impact (3 of 4)"]
    assert data[322]["list"][0].endswith("who knows age singles people out")


def test_hostile_names_do_nothing_in_a_browser() -> None:
    evil = "<img src=x onerror=alert(1)>"
    plan = {
        "title": "<script>alert(1)</script>",
        "columns": {
            evil: {"role": "quasi-identifier", "exposure": "EE"},
            "\x1b[31m&lt;b&gt;": {"role": "sensitive", "moral": 3},
        },
    }
    people = {evil: [1, 2, 2, 3], "\x1b[31m&lt;b&gt;": list("xyxy")}
    text = pia_text(assess(people, plan), WHEN)
    exported = json.loads(text)
    shown = json.dumps(exported, ensure_ascii=False)
    assert "<img" not in shown
    assert "<script" not in shown
    assert "\x1b" not in shown
    assert "&lt;b" not in " ".join(answers(exported)[321]["list"])  # nor once it is unescaped
    assert set(re.findall(r"<[^>]*>", shown)) == {"<p>", "</p>"}


def test_the_same_assessment_gives_the_same_file(
    found: Assessment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1772366400")
    assert pia_text(found) == pia_text(found, WHEN)


def test_an_assessment_gives_it_and_writes_it(found: Assessment, tmp_path: Path) -> None:
    path = tmp_path / "pia.json"
    assert found.pia(path, when=WHEN) == pia_export(found, WHEN)
    assert path.read_bytes().decode() == pia_text(found, WHEN)


def helps(found: Assessment) -> list[str]:
    text = answers(pia_export(found, WHEN))[326]["text"]
    return [part for part in re.findall(r"<p>(.*?)</p>", text) if ": " in part and "lower" in part]


def test_only_what_lowers_the_level_is_said_to_lower_it() -> None:
    plan = {"columns": {name: one for name, one in PLAN["columns"].items() if name != "Country"}}
    found = assess(PAPER, plan)
    assert found.actions
    said = " ".join(helps(found))
    for action in found.actions[:3]:
        assert action.before is not None
        assert action.after is not None
        claimed = f"Would lower it: {action.what.replace(chr(39), '&#x27;')}" in said
        assert claimed == (action.after.level < action.before.level)


def test_names_that_leave_the_level_as_it_is_are_not_said_to_lower_it(found: Assessment) -> None:
    assert found.findings.without_names == found.level
    said = helps(found)
    assert not any(part.startswith("Would lower it: Remove") for part in said)
    assert any(part.startswith("Comes first, and does not lower it alone") for part in said)
