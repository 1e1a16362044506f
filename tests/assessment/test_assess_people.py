"""An assessment of rows that are events of people: what it says of people beside rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import singleout as so
from naive_people import rarest
from run_command import singleout
from singleout.errors import BadChoice, SingleoutError, UnusableColumn

# Zoe has three visits of equal age, so that three rows share a combination that is hers alone
VISITS = {
    "patient": ["zoe", "zoe", "zoe", "ann", "bob", "cid"],
    "age": ["80-89", "80-89", "80-89", "30-39", "30-39", "30-39"],
    "diagnosis": ["flu", "flu", "flu", "asthma", "flu", "flu"],
}
PLAN = {
    "unit": "patient",
    "columns": {
        "patient": {"role": "other"},
        "age": {"role": "quasi-identifier", "exposure": "EE"},
        "diagnosis": {"role": "sensitive", "moral": 3},
    },
}
CSV = "patient,age,diagnosis\n" + "".join(
    ",".join(row) + "\n" for row in zip(*VISITS.values(), strict=True)
)


def test_a_warning_says_that_rows_are_counted_and_what_holds_for_people() -> None:
    found = so.assess(VISITS, PLAN, advice=False)
    assert found.anonymity.k == 3
    assert found.people is not None
    assert (found.people.k, found.people.unique, found.people.records) == (1, 1, 4)
    assert found.warnings[-1] == (
        "The 6 rows are of 4 people by 'patient'. Levels, shares and k count rows here; of people, "
        "each by their rarest row, k is 1 and 1 (25.0%) can be singled out."
    )


def test_without_a_unit_nothing_is_said_of_people() -> None:
    found = so.assess(VISITS, {"columns": PLAN["columns"]}, advice=False)
    assert found.people is None
    assert found.warnings == ()


def test_a_policy_that_rows_keep_and_people_do_not_is_not_met() -> None:
    rows = {"columns": PLAN["columns"], "policy": {"k": 3, "unique_share": 0.1}}
    assert so.assess(VISITS, rows, advice=False).met is True
    found = so.assess(VISITS, rows, unit="patient", advice=False)
    assert found.met is False
    assert list(found.broken_limits) == ["k", "unique_share"]
    assert found.failures[0].startswith("k is 1 if people are counted")
    assert found.failures[1] == "25.0% of the people are unique; at most 10% are accepted."


def test_the_command_takes_the_unit_from_the_plan_or_the_option(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text(CSV)
    so.Plan.of({**PLAN, "policy": {"k": 2}}).write(tmp_path / "plan.yaml")
    words = ["assess", "visits.csv", "--no-advice", "--plan"]
    done = singleout(*words, "plan.yaml", cwd=tmp_path)
    assert done.returncode == 1
    assert "The 6 rows are of 4 people by 'patient'." in done.stdout
    so.Plan.of({"columns": PLAN["columns"], "policy": {"k": 2}}).write(tmp_path / "rows.yaml")
    assert singleout(*words, "rows.yaml", cwd=tmp_path).returncode == 0
    done = singleout(*words, "rows.yaml", "--unit", "patient", cwd=tmp_path)
    assert done.returncode == 1
    assert "The policy is not met: k is 1 if people are counted" in done.stdout
    done = singleout(*words, "rows.yaml", "--unit", "patinet", cwd=tmp_path)
    assert (done.returncode, "patinet" in done.stderr) == (2, True)


def test_a_database_counts_the_same_people(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text(CSV)
    found = so.assess(tmp_path / "visits.csv", PLAN, advice=False, engine="database")
    assert found.people is not None
    assert (found.people.k, found.people.unique, found.people.records) == (1, 1, 4)


def test_a_unit_that_makes_no_sense_is_refused() -> None:
    columns = {**PLAN["columns"], "patient": {"role": "quasi-identifier", "exposure": "EE"}}
    with pytest.raises(SingleoutError, match="cannot be a quasi-identifier too"):
        so.Plan.of({**PLAN, "columns": columns})
    with pytest.raises(SingleoutError, match="matches everything"):
        so.Plan.of({**PLAN, "missing": "wildcard"})
    with pytest.raises(SingleoutError, match="nobody"):
        so.assess({**VISITS, "nobody": [1] * 6}, {**PLAN, "unit": "nobdy"})
    with pytest.raises(BadChoice, match="cannot be a quasi-identifier too"):
        so.assess(VISITS, {"columns": columns}, unit="patient")
    with pytest.raises(UnusableColumn, match="missing in some records"):
        so.assess({**VISITS, "patient": [None, *VISITS["patient"][1:]]}, PLAN)


@settings(max_examples=15)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=2, max_size=9))
def test_people_are_those_of_the_naive_count(rows: list[tuple[str, str]]) -> None:
    data = {"patient": [p for p, _ in rows], "age": [a for _, a in rows]}
    plan = {
        "unit": "patient",
        "columns": {
            "patient": {"role": "other"},
            "age": {"role": "quasi-identifier", "exposure": "EE"},
        },
    }
    found = so.assess(data, plan, advice=False).people
    assert found is not None
    sizes = rarest([(age,) for _, age in rows], data["patient"])
    assert (found.k, found.unique, found.records) == (min(sizes), sizes.count(1), len(sizes))
