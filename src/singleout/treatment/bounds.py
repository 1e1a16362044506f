"""What removing records can achieve at most, whichever they are.

Two rigorous bounds. A combination of columns loses most values if the smallest groups go first;
with every combination at the lowest that S removals can bring it to, its threshold u is the lowest
possible, and the risk is never below u. This bound is safe and loose, since no S records do this to
all combinations at once. For a mean of distinct counts there is a tight one: a removed record takes
away at most 1 / s of a value that s records share, so S records take away at most the sum of the S
largest totals of these shares.
"""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.kernels.removal.elimination import GroupTables
from singleout.kernels.removal.leave_one_out import Question

__all__ = ["Bounds"]


class Bounds:
    """The least that can remain, before anything is removed.

    Parameters
    ----------
    tables
        The groups of the combinations that can matter.
    distinct
        How many distinct values every combination takes.
    question
        What is asked of the tail.
    records
        How many records there are.
    """

    def __init__(
        self, tables: GroupTables, distinct: I64, question: Question, records: int
    ) -> None:
        self._tables = tables
        self._distinct = distinct
        self._question = question
        self._records = records
        ordered = np.sort(distinct)
        above = np.flatnonzero(tables.distinct > ordered[question.k - 1])
        # without any above the threshold, those at it
        self._top = (
            above if len(above) else np.flatnonzero(tables.distinct == ordered[question.k - 1])
        )

    def mean_top(self, followed: I64, records: int) -> float:
        """Return the mean theta of the combinations that were above the threshold at the start."""
        return float(followed[self._top].mean() / records)

    def risk(self, removed: I64) -> F64:
        """Return a risk that no removal of so many records gets below."""
        k, g = self._question.k, self._question.g
        lowest = self._distinct.copy()
        answer = np.empty(len(removed))
        most = self._tables.removable(removed)
        start = self._tables.distinct.copy()
        for place, (many, gone) in enumerate(zip(removed.tolist(), most, strict=True)):
            lowest[self._tables.followed] = start - gone
            ordered = np.sort(lowest)
            low, high = ordered[k - 1], ordered[min(k, len(ordered) - 1)]
            between = low if low == high else (1 - g) * low + g * high
            answer[place] = between / (self._records - many)
        return answer

    def top(self, removed: I64) -> F64:
        """Return a mean theta of these combinations that no removal of so many gets below."""
        shares = np.sort(self._tables.shares(self._top))[::-1]
        taken = np.concatenate([[0.0], np.cumsum(shares)])[removed] / len(self._top)
        start = self._tables.distinct[self._top].mean()
        return np.asarray((start - taken) / (self._records - removed))
