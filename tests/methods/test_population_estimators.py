"""Estimators from counts of counts: published numbers, naive twins, known populations."""

import csv
import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import naive_population as naive
import singleout as so
from singleout.core.counts import SizeProfile
from singleout.errors import BadChoice
from singleout.methods.population import replicates
from singleout.methods.population.estimators import ESTIMATORS
from singleout.methods.population.measure import Estimates, estimate
from singleout.methods.population.pitman import (
    expected_uniques,
    log_likelihood,
    pitman,
    theta_given,
)
from singleout.methods.population.predicted import mixture, predicted
from singleout.methods.population.sample import samples_of
from singleout.methods.population.snb import shlosser, snb, snb_expected
from singleout.methods.population.zayatz import zayatz

SHARED = Path(__file__).parents[3] / "shared"
needs_data = pytest.mark.skipif(not SHARED.exists(), reason="needs the shared data")
OF_SIZES = ("zayatz", "pitman", "snb", "dankar", "predicted")

COLUMNS = {
    "9": None,
    "4": ["sex", "age", "race", "marital-status"],
    "5": ["sex", "age", "race", "education", "native-country"],
}


def profile_of(sizes: dict[int, int]) -> SizeProfile:
    known = sorted(sizes)
    return SizeProfile(np.array(known), np.array([sizes[size] for size in known]))


@pytest.fixture(scope="module")
def adult() -> dict[str, SizeProfile]:
    table = so.read(SHARED / "data/adult.csv")
    return {
        name: so.count(table, columns or list(table.columns)).profile
        for name, columns in COLUMNS.items()
    }


@pytest.fixture(scope="module")
def arx() -> list[dict[str, str]]:
    with (SHARED / "goldens/arx_adult_risk.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@needs_data
def test_zayatz_and_pitman_are_those_of_arx(
    adult: dict[str, SizeProfile], arx: list[dict[str, str]]
) -> None:
    for row in arx:
        people = int(row["N"])
        samples = samples_of(adult[row["qis"]], people)
        for name, estimator in (("zayatz", zayatz), ("pitman", pitman)):
            share = estimator(samples).uniques[0] / people
            assert share == pytest.approx(float(row[name]), abs=5e-7), (row["qis"], people, name)


@needs_data
def test_the_rule_of_dankar_is_that_of_arx_where_its_snb_does_not_poison_it(
    adult: dict[str, SizeProfile], arx: list[dict[str, str]]
) -> None:
    for row in arx:
        people = int(row["N"])
        if float(row["pi"]) > 0.1:
            continue
        found = estimate(adult[row["qis"]], people, None, ("dankar",)).estimates["dankar"]
        assert found.share == pytest.approx(float(row["dankar"]), abs=5e-7)


@needs_data
def test_above_a_tenth_the_rule_takes_the_smaller_of_zayatz_and_the_corrected_snb(
    adult: dict[str, SizeProfile],
) -> None:
    # ARX says .3577 (Zayatz), since its own SNB is 0 and counts as failed
    found = estimate(adult["9"], 150_810, None, ("zayatz", "snb", "dankar")).estimates
    assert found["zayatz"].share == pytest.approx(0.3577, abs=5e-5)
    assert found["dankar"].share == found["snb"].share == pytest.approx(0.3195, abs=5e-5)


@needs_data
@pytest.mark.parametrize(
    ("people", "share"), [(301_620, 0.250), (150_810, 0.3195), (60_324, 0.427), (33_514, 0.4998)]
)
def test_snb_without_the_two_errors_of_arx(
    adult: dict[str, SizeProfile], arx: list[dict[str, str]], people: int, share: float
) -> None:
    found = snb(samples_of(adult["9"], people))
    assert found.uniques[0] / people == pytest.approx(share, abs=5e-5)
    (theirs,) = (float(r["snb"]) for r in arx if r["qis"] == "9" and int(r["N"]) == people)
    assert abs(theirs - share) > 0.002  # 0 but for the largest fraction


@needs_data
def test_shlosser_with_its_brackets(adult: dict[str, SizeProfile]) -> None:
    assert shlosser(samples_of(adult["9"], 150_810))[0] == pytest.approx(65_150, abs=1)


# ---- naive twins


@st.composite
def samples(draw: st.DrawFn) -> tuple[dict[int, int], int]:
    sizes = draw(st.dictionaries(st.integers(1, 12), st.integers(1, 30), min_size=1, max_size=6))
    records = sum(size * sets for size, sets in sizes.items())
    return sizes, records + draw(st.integers(1, 20 * records))


@given(samples())
def test_zayatz_is_the_exact_sum(sample: tuple[dict[int, int], int]) -> None:
    sizes, people = sample
    found = zayatz(samples_of(profile_of(sizes), people)).uniques[0]
    assert found == pytest.approx(float(naive.zayatz(sizes, people)), rel=1e-8)


@given(samples())
def test_shlosser_is_the_exact_sum(sample: tuple[dict[int, int], int]) -> None:
    sizes, people = sample
    found = shlosser(samples_of(profile_of(sizes), people))[0]
    assert found == pytest.approx(float(naive.shlosser(sizes, people)), rel=1e-8)


@settings(max_examples=40, deadline=None)
@given(samples())
def test_pitman_solves_its_equations_at_the_largest_likelihood(
    sample: tuple[dict[int, int], int],
) -> None:
    sizes, people = sample
    one = samples_of(profile_of(sizes), people)
    found = pitman(one)
    assume(found.applies)
    alpha, theta = found.first["alpha"], found.first["theta"]
    assume(abs(alpha) > 2e-4)  # at alpha = 0 the nearest alpha that can be computed is taken
    scale = sum(sizes.values())
    first, second = naive.pitman_gaps(sizes, alpha, theta)
    assert abs(first * max(1, theta)) < 1e-3 * scale
    assert abs(second) < 1e-3 * scale
    largest = naive.pitman_likelihood(sizes, alpha, theta)
    for other in (-5.0, -1.0, -0.2, 0.05, 0.3, 0.6, 0.9):
        best = theta_given(np.array([other]), one.records, one.classes)[0]
        if math.isfinite(best):
            assert naive.pitman_likelihood(sizes, other, best) <= largest + 1e-6


def test_the_likelihood_is_that_of_drawing_one_person_after_the_other() -> None:
    sizes = {1: 5, 2: 3, 6: 1}
    one = samples_of(profile_of(sizes), 1000)
    points = [(0.3, 4.0), (0.7, 1.0), (-0.5, 9.0)]
    ours = log_likelihood(one, *(np.array(values) for values in zip(*points, strict=True)))
    theirs = [naive.pitman_likelihood(sizes, *point) for point in points]
    assert np.diff(ours) == pytest.approx(np.diff(theirs), rel=1e-9)


@pytest.mark.parametrize(("a", "b", "pi"), [(0.5, 0.3, 0.1), (2.0, 0.05, 0.02), (0.1, 0.6, 0.7)])
def test_snb_moments_are_sums_over_population_sizes(a: float, b: float, pi: float) -> None:
    ones, twos = snb_expected(np.array(1000.0), np.array(a), np.array(b), pi)
    assert ones == pytest.approx(naive.snb_expected(1000, a, b, pi, 1, 900), rel=1e-9)
    assert twos == pytest.approx(naive.snb_expected(1000, a, b, pi, 2, 900), rel=1e-9)


def test_the_prediction_sums_over_the_law_of_classes() -> None:
    one = samples_of(profile_of({1: 50, 2: 20, 3: 8, 7: 3, 90: 1}), 5000)
    law = mixture(one)
    assert law.weights.sum() == pytest.approx(1)
    expected = naive.predicted(law.expected, law.weights[0], 82, one.fraction)
    assert predicted(one).uniques[0] == pytest.approx(expected, rel=1e-12)


def test_the_law_of_classes_reproduces_the_class_sizes() -> None:
    rng = np.random.default_rng(4)
    people = rng.poisson(rng.gamma(0.4, 10.0, 200_000))
    one = samples_of(thinned(people, 0.2, rng), people.sum())
    law = mixture(one)
    fitted = one.classes[0] * (law.weights @ law.chances.T)[0]
    assert fitted[:6] == pytest.approx(one.sets[0][:6], rel=0.05)


# ---- known populations


def thinned(people: np.ndarray, fraction: float, rng: np.random.Generator) -> SizeProfile:
    counts = rng.binomial(people, fraction)
    return SizeProfile.of(counts[counts > 0])


def test_pitman_finds_the_shape_of_a_poisson_gamma_population() -> None:
    rng = np.random.default_rng(5)
    people = rng.poisson(rng.gamma(0.3, 5 / 0.3, 100_000))
    sample = samples_of(thinned(people, 0.1, rng), people.sum())
    found = pitman(sample)
    assert found.first["alpha"] == pytest.approx(-0.3, abs=0.06)
    assert found.uniques[0] == pytest.approx((people == 1).sum(), rel=0.12)
    # where Zayatz and SNB are far too high
    assert zayatz(sample).uniques[0] > 3 * (people == 1).sum()


def chinese_restaurant(people: int, alpha: float, theta: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    sizes: list[int] = []
    tables = np.zeros(people, dtype=int)
    for person in range(people):
        if rng.random() * (theta + person) < theta + alpha * len(sizes):
            tables[person] = len(sizes)
            sizes.append(1)
            continue
        while True:
            table = tables[int(rng.random() * person)]
            if rng.random() * sizes[table] < sizes[table] - alpha:
                break
        tables[person] = table
        sizes[table] += 1
    return np.array(sizes)


def test_pitman_finds_the_parameters_of_its_own_population() -> None:
    people = chinese_restaurant(60_000, 0.6, 300.0, 1)
    rng = np.random.default_rng(2)
    sample = samples_of(thinned(people, 0.2, rng), people.sum())
    found = pitman(sample)
    assert found.first["alpha"] == pytest.approx(0.6, abs=0.03)
    assert found.uniques[0] == pytest.approx((people == 1).sum(), rel=0.06)


def test_replicates_of_pitman_are_like_samples_of_its_population() -> None:
    sizes, law = replicates.size_law(0.6, 4.0, 20_000)
    assert law.sum() == pytest.approx(1)
    assert law @ sizes == pytest.approx(4)
    mean, variance = replicates._classes_law(0.6, 300.0, 20_000)
    drawn = [len(chinese_restaurant(20_000, 0.6, 300.0, seed)) for seed in range(12)]
    assert np.mean(drawn) == pytest.approx(mean, abs=4 * math.sqrt(variance / 12))
    assert np.std(drawn, ddof=1) == pytest.approx(math.sqrt(variance), rel=0.7)


@needs_data
@pytest.mark.parametrize("fraction", [0.02, 0.05])
def test_pitman_has_no_wrong_root_at_small_fractions(fraction: float) -> None:
    # a general solver finds .22 and .36 of the truth here
    table = so.read(SHARED / "data/scotland_census_2011_1pct.csv")
    known = [name for name in table.columns if name not in ("Record_Number", "Region")][:11]
    people = so.count(table, known).sizes
    sample = samples_of(thinned(people, fraction, np.random.default_rng(1)), people.sum())
    found = pitman(sample)
    truth = (people == 1).sum()
    assert 1 < found.uniques[0] / truth < 2.5
    alpha, theta = (np.array([found.first[name]]) for name in ("alpha", "theta"))
    here = log_likelihood(sample, alpha, theta)
    for step in itertools.product((-0.01, 0.01), (0.95, 1.05)):
        assert log_likelihood(sample, alpha + step[0], theta * step[1]) < here


@needs_data
@pytest.mark.parametrize("fraction", [0.05, 0.1, 0.2, 0.5])
def test_the_estimate_to_believe_is_close_on_a_real_population(fraction: float) -> None:
    table = so.read(SHARED / "data/scotland_census_2011_1pct.csv")
    known = [name for name in table.columns if name not in ("Record_Number", "Region")]
    people = so.count(table, known).sizes
    rng = np.random.default_rng(3)
    found = estimate(thinned(people, fraction, rng), people.sum(), None, OF_SIZES)
    assert found.best is not None
    share = found.estimates[found.best].share
    assert share == pytest.approx((people == 1).mean() * len(people) / people.sum(), rel=0.2)


@pytest.mark.parametrize("name", ["pitman", "predicted"])
def test_intervals_hold_the_truth_about_as_often_as_they_say(name: str) -> None:
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(30):
        people = rng.poisson(rng.gamma(0.5, 6.0, 20_000))
        found = estimate(thinned(people, 0.3, rng), people.sum(), None, (name,), rng)
        one = found.estimates[name]
        assert one.low is not None
        assert one.high is not None
        held += one.low <= (people == 1).sum() / people.sum() <= one.high
    assert held >= 24


# ---- where an estimator does not apply


def refused(found: Estimates, name: str) -> str:
    one = found.estimates[name]
    assert not one.converged
    assert one.share is one.count is one.low is one.high is None
    (note,) = one.notes
    return note


def test_a_sample_of_uniques_says_nothing() -> None:
    found = estimate(profile_of({1: 40}), 4000, None, OF_SIZES)
    assert "Every record is unique" in refused(found, "pitman")
    assert "two records" in refused(found, "snb")
    assert "Fewer than 10" in refused(found, "predicted")
    assert found.estimates["dankar"].share == found.estimates["zayatz"].share


def test_one_class_and_no_records_are_refused() -> None:
    assert "one class" in refused(estimate(profile_of({9: 1}), 90, None, ("pitman",)), "pitman")
    empty = SizeProfile(np.array([], dtype=np.int64), np.array([], dtype=np.int64))
    found = estimate(empty, 10, None, ESTIMATORS)
    assert found.best is None
    assert all(refused(found, name) == "There are no records." for name in ESTIMATORS)


def test_moment_equations_without_a_root_are_refused() -> None:
    found = estimate(profile_of({1: 3, 2: 60, 3: 200}), 10_000, None, ("snb",))
    assert "no root" in refused(found, "snb")


def test_class_sizes_that_are_too_even_are_refused() -> None:
    assert "vary less" in refused(estimate(profile_of({5: 50}), 999, None, ("pitman",)), "pitman")


@pytest.mark.parametrize("sizes", [{1: 196, 2: 2}, {1: 178, 2: 1}, {1: 1004, 2: 1}])
def test_rounding_makes_no_root_where_the_likelihood_has_none(sizes: dict[int, int]) -> None:
    # few pairs: the likelihood rises all the way to equally likely classes
    assert "vary less" in refused(estimate(profile_of(sizes), 10**6, None, ("pitman",)), "pitman")


def test_nothing_is_believed_where_only_the_high_estimators_apply() -> None:
    found = estimate(profile_of({1: 1004, 2: 1}), 10**6, None, OF_SIZES)
    assert found.estimates["zayatz"].share > 0.9  # type: ignore[operator]
    assert found.best is None


def test_a_population_smaller_than_the_sample_is_refused() -> None:
    with pytest.raises(BadChoice, match="smaller than its sample of 30"):
        samples_of(profile_of({3: 10}), 29)


def test_a_sample_that_is_the_population_is_not_estimated() -> None:
    found = estimate(profile_of({1: 4, 3: 2}), 10, None, OF_SIZES)
    for one in found.estimates.values():
        assert one.share == one.low == one.high == 0.4


@settings(max_examples=30, deadline=None)
@given(samples())
def test_every_estimate_is_a_share_in_its_interval_or_is_refused(
    sample: tuple[dict[int, int], int],
) -> None:
    sizes, people = sample
    found = estimate(profile_of(sizes), people, None, OF_SIZES)
    for one in found.estimates.values():
        assert one.converged == (one.share is not None)
        if one.share is None:
            assert one.notes
            continue
        assert 0 <= one.share <= 1
        assert one.count == pytest.approx(one.share * people)
        if one.low is not None and one.high is not None:
            assert 0 <= one.low <= one.share * (1 + 1e-9)
            assert one.share <= one.high * (1 + 1e-9)
            assert one.high <= 1


def test_the_seed_decides_the_interval() -> None:
    sizes = profile_of({1: 300, 2: 80, 3: 30, 4: 12, 9: 5})
    one, same, other = (estimate(sizes, 9000, None, OF_SIZES, seed) for seed in (1, 1, 2))
    for name in OF_SIZES:
        assert one.estimates[name].low == same.estimates[name].low
        assert one.estimates[name].share == other.estimates[name].share
    assert one.estimates["predicted"].low != other.estimates["predicted"].low


def test_hoshinos_limit_is_near_the_expected_number_for_many_people() -> None:
    alpha, theta = np.array([0.5]), np.array([20.0])
    many = pitman(samples_of(profile_of({1: 30, 2: 5, 4: 2}), 10**7))
    assert many.applies
    exact = expected_uniques(alpha, theta, 10.0**8)[0]
    limit = math.exp(math.lgamma(21) - math.lgamma(20.5)) * 10**4
    assert exact == pytest.approx(limit, rel=1e-4)
