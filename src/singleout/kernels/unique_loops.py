"""The compiled loops that find which records are alone in their combination, for many column sets.

The same blocks and maps as for counting distinct combinations: here a cell of a map counts up to
two, and a record is alone if its cell stays at one. What is found goes into bits, a row for each
column set, or is added up for each record.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from singleout.kernels.pair_loops import MAP, recode, refine

__all__ = ["SKIP", "flag_pairs", "flag_thirds"]

SKIP = -1  # a column set that is not asked for

U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]


@njit(cache=True, nogil=True)
def flag_thirds(
    key: U32,
    groups: int,
    first: int,
    wide: int,
    levels: I64,
    narrow: U8,
    row_of: I64,
    weight_of: I64,
    bits: U64,
    sums: I64,
    times: I64,
) -> None:
    """Find the records alone in (key, column c) for each position c >= first that is asked for.

    ``row_of[c]`` is the row of ``bits`` to write to, or SKIP. Without bits, ``weight_of[c]``
    is added to the record's sum and one to its times.
    """
    records = key.size
    cells = np.empty(groups * levels[first], np.uint8)
    g = np.uint32(groups)
    for c in range(first, levels.size):
        if row_of[c] == SKIP:
            continue
        x = narrow[c - wide]
        size = groups * levels[c]
        cells[:size] = 0
        for r in range(records):
            k = np.uint32(x[r]) * g + key[r]
            cells[k] = min(cells[k] + 1, 2)
        ones = 0
        for k in range(size):
            ones += cells[k] == 1
        if ones == 0:
            continue
        if bits.shape[0] > 0:
            row = bits[row_of[c]]
            for r in range(records):
                if cells[np.uint32(x[r]) * g + key[r]] == 1:
                    row[r >> 6] |= np.uint64(1) << np.uint64(r & 63)
        else:
            weight = weight_of[c]
            for r in range(records):
                alone = cells[np.uint32(x[r]) * g + key[r]] == 1
                sums[r] += weight if alone else 0
                times[r] += alone


@njit(cache=True, nogil=True)
def _equal(column: NDArray[Any], count: int, seen: U64, masks: U64) -> None:
    """Write for each row the mask of all rows with the same code; ``seen`` is zero after."""
    for t in range(count):
        seen[column[t]] |= np.uint64(1) << np.uint64(t)
    for t in range(count):
        masks[t] = seen[column[t]]
    for t in range(count):
        seen[column[t]] = 0


@njit(cache=True, nogil=True)
def _flag_dense(
    xb: NDArray[Any], xc: NDArray[Any], kc: int, count: int, cells: U8, alone: U8
) -> None:
    k = np.uint32(kc)
    for t in range(count):
        z = np.uint32(xb[t]) * k + np.uint32(xc[t])
        cells[z] = min(cells[z] + 1, 2)
    for t in range(count):
        alone[t] = cells[np.uint32(xb[t]) * k + np.uint32(xc[t])] == 1


@njit(cache=True, nogil=True)
def _flag_in_groups(
    column: NDArray[Any],
    order: U32,
    starts: I64,
    groups: int,
    stamp: I64,
    first: U32,
    epoch: int,
    alone: U8,
) -> int:
    """Clear the flag of rows that share their code with another row of the same group."""
    for g in range(groups):
        epoch += 1
        for t in range(starts[g], starts[g + 1]):
            r = order[t]
            z = column[r]
            if stamp[z] == epoch:
                alone[first[z]] = 0
                alone[r] = 0
            else:
                stamp[z] = epoch
                first[z] = r
    return epoch


@njit(cache=True, nogil=True)
def _keep(
    alone: U8, order: U32, begin: int, count: int, row: int, weight: int,
    bits: U64, sums: I64, times: I64,
) -> None:  # fmt: skip
    """Keep the flags of a block, as bits or in its sums (in the order of the block)."""
    if bits.shape[0] > 0:
        for t in range(count):
            if alone[t]:
                r = order[begin + t]
                bits[row, r >> 6] |= np.uint64(1) << np.uint64(r & 63)
    else:
        for t in range(count):
            sums[t] += weight if alone[t] else 0
            times[t] += alone[t]


@njit(cache=True, nogil=True)
def _keep_singles(
    order: U32, begin: int, first: int, row_of: I64, weight_of: I64,
    bits: U64, sums: I64, times: I64,
) -> None:  # fmt: skip
    """Keep the records that the leading columns already single out: alone in every pair."""
    width = row_of.shape[0]
    weight = 0
    sets = 0
    for b in range(first, width - 1):
        for c in range(b + 1, width):
            if row_of[b, c] == SKIP:
                continue
            weight += weight_of[b, c]
            sets += 1
            if bits.shape[0] > 0:
                for t in range(begin, order.size):
                    r = order[t]
                    bits[row_of[b, c], r >> 6] |= np.uint64(1) << np.uint64(r & 63)
    if bits.shape[0] == 0:
        for t in range(begin, order.size):
            sums[order[t]] += weight
            times[order[t]] += sets


@njit(cache=True, nogil=True)
def flag_pairs(
    packed: U64,
    order: U32,
    starts: I64,
    first: int,
    wide: int,
    levels: I64,
    row_of: I64,
    weight_of: I64,
    bits: U64,
    sums: I64,
    times: I64,
) -> None:
    """Find the records alone in columns b < c within their block, for the pairs asked for.

    Blocks as in ``count_pairs``; ``row_of[b, c]`` and ``weight_of[b, c]`` as in ``flag_thirds``.
    """
    width = levels.size
    narrow_rows = packed.view(np.uint8)
    wide_rows = packed.view(np.uint32)
    blocks = starts.size - 2
    _keep_singles(order, starts[blocks], first, row_of, weight_of, bits, sums, times)
    largest = 64
    for i in range(blocks):
        largest = max(largest, starts[i + 1] - starts[i])
    most = max(256, levels[0])
    seen = np.zeros(most, np.uint64)
    masks = np.zeros((width, 64), np.uint64)
    stamp = np.zeros(most, np.int64)
    code = np.zeros(most, np.uint32)
    offsets = np.empty(max(most, largest), np.int64)
    codes = np.empty((width, largest), np.uint32)
    local = levels.copy()
    members = np.empty(largest, np.uint32)
    bounds = np.empty(largest + 1, np.int64)
    cells = np.empty(MAP * largest + 64, np.uint8)
    alone = np.empty(largest, np.uint8)
    block_sums = np.zeros(largest, np.int64)
    block_times = np.zeros(largest, np.int64)
    needed = np.zeros(width, np.bool_)
    for b in range(first, width - 1):
        for c in range(b + 1, width):
            if row_of[b, c] != SKIP:
                needed[b] = True
                needed[c] = True
    epoch = np.int64(0)
    for i in range(blocks):
        begin = starts[i]
        count = starts[i + 1] - begin
        block_sums[:count] = 0
        block_times[:count] = 0
        for c in range(first, width):
            if not needed[c]:
                continue
            at = 4 * wide + c - wide
            if count <= 64:
                if c < wide:
                    _equal(wide_rows[begin : begin + count, c], count, seen, masks[c])
                else:
                    _equal(narrow_rows[begin : begin + count, at], count, seen, masks[c])
            elif c < wide:
                epoch += 1
                local[c] = recode(wide_rows, c, begin, count, stamp, code, epoch, codes[c])
            else:
                for t in range(count):
                    codes[c, t] = narrow_rows[begin + t, at]
        for b in range(first, width - 1):
            groups = -1
            for c in range(b + 1, width):
                row = row_of[b, c]
                if row == SKIP:
                    continue
                if count <= 64:
                    for t in range(count):
                        alone[t] = (masks[b, t] & masks[c, t]) == np.uint64(1) << np.uint64(t)
                elif local[b] * local[c] <= MAP * count:
                    cells[: local[b] * local[c]] = 0
                    _flag_dense(codes[b], codes[c], local[c], count, cells, alone)
                else:
                    if groups < 0:
                        groups, _ = refine(codes[b], local[b], count, offsets, members, bounds)
                    alone[:count] = 1
                    epoch = _flag_in_groups(
                        codes[c], members, bounds, groups, stamp, code, epoch, alone
                    )
                _keep(
                    alone, order, begin, count, row, weight_of[b, c], bits, block_sums, block_times
                )
        if bits.shape[0] == 0:
            for t in range(count):
                sums[order[begin + t]] += block_sums[t]
                times[order[begin + t]] += block_times[t]
