"""Counting by bits: the values of all records of a cell, combined in words and counted at once.

A cell is a group of records and a code. The values that its records have in the narrow columns are
bits of four words at a time; how many values there are of a column is the number of its bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from singleout.core.arrays import I64, U8, U32, U64
from singleout.kernels.bits import load, or_four, or_two, popcount
from singleout.kernels.compiling import inlined, inner

__all__ = [
    "BUNDLE",
    "CELLS",
    "CHUNK",
    "END",
    "FACTOR",
    "FIRST",
    "MEANS",
    "REGION",
    "UNIT",
    "count_by_bits",
    "span_of",
    "write_bits",
    "write_cells",
]

CHUNK = 1 << 9  # records gathered at a time, so that they stay in the cache

# A unit is a column or a bundle of columns that is counted at a time.
UNIT = 7  # numbers that describe it:
BUNDLE = 0  # the bundle that its codes are taken from
MEANS = 1  # where its codes are decoded
FACTOR = 2  # how many codes there are for each group
CELLS = 3  # how many cells it needs, one for each group and code
FIRST = 4  # its first column
END = 5  # the one after its last
REGION = 6  # which of the numbers of the records are their groups


@inlined
def span_of(bits: int, word: int) -> Any:
    """Return how many words to combine from one on, if so many bits are needed."""
    needed = ((bits + 63) >> 6) - word
    return 4 if needed > 2 else max(needed, 0)


@inner
def write_bits(
    codes: U8, stride: int, begin: int, end: int, bundle_at: I64, word: int, first: int,
    lit: U64, lit_from: I64, lit_by: I64, lit_end: I64, hot: U64, at: int,
) -> None:  # fmt: skip
    """Write the bits that some records have in four words, from what each code adds to them.

    ``lit`` has four words for each code of a bundle; those for four words of the records begin at
    ``lit_from``, each for the bundle ``lit_by``. Bundles that end before ``first`` are left out.
    """
    for i in range(at, at + 4 * (end - begin)):
        hot[np.uint64(i)] = 0
    for k in range(lit_from[word >> 2], lit_from[(word >> 2) + 1]):
        if lit_end[k] <= first:
            continue
        byte = bundle_at[lit_by[k]]
        for r in range(begin, end):
            code = np.int64(load(codes, r * stride + byte))
            or_four(hot, at + 4 * (r - begin), lit, 4 * (256 * k + code))


@inner
def write_cells(
    ids: U32, shift: int, factor: int, codes: U8, stride: int, byte: int, decode: U8, means: int,
    begin: int, end: int, cell_of: U32,
) -> None:  # fmt: skip
    """Write the cell of each record: its group and its code.

    Separate from the use of the cells: a processor that has to compute where it writes before it
    can read on is three times slower.
    """
    many = np.uint32(factor)
    if factor == 1:
        for r in range(begin, end):
            cell_of[np.uint64(r - begin)] = load(ids, r - shift)
    elif means == decode.size - 256:  # each code means itself
        for r in range(begin, end):
            code = np.uint32(load(codes, r * stride + byte))
            cell_of[np.uint64(r - begin)] = load(ids, r - shift) * many + code
    else:
        for r in range(begin, end):
            code = np.uint32(load(decode, means + np.int64(load(codes, r * stride + byte))))
            cell_of[np.uint64(r - begin)] = load(ids, r - shift) * many + code


@inlined
def _put_together(
    cell_of: U32, count: int, hot: U64, at: int, span: int, table: U64, base: int
) -> None:
    """Combine, for each cell, the bits that its records have in some of four words."""
    for t in range(count):
        cell = np.int64(load(cell_of, t))
        if span == 4:
            or_four(table, base + 4 * cell, hot, at + 4 * t)
        elif span == 2:
            or_two(table, base + 2 * cell, hot, at + 4 * t)
        else:
            table[np.uint64(base + cell)] |= load(hot, at + 4 * t)


@inlined
def _project(table: U64, base: int, outer: int, levels: int, inner: int, span: int) -> None:
    """Split cells of two columns: those of the first follow ``base``'s cells, then the second's."""
    ones = base + outer * levels * inner * span
    twos = ones + outer * levels * span
    for i in range(ones, twos + outer * inner * span):
        table[np.uint64(i)] = 0
    for g in range(outer):
        for i in range(levels):
            for j in range(inner):
                source = base + ((g * levels + i) * inner + j) * span
                if span == 4:
                    or_four(table, ones + (g * levels + i) * 4, table, source)
                    or_four(table, twos + (g * inner + j) * 4, table, source)
                else:
                    for w in range(span):
                        word = load(table, source + w)
                        table[np.uint64(ones + (g * levels + i) * span + w)] |= word
                        table[np.uint64(twos + (g * inner + j) * span + w)] |= word


@inlined
def _count_bits(
    table: U64, base: int, cells: int, word: int, span: int, b: int, width: int,
    word_of: I64, mask_of: U64, column_of: I64, pieces_after: I64, pairs: I64,
) -> None:  # fmt: skip
    """Add to ``pairs`` how many values the columns after b have in all cells together."""
    for piece in range(pieces_after[b]):
        offset = word_of[piece] - word
        if offset < 0 or offset >= span:
            continue
        mask = mask_of[piece]
        total = np.uint64(0)
        for cell in range(cells):
            total += popcount(load(table, base + cell * span + offset) & mask)
        pairs[b * width + column_of[piece]] += np.int64(total)


@inner
def count_by_bits(
    ids: U32, reach: int, groups: int, begin: int, end: int, codes: U8, stride: int, decode: U8,
    bundle_at: I64, lit: U64, lit_from: I64, lit_by: I64, lit_end: I64, hot: U64, near: U64,
    cell_of: U32, units: I64, first: int, last: int, levels: I64, bit_of: I64, word_of: I64,
    mask_of: U64, column_of: I64, pieces_after: I64, table: U64, pairs: I64,
) -> None:  # fmt: skip
    """Count (group, b, c) for the columns b of units, ``first`` to before ``last``, all c after."""
    for word in range(0, 4 * (lit_from.size - 1), 4):
        base = 0
        for u in range(0, units.size, UNIT):
            base += units[u + CELLS] * span_of(bit_of[max(units[u + FIRST], first)], word)
        for i in range(base):
            table[np.uint64(i)] = 0
        for chunk in range(begin, end if base > 0 else begin, CHUNK):
            stop = min(chunk + CHUNK, end)
            at = word * end + 4 * chunk if hot.size > 0 else 0
            bits = hot if hot.size > 0 else near
            if hot.size == 0:
                write_bits(
                    codes, stride, chunk, stop, bundle_at, word, first + 1, lit, lit_from, lit_by,
                    lit_end, near, at,
                )  # fmt: skip
            base = 0
            for u in range(0, units.size, UNIT):
                span = span_of(bit_of[max(units[u + FIRST], first)], word)
                if span > 0:
                    write_cells(
                        ids, begin - units[u + REGION] * reach, units[u + FACTOR], codes, stride,
                        bundle_at[units[u + BUNDLE]], decode, units[u + MEANS], chunk, stop,
                        cell_of,
                    )  # fmt: skip
                    _put_together(cell_of, stop - chunk, bits, at, span, table, base)
                    base += units[u + CELLS] * span
        # from the last on, since the cells of a bundle are split up in what follows them
        for u in range(units.size - UNIT, -1, -UNIT):
            span = span_of(bit_of[max(units[u + FIRST], first)], word)
            base -= units[u + CELLS] * span
            at = base
            cells = units[u + CELLS]
            for b in range(units[u + FIRST], units[u + END] if span > 0 else 0):
                counted = at
                if b + 1 < units[u + END]:
                    inner = cells // groups // levels[b]
                    _project(table, at, groups, levels[b], inner, span)
                    counted = at + cells * span
                    at = counted + groups * levels[b] * span
                    cells = groups * levels[b]
                if first <= b < last:
                    _count_bits(
                        table, counted, cells, word, span, b, levels.size,
                        word_of, mask_of, column_of, pieces_after, pairs,
                    )  # fmt: skip
                if b + 1 < units[u + END]:
                    cells = groups * inner
