"""The gate: which policy counts, whether it is kept, and the one line that says why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from singleout.assessment.assess import assess
from singleout.assessment.gate import gate_line, read_policy, under_policy
from singleout.assessment.plan.plan import ReleasePolicy
from singleout.assessment.result import Assessment
from singleout.errors import BadChoice, SingleoutError, UnreadableFile

PEOPLE = {"age": [1, 1, 2, 2, 3], "disease": list("xyxyx")}
PLAN: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi-identifier", "exposure": "EE"},
        "disease": {"role": "sensitive", "moral": 4},
    },
}


@pytest.fixture(scope="module")
def found() -> Assessment:
    return assess(PEOPLE, PLAN)


def policy_file(folder: Path, text: str) -> Path:
    path = folder / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_special_uniques_and_dis_suda_can_be_limited() -> None:
    rows = {"a": [1, 1, 2, 2, 3], "b": [1, 1, 1, 2, 2], "disease": list("xyxyx")}
    known = {"role": "quasi-identifier", "exposure": "EE"}
    plan = {**PLAN, "columns": {"a": known, "b": known, "disease": PLAN["columns"]["disease"]}}
    stated = {**plan, "population": {"sampling_fraction": 0.1}}
    policy = ReleasePolicy(special_uniques=0.1, dis_suda=0.1)
    broken = under_policy(assess(rows, stated), policy)
    special, highest = broken.failures
    assert special.startswith("20.0% of the records are special uniques, or unique and undecided")
    assert highest.startswith("The highest DIS-SUDA is 0.")
    kept = under_policy(assess(rows, stated), ReleasePolicy(special_uniques=0.2, dis_suda=0.9))
    assert "special uniques and at most 20% are accepted" in str(gate_line(kept))
    assert "the highest DIS-SUDA is 0." in str(gate_line(kept))
    without = under_policy(assess(rows, plan), policy)
    assert any("state the sampling fraction" in failure for failure in without.failures)
    off = under_policy(assess(rows, {**stated, "methods": {"suda": {"enabled": False}}}), policy)
    assert any("switch suda on" in failure for failure in off.failures)


def test_a_search_for_treatments_keeps_limits_of_suda_by_way_of_unique_records() -> None:
    policy = ReleasePolicy(special_uniques=0.02, k=3)
    assert policy.through_unique_share == ReleasePolicy(unique_share=0.02, k=3)
    assert ReleasePolicy(dis_suda=0.2).through_unique_share == ReleasePolicy(unique_share=0)
    assert ReleasePolicy(k=3).through_unique_share == ReleasePolicy(k=3)
    with pytest.raises(BadChoice, match="accepts everything"):
        read_policy({"dis_suda": 1})


# ---- reading


def test_a_policy_is_a_file_with_what_is_accepted(tmp_path: Path) -> None:
    path = policy_file(tmp_path, "highest_risk: 2\nk: 5\nunique_share: 1 %\n")
    assert read_policy(path) == ReleasePolicy(highest_risk=2, k=5, unique_share=0.01)
    assert read_policy(str(path)) == read_policy({"highest_risk": 2, "k": 5, "unique_share": 0.01})
    assert read_policy(ReleasePolicy(k=3)) == ReleasePolicy(k=3)


def test_the_policy_of_a_whole_plan_is_taken_as_well(tmp_path: Path) -> None:
    text = "columns:\n  age: {role: quasi-identifier}\npolicy:\n  k: 7\n"
    assert read_policy(policy_file(tmp_path, text)) == ReleasePolicy(k=7)
    wrong = policy_file(tmp_path, "title: x\npolicy:\n  k: 7\n  kk: 3\n")
    with pytest.raises(BadChoice, match=r"policy\.yaml, line 4: 'kk'"):
        read_policy(wrong)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("k: 3\nuniqueshare: 0.1\n", "line 2: 'uniqueshare' is not known here"),
        ("k: 0\n", "line 1"),
        ("highest_risk: 9\n", "line 1"),
        ("unique_share: 3\n", "line 1"),
        ("k: [1]\n", "line 1"),
        ("- k\n", "policy.yaml"),
        ("{}\n", "the policy asks for nothing; give at least one of highest_risk, k, unique_share"),
        ("policy: {}\n", "asks for nothing; give at least one of highest_risk, k, unique_share"),
        ("k:\n", "line 1: 'k' has no value; give one, or leave it out."),
        ("k: 3\nunique_share: ~\n", "line 2: 'unique_share' has no value; give one"),
        ("k: 1\n", "line 1: the policy accepts everything: no data exceed k: 1; give highest_risk"),
        ("highest_risk: Critical\nk: 1\nunique_share: 100 %\nrecords_at_risk: 1.0\n", "everything"),
        ("", "is empty"),
        ("k: 'x", "this is not YAML"),
    ],
)
def test_a_policy_that_cannot_be_used_is_refused_in_a_sentence(
    tmp_path: Path, text: str, sentence: str
) -> None:
    with pytest.raises(SingleoutError) as refusal:
        read_policy(policy_file(tmp_path, text))
    assert sentence in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_policy_that_is_not_there_or_nothing_of_the_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="cannot be read"):
        read_policy(tmp_path / "none.yaml")
    with pytest.raises(BadChoice, match="cannot be made of a int"):
        read_policy(3)  # type: ignore[arg-type]


def test_a_policy_that_no_data_could_break_is_refused_in_python_too() -> None:
    for vacuous in (
        ReleasePolicy(),
        ReleasePolicy(k=1),
        {},
        {"k": None},
        {"highest_risk": 4, "k": 1},
    ):
        with pytest.raises(BadChoice, match=r"asks for nothing|accepts everything"):
            read_policy(vacuous)
    assert read_policy({"k": 1, "unique_share": 0.5}) == ReleasePolicy(k=1, unique_share=0.5)


# ---- judging


def test_without_a_policy_there_is_nothing_to_say(found: Assessment) -> None:
    assert found.met is None
    assert gate_line(found) is None


@pytest.mark.parametrize(
    ("policy", "met", "line"),
    [
        (
            {"k": 1, "unique_share": 0.2},
            True,
            "The policy is met: k is 1 and at least 1 is asked for; 20.0% of the records are "
            "unique and at most 20% are accepted; 5 of 5 records (100%) are at severe or critical "
            "risk, which the policy does not limit.",
        ),
        (
            {"highest_risk": 4, "unique_share": 0.2, "records_at_risk": 1},
            True,
            "The policy is met: the risk is 4 Critical and at most 4 Critical is accepted; 20.0% "
            "of the records are unique and at most 20% are accepted; 5 of 5 records (100%) are at "
            "severe or critical risk and at most 100% are accepted.",
        ),
        (
            {"records_at_risk": "1 %"},
            False,
            "The policy is not met: 5 of 5 records (100%) are at severe or critical risk; at most "
            "1% are accepted.",
        ),
        (
            {"unique_share": 0.19},
            False,
            "The policy is not met: 20.0% of the records are unique; at most 19% are accepted.",
        ),
        (
            {"highest_risk": 3, "k": 2},
            False,
            "The policy is not met: The risk is 4, Critical; at most 3, Severe, is accepted. k is "
            "1: some combination of the quasi-identifiers is shared by 1 record only; at least 2 "
            "must share each.",
        ),
    ],
)
def test_one_line_says_whether_and_why(
    found: Assessment, policy: dict[str, Any], met: bool, line: str
) -> None:
    judged = under_policy(found, read_policy(policy))
    assert judged.met is met
    assert gate_line(judged) == line
    assert found.met is None  # the assessment itself stays as it was


def test_the_policy_of_the_file_stands_in_place_of_the_plan_s_own() -> None:
    strict = assess(PEOPLE, {**PLAN, "policy": {"k": 5}})
    assert strict.met is False
    lenient = under_policy(strict, ReleasePolicy(k=1))
    assert lenient.met is True
    assert lenient.verdict.endswith("The policy is met.")


def test_records_that_nobody_looked_at_are_not_accepted() -> None:
    people = {"age": [1, 1, 1, None, None], "disease": list("xxxxy")}
    found = assess(people, {**PLAN, "missing": "drop", "policy": {"k": 3, "unique_share": 0}})
    assert found.anonymity.k == 3
    assert found.met is False
    assert found.failures == (
        "2 of 5 records lack a value and were left out, so that nothing is known about them; let "
        "missing be a value, or take these records out of the data.",
    )
    assert "2 of 5 records" in str(gate_line(found))
    complete = {"age": [1, 1, 1], "disease": list("xxx")}
    assert assess(complete, {**PLAN, "missing": "drop", "policy": {"k": 3}}).met is True


def test_few_records_at_high_risk_in_a_harmless_crowd_are_said_and_can_be_refused() -> None:
    people = {
        "age": [30, 40] * 500 + list(range(100, 110)),
        "disease": ["flu"] * 500 + ["colds"] * 500 + ["hiv"] * 10,
    }
    plan = {
        "columns": {
            "age": {"role": "quasi-identifier", "exposure": "EE"},
            "disease": {"role": "sensitive", "moral": 4, "values": {"flu": 1, "colds": 1}},
        },
        "policy": {"highest_risk": 2},
    }
    found = assess(people, plan)
    assert (found.level, found.highest, found.met) == (1, 4, True)
    assert "10 of 1,010 records (0.99%) are at severe or critical risk." in found.verdict
    assert "10 of 1,010 records" in str(gate_line(found))
    assert under_policy(found, ReleasePolicy(records_at_risk=0.001)).met is False
    assert under_policy(found, ReleasePolicy(records_at_risk=0.01)).met is True
