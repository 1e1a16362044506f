"""Plans: the best of all codings that keep a policy, and what each step to it buys."""

from __future__ import annotations

import json
import pickle
from math import log2, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import naive_funnel as naive
from run_command import refused, singleout
from singleout.errors import BadChoice
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.planning.coding_spaces import Independent, Joint
from singleout.predict.planning.planning import plan_collection
from singleout.predict.planning.policy import Policy
from singleout.predict.questionnaire.questionnaire import Questionnaire
from singleout.predict.set_sizes.shares import share_below

COUNTS = st.lists(st.integers(1, 9), min_size=2, max_size=5)


def bits(shares: Any) -> float:
    return -sum(p * log2(p) for p in shares if p > 0)


def coarser(shares: list[float]) -> list[float]:
    """Put neighbours together, two by two."""
    return [sum(shares[index : index + 2]) for index in range(0, len(shares), 2)]


def two_codings(counts: list[int]) -> list[list[float]]:
    fine = [count / sum(counts) for count in counts]
    return [fine, coarser(fine)]


AGE_AND_TOWN: dict[str, Any] = {
    "age": {"year": [1 / 80] * 80, "decade": [1 / 8] * 8},
    "town": {"town": [0.01] * 100, "province": [0.1] * 10},
    "sex": {"sex": [0.5, 0.5]},
}


# ---- the search


@settings(max_examples=40)
@given(
    st.lists(COUNTS, min_size=1, max_size=3),
    st.integers(2, 40),
    st.sampled_from([0.0, 0.02, 0.1, 0.3, 0.8, 1.0]),
    st.integers(2, 4),
    st.sampled_from([0.0, 0.3, 0.9]),
    st.sampled_from(["bits", "balance"]),
)
def test_the_plan_is_the_best_of_all_choices(
    counts: list[list[int]], people: int, unique: float, size: int, share: float, prefer: str
) -> None:
    codings = {f"q{index}": two_codings(one) for index, one in enumerate(counts)}
    worth = bits if prefer == "bits" else (lambda shares: sqrt(bits(shares)))
    worths = {name: [worth(shares) for shares in both] for name, both in codings.items()}
    best = naive.best_plan(codings, worths, people, unique + 1e-12, size, share - 1e-12)
    policy = {"unique": unique, "in_sets_of": (size, share)}
    if best < 0:
        with pytest.raises(BadChoice, match="No questionnaire keeps the policy"):
            plan_collection(codings, people, policy, prefer=prefer)
        return
    found = plan_collection(codings, people, policy, prefer=prefer)
    assert found.optimal
    assert found.worth == pytest.approx(best, abs=1e-9)
    assert found.unique <= unique + 1e-9
    assert (found.in_sets or 0) >= share - 1e-9
    asked = [
        codings[name][int(coding.split()[1]) - 1]
        for name, coding in found.codings.items()
        if coding != "drop"
    ]
    cells = naive.cells_of(asked)
    assert found.unique == pytest.approx(naive.share_below(cells, people, 2), abs=1e-9)
    assert found.bits == pytest.approx(sum(map(bits, asked)), abs=1e-9)


@settings(max_examples=40)
@given(
    st.lists(COUNTS, min_size=1, max_size=3),
    st.lists(COUNTS, max_size=1),
    st.integers(2, 40),
    st.sampled_from([0.0, 0.02, 0.1, 0.3, 0.8]),
    st.sets(st.integers(0, 2)),
)
def test_what_is_never_dropped_is_in_the_best_of_the_other_choices(
    counts: list[list[int]], other: list[list[int]], people: int, unique: float, kept: set[int]
) -> None:
    codings = {f"q{index}": two_codings(one) for index, one in enumerate(counts)}
    for one in other:  # a coding that is no grouping of the first may be the safer one
        codings["q0"] = sorted([codings["q0"][0], two_codings(one)[0]], key=bits, reverse=True)
    never = [f"q{index}" for index in sorted(kept) if index < len(counts)]
    worths = {name: [sqrt(bits(shares)) for shares in both] for name, both in codings.items()}
    best = naive.best_plan(codings, worths, people, unique + 1e-12, 2, 0.0, never)
    if best < 0:
        with pytest.raises(BadChoice, match="No questionnaire with 'q"):
            plan_collection(codings, people, {"unique": unique}, never_drop=never)
        return
    found = plan_collection(codings, people, {"unique": unique}, never_drop=never)
    assert found.worth == pytest.approx(best, abs=1e-9)
    assert found.unique <= unique + 1e-9
    assert found.never_drop == tuple(never)
    assert "drop" not in [found.codings[name] for name in never]


def test_a_questionnaire_says_what_is_never_dropped(tmp_path: Path) -> None:
    text = """population: 1000
people: 20
questions:
- name: age
  never_drop: true
  codings:
  - {name: year, counts: {1981: 1, 1982: 1, 1983: 1, 1984: 1, 1985: 1, 1986: 1, 1987: 1, 1988: 1}}
  - {name: half, groups: {early: 1981..1984, late: 1985..1988}}
- {name: town, shares: {A: 40 %, B: 30 %, C: 20 %, D: 10 %}}
"""
    file = tmp_path / "asked.yaml"
    file.write_text(text)
    asked = Questionnaire.read(file)
    weights = {"age": 0.01, "town": 5.0}
    assert asked.plan({"unique": 0.05}, weights=weights).codings["age"] != "drop"
    without = Questionnaire.read(_written(file, text.replace("  never_drop: true\n", "")))
    assert dict(without.plan({"unique": 0.05}, weights=weights).codings)["age"] == "drop"
    plan = without.plan({"unique": 0.05}, weights=weights, never_drop=["age"])
    assert plan.codings["age"] == "half"
    assert [row.coding for row in asked.compare("age").rows] == ["year", "half"]
    told = singleout("predict", "plan", file, "--unique", "5%", "--never-drop", "town")
    assert "Asked in any case: 'town'." in told.stdout
    assert "never_drop has 'towns', which is none of: age, town. Did you mean 'town'?" in refused(
        singleout("predict", "plan", file, "--unique", "5%", "--never-drop", "towns")
    )


def _written(file: Path, text: str) -> Path:
    file.write_text(text)
    return file


@given(st.lists(st.integers(1, 30), min_size=2, max_size=12), st.integers(1, 200), st.data())
def test_merging_cells_never_raises_the_share_in_small_sets_for_any_number_of_people(
    counts: list[int], people: int, data: st.DataObject
) -> None:
    """Remark 5.5 needs k <= N for the uniform distribution to be worst; merging needs nothing."""
    shares = [count / sum(counts) for count in counts]
    one, other = data.draw(
        st.lists(st.integers(0, len(shares) - 1), min_size=2, max_size=2, unique=True)
    )
    merged = [share for index, share in enumerate(shares) if index not in (one, other)]
    merged.append(shares[one] + shares[other])
    fine, coarse = map(Distribution.from_probabilities, (shares, merged))
    for size in (2, 3, 5):
        assert share_below(coarse, people, size) <= share_below(fine, people, size) + 1e-12


def test_a_finer_distribution_that_is_no_refinement_may_have_fewer_unique_people() -> None:
    """E17: for k > N evenness is not the worst, so detail must not stand in for nesting."""
    uneven = Distribution.from_probabilities([51 / 150, *[1 / 150] * 99])
    even = Distribution.from_probabilities([1 / 100] * 100)
    assert even.entropy > uneven.entropy
    assert 150 * share_below(even, 150, 2) == pytest.approx(33.55, abs=0.005)
    assert 150 * share_below(uneven, 150, 2) == pytest.approx(36.54, abs=0.005)
    # the search relies on leaving out only, so it finds the plan all the same
    both = {"a": {"even": even, "uneven": uneven}}
    assert plan_collection(both, 150, {"unique": 0.23}).codings == {"a": "even"}
    assert plan_collection(both, 150, {"unique": 0.25}).codings == {"a": "even"}
    assert plan_collection(both, 150, {"unique": 0.22}).codings == {"a": "drop"}


def test_balance_rather_coarsens_than_drops() -> None:
    balance = plan_collection(AGE_AND_TOWN, 1000, {"unique": 0.05})
    assert balance.codings == {"age": "decade", "town": "province", "sex": "sex"}
    most = plan_collection(AGE_AND_TOWN, 1000, {"unique": 0.05}, prefer="bits")
    assert most.codings == {"age": "drop", "town": "town", "sex": "sex"}
    assert most.bits > balance.bits


def test_weights_say_what_matters() -> None:
    found = plan_collection(AGE_AND_TOWN, 1000, {"unique": 0.05}, weights={"age": 10})
    assert found.codings["age"] == "year"
    found = plan_collection(AGE_AND_TOWN, 1000, {"unique": 0.05}, weights={"town": 10})
    assert found.codings["town"] == "town"


def test_if_everything_is_kept_there_is_nothing_to_do() -> None:
    found = plan_collection(AGE_AND_TOWN, 10_000_000, {"unique": 0.05})
    assert found.steps == ()
    assert found.codings == {"age": "year", "town": "town", "sex": "sex"}
    assert found.bits == pytest.approx(found.most_bits) == pytest.approx(log2(80 * 100 * 2))
    assert found.unique_before == found.unique
    assert len(found.to_frame()) == 0


def test_each_step_says_what_it_buys_and_the_last_one_keeps_the_policy() -> None:
    policy = Policy(unique=0.05, in_sets_of=(5, 0.9))
    found = plan_collection(AGE_AND_TOWN, 1500, policy)
    levels = {"age": [80, 8, 1], "town": [100, 10, 1], "sex": [2, 1]}
    cells = 80 * 100 * 2
    for step in found.steps:
        before, after = step.unique_before, step.unique
        names = [*AGE_AND_TOWN[step.attribute], "drop"]
        index = names.index(step.before)
        assert names[index + 1] == step.after
        assert before == pytest.approx((1 - 1 / cells) ** 1499)
        cells //= levels[step.attribute][index] // levels[step.attribute][index + 1]
        assert after == pytest.approx((1 - 1 / cells) ** 1499)
        assert step.bits_lost == pytest.approx(
            log2(levels[step.attribute][index] / levels[step.attribute][index + 1])
        )
    assert [step.kept for step in found.steps][-1]
    assert found.steps[-1].unique == pytest.approx(found.unique)
    assert found.most_bits - sum(step.bits_lost for step in found.steps) == pytest.approx(
        found.bits
    )


def test_a_search_that_ends_early_says_so_and_keeps_the_policy() -> None:
    rng = np.random.default_rng(1)
    attributes = {
        f"a{index}": two_codings(rng.integers(1, 9, size=12).tolist()) for index in range(6)
    }
    found = plan_collection(attributes, 300, {"unique": 0.05}, evaluations=5)
    assert found.unique <= 0.05
    assert not found.optimal
    assert found.bound > found.worth
    assert "before it was proven that none is better" in found.warnings[0]
    whole = plan_collection(attributes, 300, {"unique": 0.05})
    assert whole.optimal
    assert whole.worth >= found.worth
    assert whole.worth <= found.bound


# ---- what can be chosen from


def test_intervals_of_a_quantity_are_codings() -> None:
    height = stats.norm(175, 10)
    widths = {f"{w} cm": Distribution.from_scipy(height, w) for w in (1, 5, 10)}
    found = plan_collection({"height": widths}, 100, {"unique": 0.02})
    assert found.codings == {"height": "5 cm"}


def test_a_joint_table_says_how_attributes_depend() -> None:
    # sex is known from the town: to ask for both tells no more than one of them
    table = np.diag([40, 60])
    groups = {"town": {"town": [0, 1]}, "sex": {"sex": ["f", "m"]}}
    found = plan_collection(groups, 100, {"in_sets_of": (30, 1.0)}, joint=table)
    assert found.codings == {"town": "town", "sex": "sex"}
    assert found.unique == 0
    assert "without replacement" in found.notes[0]
    shares = {"town": {"town": [0.4, 0.6]}, "sex": {"sex": [0.4, 0.6]}}
    apart = plan_collection(shares, 100, {"in_sets_of": (30, 1.0 - 1e-3)})
    assert "drop" in apart.codings.values()


@given(st.lists(st.integers(0, 5), min_size=12, max_size=12).filter(lambda counts: sum(counts) > 1))
def test_the_groups_of_a_joint_table_add_up(counts: list[int]) -> None:
    table = np.array(counts).reshape(4, 3)
    space = Joint(
        table,
        {"a": {"each": range(4), "halves": [0, 0, 1, 1]}, "b": {"each": range(3)}},
    )
    merged = space.distribution((1, 0), 100)
    expected = table.reshape(2, 2, 3).sum(axis=1).ravel()
    assert merged.population == table.sum()
    assert sorted(np.repeat(merged.counts, merged.multiplicity)) == sorted(expected[expected > 0])
    dropped = space.distribution((2, 0), 100)
    kept = table.sum(axis=0)
    assert sorted(np.repeat(dropped.counts, dropped.multiplicity)) == sorted(kept[kept > 0])
    assert space.distribution((2, 1), 100).largest == 1


def test_independent_attributes_are_the_outer_product_of_a_joint_table() -> None:
    age, sex = [0.5, 0.3, 0.2], [0.4, 0.6]
    one = Independent({"age": {"age": age}, "sex": {"sex": sex}}).distribution((0, 0), 100)
    joint = Joint(np.outer(age, sex), {"age": {"age": range(3)}, "sex": {"sex": range(2)}})
    other = joint.distribution((0, 0), 100)
    assert one.probabilities.tolist() == pytest.approx(other.probabilities.tolist())


def test_a_questionnaire_plans_with_its_own_tables() -> None:
    asked = Questionnaire.sample()
    found = asked.plan({"unique": 0.05})
    assert found.optimal
    assert found.unique == pytest.approx(asked.risk(codings=found.codings).unique)
    assert found.unique <= 0.05 < found.steps[-2].unique
    assert found.unique_before == pytest.approx(asked.risk().unique, rel=1e-6)
    assert asked.plan({"unique": 0.05}, people=100).bits < found.bits


# ---- what it says


def test_a_plan_is_a_sentence_a_dict_and_a_picture() -> None:
    found = plan_collection(AGE_AND_TOWN, 1000, {"unique": 0.05})
    assert "age: decade, town: province, sex: sex is the most detailed that keeps" in str(found)
    assert "at most 5% unique" in str(found)
    given_back = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert given_back["optimal"] is True
    assert given_back["policy"] == {"unique": 0.05, "in_sets_of": None}
    words = json.dumps(found.plot().to_dict())
    assert "1. age: year" in words
    assert "dashed: what the policy allows" in words
    assert "<table" in found._repr_html_()
    assert "independent" in found.notes[0]


def test_a_plan_cannot_be_changed_and_can_be_stored() -> None:
    found = plan_collection(AGE_AND_TOWN, 1000, {"unique": 0.05})
    with pytest.raises(TypeError):
        found.codings["age"] = "year"  # type: ignore[index]
    before = found.steps[0].unique
    found.to_dict()["steps"][0]["unique"] = 77
    found.to_dict()["codings"]["age"] = "year"
    assert found.steps[0].unique == before
    assert found.codings["age"] == "decade"
    again = pickle.loads(pickle.dumps(found))
    assert again.to_dict() == found.to_dict()
    with pytest.raises(TypeError):
        again.codings["age"] = "year"


def test_every_label_of_the_picture_ends_inside_of_its_frame() -> None:
    for found in (
        Questionnaire.sample().plan({"unique": 0.05}),
        plan_collection({"a": [[0.5, 0.5]]}, 1000, {"unique": 0.05}),
    ):
        drawn = found.plot().to_dict()
        words = next(layer for layer in drawn["layer"] if layer["mark"]["type"] == "text")
        low, high = words["encoding"]["x"]["scale"]["domain"]
        assert words["mark"]["limit"] < drawn["width"]
        for point in drawn["datasets"][words["data"]["name"]]:
            at = drawn["width"] * (high - point["detail"]) / (high - low)
            length = min(words["mark"]["limit"], 6 * len(point["step"]))
            assert at >= 0
            assert at + words["mark"]["dx"] + length <= drawn["width"] + 1e-6


def test_a_policy_is_taken_from_its_parts() -> None:
    assert Policy.of({"in_sets_of": (5.0, 1)}).size == 5
    assert Policy.of({"in_sets_of": [5, 1]}) == Policy(in_sets_of=(5, 1.0))
    assert str(Policy(in_sets_of=(5, 0.95))) == "at least 95% in sets of 5 or more"


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ({}, "asks for nothing"),
        ({"unique": 5}, "unique must be a share from 0 to 1, not 5"),
        ({"unique": True}, "unique must be a share"),
        ({"in_sets_of": 5}, "must be a size and a share"),
        ({"in_sets_of": (1, 0.5)}, "whole number, 2 or more, not 1"),
        ({"in_sets_of": (2.5, 0.5)}, "whole number, 2 or more, not 2.5"),
        ({"in_sets_of": ("5", 0.5)}, "whole number, 2 or more, not '5'"),
        ({"in_sets_of": (5, 95)}, "must be a share from 0 to 1, not 95"),
        ({"uniques": 0.5}, "Did you mean 'unique'?"),
        (0.05, "must be a Policy or such as"),
    ],
)
def test_a_policy_that_means_nothing_is_refused(policy: Any, words: str) -> None:
    with pytest.raises(BadChoice) as error:
        plan_collection({"a": [[0.5, 0.5]]}, 10, policy)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("attributes", "more", "words"),
    [
        ({}, {}, "one attribute at least"),
        ({"a": {}}, {}, "must be given by name or as a list"),
        ({"a": "x"}, {}, "must be given by name or as a list"),
        ({"a": {"drop": [1.0]}}, {}, "choose another name"),
        ({"a": {"x": [0.5, 0.6]}}, {}, "The coding 'x' of 'a': "),
        ({"a": [[1.0], [0.5, 0.5]]}, {}, "give the most detailed first"),
        ({"a": [[1.0]]}, {"weights": {"b": 1}}, "weights has 'b'"),
        ({"a": [[1.0]]}, {"weights": {"a": -1}}, "must be a number from 0, not -1"),
        ({"a": [[1.0]]}, {"prefer": "most"}, "'most' is not a preference"),
        ({"a": [[1.0]]}, {"evaluations": 0}, "evaluations must be"),
        ({"a": [[1.0]]}, {"people": 0}, "people must be a whole number, 1 or more"),
        ({"a": [[1.0]]}, {"people": 1}, "No questionnaire keeps the policy"),
        ({"a": [[1.0]]}, {"without_replacement": True}, "give joint= as counts"),
        ({"a": [[0, 1]]}, {"joint": [[1, 2]]}, "joint has 2 axes, and there are 1 attributes"),
        ({"a": [[0]]}, {"joint": [1, 2]}, "must give the group of each of its 2 options"),
        ({"a": [[0, 1]]}, {"joint": [0.5, 0.6]}, "joint adds up to 1.1"),
        ({"a": [[0, 1]]}, {"joint": [-1, 2]}, "numbers of 0 or more"),
        ({"a": [[0, 1]]}, {"joint": ["x", 2]}, "array of numbers"),
        ({"a": [[0, 1]]}, {"joint": [4, 2], "people": 7}, "cannot be drawn from a population of 6"),
    ],
)
def test_what_cannot_be_planned_is_refused(
    attributes: Any, more: dict[str, Any], words: str
) -> None:
    people = more.pop("people", 10)
    with pytest.raises(BadChoice) as error:
        plan_collection(attributes, people, {"unique": 0.5}, **more)
    assert words in str(error.value)
