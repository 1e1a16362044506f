"""The chance that nobody is unique: zeta in Koot (2012), 5.4.

The thesis gives a recursion for equally likely cells and a sum over all ways to split k people for
others, and calls that hard to evaluate. As a generating function it is not: the people of a cell
contribute exp(p x) - p x, and zeta is k! times the coefficient of x^k in the product. Without
replacement the factor is (1 + x)^c - c x. Both are tilted, so that even a probability of 10^-9000
keeps its digits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from singleout.core.arrays import C128, F64
from singleout.errors import UndefinedMeasure
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.uniqueness.contour import (
    Factors,
    chernoff_points,
    coefficient,
    solve_tilt,
)
from singleout.predict.uniqueness.factorials import log_binomial_mode, log_poisson_mode

__all__ = ["log_drawn", "log_none"]

_MOST_CANCELLING = 1e12  # terms that cancel: the logarithm is off by 0.001 at most


def log_none(spread: Distribution, people: int, without_replacement: bool) -> float:
    """Return the logarithm of the probability that nobody is unique; -inf if impossible."""
    if people == 0:
        return 0.0
    if people == 1:
        return -math.inf
    if without_replacement and spread.counts is not None:
        return min(0.0, _log_none_without(spread, people))
    return min(0.0, _Independent(spread, people).log_none())


def _log_none_without(spread: Distribution, people: int) -> float:
    population, counts = int(spread.population or 0), np.asarray(spread.counts)
    sharing = counts >= 2  # a person alone in the population cannot share a cell
    able = int((counts * spread.multiplicity)[sharing].sum())
    if people == population:
        return 0.0 if able == population else -math.inf
    drawn = _Drawn(spread, people)
    only_pairs = bool((counts[sharing] == 2).all())
    if people > able or (only_pairs and people % 2):
        return -math.inf
    if people == able:
        return drawn.log_one_way()
    return drawn.log_none()


@dataclass(frozen=True, eq=False)
class _Independent:
    """People who fall into cells independently of each other."""

    spread: Distribution
    people: int

    def _means(self, tilt: float) -> F64:
        z = self.people * self.spread.probabilities * math.exp(tilt)
        return z * -np.expm1(-z) / (1 - z * np.exp(-z))

    def _log_shared(self, tilt: float) -> float:
        """Return the logarithm of the product of 1 - z exp(-z)."""
        z = self.people * self.spread.probabilities * math.exp(tilt)
        return float((self.spread.multiplicity * np.log1p(-z * np.exp(-z))).sum())

    def log_none(self) -> float:
        m, people = self.spread.multiplicity, self.people
        tilt = solve_tilt(lambda u: float((m * self._means(u)).sum()), people)
        z = people * self.spread.probabilities * math.exp(tilt)
        gone = np.exp(-z)
        shared = 1 - z * gone  # the factor exp(z) - z, divided by exp(z)
        means = self._means(tilt)
        # z (1 + z - exp(-z)), accurate for small z as well
        variances = z * (z - np.expm1(-z)) / shared - means**2
        total = people * math.exp(tilt)
        if total > _MOST_CANCELLING:
            raise UndefinedMeasure(
                f"With {people:,} people over so many cells, that nobody is unique is too unlikely "
                "to compute; ask for more people, or fewer cells."
            )

        def log_generating(further: float) -> float:
            grown = total * math.expm1(further)
            return grown + self._log_shared(tilt + further) - self._log_shared(tilt)

        spread_of_sum = float((m * variances).sum())
        chance = coefficient(
            Factors(z, 1 / shared, z * gone / shared, m).ordered(m * variances),
            people,
            chernoff_points(log_generating, people, spread_of_sum),
            spread_of_sum,
            turn=lambda circle: circle - 1,
            term=lambda circle: 1 - circle,
        )
        lead = people * (math.expm1(tilt) - tilt) + self._log_shared(tilt)
        return lead - log_poisson_mode(people) + _log(chance)


@dataclass(frozen=True, eq=False)
class _Drawn:
    """People drawn from a population of whom nobody is drawn twice."""

    spread: Distribution
    people: int

    @property
    def population(self) -> int:
        return int(self.spread.population or 0)

    @property
    def counts(self) -> F64:
        return np.asarray(self.spread.counts, dtype=np.float64)

    def _odds(self, tilt: float) -> float:
        """Return the scale of x; at no tilt people are drawn with their share of the population."""
        return self.people / (self.population - self.people) * math.exp(tilt)

    def _single(self, tilt: float) -> F64:
        """Return the chance of exactly one of each cell, if all are drawn independently."""
        odds = self._odds(tilt)
        return self.counts * odds * np.exp(-self.counts * math.log1p(odds))

    def _means(self, tilt: float) -> F64:
        share = self._odds(tilt) / (1 + self._odds(tilt))
        single = self._single(tilt)
        return self._per_shared(self.counts * share - single, single)

    def _per_shared(self, amount: F64, single: F64) -> F64:
        # cells of one person are left out: their factor is 1
        shares = self.counts >= 2
        return np.where(shares, amount / np.where(shares, 1 - single, 1.0), 0.0)

    def _log_generating(self, tilt: float) -> float:
        """Return the logarithm of the product of all factors, less that at no tilt without y."""
        start, odds = self._odds(0.0), self._odds(tilt)
        grown = self.population * math.log1p(start * math.expm1(tilt) / (1 + start))
        shares = self.counts >= 2
        m, single = self.spread.multiplicity[shares], self._single(tilt)[shares]
        ones = float(self.spread.multiplicity[~shares].sum())
        return grown + float((m * np.log1p(-single)).sum()) - ones * math.log1p(odds)

    def log_none(self) -> float:
        m, people = self.spread.multiplicity, self.people
        tilt = solve_tilt(lambda u: float((m * self._means(u)).sum()), people)
        odds = self._odds(tilt)
        share, single, means = odds / (1 + odds), self._single(tilt), self._means(tilt)
        squares = self.counts * share * (1 - share + self.counts * share) - single
        variances = self._per_shared(squares, single) - means**2
        spread_of_sum = float((m * variances).sum())
        here = self._log_generating(tilt)
        steady = self._per_shared(np.ones_like(single), single)
        sharing = self.counts >= 2
        parts = Factors(self.counts, steady, self._per_shared(single, single), m).take(sharing)
        chance = coefficient(
            parts.ordered((m * variances)[sharing]),
            people,
            chernoff_points(lambda s: self._log_generating(tilt + s) - here, people, spread_of_sum),
            spread_of_sum,
            turn=lambda circle: log_drawn(circle, share),
            term=lambda circle: 1 - circle,
        )
        return here - people * tilt - log_binomial_mode(people, self.population) + _log(chance)

    def log_one_way(self) -> float:
        """Return the logarithm of the probability of one particular sample."""
        start = self._odds(0.0)
        entropy = self.people * math.log(start) - self.population * math.log1p(start)
        return entropy - log_binomial_mode(self.people, self.population)


def log_drawn(circle: C128, share: float) -> C128:
    """Return log(1 - share + share x): what a person contributes who is drawn independently."""
    moved = share * (circle - 1)
    with np.errstate(divide="ignore"):  # 0 at the far side if half of all are drawn
        size = np.log1p(np.maximum(moved.real * (2 + moved.real) + moved.imag**2, -1.0)) / 2
    return size + 1j * np.arctan2(moved.imag, 1 + moved.real)


def _log(chance: float) -> float:
    return math.log(chance) if chance > 0 else -math.inf
