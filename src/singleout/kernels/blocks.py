"""Blocks of records that agree on the leading columns, as counting and flagging take them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.kernels import pair_loops
from singleout.kernels.group import group_records
from singleout.kernels.prepared import Prepared, Unit

__all__ = [
    "Blocks",
    "Scratch",
    "flat_units",
    "gathered_units",
    "one_block",
    "prefix_groups",
    "sorted_blocks",
]

_PAYS = 4  # records for each cell of a bundle, which has to be split up again

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]

_NOTHING = np.empty(0, dtype=np.uint32)


class Scratch:
    """Arrays to work in, made once and used again: fresh memory is slow to touch."""

    def __init__(self) -> None:
        self._arrays: dict[str, NDArray[Any]] = {}
        self._for_blocks: tuple[NDArray[Any], ...] = ()
        self._blocks_key = (0, 0)

    def for_blocks(self, table: Prepared, largest: int) -> tuple[NDArray[Any], ...]:
        """Return what the loops need to compare the rows of a block and to group them."""
        key = (id(table), largest)
        if self._blocks_key != key:
            most = max(256, int(table.levels[0]))
            self._for_blocks = (
                np.zeros(most, dtype=np.uint64),
                self.array("masks", table.width * pair_loops.SMALL, np.uint64),
                self.array("stamp", most),
                self.array("number", most, np.uint32),
                self.array("offsets", most),
                self.array("members", largest, np.uint32),
                self.array("bounds", max(largest, table.width) + 2),
            )
            self._blocks_key = key
        return self._for_blocks

    def array(self, name: str, size: int, kind: Any = np.int64) -> NDArray[Any]:
        """Return an array with at least so many elements; what is in it is not known."""
        found = self._arrays.get(name)
        if found is None or len(found) < size:
            found = np.empty(size, dtype=kind)  # not zeros: numpy gives those small pages
            self._arrays[name] = found
        return found


@dataclass(frozen=True, eq=False)
class Blocks:
    """Records in blocks, as the compiled loops take them.

    Parameters
    ----------
    rows, hot
        The codes and the bits of the records, block by block.
    starts
        Where each block starts; after their end, how many further records are alone, and how many
        records the largest block has.
    number
        How many blocks there are.
    small
        Up to how many records a block counts as small.
    numbers
        The group of each record; or, if the records are sorted, room for numbers: zeros for the
        largest block, then as much for each wide column.
    order
        The record of each row, then those alone; empty if nobody asks for it.
    """

    rows: U64
    hot: U64
    starts: I64
    number: int
    small: int
    numbers: U32
    order: U32

    @property
    def largest(self) -> int:
        """How many records the largest block has."""
        return int(self.starts[self.number + 2])

    def arguments(self, table: Prepared, scratch: Scratch) -> tuple[Any, ...]:
        """Return what the loops need to read the rows, and to group them by further columns."""
        return (
            self.rows.view(np.uint8),
            self.rows.view(np.uint16),
            8 * table.rows.shape[1],
            self.starts,
            self.number,
            self.small,
            table.wide,
            table.levels,
            table.byte_of,
            table.decode,
            self.hot,
            table.bits.words,
            self.numbers,
            *scratch.for_blocks(table, self.largest),
        )

    def cells(self, table: Prepared, units: Sequence[Unit]) -> int:
        """Return how many cells the units need at most."""
        cells = 0
        for unit in units:
            levels = int(table.levels[unit.first]) if unit.first < table.wide else 0
            cells += unit.cells + min(self.largest, levels)
        return cells


def one_block(table: Prepared, ids: U32) -> Blocks:
    """Return all records as they are, with groups inside."""
    starts = np.array([0, table.records, 0, table.records], dtype=np.int64)
    return Blocks(table.rows.reshape(-1), table.hot, starts, 1, 0, ids, _NOTHING)


def sorted_blocks(
    table: Prepared, ids: U32, groups: int, scratch: Scratch, *, ordered: bool
) -> Blocks:
    """Return the records sorted by group; with their order if it is asked for."""
    rows = scratch.array("rows", table.rows.size, np.uint64)
    hot = scratch.array("hot", table.hot.size, np.uint64)
    starts = scratch.array("starts", groups + 3)
    order = scratch.array("order", table.records, np.uint32) if ordered else _NOTHING
    number = pair_loops.sort_rows(
        ids, groups, table.rows.reshape(-1), table.hot, table.bits.words,
        scratch.array("place", groups), starts, rows, hot, order[: table.records],
    )  # fmt: skip
    # a small block needs room for a column, too
    largest = starts[number + 2] = max(int(starts[number + 2]), pair_loops.SMALL)
    numbers = scratch.array("numbers", (1 + max(table.wide, 1)) * largest, np.uint32)
    numbers[:largest] = 0
    return Blocks(rows, hot, starts, number, pair_loops.SMALL, numbers, order[: table.records])


def gathered_units(
    table: Prepared, first: int, groups: int, *, bundled: bool, room: int
) -> list[Unit]:
    """Return the columns and bundles b whose triples (prefix, b, c) are found without sorting.

    From the last on, as long as their cells find room and the records can pay for them.
    """
    found: list[Unit] = []
    records, words_after = table.records, table.bits.words_after
    for bundle in reversed(table.bundle_units):
        if bundle.end <= first:
            break
        parts = [bundle]
        if not bundled or bundle.first < first or _PAYS * groups * bundle.factor > records:
            parts = table.column_units[max(bundle.first, first) : bundle.end][::-1]
        for byte, means, factor, _, begin, end, region in parts:
            cells = groups * factor
            room -= cells * min(4, words_after[begin])
            if room < 0 or cells > records:
                return found[::-1]
            found.append(Unit(byte, means, factor, cells, begin, end, region))
    return found[::-1]


def flat_units(units: Sequence[Unit]) -> I64:
    """Return units as the loops take them."""
    return np.array(units, dtype=np.int64).reshape(-1)


def prefix_groups(table: Prepared, prefix: tuple[int, ...], scratch: Scratch) -> tuple[U32, int]:
    """Return the group of each record by the columns of the prefix, and how many there are."""
    if not prefix:
        return np.zeros(table.records, dtype=np.uint32), 1
    if len(prefix) == 1:
        levels = int(table.levels[prefix[0]])
        if prefix[0] < table.wide:
            return table.wide_codes[prefix[0]], levels
        ids = scratch.array("ids", table.records, np.uint32)[: table.records]
        ids[:] = table.narrow_codes[prefix[0] - table.wide]
        return ids, levels
    found = group_records(
        [table.codes(position) for position in prefix],
        [int(table.levels[position]) for position in prefix],
    )
    return found.ids, len(found.sizes)
