from __future__ import annotations

import json
from fractions import Fraction
from math import comb, perm
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, special, stats

import naive_set_sizes as naive
from singleout.errors import BadChoice, UndefinedMeasure
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.set_sizes.group_sizes import group_sizes

WEIGHTS = st.lists(st.integers(0, 5), min_size=1, max_size=4).filter(any)
SHARES = st.lists(st.integers(0, 1000), min_size=1, max_size=60).filter(any)


def fractions(weights: list[int]) -> list[Fraction]:
    return [Fraction(weight, sum(weights)) for weight in weights]


def verified(golden: Path, part: str) -> list[dict]:
    return json.loads((golden / "predict-golden.json").read_text(encoding="utf-8"))[part]


# ---- exactly


@given(WEIGHTS, st.integers(1, 4))
def test_expected_sets_equal_the_sum_over_all_outcomes(weights, people):
    shares = fractions(weights)
    slow = naive.expected_sets(naive.outcomes(shares, people), len(shares), people)
    found = group_sizes([float(share) for share in shares], people)
    np.testing.assert_allclose(found.sets, [float(many) for many in slow], rtol=1e-12, atol=1e-14)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=4).filter(any), st.data())
def test_without_replacement_they_equal_the_sum_over_all_draws(counts, data):
    people = data.draw(st.integers(1, sum(counts)))
    slow = naive.expected_sets(naive.draws(counts, people), len(counts), people)
    spread = Distribution.from_counts(counts)
    found = group_sizes(spread, people, up_to=99, without_replacement=True)
    np.testing.assert_allclose(found.sets, [float(many) for many in slow], rtol=1e-12, atol=1e-14)


@given(SHARES, st.integers(1, 60))
def test_shares_of_cells_and_of_people_sum_to_one(weights, people):
    found = group_sizes([float(share) for share in fractions(weights)], people, up_to=people)
    assert found.share_of_cells.sum() == pytest.approx(1, abs=1e-12)
    assert found.share_of_people.sum() == pytest.approx(1, abs=1e-12)
    assert found.at_most(people) == pytest.approx(1, abs=1e-12)
    assert float(found.sets[1:].sum()) == pytest.approx(found.occupied, rel=1e-9)


def test_every_verified_distribution_is_reproduced(golden):
    for case in verified(golden, "discrete"):
        weights = np.array(case["weights"], dtype=float)
        people = case["k"]
        found = group_sizes(weights / weights.sum(), people, up_to=6)
        cells, share = case["gamma_exact_j0_6"], case["phi_exact_j1_6"]
        np.testing.assert_allclose(found.share_of_cells, cells, rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(found.share_of_people[1:], share, rtol=1e-9, atol=1e-15)
        assert found.sets[1] == pytest.approx(case["ES"], rel=1e-9)
        if people >= 2:
            assert found.sets[2] == pytest.approx(case["E_doubletons"], rel=1e-9)
        at_five = found.at_most(min(5, people))
        assert at_five == pytest.approx(case["share_in_groups_le5"], rel=1e-9)


def test_every_verified_uniform_distribution_is_reproduced(golden):
    for case in verified(golden, "uniform"):
        found = group_sizes(np.full(case["N"], 1 / case["N"]), case["k"], up_to=4)
        np.testing.assert_allclose(found.share_of_cells, case["gamma_exact_j0_4"], rtol=1e-9)
        np.testing.assert_allclose(found.share_of_people[1:], case["phi_exact_j1_4"], rtol=1e-9)
        assert found.sets[1] == pytest.approx(case["ES"], rel=1e-9)


def test_every_verified_draw_from_a_population_is_reproduced(golden):
    for case in verified(golden, "hypergeometric"):
        spread = Distribution.from_counts(case["counts"])
        found = group_sizes(spread, case["k"], up_to=3, without_replacement=True)
        share = case["phi_j1_3"][: len(found.share_of_people) - 1]
        np.testing.assert_allclose(found.share_of_people[1:], share, rtol=1e-9, atol=1e-15)
        assert found.sets[1] == pytest.approx(case["ES"], rel=1e-9, abs=1e-15)


def test_365_people_have_134_unique_birthdays():
    # Remark 5.4: sampling as many people as days maximises the unique ones, 134 of them
    birthdays = np.full(365, 1 / 365)
    unique = {people: group_sizes(birthdays, people, up_to=1).sets[1] for people in (300, 365, 430)}
    assert round(unique[365]) == 134
    assert unique[365] == pytest.approx(365 / np.e, rel=0.002)
    assert unique[365] > max(unique[300], unique[430])


def test_digits_survive_large_populations():
    # C(c, 1) C(n-c, k-1) / C(n, k) in whole numbers, where logarithms of factorials lose digits
    counts = [400_000, 3_000, 7, 1]
    population, people = sum(counts), 60_000
    found = group_sizes(Distribution.from_counts(counts), people, up_to=2)
    for size in (1, 2):
        exact = sum(
            Fraction(
                comb(count, size) * perm(people, size) * perm(population - people, count - size),
                perm(population, count),
            )
            for count in (7, 1)
            if count >= size
        )
        assert found.sets[size] == pytest.approx(float(exact), rel=1e-11)


def test_a_simulation_agrees():
    rng = np.random.default_rng(20)
    shares = rng.dirichlet(np.ones(50))
    tally = np.zeros(6)
    for _ in range(4000):
        sizes = np.bincount(rng.choice(50, size=40, p=shares), minlength=50)
        tally += np.bincount(np.minimum(sizes, 6), minlength=7)[:6]
    found = group_sizes(shares, 40, up_to=5)
    np.testing.assert_allclose(tally / 4000, found.sets, rtol=0.03, atol=0.03)


# ---- drawing without replacement


def test_more_than_one_percent_of_a_population_is_drawn_without_replacement_with_a_note():
    spread = Distribution.from_counts([500, 300, 200])
    few, many = group_sizes(spread, 10), group_sizes(spread, 11)
    assert not few.without_replacement
    assert many.without_replacement
    assert any("without replacement" in note for note in many.notes)


def test_the_whole_population_has_the_sets_that_were_counted():
    found = group_sizes(Distribution.from_counts([1, 1, 2, 5]), people=9)
    np.testing.assert_allclose(found.sets, [0, 2, 1, 0, 0, 1, 0, 0, 0, 0], atol=1e-12)


def test_drawing_from_probabilities_without_replacement_is_refused():
    with pytest.raises(BadChoice, match="counts"):
        group_sizes([0.5, 0.5], 3, without_replacement=True)


def test_more_people_than_the_population_are_refused():
    with pytest.raises(BadChoice, match="population of 4"):
        group_sizes(Distribution.from_counts([2, 2]), 5)


# ---- approximately


def test_printed_approximations_are_reproduced_or_refused(golden):
    for case in verified(golden, "discrete"):
        kl, crowd = case["kappa"], case["k"] / case["N"]
        weights = np.array(case["weights"], dtype=float)
        if kl > 0.5 or (crowd > 2 and kl > 0.1):
            with pytest.raises(UndefinedMeasure, match="means nothing"):
                group_sizes(weights / weights.sum(), case["k"], method="kl")
            continue
        found = group_sizes(weights / weights.sum(), case["k"], up_to=6, method="kl")
        cells = np.array(case["gamma_eq5_5_j0_6"])
        people = np.array(case["phi_eq6_2_j1_6"])
        fine = (cells[1:] >= 0) & (people <= 1)
        np.testing.assert_allclose(found.share_of_people[1:][fine], people[fine], rtol=1e-9)
        np.testing.assert_allclose(found.share_of_cells[1:][fine], cells[1:][fine], rtol=1e-9)
        assert (found.share_of_people >= 0).all()
        assert fine.all() == (not any("clipped" in warning for warning in found.warnings))


@given(st.integers(80, 2000), st.floats(0, 0.49), st.floats(0.5, 1.99))
def test_approximations_sum_to_one(cells, kl, crowd):
    people = round(crowd * cells)
    spread = Distribution.from_summary(cells=cells, kl=kl)
    for method in ("kl", "kl-finite", "gamma"):
        found = group_sizes(spread, people, up_to=150, method=method)
        assert found.share_of_cells.sum() == pytest.approx(1, abs=1e-6)
        assert found.share_of_people.sum() == pytest.approx(1, abs=1e-6)


def test_the_finite_form_is_exact_where_cells_are_equally_likely():
    for cells, people in ((1, 1), (1, 3), (2, 5), (7, 7), (20, 9)):
        shares = np.full(cells, 1 / cells)
        exact = group_sizes(shares, people)
        near = group_sizes(shares, people, method="kl-finite")
        np.testing.assert_allclose(near.sets, exact.sets, rtol=1e-12, atol=1e-14)


@given(st.integers(2, 2000), st.floats(0.001, 0.49), st.floats(0.1, 1.99))
def test_the_number_of_unique_people_is_within_its_range(cells, kl, crowd):
    people = max(1, round(crowd * cells))
    spread = Distribution.from_summary(cells=cells, kl=min(kl, 0.9 * np.log(cells)))
    for method in ("kl", "kl-finite", "gamma"):
        found = group_sizes(spread, people, method=method)
        assert found.low <= found.unique <= found.high
        assert found.unique_share == found.unique / people
        assert found.formula_value == found.sets[1]


def test_a_number_of_unique_people_that_cannot_be_is_told():
    found = group_sizes(Distribution.from_summary(cells=80, kl=0.086), 40, method="kl")
    assert found.formula_value == pytest.approx(22.70, abs=0.005)
    assert found.formula_value < found.low == pytest.approx(found.unique)
    assert any("so few" in warning for warning in found.warnings)
    assert group_sizes([0.5, 0.5], 3).formula_value is None


def test_a_negative_share_is_clipped_with_a_warning():
    # beyond ten people per cell the bracket of (5.6) is negative near the mean size
    spread = Distribution.from_summary(cells=100, kl=0.0999)
    found = group_sizes(spread, 1200, up_to=20, method="kl")
    assert naive.share_of_people_5_6(100, spread.kl, 1200, 12) < 0
    assert found.share_of_people[12] == 0
    assert (found.share_of_people >= 0).all()
    assert any("clipped" in warning for warning in found.warnings)


def test_the_gamma_law_gives_the_negative_binomial_distribution():
    spread = Distribution.from_summary(cells=500, kl=0.3)
    found = group_sizes(spread, 400, up_to=8, method="gamma")
    c = optimize.brentq(lambda c: special.digamma(1 + 1 / c) + np.log(c) - 0.3, 0.1, 2)
    sizes = np.arange(1, 9)
    expected = stats.nbinom.pmf(sizes - 1, 1 + 1 / c, 1 / (1 + 0.8 * c))
    np.testing.assert_allclose(found.share_of_people[1:], expected, rtol=1e-9)


def test_an_approximation_knows_no_population():
    with pytest.raises(BadChoice, match="'exact'"):
        group_sizes(Distribution.from_counts([5, 5]), 3, method="kl", without_replacement=True)


def test_an_approximation_needs_a_finite_number_of_cells():
    spread = Distribution.from_scipy(stats.norm(), 0.5)
    assert not np.isfinite(spread.cells)
    with pytest.raises(BadChoice, match="finite number of cells"):
        group_sizes(spread, 5, method="gamma")


# ---- the result


def test_infinitely_many_cells_have_shares_of_people_only():
    found = group_sizes(Distribution.from_scipy(stats.norm(), 0.5), 5)
    assert found.share_of_people.sum() == pytest.approx(1, abs=1e-9)
    frame = found.to_frame()
    assert frame["share_of_cells"].null_count() == len(frame)
    assert frame["sets"].to_list()[0] is None
    json.dumps(found.to_dict(), allow_nan=False)


def test_the_frame_has_a_row_for_each_size_and_adds_up():
    found = group_sizes([0.4, 0.3, 0.2, 0.1], 3, up_to=2)
    frame = found.to_frame()
    assert frame["size"].to_list() == [0, 1, 2]
    assert frame["share_at_most"].to_list()[-1] == pytest.approx(found.at_most(2))
    assert found.unique_share == pytest.approx(0.5)
    assert json.loads(json.dumps(found.to_dict()))["sizes"][1]["size"] == 1
    assert "of at most 2" in str(found)
    assert "<table" in found._repr_html_()


def test_sizes_beyond_those_asked_for_are_refused_with_what_to_ask():
    with pytest.raises(BadChoice, match="up_to=4"):
        group_sizes([0.5, 0.5], 9, up_to=3).at_most(4)


def test_the_picture_adds_what_is_beyond_the_largest_size():
    found = group_sizes(np.full(10, 0.1), 50, up_to=4)
    (rows,) = found.plot().to_dict()["datasets"].values()
    sizes = [row["size"] for row in rows]
    assert sizes == ["1", "2", "3", "4", "more than 4"]
    assert sum(row["share"] for row in rows) == pytest.approx(1)


@pytest.mark.parametrize("people", [0, -1, 2.5, "3", True, None])
def test_a_number_of_people_that_is_none_is_refused(people):
    with pytest.raises(BadChoice, match="whole number, 1 or more"):
        group_sizes([0.5, 0.5], people)


@pytest.mark.parametrize("up_to", [0, -1, 2.5, "3", True])
def test_a_largest_size_that_is_none_is_refused(up_to):
    with pytest.raises(BadChoice, match="up_to"):
        group_sizes([0.5, 0.5], 3, up_to=up_to)


def test_an_unknown_method_is_refused_with_those_there_are():
    with pytest.raises(BadChoice, match="kl-finite"):
        group_sizes([0.5, 0.5], 3, method="kl-infinite")
