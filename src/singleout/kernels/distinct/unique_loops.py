"""The compiled loops that find which records are alone in their combination, for many column sets.

The same blocks, units and bits as for counting distinct combinations: here a cell keeps which
values were seen, and which were seen again; a record is alone with the values of its own that were
seen once. The results are bits, a row for each column set, or sums for each record.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from singleout.core.arrays import I64, U8, U16, U32, U64
from singleout.kernels.bits import load, lowest, meet_four, note_four
from singleout.kernels.compiling import inlined, inner, kernel
from singleout.kernels.distinct.bit_loops import (
    BUNDLE,
    CELLS,
    CHUNK,
    FACTOR,
    FIRST,
    MEANS,
    REGION,
    UNIT,
    write_bits,
    write_cells,
)
from singleout.kernels.distinct.pair_loops import SMALL, refine, renumber, write_codes

__all__ = ["SKIP", "flag_pairs"]

SKIP = -1  # a column set that is not asked for
_CELL = 8  # words of a cell: four of values seen, four of values seen again


@inner
def _keep_singles(
    order: U32, begin: int, first: int, width: int, row_of: I64, weight_of: I64,
    bits: U64, row_words: int, sums: I64, times: I64,
) -> None:  # fmt: skip
    """Keep the records that the leading columns already single out: alone in every pair."""
    weight = 0
    sets = 0
    for pair in range(first * width, width * width):
        if row_of[pair] == SKIP:
            continue
        weight += weight_of[pair]
        sets += 1
        if row_words > 0:
            for t in range(begin, order.size):
                r = np.int64(order[t])
                bits[row_of[pair] * row_words + (r >> 6)] |= np.uint64(1) << np.uint64(r & 63)
    if row_words == 0:
        for t in range(begin, order.size):
            sums[order[t]] += weight
            times[order[t]] += sets


@inlined
def _note_seen(cell_of: U32, count: int, hot: U64, at: int, table: U64, base: int) -> None:
    """Note for each cell which values its records have in four words, and which again."""
    for t in range(count):
        note_four(table, base + _CELL * np.int64(load(cell_of, t)), hot, at + 4 * t)


@inlined
def _leave_once(table: U64, base: int, cells: int, want: U64, wanted: int) -> Any:
    """Leave in each cell the values seen once that are wanted; return whether there are any."""
    remaining = np.uint64(0)
    for cell in range(cells):
        at = base + _CELL * cell
        for w in range(4):
            once = load(table, at + w) & ~load(table, at + 4 + w) & load(want, wanted + w)
            table[np.uint64(at + w)] = once
            remaining |= once
    return remaining != 0


@inlined
def _keep_seen_once(
    cell_of: U32, block: int, begin: int, end: int, hot: U64, at: int, word: int, table: U64,
    base: int, want: U64, wanted: int, whole: I64, column_of_bit: I64, pair: int, row_of: I64,
    weight_of: I64, order: U32, bits: U64, row_words: int, sums: I64, times: I64,
) -> None:  # fmt: skip
    """Keep the records of a block that have values seen once.

    ``whole`` has the weight of all columns wanted and their number: often a record is alone in all
    of them.
    """
    for r in range(begin, end):
        cell = base + _CELL * np.int64(load(cell_of, r - begin))
        here = at + 4 * (r - begin)
        if not meet_four(table, cell, hot, here):
            continue
        rest = np.uint64(0)
        for w in range(4):
            mine = load(hot, here + w)
            rest |= (load(table, cell + w) ^ load(want, wanted + w)) & mine
        if rest == 0 and row_words == 0:
            sums[np.uint64(r - block)] += whole[wanted >> 1]
            times[np.uint64(r - block)] += whole[(wanted >> 1) + 1]
            continue
        for w in range(4):
            once = load(table, cell + w) & load(hot, here + w)
            while once != 0:
                c = load(column_of_bit, 64 * (word + w) + lowest(once))
                once &= once - np.uint64(1)
                if row_words == 0:
                    sums[np.uint64(r - block)] += load(weight_of, pair + c)
                    times[np.uint64(r - block)] += 1
                else:
                    i = np.int64(order[r]) if order.size > 0 else r
                    row = load(row_of, pair + c)
                    bits[row * row_words + (i >> 6)] |= np.uint64(1) << np.uint64(i & 63)


@inner
def _flag_by_bits(
    numbers: U32, reach: int, begin: int, end: int, codes: U8, stride: int, decode: U8,
    bundle_at: I64, lit: U64, lit_from: I64, lit_by: I64, lit_end: I64, hot: U64, near: U64,
    cell_of: U32, units: I64, first: int, width: int, want: U64, whole: I64, column_of_bit: I64,
    row_of: I64, weight_of: I64, order: U32, some: I64, table: U64, bits: U64, row_words: int,
    sums: I64, times: I64,
) -> None:  # fmt: skip
    """Find the records of a block alone in (b, c), for the columns b of units and narrow c.

    The first turn marks the values seen of all records, the second keeps the records that have
    values seen once: ``some`` says for which units there are any.
    """
    spans = want.size // width
    for word in range(0, spans, 4):
        base = 0
        for u in range(0, units.size, UNIT):
            base += units[u + CELLS] * _CELL
        for k in range(base):
            table[np.uint64(k)] = 0
        for turn in range(2):
            for chunk in range(begin, end, CHUNK):
                stop = min(chunk + CHUNK, end)
                at = word * end + 4 * chunk if hot.size > 0 else 0
                lights = hot if hot.size > 0 else near
                # in a block of several chunks they are not there any more at the second turn
                if hot.size == 0 and (turn == 0 or end - begin > CHUNK):
                    write_bits(
                        codes, stride, chunk, stop, bundle_at, word, first + 1, lit, lit_from,
                        lit_by, lit_end, near, at,
                    )  # fmt: skip
                base = 0
                for u in range(0, units.size, UNIT):
                    b = units[u + FIRST]
                    wanted = b * spans + word
                    if whole[(wanted >> 1) + 1] > 0 if turn == 0 else some[u // UNIT] > 0:
                        write_cells(
                            numbers, begin - units[u + REGION] * reach, units[u + FACTOR], codes,
                            stride, bundle_at[units[u + BUNDLE]], decode, units[u + MEANS], chunk,
                            stop, cell_of,
                        )  # fmt: skip
                        if turn == 0:
                            _note_seen(cell_of, stop - chunk, lights, at, table, base)
                        else:
                            _keep_seen_once(
                                cell_of, begin, chunk, stop, lights, at, word, table, base, want,
                                wanted, whole, column_of_bit, b * width, row_of, weight_of, order,
                                bits, row_words, sums, times,
                            )  # fmt: skip
                    base += units[u + CELLS] * _CELL
            base = 0
            for u in range(0, units.size if turn == 0 else 0, UNIT):
                wanted = units[u + FIRST] * spans + word
                some[u // UNIT] = 0
                if whole[(wanted >> 1) + 1] > 0:
                    some[u // UNIT] = _leave_once(table, base, units[u + CELLS], want, wanted)
                base += units[u + CELLS] * _CELL


@inner
def _write_masks(numbers: U32, at: int, count: int, seen: U64, masks: U64, to: int) -> None:
    """Write for each row the mask of all rows with the same code; ``seen`` is zero after."""
    for t in range(count):
        seen[load(numbers, at + t)] |= np.uint64(1) << np.uint64(t)
    for t in range(count):
        masks[np.uint64(to + t)] = seen[load(numbers, at + t)]
    for t in range(count):
        seen[load(numbers, at + t)] = 0


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
    stamp: I64, number: U32, offsets: I64, members: U32, bounds: I64, order: U32, first: int,
    units: I64, want: U64, whole: I64, column_of_bit: I64, needed: I64,
    row_of: I64, weight_of: I64, table: U64, alone: U8, bits: U64, row_words: int,
    block_sums: I64, block_times: I64, sums: I64, times: I64,
) -> None:  # fmt: skip
    """Find the records alone in columns b < c within their block, for the pairs asked for.

    Blocks, units and numbers as in ``count_pairs``. ``row_of[b, c]`` is the row of ``bits`` to
    write to, or SKIP. Without words in a row, ``weight_of[b, c]`` is added to the record's sum and
    one to its times. ``needed`` says which columns are in any pair; ``want`` has the bits of the
    columns wanted beside b, and ``whole`` their weight and number, four words at a time.
    """
    width = levels.size
    largest = starts[blocks + 2]
    sorted_ = order.size > 0
    if sorted_:
        _keep_singles(
            order, starts[blocks], first, width, row_of, weight_of, bits, row_words, sums, times
        )
    epoch = np.int64(1)
    for z in range(stamp.size):
        stamp[z] = 0
    for i in range(blocks):
        begin = starts[i]
        end = starts[i + 1]
        count = end - begin
        if sorted_ and row_words == 0:
            for t in range(count):
                block_sums[t] = 0
                block_times[t] = 0
        for c in range(first, wide if count > small else width):
            if needed[c] == 0:
                continue
            at = largest if count <= small else (1 + c) * largest
            write_codes(
                codes, halves, stride, begin, count, c, wide, levels, byte_of, decode, numbers, at
            )
            if count <= small:
                _write_masks(numbers, at, count, seen, masks, c * SMALL)
            else:
                needed[c] = renumber(numbers, at, count, stamp, number, epoch)
                epoch += 1
        if count > small:
            for u in range(0, units.size, UNIT):
                if units[u + FIRST] < wide:
                    units[u + CELLS] = needed[units[u + FIRST]]
            _flag_by_bits(
                numbers, largest, begin, end, codes, stride, decode, bundle_at, lit, lit_from,
                lit_by, lit_end, hot, near, cell_of, units, first, width, want, whole,
                column_of_bit, row_of, weight_of, order, bounds, table, bits, row_words,
                block_sums, block_times,
            )  # fmt: skip
        for b in range(first, min(wide, width - 1) if count > small else width - 1):
            groups = np.int64(-1)
            for c in range(b + 1, wide if count > small else width):
                row = row_of[b * width + c]
                if row == SKIP:
                    continue
                weight = weight_of[b * width + c]
                if count <= small and row_words == 0:
                    for t in range(count):
                        both = load(masks, b * SMALL + t) & load(masks, c * SMALL + t)
                        single = np.int64(both == np.uint64(1) << np.uint64(t))
                        block_sums[np.uint64(t)] += weight & -single
                        block_times[np.uint64(t)] += single
                    continue
                if count <= small:
                    for t in range(count):
                        both = load(masks, b * SMALL + t) & load(masks, c * SMALL + t)
                        alone[np.uint64(t)] = both == np.uint64(1) << np.uint64(t)
                else:
                    if groups < 0:
                        groups = refine(
                            numbers, (1 + b) * largest, needed[b], count, offsets, members, bounds
                        )
                    for t in range(count):
                        alone[np.uint64(t)] = 1
                    _flag_in_groups(
                        numbers, (1 + c) * largest, members, bounds, groups, stamp, number, epoch,
                        alone,
                    )  # fmt: skip
                    epoch += groups
                if row_words == 0:
                    for t in range(count):
                        single = np.int64(load(alone, t))
                        block_sums[np.uint64(t)] += weight & -single
                        block_times[np.uint64(t)] += single
                else:
                    for t in range(count):
                        if alone[t]:
                            r = np.int64(order[begin + t])
                            bits[row * row_words + (r >> 6)] |= np.uint64(1) << np.uint64(r & 63)
        if sorted_ and row_words == 0:
            for t in range(count):
                sums[order[begin + t]] += block_sums[t]
                times[order[begin + t]] += block_times[t]
