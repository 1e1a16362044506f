"""One coefficient of a product of many power series, by the trapezium rule on a circle.

A probability such as "all k people are unique" is the coefficient of x^k in a product over cells,
where the factor of a cell has coefficients that are not negative. Two facts make this exact and
fast. Scaling x (tilting) makes k the mean of the product, seen as the law of a sum of independent
numbers, so that the coefficient is the largest and nothing cancels. And no factor is larger on the
circle than where the circle meets the positive axis: a partial product bounds the whole, so that
points of the circle are dropped as soon as it is negligible. A few dozen remain. A heavy tail has a
million cells that hardly anybody is in; a Gauss quadrature of a few nodes stands for all of them.
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
    "log_negligible",
    "products",
    "solve_tilt",
]


_NEGLIGIBLE = 1e-18  # of the coefficient
_FIRST_BLOCK = 64  # cells, after which points are looked at again
# The logarithm of a factor is analytic for means below 0.35. On an interval up to this mean a Gauss
# rule of so many nodes leaves out less than 1e-18 of it.
_SMALL_MEAN = 1 / 16
_NODES = 8
_ELEMENTS = 1 << 16  # points times cells at once: temporary arrays of 1 MB stay in the cache


@dataclass(frozen=True, eq=False)
class Factors:
    """Factors 1 + steady (exp(growth l) - 1) + single c, each to the power of its times.

    At l = 0 and c = 0 every factor is 1; elsewhere it is no larger, for the l and c of a circle.

    Parameters
    ----------
    growth
        How fast the exponential part turns; None if there is none.
    steady
        The weight of the exponential part.
    single
        The weight of the term that counts people who are alone.
    times
        How many cells share the factor.
    """

    growth: F64 | None
    steady: F64
    single: F64
    times: NDArray[Any]

    def __len__(self) -> int:
        return len(self.single)

    def take(self, places: Any) -> Factors:
        """Return some of the factors, in this order."""
        growth = None if self.growth is None else self.growth[places]
        return Factors(growth, self.steady[places], self.single[places], self.times[places])

    def ordered(self, damping: F64) -> list[Factors]:
        """Return those that stand for many cells, then the others, the most damping first."""
        order = np.argsort(-damping, kind="stable")
        several = self.times[order] != 1
        return [self.take(part) for part in (order[several], order[~several]) if len(part)]


def condensed(means: F64, times: NDArray[Any]) -> tuple[F64, NDArray[Any]]:
    """Return cells of few different means over which a product of factors is the same.

    The many cells of a small mean become the nodes of a Gauss quadrature of people over means. The
    number of cells of a node is positive but not whole.

    Parameters
    ----------
    means
        The mean number of people in a cell, from which its factor follows.
    times
        How many cells have each mean.
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
    """Return the product of all factors at each point; 0 where it is smaller than ``least``.

    Parameters
    ----------
    factors
        As `Factors.ordered` gives them.
    turns
        l at each point, or one l for all of them.
    terms
        c at each point.
    least
        What is negligible.
    """
    value = np.ones(len(terms), dtype=np.complex128)
    alive = np.arange(len(terms))
    for part in factors:
        begin, size = 0, _FIRST_BLOCK
        while begin < len(part) and len(alive):
            block = part.take(slice(begin, begin + size))
            here = turns if len(turns) == 1 else turns[alive]
            value[alive] *= _block_product(block, here, terms[alive])
            kept = np.abs(value[alive]) >= least
            value[alive[~kept]] = 0.0
            alive = alive[kept]
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
    # a power multiplies the rounding error, so it is taken of the distance from 1
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

    Parameters
    ----------
    factors
        As `Factors.ordered` gives them.
    target
        Which coefficient.
    points
        How many points the circle has.
    variance
        Of the tilted sum.
    turn, term
        l and c for x on the circle; both are 0 at 1.
    """
    place = np.arange(points // 2 + 1)  # the other half is the mirror image
    circle = _on_circle(place, points)
    least = _NEGLIGIBLE / math.sqrt(2 * math.pi * max(variance, 1.0))
    value = products(factors, turn(circle), term(circle), least)
    weight = np.where((place == 0) | (2 * place == points), 1.0, 2.0)
    back = _on_circle(-target * place % points, points)
    return float((weight * (value * back).real).sum() / points)


def _on_circle(place: NDArray[Any], points: int) -> C128:
    angle = 2 * np.pi * place / points
    return np.cos(angle) + 1j * np.sin(angle)


def log_negligible(variance: float) -> float:
    """Return minus the logarithm of what is negligible beside the coefficient."""
    return -math.log(_NEGLIGIBLE) + 0.5 * math.log(2 * math.pi * max(variance, 1.0))


def bernstein_points(variance: float) -> int:
    """Return how many points keep other coefficients out, by Bernstein's inequality.

    For sums of independent numbers that are 0 or 1, and for Poisson and binomial variables.
    """
    size = log_negligible(variance)
    return math.ceil(size / 3 + math.sqrt(size**2 / 9 + 2 * size * variance)) + 2


def chernoff_points(log_generating: Callable[[float], float], target: int, variance: float) -> int:
    """Return how many points keep other coefficients out, by Chernoff's bound.

    Any further tilt s bounds the chance of being n above the target by exp(K(s) - s (target + n)).

    Parameters
    ----------
    log_generating
        K: the logarithm of the generating function of the tilted sum at exp(s).
    target
        Which coefficient is wanted.
    variance
        Of the tilted sum.
    """
    size = log_negligible(variance)
    middle = math.sqrt(2 * size / max(variance, 0.5))
    further = [min(middle * factor, 6.0) for factor in (0.35, 0.6, 1.0)]
    above = min((size + log_generating(s) - s * target) / s for s in further)
    below = min((size + log_generating(-s) + s * target) / s for s in further)
    # no number is negative, so nothing lies further below than the target itself
    return math.ceil(max(above, min(below, target + 1.0))) + 2


def solve_tilt(mean: Callable[[float], float], target: float) -> float:
    """Return the logarithm of the scale at which an increasing mean meets its target."""
    low, high = -1.0, 1.0
    while mean(low) > target:
        low -= 2.0 - low
    while mean(high) < target:
        high += 2.0 + high
    found, _ = optimize.brentq(
        lambda tilt: mean(tilt) - target, low, high, xtol=1e-15, rtol=1e-15, full_output=True
    )
    return float(found)
