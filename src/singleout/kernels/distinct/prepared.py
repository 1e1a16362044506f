"""A table laid out for counting many column sets: by row, by column, and in bits.

Columns are taken with most values first. Those with up to 256 values are *narrow*: neighbours among
them are bundled as long as their combinations fit into one byte, and each of their values has a bit
of its own, so that one pass over the records serves all of them. The others are *wide*, with a
number of two bytes, or two such numbers beyond 65,536 values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64, U8, U16, U32, U64
from singleout.kernels.bits import load
from singleout.kernels.compiling import kernel
from singleout.kernels.distinct.pair_loops import write_bits
from singleout.kernels.scratch import Scratch
from singleout.kernels.threads import in_parallel, slices

__all__ = ["TOGETHER", "Bits", "LaidOut", "Plan", "Prepared", "Unit", "prepare", "record_bytes"]

_BYTE = 256
_HALF = 1 << 16
TOGETHER = 256  # bits that are looked at together: a column must not straddle them
_ROWS = 1 << 14  # records laid out at a time, so that their codes stay in the cache
_NEAR = 1 << 9  # of these, written at a time
_PIECE = 1 << 17  # fewer records than this are not worth a thread
_KEPT = 1 << 17  # records whose bits are kept: those of more are made again whenever needed


class Unit(NamedTuple):
    """What is put together at a time: a column, or a bundle of narrow columns.

    Parameters
    ----------
    bundle
        The bundle that its codes are taken from; of no account for a wide column.
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

    bundle: int
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
    def fours(self) -> int:
        """How many times four words a record has."""
        return 1 + int(self.word_of[-1]) // 4 if len(self.word_of) else 0

    @cached_property
    def words_after(self) -> list[int]:
        """How many words the columns after each position have."""
        return [-(-bit // 64) for bit in self.bit_of.tolist()]

    @cached_property
    def column_of_bit(self) -> I64:
        """The column of each bit."""
        found = np.zeros(TOGETHER * self.fours, dtype=np.int64)
        for column in np.unique(self.column_of)[::-1].tolist():
            found[self.bit_of[column] :] = column
        return found


class Lit(NamedTuple):
    """Which bits the codes of bundles set, so that the bits of a record are quickly made.

    Parameters
    ----------
    words
        Four words for each code of a bundle; if its columns have bits in more than four words,
        the bundle has several such tables.
    start
        The first table for each four words of a record, and their end.
    bundle, end
        The bundle of each table, and the column after its last.
    """

    words: U64
    start: I64
    bundle: I64
    end: I64


@dataclass(frozen=True, eq=False)
class Plan:
    """How columns with so many values are laid out.

    Parameters
    ----------
    levels
        How many values the column at each position has, most first.
    wide
        How many of the first positions have more than 256 values.
    bundles
        The bundles of narrow columns: their first position, the one after their last, and how many
        combinations there are.
    byte_of
        Where a row has the column at each position: the byte of its bundle, or for wide columns
        the first byte of their own.
    row_bytes
        How many bytes a row has.
    decode
        For each position 256 bytes: the code of the column for each code of its bundle; then 256
        that are their own place.
    bits, lit
        Where the bits are, and which of them each code sets.
    """

    levels: I64
    wide: int
    bundles: list[tuple[int, int, int]]
    byte_of: I64
    row_bytes: int
    decode: U8
    bits: Bits
    lit: Lit

    @cached_property
    def bundle_bytes(self) -> I64:
        """Where a row has each bundle; never empty."""
        firsts = [first for first, _, _ in self.bundles]
        return np.append(self.byte_of[firsts], 0).astype(np.int64)

    @cached_property
    def bundle_units(self) -> list[Unit]:
        """The bundles as units."""
        means = _BYTE * len(self.levels)
        return [
            Unit(number, means, many, many, first, end, 0)
            for number, (first, end, many) in enumerate(self.bundles)
        ]

    @cached_property
    def column_units(self) -> list[Unit]:
        """The columns as units; the groups of wide ones are their numbers within a block."""
        whole = _BYTE * len(self.levels)
        found = [Unit(0, whole, 1, 0, c, c + 1, 1 + c) for c in range(self.wide)]
        for number, (first, end, _) in enumerate(self.bundles):
            for column, many in enumerate(self.levels[first:end].tolist(), start=first):
                means = whole if end - first == 1 else _BYTE * column
                found.append(Unit(number, means, many, many, column, column + 1, 0))
        return found


class LaidOut(NamedTuple):
    """The codes of a table as the loops take them.

    Parameters
    ----------
    rows
        The codes by record, in pairs of words.
    bundled
        The codes of each bundle, one bundle after the other.
    hot
        The bits by record: the first four words of all records, then the next four. In each column
        exactly one is set, that of its code. Empty for a large table.
    """

    rows: U64
    bundled: U8
    hot: U64


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table whose column sets are counted.

    Parameters
    ----------
    plan
        How it is laid out.
    columns
        The original column at each position, most values first.
    given
        The codes of the column at each position, as they were given.
    idle
        Arrays that nobody works in at the moment.
    """

    plan: Plan
    columns: I64
    given: list[NDArray[Any]]
    idle: list[Scratch] = field(default_factory=list)

    @property
    def records(self) -> int:
        """How many records there are."""
        return len(self.given[0])

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.given)

    @property
    def levels(self) -> I64:
        """How many values the column at each position has, most first."""
        return self.plan.levels

    @cached_property
    def bundle_starts(self) -> I64:
        """Where the codes of each bundle start; never empty."""
        return np.arange(len(self.plan.bundles) + 1, dtype=np.int64) * self.records

    @cached_property
    def laid(self) -> LaidOut:
        """The codes laid out, when they are first asked for; not by several threads at once."""
        return _laid_out(self)

    def scratch(self) -> Scratch:
        """Return arrays to work in; put them back to ``idle`` when done."""
        return self.idle.pop() if self.idle else Scratch()

    def codes(self, position: int) -> U32:
        """Return the codes of one column in four bytes."""
        return self.given[position].astype(np.uint32, copy=False)


def prepare(columns: Sequence[NDArray[Any]], levels: Sequence[int]) -> Prepared:
    """Prepare a table to be counted; each column's codes must be below its number of levels."""
    order = np.argsort(-np.asarray(levels, dtype=np.int64), kind="stable")
    plan = _plan(tuple(int(levels[column]) for column in order.tolist()))
    return Prepared(plan, order, [columns[column] for column in order.tolist()])


def _laid_out(table: Prepared) -> LaidOut:
    """Lay out the codes, some records at a time."""
    plan, given, records = table.plan, table.given, table.records
    four = TOGETHER // 64
    rows = np.empty((records, plan.row_bytes // 8), dtype=np.uint64)
    bundled = np.empty(len(plan.bundles) * records, dtype=np.uint8)
    hot = np.empty(four * plan.bits.fours * records if records <= _KEPT else 0, dtype=np.uint64)

    def lay_out(part: slice) -> None:
        room = min(_ROWS, part.stop - part.start)
        wide_codes = np.empty((plan.wide, room), dtype=np.uint32)
        narrow_codes = np.empty((table.width - plan.wide, room), dtype=np.uint8)
        for begin in range(part.start, part.stop, _ROWS):
            end = min(begin + _ROWS, part.stop)
            for position, codes in enumerate(given):
                if position < plan.wide:
                    wide_codes[position, : end - begin] = codes[begin:end]
                else:
                    narrow_codes[position - plan.wide, : end - begin] = codes[begin:end]
            _lay_out(
                wide_codes.reshape(-1), narrow_codes.reshape(-1), room, plan.levels, plan.wide,
                plan.byte_of, plan.row_bytes, rows.reshape(-1).view(np.uint16),
                rows.reshape(-1).view(np.uint8), bundled, table.bundle_starts, *plan.lit, hot,
                records, begin, end,
            )  # fmt: skip

    in_parallel(lay_out, slices(records, _PIECE))
    return LaidOut(rows, bundled, hot)


def record_bytes(levels: Sequence[int]) -> tuple[int, int]:
    """Return how many bytes a record takes when laid out, and how many more in each thread.

    A thread has the rows again in another order, with the record and the group of each. The bits
    are left out: only a small table has them.
    """
    plan = _plan(tuple(sorted(levels, reverse=True)))
    return plan.row_bytes + len(plan.bundles), plan.row_bytes + 8


@lru_cache(maxsize=8)  # some answers need the same table again, less some of its records
def _plan(levels: tuple[int, ...]) -> Plan:
    """Return how columns with so many values, most first, are laid out."""
    ordered = np.array(levels, dtype=np.int64)
    wide = int((ordered > _BYTE).sum())
    bundles = _bundles(list(levels), wide)
    byte_of, row_bytes = _bytes(ordered, wide, bundles)
    bits = _bits(ordered, wide)
    decode = _decode(ordered, bundles)
    lit = _lit(bundles, bits, decode)
    return Plan(ordered, wide, bundles, byte_of, row_bytes, decode.reshape(-1), bits, lit)


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
    decode = np.zeros((len(levels) + 1, _BYTE), dtype=np.uint8)
    every = np.arange(_BYTE)
    decode[-1] = every
    for first, end, _ in bundles:
        rest = every
        for position in range(end - 1, first, -1):
            rest, decode[position] = np.divmod(rest, levels[position])
        decode[first] = rest
    return decode


def _lit(bundles: list[tuple[int, int, int]], bits: Bits, decode: U8) -> Lit:
    """Return which bits the codes of each bundle set."""
    tables: dict[tuple[int, int], U64] = {}
    for number, (first, end, many) in enumerate(bundles):
        for column in range(first, end):
            mine = bits.bit_of[column] + decode[column, :many].astype(np.int64)
            key = int(bits.bit_of[column]) // TOGETHER, number
            table = tables.setdefault(key, np.zeros((_BYTE, TOGETHER // 64), dtype=np.uint64))
            table[np.arange(many), mine // 64 % 4] |= np.uint64(1) << (mine % 64).astype(np.uint64)
    keys = sorted(tables)
    return Lit(
        np.array([tables[key] for key in keys], dtype=np.uint64).reshape(-1),
        np.searchsorted([four for four, _ in keys], np.arange(bits.fours + 1)).astype(np.int64),
        np.array([number for _, number in keys], dtype=np.int64),
        np.array([bundles[number][1] for _, number in keys], dtype=np.int64),
    )


@kernel
def _lay_out(
    wide_codes: U32, narrow_codes: U8, room: int, levels: I64, wide: int, byte_of: I64, stride: int,
    halves: U16, codes: U8, bundled: U8, starts: I64, lit: U64, lit_from: I64, lit_by: I64,
    lit_end: I64, hot: U64, records: int, begin: int, end: int,
) -> None:  # fmt: skip
    """Write the rows of some records, the codes of their bundles, and their bits if they are kept.

    ``wide_codes`` and ``narrow_codes`` have the codes of these records, ``room`` for each column.
    """
    # a number in the place of a call would make another version of what is called
    next_, every = np.int64(1), np.int64(0)
    for some in range(begin, end, _NEAR):  # a few at a time, so that they stay in the cache
        stop = min(some + _NEAR, end)
        for i in range(some * stride, stop * stride):
            codes[np.uint64(i)] = 0
        for c in range(wide):
            at = byte_of[c] >> 1
            for r in range(some, stop):
                code = load(wide_codes, c * room + r - begin)
                place = np.uint64(r * (stride >> 1) + at)
                halves[place] = np.uint16(code & np.uint32(_HALF - 1))
                if levels[c] > _HALF:
                    halves[place + np.uint64(1)] = np.uint16(code >> np.uint32(16))
        bundle = -1
        for c in range(wide, levels.size):
            at = (c - wide) * room - begin
            k = np.uint8(levels[c] & 255)  # a column with 256 values has a byte of its own
            if c == wide or byte_of[c] != byte_of[c - 1]:
                bundle += 1
                k = np.uint8(0)
            here = starts[bundle]
            for r in range(some, stop):
                code = load(bundled, here + r) * k + load(narrow_codes, at + r)
                bundled[np.uint64(here + r)] = code
            if c + 1 == levels.size or byte_of[c + 1] != byte_of[c]:
                for r in range(some, stop):
                    codes[np.uint64(r * stride + byte_of[c])] = load(bundled, here + r)
        for four in range(lit_from.size - 1 if hot.size > 0 else 0):
            write_bits(
                bundled, next_, some, stop, starts, 4 * four, every, lit, lit_from, lit_by,
                lit_end, hot, 4 * (four * records + some),
            )  # fmt: skip
