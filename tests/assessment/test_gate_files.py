"""JUnit and SARIF files of the gate: valid by their schemas, with the columns at fault."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
import xmlschema

from availability import cannot
from run_command import refused, singleout
from singleout.assessment.assess import assess
from singleout.assessment.gate import under_policy
from singleout.assessment.plan.plan import ReleasePolicy
from singleout.assessment.report.checks import checks_of, junit_text, sarif_text
from singleout.errors import BadChoice

HOSTILE = 'a<b>&"\x1b[31m'
PEOPLE = {
    "age": [1, 1, 2, 2, 3],
    HOSTILE: list("ppppq"),
    "disease": list("xyxyx"),
    "email": [f"p{n}@example.org" for n in range(5)],
}
KNOWN = {"role": "quasi-identifier", "exposure": "EE"}
PLAN: dict[str, Any] = {
    "columns": {
        "age": KNOWN,
        HOSTILE: KNOWN,
        "disease": {"role": "sensitive", "moral": 4},
        "email": {"role": "direct-identifier"},
    },
}
STRICT = ReleasePolicy(
    highest_risk=1, k=2, unique_share=0.1, records_at_risk=0, special_uniques=0.1
)


def schema(name: str) -> Path:
    path = Path(sys.prefix) / "schemas" / name
    if not path.is_file():
        cannot(f"needs {name}: sh scripts/fetch_schemas.sh {path.parent}")
    return path


def found(policy: ReleasePolicy) -> Any:
    return under_policy(assess(PEOPLE, PLAN, advice=False), policy)


@pytest.mark.parametrize("policy", [STRICT, ReleasePolicy(k=1)])
def test_a_sarif_file_is_valid_and_holds_every_failure(policy: ReleasePolicy) -> None:
    assessment = found(policy)
    log = json.loads(sarif_text(assessment, "some folder/people.csv"))
    jsonschema.validate(log, json.loads(schema("sarif-2.1.0.json").read_text("utf-8")))
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert {result["ruleId"] for result in run["results"]} == set(assessment.broken_limits)
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        place = result["locations"][0]["physicalLocation"]["artifactLocation"]
        assert place == {"uri": "some%20folder/people.csv", "index": 0}


@pytest.mark.parametrize("policy", [STRICT, ReleasePolicy(k=1)])
def test_a_junit_file_is_valid_and_counts_every_limit(policy: ReleasePolicy) -> None:
    assessment = found(policy)
    text = junit_text(assessment)
    xmlschema.XMLSchema(str(schema("jenkins-junit.xsd"))).validate(text)
    suite = ElementTree.fromstring(text.split("\n", 1)[1])[0]
    cases = [case.get("name") for case in suite.iter("testcase")]
    assert cases == [*policy.limits, "direct_identifiers", "dropped_records"]
    assert suite.get("failures") == str(len(assessment.failures))
    assert {broken.get("message") for broken in suite.iter("failure")} == set(assessment.failures)


def test_a_check_names_the_columns_by_which_it_fails() -> None:
    columns = {check.limit: check.columns for check in checks_of(found(STRICT))}
    assert columns["direct_identifiers"] == ("email",)
    assert set(columns["k"]) == set(columns["special_uniques"]) == {"age", HOSTILE}
    assert {"age", "disease"} <= set(columns["highest_risk"])
    assert columns["dropped_records"] == ()
    text = junit_text(found(STRICT)) + sarif_text(found(STRICT))
    assert "\x1b" not in text
    assert found(STRICT).broken_limits.keys() == {*STRICT.limits, "direct_identifiers"}
    assert "<b>" not in junit_text(found(STRICT))


def test_an_assessment_writes_both_files(tmp_path: Path) -> None:
    assessment = found(STRICT)
    assert assessment.junit(tmp_path / "j.xml") == (tmp_path / "j.xml").read_text("utf-8")
    written = assessment.sarif(tmp_path / "s.sarif", file="people.csv")
    assert written == (tmp_path / "s.sarif").read_text("utf-8")
    with pytest.raises(BadChoice, match=r"end the name in \.xml"):
        assessment.junit(tmp_path / "people.csv")


def test_without_a_policy_there_is_nothing_to_check() -> None:
    with pytest.raises(BadChoice, match="there is no policy"):
        junit_text(assess(PEOPLE, PLAN, advice=False))


def test_the_command_writes_both_files_and_says_how_to_set_a_policy(tmp_path: Path) -> None:
    rows = "\n".join(f"{age},{disease}" for age, disease in zip("11223", "xyxyx", strict=True))
    (tmp_path / "people.csv").write_text(f"age,disease\n{rows}\n")
    (tmp_path / "policy.yaml").write_text("k: 2\n")
    asked = ("assess", "people.csv", "--no-advice", "--junit", "j.xml", "--sarif", "s.sarif")
    assert "there is no policy" in refused(singleout(*asked, cwd=tmp_path))
    assert not (tmp_path / "j.xml").exists()
    done = singleout(*asked, "--policy", "policy.yaml", cwd=tmp_path)
    assert done.returncode == 1
    assert 'name="k"' in (tmp_path / "j.xml").read_text()
    result = json.loads((tmp_path / "s.sarif").read_text())["runs"][0]["results"][0]
    assert result["ruleId"] == "k"
    alone = singleout("assess", "people.csv", "--no-advice", cwd=tmp_path)
    assert "No policy is set" in alone.stdout
    assert "singleout assess people.csv --policy policy.yaml" in alone.stdout
