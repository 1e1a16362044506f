"""What a node costs: by its generalisation, and by the records that it suppresses."""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import F64, I64, U8
from singleout.kernels.compiling import inner
from singleout.kernels.lattice.groups import Groups, Tables

__all__ = [
    "ENTROPY",
    "GEOMETRIC",
    "LOSS",
    "ceiling",
    "charge_of_one",
    "mark",
    "plain_cost",
    "score_of",
]

LOSS, GEOMETRIC, ENTROPY = 0, 1, 2  # metrics


@inner
def mark(g: Groups, start: int, size: int, k: int, caps: F64, flags: U8) -> int:
    """Flag the groups that break the policy; return how many records they have."""
    suppressed = 0
    for i in range(size):
        count = g.counts[start + i]
        breaks = count < k
        for v in range(caps.size):
            breaks |= g.extra[start + i, v] >= caps[v] * count
        flags[i] = breaks
        if breaks:
            suppressed += count
    return suppressed


@inner
def plain_cost(t: Tables, levels: I64, metric: int) -> float:
    """Return what generalisation alone costs."""
    if metric == GEOMETRIC:
        product = 1.0
        for j in range(levels.size):
            product *= (1.0 + t.bound[j, levels[j]]) ** t.importance[j]
        return product - 1.0
    total = 0.0
    for j in range(levels.size):
        total += t.bound[j, levels[j]]
    return total


@inner
def _entropy(
    t: Tables, g: Groups, start: int, size: int, levels: I64, flags: U8, marked: int, tally: I64
) -> float:
    """Return what marking adds: the entropy of the labels of the marked records."""
    for i in range(size):
        if flags[i]:
            for j in range(levels.size):
                label = (g.keys[t.word[j], start + i] >> t.shift[j]) & t.mask[j]
                tally[t.at[j, levels[j]] + label] += g.counts[start + i]
    added = 0.0
    for j in range(levels.size):
        lost = 0.0
        for entry in range(t.at[j, levels[j]], t.at[j, levels[j] + 1]):
            count = tally[entry]
            if count:
                lost -= count * np.log2(count / marked)
                tally[entry] = 0
        added += lost * t.importance[j]
    return added * levels.size


@inner
def score_of(
    t: Tables,
    g: Groups,
    start: int,
    size: int,
    levels: I64,
    flags: U8,
    marked: int,
    records: int,
    metric: int,
    tally: I64,
) -> float:
    """Return the score of a node whose flagged groups are suppressed.

    It falls nowhere when more groups are flagged or columns raised. That makes it a bound, too.
    """
    if marked == 0:
        return plain_cost(t, levels, metric)
    if metric == ENTROPY:
        return plain_cost(t, levels, metric) + _entropy(
            t, g, start, size, levels, flags, marked, tally
        )
    if metric == LOSS:
        added = 0.0
        for i in range(size):
            if flags[i]:
                added += g.counts[start + i] * (1.0 - g.losses[start + i])
        return plain_cost(t, levels, metric) + added / records
    lost = np.zeros(levels.size)
    for i in range(size):
        if flags[i]:
            for j in range(levels.size):
                label = (g.keys[t.word[j], start + i] >> t.shift[j]) & t.mask[j]
                kept_share = 1.0 - t.weight[t.at[j, levels[j]] + label]
                lost[j] += g.counts[start + i] * kept_share
    product = 1.0
    for j in range(levels.size):
        product *= (1.0 + t.bound[j, levels[j]] + lost[j] / records) ** t.importance[j]
    return product - 1.0


@inner
def charge_of_one(g: Groups, start: int, size: int, flags: U8) -> float:
    """Return the charge for the only suppressed record, which has no distribution to hide in."""
    for i in range(size):
        if flags[i]:
            return g.losses[start + i]
    return 0.0


@inner
def ceiling(t: Tables, levels: I64, marked: int, records: int, metric: int) -> float:
    """Return what a node costs at most if that many records are suppressed."""
    if metric == LOSS:
        return plain_cost(t, levels, metric) + marked / records
    total, product = 0.0, 1.0
    for j in range(levels.size):
        labels = t.at[j, levels[j] + 1] - t.at[j, levels[j]]
        total += t.importance[j] * marked * np.log2(min(labels, marked))
        product *= (1.0 + t.bound[j, levels[j]] + marked / records) ** t.importance[j]
    if metric == GEOMETRIC:
        return product - 1.0
    return plain_cost(t, levels, metric) + total * levels.size
