"""The probability that a number of the people drawn are in one cell.

Drawn independently, the people of a cell of probability p are a binomial number. Drawn from a
counted population and nobody twice, they are a hypergeometric one, which is written as a ratio of
binomial probabilities (Loader 2000): differences of logarithms of factorials lose their digits in
large populations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats

from singleout.core.arrays import F64, I64
from singleout.predict.uniqueness.factorials import log_all_different

__all__ = [
    "binomial",
    "binomial_below",
    "hypergeometric",
    "hypergeometric_below",
    "log_missed",
    "log_missed_drawn",
]


# ---- people who come independently


def binomial(size: Any, draws: int, probabilities: F64) -> F64:
    """Return the probability that ``size`` of the draws fall into a cell of each probability.

    Examples
    --------
    >>> binomial(1, 2, np.array([0.5, 1.0])).round(12).tolist()
    [0.5, 0.0]
    """
    return np.asarray(stats.binom.pmf(size, draws, np.minimum(probabilities, 1.0)))


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
    with np.errstate(divide="ignore"):  # a cell of probability 1 has no chance to be missed
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
