"""Decide what may be asked: accept, coarsen, drop, refuse; with numbers and a hash."""

from __future__ import annotations

import numpy as np
import pytest
from test_find_records import HELD, VOCABULARY

import singleout as so
from singleout.assessment.report.content import report_of
from singleout.errors import BadChoice
from singleout.predict import Policy
from singleout.repository.answering.decide import decide
from singleout.repository.answering.memory import RecordList
from singleout.repository.answering.policies import DisclosurePolicy
from singleout.repository.documents.record import Record


def decided(qid: list[str], policy: object, people: int = 40, **how: object):
    return decide(HELD, qid, {}, policy=policy, people=people, vocabulary=VOCABULARY, **how)


def test_a_safe_questionnaire_is_accepted() -> None:
    found = decided(["age:width=5"], {"unique": 0.2, "in_sets_of": (3, 0.5)}, people=400)
    assert found.is_accepted
    assert found.changes == ()
    assert found.accepted is not None
    assert found.accepted.unique <= found.accepted.unique_most <= 0.2
    assert found.records == (HELD.records[2].id,)


def test_an_unsafe_one_is_coarsened_to_the_least_change_that_keeps_the_policy() -> None:
    found = decided(["age", "sex"], {"unique": 0.2})
    assert found.action == "coarsen"
    assert [(each.attribute, each.to) for each in found.changes] == [("age", "width=10")]
    assert found.predicted is not None
    assert found.predicted.unique > 0.5
    assert "Up to" in found.reasons[0]
    assert "age in coding width=10" in str(found)
    assert found.to_frame()["decided"].to_list() == ["width=10", "identity"]


def test_where_coarsening_is_not_enough_an_attribute_is_dropped() -> None:
    found = decided(["age", "sex"], {"unique": 0.02})
    assert found.action == "drop"
    assert [(each.attribute, each.to) for each in found.changes] == [("age", "drop")]


def test_what_is_never_dropped_is_asked_or_all_is_refused() -> None:
    found = decided(["age", "sex"], {"unique": 0.02}, never_drop=["age"])
    assert "age" not in [each.attribute for each in found.changes if each.to == "drop"]
    both = decided(["age", "sex"], {"unique": 0.02}, never_drop=["age", "sex"])
    assert all(each.to != "drop" for each in both.changes)
    assert "Asked in any case, coarser if need be: 'age', 'sex'." in both.notes
    with pytest.raises(BadChoice, match="never_drop has 'agee', which is not asked"):
        decided(["age", "sex"], {"unique": 0.02}, never_drop=["agee"])


def test_where_nothing_helps_it_is_refused() -> None:
    found = decided(["age", "sex"], {"any_unique": 0.0})
    assert found.action == "refuse"
    assert found.accepted is None


def test_what_nothing_is_known_of_is_refused_with_that_reason() -> None:
    found = decided(["shoe"], {"unique": 0.5})
    assert found.action == "refuse"
    assert "no record of shoe" in found.reasons[0]


def test_a_coarser_record_cannot_accept_a_finer_question() -> None:
    held = RecordList([Record.legacy_tuple(["age:width=5"], {}, 0.05, cells=20)])
    found = decide(held, ["age"], {}, policy={"unique": 0.5}, people=400)
    assert found.action == "coarsen"
    assert found.changes[0].to == "width=5"


def test_a_decision_points_to_suda_and_to_the_persons_own_answer() -> None:
    notes = decided(["age:width=5"], {"unique": 0.2}, people=400).notes
    assert any("SUDA" in note and "person" in note for note in notes)


def test_the_same_decision_has_the_same_hash_and_another_has_not() -> None:
    one, same = (decided(["age"], {"unique": 0.1}) for _ in range(2))
    other = decided(["age"], {"unique": 0.11})
    assert one.hash == same.hash != other.hash
    assert one.to_dict()["hash"] == one.hash
    entry = one.entry()
    assert entry.outcome == str(one.action)
    assert entry.document["hash"] == one.hash


def test_a_decision_goes_into_a_plan() -> None:
    found = decided(["age", "sex"], {"unique": 0.2}, subject="Survey 2026")
    plan = so.Plan.of(
        {"columns": {"age": {"role": "quasi-identifier"}}, "decisions": [found.for_plan()]}
    )
    assert plan.decisions[0].subject == "Survey 2026"
    assert plan.decisions[0].hash == found.hash
    report = report_of(so.assess({"age": [20, 20, 30]}, plan))
    assert "Decisions on collecting" in [section.title for section in report.sections]


def test_a_policy_of_predict_is_a_policy_here() -> None:
    assert DisclosurePolicy.of(Policy(unique=0.1)).unique == 0.1
    assert "at most 10% unique" in str(DisclosurePolicy.of({"unique": 0.1, "any_unique": 0.5}))
    with pytest.raises(BadChoice, match="asks for nothing"):
        DisclosurePolicy()
    with pytest.raises(BadChoice, match="Did you mean 'any_unique'"):
        DisclosurePolicy.of({"any_uniqu": 0.1})
    with pytest.raises(BadChoice, match="must be a policy"):
        DisclosurePolicy.of("unique")  # type: ignore[arg-type]


def test_no_population_over_few_cells_has_more_unique_people_than_the_bound() -> None:
    rng = np.random.default_rng(1)
    policy = DisclosurePolicy(unique=0.1, in_sets_of=(3, 0.5))
    for people in (3, 10, 60):
        for _ in range(50):
            shares = rng.dirichlet(np.full(10, rng.choice([0.1, 1, 10])))
            alone = float((shares * (1 - shares) ** (people - 1)).sum())
            assert alone <= policy.by_cells(10, people).unique + 1e-12
