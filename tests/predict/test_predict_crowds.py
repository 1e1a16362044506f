"""Hundreds of people in a cell, huge populations, one person: where digits are lost first."""

from __future__ import annotations

import math
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from singleout.predict import Distribution, for_person, group_sizes, interval_width, singletons
from singleout.predict.set_sizes.chances import (
    binomial_below,
    hypergeometric,
    hypergeometric_below,
    log_missed_drawn,
)
from singleout.predict.set_sizes.shares import drawn_shares, share_below
from singleout.predict.uniqueness.contour import condensed


def law_of_equal_cells(cells: int, people: int, most: int) -> list[float]:
    """Inclusion and exclusion over cells with one person: Koot (2012), 5.4.2, in fractions."""
    moments = [
        Fraction(comb(cells, i) * math.perm(people, i) * (cells - i) ** (people - i), cells**people)
        for i in range(min(cells, people) + 1)
    ]
    return [
        float(sum((-1) ** (i - j) * comb(i, j) * moments[i] for i in range(j, len(moments))))
        for j in range(most)
    ]


@pytest.mark.parametrize(("cells", "people"), [(10, 100), (20, 150), (30, 240), (10, 1000)])
def test_the_law_of_crowded_cells_is_that_of_inclusion_and_exclusion(cells, people):
    found = singletons([1 / cells] * cells, people).pmf()
    expected = law_of_equal_cells(cells, people, most=cells + 1)
    np.testing.assert_allclose(found[: cells + 1], expected, rtol=0, atol=1e-14)
    assert found[cells + 1 :].max() <= 1e-15


@pytest.mark.parametrize(
    ("cells", "people"),
    [(200, 5000), (100, 10_000), (100, 100_000), (1000, 100_000), (50, 50_000), (2000, 10_000)],
)
def test_the_law_has_the_mean_and_deviation_with_up_to_a_thousand_people_in_a_cell(cells, people):
    found = singletons([1 / cells] * cells, people)
    law, numbers = found.pmf(), np.arange(people + 1)
    assert law @ numbers == pytest.approx(found.mean, rel=1e-8, abs=1e-13)
    spread = math.sqrt(law @ (numbers - found.mean) ** 2)
    assert spread == pytest.approx(found.sd, rel=1e-5, abs=1e-12)
    assert law[0] == pytest.approx(found.probability_none, abs=1e-11)
    assert found.interval()[0] <= found.mean <= found.interval()[1] + 1


@pytest.mark.parametrize("share", [0.1, 0.9])
def test_the_law_of_a_large_sample_from_crowded_cells_has_its_mean(share):
    rng = np.random.default_rng(3)
    counts = rng.multinomial(100_000, rng.dirichlet(np.full(100, 0.5)))
    people = round(share * 100_000)
    found = singletons(Distribution.from_counts(counts), people, without_replacement=True)
    law, numbers = found.pmf(), np.arange(people + 1)
    assert law @ numbers == pytest.approx(found.mean, rel=1e-11)
    assert law @ (numbers - found.mean) ** 2 == pytest.approx(found.variance, rel=1e-10)
    assert law[0] == pytest.approx(found.probability_none, abs=1e-12)


@given(st.lists(st.integers(1, 40), min_size=2, max_size=6), st.integers(2, 300))
def test_the_variance_keeps_its_digits_where_hardly_anybody_is_unique(weights, people):
    total = sum(weights)
    shares = [Fraction(weight, total) for weight in weights]
    mean = people * sum(p * (1 - p) ** (people - 1) for p in shares)
    pairs = sum(
        p * q * (1 - p - q) ** (people - 2)
        for i, p in enumerate(shares)
        for j, q in enumerate(shares)
        if i != j
    )
    exact = float(mean - mean**2 + people * (people - 1) * pairs)
    found = singletons([weight / total for weight in weights], people).variance
    assert found == pytest.approx(exact, rel=1e-10, abs=1e-15 if people < 20 else 1e-250)


def test_the_variance_of_a_large_sample_is_the_mean_where_both_are_next_to_nothing():
    town = Distribution.from_counts([5000] * 10)
    found = singletons(town, 1000, without_replacement=True)
    assert 0 < found.mean < 1e-40
    assert found.variance == pytest.approx(found.mean, rel=1e-9)


def test_numbers_of_people_are_written_as_people_read_them():
    assert "Of 12,345 people 10,911 (88.4%)" in str(singletons([1e-5] * 100_000, 12_345))
    assert "less than 0.0001" in str(singletons([0.1] * 10, 1000))
    title = singletons([1e-5] * 100_000, 12_345).plot().to_dict()["title"]
    assert "line: 10,911 on average" in title["subtitle"]
    assert "e+" not in str(interval_width(list(range(100_000)), [1, 2], 50_000))


def test_a_distribution_with_a_heavy_tail_has_whole_cells_and_so_a_law():
    spread = Distribution.from_scipy(stats.cauchy(), 1)
    assert spread.has_whole_cells
    found = singletons(spread, 50)
    assert found.pmf() @ np.arange(51) == pytest.approx(found.mean, rel=1e-9)


@pytest.mark.parametrize("exponent", [0.8, 1.2, 3.0])
def test_the_cells_of_a_tail_are_condensed_without_changing_a_product(exponent):
    means = 20.0 / np.arange(1, 20_001) ** exponent
    times = np.arange(20_000) % 3 + 1
    few, how_many = condensed(means, times)
    assert len(few) < 2000
    assert (how_many > 0).all()
    assert (how_many * few).sum() == pytest.approx((times * means).sum(), rel=1e-14)
    at = np.exp(2j * np.pi * np.linspace(0, 1, 9))
    for x in at:
        for y in at:
            every, condensate = (
                (m * np.log1p(np.expm1(z * (x - 1)) + z * np.exp(-z) * (y - 1) * x)).sum()
                for z, m in ((means, times), (few, how_many))
            )
            assert condensate.real == pytest.approx(every.real, rel=1e-12, abs=1e-9)
            assert np.exp(1j * (condensate - every).imag) == pytest.approx(1, abs=1e-8)


# ---- draws from large populations


@pytest.mark.parametrize(
    ("population", "people"), [(17_000_000, 5000), (10**9, 10**6), (10**12, 10**6)]
)
def test_drawing_from_a_large_population_keeps_its_digits(population, people):
    import mpmath as mp

    counts = np.array([10, 1000, population // 1000])
    with mp.workdps(50):
        every = mp.binomial(population - 1, people - 1)
        exact = sum(
            mp.mpf(count) / population * mp.binomial(population - count, people - 1) / every
            for count in counts.tolist()
        )
        assert drawn_shares(counts, population, people)[0] == pytest.approx(float(exact), rel=1e-13)


def test_one_person_of_one_is_alone():
    assert interval_width([5], 1, 1).share_unique.tolist() == [1.0]
    assert interval_width([5, 6], 1, 1).share_unique.tolist() == [1.0]
    assert drawn_shares(np.array([1]), 1, 1).tolist() == [1.0, 0.0, 0.0]
    assert share_below(Distribution.from_counts([1]), 1, 2, without_replacement=True) == 1.0
    assert for_person(Distribution.from_counts({"a": 1}), "a", 1).unique == 1.0


@given(st.integers(1, 30), st.integers(0, 30), st.integers(0, 30), st.integers(0, 12))
def test_chances_of_draws_are_ratios_of_numbers_of_ways(population, members, draws, size):
    members, draws = min(members, population), min(draws, population)

    def ways(number: int) -> Fraction:
        if number > draws:
            return Fraction(0)
        chosen = comb(members, number) * comb(population - members, draws - number)
        return Fraction(chosen, comb(population, draws))

    cell = np.array([members])
    exact = [float(ways(number)) for number in range(size + 1)]
    found = hypergeometric(np.arange(size + 1), population, cell, draws)
    np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-300)
    below = hypergeometric_below(size, population, cell, draws)[0]
    assert below == pytest.approx(sum(exact[:size]), rel=1e-12)
    missed = np.exp(log_missed_drawn(cell, draws, population))[0]
    assert missed == pytest.approx(exact[0], rel=1e-12)


@given(st.integers(0, 30), st.integers(0, 12), st.integers(0, 10))
def test_chances_of_independent_people_are_sums_of_binomial_terms(draws, size, tenths):
    p = Fraction(tenths, 10)
    exact = sum(comb(draws, j) * p**j * (1 - p) ** (draws - j) for j in range(min(size, draws + 1)))
    found = binomial_below(size, draws, np.array([tenths / 10]))[0]
    assert found == pytest.approx(float(exact), rel=1e-12, abs=1e-15)


def test_a_set_is_never_smaller_than_the_draws_force_it_to_be():
    town = Distribution.from_counts({"a": 9, "b": 1})
    mine = for_person(town, "a", people=10, without_replacement=True)
    assert mine.quantile([0, 0.5, 1]).tolist() == [9, 9, 9]


# ---- occupied cells


def test_occupied_cells_do_not_depend_on_how_many_others_are_possible():
    exact = sum(1 - (1 - Fraction(count, 56)) ** 10 for count in (30, 20, 5, 1))
    for cells in (4, 10**6, 1e16, 1e300, math.inf):
        spread = Distribution.from_counts([30, 20, 5, 1], cells=cells)
        found = group_sizes(spread, 10, without_replacement=False)
        assert found.occupied == pytest.approx(float(exact), rel=1e-13)
    drawn = group_sizes(Distribution.from_counts([30, 20, 5, 1]), 10)
    exact = sum(1 - Fraction(comb(56 - count, 10), comb(56, 10)) for count in (30, 20, 5, 1))
    assert drawn.occupied == pytest.approx(float(exact), rel=1e-13)


def test_all_sizes_are_at_most_one_that_is_larger_than_everybody():
    found = group_sizes([0.5, 0.3, 0.2], 2)
    assert found.at_most(5) == pytest.approx(1)
    assert found.at_most(2.0) == found.at_most(2)


def test_shares_cannot_be_written_to():
    found = group_sizes([0.5, 0.3, 0.2], 3)
    with pytest.raises(ValueError, match="read-only"):
        found.share_of_people[1] = 9
