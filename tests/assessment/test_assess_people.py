"""An assessment of rows that are events of people: people are rated and counted, not rows."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_people as naive
import singleout as so
from run_command import singleout
from singleout.assessment import counted
from singleout.errors import BadChoice, SingleoutError, UnusableColumn

# Zoe has three visits of equal age, so that three rows share a combination that is hers alone
VISITS = {
    "patient": ["zoe", "zoe", "zoe", "ann", "bob", "cid"],
    "age": ["80-89", "80-89", "80-89", "30-39", "30-39", "30-39"],
    "diagnosis": ["flu", "flu", "flu", "asthma", "flu", "flu"],
}
PLAN: dict[str, Any] = {
    "unit": "patient",
    "columns": {
        "patient": {"role": "other"},
        "age": {"role": "quasi-identifier", "exposure": "EE"},
        "diagnosis": {"role": "sensitive", "moral": 3},
    },
}
ROWS = {"columns": PLAN["columns"]}
CSV = "patient,age,diagnosis\n" + "".join(
    ",".join(row) + "\n" for row in zip(*VISITS.values(), strict=True)
)
EVENT = st.tuples(
    st.integers(0, 4), st.sampled_from("xyz"), st.sampled_from("pq"), st.sampled_from("abc")
)


# ---- rows hide nobody from themselves


def test_the_verdict_counts_people_and_says_so() -> None:
    found = so.assess(VISITS, PLAN, advice=False)
    assert (found.level, found.anonymity.k, found.anonymity.unique) == (4, 1, 1)
    assert found.shares == {1: 0.0, 2: 0.0, 3: 0.75, 4: 0.25}
    assert "4 of 4 people (100%) are at severe or critical risk." in found.verdict
    assert found.verdict.endswith(
        "People are counted, not rows: the 6 rows are of 4 people, by patient, each rated by the "
        "worst of theirs."
    )
    assert found.people is not None
    assert (found.people.k, found.people.unique, found.people.records) == (1, 1, 4)
    rows = so.assess(VISITS, ROWS, advice=False)
    assert (rows.level, rows.anonymity.k, rows.people, rows.unit) == (3, 3, None, None)
    assert "people are counted" not in rows.verdict.lower()


def test_people_may_be_well_hidden_by_rows_and_not_by_people() -> None:
    # everybody has twenty visits of their own age: k of the rows is 20, and everybody is alone
    ages = [age for age in range(20, 40) for _ in range(20)]
    data = {"patient": ages, "age": ages, "diagnosis": ["flu"] * len(ages)}
    assert so.assess(data, ROWS, advice=False).level == 2
    assert so.assess(data, PLAN, advice=False).level == 4


def test_people_may_be_well_hidden_by_people_and_not_by_rows() -> None:
    # one of a hundred has fifty rows that nobody else has: a third of the rows, 1% of the people
    data = {
        "patient": [*range(99), *[99] * 50],
        "age": [*[30] * 99, *range(100, 150)],
        "diagnosis": ["flu"] * 149,
    }
    policy = {"tolerated": 0.05}
    rows = so.assess(data, {**ROWS, "policy": policy}, advice=False)
    people = so.assess(data, {**PLAN, "policy": policy}, advice=False)
    assert (rows.level, people.level, people.highest) == (4, 2, 4)
    assert "One person (1.0%) is at Critical (4 of 4)" in people.verdict


def test_who_is_found_by_one_record_is_found_with_all_of_them() -> None:
    # the rare visit of zoe says flu, and the other one, like that of many, says HIV
    others = 40
    data = {
        "patient": ["zoe", "zoe", *range(others)],
        "age": [99, *[30] * (others + 1)],
        "diagnosis": ["flu", *["HIV", "flu"] * (others // 2), "HIV"],
    }
    diagnosis = {"role": "sensitive", "moral": 4, "values": {"flu": 1}}
    plan = {**PLAN, "columns": {**PLAN["columns"], "diagnosis": diagnosis}}
    rows = so.assess(data, {"columns": plan["columns"]}, advice=False)
    assert rows.records["risk"][0] == 2
    found = so.assess(data, plan, advice=False)
    assert found.records["risk"][0] == found.records["risk"][1] == 4


@settings(max_examples=40, deadline=None)
@given(st.lists(EVENT, min_size=2, max_size=14))
def test_people_are_rated_as_by_the_naive_twin(events: list[tuple[Any, ...]]) -> None:
    who, age, town, ill = (list(column) for column in zip(*events, strict=True))
    severity = {"a": 1, "b": 2, "c": 4}
    given_ = {
        "unit": "who",
        "columns": {
            "age": {"role": "quasi-identifier", "exposure": "EE"},
            "town": {"role": "quasi-identifier", "exposure": "EE"},
            "ill": {"role": "sensitive", "moral": 4, "values": severity},
        },
    }
    plan = so.Plan.of(given_)
    found = so.assess({"who": who, "age": age, "town": town, "ill": ill}, plan, advice=False)
    known = list(zip(age, town, strict=True))
    expected = naive.risks(known, ill, who, naive.Rating(severity, plan, 4))
    assert found.records["risk"].to_list() == [expected[person] for person in who]
    levels = Counter(expected.values())
    assert found.record_risks.by_level == tuple(levels[level] for level in range(1, 5))
    sizes = naive.rarest(known, who)
    assert (found.findings.k, found.anonymity.unique) == (min(sizes), sizes.count(1))
    assert found.findings.rated == len(sizes)


def test_a_person_with_one_record_each_is_rated_as_a_record() -> None:
    data = {"patient": list(range(6)), **{name: VISITS[name] for name in ("age", "diagnosis")}}
    people, rows = (so.assess(data, plan, advice=False) for plan in (PLAN, ROWS))
    assert people.records.equals(rows.records)
    assert people.rows.equals(rows.rows)


# ---- populations and weights


def test_a_population_is_one_of_people() -> None:
    data = {"patient": [1, 1, 1, 2], "age": [30, 30, 30, 40], "diagnosis": ["flu"] * 4}
    found = so.assess(data, {**PLAN, "population": {"size": 20}}, advice=False)
    assert found.records["identity"].to_list() == [pytest.approx(0.1)] * 4
    weighted = {**data, "w": [5, 5, 5, 20]}
    plan = {**PLAN, "population": {"weights": "w"}}
    found = so.assess(weighted, plan, advice=False)
    assert found.records["identity"].to_list() == pytest.approx([0.2, 0.2, 0.2, 0.05])
    with pytest.raises(BadChoice, match="have different weights"):
        so.assess({**weighted, "w": [5, 6, 5, 20]}, plan, advice=False)


# ---- what follows from it


def test_a_policy_is_one_of_people() -> None:
    rows = {**ROWS, "policy": {"k": 3, "unique_share": 0.1}}
    assert so.assess(VISITS, rows, advice=False).met is True
    found = so.assess(VISITS, rows, unit="patient", advice=False)
    assert found.met is False
    assert list(found.broken_limits) == ["k", "unique_share"]
    assert found.failures[0].startswith("k is 1 if people are counted")
    assert found.failures[1] == "25.0% of the people are unique; at most 10% are accepted."


def test_the_advice_takes_all_records_of_a_person_out() -> None:
    patients = [*range(300), "zoe", "zoe"]
    data = {
        "patient": list(map(str, patients)),
        "age": [*[30 + n % 3 for n in range(300)], 99, 98],
        "diagnosis": [*["flu", "asthma"] * 150, "flu", "flu"],
    }
    found = so.assess(data, PLAN)
    action = next(one for one in found.actions if str(one.kind) == "remove-records")
    assert action.what.startswith("Look at the person at the highest risk")
    assert action.after is not None
    assert (action.after.records, action.after.unique_share) == (300, 0.0)
    assert "people at severe or critical risk" in action.effect
    treated = so.treat(data, action.steps)
    assert len(treated.to_frame()) == 300


def test_methods_of_records_are_left_out_with_a_reason() -> None:
    found = so.assess(VISITS, PLAN, advice=False)
    assert (found.suda, found.qar, found.contributions) == (None, None, None)
    assert any(note.startswith("Left out: QaR, Contributions, SUDA") for note in found.notes), (
        found.notes
    )
    assert found.measured["attackers"].result.records == 4


def test_the_report_and_json_speak_of_people(tmp_path: Path) -> None:
    found = so.assess(VISITS, PLAN, advice=False)
    page = found.report(tmp_path / "report.html", show_records=True).read_text()
    assert "6 rows of 4 people: people are counted, not rows" in page
    assert "People at severe or critical risk" in page
    plain = found.report_json()["records"]
    assert (plain["unit"], plain["rated"], plain["at_risk"]) == ("patient", 4, 4)
    assert sum(plain["by_severity"].values()) == 4
    assert "of 4 people" in repr(found)


def test_groups_of_records_count_their_people() -> None:
    data = {**VISITS, "ward": ["a", "a", "b", "a", "b", "b"]}
    found = so.assess(data, PLAN, by="ward", advice=False)
    assert found.groups_frame["records"].to_list() == [2, 3]


def test_compare_counts_people_where_both_tables_tell_them_apart() -> None:
    coarse = {**VISITS, "age": ["30-89"] * 6}
    found = so.compare(VISITS, coarse, ROWS, unit="patient")
    ks = found.to_frame().filter(measure="k")
    assert ks.select("before", "after").row(0) == (1.0, 4.0)
    assert any("People are counted in both tables" in note for note in found.notes)
    lost = {name: coarse[name] for name in ("age", "diagnosis")}
    found = so.compare(VISITS, lost, PLAN)
    assert found.to_frame().filter(measure="k").select("before", "after").row(0) == (3.0, 6.0)
    assert any("records were counted in both" in note for note in found.notes)


def test_suggest_reaches_a_policy_for_people_also_where_it_drops_the_unit() -> None:
    assert so.suggest(VISITS, ROWS, k=3).after.k == 3
    found = so.suggest(VISITS, ROWS, k=3, unit="patient")
    assert (found.before.k, found.reached, found.after.k, found.after.records) == (1, True, 4, 4)
    named = {**PLAN["columns"], "patient": {"role": "direct-identifier"}}
    found = so.suggest(VISITS, {"unit": "patient", "columns": named}, k=3)
    assert "patient" not in found.best.treatment.applied.table.columns
    assert (found.before.k, found.after.k) == (1, 4)
    with pytest.raises(BadChoice, match="qar is defined for single records"):
        so.suggest(VISITS, PLAN, qar=0.5)


def test_the_rating_of_the_paper_counts_rows_and_warns() -> None:
    found = so.assess(VISITS, PLAN, rating="paper", advice=False)
    assert found.anonymity.k == 3
    assert found.warnings[-1] == (
        "The 6 rows are of 4 people by 'patient'. Levels, shares and k count rows here; of people, "
        "each by their rarest row, k is 1 and 1 (25.0%) can be singled out."
    )


# ---- the command line, and data elsewhere


def test_the_command_takes_the_unit_from_the_plan_or_the_option(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text(CSV)
    so.Plan.of({**PLAN, "policy": {"k": 2}}).write(tmp_path / "plan.yaml")
    words = ["assess", "visits.csv", "--no-advice", "--plan"]
    done = singleout(*words, "plan.yaml", cwd=tmp_path)
    assert done.returncode == 1
    assert "People are counted, not rows: the 6 rows are of 4 people" in " ".join(
        done.stdout.split()
    )
    so.Plan.of({**ROWS, "policy": {"k": 2}}).write(tmp_path / "rows.yaml")
    assert singleout(*words, "rows.yaml", cwd=tmp_path).returncode == 0
    done = singleout(*words, "rows.yaml", "--unit", "patient", "--json", cwd=tmp_path)
    assert done.returncode == 1
    assert json.loads(done.stdout)["records"]["unit"] == "patient"
    done = singleout(*words, "rows.yaml", "--unit", "patinet", cwd=tmp_path)
    assert (done.returncode, "patinet" in done.stderr) == (2, True)


def test_a_database_rates_the_same_people(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text(CSV)
    here, there = (
        so.assess(tmp_path / "visits.csv", PLAN, advice=False, engine=engine)
        for engine in ("local", "database")
    )
    assert there.counted
    assert there.record_risks.by_level == here.record_risks.by_level
    assert there.verdict == here.verdict
    assert there.rows.equals(here.rows)
    assert there._rated is None
    assert "zoe" not in str(there._compared)


def test_insiders_find_people_by_columns_that_nobody_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counted, "_FEW", 10)  # combinations, from which on they are not laid out
    visits = pl.DataFrame(
        {
            "who": [n // 2 for n in range(60)],
            "sex": ["f", "m"] * 30,
            "place": [n if n < 10 else 10 for n in range(60)],
        }
    )
    visits.write_parquet(tmp_path / "visits.parquet")
    plan = {"unit": "who", "columns": {"sex": {"role": "quasi-identifier", "exposure": "EE"}}}
    found = so.assess(tmp_path / "visits.parquet", plan, advice=False, engine="database")
    assert (found.findings.rated, found.unexplained) == (30, ("place",))
    # five people have been alone at a place; the others are 25 of a sex at the tenth
    assert found._possible == (0, 25, 0, 5)


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
