"""Which records are alone in their combination, for every set of p columns or for some of them.

The full matrix of records by column sets is never made: either the weights of the sets for which a
record is alone are added up, or bits are kept for the few sets that are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from singleout.core.progress import working_on
from singleout.kernels import unique_loops
from singleout.kernels.compiling import announce_compiling
from singleout.kernels.distinct import (
    direct_columns,
    position_order,
    prefix_groups,
    upper_triangle,
)
from singleout.kernels.pair_loops import sort_rows
from singleout.kernels.prepared import Prepared
from singleout.kernels.threads import in_parallel, thread_count

__all__ = ["unique_bits", "unique_sums"]

U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]


def unique_sums(table: Prepared, size: int, weights: I64) -> tuple[I64, I64]:
    """Return for each record the weight of all column sets for which it is alone, and how many.

    Parameters
    ----------
    table
        The table, laid out.
    size
        How many columns a set has, from 1.
    weights
        A whole number for each column set, in lexicographic order; whole, so that the order of
        adding does not matter.
    """
    wanted = np.arange(len(weights), dtype=np.int64)
    found = _search(table, size, wanted, np.asarray(weights, dtype=np.int64), bits=None)
    sums, times = zip(*found, strict=True)
    return np.sum(sums, axis=0), np.sum(times, axis=0)


def unique_bits(table: Prepared, size: int, wanted: I64) -> U64:
    """Return bits that say which records are alone, a row for each column set that is wanted.

    Bit ``i & 63`` of word ``i >> 6`` is for record i; sets are numbered in lexicographic order.
    """
    bits = np.zeros((len(wanted), -(-table.records // 64)), dtype=np.uint64)
    if len(wanted):
        _search(table, size, wanted, None, bits)
    return bits


def _search(
    table: Prepared, size: int, wanted: I64, weights: I64 | None, bits: U64 | None
) -> list[tuple[I64, I64]]:
    """Go through all leading columns; each thread adds up in arrays of its own."""
    announce_compiling(unique_loops.flag_thirds, unique_loops.flag_pairs)
    by_position = position_order(table, size)
    row_of = np.full(len(by_position), unique_loops.SKIP, dtype=np.int64)
    row_of[wanted] = np.arange(len(wanted), dtype=np.int64)
    rows = row_of[by_position]
    held = np.zeros(len(by_position), np.int64) if weights is None else weights[by_position]
    kept = np.zeros((0, 0), dtype=np.uint64) if bits is None else bits
    tasks = _Tasks(table, size)

    def work(_: int) -> tuple[I64, I64]:
        length = table.records if bits is None else 0
        sums, times = np.zeros(length, dtype=np.int64), np.zeros(length, dtype=np.int64)
        for prefix, part in tasks:
            if (rows[part] != unique_loops.SKIP).any():
                _flag_beyond(table, size, prefix, rows[part], held[part], kept, sums, times)
        return sums, times

    return in_parallel(work, range(thread_count()))


class _Tasks:
    """The leading columns and their share of the column sets, handed out one by one."""

    def __init__(self, table: Prepared, size: int) -> None:
        if size == 1:
            prefixes: list[tuple[int, ...]] = [(c,) for c in range(table.width)]
            counts = [1] * table.width
        else:
            prefixes = list(combinations(range(table.width - 2), size - 2))
            if size == 2:
                prefixes = [()]
            rest = [table.width - (p[-1] + 1 if p else 0) for p in prefixes]
            counts = [n * (n - 1) // 2 for n in rest]
        ends = np.cumsum(counts).tolist()
        parts = [slice(end - count, end) for end, count in zip(ends, counts, strict=True)]
        self._total = len(prefixes)
        self._todo = iter(list(enumerate(zip(prefixes, parts, strict=True))))
        self._lock = Lock()

    def __iter__(self) -> Iterator[tuple[tuple[int, ...], slice]]:
        while True:
            with self._lock:
                found = next(self._todo, None)
            if found is None:
                return
            done, task = found
            working_on("Finding unique records", done, self._total)
            yield task


def _flag_beyond(
    table: Prepared,
    size: int,
    prefix: tuple[int, ...],
    rows: I64,
    weights: I64,
    bits: U64,
    sums: I64,
    times: I64,
) -> None:
    """Find the records alone in the prefix with each pair of columns after it."""
    if size == 1:
        _flag_column(table, prefix[0], int(rows[0]), int(weights[0]), bits, sums, times)
        return
    first = prefix[-1] + 1 if prefix else 0
    width = table.width
    row_of = np.full((width, width), unique_loops.SKIP, dtype=np.int64)
    weight_of = np.zeros((width, width), dtype=np.int64)
    upper = upper_triangle(width - first)
    row_of[first:, first:][upper] = rows
    weight_of[first:, first:][upper] = weights
    ids, groups = prefix_groups(table, prefix)
    for b in direct_columns(table, first, groups):
        if (row_of[b] != unique_loops.SKIP).any():
            kb = int(table.levels[b])
            unique_loops.flag_thirds(
                ids * np.uint32(kb) + table.narrow_codes[b - table.wide],
                groups * kb, b + 1, table.wide, table.levels, table.narrow_codes,
                row_of[b], weight_of[b], bits, sums, times,
            )  # fmt: skip
            row_of[b] = unique_loops.SKIP
    if (row_of != unique_loops.SKIP).any():
        order = np.empty(table.records, dtype=np.uint32)
        packed = np.empty_like(table.rows)
        starts = sort_rows(ids, groups, table.rows, order, packed)
        unique_loops.flag_pairs(
            packed, order, starts, first, table.wide, table.levels,
            row_of, weight_of, bits, sums, times,
        )  # fmt: skip


def _flag_column(
    table: Prepared, column: int, row: int, weight: int, bits: U64, sums: I64, times: I64
) -> None:
    """Find the records alone in one column."""
    codes = table.codes(column)
    alone = (np.bincount(codes, minlength=int(table.levels[column])) == 1)[codes]
    if len(bits):
        padded = np.zeros(64 * bits.shape[1], dtype=np.uint8)
        padded[: len(alone)] = alone
        bits[row] = np.packbits(padded, bitorder="little").view(np.uint64)
    else:
        sums[alone] += weight
        times[alone] += 1
