"""How many people can be unique, for any distribution behind a published summary.

Let P be the probability of the cell of a person taken at random. Its moments are the sums of powers
s2, s3, …, and the share of unique people among k is E (1 - P)^(k-1), the mean of a function whose
derivatives alternate in sign. So Gauss quadrature gives a lower bound and Gauss-Radau quadrature,
which has a node at 0, an upper one. For the Kullback-Leibler distance alone the limits are those
of a linear program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from singleout.core.arrays import F64
from singleout.errors import BadChoice
from singleout.predict.distribution.distribution import check_people
from singleout.predict.distribution.surrogate import (
    check_cells,
    check_kl,
    check_power_sums,
    gauss_rule,
)
from singleout.predict.set_sizes.shares import log_missed
from singleout.predict.singletons.distance_bounds import mean_limits

__all__ = ["singleton_bounds", "singleton_range"]


_ROUNDING = 1e-9  # a bound from floats is widened by this share
_LAST_DIGITS = 1e-13  # the relative error of sums of powers


def singleton_bounds(cells: float, power_sums: Sequence[float], people: int) -> tuple[float, float]:
    """Return between which numbers the expected number of unique people must lie.

    Whatever distribution has these sums, the answer lies between the bounds. They are close
    together while people · s2 is small, and with every further sum.

    Parameters
    ----------
    cells
        N: how many cells are possible.
    power_sums
        The sums of the squares, cubes and so on of the probabilities, from the square on.
    people
        k: how many people there will be.

    Returns
    -------
    tuple
        The lower and the upper bound; divide by the people for the share of them.

    Examples
    --------
    >>> from singleout.predict import singleton_bounds
    >>> [round(bound, 3) for bound in singleton_bounds(4, [0.3, 0.1, 0.0354], people=3)]
    [1.5, 1.5]
    """
    possible = check_cells(cells)
    sums = [1.0, *check_power_sums(possible, power_sums)]
    number = check_people(people, least=1)
    lower = max(
        bound - error
        for size in range(2, len(sums) + 1, 2)
        for bound, error in _with_error(_gauss_mean, sums[:size], number)
    )
    uppers = [
        bound + error
        for size in range(3, len(sums) + 1, 2)
        for bound, error in _with_error(_radau_mean, sums[:size], number)
    ]
    if number <= possible:  # then the uniform distribution has the most
        uppers.append(float(_alone(np.array([1 / possible]), number)[0]))
    upper = min([1.0, *uppers])
    return (
        number * max(0.0, lower * (1 - _ROUNDING)),
        number * min(1.0, max(upper, lower) * (1 + _ROUNDING)),
    )


def _with_error(
    mean: Callable[[Sequence[float], int], float], sums: Sequence[float], people: int
) -> Iterator[tuple[float, float]]:
    """Yield the bound and its rounding error; nothing if rounding swamps it.

    That happens where a distribution has as few cells as the quadrature has nodes.
    """
    bound = mean(sums, people)
    error = 0.0
    for index in range(1, len(sums)):
        moved = [*sums[:index], sums[index] * (1 + _LAST_DIGITS), *sums[index + 1 :]]
        try:
            error += abs(mean(moved, people) - bound)
        except BadChoice:  # sums next to impossible ones add nothing to fewer of them
            return
    yield bound, error


def _alone(likely: F64, people: int) -> F64:
    """Return the probability that nobody else is in a cell of this probability."""
    return np.asarray(np.exp(log_missed(likely, people - 1)))


def _mean_alone(nodes: F64, weights: F64, people: int) -> float:
    return float((weights * _alone(nodes, people)).sum())


def _gauss_mean(sums: Sequence[float], people: int) -> float:
    """Return the mean by the quadrature with as few nodes as the sums determine."""
    return _mean_alone(*gauss_rule(sums), people)


def _radau_mean(sums: Sequence[float], people: int) -> float:
    """Return the mean by the quadrature with a node at 0: Gauss for the measure times x."""
    nodes, weights = gauss_rule(sums[1:])
    if nodes[0] <= 0:  # by rounding: the bound is then that everybody is unique
        return 1.0
    mass = weights / nodes
    return max(0.0, 1 - float(mass.sum())) + _mean_alone(nodes, mass, people)


def singleton_range(cells: float, kl: float, people: int) -> tuple[float, float]:
    """Return between which numbers the expected number of unique people must lie at one distance.

    This is the error to allow for where only the Kullback-Leibler distance is known. It is proven
    that no distribution lies beyond (`distance_bounds`). The ends need not be attained: the proof
    allows fractions of cells, which matters where there are very few.

    Parameters
    ----------
    cells
        N: how many cells are possible.
    kl
        The Kullback-Leibler distance to the uniform distribution over them, in nats.
    people
        k: how many people there will be.

    Returns
    -------
    tuple
        The lower and the upper bound; divide by the people for the share of them.

    Examples
    --------
    >>> from singleout.predict import singleton_range
    >>> [round(end, 1) for end in singleton_range(95, 0.1, people=95)]
    [31.1, 34.7]
    """
    possible = check_cells(cells)
    distance = check_kl(possible, kl)
    number = check_people(people, least=1)
    low, high = mean_limits(lambda likely: _alone(likely, number), possible, distance, number)
    if number <= possible:  # then the uniform distribution has the most
        even = float(_alone(np.array([1 / possible]), number)[0])
        high = min(high, even * (1 + _ROUNDING))
    return number * max(0.0, low), number * min(1.0, max(0.0, high))
