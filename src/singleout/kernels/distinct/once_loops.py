"""Who is alone, by bits: the values that the records of a cell have, seen once or again.

A cell is a group of records and a code, as for counting. It keeps which values of the narrow
columns were seen, four words at a time, and which were seen again. A record is alone with the
values of its own that were seen once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from singleout.core.arrays import I64, U8, U32, U64
from singleout.kernels.bits import (
    load,
    lowest,
    meet_four,
    merge_four,
    note_four,
    or_four,
    popcount,
)
from singleout.kernels.compiling import inner
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

__all__ = ["CELL", "flag_by_bits"]

CELL = 8  # words of a cell: four of values seen, four of values seen again


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
def _leave_once(
    units: I64, u: int, table: U64, base: int, groups: int, levels: I64, decode: U8, want: U64,
    spans: int, word: int,
) -> Any:  # fmt: skip
    """Leave in each cell the values seen once that are wanted; return whether there are any.

    The cells of a bundle get what is seen once with any of its columns, so that few records are
    looked at.
    """
    single = units[u + FIRST] + 1 == units[u + END]
    factor = units[u + FACTOR]
    some = np.uint64(0)
    at = base
    if not single:
        at += CELL * units[u + CELLS]
        for i in range(base, at):
            table[np.uint64(i)] = 0
    for b in range(units[u + FIRST], units[u + END]):
        end = at + CELL * (units[u + CELLS] if single else groups * levels[b])
        for cell in range(at, end, CELL):
            for w in range(4):
                once = load(table, cell + w) & ~load(table, cell + 4 + w)
                once &= load(want, b * spans + word + w)
                table[np.uint64(cell + w)] = once
                some |= once
        for g in range(0 if single else groups):
            for code in range(factor):
                value = np.int64(load(decode, 256 * b + code))
                cell = at + CELL * (g * levels[b] + value)
                or_four(table, base + CELL * (g * factor + code), table, cell)
        at = end
    return some != 0


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
    listed: Any = found
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
        left: Any = first
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
    found: Any = 0
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
def flag_by_bits(
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
                if some[u // UNIT] > 0:
                    if units[u + FIRST] + 1 < units[u + END]:
                        _split_up(units, u, table, base, groups, levels, decode)
                    some[u // UNIT] = _leave_once(
                        units, u, table, base, groups, levels, decode, want, spans, word
                    )
                base += _room_of(units, u, groups, levels)
