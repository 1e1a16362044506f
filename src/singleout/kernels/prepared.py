"""A table laid out for counting many column sets: by column, by row, and in bundles.

Columns are taken with most values first. Those with up to 256 values are kept in one byte, the
others in four. Adjacent columns with few values are also kept together as one, a *bundle*, so that
one pass over the records serves several column sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Prepared", "prepare"]

_BYTE = 256

U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table laid out for counting many column sets.

    Parameters
    ----------
    columns
        The original column at each position, most values first.
    levels
        How many values the column at each position has.
    wide
        How many of the first positions have more than 256 values.
    wide_codes, narrow_codes
        The codes by column: the wide ones, then the others.
    rows
        The codes by record, in words of eight bytes: four bytes for each wide column, then one for
        each of the others.
    bundle_codes, bundle_levels, bundle_edges
        Adjacent narrow columns as one: codes, how many values, first position and end.
    """

    columns: I64
    levels: I64
    wide: int
    wide_codes: U32
    narrow_codes: U8
    rows: U64
    bundle_codes: U8
    bundle_levels: I64
    bundle_edges: I64

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.rows.shape[0]

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.levels)

    def codes(self, position: int) -> U32:
        """Return the codes of one column in four bytes."""
        if position < self.wide:
            return self.wide_codes[position]
        return self.narrow_codes[position - self.wide].astype(np.uint32)


def prepare(columns: Sequence[NDArray[Any]], levels: Sequence[int]) -> Prepared:
    """Lay out a table; each column's codes must be below its number of levels."""
    order = np.argsort(-np.asarray(levels, dtype=np.int64), kind="stable")
    ordered = np.asarray(levels, dtype=np.int64)[order]
    wide = int((ordered > _BYTE).sum())
    records = len(columns[0])
    wide_codes = np.empty((wide, records), dtype=np.uint32)
    narrow_codes = np.empty((len(order) - wide, records), dtype=np.uint8)
    for position, column in enumerate(order.tolist()):
        if position < wide:
            wide_codes[position] = columns[column]
        else:
            narrow_codes[position - wide] = columns[column]
    rows = _by_row(wide_codes, narrow_codes)
    bundles, sizes, edges = _bundles(narrow_codes, ordered, wide)
    return Prepared(order, ordered, wide, wide_codes, narrow_codes, rows, bundles, sizes, edges)


def _by_row(wide_codes: U32, narrow_codes: U8) -> U64:
    wide, records = wide_codes.shape
    width = 4 * wide + len(narrow_codes)
    words = max(1, -(-width // 8))
    packed = np.zeros((records, 8 * words), dtype=np.uint8)
    for begin in range(0, records, 1 << 12):  # in blocks, so that the rows stay in the cache
        block = slice(begin, begin + (1 << 12))
        for column in range(wide):
            packed.view(np.uint32)[block, column] = wide_codes[column, block]
        packed[block, 4 * wide : width] = narrow_codes[:, block].T
    return packed.view(np.uint64)


def _bundles(narrow_codes: U8, levels: I64, wide: int) -> tuple[U8, I64, I64]:
    """Put adjacent narrow columns together while their combinations fit into a byte."""
    edges, sizes = [], []
    begin = wide
    while begin < len(levels):
        end, size = begin + 1, int(levels[begin])
        while end < len(levels) and size * int(levels[end]) <= _BYTE:
            size *= int(levels[end])
            end += 1
        edges.append((begin, end))
        sizes.append(size)
        begin = end
    codes = np.zeros((len(edges), narrow_codes.shape[1]), dtype=np.uint8)
    for bundle, (begin, end) in enumerate(edges):
        for position in range(begin, end):
            if position > begin:
                codes[bundle] *= np.uint8(levels[position])
            codes[bundle] += narrow_codes[position - wide]
    return (
        codes,
        np.array(sizes, dtype=np.int64),
        np.array(edges, dtype=np.int64).reshape(-1, 2),
    )
