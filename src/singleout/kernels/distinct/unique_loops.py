"""The compiled loops that find which records are alone in their combination, for many column sets.

The same blocks, units and bits as for counting distinct combinations: here a cell keeps which
values were seen, and which were seen again; a record is alone with the values of its own that were
seen once. The weights of the column sets in which a record is alone are added up, in one or several
*lanes*: with weights that are powers of two, a lane is 64 flags.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from singleout.core.arrays import I64, U8, U16, U32, U64
from singleout.kernels.bits import (
    add_apart_bytes,
    add_apart_four,
    load,
    lowest,
    meet_four,
    merge_four,
    note_four,
    or_four,
    popcount,
)
from singleout.kernels.compiling import inner, kernel
from singleout.kernels.distinct.bit_loops import (
    BUNDLE,
    CELLS,
    CHUNK,
    END,
    FACTOR,
    FIRST,
    MEANS,
    REGION,
    UNIT,
    write_bits,
    write_cells,
)
from singleout.kernels.distinct.pair_loops import (
    BUNDLED,
    SMALL,
    TINY,
    refine,
    renumber,
    write_codes,
    write_tiny,
)

__all__ = ["CELL", "flag_pairs", "write_rows"]

CELL = 8  # words of a cell: four of values seen, four of values seen again


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
def _split_up(
    units: I64, u: int, table: U64, base: int, groups: int, levels: I64, decode: U8
) -> None:
    """Split the cells of a bundle by each of its columns; theirs follow those of the bundle."""
    factor = units[u + FACTOR]
    at = base + CELL * units[u + CELLS]
    for b in range(units[u + FIRST], units[u + END]):
        for i in range(at, at + CELL * groups * levels[b]):
            table[np.uint64(i)] = 0
        for g in range(groups):
            for code in range(factor):
                value = np.int64(load(decode, 256 * b + code))
                cell = at + CELL * (g * levels[b] + value)
                merge_four(table, cell, table, base + CELL * (g * factor + code))
        at += CELL * groups * levels[b]


@inner
def _leave_once(table: U64, base: int, cells: int, want: U64, wanted: int) -> Any:
    """Leave in each cell the values seen once that are wanted; return whether there are any."""
    remaining = np.uint64(0)
    for cell in range(cells):
        at = base + CELL * cell
        for w in range(4):
            once = load(table, at + w) & ~load(table, at + 4 + w) & load(want, wanted + w)
            table[np.uint64(at + w)] = once
            remaining |= once
    return remaining != 0


@inner
def _leave_once_of_bundle(
    units: I64, u: int, table: U64, base: int, groups: int, levels: I64, decode: U8, want: U64,
    spans: int, word: int,
) -> Any:  # fmt: skip
    """Leave what is seen once with any column of a bundle, so that few records are looked at."""
    factor = units[u + FACTOR]
    some = False
    at = base + CELL * units[u + CELLS]
    for i in range(base, at):
        table[np.uint64(i)] = 0
    for b in range(units[u + FIRST], units[u + END]):
        if _leave_once(table, at, groups * levels[b], want, b * spans + word):
            some = True
            for g in range(groups):
                for code in range(factor):
                    value = np.int64(load(decode, 256 * b + code))
                    cell = at + CELL * (g * levels[b] + value)
                    or_four(table, base + CELL * (g * factor + code), table, cell)
        at += CELL * groups * levels[b]
    return some


@inner
def _list_words(
    hits: U32, found: int, cell_at: U32, table: U64, hot: U64, at: int, want: U64, wanted: int,
    whole: int, lanes: int, words: U64, keys: U32, sums: I64, to: int,
) -> Any:  # fmt: skip
    """List the words with the values that records are alone with; return how many there are.

    A record is often alone with most of the values wanted. Then the others are listed, and the
    weight of all is added. A key is the record, which of the four words, and whether that is so.
    """
    for k in range(found):
        t = np.int64(load(hits, k))
        cell = np.int64(load(cell_at, k))
        more = np.int64(0)
        for w in range(4):
            mine = load(hot, at + 4 * t + w)
            once = load(table, cell + w) & mine
            more += np.int64(popcount(once)) * 2 - np.int64(popcount(load(want, wanted + w) & mine))
        most = np.int64(lanes == 1 and more > 0)
        sums[np.uint64(to + t)] += whole & -most
        keys[np.uint64(k)] = np.uint32(2 * t + most)
    # word by word, so that neighbours are not of the same record
    listed = found
    for w in range(4):
        for k in range(found):
            key = np.int64(load(keys, k))
            turned = load(want, wanted + w) & np.uint64(-(key & 1))
            once = load(table, np.int64(load(cell_at, k)) + w) ^ turned
            once &= load(hot, at + 4 * (key >> 1) + w)
            words[np.uint64(listed)] = once
            keys[np.uint64(listed)] = np.uint32(4 * key + w)
            listed += np.int64(once != 0)
    return listed


@inner
def _add_weights(
    words: U64, keys: U32, first: int, listed: int, word: int, column_of_bit: I64, pair: int,
    lane_at: I64, weight_of: I64, sums: I64, to: int,
) -> None:  # fmt: skip
    """Add the weights of the bits in words: one of each in every round, until none is left.

    A loop over the bits of a word would end at a time that a processor cannot foresee.
    """
    while listed > first:
        left = first
        for i in range(first, listed):
            bits = load(words, i)
            key = np.int64(load(keys, i))
            c = load(column_of_bit, 64 * (word + (key & 3)) + lowest(bits))
            sign = -(key >> 2 & 1)
            at = to + load(lane_at, pair + c) + (key >> 3)
            sums[np.uint64(at)] += (load(weight_of, pair + c) ^ sign) - sign
            bits &= bits - np.uint64(1)
            words[np.uint64(left)] = bits
            keys[np.uint64(left)] = np.uint32(key)
            left += np.int64(bits != 0)
        listed = left


@inner
def _keep_seen_once(
    cell_of: U32, count: int, to: int, hot: U64, at: int, word: int, units: I64, u: int,
    table: U64, base: int, groups: int, levels: I64, decode: U8, want: U64, spans: int, whole: I64,
    column_of_bit: I64, lane_at: I64, weight_of: I64, lanes: int, hits: U32, cell_at: U32,
    words: U64, keys: U32, sums: I64,
) -> None:  # fmt: skip
    """Add for the records of a chunk that have values seen once, by the columns of a unit."""
    found = 0
    for t in range(count):
        hits[np.uint64(found)] = np.uint32(t)
        cell = base + CELL * np.int64(load(cell_of, t))
        cell_at[np.uint64(found)] = np.uint32(cell)
        found += np.int64(meet_four(table, cell, hot, at + 4 * t))
    single = units[u + FIRST] + 1 == units[u + END]
    factor = units[u + FACTOR]
    below = base + CELL * units[u + CELLS]
    for b in range(units[u + FIRST], units[u + END] if found > 0 else 0):
        if not single:
            for k in range(found):
                number = np.int64(load(cell_of, np.int64(load(hits, k))))
                group = number // factor
                value = np.int64(load(decode, 256 * b + number - group * factor))
                cell_at[np.uint64(k)] = np.uint32(below + CELL * (group * levels[b] + value))
            below += CELL * groups * levels[b]
        wanted = b * spans + word
        listed = _list_words(
            hits, found, cell_at, table, hot, at, want, wanted, whole[wanted >> 2], lanes, words,
            keys, sums, to,
        )  # fmt: skip
        _add_weights(
            words, keys, found, listed, word, column_of_bit, b * levels.size, lane_at, weight_of,
            sums, to,
        )  # fmt: skip


@inner
def _room_of(units: I64, u: int, groups: int, levels: I64) -> Any:
    """Return how many words the cells of a unit take, with those of its columns."""
    cells = units[u + CELLS]
    if units[u + FIRST] + 1 < units[u + END]:
        for b in range(units[u + FIRST], units[u + END]):
            cells += groups * levels[b]
    return CELL * cells


@inner
def _is_wanted(units: I64, u: int, want: U64, spans: int, word: int) -> Any:
    """Return whether any column is wanted beside one of a unit, within four words."""
    some = np.uint64(0)
    for b in range(units[u + FIRST], units[u + END]):
        for w in range(4):
            some |= load(want, b * spans + word + w)
    return some != 0


@inner
def _flag_by_bits(
    numbers: U32, ahead: int, groups: int, begin: int, end: int, codes: U8, stride: int, decode: U8,
    bundle_at: I64, lit: U64, lit_from: I64, lit_by: I64, lit_end: I64, hot: U64, near: U64,
    cell_of: U32, units: I64, first: int, levels: I64, want: U64, whole: I64, column_of_bit: I64,
    lane_at: I64, weight_of: I64, some: I64, table: U64, lanes: int, hits: U32, cell_at: U32,
    words: U64, keys: U32, sums: I64,
) -> None:  # fmt: skip
    """Find the records of a block alone in (b, c), for the columns b of units and narrow c.

    The first turn marks the values seen of all records, the second keeps the records that have
    values seen once: ``some`` says for which units there are any.
    """
    spans = want.size // levels.size
    for word in range(0, spans, 4):
        base = 0
        for u in range(0, units.size, UNIT):
            some[u // UNIT] = _is_wanted(units, u, want, spans, word)
            for k in range(base, base + CELL * units[u + CELLS]):
                table[np.uint64(k)] = 0
            base += _room_of(units, u, groups, levels)
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
                    if some[u // UNIT] > 0:
                        write_cells(
                            numbers, begin - units[u + REGION] * ahead, units[u + FACTOR], codes,
                            stride, bundle_at[units[u + BUNDLE]], decode, units[u + MEANS], chunk,
                            stop, cell_of,
                        )  # fmt: skip
                    if some[u // UNIT] > 0 and turn == 0:
                        for t in range(stop - chunk):
                            cell = base + CELL * np.int64(load(cell_of, t))
                            note_four(table, cell, lights, at + 4 * t)
                    elif some[u // UNIT] > 0:
                        _keep_seen_once(
                            cell_of, stop - chunk, chunk - begin, lights, at, word, units, u,
                            table, base, groups, levels, decode, want, spans, whole, column_of_bit,
                            lane_at, weight_of, lanes, hits, cell_at, words, keys, sums,
                        )  # fmt: skip
                    base += _room_of(units, u, groups, levels)
            base = 0
            for u in range(0, units.size if turn == 0 else 0, UNIT):
                b = units[u + FIRST]
                if some[u // UNIT] == 0:
                    pass
                elif b + 1 == units[u + END]:
                    wanted = b * spans + word
                    some[u // UNIT] = _leave_once(table, base, units[u + CELLS], want, wanted)
                else:
                    _split_up(units, u, table, base, groups, levels, decode)
                    some[u // UNIT] = _leave_once_of_bundle(
                        units, u, table, base, groups, levels, decode, want, spans, word
                    )
                base += _room_of(units, u, groups, levels)


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
            _flag_by_bits(
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
