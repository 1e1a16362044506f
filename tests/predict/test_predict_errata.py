"""What Koot (2012) prints and what is right, with numbers: errata E1 to E25.

E26 to E31 are tested with interval widths, E32 and E33 with the questionnaire.
"""

from __future__ import annotations

import json
from fractions import Fraction
from math import e, exp, log, log2, pi, sqrt

import numpy as np
import pytest

import naive_set_sizes as naive
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.set_sizes.group_sizes import group_sizes
from singleout.predict.singletons.approximations import (
    approximate_set_shares,
    approximate_singletons,
)
from singleout.predict.singletons.singletons import singletons
from singleout.predict.singletons.variance import approximate_variance
from singleout.predict.uniqueness.uniqueness import uniqueness_probability

ALL = 2_774_476  # the people of Table 3.1


def halves(cells: int, eps: float) -> np.ndarray:
    """Half of the cells more likely by this share, half less."""
    return np.repeat([1 + eps, 1 - eps], cells // 2) / cells


# ---- chapters 2 and 3


def test_e1_a_set_of_ten_has_ten_members_and_a_certainty_of_a_tenth():
    spread = Distribution.from_probabilities(np.full(10, 0.1))
    printed_size = 1 / 10
    assert 2**spread.entropy == pytest.approx(10)
    assert spread.largest == pytest.approx(printed_size)  # it is the certainty


def test_e2_half_is_nine_times_as_likely_and_not_ten_times(golden):
    case = json.loads((golden / "predict-golden.json").read_text(encoding="utf-8"))
    example = case["entropy_example_2"]
    printed = Distribution.from_probabilities(example["p"])
    assert printed.largest / (0.5 / 9) == pytest.approx(9)
    assert printed.entropy == pytest.approx(example["H"], rel=1e-12)
    assert log2(printed.cells) == pytest.approx(example["HM"], rel=1e-12)
    assert printed.entropy / log2(10) == pytest.approx(example["d"], rel=1e-12)
    assert [round(printed.entropy, 3), round(printed.entropy / log2(10), 3)] == [2.585, 0.778]
    ten_times = Distribution.from_probabilities([10 / 19] + [1 / 19] * 9)
    assert round(ten_times.largest, 4) == 0.5263
    assert round(ten_times.entropy, 4) == 2.4995
    assert round(ten_times.entropy / log2(10), 4) == 0.7524


def test_e3_min_and_max_entropy_are_neither_certainty_nor_equal_chances(golden):
    cases = json.loads((golden / "predict-golden.json").read_text(encoding="utf-8"))["discrete"]
    for case in cases:
        weights = np.array(case["weights"], dtype=float)
        spread = Distribution.from_probabilities(weights / weights.sum())
        assert -log2(spread.largest) == pytest.approx(case["Hinf_bits"], rel=1e-9)
        assert log2(spread.support) == pytest.approx(case["H0_bits"], rel=1e-9)
        assert spread.entropy == pytest.approx(case["H_shannon_bits"], rel=1e-9)
    uneven = Distribution.from_probabilities([0.4, 0.3, 0.2, 0.1])
    assert -log2(uneven.largest) > 0  # nobody is certain
    assert log2(uneven.support) > uneven.entropy  # and not all are equally likely


def test_e4_table_3_1_holds_the_11_records_that_were_removed():
    citizens = [766656, 591046, 487582, 305845, 161882, 156761, 147091, 45548]
    citizens += [26097, 24679, 21457, 18158, 11019, 5915, 4751]
    assert sum(citizens) == 2_774_487 == ALL + 11


def test_e5_the_means_of_table_3_2_belong_to_386_and_772_sets():
    for printed, right, mean in ((388, 386, 7188), (776, 772, 3594)):
        assert round(ALL / mean) == right != printed
        assert abs(ALL / right - mean) < 1 < abs(ALL / printed - mean)


def test_e6_the_279100_of_table_3_3_are_sets_of_exactly_five(golden):
    case = json.loads((golden / "predict-golden.json").read_text(encoding="utf-8"))["qid_A"]
    citizens, sets = case["citizens_k1_5"], case["sets_k1_5"]
    assert citizens[4] == 279_100 < sum(citizens[:4]) == 892_459  # so it is not "at most five"
    assert [people // size for size, people in enumerate(citizens, start=1)] == sets
    assert all(people % size == 0 for size, people in enumerate(citizens, start=1))
    assert sum(citizens) == case["le5_corrected"] == 1_171_559 <= case["le10"]
    # the printed quartiles of 635,679 sets hold with it: 2, 3 and 6
    up_to = np.cumsum(sets) / case["sets"]
    assert up_to[0] < 0.25 <= up_to[1] < 0.5 <= up_to[2]
    assert up_to[4] < 0.75
    assert case["quartiles"] == [2, 3, 6]
    assert case["mean"] == pytest.approx(ALL / case["sets"])
    # with "at most five" as printed even the median would be above five
    assert 279_100 / case["sets"] < 0.5


def test_e7_percentages_were_cut_off_and_one_is_wrong():
    assert round(100 * 137_035 / ALL, 2) == 4.94  # printed 4.8
    cut_off = {(2_186, 0.07): 0.079, (2_196_950, 79.1): 79.18, (59_597, 2.14): 2.148}
    cut_off[1_861_081, 67.0] = 67.08
    for (people, printed), right in cut_off.items():
        percent = 100 * people / ALL
        assert percent == pytest.approx(right, abs=0.005)
        places = len(str(printed).split(".")[1])
        assert printed < round(percent, places) or printed == 2.14
        assert printed == pytest.approx(np.floor(percent * 10**places) / 10**places)


def test_e8_sets_of_five_of_the_other_quasi_identifier_are_consistent():
    five = 22_565 - 2_186 - 3_552 - 5_064 - 5_508
    assert five == 6_255
    assert five % 5 == 0


@pytest.mark.parametrize(("table", "total"), [("table_B1", 2_755_911), ("table_B2", 71_960)])
def test_the_tables_of_appendix_b_add_up_and_hold_whole_sets(golden, table, total):
    case = json.loads((golden / "predict-golden.json").read_text(encoding="utf-8"))[table]
    citizens = case["citizens_k1_10"]
    assert sum(citizens) == case["sum"] == total
    assert all(people % size == 0 for size, people in enumerate(citizens, start=1))
    if table == "table_B2":  # printed 0.3 for sets of five
        assert round(100 * citizens[4] / case["total"], 1) == 0.2


# ---- chapter 4


def test_e9_the_exponent_in_4_2_is_negative():
    cells, a = 10**4, 1
    people = a * round(sqrt(cells))
    exact = float(naive.uniqueness_if_uniform(people, cells))
    base, power = 1 - a / sqrt(cells), cells - a * sqrt(cells)
    printed, corrected = exp(-people) * base**power, exp(-people) * base**-power
    assert printed == pytest.approx(2e-87, rel=0.2)
    assert round(corrected, 4) == 0.6055
    assert round(exact, 4) == 0.6086
    spread = Distribution.from_probabilities(np.full(cells, 1 / cells))
    assert float(uniqueness_probability(spread, people).probability) == pytest.approx(exact)
    # and with the square root that Stirling's formula has, it is exact to four digits
    assert corrected / sqrt(1 - people / cells) == pytest.approx(exact, rel=1e-4)
    assert exp(-(a**2) / 2) == pytest.approx(corrected, rel=0.002)


def test_e10_the_one_is_subtracted_from_the_sum_and_not_from_its_terms():
    alphas, parts = (0.8, 1.2), (0.5, 0.5)
    printed = 0.5 * sum(alpha**2 * f - 1 for alpha, f in zip(alphas, parts, strict=True))
    corrected = 0.5 * (sum(alpha**2 * f for alpha, f in zip(alphas, parts, strict=True)) - 1)
    spread = Distribution.from_probabilities(halves(1000, 0.2))
    assert printed == pytest.approx(-0.48)
    assert corrected == pytest.approx(0.02)
    assert spread.chi2 / 2 == pytest.approx(corrected)
    assert round(spread.kl, 5) == 0.02014


def test_e11_uniqueness_is_raised_to_the_power_one_plus_twice_the_distance():
    cells, people = 1000, 40
    shares = halves(cells, 0.2)
    kl = naive.distance(shares)
    exact = naive.uniqueness(shares, people)
    uniform = float(naive.uniqueness_if_uniform(people, cells))
    assert round(uniform**kl, 4) == 0.9842
    assert round(uniform ** (1 + 2 * kl), 4) == 0.4394
    assert uniform * exp(-(people**2) * kl / cells) == pytest.approx(exact, rel=0.002)
    assert round(exact, 4) == 0.4397
    assert float(uniqueness_probability(shares, people).probability) == pytest.approx(exact)
    # nor is the correction e^-kappa, as 4.4.1 says
    right = abs(uniform * exp(-(people**2) * kl / cells) / exact - 1)
    assert abs(uniform * exp(-kl) / exact - 1) > 5 * right


def test_e12_400_unique_samples_take_45700_samples():
    unique = 1.96**2 / 0.1**2
    everybody_unique = float(naive.uniqueness_if_uniform(29, 95))
    assert round(unique) == 384
    assert round(everybody_unique, 7) == 0.0083993  # 0.84 %, once printed as 0.83 %
    assert unique / everybody_unique == pytest.approx(45_700, rel=0.002)
    # their relative half-width is r, and 400 samples in all would give an eleventh of that
    error = 1.96 * sqrt(everybody_unique / (unique / everybody_unique)) / everybody_unique
    assert error == pytest.approx(0.1)
    assert 1.96 * sqrt(everybody_unique / 400) / everybody_unique > 1
    assert round(float(naive.uniqueness_if_uniform(41, 190)), 4) == 0.0095  # N = 190


def test_e13_the_covariance_of_lemma_4_1():
    cells, a = 200_000, 0.1
    people = round(a * cells)
    (low, high), part = (0.5, 1.5), 0.5
    p, q, many = low / cells, high / cells, part * cells
    both = people * (people - 1) * many**2 * p * q * (1 - p - q) ** (people - 2)
    first, second = (people * many * r * (1 - r) ** (people - 1) for r in (p, q))
    exact = (both - first * second) / cells
    common = low * part * high * part * exp(-(low + high) * a)
    printed = -(a**3) * low * high * common
    corrected = -a * (1 - a * low) * (1 - a * high) * common
    assert round(exact, 6) == -0.012396
    assert round(printed, 6) == -0.000115
    assert corrected == pytest.approx(exact, rel=1e-4)


# ---- chapter 5


def test_e14_the_factor_of_the_distance_is_a_times_a_minus_two():
    cells = people = 1000
    shares = halves(cells, 0.3)
    kl = naive.distance(shares)
    exact = group_sizes(shares, people, up_to=1).sets[1]
    half = people * exp(-1) * (1 + 0.5 * (1 - 2) * kl)
    assert round(exact, 2) == 351.11
    assert round(approximate_singletons(cells, kl, people, formula="kl").value, 2) == 351.07
    assert round(half, 2) == 359.47
    # for few people per cell the number falls with the distance
    few = [approximate_singletons(1000, at, 200).value for at in (0.0, 0.05, 0.1)]
    assert few[0] > few[1] > few[2]


def test_e15_shares_of_cells_sum_to_one_from_the_empty_ones_on():
    shares = approximate_set_shares(95, 0.05, 50, up_to=50, formula="kl").shares
    assert shares.sum() == pytest.approx(1, abs=1e-12)
    assert round(shares[1:].sum(), 3) == 0.401
    # the display before (5.5) lacks a^j
    a, size = 50 / 95, 3
    without = naive.share_of_cells_5_5(95, 0.05, 50, size) / a**size
    assert abs(without / shares[size] - 1) > 5


def test_e16_one_person_per_cell_is_the_most_only_below_a_third():
    def scaled(a: float, kl: float) -> float:
        return a * exp(-a) * (1 + a * (a - 2) * kl)

    def slope(a: float, kl: float) -> float:
        return exp(-a) * (1 - a) * (1 + kl * a * (a - 4))

    step = 1e-5
    for kl in (0.1, 0.3, 0.4):
        for a in (0.3, 1.0, 2.5):
            numerical = (scaled(a + step, kl) - scaled(a - step, kl)) / (2 * step)
            assert numerical == pytest.approx(slope(a, kl), abs=1e-8)
        assert scaled(1, kl) == pytest.approx((1 - kl) / e)  # printed: 1/e
    around = [0.99, 1.01]
    assert all(scaled(1, 0.32) > scaled(a, 0.32) for a in around)
    assert all(scaled(1, 0.35) < scaled(a, 0.35) for a in around)  # though 0.35 < 2/3
    found = approximate_singletons(1000, 0.1, 1000, formula="kl")
    assert found.value == pytest.approx(1000 * 0.9 / e)


def test_e17_beyond_one_person_per_cell_one_heavy_cell_beats_equal_cells():
    uniform = group_sizes(np.full(100, 0.01), 150, up_to=1).sets[1]
    heavy = group_sizes([51 / 150] + [1 / 150] * 99, 150, up_to=1).sets[1]
    assert round(uniform, 2) == 33.55
    assert round(heavy, 2) == 36.54
    assert uniform < heavy  # though a = 1.5 is at most 2
    # with at most one person per cell nothing beats it
    rng = np.random.default_rng(4)
    best = group_sizes(np.full(100, 0.01), 100, up_to=1).sets[1]
    for sharpness in (0.1, 1, 10, 100):
        shares = rng.dirichlet(np.full(100, sharpness))
        assert group_sizes(shares, 100, up_to=1).sets[1] < best


def test_example_5_6_has_10_and_38_people_per_postal_code():
    # no erratum: k² = C N e^(k/N)
    for cost, right in ((1, 10), (10, 38)):
        value = {k: exp(-k / 95) - cost / k for k in range(1, 200)}
        assert max(value, key=value.get) == right
    exact = {k: (1 - 1 / 95) ** (k - 1) - 10 / k for k in range(1, 200)}
    assert max(exact, key=exact.get) == 37


def test_e18_the_distance_of_a_linear_density():
    def density(gamma: float, x: float) -> float:
        return gamma * (x - 0.5) + 1

    def closed(gamma: float, last: float) -> float:
        up, down = 1 + gamma / 2, 1 - gamma / 2
        lower = down**2 * log(down) if down > 0 else 0.0
        return (up**2 * log(up) - lower - last) / (2 * gamma)

    for gamma, right, printed in ((2, 0.1931, 0.4431), (0.2, 0.00167, -2.0)):
        exact = naive.integral(lambda x, g=gamma: density(g, x) * log(density(g, x)))
        assert exact == pytest.approx(right, rel=0.005)
        assert closed(gamma, last=gamma) == pytest.approx(exact, abs=2e-6)
        assert closed(gamma, last=1) == pytest.approx(printed, rel=0.005)
    # the integral ends at 1; the closed form for gamma = 2 holds, and is largest at .8966
    a = 0.8966
    value = a * naive.integral(lambda x: 2 * x * exp(-2 * x * a))
    assert value == pytest.approx((1 - exp(-2 * a) - 2 * a * exp(-2 * a)) / (2 * a), rel=1e-6)
    scaled = {at: (1 - exp(-2 * at) * (1 + 2 * at)) / (2 * at) for at in np.arange(0.5, 1.5, 1e-4)}
    assert max(scaled, key=scaled.get) == pytest.approx(0.8966, abs=1e-4)


def test_e19_the_exponent_of_the_variance_for_equal_cells_is_2k_minus_2():
    exact = singletons(np.full(95, 1 / 95), 60).variance
    assert naive.variance_if_uniform(95, 60, exponent=2 * 60 - 2) == pytest.approx(exact, rel=1e-9)
    assert round(exact, 4) == 19.0123
    assert round(naive.variance_if_uniform(95, 60, exponent=2 * 60 - 4), 2) == -3.08


def test_e20_the_limit_of_the_variance_for_equal_cells():
    def corrected(a: float) -> float:
        return a * exp(-a) * (1 - (1 - a + a * a) * exp(-a))

    def printed(a: float) -> float:
        return a * exp(-a) * (1 - a * a * exp(-a))

    exact = naive.variance_if_uniform(10_000, 1000, exponent=1998) / 10_000
    assert round(exact, 5) == 0.01597
    assert round(corrected(0.1), 5) == 0.01598
    assert round(printed(0.1), 4) == 0.0897
    assert corrected(1.0) == pytest.approx(printed(1.0))
    assert corrected(0.1) == pytest.approx(naive.variance_limit_corrected(0.1, [1.0], [1.0]))


def test_e21_pairs_of_different_cells_are_f_times_f_minus_one():
    shares = [Fraction(2, 15), Fraction(5, 15), Fraction(8, 15)]
    groups = [(1, share) for share in shares]
    law = [Fraction(0)] * 5
    for outcome, likely in naive.outcomes(shares, 4):
        law[sum(outcome.count(cell) == 1 for cell in set(outcome))] += likely
    mean = sum(many * chance for many, chance in enumerate(law))
    exact = sum(many**2 * chance for many, chance in enumerate(law)) - mean**2
    right = naive.variance_of_groups(groups, 4, second_factor=lambda f: f * (f - 1))
    printed = naive.variance_of_groups(groups, 4, second_factor=lambda f: f * f)
    assert right == exact
    assert round(float(exact), 4) == 0.6082
    assert round(float(printed), 4) == 0.8862
    assert singletons([float(share) for share in shares], 4).variance == pytest.approx(float(exact))


def test_e22_the_limit_of_the_variance_for_unequal_cells():
    cells, a = 200_000, 0.1
    groups = [(cells / 2, 0.5 / cells), (cells / 2, 1.5 / cells)]
    exact = naive.variance_of_groups(groups, round(a * cells), second_factor=lambda f: f * (f - 1))
    corrected = naive.variance_limit_corrected(a, [0.5, 1.5], [0.5, 0.5])
    assert round(corrected, 6) == 0.018865
    assert round(exact / cells, 6) == pytest.approx(0.018865, abs=2e-6)
    assert round(naive.variance_limit_printed(a, [0.5, 1.5], [0.5, 0.5]), 4) == 0.0872


def test_e22_verified_limits_are_reproduced(golden):
    cases = json.loads((golden / "predict-golden.json").read_text(encoding="utf-8"))["discrete"]
    for case in cases:
        cells = case["N"]
        alphas = [weight * cells / sum(case["weights"]) for weight in case["weights"]]
        limit = naive.variance_limit_corrected(case["k"] / cells, alphas, [1 / cells] * cells)
        assert limit * cells == pytest.approx(case["VarS_limit_corrected"], rel=1e-8)


def test_e23_the_variance_from_a_distance():
    shares = halves(1000, 0.2)
    kl = naive.distance(shares)
    exact = singletons(shares, 100).variance
    assert round(exact, 3) == 16.354
    assert round(naive.variance_5_3_2_printed(1000, kl, 100), 2) == 89.96
    assert round(naive.variance_5_3_2_corrected(1000, kl, 100), 2) == 16.47
    # with the exact variance for equal cells it is closer still
    assert approximate_variance(1000, kl, 100).value == pytest.approx(exact, rel=0.002)


@pytest.mark.parametrize(
    ("a", "exact", "printed", "restored"),
    [(0.3, 0.09994, 0.1801, 0.1834), (0.9, 0.20161, 0.0290, 0.1989)],
)
def test_e24_the_variance_of_a_continuous_model(a, exact, printed, restored):
    def density(x: float) -> float:
        return 2 * x

    first = a * naive.integral(lambda x: density(x) * exp(-a * density(x)))
    second = naive.integral(lambda x: density(x) ** 2 * exp(-a * density(x)))
    square = naive.integral(lambda x: density(x) ** 2 * exp(-2 * a * density(x)))
    slope = naive.integral(lambda x: density(x) * (1 - a * density(x)) * exp(-a * density(x)))
    corrected = first - a**2 * square - a * slope**2
    assert first - a**3 * second == pytest.approx(printed, abs=6e-5)
    assert first - a**3 * second**2 == pytest.approx(restored, abs=6e-5)
    assert corrected == pytest.approx(exact, abs=6e-5)
    cells = 2000
    edges = (np.arange(cells + 1) / cells) ** 2
    found = singletons(np.diff(edges), round(a * cells))
    assert found.variance / cells == pytest.approx(corrected, rel=2e-3)


def test_e25_the_number_of_singletons_is_normal_over_its_own_standard_deviation():
    cells, people = 300, 200
    found = singletons(np.full(cells, 1 / cells), people)
    number = np.arange(people + 1)
    law = found.pmf()
    mean = (number * law).sum()
    standard = (number - mean) / sqrt(found.variance)
    assert (standard**2 * law).sum() == pytest.approx(1)
    printed = (number - mean) / sqrt(found.variance / cells)
    assert (printed**2 * law).sum() == pytest.approx(cells)  # and not 1
    # the law itself is close to normal, as Penrose (2009) proves
    density = np.exp(-(standard**2) / 2) / sqrt(2 * pi * found.variance)
    assert abs(np.cumsum(law - density)).max() < 0.02
