"""One coefficient of a product of many power series, by the trapezium rule on a circle.

A probability such as "all k people are unique" is the coefficient of x^k in a product over cells,
where the factor of a cell has no negative coefficients. Scaling x (tilting) makes k the mean of the
product, seen as the law of a sum of independent numbers, so that the coefficient is the largest and
nothing cancels. No factor is larger on the circle than where the circle meets the positive axis. So
a partial product bounds the whole, and points of the circle are dropped as soon as it is
negligible; a few dozen remain. A heavy tail has a million cells of small means, and a Gauss
quadrature of a few nodes replaces them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, optimize

from singleout.core.arrays import C128, F64

__all__ = [
    "Factors",
    "bernstein_points",
    "chernoff_points",
    "coefficient",
    "condensed",
    "products",
    "solve_tilt",
]


_NEGLIGIBLE = 1e-18  # of the coefficient
_FIRST_BLOCK = 64  # cells before negligible points are dropped for the first time
# The logarithm of a factor is analytic for means below 0.35. On an interval up to this mean a Gauss
# rule of so many nodes leaves out less than 1e-18 of it.
_SMALL_MEAN = 1 / 16
_NODES = 8
_ELEMENTS = 1 << 16  # points times cells at once: temporary arrays of 1 MB stay in the cache


@dataclass(frozen=True, eq=False)
class Factors:
    """Factors 1 + steady (exp(growth l) - 1) + single c, each to the power of its times.

    At l = 0 and c = 0 every factor is 1; elsewhere it is no larger, for the l and c of a circle.
    Without growth there is no exponential part; ``single`` weighs the term for people who are
    alone, and ``times`` cells share a factor.
    """

    growth: F64 | None
    steady: F64
    single: F64
    times: NDArray[Any]

    def __len__(self) -> int:
        return len(self.single)

    def take(self, index: Any) -> Factors:
        """Return some of the factors, in this order."""
        growth = None if self.growth is None else self.growth[index]
        return Factors(growth, self.steady[index], self.single[index], self.times[index])

    def ordered(self, damping: F64) -> list[Factors]:
        """Return those that stand for many cells, then the others, the most damping first."""
        order = np.argsort(-damping, kind="stable")
        several = self.times[order] != 1
        return [self.take(part) for part in (order[several], order[~several]) if len(part)]


def condensed(means: F64, times: NDArray[Any]) -> tuple[F64, NDArray[Any]]:
    """Return cells of fewer different means with the same product of factors.

    The factor of a cell follows from the mean number of people in it. The many cells of small means
    become the nodes of a Gauss quadrature of people over means. Each node has a positive number of
    cells that is not whole.
    """
    small = (means <= _SMALL_MEAN) & (means > 0)
    if np.count_nonzero(small) <= _FIRST_BLOCK:
        return means, times
    nodes, people = _gauss_of_points(means[small], times[small] * means[small])
    rest = ~small
    return np.append(means[rest], nodes), np.append(times[rest], people / nodes)


def _gauss_of_points(points: F64, weights: F64) -> tuple[F64, F64]:
    """Return the Gauss rule of weighted points: Stieltjes' procedure, then Golub and Welsch."""
    scale = float(points.max())
    points = points / scale
    before, now = np.zeros_like(points), np.ones_like(points)
    mass = norm = float(weights.sum())
    diagonal, beside = [], [0.0]
    for _ in range(_NODES):
        center = float((weights * points * now**2).sum()) / norm
        before, now = now, (points - center) * now - beside[-1] * before
        diagonal.append(center)
        norm, last = float((weights * now**2).sum()), norm
        if norm == 0:  # all points are equal but for rounding
            break
        beside.append(norm / last)
    nodes, vectors = linalg.eigh_tridiagonal(diagonal, np.sqrt(beside[1 : len(diagonal)]))
    # every node lies among the points; rounding could move the smallest below 0
    return np.maximum(nodes, points.min()) * scale, vectors[0] ** 2 * mass


def products(factors: list[Factors], turns: C128, terms: C128, least: float) -> C128:
    """Return the product of all ordered factors at each point; 0 where it is below ``least``.

    ``turns`` are l at each point, or one l for all of them, and ``terms`` c at each point.
    """
    value = np.ones(len(terms), dtype=np.complex128)
    alive = np.arange(len(terms))
    for part in factors:
        begin, size = 0, _FIRST_BLOCK
        while begin < len(part) and len(alive):
            block = part.take(slice(begin, begin + size))
            here = turns if len(turns) == 1 else turns[alive]
            value[alive] *= _block_product(block, here, terms[alive])
            matters = np.abs(value[alive]) >= least
            value[alive[~matters]] = 0.0
            alive = alive[matters]
            begin += size
            size = max(_FIRST_BLOCK, min(2 * size, _ELEMENTS // max(1, len(alive))))
    return value


def _block_product(part: Factors, turns: C128, terms: C128) -> C128:
    moved = np.multiply.outer(terms, part.single)  # how far each factor is from 1
    if part.growth is not None:
        moved += _grown(part.growth, part.steady, turns)
    if (part.times == 1).all():
        moved += 1
        return _product(moved)
    # a power multiplies the rounding error, so its logarithm is taken of the distance from 1
    with np.errstate(divide="ignore"):  # a factor may be 0
        size = np.log1p(np.maximum(moved.real * (2 + moved.real) + moved.imag**2, -1.0)) / 2
    turned = np.arctan2(moved.imag, 1 + moved.real)
    powers: C128 = (part.times * size).sum(axis=1) + 1j * (part.times * turned).sum(axis=1)
    return np.exp(powers)


def _grown(growth: F64, steady: F64, turns: C128) -> C128:
    """Return steady (exp(growth l) - 1), without cancellation where l is small."""
    real, angle = np.multiply.outer(turns.real, growth), np.multiply.outer(turns.imag, growth)
    grown = np.empty(real.shape, dtype=np.complex128)
    grown.real = steady * (np.expm1(real) * np.cos(angle) - 2 * np.sin(angle / 2) ** 2)
    grown.imag = steady * (np.exp(real) * np.sin(angle))
    return grown


def _product(rows: C128) -> C128:
    """Return the product of each row, by halves: several times faster than one by one."""
    while rows.shape[1] > 1:
        half = rows.shape[1] // 2
        paired = rows[:, :half] * rows[:, half : 2 * half]
        if rows.shape[1] % 2:
            paired[:, 0] *= rows[:, -1]
        rows = paired
    return rows[:, 0]


def coefficient(
    factors: list[Factors],
    target: int,
    points: int,
    variance: float,
    turn: Callable[[C128], C128],
    term: Callable[[C128], C128],
) -> float:
    """Return the probability that the tilted sum is ``target``: the mean over the circle.

    The factors are ordered, the variance is that of the tilted sum, and ``turn`` and ``term`` give
    l and c for x on the circle; both are 0 at 1.
    """
    index = np.arange(points // 2 + 1)  # the other half is the mirror image
    circle = _on_circle(index, points)
    least = _NEGLIGIBLE / math.sqrt(2 * math.pi * max(variance, 1.0))
    value = products(factors, turn(circle), term(circle), least)
    weight = np.where((index == 0) | (2 * index == points), 1.0, 2.0)
    back = _on_circle(-target * index % points, points)
    return float((weight * (value * back).real).sum() / points)


def _on_circle(index: NDArray[Any], points: int) -> C128:
    angle = 2 * np.pi * index / points
    return np.cos(angle) + 1j * np.sin(angle)


def _log_negligible(variance: float) -> float:
    """Return minus the logarithm of what is negligible beside the coefficient."""
    return -math.log(_NEGLIGIBLE) + 0.5 * math.log(2 * math.pi * max(variance, 1.0))


def bernstein_points(variance: float) -> int:
    """Return how many points make aliasing negligible, by Bernstein's inequality.

    For sums of independent numbers that are 0 or 1, and for Poisson and binomial variables.
    """
    size = _log_negligible(variance)
    return math.ceil(size / 3 + math.sqrt(size**2 / 9 + 2 * size * variance)) + 2


def chernoff_points(log_generating: Callable[[float], float], target: int, variance: float) -> int:
    """Return how many points make aliasing negligible, by Chernoff's bound.

    Any further tilt s bounds the chance of being n above the target by exp(K(s) - s (target + n)),
    where K is ``log_generating``: the log generating function of the tilted sum at exp(s).
    """
    size = _log_negligible(variance)
    middle = math.sqrt(2 * size / max(variance, 0.5))
    further = [min(middle * factor, 6.0) for factor in (0.35, 0.6, 1.0)]
    above = min((size + log_generating(s) - s * target) / s for s in further)
    below = min((size + log_generating(-s) + s * target) / s for s in further)
    # the sum is never negative, so the distance below is at most the target
    return math.ceil(max(above, min(below, target + 1.0))) + 2


def solve_tilt(mean: Callable[[float], float], target: float) -> float:
    """Return the logarithm of the scale at which an increasing mean meets its target."""
    low, high = -1.0, 1.0
    while mean(low) > target:
        low -= 2.0 - low
    while mean(high) < target:
        high += 2.0 + high
    tilt, _ = optimize.brentq(
        lambda tilt: mean(tilt) - target, low, high, xtol=1e-15, rtol=1e-15, full_output=True
    )
    return float(tilt)
