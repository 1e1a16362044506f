"""How columns are packed into bytes and bits, so that many column sets are counted in one pass.

Columns with up to 256 values are *narrow*: neighbours among them are bundled as long as their
combinations fit into one byte, and each of their values has a bit of its own. The others are
*wide*, with a number of two bytes, or two such numbers beyond 65,536 values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import prod
from typing import NamedTuple

import numpy as np

from singleout.core.arrays import I64, U8, U64
from singleout.kernels.distinct.pair_loops import HALF

__all__ = ["TOGETHER", "Bits", "CountedUnit", "Packing", "packing_of"]

_BYTE = 256
TOGETHER = 256  # bits that are looked at together: a column must not straddle them


class CountedUnit(NamedTuple):
    """What is counted together: a column, or a bundle of narrow columns."""

    bundle: int  # whose codes are taken; not used for a wide column
    means: int  # where its codes are decoded
    factor: int  # how many codes there are for each group
    cells: int  # one for each group and code; for a wide column it depends on the block
    first: int  # its first column
    end: int  # the column after its last
    region: int  # which of the numbers of the records are their groups


@dataclass(frozen=True, eq=False)
class Bits:
    """The bits of the narrow columns: those of the last column come first.

    Pieces of columns that lie in one word are listed in the order of the bits.
    """

    bit_of: I64  # the first bit of each column; for a wide one, the end of all bits
    word_of: I64  # the word of each piece
    mask_of: U64  # the bits of each piece in its word
    column_of: I64  # the column of each piece
    pieces_after: I64  # how many pieces belong to the columns after each position

    @property
    def fours(self) -> int:
        """How many groups of four words a record has."""
        return 1 + int(self.word_of[-1]) // 4 if len(self.word_of) else 0

    @cached_property
    def words_after(self) -> list[int]:
        """How many words the columns after each position have."""
        return [-(-bit // 64) for bit in self.bit_of.tolist()]

    @cached_property
    def column_of_bit(self) -> I64:
        """The column of each bit."""
        column_of_bit = np.zeros(TOGETHER * self.fours, dtype=np.int64)
        for column in np.unique(self.column_of)[::-1].tolist():
            column_of_bit[self.bit_of[column] :] = column
        return column_of_bit


class CodeBits(NamedTuple):
    """Which bits the codes of bundles set, so that the bits of a record are quickly made."""

    words: U64  # four for each code of a bundle, which may have several tables
    start: I64  # the first table for each four words of a record, and their end
    bundle: I64  # of each table
    end: I64  # the column after the last of that bundle


@dataclass(frozen=True, eq=False)
class Packing:
    """How columns with so many values are packed; those with most values have the first positions.

    In ``decode``, the last 256 bytes are the identity. A bundle is its first position, the one
    after its last, and the number of combinations.
    """

    levels: I64  # how many values the column at each position has
    wide: int  # how many of the first positions have more than 256 values
    bundles: list[tuple[int, int, int]]  # of narrow columns
    byte_of: I64  # the first byte in a row of each wide column, or of the bundle of a narrow one
    row_bytes: int  # how many bytes a row has
    decode: U8  # for each position 256 bytes: the code of the column for each code of its bundle
    bits: Bits
    code_bits: CodeBits

    @cached_property
    def bundle_bytes(self) -> I64:
        """The byte of a row that has each bundle; never empty."""
        firsts = [first for first, _, _ in self.bundles]
        return np.append(self.byte_of[firsts], 0).astype(np.int64)

    @cached_property
    def bundle_units(self) -> list[CountedUnit]:
        """The bundles as units."""
        means = _BYTE * len(self.levels)
        return [
            CountedUnit(number, means, count, count, first, end, 0)
            for number, (first, end, count) in enumerate(self.bundles)
        ]

    @cached_property
    def column_units(self) -> list[CountedUnit]:
        """The columns as units; the groups of wide ones are their numbers within a block."""
        undecoded = _BYTE * len(self.levels)
        units = [CountedUnit(0, undecoded, 1, 0, c, c + 1, 1 + c) for c in range(self.wide)]
        for number, (first, end, _) in enumerate(self.bundles):
            for column, count in enumerate(self.levels[first:end].tolist(), start=first):
                means = undecoded if end - first == 1 else _BYTE * column
                units.append(CountedUnit(number, means, count, count, column, column + 1, 0))
        return units


@lru_cache(maxsize=8)  # some answers need the same table again, less some of its records
def packing_of(levels: tuple[int, ...]) -> Packing:
    """Return how columns with so many values, most first, are packed."""
    ordered = np.array(levels, dtype=np.int64)
    wide = int((ordered > _BYTE).sum())
    bundles = _bundles(list(levels), wide)
    byte_of, row_bytes = _bytes(ordered, wide, bundles)
    bits = _bits(ordered, wide)
    decode = _decode(ordered, bundles)
    code_bits = _code_bits(bundles, bits, decode)
    return Packing(ordered, wide, bundles, byte_of, row_bytes, decode.reshape(-1), bits, code_bits)


def _bundles(levels: list[int], wide: int) -> list[tuple[int, int, int]]:
    """Bundle neighbours as long as their combinations fit into a byte."""
    bundles = []
    first = wide
    while first < len(levels):
        end = first + 1
        while end < len(levels) and prod(levels[first : end + 1]) <= _BYTE:
            end += 1
        bundles.append((first, end, prod(levels[first:end])))
        first = end
    return bundles


def _bytes(levels: I64, wide: int, bundles: list[tuple[int, int, int]]) -> tuple[I64, int]:
    """Return the byte of a row for each column, and the size of a row: a multiple of sixteen."""
    byte_of = np.zeros(len(levels), dtype=np.int64)
    at = 0
    for position in range(wide):
        byte_of[position] = at
        at += 2 if levels[position] <= HALF else 4
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
    """Return for each column its codes by the codes of its bundle."""
    decode = np.zeros((len(levels) + 1, _BYTE), dtype=np.uint8)
    every = np.arange(_BYTE)
    decode[-1] = every
    for first, end, _ in bundles:
        rest = every
        for position in range(end - 1, first, -1):
            rest, decode[position] = np.divmod(rest, levels[position])
        decode[first] = rest
    return decode


def _code_bits(bundles: list[tuple[int, int, int]], bits: Bits, decode: U8) -> CodeBits:
    """Return which bits the codes of each bundle set."""
    tables: dict[tuple[int, int], U64] = {}
    for number, (first, end, count) in enumerate(bundles):
        for column in range(first, end):
            bit = bits.bit_of[column] + decode[column, :count].astype(np.int64)
            key = int(bits.bit_of[column]) // TOGETHER, number
            table = tables.setdefault(key, np.zeros((_BYTE, TOGETHER // 64), dtype=np.uint64))
            table[np.arange(count), bit // 64 % 4] |= np.uint64(1) << (bit % 64).astype(np.uint64)
    keys = sorted(tables)
    return CodeBits(
        np.array([tables[key] for key in keys], dtype=np.uint64).reshape(-1),
        np.searchsorted([four for four, _ in keys], np.arange(bits.fours + 1)).astype(np.int64),
        np.array([number for _, number in keys], dtype=np.int64),
        np.array([bundles[number][1] for _, number in keys], dtype=np.int64),
    )
