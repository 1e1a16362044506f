"""A table of counts in memory: its rows stand for records, and are counted as often as they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arrays import F64, I64, Flags, sums
from singleout.core.counts import Counts, SizeProfile
from singleout.core.table import Column, Table
from singleout.engines.counted import CountFacts, cells_of, no_records
from singleout.engines.counter import JointCounts, WeightTotals
from singleout.engines.local import counting as local
from singleout.engines.local.counter import LocalCounter
from singleout.engines.recoding import Recoding, recoded_table
from singleout.io.names import pick
from singleout.kernels.grouping.group import group_records, group_sizes

if TYPE_CHECKING:
    from singleout.where.condition import Condition

__all__ = ["CountedCounter", "counted"]


class CountedCounter(LocalCounter):
    """A `Counter` over encoded rows, each for as many records as ``sizes`` says, at least one."""

    def __init__(
        self,
        table: Table,
        sizes: I64,
        count: str,
        indexes: I64 | None = None,
        lines: int | None = None,
    ) -> None:
        super().__init__(table)
        self.sizes = sizes
        self._count = count
        # where the rows are in the table of counts, and how many it has
        self._indexes = np.arange(len(sizes)) if indexes is None else indexes
        self._lines = len(sizes) if lines is None else lines

    # ---- the table

    @property
    def count(self) -> str:
        """The column that said how many records a row stands for."""
        return self._count

    @property
    def rows(self) -> int:
        """How many records there are."""
        return int(self.sizes.sum())

    def missing(self, columns: Sequence[str]) -> dict[str, int]:
        """Return for each column how many records lack a value."""
        return {name: int(self.sizes[self.table[name].is_missing].sum()) for name in columns}

    def complete(self, columns: Sequence[str]) -> int:
        """Return how many records have a value in all of the columns."""
        return int(self.sizes[local.complete_records(self.table, columns)].sum())

    def filtered(self, condition: Condition) -> CountedCounter:
        """Return the records that meet a condition."""
        from singleout.engines.local.engine import nobody_meets

        met = condition.mask(self.table)
        if not met.any():
            raise nobody_meets(self.source, condition)
        return CountedCounter(
            self.table.take(met), self.sizes[met], self.count, self._indexes[met], self._lines
        )

    def recoded(self, recodings: Mapping[str, Recoding]) -> CountedCounter:
        """Return the same records with more columns, coded from others."""
        return self._of(recoded_table(self.table, recodings))

    def _of(self, table: Table) -> CountedCounter:
        return CountedCounter(table, self.sizes, self.count, self._indexes, self._lines)

    # ---- counts of counts

    def profiles(
        self, column_sets: Sequence[Sequence[str]], *, drop: bool = False
    ) -> list[SizeProfile]:
        """Return the counts of counts of each column set."""
        return [self.grouped_profiles(names, (), drop=drop)[()] for names in column_sets]

    def grouped_profiles(
        self, columns: Sequence[str], by: Sequence[str], *, drop: bool = False
    ) -> dict[tuple[Any, ...], SizeProfile]:
        """Return the counts of counts within each group of records."""
        return {
            key: SizeProfile.of(self._summed(columns, rows, self.sizes).astype(np.int64))
            for key, rows in self._groups(columns, by, drop=drop)
        }

    def group_rows(self, by: Sequence[str]) -> dict[tuple[Any, ...], int]:
        """Return how many records each group has."""
        return {key: int(self.sizes[rows].sum()) for key, rows in self._groups((), by, drop=False)}

    def weight_totals(
        self,
        columns: Sequence[str],
        weight: str,
        by: Sequence[str] = (),
        *,
        drop: bool = False,
    ) -> dict[tuple[Any, ...], WeightTotals]:
        """Return the sums of weights, by group."""
        with np.errstate(over="ignore"):  # an infinite total is refused by who asked for it
            amounts = self._weights(weight)
            totals = {}
            for key, rows in self._groups(columns, by, drop=drop):
                added = self._summed(columns, rows, amounts)
                minimum = float(added.min()) if len(added) else None
                totals[key] = WeightTotals(float(amounts[rows].sum()), minimum)
        return totals

    def _weights(self, weight: str) -> F64:
        """Return the sum of the weights of the records that each row stands for."""
        return local.weights(self.table, weight) * self.sizes

    def _summed(self, columns: Sequence[str], rows: I64, amounts: I64 | F64) -> F64:
        """Return the sum of amounts in each set of some rows that share a combination."""
        if not len(rows):
            return np.empty(0)
        chosen = [self.table[name] for name in columns]
        groups = group_records([c.codes[rows] for c in chosen], [c.levels for c in chosen])
        # sums of whole numbers below 2**53 are exact
        return sums(groups.ids, amounts[rows].astype(np.float64), len(groups.sizes))

    # ---- counts

    def joint_counts(
        self, columns: Sequence[str], sensitive: str, *, drop: bool = False
    ) -> JointCounts:
        """Return the counts of the combinations of the columns, alone and with a sensitive one."""
        both = [*columns, sensitive]
        kept: Flags = local.complete_records(self.table, both if drop else ())
        if not kept.any():
            none = np.empty(0, dtype=np.int64)
            return JointCounts(none, none, none, none)
        table, sizes = self.table.select(dict.fromkeys(both)).take(kept), self.sizes[kept]
        known, target = local.group(table, columns), table[sensitive]
        joint = group_records([known.ids, target.codes], [len(known.sizes), target.levels])
        of_sensitive = _added(target.codes, sizes)
        return JointCounts(
            _added(known.ids, sizes),
            _added(joint.ids, sizes),
            known.ids[joint.first].astype(np.int64),
            of_sensitive[of_sensitive > 0],
        )

    def counts(self, columns: Sequence[str], weight: str | None = None) -> Counts:
        """Return the distinct combinations with their values, and the sums of their weights."""
        chosen, groups = [self.table[name] for name in columns], local.group(self.table, columns)
        return Counts(
            tuple(columns),
            tuple(column.values for column in chosen),
            tuple(column.codes[groups.first] for column in chosen),
            _added(groups.ids, self.sizes),
            None if weight is None else sums(groups.ids, self._weights(weight)),
        )

    # ---- the records, of which there are none

    @property
    def held(self) -> None:  # type: ignore[override]
        """No record is here: rows stand for several."""
        return

    def fetch(self, columns: Sequence[str] | None = None) -> Table:  # noqa: ARG002
        """Refuse: rows are not records."""
        raise no_records(self.count)

    def records(self, columns: Sequence[str] | None = None) -> LocalCounter:  # noqa: ARG002
        """Refuse: rows are not records."""
        raise no_records(self.count)

    def repeated(self, columns: Sequence[str] | None, at_most: int) -> LocalCounter:
        """Return each row as often as it counts, but at most so many times."""
        table = self.table if columns is None else self.table.select(pick(columns, self.columns))
        times = np.minimum(self.sizes, at_most)
        which = np.repeat(np.arange(len(times)), times)
        people = np.zeros(len(which), dtype=np.int64)
        people[np.cumsum(times) - times] = self.sizes
        records = LocalCounter(table.take(which))
        records.people, records.row, records.lines = people, self._indexes[which], self._lines
        return records


def counted(table: Table, count: str, columns: Sequence[str] | None) -> CountedCounter:
    """Return what counts a table whose rows stand for as many records as a column says.

    ``columns`` are those that will be asked about, all if not given.
    """
    table.require([count])
    cells = cells_of(count, table.columns, columns)
    facts, numbers = _facts(table[count])
    facts.check(count, table.source)
    filled = numbers > 0
    others = [column for column in table if column.name != count]
    kept = [column.only(filled) for column in others] if facts.zero else others
    chosen = [column for column in kept if column.name in cells]
    different = len(group_sizes([c.codes for c in chosen], [c.levels for c in chosen]))
    noted = Table(
        kept,
        missing=table.missing,
        source=table.source,
        notes=[*table.notes, *facts.notes(count, cells, different)],
    )
    sizes = numbers[filled].astype(np.int64)
    return CountedCounter(noted, sizes, count, np.flatnonzero(filled), len(numbers))


def _facts(column: Column) -> tuple[CountFacts, F64]:
    numbers = np.array([_number(value) for value in column.values] + [np.nan])[column.codes]
    lacking = column.is_missing
    negative = numbers < 0
    with np.errstate(invalid="ignore"):
        other = ~lacking & ~negative & ~(np.isfinite(numbers) & (numbers % 1 == 0))
    facts = CountFacts(
        len(numbers),
        int(lacking.sum()),
        int(negative.sum()),
        int(other.sum()),
        int((numbers == 0).sum()),
        float(np.nansum(numbers)),
    )
    return facts, numbers


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return np.nan


def _added(ids: Any, sizes: I64) -> I64:
    """Return how many records each group of rows has."""
    # sums of whole numbers below 2**53 are exact
    return np.bincount(ids, sizes).astype(np.int64)
