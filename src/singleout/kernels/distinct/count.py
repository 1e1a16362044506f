"""Count the distinct combinations of every set of p columns: the base of QaR.

For sets of three or more, the leading columns split the records into blocks; inside a block all
pairs of the remaining columns are counted together. Sets of two are the same with one block. The
order of the answer is lexicographic in the columns as given.
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
)
from singleout.kernels.distinct.plain import work_of
from singleout.kernels.distinct.prepared import Prepared, prepare
from singleout.kernels.scratch import Scratch
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

    Parameters
    ----------
    columns
        One array of codes for each column.
    levels
        For each column a number above its largest code.
    size
        How many columns a set has, from 1 to the number of columns.
    """
    return distinct_counts_of(prepare(columns, levels), size)


def distinct_counts_of(table: Prepared, size: int) -> I64:
    """Return the same for a table that is laid out already."""
    if size == 1:
        found = [len(np.unique(table.codes(position))) for position in range(table.width)]
        by_position = np.array(found, dtype=np.int64)
    elif worth_compiling(work_of(table, size), pair_loops.count_pairs):
        announce_compiling(pair_loops.count_pairs)
        by_position = np.concatenate(_counted(table, size))
    else:
        by_position = plain.counts(table, size)
    answer = np.empty(len(by_position), dtype=np.int64)
    answer[position_order(table, size)] = by_position
    return answer


def _counted(table: Prepared, size: int) -> list[I64]:
    """Return the counts for each prefix of leading columns."""
    prefixes = list(combinations(range(table.width - 2), size - 2))
    table.laid  # noqa: B018 - before there are several threads

    def count(prefix: tuple[int, ...]) -> I64:
        scratch = table.scratch()
        found = _pairs_beyond(table, prefix, scratch)
        table.idle.append(scratch)
        return found

    return in_parallel(count, prefixes, "Counting combinations")


def position_order(table: Prepared, size: int) -> I64:
    """Return, for the sets by position, their numbers among the sets by original column."""
    return _order(tuple(table.columns.tolist()), size)


@lru_cache(maxsize=4)
def _order(columns: tuple[int, ...], size: int) -> I64:
    width = len(columns)
    sets = np.sort(np.array(columns)[column_sets(width, size)], axis=1)
    ranks = np.full(len(sets), comb(width, size) - 1, dtype=np.int64)
    for place in range(size):
        choose = np.array([comb(width - 1 - c, size - place) for c in range(width)], dtype=np.int64)
        ranks -= choose[sets[:, place]]
    ranks.flags.writeable = False
    return ranks


def _pairs_beyond(table: Prepared, prefix: tuple[int, ...], scratch: Scratch) -> I64:
    """Return the distinct counts of the prefix with each pair of columns after it."""
    first = prefix[-1] + 1 if prefix else 0
    plan, width = table.plan, table.width
    ids, groups = prefix_groups(table, prefix, scratch)
    pairs = np.zeros(width * width, dtype=np.int64)
    units = gathered_units(plan, table.records, first, groups, bundled=True, room=_GATHERED)
    last = units.first
    bits = plan.bits
    places = (bits.bit_of, bits.word_of, bits.mask_of, bits.column_of, bits.pieces_after)
    # the cells of a bundle are split up into other cells
    if last < width - 1:
        cells = 8 * (units.cells + width * groups)
        pair_loops.count_pairs(
            *one_block(table, ids).arguments(table, scratch), groups, last, width - 1, units.flat,
            units.flat, *places, scratch.array("table", cells, np.uint64), pairs,
        )  # fmt: skip
    if first < last:
        blocks = sorted_blocks(table, ids, groups, scratch, ordered=False)
        single = plan.column_units[first:last]
        bundled = plan.column_units[first : min(plan.wide, last)]
        bundled += [unit for unit in plan.bundle_units if unit.first < last and unit.end > first]
        cells = max(cells_of(plan, some, blocks.largest) for some in (single, bundled))
        pair_loops.count_pairs(
            *blocks.arguments(table, scratch), 1, first, last, flat_units(single),
            flat_units(bundled), *places, scratch.array("table", 8 * (cells + width), np.uint64),
            pairs,
        )  # fmt: skip
    return pairs[_pairs_after(width, first)]


@cache
def _pairs_after(width: int, first: int) -> I64:
    """Return the places of all pairs b < c from a column on in a table of all pairs."""
    rows, columns = upper_triangle(width - first)
    return (rows + first) * width + columns + first


@cache
def upper_triangle(width: int) -> tuple[I64, I64]:
    """Return the rows and columns of all pairs b < c, in lexicographic order."""
    rows, columns = np.triu_indices(width, 1)
    return rows, columns


def counts_of_prefixes(table: Prepared, prefixes: Iterable[tuple[int, ...]]) -> I64:
    """Return the distinct counts of some sets by position, for schedulers elsewhere.

    Parameters
    ----------
    table
        The table, laid out.
    prefixes
        The leading positions of sets; each stands for the sets of these with two positions beyond.
        Those of all ``combinations(range(width - 2), size - 2)``, one after the other, are the
        counts of all sets of ``size`` positions in lexicographic order.
    """
    scratch = Scratch()
    return np.concatenate([_pairs_beyond(table, tuple(prefix), scratch) for prefix in prefixes])
