"""What a record leaves open: the least and the most that a share of people can be.

Let w(c) be the share of the people who are in cells of c people. Every number of a record is a
mean over people: E ln c gives κ, E (c-1) gives s2, E (c-1)(c-2) gives s3, E 1/c the support and
E [c < 10] the share in small cells; and so is what is predicted, such as the share of unique
people. So the extremes of a prediction, over all populations whose numbers are within the noise
of the published ones, are those of a linear program in w. Its dual solution proves them.

Without a counted population the same holds for the probability of a person's cell.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import optimize

from singleout.core.arrays import F64

__all__ = ["Evidence", "Share"]

Share = Callable[[F64], F64]
_Extreme = tuple[float, F64] | None

SMALL = 10  # a small cell has fewer people: the bound in the gate
ROUNDED = 0.5  # numbers are rounded to at most their standard deviation

_EVERY = 80  # sizes up to which each is a column of the program
_STEPS = 140  # further columns, in equal ratios
_NEAR = np.linspace(-6.0, 6.0, 97)  # standard deviations around the mean size
_ALL = 20_000  # sizes up to which a limit is proven for each
_FINE = 8_000  # otherwise for so many
_FAR_BELOW = 1e-9  # of one cell in N: people in cells less likely are all unique
_EXACT = 1e-6  # relative error of numbers without noise
_NOTHING = 1e-13
_MORE = 0.25  # standard deviations beyond the least that the published numbers need
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Evidence:
    """Published numbers as means over people, each with its standard deviation.

    Parameters
    ----------
    cells
        N: how many cells are possible; infinite if not known.
    population
        n: how many people were counted; None if the numbers are those of a distribution.
    largest
        No cell has more people, or without a population, a larger probability.
    known
        By name (kappa, s2, s3, support, small): the number and its standard deviation.
    """

    cells: float
    population: int | None
    largest: float
    known: dict[str, tuple[float, float]]

    # ---- columns: sizes of cells; rows: what is known

    @cached_property
    def sizes(self) -> F64:
        """The sizes of cells, or their probabilities, that the program distinguishes."""
        if self.population is None:
            return self._probabilities(_EVERY + _STEPS)
        most = int(self.largest)
        sizes = [np.arange(1, min(most, _EVERY) + 1)]
        if most > _EVERY:
            sizes += [np.rint(np.geomspace(_EVERY, most, _STEPS)), np.rint(self._near_mean())]
        every = np.unique(np.concatenate(sizes))
        return np.asarray(every[(every >= 1) & (every <= most)], np.float64)

    @cached_property
    def _fine(self) -> F64:
        if self.population is None:
            return np.union1d(self._probabilities(_FINE), self.sizes)
        most = int(self.largest)
        if most <= _ALL:
            return np.arange(1, most + 1, dtype=np.float64)
        return np.union1d(np.rint(np.geomspace(1, most, _FINE)), self.sizes)

    def _probabilities(self, steps: int) -> F64:
        reach = self.cells if math.isfinite(self.cells) else 1e12
        spread = np.geomspace(_FAR_BELOW / reach, self.largest, steps)
        return np.unique(np.clip(np.append(spread, self._near_mean()), spread[0], self.largest))

    def _near_mean(self) -> F64:
        """Return sizes around the mean, close enough for cells that are nearly equal."""
        if "s2" not in self.known or "s3" not in self.known:
            return np.zeros(0)
        mean, squares = self.known["s2"][0], self.known["s3"][0]
        deviation = math.sqrt(max(squares - mean * mean, 1e-6 * mean * mean))
        scale, least = (1.0, 0.0) if self.population is None else (self.population - 1, 1.0)
        return np.asarray(least + scale * (mean + deviation * _NEAR))

    def _rows(self, sizes: F64) -> F64:
        return np.vstack([_FUNCTIONS[name](sizes, self.population) for name in self.known])

    @cached_property
    def _targets(self) -> tuple[F64, F64]:
        """Return the wanted means and their standard deviations."""
        pairs = []
        for name, (value, deviation) in self.known.items():
            wanted = value - math.log(self.cells) if name == "kappa" else value
            pairs.append((wanted, max(deviation, _EXACT * max(abs(wanted), 1e-12))))
        return np.array([each[0] for each in pairs]), np.array([each[1] for each in pairs])

    @cached_property
    def _program(self) -> tuple[F64, F64]:
        """Return the rows A and sides b of A w <= b at tolerance 0, in standard deviations."""
        wanted, deviations = self._targets
        rows, sides = self._rows(self.sizes) / deviations[:, None], wanted / deviations
        return np.vstack([rows, -rows]), np.concatenate([sides, -sides])

    def _in_cells(self, sizes: F64) -> F64:
        """Return cells per person / possible cells, whose mean is at most 1."""
        if not math.isfinite(self.cells):
            return np.zeros(len(sizes))
        return _FUNCTIONS["support"](sizes, self.population) / self.cells

    # ---- answers

    @cached_property
    def misfit(self) -> float:
        """By how many standard deviations a number must be off at least, for all to be possible."""
        rows, sides = self._program
        count = len(self.sizes)
        above = np.vstack([rows, self._in_cells(self.sizes)])
        above = np.column_stack([above, np.append(-np.ones(len(rows)), 0.0)])
        cost = np.append(np.zeros(count), 1.0)
        whole = np.append(np.ones(count), 0.0)[None, :]
        found = optimize.linprog(
            cost, A_ub=above, b_ub=np.append(sides, 1.0), A_eq=whole, b_eq=[1.0], method="highs-ds"
        )
        return float(found.x[-1]) if found.status == 0 else math.inf

    def limits(self, share: Share, deviations: float) -> tuple[float, float] | None:
        """Return the least and the largest mean of ``share`` over people; None if not found.

        Each number may be off by so many standard deviations and by its rounding; or by as many as
        it takes for all numbers to be possible together.
        """
        low, high = self._extremes(share, deviations + ROUNDED)
        if low is None or high is None:  # noise made the numbers impossible together
            low, high = self._extremes(share, max(deviations + ROUNDED, self.misfit + _MORE))
        if low is None or high is None:
            return None
        return min(low[0], -high[0]), max(low[0], -high[0])

    def middle(self, share: Share) -> F64 | None:
        """Return shares of people by size that fit best and are halfway between both extremes.

        The mean of the two populations with the least and the largest mean of ``share``.
        """
        tolerance = self.misfit * (1 + 1e-3) + 1e-3
        low, high = self._extremes(share, tolerance)
        if low is None or high is None:
            return None
        weights = np.where((low[1] + high[1]) / 2 > 1e-12, (low[1] + high[1]) / 2, 0.0)
        return np.asarray(weights / weights.sum())

    @cached_property
    def _shares(self) -> dict[Share, tuple[F64, F64]]:
        """Shares that were computed, for other tolerances of the same."""
        return {}

    def _extremes(self, share: Share, tolerance: float) -> tuple[_Extreme, _Extreme]:
        """Return the least mean of the share, and of its negative."""
        if not math.isfinite(tolerance):
            return None, None
        if share not in self._shares:
            self._shares[share] = share(self.sizes), share(self._fine)
        here, everywhere = self._shares[share]
        low = self._least(here, everywhere, tolerance)
        return low, None if low is None else self._least(-here, -everywhere, tolerance)

    def _least(self, costs: F64, everywhere: F64, tolerance: float) -> _Extreme:
        """Return a proven lower limit of the mean, and the people by size who have it."""
        rows, sides = self._program
        above = np.vstack([rows, self._in_cells(self.sizes)])
        limit = np.append(sides + tolerance, 1.0)
        costs = np.where(np.abs(costs) < _NOTHING, 0.0, costs)
        whole: dict[str, Any] = {"A_eq": np.ones((1, len(self.sizes))), "b_eq": [1.0]}
        for method in ("highs-ds", "highs-ipm"):
            found = optimize.linprog(costs, A_ub=above, b_ub=limit, **whole, method=method)
            if found.status == 0:
                prices = np.minimum(found.ineqlin.marginals, 0.0)
                return self._proven(everywhere, prices, limit), np.maximum(found.x, 0.0)
        return None

    @cached_property
    def _lines(self) -> F64:
        """The rows of the program for all sizes, not only for its columns."""
        rows = self._rows(self._fine) / self._targets[1][:, None]
        return np.vstack([rows, -rows, self._in_cells(self._fine)])

    def _proven(self, costs: F64, prices: F64, limit: F64) -> float:
        """Return the limit that a dual solution proves for all sizes."""
        height = float((costs - prices @ self._lines).min())
        proven = height + float(prices @ limit)
        return proven - _ROUNDING * abs(proven)


def _log_size(sizes: F64, population: int | None) -> F64:
    return np.asarray(np.log(sizes if population is None else sizes / population))


def _pairs(sizes: F64, population: int | None) -> F64:
    return sizes if population is None else (sizes - 1) / (population - 1)


def _triples(sizes: F64, population: int | None) -> F64:
    if population is None:
        return np.asarray(sizes**2)
    return (sizes - 1) * (sizes - 2) / ((population - 1.0) * (population - 2.0))


def _cells(sizes: F64, population: int | None) -> F64:
    return 1 / sizes if population is None else population / sizes


def _small(sizes: F64, population: int | None) -> F64:
    assert population is not None  # a probability is neither small nor large
    return np.asarray(sizes < SMALL, np.float64)


_FUNCTIONS: dict[str, Callable[[F64, int | None], F64]] = {
    "kappa": _log_size,
    "s2": _pairs,
    "s3": _triples,
    "support": _cells,
    "small": _small,
}
