"""Microaggregation by Mdav: means of groups of k to 2k-1 similar records.

Domingo-Ferrer and Torra (2005), algorithm 5.1: as long as 3k records are left, a group of the k
nearest to the record r that is farthest from their centroid, and one of the k nearest to the record
s that is farthest from r; then one group around the farthest record if 2k are left, and the rest.
"""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.core.progress import working_on
from singleout.kernels.mdav import next_groups
from singleout.report.say import say

__all__ = ["group_means", "mdav"]

_AT_ONCE = 50_000_000  # distances between two returns of the loop to Python: less than a second


def mdav(numbers: F64, k: int) -> I64:
    """Return the group of each record, by the columns standardised to a deviation of 1."""
    records = len(numbers)
    deviation = numbers.std(axis=0)
    points = (numbers - numbers.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)
    points = np.ascontiguousarray(points)
    left = np.arange(records, dtype=np.int64)
    groups = np.zeros(records, dtype=np.int64)
    progress = np.array([records, 0], dtype=np.int64)  # records left, groups so far
    rounds = max(1, _AT_ONCE // max(1, 4 * records))
    while progress[0] > 0:
        working_on(say("steps.progress.groups"), records - int(progress[0]), records)
        next_groups(points, left, groups, progress, k, rounds)
    return groups


def group_means(numbers: F64, k: int) -> F64:
    """Return for each record the means of its group."""
    groups = mdav(numbers, k)
    sizes = np.bincount(groups)
    means = np.empty_like(numbers)
    for column in range(numbers.shape[1]):
        sums = np.bincount(groups, numbers[:, column])
        means[:, column] = (sums / sizes)[groups]
    return means
