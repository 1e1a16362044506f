"""Weights, scores, DIS and DIS-SUDA from counts alone."""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_suda
from singleout.errors import UndefinedMeasure
from singleout.methods.suda.measure import (
    Scoring,
    dis,
    dis_scores,
    shares_of_lattice,
    weighted,
    weights,
)


@given(st.integers(1, 9).flatmap(lambda m: st.tuples(st.just(m), st.integers(1, m))))
def test_weights_are_paths_and_supersets_counted_one_by_one(shape: tuple[int, int]) -> None:
    variables, largest = shape
    for scoring in Scoring:
        expected = [
            float(naive_suda.weight(size, variables, largest, scoring))
            for size in range(1, largest + 1)
        ]
        assert weights(variables, largest, scoring).tolist() == expected


def test_the_lattice_of_five_of_the_paper() -> None:
    # Figures 2.2 and 2.3: all the way down, and cut below the sets of size 2
    assert weights(5, 5, Scoring.LATTICE).tolist() == [24, 6, 2, 1, 1]
    assert weights(5, 2, Scoring.NORMALISED).tolist() == [12, 3]


@given(st.integers(2, 64).flatmap(lambda m: st.tuples(st.just(m), st.integers(1, m - 1))))
def test_the_limited_form_differs_by_a_constant_factor_only(shape: tuple[int, int]) -> None:
    variables, largest = shape
    whole = weights(variables, largest, Scoring.LATTICE)
    limited = weights(variables, largest, Scoring.NORMALISED)
    factor = float(factorial(variables - largest - 1))
    np.testing.assert_allclose(whole / limited, factor, rtol=1e-14)


def test_searching_all_sizes_is_the_same_in_both_forms() -> None:
    for variables in (1, 2, 7, 60):
        whole = weights(variables, variables, Scoring.LATTICE)
        assert (weights(variables, variables, Scoring.NORMALISED) == whole).all()


@pytest.mark.parametrize("scoring", list(Scoring))
@pytest.mark.parametrize("variables", [21, 60, 64])
def test_weights_of_many_variables_are_finite_and_fall_with_size(
    variables: int, scoring: Scoring
) -> None:
    found = weights(variables, 10, scoring)  # those of ihsn rise again beyond the middle
    assert np.isfinite(found).all()
    assert (found > 0).all()
    assert (np.diff(found) < 0).all()


def test_weights_beyond_64_bits_are_rounded_once() -> None:
    assert weights(60, 3, Scoring.LATTICE).tolist() == [
        float(factorial(59)),
        float(factorial(58)),
        float(factorial(57)),
    ]
    assert weights(60, 1, Scoring.IHSN)[0] == float(Fraction(2**59 - 1, 60))


def test_shares_of_the_lattice_are_weights_over_all_paths() -> None:
    for variables in (1, 4, 12):
        expected = weights(variables, variables, Scoring.LATTICE) / factorial(variables)
        np.testing.assert_allclose(shares_of_lattice(variables, variables), expected, rtol=1e-15)
    assert shares_of_lattice(60, 3)[2] == 1 / (60 * 59 * 58)


def test_an_unique_of_all_variables_weighs_nothing_for_ihsn_and_one_otherwise() -> None:
    assert weights(4, 4, Scoring.IHSN)[3] == 0
    assert weights(4, 4, Scoring.LATTICE)[3] == 1
    assert weights(4, 4, Scoring.NORMALISED)[3] == 1
    assert weights(4, 4, Scoring.IHSN)[1] == 3 / comb(4, 2)


@pytest.mark.parametrize("shape", [(3, 7), (3, 7, 4)])
def test_counts_are_weighted_along_their_first_axis(shape: tuple[int, ...]) -> None:
    counts = np.random.default_rng(1).integers(0, 9, shape, dtype=np.int32)
    weight = np.array([20.0, 5.0, 0.5])
    expected = np.tensordot(weight, counts, axes=1)
    np.testing.assert_allclose(weighted(counts, weight), expected, rtol=1e-15)


# ---- DIS


@given(
    st.integers(1, 1000),
    st.integers(0, 1000),
    st.floats(1e-6, 1, allow_nan=False),
)
def test_dis_is_the_share_of_right_matches(unique: int, in_pairs: int, fraction: float) -> None:
    found = dis(unique, in_pairs, fraction)
    assert found == naive_suda.dis(unique, in_pairs, fraction)
    assert 0 < found <= 1


def test_dis_where_the_formula_has_an_end() -> None:
    assert dis(0, 0, 0.5) == 0  # nobody to match
    assert dis(0, 8, 0.5) == 0
    assert dis(3, 0, 0.01) == 1  # nothing suggests that anybody has a twin
    assert dis(3, 8, 1.0) == 1  # everybody is in the sample


@given(
    st.lists(st.integers(0, 10**6), min_size=1, max_size=30),
    st.integers(1, 28),
    st.integers(0, 50).map(lambda pairs: 2 * pairs),
    st.floats(1e-4, 1),
)
def test_dis_scores_are_those_of_the_formula(
    scores: list[int], variables: int, in_pairs: int, fraction: float
) -> None:
    found = dis_scores(np.array(scores, dtype=np.float64), variables, in_pairs, fraction)
    expected = naive_suda.dis_scores(scores, variables, 7, in_pairs, fraction)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_dis_scores_do_not_depend_on_the_unit_of_the_scores() -> None:
    scores = np.array([0.0, 6, 12, 6, 10])
    small = dis_scores(scores, 4, 6, 0.01)
    # to the fourth power these would not be finite
    np.testing.assert_allclose(dis_scores(scores * 1e290, 4, 6, 0.01), small, rtol=1e-9)
    np.testing.assert_allclose(dis_scores(scores * 1e-290, 4, 6, 0.01), small, rtol=1e-9)


def test_without_pairs_every_scored_record_is_certain() -> None:
    scores = np.array([0.0, 6.0, 1.0])
    assert dis_scores(scores, 4, 0, 0.01).tolist() == [0, 1, 1]
    assert dis_scores(scores, 4, 8, 1.0).tolist() == [0, 1, 1]
    assert dis_scores(np.zeros(2), 4, 8, 0.01).tolist() == [0, 0]


def test_dis_scores_follow_the_score_up_to_28_variables_and_are_refused_beyond() -> None:
    scores = np.array([1.0, 5.0, 300.0])
    for variables in (1, 8, 27):
        assert (np.diff(dis_scores(scores, variables, 6, 0.1)) > 0).all()
    level = dis_scores(scores, 28, 6, 0.1)  # the exponent is 0: all the same
    assert level.tolist() == [level[0]] * 3
    with pytest.raises(
        UndefinedMeasure, match=r"at most 28 columns, not 29.*rank records by score"
    ):
        dis_scores(scores, 29, 6, 0.1)
