"""How many people can be unique, whatever the distribution behind a published summary.

Let P be the probability of the cell of a person taken at random. Its moments are the sums of powers
s2, s3, …, and the share of unique people among k is E (1 - P)^(k-1), the mean of a function whose
derivatives alternate in sign. So Gauss quadrature gives a lower bound and Gauss-Radau quadrature,
which has a node at 0, an upper one. For the Kullback-Leibler distance alone there is no such rule;
the distributions with the most and the fewest unique people have few levels of probability,
and are searched for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from singleout.errors import BadChoice
from singleout.predict.distribution.distribution import check_people
from singleout.predict.distribution.surrogate import (
    check_cells,
    check_kl,
    check_power_sums,
    gauss_rule,
)
from singleout.predict.set_sizes.chances import log_missed

__all__ = ["singleton_bounds", "singleton_range"]

Floats = NDArray[np.float64]

_FEW_CELLS = 60  # for which every number of cells is set apart
# up to how many cells every split into heavy and light ones is tried, and how many beyond
_SPLITS = (2000, 400)
_SPLITS_APART = (_FEW_CELLS, 24)
_LEVELS = 20  # of the cells set apart
_HALVINGS = 60
_ROUNDING = 1e-9  # a bound from floats is widened by this share
_LAST_DIGITS = 1e-13  # to which the sums of powers are taken to be right


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
        value - doubt
        for size in range(2, len(sums) + 1, 2)
        for value, doubt in _with_doubt(_gauss_mean, sums[:size], number)
    )
    uppers = [
        value + doubt
        for size in range(3, len(sums) + 1, 2)
        for value, doubt in _with_doubt(_radau_mean, sums[:size], number)
    ]
    if number <= possible:  # then nothing beats the uniform distribution
        uppers.append(float(_alone(np.array([1 / possible]), number)[0]))
    upper = min([1.0, *uppers])
    return (
        number * max(0.0, lower * (1 - _ROUNDING)),
        number * min(1.0, max(upper, lower) * (1 + _ROUNDING)),
    )


def _with_doubt(
    mean: Callable[[Sequence[float], int], float], sums: Sequence[float], people: int
) -> Iterator[tuple[float, float]]:
    """Yield a bound and what the last digits of the sums may change in it; nothing if everything.

    Where a distribution has as few cells as the quadrature has nodes, rounding decides.
    """
    value = mean(sums, people)
    doubt = 0.0
    for place in range(1, len(sums)):
        moved = [*sums[:place], sums[place] * (1 + _LAST_DIGITS), *sums[place + 1 :]]
        try:
            doubt += abs(mean(moved, people) - value)
        except BadChoice:  # sums so close to impossible say no more than fewer of them
            return
    yield value, doubt


def _alone(likely: Floats, people: int) -> Floats:
    """Return the chance that nobody else is in a cell of this probability."""
    return np.asarray(np.exp(log_missed(likely, people - 1)))


def _mean_alone(nodes: Floats, weights: Floats, people: int) -> float:
    return float((weights * _alone(nodes, people)).sum())


def _gauss_mean(sums: Sequence[float], people: int) -> float:
    """Return the mean by the quadrature with as few nodes as the sums determine."""
    return _mean_alone(*gauss_rule(sums), people)


def _radau_mean(sums: Sequence[float], people: int) -> float:
    """Return the mean by the quadrature with a node at 0: Gauss for the measure times x."""
    nodes, weights = gauss_rule(sums[1:])
    if nodes[0] <= 0:  # rounding has the last word, and everybody may be unique
        return 1.0
    mass = weights / nodes
    return max(0.0, 1 - float(mass.sum())) + _mean_alone(nodes, mass, people)


def singleton_range(cells: float, kl: float, people: int) -> tuple[float, float]:
    """Return the fewest and most unique people among distributions at this distance to uniform.

    This is the error to allow for where only the Kullback-Leibler distance is known. Both ends are
    sought among distributions with up to three levels of probability; for a hundred cells and
    more, two are enough. Unlike `singleton_bounds` the range is not proven, but a search over all
    distributions found none beyond it.

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
        The least and the largest expected number of unique people.

    Examples
    --------
    >>> from singleout.predict import singleton_range
    >>> [round(end, 1) for end in singleton_range(95, 0.1, people=95)]
    [31.1, 34.7]
    """
    possible = check_cells(cells)
    distance = check_kl(possible, kl)
    number = check_people(people, least=1)
    two_levels = _with_levels(np.zeros(1), np.zeros(1), possible, distance, number)
    found = [two_levels, _with_levels(*_third_level(possible, distance, number), number)]
    every = np.concatenate(found)
    if len(every) == 0:  # at no distance, or at the largest, there is one distribution
        support = float(np.round(possible * np.exp(-distance)))
        every = number * _alone(np.array([1 / support]), number)
    return float(every.min()), float(every.max())


def _third_level(cells: float, distance: float, people: int) -> tuple[Floats, Floats, float, float]:
    """Return how many cells to set apart and how likely: impossible, or such as one person has."""
    most = np.floor(cells * -np.expm1(-distance) * (1 - 1e-12))  # more cannot be impossible
    if cells <= _FEW_CELLS:
        apart = np.arange(1.0, cells - 1)
    else:
        apart = np.unique(np.round(np.append(np.geomspace(1, cells / 2, _SPLITS_APART[1]), most)))
    likely = np.append(0.0, np.geomspace(0.05, 8, _LEVELS) / people)
    every_apart, every_likely = (grid.ravel() for grid in np.meshgrid(apart, likely))
    possible = (every_apart >= 1) & (every_apart * every_likely < 1)
    return every_apart[possible], every_likely[possible], cells, distance


def _with_levels(
    apart: Floats, likely: Floats, cells: float, distance: float, people: int
) -> Floats:
    """Return the expected singletons where some cells are set apart and the rest has two levels.

    Of these two levels every number of heavy cells is tried; the share of the people that they
    hold follows from the distance.
    """
    splits = _splits(cells, _SPLITS) if len(apart) == 1 else _splits(cells, _SPLITS_APART)
    apart, likely = np.repeat(apart, len(splits)), np.repeat(likely, len(splits))
    heavy = np.tile(splits, len(apart) // len(splits))
    kept = heavy < cells - apart
    apart, likely, heavy = apart[kept], likely[kept], heavy[kept]
    light = cells - apart - heavy
    rest = 1 - apart * likely  # of the people
    wanted = distance - _weighted_log(apart * likely, cells * likely)

    def reached(share: Floats) -> Floats:
        first, second = rest * share, rest * (1 - share)
        return _weighted_log(first, first * cells / heavy) + _weighted_log(
            second, second * cells / light
        )

    low, high = heavy / (heavy + light), np.ones(len(heavy))
    possible = (reached(low) <= wanted) & (wanted <= reached(high))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        far = reached(middle) > wanted
        low, high = np.where(far, low, middle), np.where(far, middle, high)
    first, second = rest * low, rest * (1 - low)
    answer: Floats = people * (
        first * _alone(first / heavy, people)
        + second * _alone(second / light, people)
        + apart * likely * _alone(likely, people)
    )
    return answer[possible]


def _weighted_log(weight: Floats, of: Floats) -> Floats:
    """Return the product of a weight and a logarithm; nothing where the weight is nothing."""
    return np.asarray(weight * np.log(np.where(weight > 0, of, 1.0)))


def _splits(cells: float, limits: tuple[int, int]) -> Floats:
    """Return how many cells to take as heavy: all numbers, or many near both ends."""
    few_cells, tried = limits
    if cells <= few_cells:
        return np.arange(1.0, max(cells, 2.0))
    few = np.geomspace(1, cells / 2, tried // 2)
    return np.unique(np.round(np.concatenate([few, cells - few])))
