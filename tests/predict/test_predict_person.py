from __future__ import annotations

import json
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_set_sizes as naive
from singleout.errors import BadChoice, UndefinedMeasure
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.set_sizes.group_sizes import group_sizes
from singleout.predict.uniqueness.person import for_person

WEIGHTS = st.lists(st.integers(1, 5), min_size=2, max_size=3)


def shares_of(weights: list[int]) -> list[Fraction]:
    return [Fraction(weight, sum(weights)) for weight in weights]


@given(WEIGHTS, st.integers(1, 4), st.data())
def test_the_law_of_a_persons_set_equals_the_sum_over_all_outcomes(weights, people, data):
    shares = shares_of(weights)
    cell = data.draw(st.integers(0, len(shares) - 1))
    slow = naive.set_of_first(naive.outcomes(shares, people), cell, people)
    found = for_person([float(share) for share in shares], cell, people)
    for size in range(1, people + 1):
        assert found.chance(size) == pytest.approx(float(slow[size]), rel=1e-12)
    assert found.unique == pytest.approx(float(slow[1]), rel=1e-12)
    mean = sum(size * chance for size, chance in enumerate(slow))
    assert found.expected_set == pytest.approx(float(mean), rel=1e-12)
    match = sum(chance / size for size, chance in enumerate(slow) if size)
    assert found.expected_match == pytest.approx(float(match), rel=1e-12)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.data())
def test_without_replacement_it_equals_the_sum_over_all_draws(counts, data):
    people = data.draw(st.integers(1, sum(counts)))
    cell = data.draw(st.integers(0, len(counts) - 1))
    # the first member of the cell, and all ways to draw the others
    others = [*counts[:cell], counts[cell] - 1, *counts[cell + 1 :]]
    slow = [Fraction(0)] * (people + 1)
    for drawn, likely in naive.draws(others, people - 1):
        slow[1 + drawn.count(cell)] += likely
    named = dict(enumerate(counts))
    found = for_person(Distribution.from_counts(named), cell, people, without_replacement=True)
    for size in range(1, people + 1):
        assert found.chance(size) == pytest.approx(float(slow[size]), rel=1e-10, abs=1e-14)
    assert found.unique == pytest.approx(float(slow[1]), rel=1e-10, abs=1e-14)
    mean = sum(size * chance for size, chance in enumerate(slow))
    assert found.expected_set == pytest.approx(float(mean), rel=1e-12)
    match = sum(chance / size for size, chance in enumerate(slow) if size)
    assert found.expected_match == pytest.approx(float(match), rel=1e-10)


@given(WEIGHTS, st.integers(2, 5), st.data())
def test_a_sample_unique_is_population_unique_as_often_as_over_all_outcomes(weights, people, data):
    shares = shares_of(weights)
    sample = data.draw(st.integers(1, people))
    found = for_person([float(share) for share in shares], 0, people, sample)
    slow = naive.population_unique_given_sample_unique(shares, people, sample)
    assert found.share_unique_if_unique_in_sample == pytest.approx(float(slow), rel=1e-12)
    assert found.unique_if_unique_in_sample == pytest.approx(
        found.unique / found.unique_in_sample, rel=1e-12
    )


def test_a_whole_population_in_hand_leaves_no_doubt():
    counts = Distribution.from_counts({"alone": 1, "pair": 2, "crowd": 7})
    alone, pair = (for_person(counts, name, people=10, sample=4) for name in ("alone", "pair"))
    assert alone.unique == 1
    assert alone.unique_if_unique_in_sample == 1
    assert pair.unique == 0
    assert pair.expected_set == pytest.approx(2)
    assert pair.unique_in_sample == pytest.approx(comb(8, 3) / comb(9, 3))
    # everybody's set is what was counted
    assert alone.expected_match == pytest.approx(1)
    assert pair.expected_match == pytest.approx(1 / 2)
    # unique in both: 1 of 10; unique in the sample: by its own cell
    unique_in_sample = (1 + 2 * comb(8, 3) / comb(9, 3) + 7 * comb(3, 3) / comb(9, 3)) / 10
    share = alone.share_unique_if_unique_in_sample
    assert share == pytest.approx(0.1 / unique_in_sample)


def test_tiny_probabilities_keep_their_digits():
    cells = Distribution.from_probabilities(np.full(10_000, 1e-4))
    found = for_person(cells, 1e-4, people=2, sample=1)
    assert found.expected_match == pytest.approx(1 - 0.5e-4, rel=1e-12)
    assert for_person(cells, 1e-15, people=1000).unique == pytest.approx(1 - 999e-15, abs=1e-17)
    for likely in (1e-15, 1e-300, 5e-324):
        assert for_person(cells, likely, people=1000).expected_match == pytest.approx(1, rel=1e-11)
    assert for_person([1.0], 0, people=1000).expected_match == pytest.approx(1 / 1000)


def test_the_chance_of_a_match_is_that_of_this_person_and_not_of_the_average_one():
    rare, common = (for_person([0.01, 0.99], cell, people=100, sample=10) for cell in (0, 1))
    assert rare.expected_match == pytest.approx((1 - 0.99**100) / 1, rel=1e-12)
    assert common.expected_match == pytest.approx((1 - 0.01**100) / 99, rel=1e-12)
    assert for_person([0.01, 0.99], 0, people=100).expected_match == rare.expected_match
    # averaged over people it is the number of cells that have anybody, for each person
    average = 0.01 * rare.expected_match + 0.99 * common.expected_match
    occupied = group_sizes([0.01, 0.99], people=100).occupied
    assert average == pytest.approx(occupied / 100, rel=1e-12)


def test_quantiles_hold_what_they_promise():
    found = for_person([0.1, 0.9], 0.1, people=50)
    for level in (0.05, 0.5, 0.95):
        size = found.quantile(level)
        assert sum(found.chance(s) for s in range(1, size + 1)) >= level - 1e-12
        assert sum(found.chance(s) for s in range(1, size)) < level
    assert found.quantile([0, 1]).tolist() == [1, 50]


def test_a_cell_is_named_by_label_by_index_or_by_probability():
    by_name = Distribution.from_probabilities({"f": 0.75, "m": 0.25})
    answers = [
        for_person(by_name, "m", 5),
        for_person([0.75, 0.25], 1, 5),
        for_person([0.75, 0.25], 0.25, 5),
        for_person(by_name, 0.25, 5),
    ]
    for answer in answers:
        assert answer.unique == pytest.approx(0.75**4, rel=1e-14)


def test_a_combination_of_values_is_a_cell():
    table = {"sex": ["f", "f", "m", "m"], "age": [30, 40, 30, 40], "people": [100, 200, 300, 400]}
    spread = Distribution.from_table(table, counts="people")
    assert for_person(spread, ("m", 30), people=2).probability == pytest.approx(0.3)
    assert for_person(spread, ["m", 30], people=2).probability == pytest.approx(0.3)


def test_whole_numbers_that_are_names_are_names():
    ages = Distribution.from_probabilities({30: 0.2, 1: 0.8})
    assert for_person(ages, 1, 3).probability == 0.8


@pytest.mark.parametrize("cell", [7, -1])
def test_an_index_that_does_not_exist_is_refused(cell):
    with pytest.raises(BadChoice, match="2 cells, numbered from 0"):
        for_person([0.5, 0.5], cell, 3)


@pytest.mark.parametrize("cell", [0.0, -0.5, 1.5, float("nan")])
def test_a_probability_that_is_none_is_refused(cell):
    with pytest.raises(BadChoice, match="above 0 and be at most 1"):
        for_person([0.5, 0.5], cell, 3)


def test_other_misnamed_cells_are_refused_in_one_sentence():
    named = Distribution.from_probabilities({"f": 1.0, "m": 0.0})
    with pytest.raises(BadChoice, match="no cell 'x'"):
        for_person(named, "x", 3)
    with pytest.raises(BadChoice, match="nobody can be in it"):
        for_person(named, "m", 3)
    with pytest.raises(UndefinedMeasure, match="no names"):
        for_person([0.5, 0.5], "f", 3)
    with pytest.raises(BadChoice, match="have no order"):
        for_person(Distribution.from_probabilities([0.5, 0.5]), 0, 3)


def test_a_sample_larger_than_the_population_is_refused():
    with pytest.raises(BadChoice, match="sample of 6 cannot come from 5"):
        for_person([0.5, 0.5], 0, people=5, sample=6)


def test_a_cell_without_people_cannot_be_drawn_from():
    spread = Distribution.from_counts([50, 50])
    with pytest.raises(BadChoice, match="nobody of 100 people"):
        for_person(spread, 1e-6, people=50)


def test_a_level_that_is_none_is_refused():
    with pytest.raises(BadChoice, match="between 0 and 1"):
        for_person([0.5, 0.5], 0, 5).quantile(1.5)


def test_the_result_reads_as_sentence_frame_plain_values_and_picture():
    found = for_person([0.02, 0.98], 0, people=500, sample=100)
    assert "if unique in a sample of 100" in str(found)
    assert found.to_frame().height == 1
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["quantiles"]["0.5"] == found.quantile(0.5)
    (rows,) = found.plot().to_dict()["datasets"].values()
    assert sum(row["share"] for row in rows) == pytest.approx(1, abs=0.01)
    assert "<table" in found._repr_html_()
    assert "sample" not in str(for_person([0.5, 0.5], 0, 3))


def test_a_simulation_agrees():
    rng = np.random.default_rng(3)
    shares = rng.dirichlet(np.ones(30) * 0.7)
    people, sample, both, in_sample = 60, 15, 0, 0
    for _ in range(4000):
        where = rng.choice(30, size=people, p=shares)
        size = np.bincount(where, minlength=30)[where[:sample]]
        within = np.bincount(where[:sample], minlength=30)[where[:sample]]
        in_sample += (within == 1).sum()
        both += (size == 1).sum()
    found = for_person(shares, 0, people, sample)
    assert found.share_unique_if_unique_in_sample == pytest.approx(both / in_sample, rel=0.05)
