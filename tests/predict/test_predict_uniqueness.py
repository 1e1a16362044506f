"""The chance that everybody is unique: Koot (2012), chapter 4."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import naive_singletons as naive
from singleout.errors import BadChoice, UndefinedMeasure
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.uniqueness.factorials import (
    log_all_different,
    log_binomial_mode,
    log_poisson_mode,
)
from singleout.predict.uniqueness.uniqueness import uniqueness_probability

WEIGHTS = st.lists(st.integers(0, 9), min_size=1, max_size=7).filter(any)


def fractions(weights: list[int]) -> list[Fraction]:
    return [Fraction(weight, sum(weights)) for weight in weights if weight]


def shares(weights: list[int]) -> np.ndarray[Any, np.dtype[np.float64]]:
    return np.array(weights) / sum(weights)


def mixed(cells: int, seed: int) -> Distribution:
    return Distribution.from_probabilities(np.random.default_rng(seed).dirichlet(np.ones(cells)))


# ---- exactly


@given(WEIGHTS, st.integers(0, 6))
def test_the_exact_chance_equals_that_over_all_outcomes(weights: list[int], people: int) -> None:
    expected = naive.law_by_outcomes(fractions(weights), min(people, 4))[-1]
    found = uniqueness_probability(shares(weights), min(people, 4))
    assert found.probability == pytest.approx(float(expected), rel=1e-13, abs=0)
    recursion = naive.all_unique(fractions(weights), people)
    found = uniqueness_probability(shares(weights), people)
    assert found.probability == pytest.approx(float(recursion), rel=1e-13, abs=0)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.data())
def test_without_replacement_it_equals_that_over_all_samples(
    counts: list[int], data: st.DataObject
) -> None:
    people = data.draw(st.integers(0, min(5, sum(counts))))
    expected = naive.law_by_samples(counts, people)[-1]
    town = Distribution.from_counts(counts)
    found = uniqueness_probability(town, people, without_replacement=True)
    assert found.probability == pytest.approx(float(expected), rel=1e-13, abs=0)


def test_it_equals_the_verified_values(golden: Path) -> None:
    for case in json.loads((golden / "predict-golden.json").read_text())["discrete"]:
        found = uniqueness_probability(shares(case["weights"]), case["k"])
        if case["log_pi_exact"] is None:
            assert found.log_probability == -math.inf
        else:
            assert found.log_probability == pytest.approx(case["log_pi_exact"], rel=1e-13)
        assert found.probability == pytest.approx(case["pi_exact"], rel=1e-12, abs=0)


def test_it_equals_the_verified_values_for_equally_likely_cells(golden: Path) -> None:
    for case in json.loads((golden / "predict-golden.json").read_text())["uniform"]:
        cells = np.full(case["N"], 1 / case["N"])
        for method in ("exact", "uniform", "saddlepoint", "kl"):
            found = uniqueness_probability(cells, case["k"], method)
            assert found.probability == pytest.approx(case["pi_exact"], rel=1e-12, abs=0)
            assert found.error == 0


def test_it_equals_the_verified_values_without_replacement(golden: Path) -> None:
    for case in json.loads((golden / "predict-golden.json").read_text())["hypergeometric"]:
        town = Distribution.from_counts(case["counts"])
        found = uniqueness_probability(town, case["k"], without_replacement=True)
        assert found.probability == pytest.approx(case["pi"], rel=1e-12, abs=0)


@pytest.mark.parametrize(("people", "cells", "percent"), [(29, 95, 0.84), (41, 190, 0.95)])
def test_the_chances_for_age_and_for_age_and_gender_are_those_of_section_4_4(
    people: int, cells: int, percent: float
) -> None:
    found = uniqueness_probability(np.full(cells, 1 / cells), people)
    assert round(100 * found.probability, 2) == percent


def test_the_digits_hold_for_ten_thousand_people_and_a_hundred_thousand_cells() -> None:
    # two kinds of cells: e_k is a sum of products of binomials, here in 60 digits
    many, few, people = 90_000, 10_000, 10_000
    p, q = mpmath.mpf(1) / 150_000, mpmath.mpf(4) / 100_000
    with mpmath.workdps(60):
        term = mpmath.binomial(few, 0) * mpmath.binomial(many, people) * p**people
        total = term
        for taken in range(1, people + 1):
            rest = people - taken
            term *= mpmath.mpf(few - taken + 1) / taken * (rest + 1) / (many - rest) * q / p
            total += term
        expected = mpmath.log(mpmath.factorial(people) * total)
        cells = np.repeat([float(p), float(q)], [many, few])
        found = uniqueness_probability(cells, people)
        assert abs(mpmath.mpf(found.log_probability) - expected) < 1e-11


def test_one_by_one_cells_give_the_same_digits_as_groups() -> None:
    # a hair's breadth apart, so that cells do not count as equally likely
    cells = np.repeat([1 / 1500, 4 / 1000], [900, 100])
    apart = cells * (1 + 2.3e-16 * (np.arange(len(cells)) % 450))
    assert len(Distribution.from_probabilities(apart).probabilities) > 300
    together = uniqueness_probability(cells, 100).log_probability
    assert uniqueness_probability(apart, 100).log_probability == pytest.approx(together, abs=1e-11)


def test_a_simulation_agrees() -> None:
    rng = np.random.default_rng(4)
    weights = rng.dirichlet(np.ones(40))
    draws = np.sort(rng.choice(40, size=(40_000, 6), p=weights), axis=1)
    seen = float((np.diff(draws, axis=1) > 0).all(axis=1).mean())
    expected = uniqueness_probability(weights, 6).probability
    assert abs(seen - expected) < 4 * math.sqrt(expected * (1 - expected) / 40_000)


# ---- at the edges


def test_nobody_and_one_person_are_always_unique() -> None:
    assert uniqueness_probability([0.9, 0.1], 0).probability == 1
    assert uniqueness_probability([0.9, 0.1], 1).probability == 1


def test_more_people_than_cells_cannot_all_be_unique() -> None:
    found = uniqueness_probability([0.5, 0.5, 0.0], 3)
    assert (found.probability, found.log_probability) == (0, -math.inf)
    assert str(found) == "3 people cannot all be unique: there are too few cells"
    assert uniqueness_probability([0.5, 0.5, 0.0], 3, "kl").probability == 0


def test_a_chance_too_small_for_a_number_keeps_its_logarithm() -> None:
    found = uniqueness_probability(mixed(3000, 1), 2500)
    assert found.probability == 0
    assert -10_000 < found.log_probability < -1000
    assert str(found).startswith("All 2,500 people are unique with probability 10^-")


def test_a_sample_of_people_who_are_all_different_is_certain() -> None:
    town = Distribution.from_counts(np.ones(50, dtype=int))
    assert uniqueness_probability(town, 20, without_replacement=True).probability == 1


def test_infinitely_many_cells_are_no_obstacle() -> None:
    heights = Distribution.from_scipy(stats.norm(170, 10), width=1)
    assert 0 < uniqueness_probability(heights, 10).probability < 1
    assert uniqueness_probability(heights, 10, "uniform").probability == 1
    with pytest.raises(UndefinedMeasure, match="infinitely many"):
        uniqueness_probability(heights, 10, "kl")


def test_next_to_impossible_cells_do_no_harm() -> None:
    cells = [0.5, 0.5 - 1e-300, 1e-300]
    found = uniqueness_probability(cells, 3)
    assert found.log_probability == pytest.approx(math.log(6 * 0.25) - 300 * math.log(10))


@given(WEIGHTS, st.integers(2, 6))
def test_equally_likely_cells_make_it_most_likely(weights: list[int], people: int) -> None:
    found = uniqueness_probability(shares(weights), people)
    most = uniqueness_probability(shares(weights), people, "uniform")
    assert found.log_probability <= most.log_probability + 1e-12


@given(WEIGHTS.filter(lambda weights: len(weights) > 1), st.integers(1, 6))
def test_merging_two_cells_never_raises_it(weights: list[int], people: int) -> None:
    merged = [weights[0] + weights[1], *weights[2:]]
    apart = uniqueness_probability(shares(weights), people).log_probability
    together = uniqueness_probability(shares(merged), people).log_probability
    assert together <= apart + 1e-12


def test_large_samples_are_drawn_without_replacement_with_a_note() -> None:
    town = Distribution.from_counts([3, 2, 1, 1, 4, 2])
    found = uniqueness_probability(town, 3)
    assert found.without_replacement
    assert "nobody is drawn twice" in found.notes[0]
    assert found.probability == pytest.approx(0.6118881118881119, rel=1e-12)
    again = uniqueness_probability(town, 3, without_replacement=False)
    assert again.probability < found.probability


# ---- approximately


def test_the_approximations_equal_the_verified_values(golden: Path) -> None:
    tested = 0
    for case in json.loads((golden / "predict-golden.json").read_text())["discrete"]:
        if case["k"] > case["support"]:
            continue
        expected = case["pi_approx"]["kl_piu*exp(-k^2 kappa/N)"]
        try:
            found = uniqueness_probability(shares(case["weights"]), case["k"], "kl")
        except UndefinedMeasure:
            assert case["kappa"] > 0.25
            assert expected < 0.5
            continue
        assert found.probability == pytest.approx(expected, rel=1e-9)
        tested += 1
        uniform = uniqueness_probability(shares(case["weights"]), case["k"], "uniform")
        assert uniform.probability == pytest.approx(case["pi_uniform"], rel=1e-9)
    assert tested >= 8


@given(st.integers(3, 150), st.integers(2, 150), st.floats(0.2, 50), st.integers(0, 999))
def test_the_saddlepoint_is_as_good_as_it_says(
    cells: int, people: int, evenness: float, seed: int
) -> None:
    weights = np.random.default_rng(seed).dirichlet(np.full(cells, evenness)) + 1e-9
    weights /= weights.sum()
    people = min(people, cells)
    found = uniqueness_probability(weights, people, "saddlepoint")
    exact = uniqueness_probability(weights, people)
    if found.error is not None:
        assert abs(found.log_probability - exact.log_probability) <= found.error
    else:
        assert "use method='exact'" in found.warnings[0]


@given(st.integers(80, 400), st.floats(0.01, 0.9), st.floats(0.3, 60), st.integers(0, 99))
def test_the_kullback_leibler_approximation_is_as_good_as_it_says(
    cells: int, share: float, evenness: float, seed: int
) -> None:
    weights = np.random.default_rng(seed).dirichlet(np.full(cells, evenness))
    people = max(2, int(share * cells))
    exact = uniqueness_probability(weights, people)
    try:
        found = uniqueness_probability(weights, people, "kl")
    except UndefinedMeasure:
        return
    off = abs(found.log_probability - exact.log_probability)
    assert found.error == pytest.approx(off, rel=1e-9, abs=1e-12)


def test_the_approximation_warns_with_its_error_and_then_refuses() -> None:
    gentle = Distribution.from_probabilities(np.repeat([0.8, 1.2], 500) / 1000)
    assert uniqueness_probability(gentle, 20, "kl").warnings == ()
    steeper = Distribution.from_probabilities(np.repeat([0.4, 1.6], 500) / 1000)
    found = uniqueness_probability(steeper, 100, "kl")
    exact = uniqueness_probability(steeper, 100)
    assert found.error == pytest.approx(abs(found.log_probability - exact.log_probability))
    assert found.error > 0.05
    assert found.warnings[0].startswith("The approximation is off by a factor of")
    steep = Distribution.from_probabilities(np.repeat([0.1, 1.9], 500) / 1000)
    with pytest.raises(UndefinedMeasure, match=r"means nothing for a probability below 0\.5"):
        uniqueness_probability(steep, 60, "kl")


@pytest.mark.parametrize(
    ("shares", "people"),
    [
        (np.repeat([0.4, 0.1, 0.5 / 524], [1, 1, 524]), 237),  # two heavy cells, all others light
        (np.repeat([0.3, 0.7 / 107], [1, 107]), 51),
        (np.repeat([1 / 70, 0.0], [70, 7]) * 0.9 + 0.1 / 77, 20),
        (np.arange(1.0, 197) ** -2 / (np.arange(1.0, 197) ** -2).sum(), 23),
    ],
)
def test_the_error_of_the_saddlepoint_holds_for_uneven_cells(shares, people) -> None:
    found = uniqueness_probability(shares, people, "saddlepoint")
    exact = uniqueness_probability(shares, people)
    assert abs(found.log_probability - exact.log_probability) <= found.error


def test_where_numbers_of_cells_allow_no_exact_answer_it_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("singleout.predict.uniqueness.methods.coefficient", lambda *_, **__: -1e-18)
    found = uniqueness_probability(mixed(100, 1), 20)
    assert 0 < found.error < 0.01
    assert "no exact answer" in found.warnings[0]


def test_unequal_cells_taken_for_equal_ones_are_warned_about() -> None:
    found = uniqueness_probability([0.5, 0.3, 0.2], 2, "uniform")
    assert "the most it can be" in found.warnings[0]


def test_an_unknown_method_is_refused_with_those_there_are() -> None:
    with pytest.raises(BadChoice, match="choose one of exact, saddlepoint, kl, uniform"):
        uniqueness_probability([0.5, 0.5], 2, "poisson")


# ---- as a result


def test_it_shows_itself() -> None:
    found = uniqueness_probability([0.4, 0.3, 0.2, 0.1], 2)
    assert float(found) == pytest.approx(0.7)
    assert str(found) == "All 2 people are unique with probability 0.7"
    assert found.to_dict()["method"] == "exact"
    assert found.to_frame()["probability"][0] == pytest.approx(0.7)
    assert "<table" in found._repr_html_()
    json.dumps(uniqueness_probability([0.5, 0.5], 3).to_dict(), allow_nan=False)


def test_the_picture_goes_through_the_answer() -> None:
    found = uniqueness_probability(np.full(95, 1 / 95), 29)
    drawn = found.plot().to_dict()
    curve, dot = (drawn["datasets"][layer["data"]["name"]] for layer in drawn["layer"])
    points = {row["people"]: row["probability"] for row in curve}
    assert points[29] == pytest.approx(found.probability)
    assert points[1] == 1
    assert dot == [{"people": 29, "probability": pytest.approx(found.probability)}]
    town = Distribution.from_counts([3, 2, 1, 1, 4, 2])
    assert uniqueness_probability(town, 5).plot().to_dict()["layer"]


# ---- logarithms of products


@pytest.mark.parametrize("cells", [1, 2, 5, 15, 16, 17, 95, 10**4, 10**9])
@pytest.mark.parametrize("share", [0, 1e-4, 0.03, 0.06, 0.5, 0.999, 1])
def test_logarithms_of_falling_products_keep_their_digits(cells: int, share: float) -> None:
    draws = round(share * cells)
    with mpmath.workdps(50):
        expected = mpmath.loggamma(cells + 1) - mpmath.loggamma(cells - draws + 1)
        expected -= draws * mpmath.log(cells)
        gap = abs(mpmath.mpf(float(log_all_different(draws, cells))) - expected)
        assert gap <= 1e-14 + 4e-16 * abs(expected)


def test_modes_of_poisson_and_binomial_variables_keep_their_digits() -> None:
    for people, population in [(1, 2), (3, 10), (16, 40), (20_000, 10**6)]:
        with mpmath.workdps(40):
            share = mpmath.mpf(people) / population
            poisson = people * mpmath.log(people) - people - mpmath.loggamma(people + 1)
            ways = mpmath.log(mpmath.binomial(population, people))
            rest = (population - people) * mpmath.log(1 - share)
            binomial = ways + people * mpmath.log(share) + rest
        assert log_poisson_mode(people) == pytest.approx(float(poisson), abs=2e-14)
        assert log_binomial_mode(people, population) == pytest.approx(float(binomial), abs=2e-14)
