"""Changes to a plan by clicking."""

from __future__ import annotations

import pytest

import singleout as so
from singleout.errors import BadChoice, InputError
from singleout.web.planning import BOTH, with_column, with_people, with_policy

PLAN = so.Plan.of(
    {
        "columns": {
            "age": {"role": "quasi-identifier", "exposure": "EE"},
            "disease": {"role": "sensitive", "moral": 4, "values": {"Colds": 1, ">= 3": 2}},
            "w": {"role": "weight"},
        },
        "population": {"weights": "w"},
        "policy": {"k": 3, "tolerated": 0.05},
    }
)


def test_a_role_keeps_what_fits_it_and_drops_the_rest() -> None:
    plan = with_column(PLAN, "age", "sensitive", {"exposure": "ER", "moral": "3"}, {})
    assert (plan.columns["age"].exposure, plan.columns["age"].moral) == (None, 3)
    both = with_column(plan, "age", BOTH, {"exposure": "ER", "moral": "2"}, {})
    assert both.columns["age"].is_sensitive
    assert (both.columns["age"].exposure, both.columns["age"].moral) == (3, 2)
    assert "age" not in with_column(PLAN, "age", "", {}, {}).columns


def test_values_that_no_field_shows_stay() -> None:
    plan = with_column(PLAN, "disease", "sensitive", {"moral": "4"}, {"Colds": "2", "Flu": ""})
    assert plan.columns["disease"].values == {"Colds": 2, ">= 3": 2}
    plan = with_column(PLAN, "disease", "sensitive", {"moral": "4"}, {"Colds": ""})
    assert plan.columns["disease"].values == {">= 3": 2}


def test_what_contradicts_itself_is_refused_in_a_sentence() -> None:
    with pytest.raises(InputError, match="is the weight already"):
        with_column(PLAN, "age", "weight", {}, {})
    with pytest.raises(BadChoice, match="not a role"):
        with_column(PLAN, "age", "anything", {}, {})
    with pytest.raises(InputError):
        with_column(PLAN, "age", "quasi-identifier", {"exposure": "XX"}, {})


def test_a_weight_that_gets_another_role_is_no_population_any_more() -> None:
    assert with_column(PLAN, "w", "other", {}, {}).weights is None


def test_the_population_is_stated_in_one_way() -> None:
    plan = with_people(PLAN, "size", "60 000", "", "", "", "value")
    assert (plan.population.size, plan.weights) == (60_000, None)
    plan = with_people(plan, "fraction", "", "2,5", "", "", "drop")
    assert plan.population.sampling_fraction == 0.025
    assert plan.missing == "drop"
    plan = with_people(plan, "weights", "", "", "w", "", "value")
    assert plan.weights == "w"
    plan = with_people(plan, "", "", "", "", "disease", "value")
    assert (plan.weights, plan.unit) == (None, "disease")
    for text in ("many", "1e999", "", "nan", "1,2,3"):
        with pytest.raises(InputError, match="give a number"):
            with_people(PLAN, "size", text, "", "", "", "value")


def test_a_policy_keeps_what_is_not_a_limit() -> None:
    plan = with_policy(PLAN, {"highest_risk": "2", "unique_share": "1"})
    assert plan.policy.limits == {"highest_risk": 2, "unique_share": 0.01}
    assert plan.policy.tolerated == 0.05
    assert with_policy(PLAN, {}).policy.limits == {}
    with pytest.raises(InputError):
        with_policy(PLAN, {"unique_share": "200"})
