"""Values on a line, cut into intervals of the same width: who shares one? Koot (2012), 6.2 and 6.3.

Two kinds of lines answer the same questions: a continuous distribution, and values that were
observed or have probabilities of their own. Both are exact. The offset of the intervals can be
given, or left open: then the answer is the mean over all offsets. The mean over offsets of what a
cell contributes is an integral over the windows that slide along the line, and for observed values
that integral is a finite sum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64
from singleout.core.memory import require_memory
from singleout.errors import BadChoice, UndefinedMeasure
from singleout.predict.intervals.quadrature import gauss, integral
from singleout.predict.set_sizes.shares import SIZES, drawn_shares, in_sets, set_shares
from singleout.report.say import say, words

__all__ = ["Continuous", "IntervalShares", "Line", "Observed", "check_size", "discrete_line"]


_TOLERANCE = 1e-10  # how far a share may be off
_SMALLEST = 1e-100
_MOST_BINS = 2_000_000
_TAILS_AT_ONCE = 8  # a call takes as long for one tail as for many
_SNAP = 1e-9  # a value this near to an edge, in widths, lies on it: 0.3 / 0.1 is 2.9999999999999996
_NARROW = 1e-3  # widths per spread below which a density is more accurate than two cdfs
_QUANTILES = np.array([1e-9, 1e-6, 1e-3, 0.01, 0.05, 0.2, 0.35])


def check_size(size: float, what: str) -> None:
    """Refuse a width or a spread that floats cannot multiply with others of its kind.

    Examples
    --------
    >>> check_size(1e200, "A width")
    Traceback (most recent call last):
    singleout.errors.BadChoice: A width must lie between 1e-100 and 1e+100, not at 1e+200; ...
    """
    if not _SMALLEST <= size <= 1 / _SMALLEST:
        raise BadChoice(
            f"{what} must lie between {_SMALLEST:g} and {1 / _SMALLEST:g}, not at {size:g}; "
            "measure in another unit."
        )


@dataclass(frozen=True)
class IntervalShares:
    """The shares of people in sets of 1, 2 and 3, and what a reader should know."""

    shares: F64
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def _in_words(distribution: Any) -> str:
    """Return the name of a distribution of scipy with its article."""
    name = str(distribution.dist.name)
    known = words("predict.intervals.distributions")
    other = "other_with_vowel" if name[0] in "aeio" else "other"
    return known.get(name, known[other].format(name=name))


# ---- a continuous distribution


@dataclass(frozen=True, eq=False)
class Continuous:
    """A continuous distribution of scipy."""

    distribution: Any  # frozen, such as scipy.stats.norm(170, 10)

    @property
    def name(self) -> str:
        """What the values are, in words."""
        return _in_words(self.distribution)

    @cached_property
    def spread(self) -> float:
        """The distance of the quartiles."""
        return float(self.distribution.ppf(0.75) - self.distribution.ppf(0.25))

    @cached_property
    def _middle(self) -> float:
        return float(self.distribution.ppf(0.5))

    @cached_property
    def _support(self) -> tuple[float, float]:
        low, high = self.distribution.support()
        return float(low), float(high)

    @cached_property
    def _density_is_finite(self) -> bool:
        ends = [end for end in self._support if math.isfinite(end)]
        return bool(np.isfinite(self.distribution.pdf(np.array([*ends, self._middle]))).all())

    def finest(self, people: int) -> float:  # noqa: ARG002 - no two draws are the same
        """Return 1: without rounding everybody is unique."""
        return 1.0

    def split_by(self, offset: float, people: int) -> float:
        """Return the share unique if the line is cut once, at the offset."""
        below, above = self.distribution.cdf(offset), self.distribution.sf(offset)
        return float(set_shares(np.array([below, above]), people)[0])

    def shares(self, width: float, people: int, offset: float | None) -> IntervalShares:
        """Return the shares of people in sets of 1, 2 and 3."""
        if offset is None:
            return self._average(width, people)
        low, high = self.centre(width, people)
        if (high - low) / width > _MOST_BINS:
            answer = self._average(width, people)
            note = say("predict.intervals.any_offset", width=width, most=_MOST_BINS)
            return IntervalShares(answer.shares, (note, *answer.notes), answer.warnings)
        cells, beyond = self.cells(width, offset, low, high)
        shares = set_shares(cells, people)
        shares[0] += beyond  # nobody shares a cell so far out
        return IntervalShares(shares)

    def centre(self, width: float, people: int) -> tuple[float, float]:
        """Return the range outside of which people may be taken as unique.

        Outside of it lies the probability T, and no cell there has more than F: of those people
        at most (k - 1) T F share a cell, which is kept below the tolerance.
        """
        law = self.distribution
        low, high = self._support
        largest = 0.25 / people
        while True:
            tails = largest * 8.0 ** -np.arange(_TAILS_AT_ONCE)
            first, last = np.maximum(low, law.ppf(tails)), np.minimum(high, law.isf(tails))
            below, above = law.cdf(first), law.sf(last)
            cell = np.maximum(below - law.cdf(first - width), above - law.sf(last + width))
            negligible = (people - 1) * (below + above) * cell <= _TOLERANCE / 4
            if negligible.any() or largest < 1e-290:
                at = int(negligible.argmax()) if negligible.any() else -1
                return float(first[at]), float(last[at])
            largest = float(tails[-1])

    def cells(self, width: float, offset: float, low: float, high: float) -> tuple[F64, float]:
        """Return the probabilities of the intervals that meet a range, and of what lies beyond."""
        first = math.floor((low - offset) / width)
        number = math.ceil((high - offset) / width) - first
        require_memory(
            64 * (number + 1), f"Cutting the line into {number:,} intervals", "give a larger width"
        )
        edges = offset + width * np.arange(first, first + number + 1)
        below, above = self.distribution.cdf(edges), self.distribution.sf(edges)
        # each side from its own end, so that small probabilities keep their digits
        cells = np.where(edges[1:] <= self._middle, np.diff(below), -np.diff(above))
        return np.maximum(cells, 0.0), float(below[0] + above[-1])

    def _average(self, width: float, people: int) -> IntervalShares:
        """Return the mean over all offsets: the integral over windows [x, x + width)."""
        low, high = self.centre(width, people)
        mass = self._mass_by_density if self._is_narrow(width) else self._mass_by_cdf

        def density(starts: F64) -> F64:
            p = mass(starts, width)
            return np.vstack([p * in_sets(p, people), p]) / width

        integrals, error = integral(density, self._breaks(low, high, width), _TOLERANCE / 4)
        shares = integrals[:SIZES]
        shares[0] += max(0.0, 1 - float(integrals[-1]))  # windows beyond the range: unique
        warnings: tuple[str, ...] = ()
        if error > 100 * _TOLERANCE:
            warnings = (say("predict.intervals.rough", width=width, error=error),)
        return IntervalShares(shares, (), warnings)

    def _is_narrow(self, width: float) -> bool:
        return width < _NARROW * self.spread and self._density_is_finite

    def _mass_by_cdf(self, starts: F64, width: float) -> F64:
        law = self.distribution
        ends = starts + width
        left = ends <= self._middle
        mass = np.empty_like(starts)
        mass[left] = law.cdf(ends[left]) - law.cdf(starts[left])
        mass[~left] = law.sf(starts[~left]) - law.sf(ends[~left])
        return np.maximum(mass, 0.0)

    def _mass_by_density(self, starts: F64, width: float) -> F64:
        low, high = self._support
        begin, end = np.maximum(starts, low), np.minimum(starts + width, high)
        length = np.maximum(end - begin, 0.0)
        nodes, weights = gauss(3)
        mass: F64 = self.distribution.pdf(begin + length * nodes[:, None]).T @ weights * length
        return mass

    def _breaks(self, low: float, high: float, width: float) -> F64:
        law = self.distribution
        inner = np.concatenate([[low, high], law.ppf(_QUANTILES), law.isf(_QUANTILES)])
        inner = inner[(inner >= low) & (inner <= high)]
        # a window changes its mass where its start or its end passes
        return np.unique(np.concatenate([inner, inner - width]))


# ---- values with numbers of people


@dataclass(frozen=True, eq=False)
class Observed:
    """Values that people have, each with how many have it or how likely it is."""

    name: str
    values: F64  # distinct, ascending
    weights: NDArray[Any]  # how many people have each (whole numbers), or its probability
    population: int | None = None  # the sum of the weights; None if they are probabilities
    drawn: bool = False  # whether nobody is drawn twice

    @cached_property
    def spread(self) -> float:
        """The distance of the quartiles, or of the ends where the quartiles are the same."""
        share = np.cumsum(self.weights) / self.weights.sum()
        at = np.searchsorted(share, [0.25, 0.75])
        first, third = self.values[np.minimum(at, len(self.values) - 1)]
        return float(third - first) or float(self.values[-1] - self.values[0])

    def finest(self, people: int) -> float:
        """Return the share of people that are unique if nothing is rounded."""
        return float(self._shares(self.weights, people)[0])

    def split_by(self, offset: float, people: int) -> float:
        """Return the share unique if the line is cut once, at the offset."""
        below = self.weights[self.values < offset].sum()
        sides = np.array([below, self.weights.sum() - below])
        return float(self._shares(sides, people)[0])

    def shares(self, width: float, people: int, offset: float | None) -> IntervalShares:
        """Return the shares of people in sets of 1, 2 and 3."""
        if offset is None:
            return IntervalShares(self._average(width, people))
        steps = (self.values - offset) / width
        nearest = np.rint(steps)
        on_edge = np.abs(steps - nearest) <= _SNAP * np.maximum(1.0, np.abs(steps))
        cell = np.where(on_edge, nearest, np.floor(steps))
        starts = np.flatnonzero(np.append(True, np.diff(cell) > 0))
        return IntervalShares(self._shares(np.add.reduceat(self.weights, starts), people))

    def _average(self, width: float, people: int) -> F64:
        """Return the mean over all offsets, as a sum over windows that hold the same values."""
        moves = np.concatenate([self.values - width, self.values])  # a value enters, and leaves
        order = np.argsort(moves, kind="stable")
        change = np.concatenate([self.weights, -self.weights])[order]
        inside = np.maximum(np.cumsum(change)[:-1], 0)
        return self._shares(inside, people, np.diff(moves[order]) / width)

    def _shares(self, inside: NDArray[Any], people: int, times: F64 | None = None) -> F64:
        if self.population is None:
            return set_shares(inside, people, times)
        if times is not None:  # windows with as many people are alike
            inside, group = np.unique(inside, return_inverse=True)
            times = np.bincount(group, weights=times).astype(np.float64)
        if self.drawn:
            return drawn_shares(inside, self.population, people, times)
        return set_shares(inside / self.population, people, times)


Line = Continuous | Observed


def discrete_line(distribution: Any, people: int) -> Observed:
    """Return the values of a discrete distribution of scipy with their probabilities."""
    low, high = (float(end) for end in distribution.support())
    tail = _TOLERANCE / (4.0 * people)  # what is cut off matters at most k T
    middle = float(distribution.ppf(0.5))
    # asked first: scipy would look for the quantile of a heavy tail value by value
    beyond = distribution.cdf(middle - _MOST_BINS), distribution.sf(middle + _MOST_BINS)
    if not max(beyond) <= tail:
        raise UndefinedMeasure(
            f"This is {_in_words(distribution)} with more than {_MOST_BINS:,} values that matter, "
            "too many to sum; give observed values, or a continuous distribution."
        )
    first = max(low, float(distribution.ppf(tail)) - 1)
    last = min(high, float(distribution.isf(tail)) + 1)
    values = np.arange(first, last + 1)
    masses = np.asarray(distribution.pmf(values), dtype=np.float64)
    return Observed(_in_words(distribution), values, masses)
