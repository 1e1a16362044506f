"""The law of the number of unique people. Koot (2012), 5.4.2, for any distribution.

With y marking people who are alone, the people of a cell contribute exp(p x) + (y - 1) p x, or
(1 + x)^c + (y - 1) c x without replacement. The coefficient of x^k in the product, at points y of a
circle, is the Fourier transform of the law. Of the grid of both circles only a few hundred points
are not negligible; a bound that needs three numbers selects them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from singleout.core.arrays import C128, F64, I64
from singleout.core.memory import require_memory
from singleout.core.progress import track
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.singletons.none import log_drawn
from singleout.predict.uniqueness.contour import Factors, bernstein_points, condensed, products
from singleout.predict.uniqueness.factorials import log_binomial_mode, log_poisson_mode
from singleout.report.say import say

__all__ = ["law"]


_LOG_NEGLIGIBLE = 44.0  # exp(-44) is 8e-20
_DEVIATIONS = 26.0  # how wide a window holds the law, in standard deviations
_LEAST_WINDOW = 40
_EDGE = 1e-13  # a window is too narrow if more than this lies at its ends
_ROUNDING = 1e-15  # what is smaller is set to 0: the tail of a law is long, and adds up


def law(
    spread: Distribution, people: int, without_replacement: bool, mean: float, deviation: float
) -> F64:
    """Return the probability of each number of unique people from 0 to all; errors below 1e-12.

    The mean and the standard deviation of that number place the window that is computed.
    """
    require_memory(16 * (people + 1), f"The law of {people:,} people", "give fewer people")
    everybody = np.zeros(people + 1)
    if mean < _ROUNDING:  # an upper bound of the probability that anybody is unique
        everybody[0] = 1.0
        return everybody
    if people <= 1 or (without_replacement and people == spread.population):
        everybody[round(mean)] = 1.0  # the number is certain
        return everybody
    grid = _Grid.drawn(spread, people) if without_replacement else _Grid.independent(spread, people)
    window = min(people + 1, math.ceil(_DEVIATIONS * deviation) + _LEAST_WINDOW)
    before = math.inf
    while True:
        first = max(0, min(people + 1 - window, round(mean) - window // 2))
        inside = grid.law(first, window)
        edge = _at_the_ends(inside, first, people)
        # an edge that a wider window does not lower is rounding error
        if edge < _EDGE or edge >= before:
            break
        window, before = min(people + 1, 2 * window), edge
    everybody[first : first + window] = np.where(inside > max(_ROUNDING, edge), inside, 0.0)
    everybody[people - 1] = 0.0  # if all others are unique, so is the last
    everybody /= everybody.sum()
    return everybody


def _at_the_ends(chances: F64, first: int, people: int) -> float:
    """Return the larger probability at the ends of the window, 0 and all people excepted."""
    low = 0.0 if first == 0 else abs(float(chances[0]))
    return low if first + len(chances) > people else max(low, abs(float(chances[-1])))


@dataclass(frozen=True, eq=False)
class _Grid:
    """The generating function on two circles: x for people, y for those who are alone."""

    factors: list[Factors]  # one for each group of cells
    people: int  # the exponent of x
    points: int  # on the circle of x
    turn: C128  # the exponent of the exponential part at each of them
    # sums over cells of P(0) P(1), P(0) P(2) and P(1) P(2), where P is how many people it has
    pairs: tuple[float, float, float]
    log_mode: float  # logarithm of the coefficient for y = 1

    @classmethod
    def independent(cls, spread: Distribution, people: int) -> _Grid:
        """Return the grid for people who fall into cells independently."""
        mean, times = condensed(people * spread.probabilities, spread.multiplicity)
        points = bernstein_points(people)
        few = np.exp([special.xlogy(j, mean) - mean - math.log(max(j, 1)) for j in range(3)])
        turn = _circle(points) - 1
        return cls._of(times, people, points, turn, mean, few, log_poisson_mode(people))

    @classmethod
    def drawn(cls, spread: Distribution, people: int) -> _Grid:
        """Return the grid for people drawn from a population, nobody twice."""
        population = int(spread.population or 0)
        counts = np.asarray(spread.counts, dtype=np.float64)
        share = people / population
        points = bernstein_points(people * (1 - share))
        none = np.exp(counts * math.log1p(-share))
        odds = share / (1 - share)
        few = np.array([none, none * counts * odds, none * counts * (counts - 1) / 2 * odds**2])
        turn, log_mode = log_drawn(_circle(points), share), log_binomial_mode(people, population)
        return cls._of(spread.multiplicity, people, points, turn, counts, few, log_mode)

    @classmethod
    def _of(
        cls,
        times: NDArray[Any],
        people: int,
        points: int,
        turn: C128,
        growth: F64,
        few: F64,
        log_mode: float,
    ) -> _Grid:
        factors = Factors(growth, np.ones_like(growth), few[1], times).ordered(times * few[1])
        none, one, two = few
        pairs = tuple(
            float((times * a * b).sum()) for a, b in ((none, one), (none, two), (one, two))
        )
        return cls(factors, people, points, turn, (pairs[0], pairs[1], pairs[2]), log_mode)

    def law(self, first: int, window: int) -> F64:
        """Return the probabilities of ``window`` numbers from ``first`` on."""
        angles = 2 * np.pi * np.arange(window // 2 + 1) / window
        marks = np.cos(angles) + 1j * np.sin(angles) - 1  # y - 1
        total = np.zeros(len(angles), dtype=np.complex128)
        circle = _circle(self.points)
        back = np.conj(_circle(self.points)[np.arange(self.points) * self.people % self.points])
        least = math.exp(-_LOG_NEGLIGIBLE)
        for index in track(range(self.points), say("progress.law")):
            relevant = self._relevant(2 * np.pi * index / self.points, angles)
            if len(relevant):
                terms = marks[relevant] * circle[index]
                value = products(self.factors, self.turn[index : index + 1], terms, least)
                total[relevant] += value * back[index]
        transform = total * math.exp(-self.log_mode) / self.points
        chances = np.fft.irfft(np.conj(transform), n=window)
        return chances[np.arange(first, first + window) % window]

    def _relevant(self, angle: float, angles: F64) -> I64:
        """Return the indices of y where the product is not negligible, by a bound on its size."""
        one, two, three = self.pairs
        fixed = one + two * (1 - math.cos(2 * angle)) + three
        size = fixed - one * np.cos(angles + angle) - three * np.cos(angles - angle)
        return np.flatnonzero(size < _LOG_NEGLIGIBLE)


def _circle(points: int) -> C128:
    # the lower half at negative angles: near 2 pi an angle has fewer digits than near 0, and k
    # people multiply that rounding error
    index = np.arange(points)
    angle = 2 * np.pi * np.where(2 * index > points, index - points, index) / points
    return np.cos(angle) + 1j * np.sin(angle)
