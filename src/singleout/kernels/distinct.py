"""Count the distinct combinations of every set of p columns: the base of QaR.

For sets of three or more, the leading columns split the records into blocks; inside a block all
pairs of the remaining columns are counted together. Sets of two are the same with one block. The
order of the answer is lexicographic in the columns as given.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import chain, combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.progress import track
from singleout.kernels import pair_loops
from singleout.kernels.blocks import (
    Blocks,
    Scratch,
    flat_units,
    gathered_units,
    one_block,
    prefix_groups,
    sorted_blocks,
)
from singleout.kernels.compiling import announce_compiling
from singleout.kernels.prepared import Prepared, Unit, prepare
from singleout.kernels.threads import in_parallel, thread_count

__all__ = [
    "column_sets",
    "distinct_counts",
    "distinct_counts_of",
    "position_order",
    "upper_triangle",
]

_GATHERED = 1 << 15  # words of a table of bits, which should stay in the cache

I64 = NDArray[np.int64]


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
    else:
        announce_compiling(pair_loops.count_pairs)
        by_position = np.concatenate(_counted(table, size))
    answer = np.empty(len(by_position), dtype=np.int64)
    answer[position_order(table, size)] = by_position
    return answer


def _counted(table: Prepared, size: int) -> list[I64]:
    """Return the counts for each prefix of leading columns."""
    prefixes = list(combinations(range(table.width - 2), size - 2))
    idle: list[Scratch] = []

    def count(prefix: tuple[int, ...]) -> I64:
        scratch = idle.pop() if idle else Scratch()
        found = _pairs_beyond(table, prefix, scratch)
        idle.append(scratch)
        return found

    parts: list[I64] = []
    wave = 4 * thread_count()
    waves = [prefixes[at : at + wave] for at in range(0, len(prefixes), wave)]
    for some in track(waves, "Counting combinations"):
        parts += in_parallel(count, some)
    return parts


def position_order(table: Prepared, size: int) -> I64:
    """Return, for the sets by position, their numbers among the sets by original column."""
    width = table.width
    sets = np.sort(table.columns[column_sets(width, size)], axis=1)
    ranks = np.full(len(sets), comb(width, size) - 1, dtype=np.int64)
    for place in range(size):
        choose = np.array([comb(width - 1 - c, size - place) for c in range(width)], dtype=np.int64)
        ranks -= choose[sets[:, place]]
    return ranks


def _pairs_beyond(table: Prepared, prefix: tuple[int, ...], scratch: Scratch) -> I64:
    """Return the distinct counts of the prefix with each pair of columns after it."""
    first = prefix[-1] + 1 if prefix else 0
    width = table.width
    ids, groups = prefix_groups(table, prefix, scratch)
    pairs = np.zeros(width * width, dtype=np.int64)
    units = gathered_units(table, first, groups, bundled=True, room=_GATHERED)
    last = units[0].first if units else width - 1
    if units:
        whole = one_block(table, ids)
        _count(table, whole, groups, (last, width - 1), units, units, scratch, pairs)
    if first < last:
        blocks = sorted_blocks(table, ids, groups, scratch, ordered=False)
        single = table.column_units[first:last]
        bundled = table.column_units[first : min(table.wide, last)]
        bundled += [unit for unit in table.bundle_units if unit.first < last and unit.end > first]
        _count(table, blocks, 1, (first, last), single, bundled, scratch, pairs)
    return pairs.reshape(width, width)[first:, first:][upper_triangle(width - first)]


def _count(
    table: Prepared,
    blocks: Blocks,
    groups: int,
    columns: tuple[int, int],
    units: list[Unit],
    bundled: list[Unit],
    scratch: Scratch,
    pairs: I64,
) -> None:
    """Count the pairs of some columns and all after, in units that suit the size of a block."""
    bits = table.bits
    flat = flat_units(units)
    flat_bundled = flat
    most = blocks.cells(table, units)
    if bundled is not units:
        flat_bundled = flat_units(bundled)
        most = max(most, blocks.cells(table, bundled))
    cells = 2 * (most + table.width * groups)  # those of a bundle are split up into other cells
    pair_loops.count_pairs(
        *blocks.arguments(table, scratch), groups, *columns, flat, flat_bundled, bits.bit_of,
        bits.word_of, bits.mask_of, bits.column_of, bits.pieces_after,
        scratch.array("table", 4 * cells, np.uint64), pairs,
    )  # fmt: skip


@cache
def upper_triangle(width: int) -> tuple[I64, I64]:
    """Return the rows and columns of all pairs b < c, in lexicographic order."""
    rows, columns = np.triu_indices(width, 1)
    return rows, columns
