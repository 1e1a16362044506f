"""The exact risk without each of the records that remain, again and again while records go.

The closed terms are those for all records at once; but an elimination asks for them anew at each
step, so only bits that are set are looked at, and a record that is unique nowhere in the tail costs
nothing. Cases with rules of their own are left to the general way.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import NDArray

from singleout.kernels.elimination_loops import DE_BRUIJN, PLACE
from singleout.kernels.leave_one_out import (
    FEW_LEVELS,
    Question,
    logit_of,
    risk_of_sums,
    risks_by_pattern,
    risks_without,
)

__all__ = ["RemovalRisks"]


I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
F64 = NDArray[np.float64]
U64 = NDArray[np.uint64]
Alive = NDArray[np.bool_]


class RemovalRisks:
    """Finds the risk without each record, with arrays that are used again at each step.

    Parameters
    ----------
    records
        How many records there were at the start.
    """

    def __init__(self, records: int) -> None:
        self._records = records
        padded = -(-records // 64) * 64
        self._sums = np.empty((2, padded), dtype=np.float64)
        self._last = np.empty(padded, dtype=np.int32)
        self._times = np.empty((3, padded), dtype=np.int32)

    def without_each(
        self,
        bits: U64,
        distinct: I64,
        alive: Alive,
        question: Question,
        refit: Callable[[I64], float],
    ) -> F64:
        """Return the risk without each record that is still there; NaN for the others.

        Parameters
        ----------
        bits
            For some column sets, among them all from the threshold on, which records are unique.
        distinct
            The distinct counts of these column sets.
        alive
            Which records are still there; at least two.
        question
            What is asked of the tail of all column sets.
        refit
            Gives the risk for lowered counts of the tail; called in cases with rules of their own.
        """
        place = question.k - (question.sets - len(distinct)) - 1
        rows = np.flatnonzero(distinct >= np.partition(distinct, place)[place])
        rows = rows[np.argsort(distinct[rows], kind="stable")]
        counts = distinct[rows]
        starts = np.flatnonzero(np.append(True, counts[1:] != counts[:-1]))
        values, sizes = counts[starts], np.append(starts[1:], len(counts)) - starts
        left = int(np.count_nonzero(alive)) - 1
        risks = np.empty(self._records, dtype=np.float64)
        if len(values) <= FEW_LEVELS:
            risks[alive] = risks_by_pattern(bits[rows], values, sizes, np.flatnonzero(alive), refit)
        elif values[-1] >= left:  # a combination may tell all records apart
            of_alive = _of_records(bits[rows], alive)
            risks[alive] = risks_without(of_alive, counts, left + 1, question, refit)
        else:
            self._fill(bits, rows, values, sizes, left, question, risks)
        risks[~alive] = np.nan
        return risks

    def _fill(
        self,
        bits: U64,
        rows: I64,
        values: I64,
        sizes: I64,
        left: int,
        question: Question,
        risks: F64,
    ) -> None:
        """Write the risks by the closed terms."""
        self._sums[0], self._sums[1], steps, before = _tail_sums(values, sizes, left)
        self._last.fill(-1)
        self._times.fill(0)
        level = np.repeat(np.arange(len(values)), sizes)
        _lower_sums(
            bits, rows, level, steps[level], before[level], self._sums, self._last, self._times
        )
        rank = question.k - (question.sets - len(rows))
        near = values[1] == values[0] + 1
        tail = np.array([sizes[0], len(rows) - sizes[0], rank, near, question.unbiased])
        logits = _tail_logits(values, sizes, left, rank, question.g)
        settings = np.array([question.g, question.alpha, question.tail])
        _risks_from_sums(self._sums, self._last, self._times, tail, logits, settings, risks)


def _tail_sums(values: I64, sizes: I64, left: int) -> tuple[float, float, F64, I64]:
    """Return the sums of a record that is unique nowhere, and how they change at each level.

    The sums of the logits above the threshold and of rank times logit; for each level by how much
    its logit falls if a count is lowered, and how many column sets above the threshold come before.
    """
    logits = np.log(values / (left - values))
    lowered = np.maximum(values - 1, 1)  # nobody is unique where all are alike
    steps = np.log(lowered / (left - lowered)) - logits
    before = np.cumsum(sizes) - sizes - sizes[0]
    above = slice(1, None)
    ranks = sizes * before + sizes * (sizes + 1) / 2
    return (
        float((sizes * logits)[above].sum()),
        float((ranks * logits)[above].sum()),
        steps,
        before,
    )


def _tail_logits(values: I64, sizes: I64, left: int, rank: int, g: float) -> F64:
    """Return the logits that are needed near the threshold, lowered or not."""
    answer = np.empty(6)
    answer[0] = logit_of(float(values[0]), left)
    answer[1] = logit_of(float(values[1] - 1), left)
    after = values[0] if rank < sizes[0] else values[1]
    for place, (first, second) in enumerate([(0, 0), (1, 0), (0, 1), (1, 1)], start=2):
        low, high = int(values[0] - first), int(after - second)
        answer[place] = logit_of(float(low) if low == high else (1 - g) * low + g * high, left)
    return answer


@njit(cache=True, nogil=True)
def _lower_sums(
    bits: U64, rows: I64, levels: I64, steps: F64, before: I64, sums: F64, last: I32, times: I32
) -> None:
    """Change the sums of each record for the column sets in the tail in which it is unique.

    Row by row of the tail, in the order of the distinct counts: its level among them, by how much
    its logit falls, and how many column sets above the threshold come before its level. ``sums``
    holds for each record the sum of the logits above the threshold and that of rank times logit.
    ``last`` becomes the last level in which a record is unique, ``times`` in how many column sets
    of that level, of level 0 and of level 1.
    """
    for q in range(rows.size):
        level = levels[q]
        step = steps[q]
        for w in range(bits.shape[1]):
            word = bits[rows[q], w]
            while word != 0:
                lowest = word & (~word + np.uint64(1))
                word ^= lowest
                r = 64 * w + PLACE[(lowest * DE_BRUIJN) >> np.uint64(58)]
                if last[r] != level:
                    last[r] = level
                    times[0, r] = 0
                times[0, r] += 1
                if level > 0:
                    sums[0, r] += step
                    sums[1, r] += step * (before[q] + times[0, r])
                if level < 2:
                    times[1 + level, r] += 1


@njit(cache=True, nogil=True)
def _risks_from_sums(
    sums: F64, last: I32, times: I32, tail: I64, levels: F64, settings: F64, risks: F64
) -> None:
    """Write the risk without each record, from its sums; for those unique nowhere it is the same.

    ``tail``: how many column sets are at the threshold, how many above it, the rank of the
    threshold among the former, whether the next count is one more, and whether the estimator is
    unbiased. ``levels``: the logits of the count at the threshold and of the next one less one, and
    of the threshold if neither of the two counts it lies between is lowered, if the first is, if
    the second is, and if both are.
    """
    at, above, rank, near, unbiased = tail[0], tail[1], tail[2], tail[3] == 1, tail[4] == 1
    usual = np.nan
    for r in range(risks.size):
        if last[r] < 0 and usual == usual:  # noqa: PLR0124 - it is a number
            risks[r] = usual
            continue
        c0, c1 = times[1, r], times[2, r]
        sum0, sum1, m = sums[0, r], sums[1, r], above
        place = 2
        if c0 >= rank:  # what stays at the old threshold now lies above it
            e = at - c0
            sum1 += e * sum0 + levels[0] * (e * (e + 1) / 2)
            sum0 += e * levels[0]
            m += e
            place += 1
        elif near and c1 > 0:  # what falls to the threshold does not lie above it
            sum0 -= c1 * levels[1]
            sum1 -= levels[1] * (c1 * (c1 + 1) / 2) + c1 * sum0
            m -= c1
        if c0 > rank if rank < at else c1 > 0:
            place += 2
        risks[r] = risk_of_sums(sum0, sum1, m, levels[place], settings, unbiased)
        if last[r] < 0:
            usual = risks[r]


def _of_records(bits: U64, kept: Alive) -> U64:
    """Return the bits of some records only."""
    flags = np.unpackbits(bits.view(np.uint8), axis=1, bitorder="little")[:, : len(kept)][:, kept]
    padded = np.zeros((len(bits), -(-flags.shape[1] // 64) * 64), dtype=np.uint8)
    padded[:, : flags.shape[1]] = flags
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
