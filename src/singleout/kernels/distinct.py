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
from singleout.kernels.compiling import announce_compiling
from singleout.kernels.group import group_records
from singleout.kernels.prepared import Prepared, prepare
from singleout.kernels.threads import in_parallel, thread_count

__all__ = [
    "column_sets",
    "direct_columns",
    "distinct_counts",
    "distinct_counts_of",
    "position_order",
    "prefix_groups",
    "upper_triangle",
]

_DIRECT = 1 << 20  # cells of a byte map that is marked record by record
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
    announce_compiling(pair_loops.count_direct, pair_loops.count_pairs)
    if size == 1:
        found = [len(np.unique(table.codes(position))) for position in range(table.width)]
        by_position = np.array(found, dtype=np.int64)
    else:
        prefixes = list(combinations(range(table.width - 2), size - 2))
        parts: list[I64] = []
        wave = 4 * thread_count()
        waves = [prefixes[at : at + wave] for at in range(0, len(prefixes), wave)]
        for some in track(waves, "Counting combinations"):
            parts += in_parallel(lambda prefix: _pairs_beyond(table, prefix), some)
        by_position = np.concatenate(parts)
    answer = np.empty(len(by_position), dtype=np.int64)
    answer[position_order(table, size)] = by_position
    return answer


def position_order(table: Prepared, size: int) -> I64:
    """Return, for the sets by position, their numbers among the sets by original column."""
    width = table.width
    sets = np.sort(table.columns[column_sets(width, size)], axis=1)
    ranks = np.full(len(sets), comb(width, size) - 1, dtype=np.int64)
    for place in range(size):
        choose = np.array([comb(width - 1 - c, size - place) for c in range(width)], dtype=np.int64)
        ranks -= choose[sets[:, place]]
    return ranks


def _pairs_beyond(table: Prepared, prefix: tuple[int, ...]) -> I64:
    """Return the distinct counts of the prefix with each pair of columns after it."""
    first = prefix[-1] + 1 if prefix else 0
    width, records = table.width, table.records
    ids, groups = prefix_groups(table, prefix)
    pairs = np.zeros((width, width), dtype=np.int64)
    direct = np.zeros(width, dtype=np.bool_)
    columns = _gathered_columns(table, first, groups)
    if columns:
        direct[columns] = True
        pair_loops.count_direct(
            ids, groups, np.array(columns), table.wide, table.levels, table.narrow_codes,
            table.hot, table.word_of, table.mask_of, pairs,
        )  # fmt: skip
    if not direct[first : width - 1].all():
        order = np.empty(records, dtype=np.uint32)
        packed = np.empty_like(table.rows)
        starts = pair_loops.sort_rows(ids, groups, table.rows, order, packed)
        pair_loops.count_pairs(packed, starts, first, table.wide, table.levels, direct, pairs)
    return pairs[first:, first:][upper_triangle(width - first)]


@cache
def upper_triangle(width: int) -> tuple[I64, I64]:
    """Return the rows and columns of all pairs b < c, in lexicographic order."""
    rows, columns = np.triu_indices(width, 1)
    return rows, columns


def _gathered_columns(table: Prepared, first: int, groups: int) -> list[int]:
    """Return the columns b from ``first`` on whose triples (prefix, b, c) are counted by bits.

    All c after b must have bits, and the cells must be fewer than the records can pay for.
    """
    chosen = []
    for b in range(max(first, table.wide, table.hot_from - 1), table.width - 1):
        cells = groups * int(table.levels[b])
        words = table.hot.shape[1] - int(table.word_of[b + 1])
        if cells * words <= _GATHERED and cells * (table.width - b) <= 4 * table.records:
            chosen.append(b)
    return chosen


def direct_columns(table: Prepared, first: int, groups: int) -> list[int]:
    """Return the columns b from ``first`` on whose triples (prefix, b, c) fit a small byte map."""
    limit = min(_DIRECT, 4 * table.records)
    return [
        b
        for b in range(max(first, table.wide), table.width - 1)
        if groups * int(table.levels[b]) * int(table.levels[b + 1]) <= limit
    ]


def prefix_groups(table: Prepared, prefix: tuple[int, ...]) -> tuple[NDArray[np.uint32], int]:
    """Return the group of each record by the columns of the prefix, and how many there are."""
    if not prefix:
        return np.zeros(table.records, dtype=np.uint32), 1
    if len(prefix) == 1:
        return table.codes(prefix[0]), int(table.levels[prefix[0]])
    found = group_records(
        [table.codes(position) for position in prefix],
        [int(table.levels[position]) for position in prefix],
    )
    return found.ids, len(found.sizes)
