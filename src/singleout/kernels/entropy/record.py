"""Record entropy: how evenly a record's ranks spread over all column sets. Béra et al. (2023), 3.4.

For one column set, a record's joint rank is how many records are nowhere above it; the ranks of
these ranks are cut into bins. Over all sets, a record has a histogram of bins, and its entropy is
that of the histogram. The columns must be ordinal.

Joint ranks come from a table of all combinations where that is small (up to 16 cells for each
record). Otherwise up to three columns are counted by divide and conquer, in n log² n steps for n
records, and more columns sixty-four records at a time, in n² / 64 steps for each column.
Everything up to the last logarithm is whole numbers, so threads change nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb, isqrt, log, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64, U32
from singleout.core.progress import track
from singleout.kernels.entropy import loops as entropy_loops
from singleout.kernels.threads import in_parallel, thread_count

__all__ = ["bin_count", "entropy_memory", "record_entropy"]

_CELLS_FOR_EACH_RECORD = 16  # larger tables cost more than the other ways
_CELLS_AT_LEAST = 1 << 12
_CELLS_AT_MOST = 1 << 24
_SLICE = 1 << 16  # records whose histograms become entropies at a time


def bin_count(sets: int) -> int:
    """Return how many bins the ranks are cut into: the root of the number of sets, rounded up."""
    root = isqrt(sets)
    return root + (root * root < sets)


def entropy_memory(records: int, levels: Sequence[int], size: int) -> int:
    """Return how many bytes the entropies of some records take while they are computed."""
    sets = comb(len(levels), size)
    histogram = records * bin_count(sets) * np.dtype(_counter(sets)).itemsize
    room = 4 * (2 * _cells(records, levels, size) + 4 * records)
    return thread_count() * (histogram + room) + 4 * len(levels) * records


def _cells(records: int, levels: Sequence[int], size: int) -> int:
    """Return how many cells the largest table of all combinations has, if it is worth making."""
    worth = max(_CELLS_AT_LEAST, _CELLS_FOR_EACH_RECORD * records)
    return min(prod(sorted(levels)[-size:]), worth, _CELLS_AT_MOST)


def record_entropy(columns: Sequence[NDArray[Any]], size: int, people: I64 | None = None) -> F64:
    """Return the entropy of each record, in nats, over all sets of ``size`` columns.

    The codes of each column must be in the order of its values. With ``people`` each row stands for
    so many records, and the entropy is that of any one of them.
    """
    ranked = [_without_gaps(column) for column in columns]
    records, sets = len(columns[0]), comb(len(columns), size)
    bins = bin_count(sets)
    threads = thread_count()
    histograms = [np.zeros((records, bins), dtype=_counter(sets)) for _ in range(threads)]
    prefixes = list(combinations(range(len(columns) - 1), size - 1))
    waves = [prefixes[at : at + 8 * threads] for at in range(0, len(prefixes), 8 * threads)]
    counters = [
        _Ranks(ranked, size, bins, histogram)
        if people is None
        else _RanksOfPeople(ranked, size, bins, histogram, people)
        for histogram in histograms
    ]
    for wave in track(waves, "Ranking records for entropy"):

        def work(thread: int, wave: list[tuple[int, ...]] = wave) -> None:
            for prefix in wave[thread::threads]:
                counters[thread].add_sets(prefix)

        in_parallel(work, range(threads))
    whole = histograms[0]
    for other in histograms[1:]:
        whole += other
    return _entropies(whole, sets)


def _counter(sets: int) -> type[np.uint16 | np.uint32]:
    return np.uint16 if sets < 1 << 16 else np.uint32


def _without_gaps(codes: NDArray[Any]) -> U32:
    """Return codes in the same order that leave none out: 0, 1, 2 and so on."""
    present = np.bincount(codes) > 0
    renumbered = (np.cumsum(present) - 1).astype(np.uint32)
    answer: U32 = renumbered[codes]
    return answer


class _Ranks:
    """One thread's work: the ranks of all records for some column sets, into its histogram."""

    def __init__(self, columns: list[U32], size: int, bins: int, histogram: NDArray[Any]) -> None:
        self._records = records = len(columns[0])
        self._columns = columns
        self._levels = [int(column.max()) + 1 for column in columns]
        self._bins = bins
        self._histogram = histogram
        self._limit = _cells(records, self._levels, size)
        self._room = np.empty(2 * self._limit + records, dtype=np.uint32)
        self._up_to = np.empty(records + 1, dtype=np.uint32)

    def add_sets(self, prefix: tuple[int, ...]) -> None:
        """Add the ranks for the prefix with each column after it."""
        keys, cells = np.zeros(self._records, dtype=np.uint32), 1
        for column in prefix:
            cells *= self._levels[column]
            if cells <= self._limit:
                keys = keys * np.uint32(self._levels[column]) + self._columns[column]
        for last in range(prefix[-1] + 1 if prefix else 0, len(self._columns)):
            chosen = (*prefix, last)
            if cells * self._levels[last] <= self._limit:
                self._by_cube(keys, chosen, cells * self._levels[last])
                continue
            below = self._by_merging(chosen) if len(chosen) in (2, 3) else self._by_bits(chosen)
            self._add(below)

    def _add(self, below: NDArray[Any]) -> None:
        entropy_loops.add_bins(below, self._bins, self._up_to, self._histogram)

    def _by_cube(self, prefixes: U32, chosen: tuple[int, ...], cells: int) -> None:
        entropy_loops.add_bins_by_cube(
            prefixes,
            self._columns[chosen[-1]],
            np.array([self._levels[column] for column in chosen], dtype=np.int64),
            self._bins,
            self._room[: 2 * cells + self._records],
            self._up_to,
            self._histogram,
        )

    def _by_merging(self, chosen: tuple[int, ...]) -> NDArray[Any]:
        """Count different points only, so that of two points exactly one comes first."""
        *first, b, c = [self._columns[column].astype(np.int64) for column in chosen]
        *_, levels_b, levels_c = [self._levels[column] for column in chosen]
        key = b if not first else _renumbered(first[0] * levels_b + b)
        points, point_of = np.unique(key * levels_c + c, return_inverse=True)
        weights = self._counted(point_of)
        sample = np.empty(len(points), dtype=np.int64)
        sample[point_of] = np.arange(len(point_of))
        below = np.empty(len(points), dtype=weights.dtype)
        entropy_loops.below_by_merging(
            self._columns[chosen[-2]][sample],
            self._columns[chosen[-1]][sample],
            weights,
            levels_c,
            below,
        )
        answer: NDArray[Any] = below[point_of]
        return answer

    def _counted(self, ids: NDArray[Any]) -> NDArray[Any]:
        """Return how many records there are of each point."""
        return np.bincount(ids).astype(np.uint32)

    def _by_bits(self, chosen: tuple[int, ...]) -> NDArray[Any]:
        below = np.empty(self._records, dtype=np.uint32)
        entropy_loops.below_by_bits(
            np.stack([self._columns[column] for column in chosen]),
            np.array([self._levels[column] for column in chosen], dtype=np.int64),
            below,
        )
        return below


class _RanksOfPeople(_Ranks):
    """The same where each row stands for several records."""

    def __init__(
        self,
        columns: list[U32],
        size: int,
        bins: int,
        histogram: NDArray[Any],
        people: I64,
    ) -> None:
        super().__init__(columns, size, bins, histogram)
        self._people = people
        self._rows = np.arange(len(people))

    def _by_cube(self, prefixes: U32, chosen: tuple[int, ...], cells: int) -> None:
        keys = prefixes.astype(np.int64) * self._levels[chosen[-1]] + self._columns[chosen[-1]]
        # sums of whole numbers below 2**53 are exact
        held = np.bincount(keys, self._people, minlength=cells).astype(np.int64)
        below = held.reshape([self._levels[column] for column in chosen])
        for axis in range(len(chosen)):
            below = below.cumsum(axis=axis)
        self._add(below.ravel()[keys])

    def _counted(self, ids: NDArray[Any]) -> NDArray[Any]:
        return np.bincount(ids, self._people).astype(np.uint64)

    def _by_bits(self, chosen: tuple[int, ...]) -> NDArray[Any]:
        below = np.empty(self._records, dtype=np.uint64)
        entropy_loops.people_below_by_bits(
            np.stack([self._columns[column] for column in chosen]),
            np.array([self._levels[column] for column in chosen], dtype=np.int64),
            self._people.astype(np.uint64),
            below,
        )
        return below

    def _add(self, below: NDArray[Any]) -> None:
        """Cut the share of the people up to each count as `add_bins` does."""
        _, which = np.unique(below, return_inverse=True)
        up_to = np.cumsum(np.bincount(which, self._people)).astype(np.int64)
        everybody = int(up_to[-1])
        exact = up_to.astype(object) if everybody * self._bins >= 1 << 63 else up_to
        bin_of = ((exact * self._bins - 1) // everybody).astype(np.int64)
        self._histogram[self._rows, bin_of[which]] += 1


def _renumbered(keys: I64) -> I64:
    """Return keys in the same order that are below the number of records."""
    answer: I64 = np.unique(keys, return_inverse=True)[1]
    return answer


def _entropies(histogram: NDArray[Any], sets: int) -> F64:
    """Return ln n - sum(c ln c) / n for each row: the entropy of its shares c / n."""
    counts = np.arange(sets + 1, dtype=np.float64)
    terms = counts * np.log(np.maximum(counts, 1.0))
    answer = np.empty(len(histogram), dtype=np.float64)
    for begin in range(0, len(histogram), _SLICE):
        part = slice(begin, begin + _SLICE)
        answer[part] = log(sets) - terms[histogram[part]].sum(axis=1) / sets
    # rounding may leave a hair below zero where all ranks fall into one bin
    return np.maximum(answer, 0.0)
