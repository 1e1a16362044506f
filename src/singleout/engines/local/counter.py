"""A table in memory that answers what every engine is asked: the measure of the other engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import comb
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from singleout.core.counts import Counts, SizeProfile
from singleout.core.table import Table
from singleout.engines.counter import Counter, DistinctCounts, JointCounts, RunsHere, WeightTotals
from singleout.engines.group_keys import different_keys
from singleout.engines.local import counting as local
from singleout.kernels.distinct.count import distinct_counts
from singleout.kernels.grouping.group import group_records, group_sizes

__all__ = ["FetchedCounter", "LocalCounter"]

I64 = NDArray[np.int64]
_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")


class LocalCounter(RunsHere):
    """A `Counter` over an encoded table, by the compiled kernels.

    Parameters
    ----------
    table
        The table to count.
    """

    def __init__(self, table: Table) -> None:
        self._table = table

    # ---- the table

    @property
    def source(self) -> str:
        """Where the data came from."""
        return self._table.source

    @property
    def columns(self) -> tuple[str, ...]:
        """The column names, in order."""
        return self._table.columns

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, one sentence each."""
        return self._table.notes

    @property
    def rows(self) -> int:
        """How many records there are."""
        return self._table.rows

    def missing(self, columns: Sequence[str]) -> dict[str, int]:
        """Return for each column how many records lack a value."""
        return {name: int(self._table[name].is_missing.sum()) for name in columns}

    def complete(self, columns: Sequence[str]) -> int:
        """Return how many records have a value in all of the columns."""
        return int(local.complete_records(self._table, columns).sum())

    # ---- counts of counts

    def profiles(
        self, column_sets: Sequence[Sequence[str]], *, drop: bool = False
    ) -> list[SizeProfile]:
        """Return the counts of counts of each column set."""
        if not drop:
            return local.profiles(self._table, column_sets)
        kept = [local.complete_records(self._table, names) for names in column_sets]
        return [
            SizeProfile.of(_sizes(self._table, names, np.flatnonzero(mask)))
            for names, mask in zip(column_sets, kept, strict=True)
        ]

    def grouped_profiles(
        self, columns: Sequence[str], by: Sequence[str], *, drop: bool = False
    ) -> dict[tuple[Any, ...], SizeProfile]:
        """Return the counts of counts within each group of records."""
        return {
            key: SizeProfile.of(_sizes(self._table, columns, rows))
            for key, rows in self._groups(columns, by, drop=drop)
        }

    def group_rows(self, by: Sequence[str]) -> dict[tuple[Any, ...], int]:
        """Return how many records each group has."""
        return {key: len(rows) for key, rows in self._groups((), by, drop=False)}

    def weight_totals(
        self,
        columns: Sequence[str],
        weight: str,
        by: Sequence[str] = (),
        *,
        drop: bool = False,
    ) -> dict[tuple[Any, ...], WeightTotals]:
        """Return the sums of weights, by group."""
        amounts = local.weights(self._table, weight)
        found = {}
        for key, rows in self._groups(columns, by, drop=drop):
            minimum = None
            if len(rows):
                groups = local.group(self._table.select(columns).take(rows), columns)
                minimum = float(np.bincount(groups.ids, amounts[rows]).min())
            found[key] = WeightTotals(float(amounts[rows].sum()), minimum)
        return found

    def _groups(
        self, columns: Sequence[str], by: Sequence[str], *, drop: bool
    ) -> Iterator[tuple[tuple[Any, ...], I64]]:
        """Yield each group by its values, and its records without those dropped."""
        kept = local.complete_records(self._table, columns if drop else ())
        if not by:
            yield (), np.flatnonzero(kept)
            return
        members = [self._table[name] for name in by]
        groups = local.group(self._table, by)
        codes = [column.codes[groups.first] for column in members]
        alike = np.argsort(groups.ids, kind="stable")
        ends = np.cumsum(groups.sizes)
        order = np.lexsort(codes[::-1]).tolist()
        keys = different_keys(
            tuple(c.value(int(k[group])) for c, k in zip(members, codes, strict=True))
            for group in order
        )
        for key, group in zip(keys, order, strict=True):
            rows = alike[ends[group] - groups.sizes[group] : ends[group]]
            yield key, rows[kept[rows]]

    # ---- counts

    def distinct_counts(
        self, columns: Sequence[str], size: int, *, drop: bool = False
    ) -> DistinctCounts:
        """Return how many distinct combinations each set of ``size`` columns has."""
        table = self._kept(columns, drop=drop)
        if table is None:
            return DistinctCounts(np.zeros(comb(len(columns), size), dtype=np.int64))
        codes, levels = [c.codes for c in table], [c.levels for c in table]
        return DistinctCounts(distinct_counts(codes, levels, size))

    def joint_counts(
        self, columns: Sequence[str], sensitive: str, *, drop: bool = False
    ) -> JointCounts:
        """Return the counts of the combinations of the columns, alone and with a sensitive one."""
        table = self._kept((*columns, sensitive), drop=drop)
        if table is None:
            none = np.empty(0, dtype=np.int64)
            return JointCounts(none, none, none, none)
        known, target = local.group(table, columns), table[sensitive]
        joint = group_records([known.ids, target.codes], [len(known.sizes), target.levels])
        of_sensitive = np.bincount(target.codes)
        return JointCounts(
            known.sizes,
            joint.sizes,
            known.ids[joint.first].astype(np.int64),
            of_sensitive[of_sensitive > 0],
        )

    def ranked_counts(self, columns: Sequence[str]) -> Counts:
        """Return the distinct combinations with each value replaced by its rank."""
        found = self.counts(columns)
        ranks = tuple(range(len(values)) for values in found.values)
        return Counts(found.columns, ranks, found.codes, found.sizes)

    def counts(self, columns: Sequence[str]) -> Counts:
        """Return the distinct combinations with their values."""
        return local.counts(self._table, columns)

    def _kept(self, columns: Sequence[str], *, drop: bool) -> Table | None:
        """Return some columns without the records that are dropped; None if all are."""
        table = self._table.select(columns)
        if not drop:
            return table
        kept = local.complete_records(table, columns)
        return table.take(kept) if kept.any() else None

    # ---- the table itself, and work on it

    def fetch(self, columns: Sequence[str] | None = None) -> Table:
        """Return the table, with these columns or all."""
        return self._table if columns is None else self._table.select(columns)

    def close(self) -> None:
        """Hold nothing, give back nothing."""


class FetchedCounter(LocalCounter):
    """A table that was fetched, counted here, whose tasks run where it came from.

    Parameters
    ----------
    table, counter
        The table, and what it was fetched from.
    """

    def __init__(self, table: Table, counter: Counter) -> None:
        super().__init__(table)
        self._counter = counter

    @property
    def spreads_tasks(self) -> bool:
        """Whether there are other workers than the threads of this machine."""
        return bool(getattr(self._counter, "spreads_tasks", False))

    def run(
        self,
        work: Callable[[Any, _Task], _Answer],
        shared: Any,
        tasks: Sequence[_Task],
        *,
        name: str,
        what: str,
    ) -> Iterator[_Answer]:
        """Yield ``work(shared, task)`` for each task, done where the table came from."""
        return self._counter.run(work, shared, tasks, name=name, what=what)


def _sizes(table: Table, columns: Sequence[str], rows: I64) -> I64:
    """Return the sizes of the sets of some records; none if there are no records."""
    if not len(rows):
        return np.empty(0, dtype=np.int64)
    chosen = [table[name] for name in columns]
    return group_sizes([c.codes[rows] for c in chosen], [c.levels for c in chosen])
