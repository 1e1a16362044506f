"""Blocks of records that agree on the leading columns, as counting and flagging take them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64, U8, U16, U32, U64
from singleout.kernels.distinct import pair_loops
from singleout.kernels.distinct.prepared import Plan, Prepared, Unit
from singleout.kernels.grouping.group import group_records
from singleout.kernels.scratch import Scratch

__all__ = [
    "Blocks",
    "Gathered",
    "cells_of",
    "flat_units",
    "gathered_units",
    "one_block",
    "prefix_groups",
    "sorted_blocks",
]

_PAYS = 4  # records for each cell of a bundle, which has to be split up again


_NOTHING = np.empty(0, dtype=np.uint32)
_NO_BITS = np.empty(0, dtype=np.uint64)
_NO_HALVES = np.empty(0, dtype=np.uint16)


class Blocks(NamedTuple):
    """Records in blocks, as the compiled loops take them.

    Parameters
    ----------
    codes, stride, bundle_at
        The codes of the records, block by block: how far it is from one record to the next, and
        where the first has each bundle.
    halves
        The same codes in twos of bytes, if they are rows.
    hot
        The bits of the records, if they are kept.
    starts
        Where each block starts; after their end, how many further records are alone, and how many
        records the largest block has.
    number, largest
        How many blocks there are, and how many records the largest has.
    small
        Up to how many records a block counts as small.
    numbers
        The group of each record; or, if the records are sorted, room for numbers: zeros for the
        largest block, then as much for each wide column.
    order
        The record of each row, then those alone; empty if nobody asks for it.
    """

    codes: U8
    stride: int
    bundle_at: I64
    halves: U16
    hot: U64
    starts: I64
    number: int
    largest: int
    small: int
    numbers: U32
    order: U32

    def arguments(self, table: Prepared, scratch: Scratch) -> tuple[Any, ...]:
        """Return what the loops need to read the rows, and to group them by further columns."""
        plan = table.plan
        return (
            self.codes,
            self.halves,
            self.stride,
            self.starts,
            self.number,
            self.small,
            plan.wide,
            plan.levels,
            plan.byte_of,
            plan.decode,
            self.bundle_at,
            *plan.lit,
            self.hot,
            *_nearby(scratch),
            self.numbers,
            *_room(plan, self.largest, scratch),
        )


def _nearby(scratch: Scratch) -> tuple[NDArray[Any], ...]:
    """Return room for the bits and the cells of a few records."""
    if "nearby" not in scratch.cached:
        scratch.cached["nearby"] = (
            np.empty(4 * pair_loops.CHUNK, dtype=np.uint64),
            np.empty(pair_loops.CHUNK, dtype=np.uint32),
        )
    return scratch.cached["nearby"]


def _room(plan: Plan, largest: int, scratch: Scratch) -> tuple[NDArray[Any], ...]:
    """Return what the loops need to compare the rows of a block and to group them."""
    if largest not in scratch.cached:
        most = max(256, int(plan.levels[0]))
        scratch.cached[largest] = (
            np.zeros(most, dtype=np.uint64),
            scratch.array("masks", len(plan.levels) * pair_loops.SMALL, np.uint64),
            scratch.array("stamp", most),
            scratch.array("number", most, np.uint32),
            scratch.array("offsets", most),
            scratch.array("members", largest, np.uint32),
            scratch.array("bounds", max(largest, len(plan.levels)) + 2),
        )
    return scratch.cached[largest]


def cells_of(plan: Plan, units: Sequence[Unit], largest: int) -> int:
    """Return how many cells units need at most, in blocks of up to so many records."""
    cells = 0
    for unit in units:
        levels = int(plan.levels[unit.first]) if unit.first < plan.wide else 0
        cells += unit.cells + min(largest, levels)
    return cells


def one_block(table: Prepared, ids: U32) -> Blocks:
    """Return all records as they are, with groups inside."""
    records = table.records
    starts = np.array([0, records, 0, records], dtype=np.int64)
    return Blocks(
        table.laid.bundled, 1, table.bundle_starts, _NO_HALVES, table.laid.hot, starts, 1, records,
        0, ids, _NOTHING,
    )  # fmt: skip


def sorted_blocks(
    table: Prepared, ids: U32, groups: int, scratch: Scratch, *, ordered: bool
) -> Blocks:
    """Return the records sorted by group; with their order if it is asked for."""
    rows = scratch.array("rows", table.laid.rows.size, np.uint64)
    starts = scratch.array("starts", groups + 3)
    order = scratch.array("order", table.records, np.uint32) if ordered else _NOTHING
    number = pair_loops.sort_rows(
        ids, groups, table.laid.rows.reshape(-1), scratch.array("place", groups), starts, rows,
        order[: table.records],
    )  # fmt: skip
    # a small block needs room for a column, too
    largest = starts[number + 2] = max(int(starts[number + 2]), pair_loops.SMALL)
    numbers = scratch.array("numbers", (1 + max(table.plan.wide, 1)) * largest, np.uint32)
    numbers[:largest] = 0
    return Blocks(
        rows.view(np.uint8), table.plan.row_bytes, table.plan.bundle_bytes, rows.view(np.uint16),
        _NO_BITS, starts, number, largest, pair_loops.SMALL, numbers, order[: table.records],
    )  # fmt: skip


class Gathered(NamedTuple):
    """The columns and bundles b whose triples (prefix, b, c) are found without sorting.

    Parameters
    ----------
    units, flat
        They, and as the loops take them.
    first
        The first column of all.
    cells
        How many cells they need.
    """

    units: tuple[Unit, ...]
    flat: I64
    first: int
    cells: int


@lru_cache(maxsize=1 << 10)
def gathered_units(
    plan: Plan, records: int, first: int, groups: int, *, bundled: bool, room: int
) -> Gathered:
    """Return what can be gathered: from the last on, as long as the cells find room.

    A bundle is taken apart if the records cannot pay for its cells.
    """
    found: list[Unit] = []
    words_after = plan.bits.words_after
    total = 0
    for bundle in reversed(plan.bundle_units):
        if bundle.end <= first:
            break
        parts = [bundle]
        if not bundled or bundle.first < first or _PAYS * groups * bundle.factor > records:
            parts = plan.column_units[max(bundle.first, first) : bundle.end][::-1]
        for part in parts:
            cells = groups * part.factor
            room -= cells * min(4, words_after[part.first])
            if room < 0 or cells > records:
                break
            total += cells
            found.append(part._replace(cells=cells))
        else:
            continue
        break
    units = tuple(found[::-1])
    last = units[0].first if units else len(plan.levels) - 1
    return Gathered(units, flat_units(units), last, total)


def flat_units(units: Sequence[Unit]) -> I64:
    """Return units as the loops take them."""
    return np.array(units, dtype=np.int64).reshape(-1)


def prefix_groups(table: Prepared, prefix: tuple[int, ...], scratch: Scratch) -> tuple[U32, int]:
    """Return the group of each record by the columns of the prefix, and how many there are."""
    if not prefix:
        return np.zeros(table.records, dtype=np.uint32), 1
    if len(prefix) == 1:
        ids = scratch.array("ids", table.records, np.uint32)[: table.records]
        ids[:] = table.given[prefix[0]]
        return ids, int(table.levels[prefix[0]])
    found = group_records(
        [table.codes(position) for position in prefix],
        [int(table.levels[position]) for position in prefix],
    )
    return found.ids, len(found.sizes)
