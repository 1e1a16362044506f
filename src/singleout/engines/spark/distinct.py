"""Distinct counts by tasks: each worker has the encoded table, and counts some of the column sets.

The encoded table is small (a byte or two for each cell) where the data is not, and the kernels
count hundreds of sets in the time that Spark needs to shuffle one. A task is a block of sets that
begin with the same columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from singleout.core.arrays import I64
from singleout.core.table import Codes, Table
from singleout.kernels.distinct.count import column_sets, counts_of_prefixes
from singleout.kernels.distinct.prepared import Prepared, prepare
from singleout.kernels.sketches.sketch import mixed

__all__ = ["Block", "EncodedTable", "count_block", "in_order", "tasks_of"]


Block = tuple[int, tuple[int, ...]]  # its number, and the columns that its sets begin with

_SEEDS = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9)
_ROWS = 1 << 18  # fingerprinted at a time


@dataclass(frozen=True, eq=False)
class EncodedTable:
    """Codes to count, without the values they stand for: most values first.

    Parameters
    ----------
    codes
        The codes of each column.
    levels
        For each column a number above its largest code, descending.
    order
        The original place of each column.
    """

    codes: tuple[Codes, ...]
    levels: tuple[int, ...]
    order: tuple[int, ...]

    @classmethod
    def of(cls, table: Table) -> EncodedTable:
        """Take the codes of a table, with the columns in the order of the kernels."""
        columns = list(table)
        order = sorted(range(len(columns)), key=lambda place: -columns[place].levels)
        chosen = [columns[place] for place in order]
        return cls(tuple(c.codes for c in chosen), tuple(c.levels for c in chosen), tuple(order))

    @cached_property
    def prepared(self) -> Prepared:
        """The table laid out for counting; once in each worker."""
        return prepare(self.codes, self.levels)

    @cached_property
    def fingerprint(self) -> str:
        """What the counts depend on: the records in any order, since Spark may change it."""
        sums = [0, 0]
        rows = len(self.codes[0])
        for begin in range(0, rows, _ROWS):
            for place, seed in enumerate(_SEEDS):
                words = np.full(min(_ROWS, rows - begin), seed, dtype=np.uint64)
                for codes in self.codes:
                    words = mixed((words ^ codes[begin : begin + _ROWS]) + np.uint64(_SEEDS[0]))
                sums[place] = (sums[place] + int(words.sum(dtype=np.uint64))) % (1 << 64)
        return f"{rows} {self.levels} {self.order} {sums[0]:016x}{sums[1]:016x}"

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what each worker makes for itself."""
        return {name: vars(self)[name] for name in ("codes", "levels", "order")}


def tasks_of(table: EncodedTable, size: int) -> list[Block]:
    """Return the blocks of all sets of ``size`` columns, the longest first as they come."""
    if size == 1:
        return [(0, ())]
    prefixes = combinations(range(len(table.levels) - 2), size - 2)
    return list(enumerate(prefixes))


def count_block(table: EncodedTable, task: Block) -> tuple[int, I64]:
    """Count the sets of a block: a function of a module, so that it can be sent to a worker."""
    number, prefix = task
    return number, counts_of_prefixes(table.prepared, [prefix])


def in_order(table: EncodedTable, size: int, blocks: Sequence[I64]) -> I64:
    """Return the counts of all blocks in lexicographic order of the columns as given."""
    width = len(table.levels)
    original = np.sort(np.asarray(table.order)[column_sets(width, size)], axis=1)
    counts: I64 = np.concatenate(blocks)[np.lexsort(original.T[::-1])]
    return counts
