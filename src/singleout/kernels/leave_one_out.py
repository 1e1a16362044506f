"""The exact risk of a table without each of its records, for all records at once.

Removing a record lowers the distinct count of the column sets for which it is unique by one, and
of no other. Counts that differ keep their order, and within a tie the lowered ones come first. So
it is enough to know, for each *level* (the column sets with the same count, from the threshold on),
for how many of its sets a record is unique: sums of logits and of rank times logit change by closed
terms, and with them the fit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from singleout.kernels.threads import in_parallel

__all__ = [
    "FEW_LEVELS",
    "Question",
    "level_counts",
    "logit_of",
    "risk_of_sums",
    "risks_by_pattern",
    "risks_without",
]

# With so few levels the counts above the threshold can become all equal: one level falls to the
# threshold, and the last to the one before it.
FEW_LEVELS = 4
_CHUNK = 1 << 14  # records done at a time, so that their sums stay in the cache; a multiple of 64

I64 = NDArray[np.int64]
F64 = NDArray[np.float64]
U64 = NDArray[np.uint64]


@dataclass(frozen=True)
class Question:
    """What is asked of the tail of the distribution.

    Parameters
    ----------
    k, g
        The threshold is (1 - g) H_(k) + g H_(k+1), ranks from 1.
    sets
        How many column sets there are.
    certain
        With this many column sets that tell all records apart, the risk is 1.
    alpha, tail
        The shares of the column sets above the risk and above the threshold.
    unbiased
        Whether the moments are weighted by (m - i) / (m - 1), not by plotting positions.
    """

    k: int
    g: float
    sets: int
    certain: int
    alpha: float
    tail: float
    unbiased: bool = False


def risks_without(
    bits: U64,
    top: I64,
    records: int,
    question: Question,
    refit: Callable[[I64], float],
) -> F64:
    """Return the risk of the table without each record.

    Parameters
    ----------
    bits
        For each column set of ``top``, which records are unique in it.
    top
        The distinct counts from H_(k) on, ascending: the only ones that matter.
    records
        How many records there are; at least two.
    question
        What is asked of the tail.
    refit
        Gives the risk for the lowered counts of ``top``; called for the few patterns that the
        closed terms do not cover.
    """
    values, sizes = np.unique(top, return_counts=True)
    settings = np.array([question.g, question.alpha, question.tail])
    places = np.array(
        [question.k - (question.sets - len(top)), question.certain, int(question.unbiased)]
    )
    risks = np.empty(records, dtype=np.float64)

    def work(start: int) -> None:
        part = risks[start : start + _CHUNK]
        _risks(bits[:, start >> 6 :], values, sizes, records - 1, places, settings, part)

    in_parallel(work, range(0, records, _CHUNK))
    open_cases = np.flatnonzero(np.isnan(risks))
    if len(open_cases):
        risks[open_cases] = risks_by_pattern(bits, values, sizes, open_cases, refit)
    return risks


def level_counts(bits: U64, sizes: I64, records: I64) -> I64:
    """Return, for some records, in how many column sets of each level they are unique."""
    word, bit = records >> 6, (records & 63).astype(np.uint64)
    flags = (bits[:, word] >> bit) & np.uint64(1)
    starts = np.cumsum(sizes) - sizes
    return np.add.reduceat(flags.astype(np.int64), starts, axis=0).T


def risks_by_pattern(
    bits: U64, values: I64, sizes: I64, records: I64, refit: Callable[[I64], float]
) -> F64:
    """Fit anew, once for each different pattern of lowered counts."""
    lowered = level_counts(bits, sizes, records)
    patterns, which = np.unique(lowered, axis=0, return_inverse=True)
    full = np.repeat(values, sizes)
    starts = np.cumsum(sizes) - sizes
    found = []
    for pattern in patterns:
        counts = full.copy()
        for start, many in zip(starts.tolist(), pattern.tolist(), strict=True):
            counts[start : start + many] -= 1
        found.append(refit(counts))
    return np.array(found)[which.ravel()]


@njit(cache=True, nogil=True)
def logit_of(distinct: float, records: int) -> float:
    """Return the logit of distinct / records; 1 is taken as 1 - 1 / (2 records)."""
    if distinct < records:
        return np.log(distinct / (records - distinct))
    return np.log(2.0 * records - 1.0)


@njit(cache=True, nogil=True)
def risk_of_sums(
    p0: float, p1: float, m: int, level: float, settings: F64, unbiased: bool
) -> float:
    """Return T from the sum of the logits above the threshold and that of rank times logit."""
    mean = p0 / m - level
    if unbiased:
        weighted = (m * p0 - p1) / (m * (m - 1.0)) - level / 2
    else:
        weighted = (p0 - (p1 - 0.35 * p0) / m) / m - level * (1 - ((m + 1) / 2 - 0.35) / m)
    spread = mean - 2 * weighted
    shape = 2 - mean / spread
    scale = 2 * mean * weighted / spread
    span = np.log(settings[2] / settings[1])
    t = shape * span
    growth = np.expm1(t) / t if abs(t) > 1e-8 else 1 + t / 2
    return 1 / (1 + np.exp(-(level + scale * span * growth)))


@njit(cache=True, nogil=True)
def _risks(
    bits: U64, values: I64, sizes: I64, left: int, places: I64, settings: F64, risks: F64
) -> None:
    """Write the risk without each record of a chunk; NaN where it has to be fitted anew."""
    count = risks.size
    levels = values.size
    rank, certain, unbiased = places[0], places[1], places[2] == 1
    g = settings[0]
    at_threshold, above = sizes[0], sizes.sum() - sizes[0]
    logit = np.empty(levels)
    lowered = np.empty(levels)
    before = np.zeros(levels, np.int64)
    base0 = 0.0
    base1 = 0.0
    rest = 0
    for s in range(levels):
        logit[s] = logit_of(values[s], left)
        lowered[s] = logit_of(values[s] - 1, left) if values[s] > 1 else 0.0
        if s > 0:
            before[s] = rest
            base0 += sizes[s] * logit[s]
            base1 += logit[s] * (sizes[s] * rest + sizes[s] * (sizes[s] + 1) / 2)
            rest += sizes[s]
    p0 = np.full(count, base0)
    p1 = np.full(count, base1)
    times = np.zeros((3, count), np.int64)  # unique at level 0, at level 1, at the present level
    ones = np.zeros(count, np.int64)  # column sets that then tell all records apart
    q = 0
    for s in range(levels):
        mine = times[min(s, 2)]
        if s >= 2:
            mine[:] = 0
        for p in range(q, q + sizes[s]):
            row = bits[p]
            for i in range(count):
                mine[i] += np.int64((row[i >> 6] >> np.uint64(i & 63)) & np.uint64(1))
        q += sizes[s]
        if values[s] > left:
            ones += sizes[s]
        elif values[s] == left:
            for i in range(count):
                ones[i] += sizes[s] - mine[i]
        if s > 0:
            step = lowered[s] - logit[s]
            for i in range(count):
                c = mine[i]
                p0[i] += c * step
                p1[i] += step * (c * before[s] + c * (c + 1) / 2)
    next_is_near = levels > 1 and values[1] == values[0] + 1
    for i in range(count):
        c0, c1 = times[0, i], times[1, i]
        if ones[i] >= certain:
            risks[i] = 1.0
            continue
        low = values[0] - 1 if c0 >= rank else values[0]
        if rank < at_threshold:
            high = values[0] - 1 if c0 > rank else values[0]
        elif levels > 1:
            high = values[1] - 1 if c1 > 0 else values[1]
        else:
            high = low
        threshold = float(low) if low == high else (1 - g) * low + g * high
        level = logit_of(threshold, left)
        sum0, sum1, m = p0[i], p1[i], above
        if low < values[0]:  # what stays at the old threshold now lies above it
            e = at_threshold - c0
            sum1 += e * sum0 + logit[0] * (e * (e + 1) / 2)
            sum0 += e * logit[0]
            m += e
        elif next_is_near and c1 > 0:  # what falls to the threshold does not lie above it
            sum0 -= c1 * lowered[1]
            sum1 -= lowered[1] * (c1 * (c1 + 1) / 2) + c1 * sum0
            m -= c1
        if m == 0:
            risks[i] = threshold / left
        elif levels <= FEW_LEVELS:  # the counts above may be all equal, which has its own rules
            risks[i] = np.nan
        else:
            risks[i] = risk_of_sums(sum0, sum1, m, level, settings, unbiased)
