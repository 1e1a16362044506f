"""A table in memory, counted by the compiled kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arrays import I64, Flags
from singleout.core.choices import MissingPolicy
from singleout.core.counts import Counts, SizeProfile
from singleout.core.memory import require_memory
from singleout.core.table import Table
from singleout.engines.base import CounterBase
from singleout.engines.counter import (
    AnswerT,
    ColumnFacts,
    DistinctCounts,
    JointCounts,
    TaskT,
    WeightTotals,
)
from singleout.engines.group_keys import members_by_group
from singleout.engines.local import counting as local
from singleout.engines.recoding import Recoding, recoded_table
from singleout.io.names import pick
from singleout.kernels.distinct.count import distinct_counts
from singleout.kernels.distinct.prepared import record_bytes
from singleout.kernels.grouping.group import group_records, group_sizes
from singleout.kernels.threads import thread_count

if TYPE_CHECKING:
    from singleout.where.condition import Condition

__all__ = ["FetchedCounter", "LocalCounter", "bytes_to_count", "require_room"]


class LocalCounter(CounterBase):
    """`Records`, and so a `Counter`, over an encoded table; ``in_source`` as in `Records`."""

    people: I64 | None = None
    row: I64 | None = None
    lines: int | None = None

    def __init__(self, table: Table, in_source: Flags | None = None) -> None:
        self.table = table
        self.in_source = in_source
        self.source, self.columns, self.notes = table.source, table.columns, table.notes

    # ---- the table

    @property
    def rows(self) -> int:
        """How many records there are."""
        return self.table.rows

    @property
    def policy(self) -> MissingPolicy:
        """The default meaning of a missing value."""
        return self.table.missing

    def facts(self, column: str) -> ColumnFacts:
        """Return the metadata of a column."""
        described = self.table[column]
        return ColumnFacts(described.role, described.description, described.labels)

    def missing(self, columns: Sequence[str]) -> dict[str, int]:
        """Return for each column how many records lack a value."""
        chosen = [self.table[name] for name in columns]
        return {
            column.name: int(column.is_missing.sum()) if column.has_missing else 0
            for column in chosen
        }

    def complete(self, columns: Sequence[str]) -> int:
        """Return how many records have a value in all of the columns."""
        return int(local.complete_records(self.table, columns).sum())

    # ---- counts of counts

    def profiles(
        self, column_sets: Sequence[Sequence[str]], *, drop: bool = False
    ) -> list[SizeProfile]:
        """Return the counts of counts of each column set."""
        if not drop:
            return local.profiles(self.table, column_sets)
        return [
            SizeProfile.of(
                _sizes(self.table, names, np.flatnonzero(local.complete_records(self.table, names)))
            )
            for names in column_sets
        ]

    def filtered(self, condition: Condition) -> LocalCounter:
        """Return the records that meet a condition."""
        from singleout.engines.local.engine import nobody_meets

        met = condition.mask(self.table)
        if not met.any():
            raise nobody_meets(self.source, condition)
        return self._of(self.table.take(met))

    def counted_by(self, column: str, columns: Sequence[str] | None = None) -> LocalCounter:
        """Return what counts rows that stand for as many records as a column says."""
        from singleout.engines.local.counted import counted

        return counted(self.table, column, columns)

    def recoded(self, recodings: Mapping[str, Recoding]) -> LocalCounter:
        """Return the same records with more columns, coded from others."""
        return self._of(recoded_table(self.table, recodings))

    def grouped_profiles(
        self, columns: Sequence[str], by: Sequence[str], *, drop: bool = False
    ) -> dict[tuple[Any, ...], SizeProfile]:
        """Return the counts of counts within each group of records."""
        return {
            key: SizeProfile.of(_sizes(self.table, columns, rows))
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
        amounts = local.weights(self.table, weight)
        totals = {}
        with np.errstate(over="ignore"):  # an infinite total is refused by who asked for it
            for key, rows in self._groups(columns, by, drop=drop):
                minimum = None
                if len(rows):
                    groups = local.group(self.table.select(columns).take(rows), columns)
                    minimum = float(np.bincount(groups.ids, amounts[rows]).min())
                totals[key] = WeightTotals(float(amounts[rows].sum()), minimum)
        return totals

    def _groups(
        self, columns: Sequence[str], by: Sequence[str], *, drop: bool
    ) -> Iterator[tuple[tuple[Any, ...], I64]]:
        """Yield each group by its values, and its records without those dropped."""
        counted = local.complete_records(self.table, columns if drop else ())
        if not by:
            yield (), np.flatnonzero(counted)
            return
        for key, rows in self.members(by):
            yield key, rows[counted[rows]]

    def members(self, by: Sequence[str]) -> Iterator[tuple[tuple[Any, ...], I64]]:
        """Yield each group of records by its values, with the indexes of its records."""
        chosen = [self.table[name] for name in by]
        return members_by_group(
            [column.codes for column in chosen],
            [column.levels for column in chosen],
            lambda index, code: chosen[index].value(code),
        )

    # ---- counts

    def distinct_counts(
        self, columns: Sequence[str], size: int, *, drop: bool = False
    ) -> DistinctCounts:
        """Return how many distinct combinations each set of ``size`` columns has."""
        table = self._counted(columns, drop=drop)
        if table is None:
            return DistinctCounts(np.zeros(comb(len(columns), size), dtype=np.int64))
        codes, levels = [c.codes for c in table], [c.levels for c in table]
        if size == 1:
            used = [np.count_nonzero(np.bincount(c, minlength=1)) for c in codes]
            return DistinctCounts(np.array(used, dtype=np.int64))
        require_room(levels, size, table.rows)
        return DistinctCounts(distinct_counts(codes, levels, size))

    def joint_counts(
        self, columns: Sequence[str], sensitive: str, *, drop: bool = False
    ) -> JointCounts:
        """Return the counts of the combinations of the columns, alone and with a sensitive one."""
        table = self._counted((*columns, sensitive), drop=drop)
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

    def counts(self, columns: Sequence[str], weight: str | None = None) -> Counts:
        """Return the distinct combinations with their values, and the sums of their weights."""
        return local.counts(self.table, columns, weight)

    def _counted(self, columns: Sequence[str], *, drop: bool) -> Table | None:
        """Return some columns without the records that are dropped; None if all are."""
        table = self.table.select(columns)
        if not drop:
            return table
        complete = local.complete_records(table, columns)
        return table.take(complete) if complete.any() else None

    # ---- the table itself, and work on it

    def fetch(self, columns: Sequence[str] | None = None) -> Table:
        """Return the table, with these columns or all."""
        return self.table if columns is None else self.table.select(columns)

    @property
    def held(self) -> LocalCounter:
        """The records themselves."""
        return self

    def records(self, columns: Sequence[str] | None = None) -> LocalCounter:
        """Return the records with these columns or all; nothing is copied."""
        if columns is None:
            return self
        return self._of(self.table.select(pick(columns, self.columns)))

    def with_roles(self, roles: Mapping[str, str]) -> LocalCounter:
        """Return the same records with other roles for some columns."""
        return self._of(self.table.with_roles(roles))

    def _of(self, table: Table) -> LocalCounter:
        same = LocalCounter(table, self.in_source)
        same.people, same.row, same.lines = self.people, self.row, self.lines
        return same


class FetchedCounter(LocalCounter):
    """A table that was fetched from another counter, which runs its tasks."""

    def __init__(self, table: Table, counter: CounterBase) -> None:
        super().__init__(table)
        self._counter = counter
        self.spreads_tasks = counter.spreads_tasks
        self.memory = counter.memory

    def _of(self, table: Table) -> LocalCounter:
        fetched = FetchedCounter(table, self._counter)
        fetched.people, fetched.row, fetched.lines = self.people, self.row, self.lines
        return fetched

    def run(
        self,
        work: Callable[[Any, TaskT], AnswerT],
        shared: Any,
        tasks: Sequence[TaskT],
        *,
        name: str,
        what: str,
    ) -> Iterator[AnswerT]:
        """Yield ``work(shared, task)`` for each task, done where the table came from."""
        return self._counter.run(work, shared, tasks, name=name, what=what)


def bytes_to_count(levels: Sequence[int], size: int, records: int) -> int:
    """Return how many bytes it takes to count all sets of ``size`` columns, codes left out."""
    fixed, per_thread = record_bytes(levels)
    sets = comb(len(levels), size)
    return (fixed + thread_count() * per_thread) * records + (24 * size + 96) * sets


def require_room(levels: Sequence[int], size: int, records: int) -> None:
    """Refuse to count combinations that need more memory than there is."""
    require_memory(
        bytes_to_count(levels, size, records),
        f"Counting {comb(len(levels), size):,} combinations of {size} columns on {records:,} "
        "records",
    )


def _sizes(table: Table, columns: Sequence[str], rows: I64) -> I64:
    """Return the sizes of the sets of some records; none if there are no records."""
    if not len(rows):
        return np.empty(0, dtype=np.int64)
    chosen = [table[name] for name in columns]
    return group_sizes([c.codes[rows] for c in chosen], [c.levels for c in chosen])
