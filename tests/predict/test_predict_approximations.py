from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize
from scipy.special import digamma

import naive_set_sizes as naive
from singleout.errors import BadChoice, UndefinedMeasure
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.singletons.approximations import (
    approximate_set_shares,
    approximate_singletons,
)
from singleout.predict.singletons.singletons import singletons
from singleout.predict.singletons.variance import approximate_variance
from singleout.predict.uniqueness.uniqueness import uniqueness_probability

KL = st.floats(0, 0.49)
CELLS = st.integers(80, 3000)
CROWD = st.floats(0.01, 1.99)


# ---- the formulas


@given(CELLS, KL, CROWD)
def test_kl_is_the_printed_formula(cells, kl, crowd):
    people = max(1, round(crowd * cells))
    found = approximate_singletons(cells, kl, people, formula="kl")
    assert found.formula_value == pytest.approx(naive.singletons_5_4(cells, kl, people), rel=1e-12)
    shares = approximate_set_shares(cells, kl, people, 5, "kl").shares
    for size in range(6):
        printed = naive.share_of_cells_5_5(cells, kl, people, size)
        if printed >= 0:
            assert shares[size] == pytest.approx(printed, rel=1e-9)


@given(st.integers(2, 3000), KL, CROWD)
def test_kl_finite_is_5_4_with_finite_cells(cells, kl, crowd):
    people = max(1, round(crowd * cells))
    if people > 2 * cells or kl > np.log(cells):
        return
    rest = 1 - 1 / cells
    bracket = 1 + (people - 1) / cells * (people / cells - 2) / rest**2 * kl
    written = people * rest ** (people - 1) * bracket
    found = approximate_singletons(cells, kl, people)
    if "clipped" not in " ".join(found.warnings):
        assert found.formula_value == pytest.approx(written, rel=1e-9)


def test_kl_finite_tends_to_kl_for_many_cells():
    near = approximate_singletons(10**7, 0.05, 5 * 10**6)
    far = approximate_singletons(10**7, 0.05, 5 * 10**6, formula="kl")
    assert near.value == pytest.approx(far.value, rel=1e-6)


def test_first_order_means_an_error_of_second_order():
    # alpha = 1 ± eps on either half: halving eps divides the error by 16, kappa being eps² / 2
    cells, people, errors = 400, 300, []
    for eps in (0.4, 0.2, 0.1):
        shares = np.repeat([1 + eps, 1 - eps], cells // 2) / cells
        exact = float(naive.singletons(shares, people))
        found = approximate_singletons(cells, naive.distance(shares), people)
        errors.append(abs(found.value - exact))
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.2)
    assert errors[1] / errors[2] == pytest.approx(16, rel=0.2)


def test_the_gamma_formula_reproduces_the_verified_values(golden):
    # they are for a given variance chi2: the distance that has it is psi(1 + 1/c) + ln c
    cases = json.loads((golden / "predict-golden.json").read_text(encoding="utf-8"))["discrete"]
    tried = 0
    for case in cases:
        variance = case["chi2"]
        if not 1e-6 < variance < 5:
            continue
        kl = float(digamma(1 + 1 / variance) + np.log(variance))
        if kl > np.log(case["N"]):
            continue
        found = approximate_singletons(case["N"], kl, case["k"], formula="gamma")
        assert found.formula_value == pytest.approx(case["ES_gamma_chi2"], rel=1e-8)
        tried += 1
    assert tried > 10


def test_printed_singletons_are_reproduced(golden):
    cases = json.loads((golden / "predict-golden.json").read_text(encoding="utf-8"))["discrete"]
    for case in cases:
        kl, crowd = case["kappa"], case["k"] / case["N"]
        if kl > 0.5 or (crowd > 2 and kl > 0.1):
            with pytest.raises(UndefinedMeasure):
                approximate_singletons(case["N"], kl, case["k"], formula="kl")
        elif case["ES_eq5_4"] >= 0:
            found = approximate_singletons(case["N"], kl, case["k"], formula="kl")
            assert found.formula_value == pytest.approx(case["ES_eq5_4"], rel=1e-9)


def test_the_corrected_variance_is_reproduced(golden):
    cases = json.loads((golden / "predict-golden.json").read_text(encoding="utf-8"))["discrete"]
    tried = 0
    for case in cases:
        cells, kl, people = case["N"], case["kappa"], case["k"]
        corrected = naive.variance_5_3_2_corrected(cells, kl, people)
        assert corrected == pytest.approx(case["VarS_approx_corrected"], rel=1e-9)
        printed = naive.variance_5_3_2_printed(cells, kl, people)
        assert printed == pytest.approx(case["VarS_approx_thesis"], rel=1e-9)
        if kl > 0.1 or people < 0.1 * cells:
            with pytest.raises(UndefinedMeasure, match="power_sums"):
                approximate_variance(cells, kl, people)
            continue
        # the slope of the corrected formula on top of the exact variance for equal cells
        slope = corrected - naive.variance_5_3_2_corrected(cells, 0.0, people)
        uniform = naive.variance_if_uniform(cells, people, exponent=2 * people - 2)
        found = approximate_variance(cells, kl, people)
        assert found.value == pytest.approx(max(0.0, uniform + slope), rel=1e-9)
        tried += 1
        assert found.low <= case["VarS"] * (1 + 1e-9)
        assert case["VarS"] <= found.high * (1 + 1e-9)
    assert tried >= 5


# ---- where they hold


@pytest.mark.parametrize(
    ("kl", "crowd", "error"),
    [(0.03, 0.25, 0.01), (0.14, 0.25, 0.04), (0.05, 1.0, 0.05), (0.14, 1.0, 0.15)],
)
def test_the_error_that_is_stated_is_what_other_distributions_leave_open(kl, crowd, error):
    found = approximate_singletons(1000, kl, round(1000 * crowd))
    assert found.error == max(found.value / found.low - 1, 1 - found.value / found.high)
    assert error / 2 < found.error < error
    assert (found.error > 0.1) == any("can be off by" in warning for warning in found.warnings)


def test_where_hardly_anybody_may_be_unique_no_error_is_stated():
    found = approximate_singletons(10, 0.1, 20_000, formula="gamma")
    assert found.low == 0
    assert found.error is None
    assert any("by any factor" in warning for warning in found.warnings)


@pytest.mark.parametrize(("kl", "crowd"), [(0.51, 0.1), (2.0, 1.0), (0.11, 2.1), (0.4, 5.0)])
def test_where_it_says_nothing_it_refuses(kl, crowd):
    for formula in ("kl", "kl-finite"):
        with pytest.raises(UndefinedMeasure, match="'gamma'"):
            approximate_singletons(1000, kl, round(1000 * crowd), formula=formula)
    found = approximate_singletons(1000, kl, round(1000 * crowd), formula="gamma")
    assert found.error > 0.05
    assert 0 <= found.share <= 1


def test_few_cells_cost_an_error_of_their_own_unless_the_formula_is_finite():
    limit, finite = (approximate_singletons(20, 0.02, 10, formula=f) for f in ("kl", "kl-finite"))
    assert limit.formula_value < limit.low == limit.value < limit.high
    assert limit.error == pytest.approx(limit.high / limit.low - 1, abs=0.01)
    assert finite.formula_value == finite.value
    exact = 10 * 0.95**9
    none = [
        approximate_singletons(20, 0.0, 10, formula=f).formula_value for f in ("kl", "kl-finite")
    ]
    assert none[1] == pytest.approx(exact, rel=1e-12)
    assert abs(none[0] / exact - 1) == pytest.approx(0.0375, abs=0.01)


def test_ordinary_distributions_are_within_the_error_that_is_stated():
    # gentle forms; one heavy cell at the same distance is not, and the range tells
    place = np.arange(95)
    forms = [
        1 + 1.2 * ((place + 0.5) / 95 - 0.5),
        np.exp(-1.2 * place / 95),
        np.exp(0.4 * np.random.default_rng(2).normal(size=95)),
    ]
    tried = 0
    for form in forms:
        shares = form / form.sum()
        kl = naive.distance(shares)
        for people in (5, 20, 50, 95, 150, 190):
            exact = float(naive.singletons(shares, people))
            for formula in ("kl", "kl-finite"):
                found = approximate_singletons(95, kl, people, formula=formula)
                if found.error is not None:
                    assert abs(found.value / exact - 1) <= found.error
                    tried += 1
            assert found.low <= exact * (1 + 1e-9)
            assert exact * (1 - 1e-9) <= found.high
    assert tried > 20


def test_one_heavy_cell_is_within_the_range_and_far_off_the_formula():
    shares = np.array([0.1] + [0.9 / 999] * 999)
    kl = naive.distance(shares)
    exact = float(naive.singletons(shares, 1000))
    found = approximate_singletons(1000, kl, 1000, formula="kl-finite")
    assert abs(found.value / exact - 1) > 0.2
    assert found.low <= exact <= found.high * (1 + 1e-9)


@pytest.mark.parametrize(("kl", "people"), [(0.02, 200), (0.05, 100), (0.1, 500)])
def test_the_variance_states_the_error_that_its_limits_leave(kl, people):
    found = approximate_variance(1000, kl, people)
    assert found.error == max(found.value / found.low - 1, 1 - found.value / found.high)
    assert (found.error > 0.1) == bool(found.warnings)


def test_the_variance_of_ordinary_distributions_is_within_4_percent():
    place = np.arange(95)
    for form in (1 + 1.0 * ((place + 0.5) / 95 - 0.5), np.exp(-0.9 * place / 95)):
        shares = form / form.sum()
        kl = naive.distance(shares)
        assert kl <= 0.05
        for people in (10, 30, 95, 190):
            exact = float(naive.variance(list(shares), people))
            assert approximate_variance(95, kl, people).value == pytest.approx(exact, rel=0.04)


def test_a_value_that_no_distribution_reaches_is_told():
    found = approximate_singletons(95, 0.4, 50)
    assert found.formula_value < found.low == found.value
    assert any("so few" in warning for warning in found.warnings)


def test_the_range_is_right_and_the_printed_formula_was_not():
    """(5.4) for 40 people of 80 ages at 0.086 nats, as in Figure 6.1, is below what is possible.

    Over distributions of two levels of cells, each at this distance exactly, the number of unique
    people is computed exactly: all lie in the range, and both ends of it are nearly reached.
    """
    found = approximate_singletons(80, 0.086, 40, "kl")
    assert found.formula_value == pytest.approx(22.70, abs=0.005)
    exact = []
    for heavy_cells in range(1, 80):
        for rest in (0.0, 1.0):  # whether the heavy cells have less or more than their part
            low, high = (1e-12, heavy_cells / 80) if rest == 0 else (heavy_cells / 80, 1 - 1e-12)
            share = two_levels_at(0.086, 80, heavy_cells, low, high)
            if share is None:
                continue
            shares = np.repeat(
                [share / heavy_cells, (1 - share) / (80 - heavy_cells)],
                [heavy_cells, 80 - heavy_cells],
            )
            assert naive.distance(shares) == pytest.approx(0.086, abs=1e-9)
            exact.append(float(naive.singletons(shares, 40)))
    assert len(exact) > 70
    assert found.low <= min(exact) < found.low * 1.001
    assert found.high * 0.998 < max(exact) <= found.high
    assert min(exact) > found.formula_value
    assert (found.value, found.low) == pytest.approx((22.9148, 22.9148), abs=1e-4)


def two_levels_at(kl, cells, heavy_cells, low, high):
    """The share of some cells, the same for each, at which the distance to uniform is as given."""

    def distance(share):
        return (
            float(
                naive.distance(
                    np.repeat(
                        [share / heavy_cells, (1 - share) / (cells - heavy_cells)],
                        [heavy_cells, cells - heavy_cells],
                    )
                )
            )
            - kl
        )

    if distance(low) * distance(high) > 0:
        return None
    return optimize.brentq(distance, low, high, xtol=1e-14)


# ---- distributions such as real data has


def zeros(cells: int, impossible: int) -> np.ndarray:
    return np.repeat([1 / (cells - impossible), 0.0], [cells - impossible, impossible])


def heavy(cells: int, share: float) -> np.ndarray:
    return np.repeat([share, (1 - share) / (cells - 1)], [1, cells - 1])


def zipf(cells: int, power: float) -> np.ndarray:
    falling = np.arange(1.0, cells + 1) ** -power
    return falling / falling.sum()


def two_levels(cells: int, many: int, share: float) -> np.ndarray:
    return np.repeat([share / many, (1 - share) / (cells - many)], [many, cells - many])


FAMILIES = {
    f"{name} {cells}": form
    for cells in (10, 33, 80, 150, 700, 2000, 5000)
    for name, form in {
        "uniform with structural zeros": zeros(cells, max(1, cells // 20)),
        "many structural zeros": zeros(cells, cells // 4),
        "a heavy cell": heavy(cells, min(0.5, 3 / cells**0.5)),
        "a rather heavy cell": heavy(cells, min(0.3, 30 / cells)),
        "zipf": zipf(cells, 0.3),
        "steep zipf": zipf(cells, 0.9),
        "two levels": two_levels(cells, max(1, cells // 10), 0.15),
        "mixture": 0.5 * zeros(cells, cells // 10) + 0.3 * zipf(cells, 1) + 0.2 / cells,
        "zeros and a heavy cell": 0.95 * zeros(cells, cells // 8) + 0.05 * heavy(cells, 1.0),
    }.items()
}


@pytest.mark.parametrize("shares", FAMILIES.values(), ids=FAMILIES)
def test_no_stated_error_of_the_singletons_is_exceeded(shares):
    cells, kl = len(shares), naive.distance(shares)
    people = np.unique(np.geomspace(2, 5 * cells, 5).astype(int)).tolist()
    stated = 0
    for number, formula in product(people, ["kl", "kl-finite", "gamma"]):
        try:
            found = approximate_singletons(cells, kl, number, formula=formula)
        except UndefinedMeasure:
            continue
        exact = float(naive.singletons(shares, number))
        assert found.low <= exact * (1 + 1e-9)
        assert exact <= found.high * (1 + 1e-9)
        if found.error is not None:
            assert abs(found.value / exact - 1) <= found.error + 1e-9
            stated += 1
    assert stated > 3


@pytest.mark.parametrize(
    ("shares", "people"),
    [
        (zeros(150, 7), 300),  # 15 % off where 4 % was stated once
        (zeros(20, 1), 20),
        (heavy(95, 0.03), 95),
        (heavy(2000, 0.0168), 400),
        (zipf(80, 0.3), 10),
        (two_levels(33, 3, 0.15), 100),
        (0.95 * zeros(700, 30) + 0.05 / 700, 1400),
    ],
)
def test_no_stated_error_of_the_variance_is_exceeded(shares, people):
    found = approximate_variance(len(shares), naive.distance(shares), people)
    exact = singletons(shares, people).variance
    assert found.low <= exact * (1 + 1e-9)
    assert exact <= found.high * (1 + 1e-9)
    assert abs(found.value / exact - 1) <= found.error + 1e-9


@pytest.mark.parametrize("shares", FAMILIES.values(), ids=FAMILIES)
def test_no_stated_error_of_the_chance_that_all_are_unique_is_exceeded(shares):
    spread = Distribution.from_probabilities(shares)
    for people in np.unique(np.geomspace(2, len(shares) * 0.9, 5).astype(int)).tolist():
        try:
            found = uniqueness_probability(spread, people, "kl")
        except UndefinedMeasure:
            continue
        exact = uniqueness_probability(spread, people).log_probability
        if exact > -np.inf:
            assert abs(found.log_probability - exact) <= found.error * (1 + 1e-9) + 1e-12
            assert (found.error > 0.05) == bool(found.warnings)


def test_one_heavy_cell_is_told_where_all_are_unique_by_the_distance():
    for shares, people, factor in ((heavy(2000, 0.0168), 110, 1.6), (heavy(700, 0.0522), 84, 2.5)):
        found = uniqueness_probability(shares, people, "kl")
        assert np.exp(found.error) > factor
        assert "off by a factor" in found.warnings[0]


def test_from_the_distance_alone_no_error_of_the_chance_that_all_are_unique_is_stated():
    found = uniqueness_probability(Distribution.from_summary(cells=2000, kl=0.05), 30, "kl")
    assert found.error is None
    assert "one cell is heavy" in found.warnings[0]


def test_a_chance_of_1_by_the_distance_is_not_taken_for_exact():
    # so many cells are possible that the formula sees nobody meet, but ten have all the people
    spread = Distribution.from_probabilities([0.1] * 10, cells=1e200)
    found = uniqueness_probability(spread, 3, "kl")
    assert found.log_probability == pytest.approx(0, abs=1e-12)
    assert found.error == pytest.approx(-np.log(0.72))
    assert found.warnings


# ---- the result and bad input


def test_the_result_reads_as_a_number_a_sentence_and_plain_values():
    found = approximate_singletons(95, 0.05, 95)
    assert float(found) == found.value
    assert found.share == found.value / 95
    assert "off by at most 4.0%" in str(found)
    assert "between 33.10 and 34.75" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["formula"] == "kl-finite"


def test_one_person_is_unique_whatever_the_distance():
    for formula in ("kl-finite",):
        assert approximate_singletons(95, 0.3, 1, formula=formula).value == pytest.approx(1)
    with pytest.raises(UndefinedMeasure):
        approximate_variance(95, 0.05, 1)
    assert approximate_variance(5, 0.05, 1).value == pytest.approx(0, abs=0.06)


def test_bad_input_is_refused_in_one_sentence():
    with pytest.raises(BadChoice, match="kl-finite"):
        approximate_singletons(95, 0.1, 5, formula="poisson")
    with pytest.raises(BadChoice, match="cells"):
        approximate_singletons(0, 0.1, 5)
    with pytest.raises(BadChoice, match="bits"):
        approximate_singletons(2, 1.0, 5)
    with pytest.raises(BadChoice, match="whole number, 1 or more"):
        approximate_singletons(95, 0.1, 0)
    with pytest.raises(BadChoice, match="whole number, 1 or more"):
        approximate_variance(95, 0.1, 1.5)
