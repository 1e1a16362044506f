"""Which records are alone in their combination, for every set of p columns or for some of them.

The full matrix of records by column sets is never made: either the weights of the sets for which a
record is alone are summed, or there are bits for the few sets that are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from threading import Lock
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64, U64
from singleout.core.progress import working_on
from singleout.kernels.compiling import announce_compiling, worth_compiling
from singleout.kernels.distinct import bit_loops, once_loops, plain, unique_loops
from singleout.kernels.distinct.blocks import (
    Blocks,
    cells_of,
    flat_units,
    gathered_units,
    one_block,
    prefix_groups,
    sorted_blocks,
    units_in_blocks,
)
from singleout.kernels.distinct.count import position_order, upper_triangle
from singleout.kernels.distinct.packing import TOGETHER, Bits, CountedUnit, Packing
from singleout.kernels.distinct.plain import work_of
from singleout.kernels.distinct.prepared import Prepared, Scratch
from singleout.kernels.threads import in_parallel, thread_count

__all__ = ["LANES", "unique_bits", "unique_sums"]

_Result = TypeVar("_Result")

_SKIP = -1  # a column set that is not asked for
_GATHERED = 1 << 14  # words of a table of bits, half of the room that it takes here
_FLAG = unique_loops.flag_pairs
_SPAN = TOGETHER // 64  # words that are looked at together
_FLAGS = 64  # flags in a lane
LANES = 4  # of flags that are found in one go: 32 bytes for each record, in each thread
_WORD = 63  # bits of a sum


def unique_sums(table: Prepared, size: int, weights: I64) -> tuple[I64, I64]:
    """Return for each record the weight of all column sets for which it is alone, and how many.

    Weights are in the lexicographic order of the sets, and whole numbers from 0 on, so that the
    order of addition does not matter.
    """
    weights = np.asarray(weights, dtype=np.int64)
    if size > 1 and not worth_compiling(work_of(table, size), _FLAG):
        return plain.sums(table, size, weights[position_order(table, size)])
    shift = int(weights.sum()).bit_length()
    if shift + len(weights).bit_length() > _WORD:  # more than could be counted in a day
        return _summed(table, size, weights), _summed(table, size, np.ones_like(weights))
    both = _summed(table, size, weights + (1 << shift))  # one number has the sum and the count
    return both & ((1 << shift) - 1), both >> shift


def _summed(table: Prepared, size: int, weights: I64) -> I64:
    """Return for each record the sum of some weights."""
    by_position = weights[position_order(table, size)]

    def work(tasks: _Tasks) -> I64:
        sums = np.zeros(table.records, dtype=np.int64)
        scratch = table.scratch()
        for prefix, part in tasks:
            if size == 1:
                sums += _alone_in(table, prefix[0]) * by_position[part]
            elif by_position[part].any():
                pairs = _Wanted(*_pairs(table.width, prefix, by_position[part]), 1, sums)
                _flag_beyond(table, prefix, pairs, scratch)
        table.idle.append(scratch)
        return sums

    return np.sum(_search(table, size, work), axis=0, dtype=np.int64)


def unique_bits(table: Prepared, size: int, wanted: I64) -> U64:
    """Return bits that say which records are alone, a row for each column set that is wanted.

    Bit ``i & 63`` of word ``i >> 6`` is for record i; sets are numbered in lexicographic order.
    """
    bits = np.zeros((len(wanted), -(-table.records // 64)), dtype=np.uint64)
    if not len(wanted):
        return bits
    rows = _rows(table, size, wanted)
    if size > 1 and not worth_compiling(work_of(table, size), _FLAG):
        plain.flags(table, size, rows, bits)
        return bits

    def work(tasks: _Tasks) -> None:
        scratch = table.scratch()
        for prefix, part in tasks:
            chosen = np.flatnonzero(rows[part] != _SKIP)
            if size == 1 and len(chosen):
                padded = np.zeros(64 * bits.shape[1], dtype=np.uint8)
                padded[: table.records] = _alone_in(table, prefix[0])
                bits[rows[part][0]] = np.packbits(padded, bitorder="little").view(np.uint64)
            elif len(chosen):
                _flag_rows(table, prefix, rows[part], chosen, bits, scratch)
        table.idle.append(scratch)

    _search(table, size, work)
    return bits


def _flag_rows(
    table: Prepared, prefix: tuple[int, ...], rows: I64, chosen: I64, bits: U64, scratch: Scratch
) -> None:
    """Set the bits of the rows of some pairs after a prefix, a few lanes of flags at a time."""
    words = np.empty(_FLAGS, dtype=np.uint64)
    for some in np.split(chosen, range(LANES * _FLAGS, len(chosen), LANES * _FLAGS)):
        weights, lanes = np.zeros((2, len(rows)), dtype=np.int64)
        flag = np.arange(len(some))
        weights[some] = (np.uint64(1) << (flag % _FLAGS).astype(np.uint64)).view(np.int64)
        lanes[some] = flag // _FLAGS
        used = -(-len(some) // _FLAGS)
        sums = scratch.array("flags", used * table.records)[: used * table.records]
        sums[:] = 0
        pairs = _pairs(table.width, prefix, weights, lanes)
        _flag_beyond(table, prefix, _Wanted(*pairs, used, sums), scratch)
        for lane in range(used):
            of_lane = rows[some[lane * _FLAGS : (lane + 1) * _FLAGS]]
            unique_loops.write_rows(
                sums, lane, table.records, of_lane, words, bits.reshape(-1), bits.shape[1]
            )


def _search(table: Prepared, size: int, work: Callable[[_Tasks], _Result]) -> list[_Result]:
    """Go through all leading columns in threads, each of which takes tasks until none is left."""
    if size > 1:
        announce_compiling(_FLAG)
        table.packed  # noqa: B018 - before there are several threads
    halt = np.zeros(1, dtype=np.bool_)
    tasks = _Tasks(table, size, halt)
    return in_parallel(lambda _: work(tasks), range(thread_count()), halt=halt)


def _rows(table: Prepared, size: int, wanted: I64) -> I64:
    """Return which of the column sets wanted each set by position is, or SKIP."""
    by_position = position_order(table, size)
    row_of = np.full(len(by_position), _SKIP, dtype=np.int64)
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
    """The pairs of columns that are asked for, and the array for the results."""

    weight_of: I64  # the weight of each pair of positions; 0 if it is not asked for
    lane_of: I64  # the lane that it is added to
    lanes: int
    sums: I64  # for the results, lane by lane

    def only(self, first: int, last: int) -> _Wanted:
        """Return the pairs whose first position is within a range."""
        weight_of = np.zeros_like(self.weight_of)
        weight_of[first:last] = self.weight_of[first:last]
        return replace(self, weight_of=weight_of)

    @cached_property
    def pairs(self) -> NDArray[np.bool_]:
        """Whether each pair is asked for."""
        return self.weight_of != 0

    def masks(self, bits: Bits) -> U64:
        """Return the bits of the columns that are asked for beside each column."""
        pieces = len(bits.word_of)
        in_word = np.zeros((pieces, _SPAN * bits.fours), dtype=np.uint64)
        in_word[np.arange(pieces), bits.word_of] = bits.mask_of
        # the pieces of a word have no bit in common, so that adding puts them together
        return self.pairs[:, bits.column_of].astype(np.uint64) @ in_word

    def totals(self, bits: Bits, wide: int) -> I64:
        """Return the weight of these columns, a few words at a time."""
        span_of = bits.bit_of[wide:] // TOGETHER
        in_span = np.zeros((len(span_of), bits.fours), dtype=np.int64)
        in_span[np.arange(len(span_of)), span_of] = 1
        return self.weight_of[:, wide:] @ in_span


def _pairs(width: int, prefix: tuple[int, ...], *values: I64) -> tuple[I64, I64]:
    """Return the weights, and the lanes if there are several, of the pairs after a prefix."""
    first = prefix[-1] + 1 if prefix else 0
    upper = upper_triangle(width - first)
    weight_of, lane_of = np.zeros((2, width, width), dtype=np.int64)
    for by_position, numbers in zip((weight_of, lane_of), values, strict=False):
        by_position[first:, first:][upper] = numbers
    return weight_of, lane_of


def _flag_beyond(
    table: Prepared, prefix: tuple[int, ...], wanted: _Wanted, scratch: Scratch
) -> None:
    """Find the records alone in the prefix with each pair of columns after it."""
    first = prefix[-1] + 1 if prefix else 0
    ids, groups = prefix_groups(table, prefix, scratch)
    packing = table.packing
    gathered = gathered_units(packing, table.records, first, groups, bundled=True, room=_GATHERED)
    last = gathered.first
    later, earlier = wanted.only(last, table.width), wanted.only(first, last)
    if later.pairs.any():
        units = _Units(gathered.units, gathered.units, groups)
        _flag(table, one_block(table, ids), last, units, later, scratch)
    if earlier.pairs.any():
        blocks = sorted_blocks(table, ids, groups, scratch, ordered=True)
        units = _Units(*units_in_blocks(packing, first, last), 1)
        _flag(table, blocks, first, units, earlier, scratch)


class _Units(NamedTuple):
    """What is looked at together: in blocks of few and of many records."""

    few: Sequence[CountedUnit]
    many: Sequence[CountedUnit]
    groups: int  # in each block

    def within(self, leading: NDArray[np.bool_]) -> _Units:
        """Return the units with any of some columns."""
        few, many = (
            [unit for unit in units if leading[unit.first : unit.end].any()]
            for units in (self.few, self.many)
        )
        return self._replace(few=few, many=many)

    def words(self, packing: Packing, largest: int) -> int:
        """Return how many words their cells need at most, with those of the columns of bundles."""
        split = self.groups * int(packing.levels[packing.wide :].sum())
        cells = (cells_of(packing, units, largest) for units in (self.few, self.many))
        return once_loops.CELL * (max(cells) + split)


def _flag(
    table: Prepared, blocks: Blocks, first: int, units: _Units, wanted: _Wanted, scratch: Scratch
) -> None:
    """Find the records alone in the pairs that are wanted."""
    bits = table.packing.bits
    leading = np.asarray(wanted.pairs.any(axis=1))
    chosen = units.within(leading)
    sums, reach = wanted.sums, table.records
    if len(blocks.order):
        reach = blocks.largest
        sums = scratch.array("sums", wanted.lanes * reach)
    unique_loops.flag_pairs(
        *blocks.arguments(table, scratch), units.groups, blocks.order, first,
        flat_units(chosen.few), flat_units(chosen.many),
        wanted.masks(bits).reshape(-1), wanted.totals(bits, table.packing.wide).reshape(-1),
        bits.column_of_bit, (leading | wanted.pairs.any(axis=0)).astype(np.int64),
        reach * wanted.lane_of.reshape(-1), wanted.weight_of.reshape(-1),
        scratch.array("table", chosen.words(table.packing, blocks.largest), np.uint64),
        scratch.array("alone", blocks.largest, np.uint8), scratch.array("some", table.width),
        wanted.lanes, reach, *_lists(scratch), sums, wanted.sums,
    )  # fmt: skip


def _lists(scratch: Scratch) -> tuple[NDArray[Any], ...]:
    """Return room for the records of a chunk that are looked at, and for their words."""
    if "lists" not in scratch.cached:
        # each loop writes one element more than it keeps
        room = bit_loops.CHUNK * (_SPAN + 1) + 1
        kinds = (np.uint32, np.uint32, np.uint64, np.uint32)
        scratch.cached["lists"] = tuple(np.empty(room, dtype=kind) for kind in kinds)
    return scratch.cached["lists"]


def _alone_in(table: Prepared, column: int) -> NDArray[np.bool_]:
    """Return which records are alone in one column."""
    codes = table.codes(column)
    return np.asarray((np.bincount(codes, minlength=int(table.levels[column])) == 1)[codes])
