"""A stand-in from the distance, s2 and s3 together."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_two_levels
from singleout.errors import BadChoice
from singleout.predict import Distribution, singletons
from singleout.predict.distribution.two_levels import possible_summary, two_levels

_NUMBERS = st.floats(-1, 10, allow_nan=False)


def summary(shares: np.ndarray, cells: int) -> tuple[float, list[float]]:
    some = shares[shares > 0]
    kl = float((some * np.log(cells * some)).sum())
    return kl, [float((some**power).sum()) for power in (2, 3)]


@settings(max_examples=40)
@given(st.lists(st.integers(0, 60), min_size=4, max_size=40).filter(lambda c: len(set(c)) > 2))
def test_two_levels_are_those_of_the_naive_twin(counts: list[int]) -> None:
    shares = np.array(counts) / sum(counts)
    cells = len(counts)
    kl, (s2, s3) = summary(shares, cells)
    if cells * s2 - 1 < 0.05 or s3 - s2**2 < 0.01 * s2**2:
        return  # the twin divides by these
    nodes, many = naive_two_levels.stand_in(cells, kl, s2, s3)
    known = possible_summary(cells, kl, [s2, s3])
    assert not known.moved
    likely, times = two_levels(cells, known)
    for people in (2, 10, 50):
        twin = people * float((many * nodes * (1 - nodes) ** (people - 1)).sum())
        ours = people * float((times * likely * (1 - likely) ** (people - 1)).sum())
        assert ours == pytest.approx(twin, rel=1e-6, abs=1e-9)


@settings(max_examples=60)
@given(st.integers(1, 5_000), _NUMBERS, _NUMBERS, _NUMBERS)
def test_no_noise_is_an_error(cells: int, kl: float, s2: float, s3: float) -> None:
    made = Distribution.from_summary(cells=cells, kl=kl, power_sums=[s2, s3])
    assert float((made.multiplicity * made.probabilities).sum()) == pytest.approx(1)
    assert made.largest <= 1 + 1e-9
    assert 0 <= singletons(made, 20).mean <= 20


def test_numbers_that_were_moved_are_named() -> None:
    made = Distribution.from_summary(cells=100, kl=0.3, power_sums=[0.009, 0.00005])
    assert any("s2, s3, kl" in note for note in made.notes)
    assert possible_summary(100, 0.0, [0.02, 0.0005]).moved == ("kl",)


def test_of_a_real_distribution_nothing_is_moved_and_the_mean_is_within_its_limits() -> None:
    shares = np.arange(1, 96) / np.arange(1, 96).sum()
    kl, sums = summary(shares, 95)
    made = Distribution.from_summary(cells=95, kl=kl, power_sums=sums)
    assert made.kl == pytest.approx(kl, abs=1e-3)
    assert [made.power_sum(2), made.power_sum(3)] == pytest.approx(sums)
    found = singletons(made, 40)
    exact = 40 * float((shares * (1 - shares) ** 39).sum())
    assert found.low is not None
    assert found.high is not None
    assert found.low <= exact <= found.high
    assert found.mean == pytest.approx(exact, rel=2e-3)


def test_with_few_people_per_cell_two_levels_are_nearly_exact() -> None:
    rng = np.random.default_rng(3)
    for sigma in (0.5, 1.0, 1.5):
        shares = rng.lognormal(0, sigma, 200)
        shares /= shares.sum()
        kl, sums = summary(shares, 200)
        exact = 10 * float((shares * (1 - shares) ** 9).sum())
        both = Distribution.from_summary(cells=200, kl=kl, power_sums=sums)
        assert singletons(both, 10).mean == pytest.approx(exact, rel=2e-3)


def test_both_need_a_finite_number_of_cells_and_two_sums() -> None:
    with pytest.raises(BadChoice, match="whole number"):
        Distribution.from_summary(cells=math.inf, kl=0.1, power_sums=[0.1, 0.02])
    with pytest.raises(BadChoice, match="two, of the squares"):
        Distribution.from_summary(cells=9, kl=0.1, power_sums=[0.2, 0.05, 0.01])
