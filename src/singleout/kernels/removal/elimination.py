"""Group tables that are updated while records are removed one after the other.

For each column set that is followed: the group of every row, the size of every group, and the
numbers of its members combined by xor. A row is a record, or stands for several that are alike.
Removing a record costs one step for each column set, which updates the distinct counts and the bits
that say who is unique.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64, U32, U64
from singleout.core.progress import track
from singleout.kernels.compiling import announce_compiling
from singleout.kernels.distinct.count import column_sets
from singleout.kernels.grouping.group import group_records
from singleout.kernels.removal import elimination_loops as loops
from singleout.kernels.threads import in_parallel, thread_count

__all__ = ["GroupTables", "table_bytes"]

_TOGETHER = 32  # column sets numbered before they are written side by side
_CELLS = 16  # a table of parent groups by codes may have this many cells for each record


def table_bytes(records: int, distinct: I64) -> int:
    """Return how much memory the tables need for column sets with so many distinct values."""
    words = -(-records // 64)
    of_groups = 8 * int(distinct.sum())
    scratch = 4 * records * (_TOGETHER + _CELLS) * thread_count()
    return 4 * records * len(distinct) + of_groups + 8 * words * len(distinct) + scratch


class GroupTables:
    """The groups of some column sets, kept up to date while records are removed.

    ``wanted`` are the sets by their lexicographic indices, ``distinct`` how many distinct
    combinations each has, ``people`` how many records each row stands for, one if not given;
    together they are fewer than 2**32. The attributes ``followed``, ``distinct`` and ``bits`` are
    in the order of the tables: the column sets, how many distinct combinations each has now, and
    which rows are unique, bit ``i & 63`` of word ``i >> 6`` for row i.
    """

    def __init__(
        self,
        columns: Sequence[NDArray[Any]],
        levels: Sequence[int],
        size: int,
        wanted: I64,
        distinct: I64,
        people: I64 | None = None,
    ) -> None:
        announce_compiling(loops.tally)
        sets = column_sets(len(columns), size)[wanted]
        order = _alike_together(np.asarray(levels, dtype=np.int64)[sets], sets)
        sets = sets[order]
        self.rows = len(columns[0])
        self._people = np.asarray([] if people is None else people, dtype=np.uint32)
        self.followed: I64 = wanted[order]
        self.distinct: I64 = distinct[order]
        self._starts = np.concatenate([[0], np.cumsum(self.distinct)])
        self._ids = np.empty((self.rows, len(sets)), dtype=np.uint32)
        self._groups = np.zeros((int(self._starts[-1]), 2), dtype=np.uint32)
        self.bits: U64 = np.zeros((len(sets), -(-self.rows // 64)), dtype=np.uint64)
        plain = [np.asarray(codes, dtype=np.uint32) for codes in columns]
        blocks = [slice(at, at + _TOGETHER) for at in range(0, len(sets), _TOGETHER)]
        wave = 4 * thread_count()
        for at in track(range(0, len(blocks), wave), "Grouping records"):
            in_parallel(
                lambda block: self._number(plain, levels, sets, block), blocks[at : at + wave]
            )

    def _number(self, columns: list[U32], levels: Sequence[int], sets: I64, block: slice) -> None:
        """Give numbers to the groups of some column sets, and tally them."""
        indices = range(len(sets))[block]
        numbered = np.empty((len(indices), self.rows), dtype=np.uint32)
        cells = np.zeros(_CELLS * self.rows, dtype=np.uint32)
        known: tuple[int, ...] | None = None
        parents, count = np.empty(0, dtype=np.uint32), 0
        for ids, index in zip(numbered, indices, strict=True):
            # most values first, so that the last column splits few ways
            *first, last = sorted(sets[index].tolist(), key=lambda c: (-levels[c], c))
            if known != tuple(first):
                known = tuple(first)
                parents, count = _parents(columns, levels, first)
            if count * levels[last] <= len(cells):
                loops.split(parents, columns[last], levels[last], cells, ids)
            else:
                ids[:] = group_records([parents, columns[last]], [count, levels[last]]).ids
            loops.tally(ids, self._people, self._groups_of(index), self.bits[index])
        self._ids[:, block] = numbered.T

    def _groups_of(self, index: int) -> U32:
        groups: U32 = self._groups[self._starts[index] : self._starts[index + 1]]
        return groups

    def remove(self, rows: I64, times: I64 | None = None) -> None:
        """Remove rows, each once, or each so many times."""
        many = np.empty(0, dtype=np.int64) if times is None else times
        loops.remove(rows, many, self._ids, self._starts, self._groups, self.distinct, self.bits)

    def scores(self, weights: I64) -> I64:
        """Return for each row the sum of the weights of the column sets it is unique for."""
        total = np.zeros(64 * self.bits.shape[1], dtype=np.int64)
        loops.score(self.bits, weights, total)
        return total[: self.rows]

    def shares(self, chosen: I64) -> F64:
        """Return for each row the sum of 1 / size of its group over the chosen column sets.

        To be called before anything is removed.
        """
        share = np.empty(self.rows, dtype=np.float64)
        loops.group_shares(self._ids, self._starts, self._groups, chosen, share)
        return share

    def removable(self, removed: I64) -> I64:
        """Return how many values of each column set (column) can vanish by so many removals (row).

        To be called before anything is removed.
        """
        most = np.empty((len(self.distinct), len(removed)), dtype=np.int64)
        in_parallel(
            lambda index: loops.removable_groups(self._groups_of(index), removed, most[index]),
            range(len(most)),
        )
        return most.T


def _alike_together(levels: I64, sets: I64) -> I64:
    """Return an order in which column sets with the same first columns are neighbours.

    The columns with most values come first, as when groups are numbered.
    """
    most_first = np.take_along_axis(sets, np.argsort(-levels, axis=1, kind="stable"), axis=1)
    return np.lexsort(most_first.T[::-1])


def _parents(columns: list[U32], levels: Sequence[int], chosen: Sequence[int]) -> tuple[U32, int]:
    """Return the group of each record by some columns, and how many groups there are."""
    if not chosen:
        return np.zeros(len(columns[0]), dtype=np.uint32), 1
    if len(chosen) == 1:
        return columns[chosen[0]], levels[chosen[0]]
    grouped = group_records([columns[c] for c in chosen], [levels[c] for c in chosen])
    return grouped.ids, len(grouped.sizes)
