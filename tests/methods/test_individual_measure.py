"""The individual risk of a class against exact sums, mpmath, other tools and its naive twin."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_individual as naive
from singleout.methods.individual.measure import (
    RiskSpread,
    expected_inverse,
    household_risks,
    individual_risks,
)

GOLDENS = Path(__file__).parents[3] / "shared" / "goldens"
needs_goldens = pytest.mark.skipif(not GOLDENS.exists(), reason="needs shared goldens")


def one(f: int, p: float) -> float:
    return float(expected_inverse(np.array([f]), np.array([p]))[0])


def test_the_risk_equals_mpmath_for_all_class_sizes_and_probabilities() -> None:
    probabilities = [1e-6, 1e-5, 1e-4, 1e-3, 0.005, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.45, 0.49]
    probabilities += [0.4999999, 0.5, 0.5000001, 0.6, 0.75, 0.9, 0.99, 0.999999, 1 - 2**-53, 1.0]
    sizes = [*range(1, 70), *range(70, 501, 10), 127, 128, 200, 255, 256, 499]
    f, p = (part.ravel() for part in np.meshgrid(sizes, probabilities))
    ours = expected_inverse(f, p)
    for size, probability, risk in zip(f.tolist(), p.tolist(), ours.tolist(), strict=True):
        with mpmath.workdps(40):
            exact = naive.mpmath_risk(size, probability)
            assert abs(risk / exact - 1) < 1e-13, (size, probability)


@pytest.mark.parametrize("p", [Fraction(1, 1000), Fraction(1, 40), Fraction(1, 7), Fraction(2, 3)])
def test_the_risk_equals_the_exact_rational_sum(p: Fraction) -> None:
    for f in (1, 2, 3, 4, 10, 31, 32, 33, 100, 500):
        if f < 10 and p < Fraction(1, 100):
            continue  # thousands of terms; mpmath has these
        exact = naive.hypergeometric_sum(f, p)
        assert one(f, float(p)) == pytest.approx(float(exact), rel=2e-13)


@pytest.mark.parametrize(("f", "p"), [(1, "1/2"), (2, "1/3"), (5, "1/4"), (20, "1/5"), (60, "4/5")])
def test_the_risk_is_the_mean_of_one_over_f_in_exact_fractions(f: int, p: str) -> None:
    low, high = naive.exact_risk(f, Fraction(p))
    assert one(f, float(Fraction(p))) == pytest.approx(float(low), rel=1e-13)
    assert high - low <= low / 10**15


def test_small_classes_have_the_closed_forms_of_the_paper() -> None:
    for p in (1e-6, 0.01, 0.3, 0.7):
        with mpmath.workdps(60):
            x = mpmath.mpf(p)
            q = 1 - x
            assert one(1, p) == pytest.approx(float(x / q * mpmath.log(1 / x)), rel=1e-13)
            two = x / q**2 * (x * mpmath.log(x) + q)
            assert one(2, p) == pytest.approx(float(two), rel=1e-13)
            three = x / (2 * q**3) * (q * (3 * q - 2) - 2 * x**2 * mpmath.log(x))
            assert one(3, p) == pytest.approx(float(three), rel=1e-13)


def test_a_class_that_is_complete_has_the_risk_of_one_over_its_records() -> None:
    sizes = np.array([1, 2, 3, 40, 500])
    assert individual_risks(sizes, sizes.astype(float)).tolist() == (1 / sizes).tolist()


def test_weights_below_one_say_no_more_than_that_all_are_in_the_sample() -> None:
    risks = individual_risks(np.array([2, 2, 1]), np.array([1.5, 0.0, 0.9]))
    assert risks.tolist() == [0.5, 0.5, 1.0]


@given(
    st.lists(st.tuples(st.integers(1, 3000), st.floats(1e-9, 1.0)), min_size=1, max_size=20),
)
def test_the_risk_lies_between_that_of_the_estimated_and_of_the_known_class(
    cases: list[tuple[int, float]],
) -> None:
    f = np.array([case[0] for case in cases])
    p = np.array([case[1] for case in cases])
    risks = expected_inverse(f, p)
    # 1/E[F] <= E[1/F] <= 1/f, by Jensen's inequality
    assert (risks >= p / f * (1 - 1e-13)).all()
    assert (risks <= 1 / f * (1 + 1e-13)).all()
    fewer = expected_inverse(f, p / 2)
    assert (fewer <= risks * (1 + 1e-13)).all()


def test_no_class_has_no_risk() -> None:
    assert expected_inverse(np.array([], dtype=np.int64), np.array([])).tolist() == []


# ---- households


def test_a_household_is_at_risk_if_one_of_its_members_is() -> None:
    found = household_risks(np.array([0, 0, 1]), np.array([0.5, 0.5, 1.0]), None, 2)
    assert found.tolist() == [0.75, 1.0]


def test_equal_members_of_a_household_count_as_often_as_there_are() -> None:
    risks = np.array([0.1, 0.2])
    weighted = household_risks(np.array([0, 0]), risks, np.array([3, 1]), 1)
    assert weighted[0] == pytest.approx(1 - 0.9**3 * 0.8, rel=1e-14)


def test_a_tiny_household_risk_keeps_its_digits() -> None:
    found = household_risks(np.array([0, 0]), np.array([1e-18, 2e-18]), None, 1)
    assert found[0] == pytest.approx(3e-18, rel=1e-12)


# ---- thresholds


@given(
    st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=30),
    st.floats(1e-7, 1.0),
)
def test_the_threshold_equals_that_of_its_naive_twin(risks: list[float], wanted: float) -> None:
    found = RiskSpread(np.array(risks), np.ones(len(risks), dtype=np.int64)).threshold(wanted)
    exact = naive.threshold(wanted, risks)
    assert found.risk == pytest.approx(exact, rel=1e-9)
    if found.records:
        treated = np.minimum(risks, found.risk)
        assert treated.mean() == pytest.approx(wanted, rel=1e-9)


def test_the_threshold_counts_records_of_classes() -> None:
    by_class = RiskSpread(np.array([0.01, 0.5, 0.3]), np.array([6, 1, 3])).threshold(0.1)
    every = np.array([0.01] * 6 + [0.5] + [0.3] * 3)
    by_record = RiskSpread(every, np.ones(10, dtype=np.int64)).threshold(0.1)
    assert by_class.records == by_record.records == 4
    assert by_class.risk == pytest.approx(by_record.risk) == pytest.approx(0.235)


def test_no_record_is_above_the_threshold_of_a_file_that_is_safe_already() -> None:
    found = RiskSpread(np.array([0.1, 0.2]), np.array([1, 1])).threshold(0.2)
    assert (found.risk, found.records) == (0.2, 0)


# ---- sdcMicro 5.8.1


def _golden(name: str) -> list[dict[str, float]]:
    with (GOLDENS / name).open(newline="") as file:
        return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]


@needs_goldens
@pytest.mark.parametrize(
    "name", ["sdcmicro_testdata_freq_risk.csv", "sdcmicro_francdat_freq_risk.csv"]
)
def test_sdcmicro_agrees_for_small_classes_and_approximates_larger_ones(name: str) -> None:
    rows = _golden(name)
    f = np.array([int(row["fk"]) for row in rows])
    people = np.array([row["Fk"] for row in rows])
    theirs = np.array([row["risk"] for row in rows])
    ours = individual_risks(f, people)
    small = f <= 2
    assert ours[small] == pytest.approx(theirs[small], rel=1e-9)
    # from three records on it takes p / (f - (1 - p)), the first terms of the series
    p = f / people
    assert theirs[~small] == pytest.approx((p / (f - (1 - p)))[~small], rel=1e-12)
    assert np.abs(ours - theirs).max() < 5e-5
