"""Predictions from a summary: they agree with themselves, and say what they leave open."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from singleout.errors import UndefinedMeasure
from singleout.predict import (
    Distribution,
    Singletons,
    group_sizes,
    singleton_bounds,
    singleton_range,
    singletons,
    uniqueness_probability,
)
from singleout.predict.distribution.whole_cells import whole_cells


def sums_of(shares, many: int) -> list[float]:
    given = np.asarray(shares, dtype=float)
    return [float((given**order).sum()) for order in range(2, 2 + many)]


def test_a_stand_in_is_never_called_exact():
    spread = Distribution.from_summary(cells=95, kl=0.3)
    for found in (uniqueness_probability(spread, 20), group_sizes(spread, 20)):
        assert found.error is None
        assert "Only a summary" in found.warnings[0]
        assert found.to_dict()["error"] is None
    assert "Only a summary" in singletons(spread, 20).warnings[0]


def test_a_known_distribution_has_no_limits_and_no_warning():
    for found in (singletons([0.5, 0.5], 3), group_sizes([0.5, 0.5], 3)):
        assert (found.low, found.high) == (None, None)
        assert found.warnings == ()


def test_the_limits_are_those_of_the_summary():
    by_distance = singletons(Distribution.from_summary(cells=95, kl=0.3), 20)
    assert (by_distance.low, by_distance.high) == singleton_range(95, 0.3, 20)
    sums = sums_of([0.4, 0.3, 0.2, 0.1], 2)
    spread = Distribution.from_summary(cells=4, power_sums=sums)
    assert (group_sizes(spread, 7).low, group_sizes(spread, 7).high) == singleton_bounds(4, sums, 7)
    assert by_distance.to_dict()["low"] == by_distance.low
    json.dumps(spread.to_dict(), allow_nan=False)


def test_the_limits_hold_the_truth_and_the_stand_in():
    heavy = np.append(0.3, np.full(94, 0.7 / 94))
    distance = Distribution.from_probabilities(heavy).kl
    truth = singletons(heavy, 20).mean
    for summary in ({"kl": distance}, {"power_sums": sums_of(heavy, 3)}):
        found = singletons(Distribution.from_summary(cells=95, **summary), 20)
        assert found.low <= truth <= found.high
        assert found.low * (1 - 1e-9) <= found.mean <= found.high * (1 + 1e-9)


def test_no_distance_and_the_largest_leave_nothing_open():
    for summary in ({"kl": 0.0}, {"kl": np.log(95)}, {"power_sums": [1 / 95, 1 / 95**2]}):
        spread = Distribution.from_summary(cells=95, **summary)
        assert spread.summary is None
        assert uniqueness_probability(spread, 10).error == 0


def test_an_approximation_by_the_distance_stands_on_what_is_known():
    spread = Distribution.from_summary(cells=95, kl=0.05)
    found = group_sizes(spread, 20, method="kl-finite")
    left_open = max(found.unique / found.low - 1, 1 - found.unique / found.high)
    assert found.error == pytest.approx(left_open, rel=1e-6)
    assert not found.warnings
    by_sums = Distribution.from_summary(cells=95, power_sums=[0.0115, 0.00014])
    assert group_sizes(by_sums, 20, method="kl-finite").error is None
    assert uniqueness_probability(by_sums, 5, method="kl").error is None


# ---- whole cells


@pytest.mark.parametrize(
    ("shares", "people"), [([0.9, 0.07, 0.03], 33), ([0.6, 0.3, 0.1], 30), ([0.7, 0.2, 0.1], 12)]
)
def test_two_sums_tell_three_cells_apart(shares, people):
    spread = Distribution.from_summary(cells=3, power_sums=sums_of(shares, 2))
    np.testing.assert_allclose(spread.probabilities, shares, rtol=1e-6)
    found, truth = singletons(spread, people), singletons(shares, people)
    assert found.probability_none == pytest.approx(truth.probability_none, abs=1e-6)
    np.testing.assert_allclose(found.pmf(), truth.pmf(), atol=1e-6)


@given(st.lists(st.integers(1, 60), min_size=2, max_size=40), st.integers(1, 2), st.integers(2, 60))
def test_all_parts_of_a_prediction_are_those_of_one_distribution(weights, pairs, people):
    shares = np.array(weights) / sum(weights)
    spread = Distribution.from_summary(cells=len(shares), power_sums=sums_of(shares, 2 * pairs))
    if not spread.has_whole_cells:
        return
    assert spread.support == len(shares)
    found = singletons(spread, people)
    law, numbers = found.pmf(), np.arange(people + 1)
    assert law @ numbers == pytest.approx(found.mean, rel=1e-8, abs=1e-9)
    assert law[0] == pytest.approx(found.probability_none, abs=1e-9)
    assert law[-1] == pytest.approx(uniqueness_probability(spread, people).probability, abs=1e-9)
    for order, wanted in enumerate(sums_of(shares, 2), start=2):
        assert spread.power_sum(order) == pytest.approx(wanted, rel=1e-6)


@given(
    st.lists(st.integers(0, 200), min_size=2, max_size=40).filter(any),
    st.integers(1, 6),
    st.integers(2, 90),
)
@example([182, 33, 33, 5, 2, 2, 1, 1], 4, 25)  # four sums, of which whole cells had only two
@example([0, 23, 26], 4, 27)  # hardly anybody is unique: 9e-7 people
@example([1, 1, 1, 1, 1, 2, 0], 6, 10)  # an impossible cell is a group of its own
def test_every_number_of_a_stand_in_lies_within_the_proven_bounds(weights, many, people):
    shares = np.array(weights) / sum(weights)
    sums = sums_of(shares, many)
    spread = Distribution.from_summary(cells=len(shares), power_sums=sums)
    found, sizes = singletons(spread, people), group_sizes(spread, people)
    low, high = singleton_bounds(len(shares), sums, people)
    rounding = 1e-13 * people  # of sums over all of them
    for number in (found.mean, people - found.shared, sizes.unique, people * found.share):
        assert low * (1 - 1e-7) - rounding <= number <= high * (1 + 1e-7) + rounding
    truth = singletons(shares, people).mean
    assert low * (1 - 1e-7) - 1e-12 <= truth <= high * (1 + 1e-7) + 1e-12
    for order, wanted in enumerate(sums, start=2):
        assert spread.power_sum(order) == pytest.approx(wanted, rel=1e-6)


def test_where_no_whole_cells_were_found_there_are_parts_of_cells_and_a_note(monkeypatch):
    monkeypatch.setattr("singleout.predict.distribution.whole_cells.whole_cells", lambda *_: None)
    shares = [0.4, 0.3, 0.2, 0.05, 0.05]
    for many in (2, 3, 4):
        sums = sums_of(shares, many)
        spread = Distribution.from_summary(cells=5, power_sums=sums)
        assert not spread.has_whole_cells
        assert "part of a cell" in spread.notes[-1]
        found = singletons(spread, 7)
        assert found.low * (1 - 1e-9) <= found.mean <= found.high * (1 + 1e-9)
        assert found.to_dict()["probability_none"] is None
        assert uniqueness_probability(spread, 3).error is None
        for order, wanted in enumerate(sums, start=2):
            assert spread.power_sum(order) == pytest.approx(wanted, rel=1e-9)


def test_cells_that_are_whole_are_left_as_they_are():
    likely, many = np.array([0.2, 0.05]), np.array([3.0, 8.0])
    found = whole_cells(likely, many, [0.14])
    assert found is not None
    assert found[0].tolist() == likely.tolist()
    assert found[1].tolist() == many.tolist()


def test_the_law_of_parts_of_cells_is_refused_in_a_sentence():
    parts = Distribution(np.array([0.5, 0.2]), np.array([1.4, 1.5]), 3)
    found = Singletons(parts, 5)
    assert found.mean > 0
    with pytest.raises(UndefinedMeasure, match="part of a cell"):
        found.pmf()
    with pytest.raises(UndefinedMeasure, match="part of a cell"):
        _ = found.probability_none
