"""Blocks of records that agree on the leading columns, for counting and for flagging."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64, U8, U16, U32, U64
from singleout.kernels.distinct import bit_loops, pair_loops
from singleout.kernels.distinct.packing import CountedUnit, Packing
from singleout.kernels.distinct.prepared import Prepared, Scratch
from singleout.kernels.grouping.group import group_records

__all__ = [
    "Blocks",
    "cells_of",
    "flat_units",
    "gathered_units",
    "one_block",
    "prefix_groups",
    "sorted_blocks",
    "units_in_blocks",
]

_PAYS = 4  # records for each cell of a bundle, which has to be split up again

_NOTHING = np.empty(0, dtype=np.uint32)
_NO_BITS = np.empty(0, dtype=np.uint64)
_NO_HALVES = np.empty(0, dtype=np.uint16)


class Blocks(NamedTuple):
    """Records in blocks, in arrays for the compiled loops.

    ``starts`` ends with how many further records are alone, and the size of the largest block. If
    the records are sorted, ``numbers`` is room for numbers: zeros for the largest block, then as
    much for each wide column.
    """

    codes: U8  # of the records, block by block
    stride: int  # from one record to the next
    bundle_at: I64  # the index of each bundle for the first record
    halves: U16  # the same codes as pairs of bytes, if they are rows
    hot: U64  # the bits of the records, if they are kept
    starts: I64  # where each block starts
    number: int  # of blocks
    largest: int  # how many records the largest block has
    small: int  # up to how many records a block counts as small
    numbers: U32  # the group of each record
    order: U32  # the record of each row, then those alone; empty if not asked for

    def arguments(self, table: Prepared, scratch: Scratch) -> tuple[Any, ...]:
        """Return what loops need to read the rows, and to group them by further columns."""
        packing = table.packing
        return (
            self.codes, self.halves, self.stride, self.starts, self.number, self.small,
            packing.wide, packing.levels, packing.byte_of, packing.decode, self.bundle_at,
            *packing.code_bits, self.hot, *_nearby(scratch), self.numbers,
            *_room(packing, self.largest, scratch),
        )  # fmt: skip


def _nearby(scratch: Scratch) -> tuple[NDArray[Any], ...]:
    """Return room for the bits and the cells of a chunk of records."""
    if "nearby" not in scratch.cached:
        scratch.cached["nearby"] = (
            np.empty(4 * bit_loops.CHUNK, dtype=np.uint64),
            np.empty(bit_loops.CHUNK, dtype=np.uint32),
        )
    return scratch.cached["nearby"]


def _room(packing: Packing, largest: int, scratch: Scratch) -> tuple[NDArray[Any], ...]:
    """Return room to compare the rows of a block and to group them."""
    if largest not in scratch.cached:
        most = max(256, int(packing.levels[0]))
        scratch.cached[largest] = (
            np.zeros(most, dtype=np.uint64),
            scratch.array("masks", len(packing.levels) * pair_loops.SMALL, np.uint64),
            scratch.array("stamp", most),
            scratch.array("number", most, np.uint32),
            scratch.array("offsets", most),
            scratch.array("members", largest, np.uint32),
            scratch.array("bounds", max(largest, len(packing.levels)) + 2),
        )
    return scratch.cached[largest]


def cells_of(packing: Packing, units: Sequence[CountedUnit], largest: int) -> int:
    """Return how many cells units need at most, in blocks of up to so many records."""
    cells = 0
    for unit in units:
        levels = int(packing.levels[unit.first]) if unit.first < packing.wide else 0
        cells += unit.cells + min(largest, levels)
    return cells


def one_block(table: Prepared, ids: U32) -> Blocks:
    """Return all records in their order as one block with groups inside."""
    records = table.records
    starts = np.array([0, records, 0, records], dtype=np.int64)
    return Blocks(
        table.packed.bundled, 1, table.bundle_starts, _NO_HALVES, table.packed.hot, starts, 1,
        records, 0, ids, _NOTHING,
    )  # fmt: skip


def sorted_blocks(
    table: Prepared, ids: U32, groups: int, scratch: Scratch, *, ordered: bool
) -> Blocks:
    """Return the records sorted by group; with their order if it is asked for."""
    rows = scratch.array("rows", table.packed.rows.size, np.uint64)
    starts = scratch.array("starts", groups + 3)
    order = scratch.array("order", table.records, np.uint32) if ordered else _NOTHING
    number = pair_loops.sort_rows(
        ids, groups, table.packed.rows.reshape(-1), scratch.array("next_row", groups), starts, rows,
        order[: table.records],
    )  # fmt: skip
    # a small block needs room for a column, too
    largest = starts[number + 2] = max(int(starts[number + 2]), pair_loops.SMALL)
    numbers = scratch.array("numbers", (1 + max(table.packing.wide, 1)) * largest, np.uint32)
    numbers[:largest] = 0
    return Blocks(
        rows.view(np.uint8), table.packing.row_bytes, table.packing.bundle_bytes,
        rows.view(np.uint16), _NO_BITS, starts, number, largest, pair_loops.SMALL, numbers,
        order[: table.records],
    )  # fmt: skip


class Gathered(NamedTuple):
    """The columns and bundles b whose triples (prefix, b, c) are counted without sorting."""

    units: tuple[CountedUnit, ...]
    flat: I64  # the units as one array for the loops
    first: int  # the first column of all
    cells: int  # how many cells the units need


@lru_cache(maxsize=1 << 10)
def gathered_units(
    packing: Packing, records: int, first: int, groups: int, *, bundled: bool, room: int
) -> Gathered:
    """Return the units to gather: from the last on, as long as there is room for their cells.

    A bundle is taken apart if it has too many cells for the number of records.
    """
    gathered: list[CountedUnit] = []
    words_after = packing.bits.words_after
    total = 0
    for bundle in reversed(packing.bundle_units):
        if bundle.end <= first:
            break
        parts = [bundle]
        if not bundled or bundle.first < first or _PAYS * groups * bundle.factor > records:
            parts = packing.column_units[max(bundle.first, first) : bundle.end][::-1]
        for part in parts:
            cells = groups * part.factor
            room -= cells * min(4, words_after[part.first])
            if room < 0 or cells > records:
                break
            total += cells
            gathered.append(part._replace(cells=cells))
        else:
            continue
        break
    units = tuple(gathered[::-1])
    last = units[0].first if units else len(packing.levels) - 1
    return Gathered(units, flat_units(units), last, total)


def units_in_blocks(
    packing: Packing, first: int, last: int
) -> tuple[list[CountedUnit], list[CountedUnit]]:
    """Return the columns of a range as units for blocks of few records and, bundled, of many."""
    bundles = [unit for unit in packing.bundle_units if unit.first < last and unit.end > first]
    wide = packing.column_units[first : min(packing.wide, last)]
    return packing.column_units[first:last], wide + bundles


def flat_units(units: Sequence[CountedUnit]) -> I64:
    """Return units as one array for the loops."""
    return np.array(units, dtype=np.int64).reshape(-1)


def prefix_groups(table: Prepared, prefix: tuple[int, ...], scratch: Scratch) -> tuple[U32, int]:
    """Return the group of each record by the columns of the prefix, and how many there are."""
    if not prefix:
        return np.zeros(table.records, dtype=np.uint32), 1
    if len(prefix) == 1:
        ids = scratch.array("ids", table.records, np.uint32)[: table.records]
        ids[:] = table.unpacked[prefix[0]]
        return ids, int(table.levels[prefix[0]])
    grouped = group_records(
        [table.codes(position) for position in prefix],
        [int(table.levels[position]) for position in prefix],
    )
    return grouped.ids, len(grouped.sizes)
