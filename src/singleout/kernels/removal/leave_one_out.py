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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I32, I64, U64, Flags
from singleout.kernels.bits import lowest
from singleout.kernels.compiling import kernel
from singleout.kernels.threads import in_parallel

__all__ = ["LeaveOneOut", "TailSettings", "risks_without"]

# With so few levels the counts above the threshold can become all equal: one level falls to the
# threshold, and the last to the one before it.
_FEW_LEVELS = 4
_CHUNK = 1 << 14  # records done at a time, so that their sums stay in the cache; a multiple of 64


@dataclass(frozen=True)
class TailSettings:
    """How the risk is estimated from the tail of the distribution of distinct counts."""

    k: int  # the threshold is (1 - g) H_(k) + g H_(k+1), ranks from 1
    g: float
    sets: int  # how many column sets there are
    certain: int  # with this many column sets that tell all records apart, the risk is 1
    alpha: float  # the share of the column sets above the risk
    tail: float  # the share of the column sets above the threshold
    unbiased: bool = False  # moments weighted by (m - i) / (m - 1), not by plotting positions


Refit = Callable[[I64], float]  # the risk for lowered counts, where the closed terms do not hold


def risks_without(
    bits: U64,
    top: I64,
    records: int,
    settings: TailSettings,
    refit: Refit,
    rows: int | None = None,
) -> F64:
    """Return the risk of the table without each record; there must be two or more.

    ``top`` has the distinct counts from H_(k) on, ascending, which are the only ones that matter,
    and ``bits`` a row for each of these column sets that says which records are unique. With
    ``rows`` fewer of them are there than ``records``: the others are like some that are unique
    nowhere.
    """
    terms = LeaveOneOut(records if rows is None else rows)
    return terms.risks(bits, np.arange(len(top)), top, records - 1, settings, refit)


def _by_level(counts: I64) -> tuple[I64, I64]:
    """Return the distinct counts and how often each occurs; the counts must be ascending."""
    starts = np.flatnonzero(np.append(True, counts[1:] != counts[:-1]))
    return counts[starts], np.append(starts[1:], len(counts)) - starts


class LeaveOneOut:
    """Computes the risk without each record; its arrays are reused by the next computation.

    Only bits that are set are looked at, and a record that is unique nowhere in the tail costs
    next to nothing.
    """

    def __init__(self, records: int) -> None:
        self._records = records
        padded = -(-records // 64) * 64
        self._sums = np.empty((2, padded), dtype=np.float64)
        self._last = np.empty(padded, dtype=np.int32)
        self._times = np.empty((3, padded), dtype=np.int32)

    def remaining_risks(
        self,
        bits: U64,
        distinct: I64,
        alive: Flags,
        settings: TailSettings,
        refit: Refit,
        records: int | None = None,
    ) -> F64:
        """Return the risk without each record that is still there; NaN for the others.

        ``bits`` and ``distinct`` are of some column sets, among them all from the threshold on. At
        least two records must be alive: as many as ``alive`` says, or ``records`` where a row
        stands for several.
        """
        rank = settings.k - (settings.sets - len(distinct)) - 1
        rows = np.flatnonzero(distinct >= np.partition(distinct, rank)[rank])
        rows = rows[np.argsort(distinct[rows], kind="stable")]
        left = (int(np.count_nonzero(alive)) if records is None else records) - 1
        risks = self.risks(bits, rows, distinct[rows], left, settings, refit)
        risks[~alive] = np.nan
        return risks

    def risks(
        self, bits: U64, rows: I64, counts: I64, left: int, settings: TailSettings, refit: Refit
    ) -> F64:
        """Return the risk without each record, which leaves ``left`` records.

        ``rows`` are those of ``bits`` from the threshold on, in the order of their distinct counts;
        ``counts`` are these counts.
        """
        values, sizes = _by_level(counts)
        if len(values) <= _FEW_LEVELS:
            return _risks_by_pattern(bits[rows], values, sizes, self._records, refit)
        terms = _Terms(values, sizes, left, settings)
        level = np.repeat(np.arange(len(values)), sizes)
        steps, before = terms.steps[level], terms.before[level]
        risks = np.empty(self._records, dtype=np.float64)

        def work(start: int) -> None:
            end = min(start + _CHUNK, self._records)
            _lower_sums(
                bits, rows, level, steps, before, start >> 6, (end + 63) >> 6, terms.base,
                self._sums, self._last, self._times,
            )  # fmt: skip
            _risks_from_sums(
                self._sums, self._last, self._times, terms.tail, terms.logits,
                terms.settings, start, end, risks,
            )  # fmt: skip

        in_parallel(work, range(0, self._records, _CHUNK))
        if values[-1] >= left:  # a combination may tell all records apart
            ones = np.full(self._records, int(sizes[values > left].sum()))
            for row in bits[rows[counts == left]]:
                flags = np.unpackbits(row.view(np.uint8), count=self._records, bitorder="little")
                ones += 1 - flags.astype(np.int64)
            risks[ones >= settings.certain] = 1.0
        return risks


class _Terms:
    """What the closed terms have in common for all records.

    ``base``: the sums of a record that is unique nowhere, of the logits above the threshold and of
    rank times logit. ``steps``: for each level by how much its logit falls if a count is lowered.
    ``before``: how many column sets above the threshold come before the level. ``tail``: how many
    column sets are at the threshold, how many above it, the rank of the threshold among the former,
    whether the next count is one more, whether the estimator is unbiased, and the number of the
    last level with its size. ``logits``: of the count at the threshold and of the next one less
    one, and of the threshold if neither of the two counts it lies between is lowered, if the first
    is, if the second is, and if both are; and of the largest count, as it is and lowered.
    """

    def __init__(self, values: I64, sizes: I64, left: int, settings: TailSettings) -> None:
        logits = _logit(values, left)
        lowered = np.maximum(values - 1, 1)  # nobody is unique where all are alike
        self.steps = _logit(lowered, left) - logits
        self.before = np.cumsum(sizes) - sizes - sizes[0]
        ranks = sizes * self.before + sizes * (sizes + 1) / 2
        self.base = np.array([(sizes * logits)[1:].sum(), (ranks * logits)[1:].sum()])
        rank = settings.k - (settings.sets - int(sizes.sum()))
        near = values[1] == values[0] + 1
        self.tail = np.array(
            [
                sizes[0], sizes[1:].sum(), rank, near, settings.unbiased,
                len(sizes) - 1, sizes[-1],
            ],
            dtype=np.int64,
        )  # fmt: skip
        after = values[0] if rank < sizes[0] else values[1]
        low = values[0] - np.array([0, 1, 0, 1])
        high = after - np.array([0, 0, 1, 1])
        between = np.where(low == high, low, (1 - settings.g) * low + settings.g * high)
        self.logits = np.concatenate(
            [
                logits[:1],
                _logit(values[1:2] - 1, left),
                _logit(between, left),
                logits[-1:],
                _logit(lowered[-1:], left),
            ]
        )
        self.settings = np.array([settings.alpha, settings.tail])


def _logit(distinct: NDArray[Any], records: int) -> F64:
    """Return the logit of distinct / records; 1 is taken as 1 - 1 / (2 records)."""
    logits: F64 = np.log(2.0 * records - 1.0) * np.ones(len(distinct))
    below = distinct < records
    logits[below] = np.log(distinct[below] / (records - distinct[below]))
    return logits


def _risks_by_pattern(bits: U64, values: I64, sizes: I64, records: int, refit: Refit) -> F64:
    """Fit anew, once for each different pattern of lowered counts."""
    flags = np.unpackbits(bits.view(np.uint8), axis=1, count=records, bitorder="little")
    starts = np.cumsum(sizes) - sizes
    lowered = np.add.reduceat(flags, starts, axis=0, dtype=np.int64).T
    patterns, which = np.unique(lowered, axis=0, return_inverse=True)
    full = np.repeat(values, sizes)
    risks = []
    for pattern in patterns:
        counts = full.copy()
        for start, count in zip(starts.tolist(), pattern.tolist(), strict=True):
            counts[start : start + count] -= 1
        risks.append(refit(counts))
    return np.array(risks)[which.ravel()]


@kernel
def _lower_sums(
    bits: U64, rows: I64, levels: I64, steps: F64, before: I64, begin: int, end: int, base: F64,
    sums: F64, last: I32, times: I32,
) -> None:  # fmt: skip
    """Find the sums of each record, in some words: changed where it is unique in the tail.

    Row by row of the tail, in the order of the distinct counts: its level among them, by how much
    its logit falls, and how many column sets above the threshold come before its level. ``sums``
    holds for each record the sum of the logits above the threshold and that of rank times logit.
    ``last`` becomes the last level in which a record is unique, ``times`` in how many column sets
    of that level, of level 0 and of level 1.
    """
    for r in range(64 * begin, 64 * end):
        sums[0, r] = base[0]
        sums[1, r] = base[1]
        last[r] = -1
        times[1, r] = 0
        times[2, r] = 0
    for q in range(rows.size):
        level = levels[q]
        step = steps[q]
        for w in range(begin, end):
            word = bits[rows[q], w]
            while word != 0:
                r = 64 * w + lowest(word)
                word &= word - np.uint64(1)
                if last[r] != level:
                    last[r] = level
                    times[0, r] = 0
                times[0, r] += 1
                if level > 0:
                    sums[0, r] += step
                    sums[1, r] += step * (before[q] + times[0, r])
                if level < 2:
                    times[1 + level, r] += 1


@kernel
def _risks_from_sums(
    sums: F64, last: I32, times: I32, tail: I64, logits: F64, settings: F64,
    begin: int, end: int, risks: F64,
) -> None:  # fmt: skip
    """Write the risk without each record, from its sums; for those unique nowhere it is the same.

    ``tail`` and ``logits`` as in ``_Terms``; ``settings`` are alpha and the share of the tail.
    """
    at, above, rank, near, unbiased = tail[0], tail[1], tail[2], tail[3] == 1, tail[4] == 1
    span = np.log(settings[1] / settings[0])
    usual = np.nan
    for r in range(begin, end):
        if last[r] < 0 and usual == usual:  # noqa: PLR0124 - it is a number
            risks[r] = usual
            continue
        c0, c1 = times[1, r], times[2, r]
        sum0, sum1, m = sums[0, r], sums[1, r], above
        threshold = 2
        if c0 >= rank:  # what stays at the old threshold now lies above it
            e = at - c0
            sum1 += e * sum0 + logits[0] * (e * (e + 1) / 2)
            sum0 += e * logits[0]
            m += e
            threshold += 1
        elif near and c1 > 0:  # what falls to the threshold does not lie above it
            sum0 -= c1 * logits[1]
            sum1 -= logits[1] * (c1 * (c1 + 1) / 2) + c1 * sum0
            m -= c1
        if c0 > rank if rank < at else c1 > 0:
            threshold += 2
        level = logits[threshold]
        mean = sum0 / m - level
        if unbiased:
            weighted = (m * sum0 - sum1) / (m * (m - 1.0)) - level / 2
        else:
            weighted = (sum0 - (sum1 - 0.35 * sum0) / m) / m - level * (
                1 - ((m + 1) / 2 - 0.35) / m
            )
        spread = mean - 2 * weighted
        scale = 2 * mean * weighted / spread
        # the largest count falls if the record is unique in all column sets that have it
        falls = last[r] == tail[5] and times[0, r] == tail[6]
        largest = logits[7 if falls else 6] - level
        t = max(2 - mean / spread, -scale / largest) * span  # a feasible shape, as in `fit_moments`
        growth = np.expm1(t) / t if abs(t) > 1e-8 else 1 + t / 2
        risks[r] = 1 / (1 + np.exp(-(level + scale * span * growth)))
        if last[r] < 0:
            usual = risks[r]
