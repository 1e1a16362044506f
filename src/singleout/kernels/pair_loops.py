"""The compiled loops that count distinct combinations for many column sets in one go.

Two ways. Where there are few groups, the values that the records of a group have in all columns
with few values are put together as bits, in one pass. Otherwise records are sorted by the leading
columns, and inside each block of records that agree on them all pairs of the remaining columns are
counted while the block is in the cache: by bit masks of equal rows up to 64 records, by byte maps
or by refining beyond.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from singleout.kernels.bits import popcount

__all__ = ["MAP", "clear", "count_direct", "count_pairs", "recode", "refine", "sort_rows"]

U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]

MAP = 8  # a byte map may have this many cells for each record of a block


@njit(cache=True, nogil=True)
def sort_rows(ids: U32, groups: int, rows: U64, order: U32, packed: U64) -> I64:
    """Sort records by group; return where each group of two or more starts, and how many are alone.

    The last entry is the number of records in groups of one: they stand at the end of ``order`` and
    are left out of ``packed``.
    """
    sizes = np.zeros(groups + 1, np.int64)
    for r in range(ids.size):
        sizes[ids[r]] += 1
    starts = np.empty(groups + 2, np.int64)
    place = np.empty(groups + 1, np.int64)
    used = 0
    at = 0
    alone = 0
    for g in range(groups):
        if sizes[g] < 2:
            alone += sizes[g]
            place[g] = -1
        else:
            starts[used] = at
            used += 1
            place[g] = at
            at += sizes[g]
    starts[used] = at
    starts[used + 1] = alone
    words = rows.shape[1]
    tail = at
    for r in range(ids.size):
        to = place[ids[r]]
        if to >= 0:
            place[ids[r]] = to + 1
            order[to] = np.uint32(r)
        else:
            order[tail] = np.uint32(r)
            tail += 1
    for t in range(at):
        r = order[t]
        for w in range(words):
            packed[t, w] = rows[r, w]
    return starts[: used + 2]


@njit(cache=True, nogil=True)
def clear(cells: NDArray[Any], count: int) -> None:
    """Set the first cells to zero; quicker to compile than assigning to a slice."""
    for i in range(count):
        cells[i] = 0


@njit(cache=True, nogil=True)
def _marked(cells: U8, count: int) -> Any:
    total = np.int64(0)
    for i in range(count):
        total += cells[i]
    return total


@njit(cache=True, nogil=True)
def _gather(ids: U32, codes: U8, levels: int, hot: U64, first: int, table: U64) -> None:
    """Put together, for each group and code, the values that its records have in other columns.

    ``hot`` has a bit for each value of each column; its words from ``first`` on take part.
    """
    words = hot.shape[1] - first
    k = np.uint32(levels)
    n = np.uint64(words)
    # indexes without a sign are not checked for counting from the end
    if words == 1:
        for r in range(ids.size):
            table[ids[r] * k + np.uint32(codes[r])] |= hot[r, first]
    elif words == 2:
        for r in range(ids.size):
            at = np.uint64(ids[r] * k + np.uint32(codes[r])) * n
            table[at] |= hot[r, first]
            table[at + np.uint64(1)] |= hot[r, first + 1]
    elif words == 3:
        for r in range(ids.size):
            at = np.uint64(ids[r] * k + np.uint32(codes[r])) * n
            table[at] |= hot[r, first]
            table[at + np.uint64(1)] |= hot[r, first + 1]
            table[at + np.uint64(2)] |= hot[r, first + 2]
    else:
        for r in range(ids.size):
            at = np.uint64(ids[r] * k + np.uint32(codes[r])) * n
            for w in range(words):
                table[at + np.uint64(w)] |= hot[r, first + w]


@njit(cache=True, nogil=True)
def count_direct(
    ids: U32,
    groups: int,
    columns: I64,
    wide: int,
    levels: I64,
    narrow: U8,
    hot: U64,
    word_of: I64,
    mask_of: U64,
    pairs: I64,
) -> None:
    """Add to ``pairs[b, c]`` the distinct (group, b, c) for some columns b and all c after them.

    For each (group, b) the values of all other columns are put together in a few words, in one pass
    over the records; how many there are of column c is then the number of its bits.
    """
    most = 0
    for b in columns:
        most = max(most, groups * levels[b] * (hot.shape[1] - word_of[b + 1]))
    table = np.empty(most, np.uint64)
    for b in columns:
        first = word_of[b + 1]
        words = hot.shape[1] - first
        cells = groups * levels[b]
        clear(table, cells * words)
        _gather(ids, narrow[b - wide], levels[b], hot, first, table)
        for c in range(b + 1, levels.size):
            mask = mask_of[c]
            place = word_of[c] - first
            total = np.uint64(0)
            for g in range(cells):
                total += popcount(table[g * words + place] & mask)
            pairs[b, c] += np.int64(total)


@njit(cache=True, nogil=True)
def _earlier_equal(column: NDArray[Any], count: int, seen: U64, masks: U64) -> None:
    """Write for each row the mask of earlier rows with the same code; ``seen`` is zero after."""
    for t in range(count):
        z = column[t]
        masks[t] = seen[z]
        seen[z] = masks[t] | (np.uint64(1) << np.uint64(t))
    for t in range(count):
        seen[column[t]] = 0


@njit(cache=True, nogil=True)
def _first_ones(a: U64, b: U64, count: int) -> int:
    """Count the rows that no earlier row equals in both columns."""
    total = 0
    for t in range(count):
        total += (a[t] & b[t]) == 0
    return total


@njit(cache=True, nogil=True)
def _dense4(
    xb: U32, x0: U32, x1: U32, x2: U32, x3: U32, k0: int, k1: int, k2: int, k3: int,
    count: int, m0: U8, m1: U8, m2: U8, m3: U8,
) -> None:  # fmt: skip
    for t in range(count):
        k = np.uint32(xb[t])
        m0[k * np.uint32(k0) + np.uint32(x0[t])] = 1
        m1[k * np.uint32(k1) + np.uint32(x1[t])] = 1
        m2[k * np.uint32(k2) + np.uint32(x2[t])] = 1
        m3[k * np.uint32(k3) + np.uint32(x3[t])] = 1


@njit(cache=True, nogil=True)
def _dense1(xb: U32, x0: U32, k0: int, count: int, m0: U8) -> None:
    for t in range(count):
        m0[np.uint32(xb[t]) * np.uint32(k0) + np.uint32(x0[t])] = 1


@njit(cache=True, nogil=True)
def refine(
    column: NDArray[Any], levels: int, count: int, offsets: I64, order: U32, starts: I64
) -> tuple[int, int]:
    """Group the rows of a block by one column; return the groups of two or more, and the rest."""
    clear(offsets, levels)
    for t in range(count):
        offsets[column[t]] += 1
    at = 0
    groups = 0
    alone = 0
    starts[0] = 0
    for q in range(levels):
        size = offsets[q]
        if size < 2:
            offsets[q] = -1
            alone += size
        else:
            offsets[q] = at
            at += size
            groups += 1
            starts[groups] = at
    for t in range(count):
        to = offsets[column[t]]
        if to >= 0:
            order[to] = np.uint32(t)
            offsets[column[t]] = to + 1
    return groups, alone


@njit(cache=True, nogil=True)
def _distinct_in_groups(
    column: NDArray[Any], order: U32, starts: I64, groups: int, stamp: I64, epoch: int
) -> tuple[int, int]:
    """Count the distinct codes of a column within each group, all groups together."""
    total = 0
    for g in range(groups):
        begin, end = starts[g], starts[g + 1]
        if end - begin == 2:
            total += 1 + (column[order[begin]] != column[order[begin + 1]])
            continue
        if end - begin == 3:
            x, y, z = column[order[begin]], column[order[begin + 1]], column[order[begin + 2]]
            total += 1 + (y != x) + ((z != x) & (z != y))
            continue
        epoch += 1
        for t in range(begin, end):
            z = column[order[t]]
            total += stamp[z] != epoch
            stamp[z] = epoch
    return total, epoch


@njit(cache=True, nogil=True)
def recode(
    rows: U32, column: int, begin: int, count: int, stamp: I64, code: U32, epoch: int, out: U32
) -> int:
    """Give the codes of a wide column in a block dense numbers; return how many there are."""
    found = 0
    for t in range(count):
        z = rows[begin + t, column]
        if stamp[z] != epoch:
            stamp[z] = epoch
            code[z] = np.uint32(found)
            found += 1
        out[t] = code[z]
    return found


@njit(cache=True, nogil=True)
def _pairs_of_small_block(
    narrow_rows: U8,
    wide_rows: U32,
    begin: int,
    count: int,
    first: int,
    wide: int,
    skip: NDArray[np.bool_],
    seen: U64,
    masks: U64,
    pairs: I64,
) -> None:
    """Count all pairs of columns in a block of at most 64 records, by masks of equal rows."""
    width = masks.shape[0]
    for c in range(first, width):
        if c < wide:
            _earlier_equal(wide_rows[begin : begin + count, c], count, seen, masks[c])
        else:
            at = 4 * wide + c - wide
            _earlier_equal(narrow_rows[begin : begin + count, at], count, seen, masks[c])
    for b in range(first, width - 1):
        if not skip[b]:
            for c in range(b + 1, width):
                pairs[b, c] += _first_ones(masks[b], masks[c], count)


@njit(cache=True, nogil=True)
def count_pairs(
    packed: U64,
    starts: I64,
    first: int,
    wide: int,
    levels: I64,
    skip: NDArray[np.bool_],
    pairs: I64,
) -> None:
    """Add to ``pairs[b, c]`` the distinct codes of columns b < c within blocks, over all blocks.

    Blocks are rows ``starts[i]:starts[i + 1]``; the last entry of ``starts`` is the number of
    further blocks that have one record each. Positions from ``first`` on take part; those that
    ``skip`` names only as c.
    """
    width = levels.size
    narrow_rows = packed.view(np.uint8)
    wide_rows = packed.view(np.uint32)
    blocks = starts.size - 2
    largest = 64
    for i in range(blocks):
        largest = max(largest, starts[i + 1] - starts[i])
    most = max(256, levels[0])
    seen = np.zeros(most, np.uint64)
    masks = np.zeros((width, 64), np.uint64)
    stamp = np.zeros(most, np.int64)
    code = np.zeros(most if wide > 0 else 1, np.uint32)
    offsets = np.empty(max(most, largest), np.int64)
    # of one type for all columns: half the code to compile, and a block is small
    codes = np.empty((width, largest), np.uint32)
    local = levels.copy()
    order = np.empty(largest, np.uint32)
    bounds = np.empty(largest + 1, np.int64)
    maps = np.empty((4, MAP * largest + 64), np.uint8)
    pending = np.empty(4, np.int64)
    epoch = np.int64(0)
    for i in range(blocks):
        begin = starts[i]
        count = starts[i + 1] - begin
        if count <= 64:
            _pairs_of_small_block(
                narrow_rows, wide_rows, begin, count, first, wide, skip, seen, masks, pairs
            )
            continue
        for c in range(first, width):
            if c < wide:
                epoch += 1
                local[c] = recode(wide_rows, c, begin, count, stamp, code, epoch, codes[c])
            else:
                at = 4 * wide + c - wide
                for t in range(count):
                    codes[c, t] = narrow_rows[begin + t, at]
        for b in range(first, width - 1):
            if skip[b]:
                continue
            kb = local[b]
            groups = -1
            alone = 0
            waiting = 0
            for c in range(b + 1, width):
                cells = kb * local[c]
                if cells > MAP * count:
                    if groups < 0:
                        groups, alone = refine(codes[b], kb, count, offsets, order, bounds)
                    found, epoch = _distinct_in_groups(
                        codes[c], order, bounds, groups, stamp, epoch
                    )
                    pairs[b, c] += found + alone
                    continue
                clear(maps[waiting], cells)
                pending[waiting] = c
                waiting += 1
                if waiting == 4:
                    c0, c1, c2, c3 = pending
                    _dense4(
                        codes[b], codes[c0], codes[c1], codes[c2], codes[c3],
                        local[c0], local[c1], local[c2], local[c3],
                        count, maps[0], maps[1], maps[2], maps[3],
                    )  # fmt: skip
                    for q in range(4):
                        pairs[b, pending[q]] += _marked(maps[q], kb * local[pending[q]])
                    waiting = 0
            for q in range(waiting):
                c = pending[q]
                _dense1(codes[b], codes[c], local[c], count, maps[q])
                pairs[b, c] += _marked(maps[q], kb * local[c])
    singles = starts[starts.size - 1]
    for b in range(first, width - 1):
        if not skip[b]:
            for c in range(b + 1, width):
                pairs[b, c] += singles
