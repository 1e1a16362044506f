"""The compiled loops of the search for minimal sample uniques.

A search goes through column sets depth first, in the order of the columns. For the set at hand it
keeps the records that are not alone, class by class; one more column splits each class, in a table
that fits the cache. What the search leaves behind are bits: for each column set, which records it
found to be alone there. Three things keep it short, and none of them loses a minimal unique:

- a class that a column does not split is not followed further down: without that column every
  set found below would tell the same records apart, so none of them is minimal;
- records of a class that agree in all columns to come can never be told apart: one stands for all,
  and only blocks others;
- the last two columns are taken together: one pass over a class gives, for each value of the one,
  the values of all the others that occur once, as bits.

A record alone in a set is alone in every larger one. A set that is found is minimal if none of the
sets with one column less was found, although the search does not look at all of them: let the
record be alone without column i, i the last such column; then no later column fails to split its
class on the way to the set without i, for without that column, too, it would be alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I32, I64, U64
from singleout.kernels.bits import lowest
from singleout.kernels.compiling import inner, kernel
from singleout.kernels.uniques.split_loops import BLOCKS, copy, mark, merge, split

__all__ = ["find_unique", "number_suffixes", "write_bits"]

_TOGETHER = 1 << 13  # records whose classes are split together


@kernel
def number_suffixes(codes: NDArray[Any], levels: int, after: I32, numbers: I32, table: I32) -> int:
    """Give numbers to the distinct pairs of a code and the number of what follows; return how many.

    ``table`` is all zeros and has a cell for each pair.
    """
    distinct = 0
    for r in range(codes.size):
        cell = np.uint64(after[r]) * np.uint64(levels) + np.uint64(codes[r])
        if table[cell] == 0:
            distinct += 1
            table[cell] = distinct
        numbers[r] = table[cell] - 1
    return distinct


@kernel
def write_bits(codes: NDArray[Any], value_bits: U64, word_of: I64, hot: U64) -> None:
    """Write the words of records: for each column the bit of the record's code."""
    for r in range(hot.shape[0]):
        for word in range(hot.shape[1]):
            hot[r, word] = 0
        for column in range(codes.shape[0]):
            hot[r, word_of[column]] |= value_bits[column, codes[column, r]]


@kernel
def find_unique(
    codes: NDArray[Any], levels: I64, never: I64, suffixes: I32, distinct_suffixes: I64, hot: U64,
    hot_from: int, hot_word: I64, hot_keep: U64, hot_column: I64, candidates: int, lead: int,
    second: int, stop: int, alone: bool, largest: int, choose: I64, offsets: I64, bits: U64,
    halt: NDArray[np.bool_],
) -> None:  # fmt: skip
    """Set the bits of the records alone in the sets that begin with one column.

    ``codes`` is the table by column; ``never`` is for each column the code that takes part in no
    unique, or -1. ``suffixes`` numbers for each column a record's codes from there on;
    ``distinct_suffixes`` is how many numbers there are, 0 if they are not numbered. ``hot`` is the
    table in bits by record, one for each code of the columns from ``hot_from`` on: ``hot_word`` is
    for each column the word with its bits, ``hot_keep`` the bits of that word that belong to it or
    to later columns, ``hot_column`` the column of each bit. The first ``candidates`` records can be
    alone, the others only block.

    Sets begin with column ``lead``; their second column is from ``second`` to before ``stop``. One
    of the searches that share ``lead`` sets the bits of that column ``alone``. Binomial
    coefficients (``choose``) and ``offsets``, the rank of the first set of each size, give the rank
    of a set: its row in ``bits``. The search ends when the one element of ``halt`` becomes true.
    """
    width, records = codes.shape
    rows = np.empty((largest + 1, records), dtype=np.int32)
    starts = np.empty((largest + 1, records // 2 + 2), dtype=np.int32)
    classes = np.zeros(largest + 1, dtype=np.int64)
    following = np.zeros(largest + 1, dtype=np.int64)
    ranks = np.zeros(largest + 1, dtype=np.int64)
    inherited = np.zeros(bits.shape[1], dtype=np.uint64)
    most = 2
    for c in range(width):
        most = max(most, levels[c], distinct_suffixes[c])
    seen = np.zeros(most, dtype=np.int32)
    scratch = np.empty(records, dtype=np.int32)
    values = np.empty(records, dtype=codes.dtype)
    once = np.empty((most, 2 * hot.shape[1]), dtype=np.uint64)
    for r in range(records):
        rows[0, r] = r if r < candidates else r | BLOCKS
    starts[0, 0] = 0
    starts[0, 1] = records
    classes[0] = 1
    following[0] = lead
    depth = 0
    entered = True
    while depth >= 0 and not halt[0]:
        column = following[depth]
        end = width
        if depth == 0:
            end = lead + 1
        elif depth == 1:
            end = stop
        if entered and depth == largest - 2:
            _last_two(
                codes, never, hot, hot_from, hot_word, hot_keep, hot_column,
                rows[depth], starts[depth], classes[depth], column, end, seen, scratch, values,
                once, inherited if depth < 2 else bits[offsets[depth] + ranks[depth]],
                ranks[depth], depth + 1, choose, offsets, bits,
            )  # fmt: skip
        entered = False
        # what lies beyond was found with the last two columns
        if largest > 1 and depth >= largest - 2:
            end = min(end, hot_from + depth - largest + 1)
        if column >= end:
            depth -= 1
            continue
        following[depth] = column + 1
        size = depth + 1
        rank = ranks[depth] + choose[column, size]
        alone_bits = inherited
        if depth > 0 or alone:
            alone_bits = bits[offsets[size] + rank]
        if size < largest:
            if depth == 1:
                copy(inherited, alone_bits)
            elif depth > 1:
                copy(bits[offsets[depth] + ranks[depth]], alone_bits)
        go_on = size < largest and column + 1 < width
        below = size if go_on else depth
        kept = split(
            codes[column], never[column], rows[depth], starts[depth], classes[depth],
            seen, scratch, values, alone_bits, go_on, rows[below], starts[below],
        )  # fmt: skip
        if depth == 0 and alone:
            copy(alone_bits, inherited)
        if go_on:
            if distinct_suffixes[column + 1]:
                kept = merge(suffixes[column + 1], rows[size], starts[size], kept, seen)
            depth = size
            classes[depth] = kept
            ranks[depth] = rank
            following[depth] = column + 1 if depth > 1 else second
            entered = True


@inner
def _last_two(
    codes: NDArray[Any], never: I64, hot: U64, hot_from: int, hot_word: I64, hot_keep: U64,
    hot_column: I64, rows: I32, starts: I32, classes: int, first: int, end: int, seen: I32,
    scratch: I32, values: NDArray[Any], once: U64, inherited: U64, rank: int, size: int,
    choose: I64, offsets: I64, bits: U64,
) -> None:  # fmt: skip
    """Mark who is alone with one column more, and with two of which the second is in bits.

    ``size`` is that of the sets with one column more, ``rank`` what the other columns add to the
    rank of a set, ``inherited`` who is alone already.
    """
    most = min(_TOGETHER, starts[classes])
    for g in range(classes):
        most = max(most, starts[g + 1] - starts[g])
    table = np.empty((most, hot.shape[1]), dtype=np.uint64)
    for column in range(first, end):
        if size > 1:
            copy(inherited, bits[offsets[size] + rank + choose[column, size]])
    until = 0
    while until < classes:
        # some classes at a time, so that they stay in the cache for all columns
        since = until
        until += 1
        while until < classes and starts[until + 1] - starts[since] <= _TOGETHER:
            until += 1
        _last_two_of(
            codes, never, hot, hot_from, hot_word, hot_keep, hot_column, rows, starts, since, until,
            first, end, seen, scratch, values, once, table, rank, size, choose, offsets, bits,
        )  # fmt: skip


@inner
def _last_two_of(
    codes: NDArray[Any], never: I64, hot: U64, hot_from: int, hot_word: I64, hot_keep: U64,
    hot_column: I64, rows: I32, starts: I32, since: int, until: int, first: int, end: int,
    seen: I32, scratch: I32, values: NDArray[Any], once: U64, table: U64, rank: int, size: int,
    choose: I64, offsets: I64, bits: U64,
) -> None:  # fmt: skip
    """Mark who is alone among some classes, for all columns one after the other."""
    one = np.uint64(1)
    mask = np.int32(BLOCKS - 1)
    words = np.uint64(hot.shape[1])
    base_row = np.uint64(starts[since])
    records = np.uint64(starts[until]) - base_row
    for i in range(records):
        r = np.uint64(rows[base_row + i] & mask)
        for w in range(words):
            table[i, w] = hot[r, w]
    for column in range(first, end):
        here = codes[column]
        for i in range(records):
            values[i] = here[np.uint64(rows[base_row + i] & mask)]
        missing = never[column]
        alone_bits = bits[offsets[size] + rank + choose[column, size]]
        base = offsets[size + 1] + rank + choose[column, size]
        later = max(column + 1, hot_from)
        word = np.uint64(hot_word[later])
        for g in range(since, until):
            begin, stop = np.uint64(starts[g]) - base_row, np.uint64(starts[g + 1]) - base_row
            if stop - begin == 2:
                x, y = values[begin], values[begin + one]
                if x != y:
                    if x != missing:
                        mark(alone_bits, rows[base_row + begin])
                    if y != missing:
                        mark(alone_bits, rows[base_row + begin + one])
                continue
            # for each code: how often it was seen, which later codes it was seen with, which twice
            kinds = np.uint64(0)
            for i in range(begin, stop):
                x = values[i]
                times = seen[x]
                seen[x] = times + 1
                if times == 0:
                    scratch[kinds] = x
                    kinds += one
                    for w in range(word, words):
                        once[x, 2 * w] = table[i, w]
                        once[x, 2 * w + one] = 0
                else:
                    for w in range(word, words):
                        bit = table[i, w]
                        before = once[x, 2 * w]
                        once[x, 2 * w + one] |= before & bit
                        once[x, 2 * w] = before | bit
            if missing >= 0:
                seen[missing] = 0
            some = False
            for k in range(kinds):
                x = np.uint64(scratch[k])
                if seen[x] > 1 and kinds > 1:
                    left = np.uint64(0)
                    for w in range(word, words):
                        bit = once[x, 2 * w] & ~once[x, 2 * w + one]
                        if w == word:
                            bit &= hot_keep[later]
                        once[x, 2 * w] = bit
                        left |= bit
                    if left == 0:
                        seen[x] = 0
                elif seen[x] > 1:  # not split
                    seen[x] = 0
                some |= seen[x] > 0
            if some:
                for i in range(begin, stop):
                    x = values[i]
                    r = rows[base_row + i]
                    if seen[x] == 1:
                        mark(alone_bits, r)
                    elif seen[x] > 1 and r < BLOCKS:
                        for w in range(word, words):
                            left = once[x, 2 * w] & table[i, w]
                            while left:
                                y = hot_column[np.uint64(64) * w + np.uint64(lowest(left))]
                                left &= left - one
                                mark(bits[base + choose[y, size + 1]], r)
            for k in range(kinds):
                seen[np.uint64(scratch[k])] = 0
