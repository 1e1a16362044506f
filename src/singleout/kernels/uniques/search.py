"""Minimal sample uniques: the smallest sets of columns on which a record is alone.

SUDA's search (Elliot, Manning et al. 2005; Haglin and Manning 2007), over column sets rather than
over values. Searches that begin with different columns are independent: threads here, tasks
elsewhere; what they find is put together by bits here, by adding counts there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I32, I64, U64
from singleout.errors import BadChoice
from singleout.kernels.compiling import announce_compiling
from singleout.kernels.threads import in_parallel, thread_count
from singleout.kernels.uniques import result_loops as results
from singleout.kernels.uniques import search_loops as loops
from singleout.kernels.uniques.layout import MAX_VARIABLES, Layout, SearchTable, search_table

__all__ = [
    "MAX_VARIABLES",
    "Columns",
    "MinimalUniques",
    "SetCounts",
    "Task",
    "TaskTable",
    "differences_of",
    "minimal_uniques",
    "minimal_uniques_of",
    "run_task",
    "tasks",
]

_ALL = (-1, 0, 0)  # the sets of every task
_NO_SETS: U64 = np.empty(0, dtype=np.uint64)
_DECISIVE = 1 << 12  # differences from others up to which sets are built from them
_FEWEST = 8  # passes over the records of a task: it starts with some that others share
_PIECES = 32  # cut a search into at least so many, for progress and for Ctrl-C

Columns = Sequence[NDArray[Any]]
_Listing = Iterator[tuple[I64, U64]]  # records, and the columns of their minimal uniques as bits


@dataclass(frozen=True, order=True)
class Task:
    """A part of the search: the column sets that begin with certain columns.

    Columns are numbered with most values first. The task with the lowest second column of all also
    looks at the first column alone.
    """

    lead: int  # the first column of the sets
    second: int  # the lowest second column
    stop: int  # the column after the highest second column

    @property
    def halves(self) -> tuple[Task, ...]:
        """Two tasks that are the same together; none if it cannot be cut."""
        if self.stop - self.second < 2:
            return ()
        middle = (self.second + self.stop) // 2
        return Task(self.lead, self.second, middle), Task(self.lead, middle, self.stop)


@dataclass(frozen=True, eq=False)
class SetCounts:
    """Sets of variables and how many records have each as a minimal unique, none of them 0."""

    masks: U64  # bit j of a word says whether the set holds variable j; ascending
    counts: I64

    @classmethod
    def total(cls, parts: Sequence[SetCounts]) -> SetCounts:
        """Add up counts of several parts of a search."""
        every = np.concatenate([_NO_SETS, *(part.masks for part in parts)])
        masks, index = np.unique(every, return_inverse=True)
        counts = np.zeros(len(masks), dtype=np.int64)
        for part in parts:
            held = len(part.masks)
            counts[index[:held]] += part.counts  # no set occurs twice in a part
            index = index[held:]
        return cls(masks, counts)


@dataclass(frozen=True, eq=False)
class MinimalUniques:
    """How many minimal sample uniques each record has.

    ``by_variable`` is, for each size (from 1), record and variable, how many minimal uniques of
    that size the record has that hold the variable. ``by_set`` is how many records have each set
    of variables as a minimal unique.
    """

    by_variable: I32
    by_set: SetCounts
    _listings: tuple[Callable[[], _Listing], ...] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.by_variable.flags.writeable = False

    @cached_property
    def by_size(self) -> I32:
        """For each record and size (from 1), how many minimal uniques it has."""
        sums = [counts.sum(axis=1) // size for size, counts in enumerate(self.by_variable, start=1)]
        return np.stack(sums, axis=1).astype(np.int32)

    def merge(self, other: MinimalUniques) -> MinimalUniques:
        """Add the counts of another task on the same table."""
        sets = SetCounts.total([self.by_set, other.by_set])
        return MinimalUniques(self.by_variable + other.by_variable, sets)

    def listed(self) -> _Listing:
        """Yield the minimal uniques in blocks: their records, ascending, and their columns.

        Bit j of a word says whether the unique holds variable j. Only if they were kept.
        """
        if self._listings is None:
            raise BadChoice("The minimal uniques were counted, not kept; ask for keep=True.")
        for listing in self._listings:
            yield from listing()


def minimal_uniques(
    codes: Columns,
    levels: Sequence[int],
    max_size: int,
    *,
    never: Sequence[int] | None = None,
    keep: bool = False,
    memory: int | None = None,
) -> MinimalUniques:
    """Find the minimal sample uniques of all records, with up to ``max_size`` columns.

    ``levels`` is for each column a number above its largest code, ``never`` the code that takes
    part in no unique, or -1. With ``keep`` the uniques themselves can be listed. ``memory`` is how
    many bytes may be used; None for what is free.
    """
    layout = Layout.of(codes, levels, max_size, never)
    layout.check(memory)
    if layout.is_of_few:
        return _record_by_record(layout, codes, never, keep=keep)
    announce_compiling(loops.find_unique)
    windows = layout.windows()
    counts = layout.empty_counts()
    listings, by_set = [], []
    for part, window in enumerate(windows, start=1):
        what = f"Searching {layout.sets - 1:,} sets of columns"
        if len(windows) > 1:
            what += f" for records in part {part} of {len(windows)}"
        bits = _search(layout, window, counts, what)
        by_set.append(_sets_of(layout, bits, _ALL))
        if keep:
            listings.append(partial(_listed_from_bits, layout, window, bits))
    total = SetCounts.total(by_set)
    return MinimalUniques(counts, total, tuple(listings) if keep else None)


def tasks(levels: Sequence[int], max_size: int, pieces: int | None = None) -> list[Task]:
    """Cut the search into independent tasks, the longest first.

    Parameters
    ----------
    levels
        How many values each column has.
    max_size
        The largest number of columns of a unique.
    pieces
        About how many tasks to make; by default enough for the threads of this machine.
    """
    width, size = len(levels), min(max_size, len(levels))
    if size < 3:  # a set of two is found with its first column
        return [Task(lead, lead + 1, width) for lead in range(width)]
    # passes over the records from each second column on: the last two columns take one together
    weights = [sum(comb(width - 1 - c, k) for k in range(size - 2)) for c in range(width)]
    total = sum(c * weight for c, weight in enumerate(weights))
    most = total // pieces if pieces else max(_FEWEST, total // max(_PIECES, 4 * thread_count()))
    weighted = []
    for lead in range(width):
        edges, load = [lead + 1], 0
        for second in range(lead + 1, width):
            load += weights[second]
            if load >= max(1, most) and second + 1 < width:
                edges.append(second + 1)
                load = 0
        edges.append(width)
        cuts = list(pairwise(edges)) if lead + 1 < width else [(width, width)]
        weighted += [(sum(weights[a:b]), Task(lead, a, b)) for a, b in cuts]
    return [task for _, task in sorted(weighted, key=lambda each: (-each[0], each[1]))]


def run_task(
    codes: Columns,
    levels: Sequence[int],
    max_size: int,
    task: Task,
    *,
    never: Sequence[int] | None = None,
) -> MinimalUniques:
    """Find the minimal uniques of one task, from nothing but the table.

    The counts of all tasks add up to those of the whole search.
    """
    return TaskTable(Layout.of(codes, levels, max_size, never)).run(task)


@dataclass(frozen=True, eq=False)
class TaskTable:
    """A table arranged for tasks, so that several of them in a row share that work."""

    layout: Layout

    @cached_property
    def _windows(self) -> list[I64]:
        return self.layout.windows()

    @cached_property
    def _only(self) -> SearchTable:
        return search_table(self.layout, self._windows[0])

    def run(self, task: Task) -> MinimalUniques:
        """Find the minimal uniques of one task."""
        layout, windows = self.layout, self._windows
        counts, by_set = layout.empty_counts(), []
        for window in windows:
            table = self._only if len(windows) == 1 else search_table(layout, window)
            bits = layout.empty_bits(window)
            _find_with_smaller(layout, table, task, bits)
            only = (task.lead, task.second, task.stop)
            halt = np.zeros(1, dtype=np.bool_)
            _keep(layout, window, bits, counts, slice(0, bits.shape[1]), only, halt)
            by_set.append(_sets_of(layout, bits, only))
        return MinimalUniques(counts, SetCounts.total(by_set))


def _find_with_smaller(layout: Layout, table: SearchTable, task: Task, bits: U64) -> None:
    """Search the sets of a task, and those they are compared with: without one of their columns."""
    size, width = layout.largest, layout.width
    halt = np.zeros(1, dtype=np.bool_)
    _find(layout, table, task, size, bits, halt)
    if size == 1:
        return
    for second in range(task.second, task.stop):
        _find(layout, table, Task(second, second + 1, width), size - 1, bits, halt)
    if task.stop < width:
        _find(layout, table, Task(task.lead, task.stop, width), size - 1, bits, halt)
    _find(layout, table, Task(task.lead, task.lead + 1, task.lead + 1), 1, bits, halt)


def minimal_uniques_of(
    codes: Columns, record: int, max_size: int, *, never: Sequence[int] | None = None
) -> list[tuple[int, ...]]:
    """Return the minimal sample uniques of one record, small ones first.

    A set of columns singles the record out if it differs from every other record in one of them:
    the sets that have a column in common with each difference, and none too many.
    """
    width = len(codes)
    masks = _masks_of(codes, record, min(max_size, width), never)
    sets = [tuple(j for j in range(width) if mask >> j & 1) for mask in masks.tolist()]
    return sorted(sets, key=lambda columns: (len(columns), columns))


def differences_of(codes: Columns, record: int, never: Sequence[int] | None) -> U64:
    """Return in which columns, as bits, other records differ from one, each case once.

    A column with the code that takes part in no unique does not count as different.
    """
    differs = np.zeros(len(codes[0]), dtype=np.uint64)
    for column in range(len(codes)):
        own = codes[column][record]
        if never is None or own != never[column]:
            differs |= (codes[column] != own).astype(np.uint64) << np.uint64(column)
    return np.unique(np.delete(differs, record))


def _masks_of(codes: Columns, record: int, largest: int, never: Sequence[int] | None) -> U64:
    """Return the minimal sample uniques of one record, their columns as bits."""
    width = len(codes)
    differences = differences_of(codes, record, never)
    if not len(differences):  # nobody to differ from: any column will do
        taking_part = [c for c in range(width) if never is None or codes[c][record] != never[c]]
        return np.uint64(1) << np.array(taking_part, dtype=np.uint64)
    if differences[0] == 0:
        return np.empty(0, dtype=np.uint64)
    decisive = results.smallest_masks(_fewest_bits_first(differences), _DECISIVE)
    if len(decisive) <= _DECISIVE:
        covers: U64 = results.minimal_covers(decisive, largest)
        return covers
    # each record is a case of its own: go through those that agree so far
    table = np.stack([np.asarray(column, dtype=np.uint32) for column in codes])
    missing = np.full(width, -1) if never is None else np.asarray(never)
    uniques = results.uniques_of_record(table, missing.astype(np.int64), record, largest)
    smallest: U64 = results.smallest_masks(_fewest_bits_first(uniques), len(uniques))
    return smallest


def _record_by_record(
    layout: Layout, codes: Columns, never: Sequence[int] | None, *, keep: bool
) -> MinimalUniques:
    """Find the minimal uniques of few records from their differences."""
    rows = np.concatenate([layout.unique, layout.repeated])
    few = [column[rows] for column in codes]
    masks_of = in_parallel(
        lambda record: _masks_of(few, record, layout.largest, never),
        range(len(layout.unique)),
        f"Searching {layout.sets - 1:,} sets of columns",
    )
    counts = layout.empty_counts()
    for record, masks in zip(layout.unique.tolist(), masks_of, strict=True):
        sizes = np.bitwise_count(masks)
        for size in np.unique(sizes).tolist():
            of_size = masks[sizes == size]
            for column in range(layout.width):
                holds = of_size >> np.uint64(column) & np.uint64(1)
                counts[size - 1, record, column] = np.count_nonzero(holds)
    sets, times = np.unique(np.concatenate([_NO_SETS, *masks_of]), return_counts=True)
    listing = partial(_listed_from_masks, layout.unique, masks_of)
    by_set = SetCounts(sets, times.astype(np.int64))
    return MinimalUniques(counts, by_set, (listing,) if keep else None)


def _fewest_bits_first(masks: U64) -> U64:
    return masks[np.argsort(np.bitwise_count(masks), kind="stable")]


def _listed_from_bits(layout: Layout, window: I64, bits: U64) -> _Listing:
    step = max(1, (1 << 20) // layout.sets)
    for begin in range(0, bits.shape[1], step):
        end = min(begin + step, bits.shape[1])
        bit_indices, masks = results.list_minimal(
            bits, layout.offsets, layout.largest, begin, end, layout.order
        )
        by_record = np.argsort(bit_indices, kind="stable")
        yield window[bit_indices[by_record]], masks[by_record]


def _listed_from_masks(records: I64, masks_of: list[U64]) -> _Listing:
    for record, masks in zip(records.tolist(), masks_of, strict=True):
        yield np.full(len(masks), record, dtype=np.int64), masks


def _search(layout: Layout, window: I64, counts: I32, what: str) -> U64:
    """Count the minimal uniques of some records; return for each set the bits of those it has."""
    table = search_table(layout, window)
    bits = layout.empty_bits(window)
    halt = np.zeros(1, dtype=np.bool_)
    in_parallel(
        lambda task: _find(layout, table, task, layout.largest, bits, halt),
        tasks(layout.levels.tolist(), layout.largest),
        what,
        halt,
    )
    # few words at a time, so that the sets they are compared with stay in the cache
    step = max(16, min(256, (1 << 17) // int(layout.offsets[layout.largest])))
    parts = [slice(w, min(w + step, bits.shape[1])) for w in range(0, bits.shape[1], step)]
    in_parallel(
        lambda words: _keep(layout, window, bits, counts, words, _ALL, halt), parts, halt=halt
    )
    return bits


def _sets_of(layout: Layout, bits: U64, only: tuple[int, int, int]) -> SetCounts:
    """Count the records of each set from the bits that were kept."""
    masks, counts = results.count_sets(bits, layout.offsets, layout.largest, *only, layout.order)
    return SetCounts(masks, counts)


def _find(
    layout: Layout, table: SearchTable, task: Task, size: int, bits: U64, halt: NDArray[np.bool_]
) -> None:
    """Set the bits of the records that are alone in the sets of a task."""
    loops.find_unique(
        table.codes, layout.levels, layout.never, table.suffixes, table.distinct_suffixes,
        table.hot, table.hot_from, table.hot_word, table.hot_keep, table.hot_column,
        table.candidates, task.lead, task.second, task.stop, task.second == task.lead + 1,
        size, layout.choose, layout.offsets, bits, halt,
    )  # fmt: skip


def _keep(
    layout: Layout,
    window: I64,
    bits: U64,
    counts: I32,
    words: slice,
    only: tuple[int, int, int],
    halt: NDArray[np.bool_],
) -> None:
    """Keep the bits of minimal uniques, and count them."""
    results.keep_minimal(
        bits, layout.offsets, layout.choose, layout.largest, *only, words.start, words.stop,
        window, layout.order, counts, halt,
    )  # fmt: skip
