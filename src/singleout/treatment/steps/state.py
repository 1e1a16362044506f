"""A table on its way through the steps: its records, its changes, and how much values cover."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from singleout.core.arrays import F64, I64, Flags
from singleout.core.table import Column, Table
from singleout.treatment.steps.columns import Changed, blanked, compacted
from singleout.treatment.steps.log import Entry, changes_of

__all__ = ["Cover", "State"]


@dataclass(frozen=True, eq=False)
class Cover:
    """How many of the original values each published one may stand for.

    Parameters
    ----------
    leaves
        For each code, that for missing included, how many values it covers.
    size
        How many values there are: distinct ones of the original, or those of its hierarchy.
    touched
        Whether a step has changed the column.
    """

    leaves: F64 = field(repr=False)
    size: int
    touched: bool = False

    @classmethod
    def of(cls, column: Column) -> Cover:
        """Return the cover of a column that nobody has changed."""
        there = (column.sizes > 0).astype(np.float64)
        return cls(there, max(int(there.sum()), 1))

    def shares(self) -> F64:
        """Return for each code the share of the values that it covers."""
        return np.minimum(self.leaves / self.size, 1.0)


class State:
    """What the steps have made of a table so far."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.rows: I64 = np.arange(table.rows, dtype=np.int64)  # of the original, in order now
        self.covers = {column.name: Cover.of(column) for column in table}
        self.entries: list[Entry] = []
        self.notes: list[str] = []

    def replace(self, step: int, name: str, column: Column, cover: Cover) -> None:
        """Put another column in the place of one, and log what changed."""
        self.entries += changes_of(step, self.table[name], column)
        self._set(name, column, cover)

    def _set(self, name: str, column: Column, cover: Cover) -> None:
        columns = [column if one.name == name else one for one in self.table]
        self.table = _with(self.table, columns)
        self.covers[name] = cover

    def map_codes(self, step: int, name: str, changed: Changed) -> None:
        """Replace a column whose codes became others: what they cover adds up."""
        cover = self.covers[name]
        added = np.bincount(changed.codes, cover.leaves, minlength=changed.column.levels)
        leaves = added[: changed.column.levels].astype(np.float64)
        self.replace(step, name, changed.column, Cover(leaves, cover.size, touched=True))

    def blank(self, step: int, name: str, mask: Flags) -> None:
        """Make some cells of a column missing; a missing value then may be any."""
        cover = self.covers[name]
        changed, leaves = self._moved(name, blanked(self.table[name], mask))
        if changed.has_missing:
            leaves[-1] = cover.size
        self.replace(step, name, changed, Cover(leaves, cover.size, touched=True))

    def _moved(self, name: str, changed: Changed) -> tuple[Column, F64]:
        """Return a column that lost values, and what its codes cover."""
        cover = self.covers[name]
        leaves = np.zeros(changed.column.levels + 1)
        leaves[changed.codes[: len(cover.leaves)]] = cover.leaves
        return changed.column, leaves[: changed.column.levels]

    def drop(self, step: int, name: str) -> None:
        """Leave a column out."""
        self.entries.append(Entry(step, name, None, None, self.table.rows))
        self.table = _with(self.table, [one for one in self.table if one.name != name])
        del self.covers[name]

    def keep(self, step: int, kept: Flags) -> None:
        """Remove the other records."""
        removed = int((~kept).sum())
        if not removed:
            return
        self.entries.append(Entry(step, None, None, None, removed))
        self.rows = self.rows[kept]
        self.table = self.table.take(kept)
        for column in self.table:
            cover = self.covers[column.name]
            changed, leaves = self._moved(column.name, compacted(column))
            self._set(column.name, changed, Cover(leaves, cover.size, cover.touched))

    def move(self, step: int, order: I64) -> None:
        """Put the records in another order."""
        moved = int((order != np.arange(len(order))).sum())
        self.entries.append(Entry(step, None, None, None, moved))
        self.rows = self.rows[order]
        self.table = self.table.take(order)


def _with(table: Table, columns: list[Column]) -> Table:
    return Table(columns, missing=table.missing, source=table.source, notes=table.notes)
