"""Count the distinct combinations of every set of p columns: the base of QaR.

For sets of three or more, the leading columns split the records into blocks; inside a block all
pairs of the remaining columns are counted together. Sets of two are the same with one block. The
counts are in lexicographic order of the original columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain, combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64
from singleout.kernels.compiling import announce_compiling, worth_compiling
from singleout.kernels.distinct import pair_loops, plain
from singleout.kernels.distinct.blocks import (
    cells_of,
    flat_units,
    gathered_units,
    one_block,
    prefix_groups,
    sorted_blocks,
    units_in_blocks,
)
from singleout.kernels.distinct.plain import work_of
from singleout.kernels.distinct.prepared import Prepared, Scratch, prepare
from singleout.kernels.threads import in_parallel

__all__ = [
    "column_sets",
    "counts_of_prefixes",
    "distinct_counts",
    "distinct_counts_of",
    "position_order",
    "upper_triangle",
]

_GATHERED = 1 << 15  # words of a table of bits, which should stay in the cache


@lru_cache(maxsize=4)
def column_sets(width: int, size: int) -> I64:
    """Return all sets of ``size`` columns in lexicographic order, one in each row; read-only."""
    members = chain.from_iterable(combinations(range(width), size))
    sets = np.fromiter(members, dtype=np.int64, count=size * comb(width, size))
    sets.flags.writeable = False
    return sets.reshape(-1, size)


def distinct_counts(columns: Sequence[NDArray[Any]], levels: Sequence[int], size: int) -> I64:
    """Return how many distinct combinations each set of ``size`` columns has.

    ``levels`` is for each column a number above its largest code.
    """
    return distinct_counts_of(prepare(columns, levels), size)


def distinct_counts_of(table: Prepared, size: int) -> I64:
    """Return how many distinct combinations each set of ``size`` columns of a table has."""
    if size == 1:
        counts = [len(np.unique(table.codes(position))) for position in range(table.width)]
        by_position = np.array(counts, dtype=np.int64)
    elif worth_compiling(work_of(table, size), pair_loops.count_pairs):
        announce_compiling(pair_loops.count_pairs)
        by_position = np.concatenate(_counted(table, size))
    else:
        by_position = plain.counts(table, size)
    by_set = np.empty(len(by_position), dtype=np.int64)
    by_set[position_order(table, size)] = by_position
    return by_set


def _counted(table: Prepared, size: int) -> list[I64]:
    """Return the counts for each prefix of leading columns."""
    prefixes = list(combinations(range(table.width - 2), size - 2))
    table.packed  # noqa: B018 - before there are several threads

    def count(prefix: tuple[int, ...]) -> I64:
        scratch = table.scratch()
        counts = _pairs_beyond(table, prefix, scratch)
        table.idle.append(scratch)
        return counts

    return in_parallel(count, prefixes, "Counting combinations")


def position_order(table: Prepared, size: int) -> I64:
    """Return, for the sets by position, their indices among the sets by original column."""
    return _order(tuple(table.columns.tolist()), size)


@lru_cache(maxsize=4)
def _order(columns: tuple[int, ...], size: int) -> I64:
    width = len(columns)
    sets = np.sort(np.array(columns)[column_sets(width, size)], axis=1)
    ranks = np.full(len(sets), comb(width, size) - 1, dtype=np.int64)
    for index in range(size):
        choose = np.array([comb(width - 1 - c, size - index) for c in range(width)], dtype=np.int64)
        ranks -= choose[sets[:, index]]
    ranks.flags.writeable = False
    return ranks


def _pairs_beyond(table: Prepared, prefix: tuple[int, ...], scratch: Scratch) -> I64:
    """Return the distinct counts of the prefix with each pair of columns after it."""
    first = prefix[-1] + 1 if prefix else 0
    packing, width = table.packing, table.width
    ids, groups = prefix_groups(table, prefix, scratch)
    pairs = np.zeros(width * width, dtype=np.int64)
    units = gathered_units(packing, table.records, first, groups, bundled=True, room=_GATHERED)
    last = units.first
    bits = packing.bits
    bit_tables = (bits.bit_of, bits.word_of, bits.mask_of, bits.column_of, bits.pieces_after)
    # the cells of a bundle are split up into other cells
    if last < width - 1:
        cells = 8 * (units.cells + width * groups)
        pair_loops.count_pairs(
            *one_block(table, ids).arguments(table, scratch), groups, last, width - 1, units.flat,
            units.flat, *bit_tables, scratch.array("table", cells, np.uint64), pairs,
        )  # fmt: skip
    if first < last:
        blocks = sorted_blocks(table, ids, groups, scratch, ordered=False)
        single, bundled = units_in_blocks(packing, first, last)
        cells = max(cells_of(packing, some, blocks.largest) for some in (single, bundled))
        pair_loops.count_pairs(
            *blocks.arguments(table, scratch), 1, first, last, flat_units(single),
            flat_units(bundled), *bit_tables,
            scratch.array("table", 8 * (cells + width), np.uint64), pairs,
        )  # fmt: skip
    return pairs[_pairs_after(width, first)]


@cache
def _pairs_after(width: int, first: int) -> I64:
    """Return the indices of all pairs b < c from a column on in a table of all pairs."""
    rows, columns = upper_triangle(width - first)
    return (rows + first) * width + columns + first


@cache
def upper_triangle(width: int) -> tuple[I64, I64]:
    """Return the rows and columns of all pairs b < c, in lexicographic order."""
    rows, columns = np.triu_indices(width, 1)
    return rows, columns


def counts_of_prefixes(table: Prepared, prefixes: Iterable[tuple[int, ...]]) -> I64:
    """Return the distinct counts of some sets by position, for schedulers elsewhere.

    A prefix is the leading positions of sets, which it makes with any two positions beyond. The
    counts for all ``combinations(range(width - 2), size - 2)``, one after the other, are those of
    all sets of ``size`` positions in lexicographic order.
    """
    scratch = Scratch()
    return np.concatenate([_pairs_beyond(table, tuple(prefix), scratch) for prefix in prefixes])
