"""How identifying a rounded number is: Koot (2012), 6.3, with its errata E26 to E29 and E31."""

import json
import math
import pickle
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import naive_intervals as naive
from singleout.errors import BadChoice, UndefinedMeasure, UnusableColumn
from singleout.predict.correlation.normal_closed import closed_shares, peak
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.intervals.intervals import IntervalWidths, interval_width, width_for
from singleout.predict.intervals.line import Continuous
from singleout.predict.intervals.polynomial import jumps, polynomial, power_integrals
from singleout.predict.intervals.quadrature import integral

CASES = 37
WEIGHT = stats.norm(57.6, 5.289)  # kilograms, 6.3.2

Case = Mapping[str, Any]


@pytest.fixture(scope="session")
def cases(golden: Path) -> list[Case]:
    found: list[Case] = json.loads((golden / "predict-golden.json").read_text())["interval"]
    return found


def law_of(case: Case) -> Any:
    if case["dist"] == "normal":
        return stats.norm(case["mu"], case["sigma"])
    if case["dist"] == "uniform":
        return stats.uniform(case["a"], case["b"] - case["a"])
    return stats.expon(scale=1 / case["rate"])


def of_kind(cases: list[Case], kind: str) -> list[Case]:
    return [case for case in cases if case["dist"] == kind]


def unique(law: Any, width: float, people: int, **options: Any) -> float:
    return float(interval_width(law, width, people, **options).share_unique[0])


# ---- the verified values


def test_there_are_as_many_verified_values_as_are_tested(cases: list[Case]) -> None:
    assert len(cases) == CASES


@pytest.mark.parametrize("number", range(CASES))
def test_singletons_and_small_sets_equal_the_verified_values(
    cases: list[Case], number: int
) -> None:
    case = cases[number]
    found = interval_width(law_of(case), case["delta"], case["k"], offset=case["offset"])
    assert found.singletons[0] == pytest.approx(case["ES"], rel=1e-9, abs=1e-12)
    assert found.shares[0] == pytest.approx(case["phi_j1_3"], rel=1e-9, abs=1e-10)


@pytest.mark.parametrize("number", range(CASES))
def test_the_cells_sum_to_one(cases: list[Case], number: int) -> None:
    case = cases[number]
    line = Continuous(law_of(case))
    low, high = line.centre(case["delta"], case["k"])
    cells, beyond = line.cells(case["delta"], case["offset"], low, high)
    assert cells.sum() + beyond == pytest.approx(1, abs=1e-14)
    assert abs(case["sum_p_minus_1"]) < 1e-30


@pytest.mark.parametrize("number", range(CASES))
def test_the_polynomials_equal_the_verified_values(cases: list[Case], number: int) -> None:
    case = cases[number]
    k, width = case["k"], case["delta"]
    powers = power_integrals(law_of(case))
    second = case.get("order2", case.get("order2_corrected"))
    assert polynomial(k, width, powers, 2) == pytest.approx(second, rel=1e-9)
    if case["dist"] == "normal":
        slope = 1 / (4 * math.sqrt(math.pi) * case["sigma"] ** 3)
        assert polynomial(k, width, powers, 1) == pytest.approx(case["order1"], rel=1e-9)
        third = polynomial(k, width, powers, 3, slope=slope)
        assert third == pytest.approx(case["order3"], rel=1e-9)


def test_the_means_over_offsets_equal_the_verified_values(cases: list[Case]) -> None:
    for case in of_kind(cases, "normal"):
        found = interval_width(law_of(case), case["delta"], case["k"])
        assert found.singletons[0] == pytest.approx(case["offset_average"], rel=1e-9)
        assert found.offset is None


def test_the_closed_form_without_widening_equals_the_smooth_one(cases: list[Case]) -> None:
    for case in of_kind(cases, "normal"):
        k, width, sigma = case["k"], case["delta"], case["sigma"]
        variance = np.array([[sigma**2]])
        q = peak(variance, np.array([width]), widened=False)
        if q < 1:
            found = k * closed_shares(q, 1, k)[0]
            assert found == pytest.approx(case["smooth"], rel=1e-9)
    case = of_kind(cases, "normal")[4]
    twin = naive.normal_smooth(case["k"], case["sigma"], case["delta"])
    assert twin == pytest.approx(case["smooth"], rel=1e-12)


# ---- errata


def test_e26_the_uniform_formula_holds_only_where_the_width_divides_the_range(
    cases: list[Case],
) -> None:
    assert unique(stats.uniform(0, 10), 3, 8, offset=0) * 8 == pytest.approx(0.97558848, abs=1e-12)
    assert naive.uniform_singletons(8, 10, 3) == pytest.approx(0.6588344, abs=1e-9)
    for case in of_kind(cases, "uniform"):
        printed = naive.uniform_singletons(case["k"], case["b"], case["delta"])
        assert printed == pytest.approx(case["thesis_k_1_minus_D_over_A"], rel=1e-12)
        divides = (case["b"] / case["delta"]).is_integer() and case["offset"] == 0
        within = case["delta"] <= case["b"]
        assert (printed == pytest.approx(case["ES"], rel=1e-9)) == (divides or not within)


def test_e27_the_expansion_for_the_exponential_is_in_k_less_one(cases: list[Case]) -> None:
    exact = 5 * unique(stats.expon(), 0.01, 5, offset=0)
    assert exact == pytest.approx(4.900996, abs=1e-6)
    corrected = 5 * (1 - 4 * 0.01 / 2 + 4 * 3 * 0.01**2 / 6)
    printed = 5 * (1 - 5 * 0.01 / 2 + 25 * 0.01**2 / 6)
    assert corrected == pytest.approx(exact, abs=5e-6)
    assert abs(printed - exact) > 0.02
    for case in of_kind(cases, "exponential"):
        k, h = case["k"], case["rate"] * case["delta"]
        printed = k * (1 - k * h / 2 + k**2 * h**2 / 6)
        assert printed == pytest.approx(case["order2_thesis"], rel=1e-12)
        if k * h <= 0.2 and case["offset"] == 0:
            assert abs(case["order2_corrected"] - case["ES"]) < abs(printed - case["ES"])


def test_the_finite_sum_for_the_exponential_cancels_and_the_cells_do_not(
    cases: list[Case],
) -> None:
    for case in of_kind(cases, "exponential"):
        if "finite_sum" in case:
            twin = naive.exponential_finite_sum(case["k"], case["rate"], case["delta"])
            assert twin == pytest.approx(case["finite_sum"], rel=1e-12)
            assert twin == pytest.approx(case["ES"], rel=1e-12)
    in_floats = naive.exponential_finite_sum(60, 1.0, 2.0, digits=15)
    exact = 60 * unique(stats.expon(), 2, 60, offset=0)
    assert exact == pytest.approx(0.5081703633, abs=1e-10)
    assert abs(in_floats - exact) > 1


@pytest.mark.parametrize("people", [3, 8])
def test_e28_the_slope_has_no_term_in_the_derivative_of_the_density(people: int) -> None:
    width = 1e-6
    lost = 1 - unique(stats.expon(), width, people, offset=0)
    slope = people * lost / width
    assert slope == pytest.approx(people * (people - 1) / 2, rel=1e-4)
    with_derivative = people * (people - 1) / 2 + people / 2  # the integral of f' is -1
    assert slope != pytest.approx(with_derivative, rel=0.05)


def test_e29_the_variance_grows_by_two_k_k_less_one() -> None:
    width = 0.01
    cells = [float(p) for p in naive.normal_cells(1.0, width, 0.0) if p > 1e-12]
    together = width * power_integrals(stats.norm())[0]
    found = naive.variance(cells, 2) / together
    assert found == pytest.approx(3.99, abs=0.005)  # 2 k (k - 1) = 4, to the first order
    assert found != pytest.approx(2 * 2**2 - 3 * 2, abs=1)  # as printed: 2


def test_e31_the_rule_of_thumb_gives_a_sigma_of_5_665() -> None:
    per_sigma = width_for(stats.norm(), share_unique=0.8, people=10).width
    sigma = 0.5 / per_sigma
    assert sigma == pytest.approx(5.665, abs=5e-4)
    found = interval_width(stats.norm(0, sigma), [0.5, 1, 0.25], people=10).singletons
    assert found == pytest.approx([8, 6.42, 8.94], abs=5e-3)
    printed = 10 * unique(stats.norm(0, 6.6), 0.5, 10)
    assert printed == pytest.approx(8.26, abs=0.01)  # not 8


def test_e31_the_linear_and_quadratic_rules_give_6_35_and_5_61() -> None:
    def singletons(sigma: float, order: int) -> float:
        return polynomial(10, 0.5, power_integrals(stats.norm(0, sigma)), order)

    assert singletons(6.35, 1) == pytest.approx(8, abs=0.002)
    assert singletons(5.61, 2) == pytest.approx(8, abs=0.002)


# ---- the numbers of the thesis that stand


def test_birthdays_among_twenty_people() -> None:
    found = 20 * unique(stats.uniform(0, 365), 1, 20, offset=0)
    assert found == pytest.approx(20 * (364 / 365) ** 19, rel=1e-12)


def test_height_and_weight_have_the_printed_deviations(heights_and_weights: np.ndarray) -> None:
    height, weight = heights_and_weights.T
    assert weight.std(ddof=1) == pytest.approx(5.289, abs=5e-4)
    assert height.std(ddof=1) == pytest.approx(4.830, abs=5e-4)
    # 0.50286, printed without its last digits
    assert math.floor(1e4 * np.corrcoef(height, weight)[0, 1]) == 5028


@pytest.fixture(scope="session")
def heights_and_weights(real_data: Path) -> np.ndarray:
    """Centimetres and kilograms of 25,000 people (6.3.2)."""
    table = pl.read_csv(real_data / "socr_height_weight.csv").to_numpy()
    return table[:, 1:3] * [2.54, 0.45359237]


@pytest.mark.parametrize("attribute", [0, 1])
def test_the_normal_predicts_the_singletons_of_real_data(
    heights_and_weights: np.ndarray, attribute: int
) -> None:
    values = heights_and_weights[:, attribute]
    law = stats.norm(values.mean(), values.std(ddof=1))
    for people in (5, 10, 20, 40):
        widths = [0.1, 0.5, 1.0, 2.0]
        real = interval_width(values, widths, people).singletons
        predicted = interval_width(law, widths, people).singletons
        assert predicted == pytest.approx(real, rel=0.03)


def test_ten_thousand_samples_of_real_data_have_the_singletons_of_the_cells(
    heights_and_weights: np.ndarray,
) -> None:
    rng = np.random.default_rng(20120101)
    weight = heights_and_weights[:, 1]
    drawn = weight[rng.integers(len(weight), size=(10_000, 10))]
    for width in (0.5, 1.0):
        cells = np.sort(np.floor(drawn / width), axis=1)
        same = np.diff(cells, axis=1) == 0
        edge = np.zeros((len(cells), 1), dtype=bool)
        alone = ~(np.hstack([edge, same]) | np.hstack([same, edge]))
        singletons = alone.sum(axis=1)
        error = singletons.std() / 100
        found = interval_width(weight, width, 10, offset=0).singletons[0]
        assert singletons.mean() == pytest.approx(found, abs=4 * error)


def test_the_second_order_is_better_than_the_first_where_both_hold(
    heights_and_weights: np.ndarray,
) -> None:
    weight = heights_and_weights[:, 1]
    law = stats.norm(weight.mean(), weight.std(ddof=1))
    for people, width in ((5, 0.1), (10, 0.1), (5, 0.2)):
        # among pairs of different people, so that nobody is compared with himself
        real = interval_width(weight, width, people, without_replacement=True).singletons[0]
        first = interval_width(law, width, people, method="order1").singletons[0]
        second = interval_width(law, width, people, method="order2").singletons[0]
        assert abs(second - real) < abs(first - real)
        assert second == pytest.approx(real, rel=0.005)


# ---- slow twins


@given(
    st.lists(st.integers(0, 12), min_size=2, max_size=7),
    st.integers(1, 9),
    st.integers(-5, 5),
    st.integers(2, 4),
    st.booleans(),
)
def test_observed_values_equal_their_slow_twin(
    values: list[int], width: int, offset: int, people: int, drawn: bool
) -> None:
    people = min(people, len(values))
    total = len(values)

    def share(size: int, counts: list[int]) -> Fraction:
        if drawn:
            return naive.phi_drawn(counts, people, size)
        return Fraction(naive.phi([Fraction(n, total) for n in counts], people, size))

    exact = [Fraction(value, 4) for value in values]
    found = interval_width(
        np.array(values) / 4, width / 4, people, offset / 4, without_replacement=drawn
    )
    cells = naive.observed_cells(exact, Fraction(width, 4), Fraction(offset, 4))
    expected = [float(share(size, cells)) for size in (1, 2, 3)]
    assert found.shares[0] == pytest.approx(expected, abs=1e-12)
    average = interval_width(np.array(values) / 4, width / 4, people, without_replacement=drawn)
    twin = [
        float(
            naive.observed_average(
                exact, Fraction(width, 4), lambda counts, s=size: share(s, counts)
            )
        )
        for size in (1, 2, 3)
    ]
    assert average.shares[0] == pytest.approx(twin, abs=1e-12)


LAWS = {
    "normal": stats.norm(3, 2),
    "exponential": stats.expon(scale=2),
    "uniform": stats.uniform(1, 4),
    "Laplace": stats.laplace(),
    "Cauchy": stats.cauchy(),
    "lognormal": stats.lognorm(0.8),
    "beta": stats.beta(2, 3),
}


@pytest.mark.parametrize(("width", "people"), [(0.6, 3), (4.0, 60)])
@pytest.mark.parametrize("name", LAWS)
def test_the_mean_over_offsets_is_the_mean_over_many_offsets(
    name: str, width: float, people: int
) -> None:
    law, offsets = LAWS[name], 50
    grid = [
        interval_width(law, width, people, offset=width * (i + 0.5) / offsets).shares[0]
        for i in range(offsets)
    ]
    found = interval_width(law, width, people).shares[0]
    assert found == pytest.approx(np.mean(grid, axis=0), abs=1e-3)


@given(
    st.sampled_from(sorted(LAWS)),
    st.floats(0.01, 20),
    st.floats(1.01, 5),
    st.integers(2, 300),
)
@settings(max_examples=30)
def test_over_all_offsets_wider_intervals_never_single_out_more(
    name: str, width: float, factor: float, people: int
) -> None:
    found = interval_width(LAWS[name], [width, factor * width], people)
    assert found.share_unique[1] <= found.share_unique[0] + 1e-9
    assert (found.shares >= 0).all()
    assert (found.share_up_to_3 <= 1).all()


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("people", [1, 2, 3])
@pytest.mark.parametrize("offset", ["average", 0.1])
def test_up_to_three_people_are_all_in_sets_of_up_to_three(
    name: str, people: int, offset: float | str
) -> None:
    found = interval_width(LAWS[name], [0.01, 0.7, 9], people, offset=offset)
    assert found.shares.sum(axis=1) == pytest.approx([1, 1, 1], abs=1e-9)


@pytest.mark.parametrize("width", [1e-9, 1e-6, 1e-4])
def test_narrow_intervals_keep_their_digits(width: float) -> None:
    people = 1000
    pairs = width * power_integrals(stats.norm())[0]
    found = unique(stats.norm(), width, people)
    third = width**2 * (people - 1) * (people - 2) / 2 * power_integrals(stats.norm())[1]
    assert 1 - found == pytest.approx((people - 1) * pairs - third, rel=1e-3, abs=1e-9)


def test_more_than_two_million_intervals_are_answered_over_all_offsets() -> None:
    found = interval_width(stats.norm(), 1e-7, 1000, offset=0)
    assert found.shares == pytest.approx(interval_width(stats.norm(), 1e-7, 1000).shares)
    assert "2,000,000" in found.notes[0]


def test_a_jump_of_the_density_inside_a_cell_enters_at_order_two(cases: list[Case]) -> None:
    inside = [
        case
        for case in of_kind(cases, "exponential")
        if case["offset"] != 0 and case["k"] * case["delta"] < 0.3
    ]
    assert len(inside) == 2
    for case in inside:
        law, k, width = law_of(case), case["k"], case["delta"]
        powers = power_integrals(law)
        jump = jumps(law, width, case["offset"])
        u = -case["offset"] / width
        assert jump == pytest.approx(u * (1 - u), rel=1e-12)
        plain, with_jump = (polynomial(k, width, powers, 2, jump=j) for j in (0.0, jump))
        next_term = polynomial(k, width, powers, 3) - polynomial(k, width, powers, 2)
        assert abs(with_jump + next_term - case["ES"]) < abs(plain + next_term - case["ES"]) / 5


def test_a_discrete_distribution_is_cut_into_whole_values() -> None:
    law = stats.poisson(3.5)
    values = np.arange(60)
    for width, offset in ((1, 0), (2, 0), (3, -1)):
        cells = np.bincount((values - offset) // width, weights=law.pmf(values))
        expected = [float(naive.phi(cells.tolist(), 8, size)) for size in (1, 2, 3)]
        found = interval_width(law, width, 8, offset=offset)
        assert found.shares[0] == pytest.approx(expected, abs=1e-9)


def test_a_discrete_distribution_with_too_many_values_is_refused() -> None:
    with pytest.raises(UndefinedMeasure, match="a zipf distribution with more than 2,000,000"):
        interval_width(stats.zipf(1.5), 1, 10)


def test_a_distribution_that_is_too_rough_to_integrate_says_so() -> None:
    found = interval_width(stats.gamma(0.3), 1e-9, 100)
    assert "too rough to integrate" in found.warnings[0]


def test_a_value_on_an_edge_lies_in_the_interval_that_begins_there() -> None:
    values = [i / 10 for i in range(1, 50) for _ in range(2)]  # 0.3 / 0.1 is 2.9999999999999996
    found = interval_width(values, 0.1, 98, offset=0, without_replacement=True)
    assert found.shares[0] == pytest.approx([0, 1, 0], abs=1e-12)


def test_counts_of_values_are_the_values_themselves() -> None:
    counts = {18: 3, 19: 2, 25: 1, 40: 0}
    values = [18, 18, 18, 19, 19, 25]
    for offset in ("average", 0):
        by_count = interval_width(counts, [1, 5], 3, offset, without_replacement=True)
        by_value = interval_width(values, [1, 5], 3, offset, without_replacement=True)
        assert by_count.shares == pytest.approx(by_value.shares)
    shares = interval_width({18: 0.5, 19: 0.25, 25: 0.25}, 1, 3)
    assert shares.share_unique[0] == pytest.approx(0.5 * 0.25 + 2 * 0.25 * 0.75**2)


def test_simulated_people_are_alone_as_often_as_predicted() -> None:
    rng = np.random.default_rng(7)
    law = stats.gamma(2, scale=3)
    repeats, people, width = 4000, 25, 1.3
    values = law.rvs((repeats, people), random_state=rng)
    begin = rng.random((repeats, 1)) * width
    cells = np.floor((values - begin) / width)
    seen = naive.simulated_shares(cells)
    found = interval_width(law, width, people).shares[0]
    errors = seen.std(axis=0) / math.sqrt(repeats)
    assert (np.abs(seen.mean(axis=0) - found) < 4 * errors).all()


# ---- methods and their domains


@pytest.mark.parametrize("width", [0.1, 0.25, 0.5])
@pytest.mark.parametrize("people", [2, 40, 500])
def test_the_closed_form_is_good_within_half_a_deviation(width: float, people: int) -> None:
    closed = interval_width(stats.norm(), width, people, method="closed")
    assert closed.warnings == ()
    for offset in ("average", 0.0, width / 3):
        exact = interval_width(stats.norm(), width, people, offset)
        assert closed.share_unique[0] == pytest.approx(exact.share_unique[0], rel=0.0016)


def test_the_closed_form_warns_and_then_refuses() -> None:
    warned = interval_width(stats.norm(), 0.7, 50, method="closed")
    assert "3.7%" in warned.warnings[0]
    assert warned.share_unique[0] == pytest.approx(unique(stats.norm(), 0.7, 50), rel=0.037)
    crowded = interval_width(stats.norm(), 0.4, 5000, method="closed")
    assert "500 people" in crowded.warnings[0]
    with pytest.raises(UndefinedMeasure, match=r"up to 0\.75 conditional standard deviations"):
        interval_width(stats.norm(), 0.8, 50, method="closed")


@pytest.mark.parametrize(("method", "good", "off"), [("order1", 0.17, 0.5), ("order2", 1.0, 2.0)])
def test_a_polynomial_warns_and_then_refuses(method: str, good: float, off: float) -> None:
    within = interval_width(stats.norm(), good / 10, 10, method=method)
    assert within.warnings == ()
    assert within.share_unique[0] == pytest.approx(unique(stats.norm(), good / 10, 10), rel=0.02)
    beyond = interval_width(stats.norm(), off / 10, 10, method=method)
    assert "the next term is" in beyond.warnings[0]
    exact = interval_width(stats.norm(), off / 10, 10).shares[0]
    assert beyond.shares[0] != pytest.approx(exact, rel=1e-3)
    with pytest.raises(UndefinedMeasure, match="has no meaning here"):
        interval_width(stats.norm(), 0.5, 10, method=method)  # k D int f^2 is 1.4


def test_a_polynomial_gives_pairs_and_triples() -> None:
    exact = interval_width(stats.expon(), 0.001, 20, offset=0).shares[0]
    second = interval_width(stats.expon(), 0.001, 20, offset=0, method="order2").shares[0]
    assert second == pytest.approx(exact, abs=1e-6)
    first = interval_width(stats.expon(), 0.001, 20, offset=0, method="order1").shares[0]
    assert first[2] == 0


def test_there_is_no_polynomial_where_the_square_of_the_density_has_no_integral() -> None:
    with pytest.raises(UndefinedMeasure, match="no finite integral"):
        interval_width(stats.gamma(0.4), 0.01, 5, method="order1")


# ---- the inverse


@settings(max_examples=15)
@given(st.sampled_from(sorted(LAWS)), st.floats(0.02, 0.98), st.integers(2, 200))
def test_the_width_found_leaves_the_share_asked_for(name: str, share: float, people: int) -> None:
    found = width_for(LAWS[name], share, people)
    assert found.share_unique == pytest.approx(share, abs=1e-7)
    assert unique(LAWS[name], found.width, people) == found.share_unique
    assert found.singletons == people * found.share_unique


def test_the_width_of_a_result_is_that_of_the_function() -> None:
    answer = interval_width(WEIGHT, [1, 2], 50).width_for(share_unique=0.05)
    assert answer == width_for(WEIGHT, 0.05, 50)
    assert float(answer) == answer.width


def test_a_width_for_observed_values_is_found() -> None:
    values = np.random.default_rng(3).normal(size=2000)
    found = width_for(values, 0.1, 20)
    assert found.share_unique == pytest.approx(0.1, abs=1e-9)


def test_with_an_offset_the_width_found_keeps_to_the_share_and_says_so() -> None:
    found = width_for(WEIGHT, 0.05, 100, offset=0.0)
    assert found.share_unique <= 0.05
    assert unique(WEIGHT, 0.98 * found.width, 100, offset=0.0) > 0.05
    assert "over all offsets the width is" in found.warnings[0]


def test_with_an_offset_a_width_for_observed_values_is_found_or_refused() -> None:
    values = np.random.default_rng(3).normal(size=2000)
    found = width_for(values, 0.1, 20, offset=-10)
    assert found.share_unique <= 0.1
    assert unique(values, 0.99 * found.width, 20, offset=-10) > 0.09
    with pytest.raises(UndefinedMeasure, match="An edge at 0 lies among the values"):
        width_for(values, 0.1, 2, offset=0, without_replacement=True)


def test_a_result_without_its_source_cannot_be_asked_again() -> None:
    bare = IntervalWidths("nothing", 2, np.ones(1), np.ones((1, 3)) / 3, None, "exact")
    with pytest.raises(UndefinedMeasure, match="ask interval_width again"):
        bare.width_for(0.1)


def test_what_no_width_achieves_is_refused() -> None:
    with pytest.raises(UndefinedMeasure, match="One person is always unique"):
        width_for(WEIGHT, 0.5, 1)
    with pytest.raises(UndefinedMeasure, match="Even unrounded only"):
        width_for([1, 1, 2, 2, 2], 0.9, 4)
    with pytest.raises(UndefinedMeasure, match="however wide the intervals are"):
        width_for(stats.uniform(0, 1), 0.01, 3, offset=0.5)
    with pytest.raises(UndefinedMeasure, match="Even unrounded only"):
        width_for([5.0] * 10, 0.5, 5, without_replacement=True)


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5, float("nan"), "half", True, None])
def test_a_share_that_is_none_is_refused(share: Any) -> None:
    with pytest.raises(BadChoice, match=r"share_unique must (lie|be a number) between 0 and 1"):
        width_for(WEIGHT, share, 10)


# ---- what is given


def test_a_large_share_of_the_values_is_drawn_without_replacement_and_noted() -> None:
    values = np.arange(100)
    noted = interval_width(values, 1, 50, offset=0)
    assert noted.share_unique[0] == pytest.approx(1)
    assert "without replacement" in noted.notes[0]
    assert interval_width(values, 1, 50, offset=0, without_replacement=False).share_unique[0] < 1
    assert interval_width(np.arange(10_000), 1, 50, offset=0).notes == ()


def test_more_people_than_values_are_drawn_only_with_replacement() -> None:
    with pytest.raises(BadChoice, match="cannot be drawn from a population of 3"):
        interval_width([1.0, 2.0, 3.0], 1, 5)
    found = interval_width([1.0, 2.0, 3.0], 1, 5, without_replacement=False)
    assert found.singletons[0] == pytest.approx(5 * (2 / 3) ** 4)


def test_missing_values_are_left_out_and_noted() -> None:
    found = interval_width([1.0, None, 2.0, float("nan")], 1, 2, offset=0)
    assert found.share_unique[0] == pytest.approx(1)
    assert "2 missing values were left out." in found.notes


def test_columns_of_data_frames_are_observed_values() -> None:
    column = pl.Series("age", [1, 2, 2, 3])
    plain = interval_width([1, 2, 2, 3], 1, 2, without_replacement=False)
    assert interval_width(column, 1, 2, without_replacement=False).shares == pytest.approx(
        plain.shares
    )
    pandas = pytest.importorskip("pandas")
    series = pandas.Series([1, 2, 2, 3], index=[7, 7, 1, 0])
    assert interval_width(series, 1, 2, without_replacement=False).shares == pytest.approx(
        plain.shares
    )


@pytest.mark.parametrize(
    ("given", "options", "sentence"),
    [
        (WEIGHT, {"widths": 0}, "A width must be a positive number, not 0"),
        (WEIGHT, {"widths": [1, -2]}, "A width must be a positive number, not -2"),
        (WEIGHT, {"widths": []}, "widths must be a number or a list"),
        (WEIGHT, {"widths": [[1, 2]]}, "widths must be a number or a list"),
        (WEIGHT, {"widths": "wide"}, "widths must be a number or several"),
        (WEIGHT, {"people": 0}, "people must be a whole number, 1 or more"),
        (WEIGHT, {"people": 2.5}, "people must be a whole number, 1 or more"),
        (WEIGHT, {"offset": "middle"}, "offset must be 'average' or a number"),
        (WEIGHT, {"offset": float("nan")}, "offset must be 'average' or a number"),
        (WEIGHT, {"method": "guess"}, "'guess' is not a method of interval_width"),
        (WEIGHT, {"without_replacement": True}, "a distribution has no population"),
        (stats.expon(), {"method": "closed"}, "is for a normal distribution"),
        ([1.0, 2.0], {"method": "order1"}, "needs a continuous distribution"),
        (stats.norm(0, -1), {}, "does not exist for these parameters"),
        (stats.norm([0, 1], 1), {}, "2 norm distributions at once"),
        (stats.norm, {}, "is not a frozen distribution"),
        (stats.multivariate_normal([0, 0]), {}, "Several attributes together are for correlated"),
        ("data.csv", {}, "is not a list of numbers"),
        (np.ones((3, 2)), {}, "Of a table, give one column"),
        ({"a": 1}, {}, "The keys of the mapping must be numbers"),
        ({1: -1, 2: 3}, {}, "must be finite and not negative"),
        ({1: 0.5, 2: 0.2}, {}, "sum to 0.7"),
        ({1: 0.5, 2: 0.5}, {"without_replacement": True}, "needs counts of people"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_sentence(
    given: Any, options: dict[str, Any], sentence: str
) -> None:
    asked = {"widths": 1, "people": 2, **options}
    with pytest.raises((BadChoice, UnusableColumn), match=sentence) as caught:
        interval_width(given, **asked)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("values", [["tall", "short"], [1.0, float("inf")], [None, None], []])
def test_values_that_are_not_numbers_are_refused(values: list[Any]) -> None:
    with pytest.raises(UnusableColumn):
        interval_width(values, 1, 2)


def test_a_distribution_of_cells_has_no_intervals() -> None:
    with pytest.raises(BadChoice, match="no places on a line"):
        interval_width(Distribution.from_counts([1, 2]), 1, 2)


# ---- the result


def test_the_result_is_a_table_with_a_row_for_each_width() -> None:
    found = interval_width(WEIGHT, [0.5, 1, 2], 10)
    frame = found.to_frame()
    assert frame["width"].to_list() == [0.5, 1, 2]
    assert frame["singletons"].to_list() == pytest.approx(10 * frame["share_unique"].to_numpy())
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["offset"] == "average"
    assert plain["widths"][1]["share_unique"] == found.share_unique[1]
    assert json.loads(json.dumps(width_for(WEIGHT, 0.1, 10).to_dict()))["people"] == 10
    assert "<table" in found._repr_html_()


def test_the_result_says_what_it_found() -> None:
    assert str(interval_width(WEIGHT, 0.5, 10)) == (
        "Of 10 people, alone in their interval: 7.875 (78.7%) at width 0.5"
    )
    many = str(interval_width(WEIGHT, [1, 2, 3, 4, 5], 10))
    assert "…" in many
    assert "at width 5" in many


def test_the_result_cannot_be_changed_and_travels() -> None:
    found = interval_width(WEIGHT, 0.5, 10)
    with pytest.raises(ValueError, match="read-only"):
        found.shares[0] = 0
    again: IntervalWidths = pickle.loads(pickle.dumps(found))
    assert again.width_for(0.1) == found.width_for(0.1)


@pytest.mark.parametrize("widths", [1, [0.5, 2]])
def test_the_picture_has_the_widths_asked_for_as_points(widths: Any) -> None:
    drawn = interval_width(WEIGHT, widths, 10).plot().to_dict()
    line, dots = (drawn["datasets"][layer["data"]["name"]] for layer in drawn["layer"][:2])
    points = [point["width"] for point in dots]
    assert points == list(np.atleast_1d(widths))
    along = [point["width"] for point in line]
    assert min(along) < min(points)
    assert max(along) > max(points)


# ---- integrals


def test_an_integral_with_a_kink_is_found_to_its_error() -> None:
    found, error = integral(lambda x: np.vstack([np.abs(x), x**2]), np.array([-1.0, 2.0]), 1e-12)
    assert found == pytest.approx([2.5, 3.0], abs=1e-11)
    assert error < 1e-10


def test_an_integral_that_does_not_exist_says_so() -> None:
    _, error = integral(lambda x: 1 / x[None], np.array([0.0, 1.0]), 1e-12)
    assert error > 1e-3
