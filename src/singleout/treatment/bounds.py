"""Bounds on what removing records can achieve, whichever they are.

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
from singleout.kernels.removal.leave_one_out import TailSettings

__all__ = ["Bounds"]


class Bounds:
    """The least that can remain, from the tables as they are before anything is removed."""

    def __init__(
        self,
        tables: GroupTables,
        distinct: I64,
        settings: TailSettings,
        records: int,
        people: I64 | None = None,
    ) -> None:
        self._tables = tables
        self._distinct = distinct
        self._settings = settings
        self._records = records
        self._people = people  # that each row stands for; None if each is one record
        ordered = np.sort(distinct)
        above = np.flatnonzero(tables.distinct > ordered[settings.k - 1])
        # without any above the threshold, those at it
        self._top = (
            above if len(above) else np.flatnonzero(tables.distinct == ordered[settings.k - 1])
        )

    def mean_top(self, followed: I64, records: int) -> float:
        """Return the mean theta of the combinations that were above the threshold at the start."""
        return float(followed[self._top].mean() / records)

    def risk(self, removed: I64) -> F64:
        """Return a risk that no removal of so many records gets below."""
        k, g = self._settings.k, self._settings.g
        lowest = self._distinct.copy()
        bound = np.empty(len(removed))
        removable = self._tables.removable(removed)
        start = self._tables.distinct.copy()
        for point, (count, ended) in enumerate(zip(removed.tolist(), removable, strict=True)):
            lowest[self._tables.followed] = start - ended
            ordered = np.sort(lowest)
            low, high = ordered[k - 1], ordered[min(k, len(ordered) - 1)]
            between = low if low == high else (1 - g) * low + g * high
            bound[point] = between / (self._records - count)
        return bound

    def top(self, removed: I64) -> F64:
        """Return a mean theta of these combinations that no removal of so many gets below."""
        shares = self._tables.shares(self._top)
        order = np.argsort(-shares, kind="stable")
        many = np.ones(len(shares)) if self._people is None else self._people[order]
        after = np.concatenate([[0.0], np.cumsum(many)])
        taken = np.concatenate([[0.0], np.cumsum(shares[order] * many)])
        # between two rows each person takes away the same
        taken = np.interp(removed, after, taken) / len(self._top)
        start = self._tables.distinct[self._top].mean()
        return np.asarray((start - taken) / (self._records - removed))
