"""What must not be read wrongly: levels on a bound, names in the data, proposals, wildcards."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from singleout.assessment.advice.merged_values import how_exactly, partner_of
from singleout.assessment.assess import assess
from singleout.assessment.findings import distinct_rows, worst_first
from singleout.core.table import Column
from singleout.methods.discrimination.function import discrimination_rate
from singleout.methods.levels import inference_level, inference_levels
from singleout.report.say import say

OTHERS = "qar contributions suda attackers attributes individual diversity population_uniqueness"
QUICK = {method: {"enabled": False} for method in OTHERS.split()}
BY_INFORMATION = {**QUICK, "rating": "paper", "discrimination": {"variant": "mutual-information"}}


def plan(**columns: dict[str, Any]) -> dict[str, Any]:
    return {
        "columns": {
            "sex": {"role": "quasi-identifier", "exposure": "EE"},
            "ill": {"role": "sensitive", "moral": 4, "values": {"flu": 1}},
            **columns,
        },
        "methods": BY_INFORMATION,
    }


PEOPLE = {"sex": list("mf") * 50, "ill": ["flu"] * 50 + ["hiv"] * 50}


# ---- levels


def test_a_rate_on_a_bound_belongs_to_the_level_above_whatever_its_last_bit() -> None:
    # 36 people in six groups of six: what is left to guess is half of it, 0.4999999999999999
    people = {"y": [str(i // 6) for i in range(36)], "x": [str(i) for i in range(36)]}
    found = discrimination_rate(people, "y", "x", variant="mutual-information")
    assert found.rate == pytest.approx(0.5, abs=1e-15)
    assert found.level == 3
    assert set(found.values["level"]) == {3}
    assert [inference_level(b - 1e-15) for b in (0.25, 0.5, 0.75)] == [2, 3, 4]
    assert inference_levels([0.25 - 1e-9, -3.0, 1.0]).tolist() == [1, 1, 4]
    rated = assess(
        people,
        {
            "columns": {
                "y": {"role": "quasi-identifier", "exposure": "EE"},
                "x": {"role": "sensitive", "moral": 1},
            },
            "methods": BY_INFORMATION,
        },
    )
    assert set(rated.records["exploitability"]) == {4}  # Severe and EE


def test_a_name_in_the_data_makes_the_attack_very_easy_whatever_the_rows_say() -> None:
    people = {**PEOPLE, "who": [f"Zoe {place}" for place in range(100)]}
    found = assess(people, plan(who={"role": "direct-identifier"}))
    assert found.worst.risk == 2
    assert (found.level, found.exploitability, found.severity) == (4, 4, 4)
    assert found.verdict.startswith(
        "Critical risk (4 of 4): the data hold who, which identifies people directly, so that it "
        "is very easy to infer ill, and a disclosure has maximum impact. Without this column the "
        "risk is Significant (2 of 4): for someone who knows sex"
    )
    without = assess(PEOPLE, plan())
    assert (without.level, without.exploitability) == (2, without.worst.exploitability)
    two = assess(
        {**people, "mail": people["who"]},
        plan(who={"role": "direct-identifier"}, mail={"role": "direct-identifier"}),
    )
    assert "who and mail, which identify people directly" in two.verdict


def test_names_beside_harmless_values_are_rated_by_their_severity() -> None:
    people = {**PEOPLE, "who": [f"Zoe {place}" for place in range(100)], "ill": ["flu"] * 100}
    found = assess(people, plan(who={"role": "direct-identifier"}))
    assert (found.exploitability, found.severity, found.level) == (4, 1, 2)


def test_values_that_are_gone_from_the_data_are_not_said_to_be_open() -> None:
    given = plan(ill={"role": "sensitive", "values": {"flu": 1}})
    given["missing"] = "drop"
    people = {"sex": ["m", "f", "m", None], "ill": ["flu", "flu", "flu", "tb"]}
    assert not any("does not say how severe" in note for note in assess(people, given).notes)
    complete = {**people, "sex": ["m", "f", "m", "f"]}
    assert any("does not say how severe" in note for note in assess(complete, given).notes)


def test_the_verdict_speaks_of_the_first_row_of_worst_first() -> None:
    given = plan(
        age={"role": "quasi-identifier", "exposure": "ER"},
        zip={"role": "quasi-identifier", "exposure": "ER"},
    )
    chance = np.random.default_rng(3)
    people = {
        **PEOPLE,
        "age": chance.integers(0, 30, 100).tolist(),
        "zip": chance.integers(0, 9, 100).tolist(),
    }
    for methods in (QUICK, BY_INFORMATION):
        found = assess(people, {**given, "methods": methods})
        first = worst_first(found.ratings)[0]
        assert found.worst is first
        assert distinct_rows(found.ratings)[0].combination.columns == first.combination.columns


def test_a_level_with_one_column_is_not_listed_twice() -> None:
    found = assess(PEOPLE, plan())
    assert [row.combination.kind for row in found.ratings] == ["exposure", "attribute"]
    assert [row.combination.name for row in distinct_rows(found.ratings)] == ["sex"]


# ---- missing values that match everything


def test_under_wildcards_rows_records_and_proposals_count_as_the_headline_does() -> None:
    people = {
        "age": ["30", None, "40", "40", None, "30"],
        "sex": ["m", "f", "m", "f", None, None],
        "ill": ["flu", "hiv", "flu", "hiv", "flu", "hiv"],
    }
    given = plan(age={"role": "quasi-identifier", "exposure": "EE"})
    found = assess(pl.DataFrame(people), {**given, "missing": "wildcard"})
    assert (found.anonymity.k, found.anonymity.unique) == (2, 0)
    assert found.rows.row(0, named=True)["k"] == 2
    assert found.rows["unique_share"].max() == 0
    # by hand: record 1 (30, m) matches itself, 5 (nothing known) and 6 (30)
    assert found.records["set_size"].to_list() == [3, 4, 2, 3, 6, 4]
    states = [action.before for action in found.actions if action.before is not None]
    assert states
    assert {(before.k, before.unique_share) for before in states} == {(2, 0.0)}


# ---- proposals


def test_it_is_said_where_no_proposal_lowers_the_level() -> None:
    chance = np.random.default_rng(1)
    people = {
        "sex": chance.integers(0, 40, 200).tolist(),
        "ill": chance.choice(["flu", "hiv"], 200).astype(str).tolist(),
        "age": chance.integers(0, 60, 200).tolist(),
    }
    given = plan(age={"role": "quasi-identifier", "exposure": "EE"})
    stays = assess(people, {**given, "methods": QUICK})
    assert all(action.same_level for action in stays.actions)
    assert say("advice.level_stays") in stays.notes
    lowers = assess({**people, "sex": list("mf") * 100}, given)
    assert any(action.same_level is False for action in lowers.actions)
    assert say("advice.level_stays") not in lowers.notes


def column(values: list[Any], sizes: list[int]) -> Column:
    return Column("x", np.repeat(np.arange(len(sizes), dtype=np.uint8), sizes), values)


def merged(before: Column, groups: list[int]) -> Column:
    codes = np.array(groups, dtype=np.uint8)[before.codes]
    return Column("x", codes, list(range(max(groups) + 1)))


def test_intervals_are_given_by_their_bounds() -> None:
    ages = column([20, 25, 30, 35], [3, 3, 3, 3])
    assert how_exactly(ages, merged(ages, [0, 0, 1, 1])) == " (below 30, from 30)"
    # written as text they are numbers as well, and codes are none
    texts = column(["20", "25", "30", "35"], [3, 3, 3, 3])
    assert how_exactly(texts, merged(texts, [0, 0, 1, 1])) == " (below 30, from 30)"
    codes = column(["0120", "0125", "0130", "0135"], [3, 3, 3, 3])
    assert how_exactly(codes, merged(codes, [0, 0, 1, 1])) == ""
    words = column(["a", "b", "c", "d"], [3, 3, 3, 3])
    assert how_exactly(words, merged(words, [0, 0, 1, 1])) == ""


def test_bounds_that_few_records_have_are_not_given() -> None:
    ages = column([20, 25, 30, 35], [3, 3, 2, 3])
    assert how_exactly(ages, merged(ages, [0, 0, 1, 1])) == " (up to 25, above 25)"
    rarer = column([20, 25, 30, 35], [3, 2, 2, 3])
    assert how_exactly(rarer, merged(rarer, [0, 0, 1, 1])) == ""


def test_many_pairs_are_given_by_their_rule() -> None:
    ages = column(list(range(40)), [3] * 40)
    pairs = merged(ages, [place // 2 for place in range(40)])
    assert how_exactly(ages, pairs) == ", each value together with the next"


def test_a_merged_value_names_its_partner_if_enough_records_have_it() -> None:
    towns = column(["Ely", "Ham", "Wye"], [5, 3, 2])
    assert partner_of(towns, merged(towns, [0, 0, 1]), 0, ordered=False) == "'Ham'"
    assert (
        partner_of(towns, merged(towns, [0, 1, 1]), 1, ordered=False) == "another that is as rare"
    )
    assert partner_of(towns, merged(towns, [0, 1, 1]), 1, ordered=True) == "the value beside it"


def test_proposals_say_what_to_do_exactly() -> None:
    chance = np.random.default_rng(4)
    people = {
        "sex": list("mf") * 200,
        "ill": chance.choice(["flu", "hiv"], 400).astype(str).tolist(),
        "age": chance.integers(18, 60, 400).tolist(),
    }
    found = assess(people, plan(age={"role": "quasi-identifier", "exposure": "EE"}))
    said = [action.what for action in found.actions if action.kind == "coarsen"]
    assert any("intervals for 'age' (below " in what for what in said)


# ---- grammar


def test_one_quasi_identifier_is_spoken_of_in_the_singular() -> None:
    given = plan()
    found = assess(PEOPLE, {**given, "methods": {}})
    assert any("and there is one quasi-identifier." in note for note in found.notes)
