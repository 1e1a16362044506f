"""What to search: all records of a table, those of a group, a sample, or one part of the search."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from singleout.core.arrays import I64, Flags
from singleout.core.choices import MissingPolicy
from singleout.core.counts import SizeProfile
from singleout.core.table import Table
from singleout.engines.local import counting as local
from singleout.engines.local.counter import LocalCounter
from singleout.kernels.uniques.search import MinimalUniques, minimal_uniques
from singleout.methods.selection import kept_records
from singleout.methods.suda.measure import Scoring
from singleout.methods.suda.missing import MissingCells, never_codes
from singleout.methods.suda.notes import notes_on
from singleout.methods.suda.parts import SudaPart, run_part, search_with_checkpoint
from singleout.methods.suda.result import Suda
from singleout.methods.suda.size import AUTO, largest_cheap
from singleout.methods.suda.tasks import Search, search_by_tasks

if TYPE_CHECKING:
    from singleout.engines.counter import Records

__all__ = ["COPIES", "SudaQuestion"]

# of a row in a table of counts: a third record tells a group of many from a pair
COPIES = 3

_NO_GROUPS = (
    "nobody is unique or shared for certain; let missing be a value (value), keep missing cells "
    "out of the search (never) or leave such records out (drop)."
)


@dataclass(frozen=True)
class SudaQuestion:
    """What to search, in all records or in those of a group."""

    records: Records
    names: tuple[str, ...]
    size: int | str | None
    fraction: float | None
    scoring: Scoring
    rule: MissingCells | None
    threshold: float | None
    keep: bool
    checkpoint: str | os.PathLike[str] | None = None
    merge: bool = False

    def answer(self, read: Table, rows: I64) -> Suda:
        """Return the special uniques of a table whose records have these indexes in the data."""
        people = None if self.records.people is None else self.records.people[rows]
        table, kept = self._table(read)
        profile = local.profile(table, self.names)
        largest = self._largest(profile)
        found = self._found(table, largest)
        unique, in_pairs = _unique_and_in_pairs(profile)
        every = np.ones(read.rows, dtype=np.int64) if people is None else people
        answer = Suda(
            table,
            (rows if self.records.row is None else self.records.row[rows])[kept] + 1,
            found,
            largest,
            unique,
            in_pairs,
            scoring=self.scoring,
            missing=self.rule or MissingCells.VALUE,  # nothing is missing where wildcards pass
            sampling_fraction=self.fraction,
            chosen=self.size == AUTO,
            threshold=self.threshold,
            listed=self.keep,
            dropped=int(every[~kept].sum()),
            people=None if people is None else people[kept],
        )
        read_rows = int(every.sum())
        return replace(answer, notes=notes_on(answer, read_rows, self.size, profile.number_of_sets))

    def part(self, read: Table, part: tuple[int, int]) -> SudaPart:
        """Search one part of the table, and keep it in the checkpoint."""
        table, _ = self._table(read)
        search = self._search(table, self._largest(local.profile(table, self.names)))
        return run_part(search, self.checkpoint or "", part)

    def _table(self, read: Table) -> tuple[Table, Flags]:
        """Return the columns of the records that are compared, and which these are."""
        kept = kept_records(
            read,
            self.names,
            self.rule or MissingPolicy.WILDCARD,
            purpose="compare",
            wildcards=_NO_GROUPS,
        )
        table = read.select(self.names)
        return table if kept.all() else table.take(kept), kept

    def _search(self, table: Table, largest: int) -> Search:
        never = never_codes(table) if self.rule == MissingCells.NEVER else None
        codes, levels = [column.codes for column in table], [column.levels for column in table]
        return Search(codes, levels, largest, never)

    def _found(self, table: Table, largest: int) -> MinimalUniques:
        """Search here, in parts that are kept, or by tasks where the engine has workers."""
        search = self._search(table, largest)
        if self.checkpoint is not None and not self.keep:
            return search_with_checkpoint(search, self.checkpoint, merge=self.merge)
        if self.records.spreads_tasks and not self.keep:  # what is to be listed stays in one piece
            return search_by_tasks(self.records, search)
        allowed = self.records.memory
        return minimal_uniques(
            search.codes,
            search.levels,
            largest,
            never=search.never,
            keep=self.keep,
            memory=None if allowed is None else max(0, allowed - table.memory),
        )

    def of_sample(self, sample: Table) -> Suda:
        """Return the special uniques of a sample that was drawn."""
        drawn = replace(self, records=LocalCounter(sample))
        return drawn.answer(sample, np.arange(sample.rows))

    def _largest(self, profile: SizeProfile) -> int:
        """Return M: as asked for, or what is quick."""
        if isinstance(self.size, str):
            return largest_cheap(len(self.names), profile.number_of_sets)
        return len(self.names) if self.size is None else min(self.size, len(self.names))


def _unique_and_in_pairs(profile: SizeProfile) -> tuple[int, int]:
    """Return how many records are alone in their group, and how many are in groups of two."""
    sets = dict(zip(profile.sizes.tolist(), profile.sets.tolist(), strict=True))
    return sets.get(1, 0), 2 * sets.get(2, 0)
