"""The share of people in small sets, cell by cell. Koot (2012), (6.1).

A person in a cell of probability p shares it with each of the others with probability p. So the
set is of size j if j - 1 of the k - 1 others fall into the same cell: a binomial probability, or a
hypergeometric one where people are drawn from a counted population and nobody twice. That is
written as a ratio of binomial probabilities (Loader 2000): differences of logarithms of factorials
lose their digits in large populations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special, stats

from singleout.core.arrays import F64, I64
from singleout.predict.uniqueness.factorials import log_all_different

if TYPE_CHECKING:
    from singleout.predict.distribution.distribution import Distribution

__all__ = [
    "SIZES",
    "binomial",
    "binomial_below",
    "drawn_shares",
    "hypergeometric",
    "hypergeometric_below",
    "in_sets",
    "log_missed",
    "log_missed_drawn",
    "set_shares",
    "share_below",
]

_TINY = 1e-20
SIZES = 3  # shares are given for sets of 1, 2 and 3, as in the thesis


# ---- people who come independently


def binomial(size: Any, draws: int, probabilities: F64) -> F64:
    """Return the probability that ``size`` of the draws fall into a cell of each probability.

    Examples
    --------
    >>> binomial(1, 2, np.array([0.5, 1.0])).round(12).tolist()
    [0.5, 0.0]
    """
    likely = np.minimum(probabilities, 1.0)
    computed = np.maximum(likely, _TINY)
    chances = stats.binom.pmf(size, draws, computed)
    # scipy overflows where probabilities are tiny; there the chance is a power of them
    return np.asarray(chances * (likely / computed) ** np.asarray(size, np.float64))


def binomial_below(size: int, draws: int, probabilities: F64) -> F64:
    """Return the probability that fewer than ``size`` of the draws fall into a cell."""
    if size <= 1:
        return np.exp(log_missed(probabilities, draws)) * float(size == 1)
    if draws < size:
        return np.ones(len(probabilities))
    return np.asarray(special.bdtr(size - 1, draws, np.minimum(probabilities, 1.0)))


def log_missed(probabilities: F64, draws: int) -> F64:
    """Return the logarithm of the probability that no draw falls into a cell: (1 - p)^draws."""
    if draws == 0:
        return np.zeros_like(probabilities)
    with np.errstate(divide="ignore"):  # a cell of probability 1 is never missed
        return np.asarray(draws * np.log1p(-np.minimum(probabilities, 1.0)))


# ---- people drawn from a population, nobody twice


def hypergeometric(size: Any, population: int, members: I64, draws: int) -> F64:
    """Return the probability that ``size`` of the draws, nobody twice, are members of a cell.

    Examples
    --------
    >>> hypergeometric(1, 6, np.array([2]), 3).round(12).tolist()
    [0.6]
    """
    if population == 0 or draws == 0:
        return np.asarray(np.broadcast_arrays(np.asarray(size) == 0, members)[0], np.float64)
    share = draws / population
    inside = stats.binom.pmf(size, members, share)
    outside = stats.binom.pmf(draws - np.asarray(size), population - members, share)
    return np.asarray(inside * outside / stats.binom.pmf(draws, population, share))


def hypergeometric_below(size: int, population: int, members: I64, draws: int) -> F64:
    """Return the probability that fewer than ``size`` of the draws are members of the cell."""
    if draws < size:
        return np.ones(len(members))
    chances = np.zeros(len(members))
    for below in range(size):
        chances += hypergeometric(below, population, members, draws)
    return np.minimum(chances, 1.0)


def log_missed_drawn(members: I64, draws: int, population: int) -> F64:
    """Return the logarithm of the probability that the draws miss all members of a cell."""
    left = population - draws
    if left <= 0 or population <= 0:
        return np.where(members == 0, 0.0, -np.inf)
    inside = np.minimum(members, left)
    shrunk = inside * np.log1p(-draws / population)
    missed = log_all_different(inside, left) - log_all_different(inside, population) + shrunk
    return np.where(members <= left, missed, -np.inf)


# ---- shares of people


def in_sets(probabilities: F64, people: int, sizes: int = SIZES) -> F64:
    """Return the probability that a person in a cell of each probability is in a set of each size.

    The result has one row for each size, from 1 on.
    """
    p = np.minimum(probabilities, 1.0)
    others = people - 1
    rows = np.zeros((sizes, *p.shape))
    chance = np.ones_like(p)  # others choose j-1, times p^(j-1)
    for size in range(1, min(sizes, people) + 1):
        left = others - (size - 1)
        # where p is 1 nobody is left outside, and log1p has no value
        outside = np.exp(left * np.log1p(-np.where(p < 1, p, 0.0)))
        rows[size - 1] = chance * np.where(p < 1, outside, float(left == 0))
        chance = chance * p * left / size
    return rows


def set_shares(
    probabilities: F64, people: int, times: F64 | None = None, sizes: int = SIZES
) -> F64:
    """Return the share of people in sets of 1, 2, …: the mean over people of `in_sets`.

    ``times`` is how many cells have each probability; one if not given.
    """
    flat = probabilities.ravel()
    weights = flat if times is None else flat * times.ravel()
    return in_sets(flat, people, sizes) @ weights


def drawn_shares(
    counts: I64, population: int, people: int, times: F64 | None = None, sizes: int = SIZES
) -> F64:
    """Return the share of people in sets of 1, 2, … where nobody is drawn twice.

    ``times`` is how many cells have each count; one if not given.
    """
    some = counts > 0
    occupied, weights = counts[some], counts[some] / population
    if times is not None:
        weights = weights * times[some]
    # of the others drawn, how many come from the rest of the person's own cell
    return np.array(
        [
            hypergeometric(size - 1, population - 1, occupied - 1, people - 1) @ weights
            for size in range(1, sizes + 1)
        ]
    )


def share_below(
    distribution: Distribution, people: int, size: int, *, without_replacement: bool = False
) -> float:
    """Return the expected share of people in sets of fewer than ``size``; with 2, of the unique.

    Examples
    --------
    >>> from singleout.predict import Distribution
    >>> ages = Distribution.from_probabilities([0.5, 0.25, 0.25])
    >>> share_below(ages, people=3, size=2), share_below(ages, people=3, size=3)
    (0.40625, 0.84375)
    """
    if size < 2:
        return 0.0
    counts, population = distribution.counts, distribution.population
    if without_replacement and counts is not None and population is not None:
        small = hypergeometric_below(size - 1, population - 1, counts - 1, people - 1)
    else:
        small = binomial_below(size - 1, people - 1, distribution.probabilities)
    weights = distribution.multiplicity * distribution.probabilities
    return min(1.0, float(weights @ small))
