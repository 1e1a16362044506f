"""How people spread over cells, made from whatever there is."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

import singleout as so
from singleout.errors import BadChoice, UndefinedMeasure, UnknownColumns, UnusableTable
from singleout.predict.distribution.distribution import (
    Distribution,
    as_distribution,
    check_people,
    draws_without_replacement,
)

PEOPLE = {"age": [30, 30, 41, 41, 41], "sex": ["f", "f", "m", "m", "f"]}


def test_equally_likely_cells_are_put_together_the_most_likely_first() -> None:
    found = Distribution.from_counts([2, 5, 0, 2, 1])
    assert found.probabilities.tolist() == [0.5, 0.2, 0.1]
    assert found.multiplicity.tolist() == [1, 2, 1]
    assert found.counts is not None
    assert found.counts.tolist() == [5, 2, 1]
    assert (found.cells, found.support, found.population) == (5, 4, 10)


def test_the_arrays_cannot_be_written_to() -> None:
    found = Distribution.from_counts([2, 1])
    with pytest.raises(ValueError, match="read-only"):
        found.probabilities[0] = 1.0


@given(arrays(np.int64, st.integers(1, 30), elements=st.integers(0, 50)).filter(np.any))
def test_the_measures_are_those_of_the_plain_probabilities(counts: Any) -> None:
    found = Distribution.from_counts(counts)
    p = counts[counts > 0] / counts.sum()
    assert found.support == len(p)
    assert found.largest == p.max()
    assert found.entropy == pytest.approx(-(p * np.log2(p)).sum(), abs=1e-12)
    assert found.kl == pytest.approx(np.log(len(counts)) + (p * np.log(p)).sum(), abs=1e-12)
    assert found.chi2 == pytest.approx(len(counts) * (p**2).sum() - 1, abs=1e-12)
    assert found.power_sum(3) == pytest.approx((p**3).sum())


def test_the_measures_equal_the_verified_values(golden: Path) -> None:
    cases = json.loads((golden / "predict-golden.json").read_text())["discrete"]
    for case in cases:
        weights = np.array(case["weights"], dtype=float)
        found = Distribution.from_probabilities(weights / weights.sum())
        assert (found.cells, found.support) == (case["N"], case["support"])
        for mine, theirs in (
            (found.kl, "kappa"),
            (found.chi2, "chi2"),
            (found.power_sum(2), "s2"),
            (found.power_sum(3), "s3"),
            (found.power_sum(4), "s4"),
            (found.entropy, "H_shannon_bits"),
        ):
            assert mine == pytest.approx(case[theirs], rel=1e-9, abs=1e-13), case["name"]


def test_numbers_by_name_can_be_looked_up() -> None:
    found = Distribution.from_counts({"f": 3, "m": 1, "x": 0})
    assert found.probability_of("f") == 0.75
    assert found.probability_of("x") == 0
    with pytest.raises(BadChoice, match=r"no cell 'd'; the cells are: 'f', 'm', 'x'\."):
        found.probability_of("d")


def test_cells_without_names_cannot_be_looked_up() -> None:
    with pytest.raises(UndefinedMeasure, match="have no names"):
        Distribution.from_counts([1, 2]).probability_of("f")


def test_a_joint_table_is_a_distribution_over_its_cells() -> None:
    found = Distribution.from_probabilities(np.full((3, 4), 1 / 12))
    assert found.cells == 12
    assert found.is_uniform


def test_more_cells_may_be_possible_than_are_given() -> None:
    found = Distribution.from_counts([5, 5], cells=20)
    assert found.kl == pytest.approx(math.log(10))
    assert not found.is_uniform


@pytest.mark.parametrize(
    ("numbers", "sentence"),
    [
        ([0.5, 0.4], "sum to 0.9, not to 1"),
        ([3, 2], "as counts"),
        ([0.5, -0.5, 1.0], "one of them is -0.5"),
        ([0.5, math.nan], "one of them is nan"),
        ([math.inf, 1], "one of them is inf"),
        ("half", "not the text 'half'"),
        (["a", "b"], "must be a list of numbers"),
        (object(), "not a object"),
    ],
)
def test_what_are_no_probabilities_is_refused_in_a_sentence(numbers: Any, sentence: str) -> None:
    with pytest.raises(BadChoice, match=sentence):
        Distribution.from_probabilities(numbers)


@pytest.mark.parametrize("numbers", [[], [0, 0]])
def test_nobody_at_all_is_refused(numbers: list[int]) -> None:
    with pytest.raises(UnusableTable, match=r"There are no|All counts are 0"):
        Distribution.from_counts(numbers)


def test_broken_counts_are_refused() -> None:
    with pytest.raises(BadChoice, match=r"one of them is 1\.5"):
        Distribution.from_counts([1, 1.5])


def test_shares_rounded_in_print_are_divided_by_their_sum_and_noted() -> None:
    found = Distribution.from_probabilities([0.3333334, 0.3333334, 0.3333334])
    assert found.probabilities.tolist() == [pytest.approx(1 / 3, rel=1e-15)]
    assert "sum to 1.0000002" in found.notes[0]


def test_too_few_cells_are_refused() -> None:
    with pytest.raises(BadChoice, match="3 cells have people"):
        Distribution.from_counts([1, 2, 3], cells=2)
    with pytest.raises(BadChoice, match="cells must be a number"):
        Distribution.from_counts([1, 2, 3], cells="many")  # type: ignore[arg-type]


# ---- tables


@pytest.mark.parametrize("make", [dict, pl.DataFrame, pd.DataFrame, so.read])
def test_any_data_frame_will_do(make: Any) -> None:
    found = Distribution.from_table(make(PEOPLE), ["age", "sex"])
    assert found.counts is not None
    assert found.counts.tolist() == [2, 1]
    assert found.multiplicity.tolist() == [2, 1]
    assert found.probability_of((41, "f")) == 0.2


def test_a_cell_of_one_column_is_named_by_its_value() -> None:
    found = Distribution.from_table({"sex": ["f", "m", None, "f"]}, "sex")
    assert found.probability_of("f") == 0.5
    assert found.probability_of(None) == 0.25
    assert found.names is not None
    assert sorted(map(str, found.names[:])) == sorted(map(str, found.names))


def test_a_table_with_roles_needs_no_columns() -> None:
    table = so.read(PEOPLE, roles={"age": "quasi-identifier"})
    assert Distribution.from_table(table).support == 2
    assert as_distribution(table).support == 2


def test_counts_and_anonymity_sets_are_taken_as_they_are() -> None:
    counts = so.count(PEOPLE, ["age", "sex"])
    sets = so.anonymity_sets(PEOPLE, ["age", "sex"])
    for given_ in (counts, sets):
        found = as_distribution(given_)
        assert (found.population, found.support) == (5, 3)
    with pytest.raises(BadChoice, match="its own columns"):
        Distribution.from_table(sets, ["age"])


def test_wildcards_make_no_cells() -> None:
    sets = so.anonymity_sets({"a": [1, None, 2], "b": [1, 1, 2]}, ["a", "b"], missing="wildcard")
    with pytest.raises(BadChoice, match="match everything"):
        as_distribution(sets)


def test_a_table_without_columns_or_roles_is_refused() -> None:
    with pytest.raises(BadChoice, match=r"The table has: \['age', 'sex'\]"):
        Distribution.from_table(PEOPLE)
    with pytest.raises(BadChoice, match="columns is empty"):
        Distribution.from_table(PEOPLE, [])
    with pytest.raises(UnknownColumns):
        Distribution.from_table(PEOPLE, ["zip"])


def test_a_table_of_margins_has_a_column_of_counts_or_shares() -> None:
    margins = {"sex": ["f", "f", "m"], "band": ["young", "old", "old"], "n": [10, 20, 70]}
    found = Distribution.from_table(margins, counts="n")
    assert found.population == 100
    assert found.probability_of(("f", "old")) == 0.2
    shares = {"sex": ["f", "m"], "share": [0.25, 0.75]}
    young = Distribution.from_table(margins, "sex", counts="n")
    assert young.population == 100
    assert "what they count was added up: 3 rows make 2 cells" in young.notes[0]
    one = Distribution.from_table(shares, "sex", shares="share")
    assert one.counts is None
    assert one.probability_of("m") == 0.75


@pytest.mark.parametrize(
    ("table", "words", "sentence"),
    [
        ({"a": ["x", "x"], "n": [0.5, 0.5]}, {"shares": "n"}, "occur more than once"),
        ({"a": ["x", "y"], "n": [1, None]}, {"counts": "n"}, "no number in some records"),
        ({"a": ["x", "y"], "n": [1, 2]}, {"counts": "n", "shares": "n"}, "not both"),
        ({"a": ["x", "y"], "n": [1, 2]}, {"counts": 3}, "the name of a column"),
        ({"a": ["x", "y"], "n": [1, 2]}, {"counts": "m"}, "Columns not found"),
    ],
)
def test_unusable_margins_are_refused(table: Any, words: Any, sentence: str) -> None:
    with pytest.raises(so.SingleoutError, match=sentence):
        Distribution.from_table(table, **words)


# ---- scipy


def test_a_normal_distribution_is_cut_into_cells() -> None:
    normal = stats.norm(170, 10)
    found = Distribution.from_scipy(normal, width=5)
    assert found.cells == math.inf
    assert found.largest == pytest.approx(normal.cdf(175) - normal.cdf(170))
    assert found.power_sum(1) == pytest.approx(1, abs=1e-14)
    edges = np.arange(0, 400, 5)
    assert found.power_sum(2) == pytest.approx((np.diff(normal.cdf(edges)) ** 2).sum())


def test_an_offset_moves_the_cells() -> None:
    normal = stats.norm(0, 1)
    found = Distribution.from_scipy(normal, width=1, offset=0.5)
    assert found.largest == pytest.approx(normal.cdf(0.5) - normal.cdf(-0.5))


def test_the_last_cell_of_a_bounded_distribution_may_be_smaller() -> None:
    found = Distribution.from_scipy(stats.uniform(0, 10), width=3)  # erratum E26
    assert found.cells == 4
    assert found.to_frame()["probability"].round(12).to_list() == [0.3, 0.3, 0.3, 0.1]


def test_a_discrete_distribution_keeps_the_mass_on_the_edges() -> None:
    poisson = stats.poisson(3)
    single = Distribution.from_scipy(poisson, width=1)
    assert single.power_sum(2) == pytest.approx((poisson.pmf(np.arange(200)) ** 2).sum())
    double = Distribution.from_scipy(stats.binom(3, 0.5), width=2)  # 0 and 1, 2 and 3
    assert double.power_sum(2) == pytest.approx(0.5)


def test_a_tail_too_long_for_cells_is_spread_and_noted() -> None:
    found = Distribution.from_scipy(stats.cauchy(), width=1)
    assert found.power_sum(1) == pytest.approx(1, abs=1e-12)
    assert "lies beyond" in found.notes[0]


@pytest.mark.parametrize("width", [0, -1, math.inf, math.nan, "wide"])
def test_a_width_must_be_positive(width: Any) -> None:
    with pytest.raises(BadChoice, match="width must be a positive number"):
        Distribution.from_scipy(stats.norm(), width)


def test_cells_too_small_are_refused() -> None:
    with pytest.raises(BadChoice, match="give a larger width"):
        Distribution.from_scipy(stats.norm(), 1e-9)


def test_what_is_not_of_scipy_is_refused() -> None:
    with pytest.raises(BadChoice, match="not a frozen distribution"):
        Distribution.from_scipy([0.5, 0.5], 1)
    with pytest.raises(BadChoice, match="say how wide"):
        as_distribution(stats.norm())
    with pytest.raises(BadChoice, match="offset must be"):
        Distribution.from_scipy(stats.norm(), 1, offset=math.nan)


# ---- summaries, people, replacement


def test_a_summary_is_one_of_two_or_both() -> None:
    with pytest.raises(BadChoice, match="give one at least"):
        Distribution.from_summary(cells=95)
    with pytest.raises(BadChoice, match="two, of the squares and of the cubes"):
        Distribution.from_summary(cells=95, kl=0.1, power_sums=[0.012])
    both = Distribution.from_summary(cells=95, kl=0.1, power_sums=[0.0125, 0.00018])
    assert both.kl == pytest.approx(0.1, abs=1e-3)


def test_a_stand_in_has_the_summary_it_was_made_from() -> None:
    real = Distribution.from_counts(np.arange(1, 96))
    sums = [real.power_sum(order) for order in (2, 3)]
    found = Distribution.from_summary(cells=95, power_sums=sums)
    assert [found.power_sum(order) for order in (0, 1, 2, 3)] == pytest.approx([95, 1, *sums])


@pytest.mark.parametrize("people", [-1, 2.5, "ten", None, True, math.nan])
def test_people_are_a_whole_number(people: Any) -> None:
    with pytest.raises(BadChoice, match="people must be a whole number, 0 or more"):
        check_people(people)


@pytest.mark.parametrize("people", [3, 3.0, np.int32(3)])
def test_people_may_be_any_kind_of_whole_number(people: Any) -> None:
    assert check_people(people, least=1) == 3


def test_large_samples_are_drawn_without_replacement_and_say_so() -> None:
    town = Distribution.from_counts([600, 400])
    assert draws_without_replacement(town, 10, None) == (False, ())
    drawn, notes = draws_without_replacement(town, 50, None)
    assert drawn
    assert "50 of 1,000 people are 5.0% of the population" in notes[0]
    assert draws_without_replacement(town, 50, False) == (False, ())
    assert draws_without_replacement(town, 5, True) == (True, ())


def test_nobody_can_draw_more_people_than_there_are() -> None:
    town = Distribution.from_counts([6, 4])
    for choice in (True, None):
        with pytest.raises(BadChoice, match="cannot be drawn from a population of 10"):
            draws_without_replacement(town, 11, choice)
    assert draws_without_replacement(town, 11, False) == (False, ())
    with pytest.raises(BadChoice, match="needs to know how many people each cell has"):
        draws_without_replacement(as_distribution([0.5, 0.5]), 1, True)


def test_without_replacement_is_yes_no_or_left_open() -> None:
    with pytest.raises(BadChoice, match="True, False or None, not 'no'"):
        draws_without_replacement(Distribution.from_counts([6, 4]), 1, "no")  # type: ignore[arg-type]


def test_it_shows_itself() -> None:
    found = Distribution.from_counts([3, 1])
    assert str(found) == "2 cells, from 4 people; the largest holds 75.00%, 0.81 bits"
    assert found.to_dict()["s2"] == 0.625
    assert (
        json.loads(json.dumps(Distribution.from_scipy(stats.norm(), 1).to_dict()))["cells"] is None
    )
    assert found.to_frame().columns == ["count", "probability", "cells"]
    assert "<table" in found._repr_html_()
