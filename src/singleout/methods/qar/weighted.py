"""Statistics of people who are given as rows with counts: those of the table laid out.

Each is what the function of the same name gives if every row is repeated as often as it counts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64, total
from singleout.kernels.regression.pairs import concordant_less_discordant

__all__ = ["kendall", "largest", "mean", "pearson", "quantiles", "spread"]


def mean(values: F64, people: I64 | None) -> float:
    """Return the mean over people."""
    return float(np.average(values, weights=people))


def spread(values: F64, people: I64 | None) -> float:
    """Return the standard deviation over people."""
    if people is None:
        return float(values.std())
    return float(np.sqrt(mean((values - mean(values, people)) ** 2, people)))


def pearson(one: F64, other: F64, people: I64) -> float:
    """Return Pearson's correlation over people; neither may be constant."""
    first, second = one - mean(one, people), other - mean(other, people)
    both = total(first * second, people)
    alone = np.sqrt(total(first**2, people)) * np.sqrt(total(second**2, people))
    return float(np.clip(both / alone, -1.0, 1.0))


def kendall(one: NDArray[np.generic], other: NDArray[np.generic], people: I64) -> float:
    """Return Kendall's tau-b over people; neither may be constant.

    Sums of products of counts are doubles: exact up to 2**53 pairs, and nearly so beyond.
    """
    first = np.unique(one, return_inverse=True)[1]
    second = np.unique(other, return_inverse=True)[1]
    weights = people.astype(np.float64)
    order = np.lexsort((second, first))
    signed = concordant_less_discordant(first[order], second[order], weights[order])
    untied = np.sqrt(_untied(first, weights)) * np.sqrt(_untied(second, weights))
    return float(signed / untied)


def _untied(ranks: I64, weights: F64) -> float:
    """Return how many pairs of people differ in a measure."""
    tied = np.bincount(ranks, weights)
    return float((weights.sum() ** 2 - (tied**2).sum()) / 2)


def quantiles(values: F64, people: I64 | None, shares: list[float]) -> list[float]:
    """Return quantiles over people, between neighbours by proportion as numpy does by default."""
    if people is None:
        found: list[float] = np.quantile(values, shares).tolist()
        return found
    order = np.argsort(values, kind="stable")
    up_to, ordered = np.cumsum(people[order]), values[order]
    index = np.asarray(shares) * (up_to[-1] - 1)
    low = np.floor(index)
    below, above = (
        ordered[np.searchsorted(up_to, np.minimum(at, up_to[-1] - 1), side="right")]
        for at in (low, low + 1)
    )
    answer: list[float] = (below + (index - low) * (above - below)).tolist()
    return answer


def largest(values: F64, people: I64 | None, most: int) -> tuple[I64, I64 | None]:
    """Return the rows of so many people with the largest values, and how many of each."""
    order = np.argsort(-values, kind="stable")
    if people is None:
        return order[:most], None
    before = np.cumsum(people[order]) - people[order]
    kept = before < most
    return order[kept], np.minimum(people[order], most - before)[kept]
