"""Group records that share a combination of codes: the base of everything that counts.

Codes of several columns are packed into one 64-bit key. Few possible keys are counted in a dense
table; many are mixed, spread over partitions that fit the cache, and counted there by hashing.
Where the columns do not fit into 64 bits, they are taken a few at a time: a record that is already
alone needs no further look, and the others go on with their group's number instead of the columns
done so far.

The answer is exact (keys are compared, not only hashes) and the same for any number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64, U32, U64
from singleout.kernels.grouping import loops
from singleout.kernels.threads import in_parallel, slices

__all__ = ["GROUPING", "Groups", "group_records", "group_sizes"]

_BLOCK = 1 << 15  # records packed at a time, so that their keys stay in the cache
_PIECE = 1 << 18  # fewer records than this are not worth a thread
_DENSE = 1 << 22  # largest dense table, in cells
_PARTITION = 1 << 12  # records aimed at in a partition
_PARTITION_BITS = 11  # more partitions than this thrash the cache while spreading

GROUPING = (loops.pack, loops.pack_rows)  # one of them is compiled for a first grouping

Columns = Sequence[NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Groups:
    """Records grouped by what they share."""

    ids: U32  # the group of each record, numbered from 0
    sizes: I64  # how many records each group has
    first: U32  # the first record of each group


def group_sizes(columns: Columns, levels: Sequence[int]) -> I64:
    """Return how many records share each combination of codes that occurs.

    There must be at least one column; ``levels`` is for each column a number above its largest
    code.
    """
    columns, levels = _most_values_first(columns, levels)
    if prod(levels) <= 1 << 64:
        return _sizes(_Keys(columns, levels))
    alone, _, keys = _refined(columns, levels)
    rest = np.empty(0, dtype=np.int64) if keys is None else _sizes(keys)
    return np.concatenate([np.ones(len(alone), dtype=np.int64), rest])


def _sizes(keys: _Keys) -> I64:
    if keys.are_few:
        table = _dense_table(keys, None)
        occupied: U32 = table[table != 0]
        return occupied.astype(np.int64)
    return _Partitions(keys, with_rows=False).sizes()


def group_records(columns: Columns, levels: Sequence[int]) -> Groups:
    """Return the group of each record, with the size and the first record of each group."""
    columns, levels = _most_values_first(columns, levels)
    if prod(levels) <= 1 << 64:
        return _grouped(_Keys(columns, levels))
    alone, rows, keys = _refined(columns, levels)
    ids = np.empty(len(columns[0]), dtype=np.uint32)
    ids[alone] = np.arange(len(alone), dtype=np.uint32)
    sizes, first = np.ones(len(alone), dtype=np.int64), alone
    if keys is not None:
        grouped = _grouped(keys)
        ids[rows] = grouped.ids + np.uint32(len(alone))
        sizes = np.concatenate([sizes, grouped.sizes])
        first = np.concatenate([alone, rows[grouped.first]])
    return Groups(ids, sizes, first)


def _most_values_first(
    columns: Columns, levels: Sequence[int]
) -> tuple[list[NDArray[Any]], list[int]]:
    """Return the columns with most values first: they single out most records soonest."""
    order = sorted(range(len(levels)), key=lambda c: -levels[c])
    return [columns[c] for c in order], [levels[c] for c in order]


def _fitting(levels: Sequence[int], groups: int) -> int:
    """Return how many columns fit into a 64-bit key beside the number of a group."""
    space, taken = groups, 0
    while taken < len(levels) and space * levels[taken] <= 1 << 64:
        space *= levels[taken]
        taken += 1
    return taken


def _blocks(part: slice) -> Iterator[slice]:
    for begin in range(part.start, part.stop, _BLOCK):
        yield slice(begin, min(begin + _BLOCK, part.stop))


class _Keys:
    """One 64-bit key for each record, made when asked for.

    With ``rows``, for some records only; with ``parents``, their numbers among ``groups`` groups
    stand for the columns done before.
    """

    def __init__(
        self,
        columns: Columns,
        levels: Sequence[int],
        rows: U32 | None = None,
        parents: U32 | None = None,
        groups: int = 1,
    ) -> None:
        self._columns = list(zip(columns, levels, strict=True))
        self._rows = rows
        self._parents = parents
        self.records = len(columns[0]) if rows is None else len(rows)
        self.space = groups * prod(levels)

    @property
    def are_few(self) -> bool:
        """Whether a table with a cell for every possible key is worth its memory."""
        return self.space <= min(_DENSE, max(self.records, 1 << 12))

    def write(self, block: slice, keys: U64) -> None:
        """Write the keys of a block of records."""
        keys[:] = 0 if self._parents is None else self._parents[block]
        for codes, levels in self._columns:
            if self._rows is None:
                loops.pack(keys, codes[block], levels)
            else:
                loops.pack_rows(keys, self._rows[block], codes, levels)


def _grouped(keys: _Keys) -> Groups:
    if not keys.are_few:
        return _Partitions(keys, with_rows=True).groups()
    packed = np.empty(keys.records, dtype=np.uint64)
    table = _dense_table(keys, packed)
    occupied = np.flatnonzero(table)
    number_of = np.empty(keys.space, dtype=np.uint32)
    number_of[occupied] = np.arange(len(occupied), dtype=np.uint32)
    ids = np.empty(keys.records, dtype=np.uint32)
    in_parallel(
        lambda part: loops.number_cells(packed[part], number_of, ids[part]),
        slices(keys.records, _PIECE),
    )
    first = np.empty(len(occupied), dtype=np.uint32)
    loops.find_first(ids, first)
    return Groups(ids, table[occupied].astype(np.int64), first)


def _dense_table(keys: _Keys, keep: U64 | None) -> U32:
    """Return how often each key occurs, and write the keys to ``keep`` if it is not None."""

    def count(part: slice) -> U32:
        table = np.zeros(keys.space, dtype=np.uint32)
        buffer = np.empty(_BLOCK, dtype=np.uint64)
        for block in _blocks(part):
            packed = buffer[: block.stop - block.start] if keep is None else keep[block]
            keys.write(block, packed)
            loops.count_cells(packed, table)
        return table

    tables = in_parallel(count, slices(keys.records, max(_PIECE, keys.space)))
    total = tables[0]
    for table in tables[1:]:
        total += table
    return total


class _Partitions:
    """Keys spread over partitions by their mixed bits, each small enough for the cache."""

    def __init__(self, keys: _Keys, *, with_rows: bool) -> None:
        self.records = records = keys.records
        self.bits = min(_PARTITION_BITS, max(1, (records // _PARTITION).bit_length()))
        shift = 64 - self.bits
        pieces = slices(records, _PIECE)
        mixed = np.empty(records, dtype=np.uint64)
        histograms = np.zeros((len(pieces), 1 << self.bits), dtype=np.int64)

        def mix(piece: int) -> None:
            for block in _blocks(pieces[piece]):
                keys.write(block, mixed[block])
                loops.spread(mixed[block], shift, histograms[piece])

        in_parallel(mix, range(len(pieces)))
        self.starts = np.zeros((1 << self.bits) + 1, dtype=np.int64)
        np.cumsum(histograms.sum(axis=0), out=self.starts[1:])
        # within a partition the pieces follow each other, so records keep their order
        next_free = self.starts[:-1] + np.cumsum(histograms, axis=0) - histograms
        self.keys = np.empty(records, dtype=np.uint64)
        self.rows = np.empty(records if with_rows else 0, dtype=np.uint32)

        def scatter(piece: int) -> None:
            part = pieces[piece]
            if with_rows:
                loops.scatter_keys_and_rows(
                    mixed[part], part.start, shift, next_free[piece], self.keys, self.rows
                )
            else:
                loops.scatter_keys(mixed[part], shift, next_free[piece], self.keys)

        in_parallel(scatter, range(len(pieces)))

    def _runs(self) -> list[slice]:
        """Cut the partitions into one run per thread with about the same number of records."""
        edges = [part.start for part in slices(self.records, _PIECE)]
        cuts = [*np.searchsorted(self.starts[:-1], edges).tolist(), len(self.starts) - 1]
        return [slice(a, b) for a, b in pairwise(cuts)]

    def _scratch(self) -> tuple[U64, U32]:
        """Return an empty hash table that has room for the largest partition."""
        largest = int(np.diff(self.starts).max())
        slots = max(16, 1 << (2 * largest - 1).bit_length())
        return np.empty(slots, dtype=np.uint64), np.zeros(slots, dtype=np.uint32)

    def sizes(self) -> I64:
        """Return the size of each group."""
        sizes = np.empty(self.records, dtype=np.uint32)
        counts = np.zeros(len(self.starts) - 1, dtype=np.int64)

        def count(run: slice) -> None:
            starts = self.starts[run.start : run.stop + 1]
            slots, filled = self._scratch()
            loops.count_partitions(self.keys, starts, self.bits, slots, filled, sizes, counts[run])

        in_parallel(count, self._runs())
        return self._heads(sizes, counts).astype(np.int64)

    def groups(self) -> Groups:
        """Return the group of each record, with the size and the first record of each group."""
        sizes, first, local, ids = (np.empty(self.records, dtype=np.uint32) for _ in range(4))
        counts = np.zeros(len(self.starts) - 1, dtype=np.int64)
        runs = self._runs()

        def number(run: slice) -> None:
            starts = self.starts[run.start : run.stop + 1]
            slots, filled = self._scratch()
            loops.number_partitions(
                self.keys, self.rows, starts, self.bits, slots, filled,
                local, sizes, first, counts[run],
            )  # fmt: skip

        in_parallel(number, runs)
        base = np.cumsum(counts) - counts

        def write(run: slice) -> None:
            starts = self.starts[run.start : run.stop + 1]
            loops.write_numbers(self.rows, local, starts, base[run], ids)

        in_parallel(write, runs)
        return Groups(ids, self._heads(sizes, counts).astype(np.int64), self._heads(first, counts))

    def _heads(self, values: U32, counts: I64) -> U32:
        """Return the values of the groups, which stand at the head of each partition."""
        heads = zip(self.starts[:-1].tolist(), counts.tolist(), strict=True)
        return np.concatenate([values[start : start + count] for start, count in heads])


def _refined(columns: Columns, levels: Sequence[int]) -> tuple[U32, U32, _Keys | None]:
    """Take more columns than fit into a key a few at a time, up to the last few.

    Return the records found to be alone on the way, the others, and the keys that tell these apart;
    no keys if there are none left.
    """
    taken = _fitting(levels, 1)
    keys = _Keys(columns[:taken], levels[:taken])
    rows = np.arange(keys.records, dtype=np.uint32)  # the records not yet known to be alone
    alone: list[U32] = []
    while taken < len(columns):
        grouped = _grouped(keys)
        shared = grouped.sizes > 1
        alone.append(rows[grouped.first[~shared]])
        groups = int(shared.sum())
        number_of = np.where(shared, np.cumsum(shared) - 1, len(shared)).astype(np.uint32)
        parents, shared_rows = np.empty((2, len(rows) - len(alone[-1])), dtype=np.uint32)
        loops.keep_shared(grouped.ids, rows, number_of, parents, shared_rows)
        rows = shared_rows
        if groups == 0:
            return np.concatenate(alone), rows, None
        part = slice(taken, taken + _fitting(levels[taken:], groups))
        keys = _Keys(columns[part], levels[part], rows, parents, groups)
        taken = part.stop
    return np.concatenate(alone), rows, keys
