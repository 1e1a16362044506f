"""A stand-in of two levels with the same distance to uniform, sum of squares and sum of cubes.

Take a person at random, and let P be the probability of the person's cell. Then E P = s2 and
E P² = s3, and Shannon's entropy is -E ln P = ln N - κ. The laws of P with two values x < y and
these two moments form one line: y = s2 + v/(s2 - x) with v = s3 - s2². Along it the entropy falls
as x grows, so that one of them has the entropy that is wanted. Published numbers carry noise;
those that no distribution has are replaced by the nearest that one has.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import optimize

from singleout.core.arrays import F64
from singleout.errors import BadChoice
from singleout.predict.distribution.people import is_real_number
from singleout.predict.distribution.surrogate import Surrogate, check_cells
from singleout.predict.distribution.whole_cells import whole_cells
from singleout.report.say import say

__all__ = ["Possible", "possible_summary", "stand_in_from_both", "two_levels"]

_EVEN = 1e-9  # relative: cells that differ by less are one level
_SAME_ENTROPY = 1e-3  # nats that whole cells may be off
_MOVED = 1e-9  # relative: a number moved by less was only rounded


class Possible(NamedTuple):
    """Numbers that some distribution has, and the names of those that were moved to get there."""

    kl: float
    power_sums: tuple[float, float]
    moved: tuple[str, ...]


def stand_in_from_both(
    cells: float, kl: float, power_sums: Sequence[float]
) -> tuple[Surrogate, Possible]:
    """Return at most two levels of cells with the distance and both sums, and what these became.

    >>> (likely, many, _), _ = stand_in_from_both(95, 0.1, [0.0125, 0.00018])
    >>> round(float((many * likely**2).sum()), 6)
    0.0125
    >>> round(float((many * likely * np.log(95 * likely)).sum()), 3)
    0.1
    """
    possible = check_cells(cells)
    known = possible_summary(possible, kl, power_sums)
    likely, many = two_levels(possible, known)
    whole = _whole(possible, known, likely, many)
    if whole is not None:
        likely, many = whole
    notes = [say("predict.distribution.same_both")]
    if known.moved:
        notes.append(say("predict.distribution.moved", names=", ".join(known.moved)))
    if whole is None:
        notes.append(say("predict.distribution.fractions"))
    return (likely, many, tuple(notes)), known


def possible_summary(cells: float, kl: float, power_sums: Sequence[float]) -> Possible:
    """Return the nearest numbers that a distribution over the cells has.

    >>> found = possible_summary(100, 0.3, [0.009, 0.00005])
    >>> round(found.kl, 12), found.power_sums, found.moved
    (0.0, (0.01, 0.0001), ('s2', 's3', 'kl'))
    """
    given = [kl, *power_sums]
    if len(given) != 3 or not all(is_real_number(each) and math.isfinite(each) for each in given):
        raise BadChoice(
            "With kl= the sums of powers are two, of the squares and of the cubes; "
            f"kl is {kl!r} and power_sums {power_sums!r}."
        )
    squares = min(max(float(power_sums[0]), 1 / cells), 1.0)
    most = squares**1.5
    if cells > 1:  # one cell of probability 1 at the most
        most = min(most, (cells * squares - 1 + squares - squares**2) / (cells - 1))
    cubes = max(min(float(power_sums[1]), most), squares**2)
    least, largest = _entropies(cells, squares, cubes)
    entropy = min(max(math.log(cells) - kl, least), largest)
    distance = max(0.0, math.log(cells) - entropy)
    pairs = (("s2", power_sums[0], squares), ("s3", power_sums[1], cubes), ("kl", kl, distance))
    moved = tuple(name for name, old, new in pairs if abs(new - old) > _MOVED * max(abs(old), 1e-6))
    return Possible(distance, (squares, cubes), moved)


def two_levels(cells: float, known: Possible) -> tuple[F64, F64]:
    """Return at most two levels, descending, and how many cells have each; not whole numbers."""
    squares, cubes = known.power_sums
    if _is_even(squares, cubes):
        return np.array([squares]), np.array([1 / squares])
    entropy = math.log(cells) - known.kl
    low, high = _ends(cells, squares, cubes)
    lower = low
    if _entropy(high, squares, cubes) >= entropy:
        lower = high
    elif _entropy(low, squares, cubes) > entropy:
        root = optimize.brentq(
            lambda log: _entropy(math.exp(log), squares, cubes) - entropy,
            math.log(low),
            math.log(high),
            xtol=1e-13,
        )
        lower = math.exp(root)
    likely, share = _law(lower, squares, cubes)
    return likely[::-1].copy(), (share / likely)[::-1].copy()


def _whole(cells: float, known: Possible, likely: F64, many: F64) -> tuple[F64, F64] | None:
    """Return whole cells with both sums, if there are some of nearly the same entropy."""
    squares, cubes = known.power_sums
    total = float(many.sum())
    if len(likely) == 1:
        near = abs(total - round(total)) <= _EVEN * total
        return (likely, np.rint(many)) if near else None
    rounded = min(cells, float(math.ceil(total - _EVEN)))
    if rounded * squares - 1 <= _EVEN:
        return None
    nodes = _counting_nodes(rounded, squares, cubes)
    if nodes[1] > 1:
        return None
    people = np.linalg.solve(np.array([[1.0, 1.0], nodes]), np.array([1.0, squares]))
    found = whole_cells(nodes[::-1].copy(), (people / nodes)[::-1].copy(), [squares, cubes])
    if found is None:
        return None
    shares, times = found
    has = float((times * shares * np.log(shares * cells)).sum())
    if abs(has - known.kl) > _SAME_ENTROPY or (times < 1).any():
        return None
    order = np.argsort(-shares)
    return shares[order], times[order]


def _is_even(squares: float, cubes: float) -> bool:
    return cubes - squares**2 <= _EVEN * squares**2


def _entropies(cells: float, squares: float, cubes: float) -> tuple[float, float]:
    """Return the least and the largest entropy, in nats, of distributions with these sums."""
    if _is_even(squares, cubes):
        return -math.log(squares), -math.log(squares)
    low, high = _ends(cells, squares, cubes)
    return _entropy(high, squares, cubes), _entropy(low, squares, cubes)


def _ends(cells: float, squares: float, cubes: float) -> tuple[float, float]:
    """Return the lower level if all cells are possible, and if the upper one is a probability 1."""
    low = float(_counting_nodes(cells, squares, cubes)[0])
    high = squares - (cubes - squares**2) / (1 - squares) if squares < 1 else squares
    return low, max(low, min(high, squares * (1 - _EVEN)))


def _counting_nodes(cells: float, squares: float, cubes: float) -> F64:
    """Return the two levels of so many cells with these sums: roots of a quadratic equation."""
    spread = cells * squares - 1
    half = (cells * cubes - squares) / spread / 2
    product = (cubes - squares**2) / spread
    upper = half + math.sqrt(max(half * half - product, 0.0))
    return np.array([product / upper, upper])


def _law(lower: float, squares: float, cubes: float) -> tuple[F64, F64]:
    """Return the two levels, ascending, and the share of the people at each."""
    below, variance = squares - lower, cubes - squares**2
    upper = min(1.0, squares + variance / below)
    share = below**2 / (below**2 + variance)
    return np.array([lower, upper]), np.array([1 - share, share])


def _entropy(lower: float, squares: float, cubes: float) -> float:
    likely, share = _law(lower, squares, cubes)
    return -float(share @ np.log(likely))
