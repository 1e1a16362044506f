"""The compiled loops that find which records are alone in their combination, for many column sets.

The same blocks, units and bits as for counting distinct combinations. The weights of the column
sets in which a record is alone are added up, in one or several *lanes*: with weights that are
powers of two, a lane is 64 flags.
"""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import I64, U8, U16, U32, U64
from singleout.kernels.bits import add_apart_bytes, add_apart_four, load
from singleout.kernels.compiling import inner, kernel
from singleout.kernels.distinct.bit_loops import CELLS, FIRST, UNIT
from singleout.kernels.distinct.once_loops import flag_by_bits
from singleout.kernels.distinct.pair_loops import (
    BUNDLED,
    SMALL,
    TINY,
    refine,
    renumber,
    write_codes,
    write_tiny,
)

__all__ = ["flag_pairs", "write_rows"]


@inner
def _keep_singles(
    order: U32, begin: int, first: int, width: int, lane_at: I64, weight_of: I64,
    block_sums: I64, reach: int, lanes: int, sums: I64,
) -> None:  # fmt: skip
    """Add for the records that the leading columns already single out: alone in every pair."""
    for lane in range(lanes):
        block_sums[lane * reach] = 0
    for pair in range(first * width, width * width):
        block_sums[lane_at[pair]] += weight_of[pair]
    for lane in range(lanes):
        for t in range(begin, order.size):
            sums[lane * order.size + order[t]] += block_sums[lane * reach]


@inner
def _flag_tiny(
    codes: U8, halves: U16, stride: int, begin: int, count: int, first: int, wide: int,
    levels: I64, byte_of: I64, decode: U8, masks: U64, lane_at: I64, weight_of: I64, sums: I64,
) -> None:  # fmt: skip
    """Add for the rows of a block of at most eight.

    The masks of the other rows that are equal are the bytes of one word for each column.
    """
    width = levels.size
    write_tiny(
        codes, halves, stride, begin, count, first, wide, levels, byte_of, decode, masks, width
    )
    for c in range(first, width):
        masks[c] = 0
    for t in range(1, count):
        for s in range(t):
            bits = np.uint64(1) << np.uint64(8 * t + s) | np.uint64(1) << np.uint64(8 * s + t)
            for c in range(first, width):
                same = load(masks, (1 + t) * width + c) == load(masks, (1 + s) * width + c)
                masks[np.uint64(c)] |= bits if same else np.uint64(0)
    for b in range(first, width - 1):
        mine = masks[b]
        for pair in range(b * width + b + 1, (b + 1) * width):
            weight = load(weight_of, pair)
            both = mine & load(masks, pair - b * width)
            add_apart_bytes(sums, load(lane_at, pair), both, weight)


@inner
def _flag_small(
    codes: U8, halves: U16, stride: int, begin: int, count: int, first: int, wide: int,
    levels: I64, byte_of: I64, decode: U8, numbers: U32, at: int, seen: U64, masks: U64,
    needed: I64, lane_at: I64, weight_of: I64, sums: I64,
) -> None:  # fmt: skip
    """Add for the rows of a small block, by masks of the other rows that are equal."""
    width = levels.size
    for c in range(first, width):
        if needed[c] == 0:
            continue
        write_codes(
            codes, halves, stride, begin, count, c, wide, levels, byte_of, decode, numbers, at
        )
        for t in range(count):
            seen[load(numbers, at + t)] |= np.uint64(1) << np.uint64(t)
        for t in range(count):
            masks[np.uint64(c * SMALL + t)] = seen[load(numbers, at + t)] ^ (
                np.uint64(1) << np.uint64(t)
            )
        for t in range(count):
            seen[load(numbers, at + t)] = 0
    for b in range(first, width - 1):
        for c in range(b + 1, width):
            weight = load(weight_of, b * width + c)
            to = load(lane_at, b * width + c)
            if weight != 0:
                for t in range(0, count, 4):
                    add_apart_four(sums, to + t, masks, b * SMALL + t, c * SMALL + t, weight)


@inner
def _flag_in_groups(
    numbers: U32, at: int, members: U32, bounds: I64, groups: int, stamp: I64, number: U32,
    epoch: int, alone: U8,
) -> None:  # fmt: skip
    """Clear the flag of rows that share their number with another row of the same group."""
    for g in range(groups):
        for t in range(bounds[g], bounds[g + 1]):
            r = np.int64(load(members, t))
            z = load(numbers, at + r)
            if stamp[z] == epoch + g:
                alone[number[z]] = 0
                alone[r] = 0
            else:
                stamp[z] = epoch + g
                number[z] = np.uint32(r)


@kernel
def flag_pairs(
    codes: U8, halves: U16, stride: int, starts: I64, blocks: int, small: int, wide: int,
    levels: I64, byte_of: I64, decode: U8, bundle_at: I64, lit: U64, lit_from: I64, lit_by: I64,
    lit_end: I64, hot: U64, near: U64, cell_of: U32, numbers: U32, seen: U64, masks: U64,
    stamp: I64, number: U32, offsets: I64, members: U32, bounds: I64, groups: int, order: U32,
    first: int, units: I64, bundled_units: I64, want: U64, whole: I64, column_of_bit: I64,
    needed: I64, lane_at: I64, weight_of: I64, table: U64, alone: U8, some: I64, lanes: int,
    reach: int, hits: U32, cell_at: U32, words: U64, keys: U32, block_sums: I64, sums: I64,
) -> None:  # fmt: skip
    """Find the records alone in columns b < c within their block, for the pairs asked for.

    Blocks, units and numbers as in ``count_pairs``. ``weight_of[b, c]`` is added to the record's
    sum in the lane that starts at ``lane_at[b, c]``; it is 0 for pairs not asked for.
    ``needed`` says which
    columns are in any pair; ``want`` has the bits of the columns wanted beside b, and ``whole``
    their weight, four words at a time.
    """
    width = levels.size
    largest = starts[blocks + 2]
    sorted_ = order.size > 0
    if sorted_:
        _keep_singles(
            order, starts[blocks], first, width, lane_at, weight_of, block_sums, reach, lanes, sums
        )
    epoch = np.int64(1)
    for z in range(stamp.size):
        stamp[z] = 0
    for i in range(blocks):
        begin = starts[i]
        end = starts[i + 1]
        count = end - begin
        if sorted_:
            for lane in range(lanes):
                for t in range(lane * reach, lane * reach + count):
                    block_sums[t] = 0
        if count <= min(small, TINY):
            _flag_tiny(
                codes, halves, stride, begin, count, first, wide, levels, byte_of, decode, masks,
                lane_at, weight_of, block_sums,
            )  # fmt: skip
        elif count <= small:
            _flag_small(
                codes, halves, stride, begin, count, first, wide, levels, byte_of, decode, numbers,
                largest, seen, masks, needed, lane_at, weight_of, block_sums,
            )  # fmt: skip
        else:
            chosen = bundled_units if count >= BUNDLED else units
            for c in range(first, wide):
                if needed[c] == 0:
                    continue
                at = (1 + c) * largest
                write_codes(
                    codes, halves, stride, begin, count, c, wide, levels, byte_of, decode, numbers,
                    at,
                )  # fmt: skip
                needed[c] = renumber(numbers, at, count, stamp, number, epoch)
                epoch += 1
            for u in range(0, chosen.size, UNIT):
                if chosen[u + FIRST] < wide:
                    chosen[u + CELLS] = needed[chosen[u + FIRST]]
            flag_by_bits(
                numbers, largest, groups, begin, end, codes, stride, decode, bundle_at, lit,
                lit_from, lit_by, lit_end, hot, near, cell_of, chosen, first, levels, want, whole,
                column_of_bit, lane_at, weight_of, some, table, lanes, hits, cell_at, words, keys,
                block_sums,
            )  # fmt: skip
            for b in range(first, min(wide, width - 1)):
                parts = np.int64(-1)
                for c in range(b + 1, wide):
                    weight = weight_of[b * width + c]
                    if weight == 0:
                        continue
                    if parts < 0:
                        parts = refine(
                            numbers, (1 + b) * largest, needed[b], count, offsets, members, bounds
                        )
                    for t in range(count):
                        alone[np.uint64(t)] = 1
                    _flag_in_groups(
                        numbers, (1 + c) * largest, members, bounds, parts, stamp, number, epoch,
                        alone,
                    )  # fmt: skip
                    epoch += parts
                    to = lane_at[b * width + c]
                    for t in range(count):
                        block_sums[np.uint64(to + t)] += weight & -np.int64(load(alone, t))
        if sorted_:
            for lane in range(lanes):
                for t in range(count):
                    to = lane * order.size + order[begin + t]
                    sums[to] += block_sums[lane * reach + t]


@kernel
def write_rows(
    sums: I64, lane: int, records: int, rows: I64, words: U64, bits: U64, row_words: int
) -> None:
    """Write the flags of a lane, one sum for each record, as a row of bits for each column set.

    ``rows`` are the rows of ``bits`` that the flags of a sum belong to, ``words`` is room for 64.
    A square of 64 flags is transposed by swapping ever smaller squares in it.
    """
    for w in range(row_words):
        begin = lane * records + 64 * w
        for i in range(64):
            words[i] = np.uint64(sums[begin + i]) if 64 * w + i < records else np.uint64(0)
        half = 32
        mask = np.uint64(0xFFFFFFFF)
        while half > 0:
            by = np.uint64(half)
            k = 0
            while k < 64:
                swapped = (words[k] >> by ^ words[k + half]) & mask
                words[k] ^= swapped << by
                words[k + half] ^= swapped
                k = (k + half + 1) & ~half
            half >>= 1
            mask ^= mask << np.uint64(half)
        for q in range(rows.size):
            bits[rows[q] * row_words + w] = words[q]
