"""The compiled loops that count distinct combinations for many column sets in one go.

Records are sorted by the leading columns, and inside each block of records that agree on them all
pairs (b, c) of the remaining columns are counted while the block is in the cache. In a small block
by masks of equal rows. In others, the values that all records with one value of b have in the
narrow columns are combined as bits; how many values there are of c is the number of its bits.
Where there are few groups, the records need no sorting: b and the group are combined to one column,
and all records are one block.

Nothing is allocated here, all arrays are flat, and loops with one caller are inlined: that is
quicker to compile.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from singleout.core.arrays import I64, U8, U16, U32, U64
from singleout.kernels.bits import copy_two, load, or_four, or_two, popcount
from singleout.kernels.compiling import inlined, inner, kernel

__all__ = [
    "CHUNK",
    "HALF",
    "SMALL",
    "UNIT",
    "count_pairs",
    "sort_rows",
    "write_bits",
    "write_cells",
]


SMALL = 64  # records of a block that is counted by masks of equal rows
BUNDLED = 512  # records of a block in which bundles of columns are worth splitting up again

# A unit is a column or a bundle of columns that is counted at a time.
UNIT = 7  # numbers that describe it:
BUNDLE = 0  # the bundle that its codes are taken from
MEANS = 1  # where its codes are decoded
FACTOR = 2  # how many codes there are for each group
CELLS = 3  # how many cells it needs, one for each group and code
FIRST = 4  # its first column
END = 5  # the one after its last
REGION = 6  # which of the numbers of the records are their groups

_TINY = 8  # records of a block whose masks fit into one word
CHUNK = 1 << 9  # records gathered at a time, so that they stay in the cache
HALF = 1 << 16

_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_LOW = np.uint64(0x7F7F7F7F7F7F7F7F)
_HIGH = np.uint64(0x8080808080808080)


@kernel
def sort_rows(
    ids: U32, groups: int, rows: U64, next_row: I64, starts: I64, packed: U64, order: U32,
) -> int:  # fmt: skip
    """Sort the rows of records by group, without those alone in it; return the number of blocks.

    ``starts`` gets where each of the blocks starts, and after them: the end of the last, how many
    records are alone, and how many the largest block has. ``order``, if it is not empty, gets the
    record of each row, and then those alone.
    """
    for g in range(groups):
        next_row[g] = 0
    for r in range(ids.size):
        next_row[ids[r]] += 1
    used = 0
    at = 0
    alone = 0
    largest = 0
    for g in range(groups):
        size = next_row[g]
        if size < 2:
            alone += size
            next_row[g] = -1
        else:
            starts[used] = at
            used += 1
            next_row[g] = at
            at += size
            largest = max(largest, size)
    starts[used] = at
    starts[used + 1] = alone
    starts[used + 2] = largest
    row = rows.size // ids.size
    for r in range(ids.size):
        to = next_row[ids[r]]
        if to < 0:
            if order.size > 0:
                order[at] = np.uint32(r)
                at += 1
            continue
        next_row[ids[r]] = to + 1
        if order.size > 0:
            order[to] = np.uint32(r)
        for w in range(0, row, 2):
            copy_two(packed, to * row + w, rows, r * row + w)
    return used


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
def _count_by_bits(
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


@inner
def write_codes(
    codes: U8, halves: U16, stride: int, begin: int, count: int, c: int, wide: int, levels: I64,
    byte_of: I64, decode: U8, out: U32, at: int,
) -> None:  # fmt: skip
    """Write the codes of one column in some rows."""
    start = begin * stride + byte_of[c]
    if c >= wide:
        for t in range(count):
            code = load(codes, start + t * stride)
            out[np.uint64(at + t)] = load(decode, 256 * c + np.int64(code))
        return
    start >>= 1
    half = stride >> 1
    for t in range(count):
        out[np.uint64(at + t)] = load(halves, start + t * half)
    if levels[c] > HALF:
        for t in range(count):
            high = np.uint32(load(halves, start + t * half + 1))
            out[np.uint64(at + t)] |= high << np.uint32(16)


@inner
def _count_tiny(
    codes: U8, halves: U16, stride: int, begin: int, count: int, first: int, last: int, wide: int,
    levels: I64, byte_of: I64, decode: U8, masks: U64, pairs: I64,
) -> None:  # fmt: skip
    """Count all pairs of columns in a block of at most eight rows.

    The masks of the earlier rows that are equal are the bytes of one word for each column: a row is
    the first of its kind if its byte is zero for both columns. Bytes without a row are not zero.
    """
    width = levels.size
    for t in range(count):
        row = (begin + t) * stride
        at = (1 + t) * width
        for c in range(first, min(wide, width)):
            at_half = (row + byte_of[c]) >> 1
            code = np.uint64(load(halves, at_half))
            if levels[c] > HALF:
                code |= np.uint64(load(halves, at_half + 1)) << np.uint64(16)
            masks[np.uint64(at + c)] = code
        for c in range(max(first, wide), width):
            code = load(codes, row + load(byte_of, c))
            masks[np.uint64(at + c)] = load(decode, 256 * c + np.int64(code))
    for c in range(first, width):
        masks[c] = _ALL << np.uint64(8 * count) if count < 8 else np.uint64(0)
    for t in range(1, count):
        for s in range(t):
            bit = np.uint64(1) << np.uint64(8 * t + s)
            for c in range(first, width):
                same = load(masks, (1 + t) * width + c) == load(masks, (1 + s) * width + c)
                masks[np.uint64(c)] |= bit if same else np.uint64(0)
    for b in range(first, last):
        mine = masks[b]
        for c in range(b + 1, width):
            both = mine & load(masks, c)
            others = (((both & _LOW) + _LOW) | both) & _HIGH
            pairs[np.uint64(b * width + c)] += 8 - np.int64(popcount(others))


@inner
def _count_small(
    codes: U8, halves: U16, stride: int, begin: int, count: int, first: int, last: int, wide: int,
    levels: I64, byte_of: I64, decode: U8, numbers: U32, at: int, seen: U64, masks: U64, pairs: I64,
) -> None:  # fmt: skip
    """Count all pairs of columns in a small block, by masks of the earlier rows that are equal."""
    width = levels.size
    padded = (count + 15) // 16 * 16
    for c in range(first, width):
        write_codes(
            codes, halves, stride, begin, count, c, wide, levels, byte_of, decode, numbers, at
        )
        for t in range(count):
            z = load(numbers, at + t)
            mask = seen[z]
            seen[z] = mask | (np.uint64(1) << np.uint64(t))
            masks[np.uint64(c * SMALL + t)] = mask
        for t in range(count, padded):
            masks[np.uint64(c * SMALL + t)] = _ALL
        for t in range(count):
            seen[load(numbers, at + t)] = 0
    for b in range(first, last):
        for c in range(b + 1, width):
            total = 0
            for t in range(padded):
                both = load(masks, b * SMALL + t) & load(masks, c * SMALL + t)
                total += both == 0
            pairs[np.uint64(b * width + c)] += total


@inner
def renumber(numbers: U32, at: int, count: int, stamp: I64, number: U32, epoch: int) -> Any:
    """Replace the codes of a block by dense numbers; return how many there are."""
    distinct = 0
    for t in range(at, at + count):
        z = load(numbers, t)
        if stamp[z] != epoch:
            stamp[z] = epoch
            number[z] = np.uint32(distinct)
            distinct += 1
        numbers[np.uint64(t)] = number[z]
    return distinct


@inner
def refine(
    numbers: U32, at: int, levels: int, count: int, offsets: I64, order: U32, starts: I64
) -> Any:
    """Group the rows of a block by one column; return the groups of two or more.

    After their starts comes how many rows are alone.
    """
    for q in range(levels):
        offsets[q] = 0
    for t in range(count):
        offsets[load(numbers, at + t)] += 1
    end = 0
    groups = 0
    alone = 0
    starts[0] = 0
    for q in range(levels):
        size = offsets[q]
        if size < 2:
            offsets[q] = -1
            alone += size
        else:
            offsets[q] = end
            end += size
            groups += 1
            starts[groups] = end
    starts[groups + 1] = alone
    for t in range(count):
        z = load(numbers, at + t)
        to = offsets[z]
        if to >= 0:
            order[to] = np.uint32(t)
            offsets[z] = to + 1
    return groups


@inner
def _distinct_in_groups(
    numbers: U32, at: int, order: U32, starts: I64, groups: int, stamp: I64, epoch: int
) -> Any:
    """Count the distinct numbers within each group, all groups together; stamps start at epoch."""
    total = 0
    for g in range(groups):
        for t in range(starts[g], starts[g + 1]):
            z = load(numbers, at + np.int64(load(order, t)))
            total += load(stamp, np.int64(z)) != epoch + g
            stamp[z] = epoch + g
    return total


@kernel
def count_pairs(
    codes: U8, halves: U16, stride: int, starts: I64, blocks: int, small: int, wide: int,
    levels: I64, byte_of: I64, decode: U8, bundle_at: I64, lit: U64, lit_from: I64, lit_by: I64,
    lit_end: I64, hot: U64, near: U64, cell_of: U32, numbers: U32, seen: U64, masks: U64,
    stamp: I64, number: U32, offsets: I64, members: U32, bounds: I64, groups: int, first: int,
    last: int, units: I64, bundled_units: I64, bit_of: I64, word_of: I64, mask_of: U64,
    column_of: I64, pieces_after: I64, table: U64, pairs: I64,
) -> None:  # fmt: skip
    """Add to ``pairs[b, c]`` the distinct codes of columns b < c within blocks, over all blocks.

    Blocks are rows ``starts[i]:starts[i + 1]``; after their end comes the number of further blocks
    that have one record each, then the size of the largest. Columns b are those from ``first`` to
    before ``last``. Blocks of at most ``small`` records are counted by masks.

    If the records are not sorted, they are one block with groups inside, and ``numbers`` has the
    group of each. Otherwise it is room for numbers: first zeros, then those of the wide columns.
    ``hot`` has the bits of all records, four words after the other; if it is empty, they are
    written to ``near`` when they are needed, as ``write_bits`` says.
    """
    width = levels.size
    largest = starts[blocks + 2]
    epoch = np.int64(1)
    for z in range(stamp.size):
        stamp[z] = 0
    for i in range(blocks):
        begin = starts[i]
        end = starts[i + 1]
        count = end - begin
        if count <= min(small, _TINY):
            _count_tiny(
                codes, halves, stride, begin, count, first, last, wide, levels, byte_of, decode,
                masks, pairs,
            )  # fmt: skip
            continue
        if count <= small:
            _count_small(
                codes, halves, stride, begin, count, first, last, wide, levels, byte_of, decode,
                numbers, largest, seen, masks, pairs,
            )  # fmt: skip
            continue
        chosen = bundled_units if count >= BUNDLED else units
        for c in range(first, wide):
            at = (1 + c) * largest
            write_codes(
                codes, halves, stride, begin, count, c, wide, levels, byte_of, decode, numbers, at
            )
            distinct = renumber(numbers, at, count, stamp, number, epoch)
            epoch += 1
            if c < last:
                chosen[(c - first) * UNIT + CELLS] = distinct
        _count_by_bits(
            numbers, largest, groups, begin, end, codes, stride, decode, bundle_at, lit, lit_from,
            lit_by, lit_end, hot, near, cell_of, chosen, first, last, levels, bit_of, word_of,
            mask_of, column_of, pieces_after, table, pairs,
        )  # fmt: skip
        for b in range(first, min(wide - 1, last)):
            distinct = chosen[(b - first) * UNIT + CELLS]
            parts = refine(numbers, (1 + b) * largest, distinct, count, offsets, members, bounds)
            for c in range(b + 1, wide):
                pairs[b * width + c] += bounds[parts + 1] + _distinct_in_groups(
                    numbers, (1 + c) * largest, members, bounds, parts, stamp, epoch
                )
                epoch += parts
    singles = starts[blocks + 1]
    for b in range(first, last):
        for c in range(b + 1, width):
            pairs[b * width + c] += singles
