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
from singleout.kernels.bits import copy_two, load, popcount
from singleout.kernels.compiling import inner, kernel
from singleout.kernels.distinct.bit_loops import CELLS, UNIT, count_by_bits

__all__ = [
    "BUNDLED",
    "HALF",
    "SMALL",
    "TINY",
    "count_pairs",
    "refine",
    "renumber",
    "sort_rows",
    "write_codes",
    "write_tiny",
]


SMALL = 64  # records of a block that is counted by masks of equal rows
BUNDLED = 512  # records of a block in which bundles of columns are worth splitting up again

TINY = 8  # records of a block whose masks fit into one word
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
def write_tiny(
    codes: U8, halves: U16, stride: int, begin: int, count: int, first: int, wide: int,
    levels: I64, byte_of: I64, decode: U8, out: U64, to: int,
) -> None:  # fmt: skip
    """Write the codes of some rows, row by row."""
    width = levels.size
    for t in range(count):
        row = (begin + t) * stride
        at = to + t * width
        for c in range(first, min(wide, width)):
            at_half = (row + byte_of[c]) >> 1
            code = np.uint64(load(halves, at_half))
            if levels[c] > HALF:
                code |= np.uint64(load(halves, at_half + 1)) << np.uint64(16)
            out[np.uint64(at + c)] = code
        for c in range(max(first, wide), width):
            code = load(codes, row + load(byte_of, c))
            out[np.uint64(at + c)] = load(decode, 256 * c + np.int64(code))


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
    write_tiny(
        codes, halves, stride, begin, count, first, wide, levels, byte_of, decode, masks, width
    )
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
        if count <= min(small, TINY):
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
        count_by_bits(
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
