"""Mean and variance of the number of unique people, exactly. Koot (2012), 5.2 and 5.3, corrected.

All sums are written for the chance of *not* being unique, so that nothing cancels where nearly
everybody is unique, and for groups of equally likely cells, so that they cost little.
"""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import F64
from singleout.core.progress import track
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.set_sizes.shares import log_missed, log_missed_drawn
from singleout.report.say import say

__all__ = ["mean_alone", "mean_shared", "variance", "variance_without_replacement"]


_LARGE_CELL = 0.05  # there are at most twenty larger ones, and they are paired one by one
_PAIRS_AT_ONCE = 1 << 20


def mean_alone(spread: Distribution, people: int, without_replacement: bool) -> float:
    """Return how many people are alone in their cell on average."""
    alone = _log_alone(spread, people, without_replacement)
    weights = spread.multiplicity * spread.probabilities
    return people * float((weights * np.exp(alone)).sum())


def mean_shared(spread: Distribution, people: int, without_replacement: bool) -> float:
    """Return how many people share their cell on average: those who are not unique."""
    alone = _log_alone(spread, people, without_replacement)
    weights = spread.multiplicity * spread.probabilities
    return people * float((weights * -np.expm1(alone)).sum())


def _log_alone(spread: Distribution, people: int, without_replacement: bool) -> F64:
    """Return the logarithm of the probability to be alone in a cell, for each group."""
    if without_replacement and spread.counts is not None:
        return log_missed_drawn(spread.counts - 1, people - 1, int(spread.population or 0) - 1)
    return log_missed(spread.probabilities, people - 1)


def variance(spread: Distribution, people: int) -> float:
    """Return the variance of the number of unique people, drawn with replacement.

    With w the chance that k - 2 others all miss a cell, e = 1 - w, and x = p / (1 - p), two people
    are both in company with a probability that exceeds that of independent people by
    sum p^2 w (1 + e) - 2 (sum p e) D - D^2 - R, where D = sum p^2 w and R = sum over pairs of cells
    of p p' w w' (1 - (1 - x x')^(k - 2)). R is a power series in x x', and so a sum of squares.
    With A the share of unique people the same is D (2 A + D) - sum p^2 w^2 - R, where nothing
    cancels if hardly anybody is unique.
    """
    if people < 2 or spread.largest == 1:
        return 0.0
    p, m = spread.probabilities, spread.multiplicity
    others = people - 2
    log_none = log_missed(p, others)
    missed, met = np.exp(log_none), -np.expm1(log_none)
    alone = mean_alone(spread, people, without_replacement=False) / people
    company = mean_shared(spread, people, without_replacement=False) / people
    lost = float((m * p**2 * missed).sum())
    if alone < 0.5:
        excess = lost * (2 * alone + lost) - float((m * (p * missed) ** 2).sum())
    else:
        met_mean = float((m * p * met).sum())
        excess = float((m * p**2 * missed * (1 + met)).sum()) - 2 * met_mean * lost - lost**2
    excess -= _pairs(p, m.astype(np.float64), missed, others)
    return people * (alone * company + (people - 1) * excess)


def _pairs(p: F64, m: F64, missed: F64, others: int) -> float:
    """Return R: the excess from the dependence between cells that are missed."""
    if others == 0:
        return 0.0
    odds, weight = p / (1 - p), p * missed
    large = p > _LARGE_CELL
    total = _small_pairs(odds[~large], m[~large], weight[~large], others)
    for index in np.flatnonzero(large):
        joint = weight[index] * weight * _lost(odds[index] * odds, others)
        twice = np.where(large, 1.0, 2.0)  # each large one meets the other large ones by itself
        total += m[index] * (float((twice * m * joint).sum()) - joint[index])
    return float(total)


def _small_pairs(odds: F64, m: F64, weight: F64, others: int) -> float:
    total = -float((m * weight**2 * _lost(odds**2, others)).sum())  # a cell is no pair with itself
    choose, term = 1.0, m * weight
    for order in range(1, others + 1):
        choose *= -(others - order + 1) / order
        term = term * odds
        added = -choose * float(term.sum()) ** 2
        total += added
        if abs(added) <= 1e-18 * abs(total):
            break
    return total


def _lost(both: F64, others: int) -> F64:
    """Return 1 - (1 - both)^others."""
    with np.errstate(divide="ignore"):  # log(0) if two cells are all there are
        lost: F64 = -np.expm1(others * np.log1p(-np.minimum(both, 1.0)))
    return lost


def variance_without_replacement(spread: Distribution, people: int) -> float:
    """Return the variance of the number of unique people if nobody is drawn twice."""
    counts, population = spread.counts, spread.population
    if counts is None or population is None or people < 2 or people == population:
        return 0.0
    m = spread.multiplicity.astype(np.float64)
    log_alone = _log_alone(spread, people, without_replacement=True)
    alone = mean_alone(spread, people, without_replacement=True) / people
    company = mean_shared(spread, people, without_replacement=True) / people
    share = m * spread.probabilities * np.exp(log_alone)
    twin = m * spread.probabilities * counts / (population - 1)
    twin = twin * np.exp(log_missed_drawn(2 * counts - 2, people - 2, population - 2))
    excess = -float(twin.sum())  # a cell is no pair with itself
    rows = max(1, _PAIRS_AT_ONCE // len(counts))
    ordered = np.log1p(1 / (population - 1))  # n^2 / (n (n - 1)): two different people
    for begin in track(range(0, len(counts), rows), say("progress.pairs")):
        some = slice(begin, begin + rows)
        sums = counts[some, None] + counts - 2
        both = log_missed_drawn(sums, people - 2, population - 2)
        excess += _paired(share, log_alone, both + ordered, some)
    return people * (alone * company + (people - 1) * excess)


def _paired(share: F64, log_alone: F64, both: F64, some: slice) -> float:
    """Return how much more likely two people are to be alone together than if independent."""
    apart = log_alone[some, None] + log_alone
    possible = np.isfinite(apart)  # if one of them cannot be alone, both cannot either
    gain = np.expm1(np.where(possible, both, 0.0) - np.where(possible, apart, 0.0))
    return float(share[some] @ (gain @ share))
