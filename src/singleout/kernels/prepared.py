"""A table laid out for counting many column sets: by column, by row, and in bits.

Columns are taken with most values first. Those with up to 256 values are *narrow*: neighbours among
them are bundled as long as their combinations fit into one byte, and each of their values has a bit
of its own, so that one pass over the records serves all of them. The others are *wide*, with a
number of two bytes, or two such numbers beyond 65,536 values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from singleout.kernels.bits import load

__all__ = ["TOGETHER", "Bits", "Prepared", "Unit", "prepare", "record_bytes"]

_BYTE = 256
_HALF = 1 << 16
TOGETHER = 256  # bits that are looked at together: a column must not straddle them
_ROWS = 1 << 9  # laid out at a time
_SLACK = 4  # words beyond the end, since four are read at a time

U8 = NDArray[np.uint8]
U16 = NDArray[np.uint16]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]


class Unit(NamedTuple):
    """What is put together at a time: a column, or a bundle of narrow columns.

    Parameters
    ----------
    byte
        Where a row has its code.
    means
        Where its codes are decoded.
    factor
        How many codes there are for each group.
    cells
        How many cells it needs, one for each group and code; for a wide column it depends on the
        block.
    first, end
        Its first column and the one after its last.
    region
        Which of the numbers of the records are their groups.
    """

    byte: int
    means: int
    factor: int
    cells: int
    first: int
    end: int
    region: int


@dataclass(frozen=True, eq=False)
class Bits:
    """Where the bits of the narrow columns are: those of the last column come first.

    Parameters
    ----------
    bit_of
        The first bit of the column at each position; for a wide one, the end of all bits. So the
        columns after a position have bits below this one.
    word_of, mask_of, column_of
        Pieces of columns that lie in one word: the word, which of its bits, and the column; in the
        order of the bits.
    pieces_after
        How many of these belong to the columns after each position.
    """

    bit_of: I64
    word_of: I64
    mask_of: U64
    column_of: I64
    pieces_after: I64

    @property
    def words(self) -> int:
        """How many words a record has."""
        return 1 + int(self.word_of[-1]) if len(self.word_of) else 1

    @cached_property
    def words_after(self) -> list[int]:
        """How many words the columns after each position have."""
        return [-(-bit // 64) for bit in self.bit_of.tolist()]

    @cached_property
    def column_of_bit(self) -> I64:
        """The column of each bit."""
        found = np.zeros(64 * self.words, dtype=np.int64)
        for column in np.unique(self.column_of)[::-1].tolist():
            found[self.bit_of[column] :] = column
        return found


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
    bundles
        The bundles of narrow columns: their first position, the one after their last, and how many
        combinations there are.
    byte_of
        Where a row has the column at each position: the byte of its bundle, or for wide columns
        the first byte of their own.
    decode
        For each position 256 bytes: the code of the column for each code of its bundle; then 256
        that are their own place, then 256 zeros.
    rows
        The codes by record, in pairs of words.
    bits
        Where the bits are.
    hot
        The bits by record, one after the other: in each column exactly one is set, that of its
        code. A few words more than that.
    """

    columns: I64
    levels: I64
    wide: int
    wide_codes: U32
    narrow_codes: U8
    bundles: list[tuple[int, int, int]]
    byte_of: I64
    decode: U8
    rows: U64
    bits: Bits
    hot: U64

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.rows.shape[0]

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.levels)

    @cached_property
    def bundle_units(self) -> list[Unit]:
        """The bundles as units."""
        means = _BYTE * self.width
        return [
            Unit(int(self.byte_of[first]), means, many, many, first, end, 0)
            for first, end, many in self.bundles
        ]

    @cached_property
    def column_units(self) -> list[Unit]:
        """The columns as units; the groups of wide ones are their numbers within a block."""
        bytes_ = self.byte_of.tolist()
        return [
            Unit(0, _BYTE * (self.width + 1), 1, 0, column, column + 1, 1 + column)
            if column < self.wide
            else Unit(bytes_[column], _BYTE * column, many, many, column, column + 1, 0)
            for column, many in enumerate(self.levels.tolist())
        ]

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
    bundles = _bundles(ordered.tolist(), wide)
    byte_of, row_bytes = _bytes(ordered, wide, bundles)
    rows = np.empty((records, row_bytes // 8), dtype=np.uint64)
    bits = _bits(ordered, wide)
    hot = np.empty(records * bits.words + _SLACK, dtype=np.uint64)
    _lay_out(
        wide_codes.reshape(-1), narrow_codes.reshape(-1), ordered, wide, byte_of, bits.bit_of,
        bits.words, rows.reshape(-1).view(np.uint16), rows.reshape(-1).view(np.uint8), hot,
    )  # fmt: skip
    decode = _decode(ordered, bundles)
    return Prepared(
        order, ordered, wide, wide_codes, narrow_codes, bundles, byte_of, decode, rows, bits, hot
    )


def record_bytes(levels: Sequence[int]) -> tuple[int, int]:
    """Return how many bytes a record takes when laid out, and how many more in each thread.

    A thread has the rows and the bits again in another order, with the record and the group of
    each.
    """
    ordered = np.sort(np.asarray(levels, dtype=np.int64))[::-1]
    wide = int((ordered > _BYTE).sum())
    _, row = _bytes(ordered, wide, _bundles(ordered.tolist(), wide))
    both = row + 8 * _bits(ordered, wide).words
    return 4 * wide + len(ordered) - wide + both, both + 8


def _bundles(levels: list[int], wide: int) -> list[tuple[int, int, int]]:
    """Put neighbours together as long as their combinations fit into a byte."""
    found = []
    first = wide
    while first < len(levels):
        end = first + 1
        while end < len(levels) and prod(levels[first : end + 1]) <= _BYTE:
            end += 1
        found.append((first, end, prod(levels[first:end])))
        first = end
    return found


def _bytes(levels: I64, wide: int, bundles: list[tuple[int, int, int]]) -> tuple[I64, int]:
    """Return where a row has each column, and how many bytes it has: a multiple of sixteen."""
    byte_of = np.zeros(len(levels), dtype=np.int64)
    at = 0
    for position in range(wide):
        byte_of[position] = at
        at += 2 if levels[position] <= _HALF else 4
    for first, end, _ in bundles:
        byte_of[first:end] = at
        at += 1
    return byte_of, max(16, -(-at // 16) * 16)


def _bits(levels: I64, wide: int) -> Bits:
    """Give each value of each narrow column a bit."""
    bit_of = np.zeros(len(levels), dtype=np.int64)
    pieces = []
    at = 0
    for position in range(len(levels) - 1, wide - 1, -1):
        end = at + int(levels[position])
        if at // TOGETHER != (end - 1) // TOGETHER:
            at = end - end % TOGETHER
            end = at + int(levels[position])
        bit_of[position] = at
        while at < end:
            stop = min(end, (at // 64 + 1) * 64)
            mask = ((1 << (stop - at)) - 1) << at % 64
            pieces.append((at // 64, mask, position))
            at = stop
    bit_of[:wide] = at
    column_of = np.array([piece[2] for piece in pieces], dtype=np.int64)
    return Bits(
        bit_of,
        np.array([piece[0] for piece in pieces], dtype=np.int64),
        np.array([piece[1] for piece in pieces], dtype=np.uint64),
        column_of,
        np.searchsorted(-column_of, -np.arange(len(levels))),
    )


def _decode(levels: I64, bundles: list[tuple[int, int, int]]) -> U8:
    """Return for each column what the codes of its bundle mean."""
    decode = np.zeros((len(levels) + 2, _BYTE), dtype=np.uint8)
    every = np.arange(_BYTE)
    decode[-2] = every
    for first, end, _ in bundles:
        rest = every
        for position in range(end - 1, first, -1):
            rest, decode[position] = np.divmod(rest, levels[position])
        decode[first] = rest
    return decode.reshape(-1)


@njit(cache=True, nogil=True)
def _lay_out(
    wide_codes: U32,
    narrow_codes: U8,
    levels: I64,
    wide: int,
    byte_of: I64,
    bit_of: I64,
    words: int,
    halves: U16,
    codes: U8,
    hot: U64,
) -> None:
    """Write the rows and the bits of all records."""
    width = levels.size
    records = narrow_codes.size // (width - wide) if width > wide else wide_codes.size // wide
    stride = codes.size // max(records, 1)
    for begin in range(0, records, _ROWS):  # in blocks, so that the rows stay in the cache
        end = min(begin + _ROWS, records)
        for i in range(begin * stride, end * stride):
            codes[np.uint64(i)] = 0
        for i in range(begin * words, end * words):
            hot[np.uint64(i)] = 0
        for c in range(wide):
            at = byte_of[c] >> 1
            for r in range(begin, end):
                code = load(wide_codes, c * records + r)
                place = np.uint64(r * (stride >> 1) + at)
                halves[place] = np.uint16(code & np.uint32(_HALF - 1))
                if levels[c] > _HALF:
                    halves[place + np.uint64(1)] = np.uint16(code >> np.uint32(16))
        for c in range(wide, width):
            at = byte_of[c]
            k = np.uint8(levels[c] & 255)  # a column with 256 values has a byte of its own
            bit = bit_of[c]
            for r in range(begin, end):
                code = load(narrow_codes, (c - wide) * records + r)
                place = np.uint64(r * stride + at)
                codes[place] = codes[place] * k + code
                mine = bit + np.int64(code)
                hot[np.uint64(r * words + (mine >> 6))] |= np.uint64(1) << np.uint64(mine & 63)
