"""The table of a search for minimal uniques, arranged for its loops.

One record stands for all that agree in every column: together they only block others. Columns with
most values come first, for they tell most records apart soonest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I32, I64, U64
from singleout.core.memory import available_memory, require_memory
from singleout.errors import BadChoice
from singleout.kernels.grouping.group import group_records
from singleout.kernels.threads import in_parallel, thread_count
from singleout.kernels.uniques import search_loops as loops

__all__ = ["MAX_VARIABLES", "Layout", "SearchTable", "search_table"]

MAX_VARIABLES = 64
_MAX_SETS = 1 << 28
_MAX_STEPS = 1 << 42  # passes times records: some hours, if no class is ever left early
_FEW = 128
_MANY_SETS = 1 << 16

_HOT = 64  # columns with more values than a word has bits are not kept in bits


@dataclass(frozen=True, eq=False)
class Layout:
    """The table of a search: one record for each combination, columns with most values first."""

    codes: list[NDArray[Any]]
    levels: I64
    never: I64
    order: I64  # the original index of each column
    unique: I64  # the records that are alone on all columns
    repeated: I64  # one record of each combination that several share
    asked: int  # the largest size of a set that was asked for
    largest: int  # that is searched: no larger one can be minimal
    choose: I64
    offsets: I64

    @classmethod
    def of(
        cls,
        codes: Sequence[NDArray[Any]],
        levels: Sequence[int],
        max_size: int,
        never: Sequence[int] | None,
    ) -> Layout:
        """Group the records and order the columns; refuse a search that would not end."""
        width = len(codes)
        if width > MAX_VARIABLES:
            raise BadChoice(
                f"There are {width} columns, and minimal uniques are searched on at most "
                f"{MAX_VARIABLES}; choose fewer columns."
            )
        grouped = group_records(codes, list(levels))
        asked = min(max_size, width)
        # each column of a minimal unique is needed: without it some other record would be the same
        size = min(asked, max(1, len(grouped.sizes) - 1))
        _refuse_what_would_not_end(width, size, len(grouped.sizes))
        alone = np.zeros(len(codes[0]), dtype=np.bool_)
        alone[grouped.first[grouped.sizes == 1]] = True
        order = np.argsort(-np.asarray(levels, dtype=np.int64), kind="stable")
        missing = np.full(width, -1) if never is None else np.asarray(never)
        choose = np.array(
            [[comb(n, k) for k in range(size + 2)] for n in range(width + 1)], dtype=np.int64
        )
        offsets = np.cumsum([0, 1, *(comb(width, k) for k in range(1, size + 1))])
        return cls(
            [codes[c] for c in order.tolist()],
            np.asarray(levels, dtype=np.int64)[order],
            missing.astype(np.int64)[order],
            order,
            np.flatnonzero(alone),
            grouped.first[grouped.sizes > 1].astype(np.int64),
            asked,
            size,
            choose,
            offsets.astype(np.int64),
        )

    @property
    def records(self) -> int:
        """How many records there are."""
        return len(self.codes[0])

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.codes)

    @property
    def is_of_few(self) -> bool:
        """Whether there are so few records and so many sets that it goes record by record."""
        return len(self.unique) + len(self.repeated) <= _FEW and self.sets > _MANY_SETS

    def empty_counts(self) -> I32:
        """Return zeros, for each size, record and column."""
        return np.zeros((self.asked, self.records, self.width), dtype=np.int32)

    @property
    def sets(self) -> int:
        """How many sets of columns are searched, the empty one included."""
        return int(self.offsets[-1])

    def check(self, memory: int | None = None) -> None:
        """Refuse a search that would not fit into memory, or into the bytes that may be used."""
        distinct = len(self.unique) + len(self.repeated)
        counts = 4 * self.asked * self.records * self.width
        table = distinct * (8 * self.width + 8 * self._hot_words())
        a_thread = distinct * (6 * self.largest + 8 * self._hot_words() + 16)
        require_memory(
            counts + table + thread_count() * a_thread + 8 * self.sets,
            f"Searching {self.sets - 1:,} sets of columns on {self.records:,} records",
            allowed=memory,
        )

    def _hot_words(self) -> int:
        return -(-int(self.levels[self.levels <= _HOT].sum()) // 33)

    def windows(self) -> list[I64]:
        """Cut the records that can be alone into windows whose bits fit into memory."""
        step = _records_at_once(self.sets)
        return [self.unique[k : k + step] for k in range(0, len(self.unique), step)]

    def empty_bits(self, window: I64) -> U64:
        """Return a row of bits for each set of columns, one for each record of the window."""
        return np.zeros((self.sets, -(-len(window) // 64)), dtype=np.uint64)


def _refuse_what_would_not_end(width: int, size: int, records: int) -> None:
    """Refuse a search that would take days, and say which would do."""
    if _ends(width, size, records):
        return
    sets = sum(comb(width, k) for k in range(1, size + 1))
    most = max((k for k in range(1, size) if _ends(width, k, records)), default=0)
    less = f", or a max_size of at most {most}" if most else ""
    raise BadChoice(
        f"Searching {sets:,} sets of up to {size} of {width} columns on {records:,} different "
        f"records would not end in reasonable time; choose fewer columns{less}, or search chosen "
        "records with a time budget."
    )


def _ends(width: int, size: int, records: int) -> bool:
    sets = sum(comb(width, k) for k in range(1, size + 1))
    # the last two columns of a set take one pass over the records together
    passes = sum(comb(width, k) for k in range(max(1, size - 1)))
    # and those whose bits do not fit into memory together are searched one part after the other
    parts = -(-records // _records_at_once(sets))
    return sets <= _MAX_SETS and passes * records * parts <= _MAX_STEPS


def _records_at_once(sets: int) -> int:
    """Return for how many records the bits of all sets fit into memory."""
    available = available_memory() or 1 << 34
    return 64 * max(1, available // 4 // (8 * sets))


@dataclass(frozen=True, eq=False)
class SearchTable:
    """The records of a search by column, those that can be alone first; see `find_unique`."""

    codes: NDArray[Any]
    candidates: int
    suffixes: I32
    distinct_suffixes: I64
    hot: U64
    hot_from: int
    hot_word: I64
    hot_keep: U64
    hot_column: I64


def search_table(layout: Layout, window: I64) -> SearchTable:
    """Arrange the table for a search in which the records of the window can be alone."""
    others = [layout.repeated]
    if len(window) < len(layout.unique):
        others.append(layout.unique[~np.isin(layout.unique, window, assume_unique=True)])
    rows = np.concatenate([window, *others])
    codes = np.empty((layout.width, len(rows)), dtype=_type(layout.levels))

    def gather(column: int) -> None:
        codes[column] = layout.codes[column][rows]

    in_parallel(gather, range(layout.width))
    numbers = np.empty((layout.width + 1, len(rows)), dtype=np.int32)
    bits = _Bits.of(layout)
    hot = np.empty((len(rows), bits.words), dtype=np.uint64)
    # one thread gives the numbers, one column after the other; meanwhile another writes the bits
    work: list[Callable[[], Any]] = [
        partial(_suffixes, codes, layout.levels, numbers),
        partial(bits.write, codes, hot),
    ]
    distinct = in_parallel(lambda each: each(), work)[0]
    return SearchTable(
        codes, len(window), numbers, distinct, hot, bits.first, bits.word_of, bits.keep,
        bits.column_of,
    )  # fmt: skip


def _type(levels: Sequence[int] | I64) -> type[np.unsignedinteger[Any]]:
    """Return the narrowest type that holds every code."""
    most = max(levels)
    return np.uint8 if most <= 1 << 8 else np.uint16 if most <= 1 << 16 else np.uint32


def _suffixes(codes: NDArray[Any], levels: I64, numbers: I32) -> I64:
    """Give numbers to the combinations of the last columns, as long as there are few.

    Return how many there are from each column on; 0 if they are not numbered.
    """
    width, records = codes.shape
    distinct = np.zeros(width + 1, dtype=np.int64)
    numbers[width] = 0
    distinct[width] = 1
    for column in range(width - 1, 0, -1):
        cells = int(distinct[column + 1] * levels[column])
        if cells > 4 * records:
            break
        distinct[column] = loops.number_suffixes(
            codes[column],
            int(levels[column]),
            numbers[column + 1],
            numbers[column],
            np.zeros(cells, dtype=np.int32),
        )
    return distinct


@dataclass(frozen=True, eq=False)
class _Bits:
    """A bit for each value of each column with few values; no column straddles two words."""

    first: int  # the first such column
    words: int  # how many words a record has
    word_of: I64  # as the search takes it, like keep and column_of
    keep: U64
    column_of: I64
    of_value: U64  # for each of the columns, the word with the bit of each of its values

    @classmethod
    def of(cls, layout: Layout) -> _Bits:
        first = int((layout.levels > _HOT).sum())
        shifts, words = _bit_positions(layout.levels[first:])
        word_of = np.full(layout.width + 1, words[-1], dtype=np.int64)
        keep = np.zeros(layout.width + 1, dtype=np.uint64)
        column_of = np.zeros(64 * words[-1], dtype=np.int64)
        of_value = np.zeros((layout.width - first, _HOT), dtype=np.uint64)
        for column, shift, word in zip(range(first, layout.width), shifts, words, strict=False):
            levels = int(layout.levels[column])
            bits = np.uint64(1) << np.arange(shift, shift + levels, dtype=np.uint64)
            if layout.never[column] >= 0:
                bits[layout.never[column]] = 0
            of_value[column - first, :levels] = bits
            word_of[column] = word
            keep[column] = np.uint64((1 << 64) - (1 << shift))
            column_of[64 * word + shift : 64 * word + shift + levels] = column
        return cls(first, words[-1], word_of, keep, column_of, of_value)

    def write(self, codes: NDArray[Any], hot: U64) -> None:
        """Write the bits of all records."""
        loops.write_bits(codes[self.first :], self.of_value, self.word_of[self.first :], hot)


def _bit_positions(levels: I64) -> tuple[list[int], list[int]]:
    """Return the first bit and the word of each column, and last the number of words."""
    shifts, words = [], []
    word, used = 0, 0
    for count in levels.tolist():
        if used + count > _HOT:
            word, used = word + 1, 0
        shifts.append(used)
        words.append(word)
        used += count
    return shifts, [*words, word + (used > 0)]
