"""Which records are alone in their combination, for every set of p columns or for some of them.

The full matrix of records by column sets is never made: either the weights of the sets for which a
record is alone are summed, or there are bits for the few sets that are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64, U64
from singleout.core.progress import working_on
from singleout.kernels.compiling import announce_compiling, worth_compiling
from singleout.kernels.distinct import plain, unique_loops
from singleout.kernels.distinct.blocks import (
    Blocks,
    cells_of,
    flat_units,
    gathered_units,
    one_block,
    prefix_groups,
    sorted_blocks,
)
from singleout.kernels.distinct.count import position_order, upper_triangle
from singleout.kernels.distinct.packing import TOGETHER, Bits, CountedUnit
from singleout.kernels.distinct.plain import work_of
from singleout.kernels.distinct.prepared import Prepared, Scratch
from singleout.kernels.threads import in_parallel, thread_count

__all__ = ["unique_bits", "unique_sums"]

_GATHERED = 1 << 14  # words of a table of bits, half of the room that it takes here
_FLAG = unique_loops.flag_pairs
_SPAN = TOGETHER // 64  # words that are looked at together


def unique_sums(table: Prepared, size: int, weights: I64) -> tuple[I64, I64]:
    """Return for each record the weight of all column sets for which it is alone, and how many.

    Weights are in the lexicographic order of the sets, and whole numbers, so that the order of
    addition does not matter.
    """
    wanted = np.arange(len(weights), dtype=np.int64)
    if size > 1 and not worth_compiling(work_of(table, size), _FLAG):
        return plain.sums(table, size, np.asarray(weights)[position_order(table, size)])
    no_bits = np.zeros((0, 0), dtype=np.uint64)
    parts = _search(table, size, wanted, np.asarray(weights, dtype=np.int64), no_bits)
    sums, times = zip(*parts, strict=True)
    return np.sum(sums, axis=0), np.sum(times, axis=0)


def unique_bits(table: Prepared, size: int, wanted: I64) -> U64:
    """Return bits that say which records are alone, a row for each column set that is wanted.

    Bit ``i & 63`` of word ``i >> 6`` is for record i; sets are numbered in lexicographic order.
    """
    bits = np.zeros((len(wanted), -(-table.records // 64)), dtype=np.uint64)
    if len(wanted) and size > 1 and not worth_compiling(work_of(table, size), _FLAG):
        plain.flags(table, size, _rows(table, size, wanted), bits)
    elif len(wanted):
        no_weights = np.zeros(comb(table.width, size), dtype=np.int64)
        _search(table, size, wanted, no_weights, bits)
    return bits


def _search(
    table: Prepared, size: int, wanted: I64, weights: I64, bits: U64
) -> list[tuple[I64, I64]]:
    """Go through all leading columns: set bits if there are any, or sum up in each thread."""
    if size > 1:
        announce_compiling(_FLAG)
        table.packed  # noqa: B018 - before there are several threads
    rows = _rows(table, size, wanted)
    weights = weights[position_order(table, size)]
    halt = np.zeros(1, dtype=np.bool_)
    tasks = _Tasks(table, size, halt)

    def work(_: int) -> tuple[I64, I64]:
        length = 0 if len(bits) else table.records
        sums, times = np.zeros(length, dtype=np.int64), np.zeros(length, dtype=np.int64)
        scratch = table.scratch()
        for prefix, part in tasks:
            if (rows[part] == unique_loops.SKIP).all():
                continue
            if size == 1:
                row = int(rows[part][0])
                _flag_column(table, prefix[0], row, weights[part], bits, sums, times)
            else:
                pairs = _pairs(table.width, prefix, rows[part], weights[part])
                _flag_beyond(table, prefix, _Wanted(*pairs, bits, sums, times), scratch)
        table.idle.append(scratch)
        return sums, times

    return in_parallel(work, range(thread_count()), halt=halt)


def _rows(table: Prepared, size: int, wanted: I64) -> I64:
    """Return which of the column sets wanted each set by position is, or SKIP."""
    by_position = position_order(table, size)
    row_of = np.full(len(by_position), unique_loops.SKIP, dtype=np.int64)
    row_of[wanted] = np.arange(len(wanted), dtype=np.int64)
    return row_of[by_position]


class _Tasks:
    """The leading columns and their share of the column sets, handed out one by one until halt."""

    def __init__(self, table: Prepared, size: int, halt: NDArray[np.bool_]) -> None:
        self._halt = halt
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
        self._context = copy_context()

    def __iter__(self) -> Iterator[tuple[tuple[int, ...], slice]]:
        while not self._halt[0]:
            with self._lock:
                following = next(self._todo, None)
                if following is None:
                    return
                done, task = following
                # threads have no listener of their own
                self._context.run(working_on, "Finding unique records", done, self._total)
            yield task


@dataclass(frozen=True, eq=False)
class _Wanted:
    """The pairs of columns that are asked for, and the arrays for the results."""

    row_of: I64  # the row of the bits for each pair of positions, or SKIP
    weight_of: I64  # the weight of each pair
    bits: U64  # for the results, unless it is empty
    sums: I64  # for the results otherwise
    times: I64

    def only(self, first: int, last: int) -> _Wanted:
        """Return the pairs whose first position is within a range."""
        row_of = np.full_like(self.row_of, unique_loops.SKIP)
        row_of[first:last] = self.row_of[first:last]
        return replace(self, row_of=row_of)

    @cached_property
    def pairs(self) -> NDArray[np.bool_]:
        """Whether each pair is asked for."""
        return self.row_of != unique_loops.SKIP

    def masks(self, bits: Bits) -> U64:
        """Return the bits of the columns that are asked for beside each column."""
        pieces = len(bits.word_of)
        in_word = np.zeros((pieces, _SPAN * bits.fours), dtype=np.uint64)
        in_word[np.arange(pieces), bits.word_of] = bits.mask_of
        # the pieces of a word have no bit in common, so that adding puts them together
        return self.pairs[:, bits.column_of].astype(np.uint64) @ in_word

    def totals(self, bits: Bits, wide: int) -> I64:
        """Return the weight of these columns and how many they are, a few words at a time."""
        span_of = bits.bit_of[wide:] // TOGETHER
        in_span = np.zeros((len(span_of), bits.fours), dtype=np.int64)
        in_span[np.arange(len(span_of)), span_of] = 1
        pairs = self.pairs[:, wide:]
        weights = np.where(pairs, self.weight_of[:, wide:], 0)
        return np.stack([weights @ in_span, pairs.astype(np.int64) @ in_span], axis=-1)


def _pairs(width: int, prefix: tuple[int, ...], rows: I64, weights: I64) -> tuple[I64, I64]:
    """Return the rows and the weights of the pairs after a prefix, by position."""
    first = prefix[-1] + 1 if prefix else 0
    upper = upper_triangle(width - first)
    row_of = np.full((width, width), unique_loops.SKIP, dtype=np.int64)
    weight_of = np.zeros((width, width), dtype=np.int64)
    row_of[first:, first:][upper] = rows
    weight_of[first:, first:][upper] = weights
    return row_of, weight_of


def _flag_beyond(
    table: Prepared, prefix: tuple[int, ...], wanted: _Wanted, scratch: Scratch
) -> None:
    """Find the records alone in the prefix with each pair of columns after it."""
    first = prefix[-1] + 1 if prefix else 0
    ids, groups = prefix_groups(table, prefix, scratch)
    packing = table.packing
    units = gathered_units(packing, table.records, first, groups, bundled=False, room=_GATHERED)
    last = units.first
    later, earlier = wanted.only(last, table.width), wanted.only(first, last)
    if later.pairs.any():
        _flag(table, one_block(table, ids), last, units.units, later, scratch)
    if earlier.pairs.any():
        blocks = sorted_blocks(table, ids, groups, scratch, ordered=True)
        _flag(table, blocks, first, packing.column_units[first:last], earlier, scratch)


def _flag(
    table: Prepared,
    blocks: Blocks,
    first: int,
    units: Sequence[CountedUnit],
    wanted: _Wanted,
    scratch: Scratch,
) -> None:
    """Find the records alone in the pairs that are wanted."""
    bits = table.packing.bits
    leading = np.asarray(wanted.pairs.any(axis=1))
    chosen = [unit for unit in units if leading[unit.first]]
    cells = cells_of(table.packing, chosen, blocks.largest)
    sums, times = wanted.sums, wanted.times
    if len(blocks.order):
        sums, times = (scratch.array(name, blocks.largest) for name in ("sums", "times"))
    unique_loops.flag_pairs(
        *blocks.arguments(table, scratch), blocks.order, first, flat_units(chosen),
        wanted.masks(bits).reshape(-1), wanted.totals(bits, table.packing.wide).reshape(-1),
        bits.column_of_bit, (leading | wanted.pairs.any(axis=0)).astype(np.int64),
        wanted.row_of.reshape(-1), wanted.weight_of.reshape(-1),
        scratch.array("table", cells * 2 * _SPAN, np.uint64),
        scratch.array("alone", blocks.largest, np.uint8),
        wanted.bits.reshape(-1), wanted.bits.shape[1], sums, times, wanted.sums, wanted.times,
    )  # fmt: skip


def _flag_column(
    table: Prepared, column: int, row: int, weight: I64, bits: U64, sums: I64, times: I64
) -> None:
    """Find the records alone in one column."""
    codes = table.codes(column)
    alone = (np.bincount(codes, minlength=int(table.levels[column])) == 1)[codes]
    if len(bits):
        padded = np.zeros(64 * bits.shape[1], dtype=np.uint8)
        padded[: len(alone)] = alone
        bits[row] = np.packbits(padded, bitorder="little").view(np.uint64)
    else:
        sums[alone] += weight[0]
        times[alone] += 1
