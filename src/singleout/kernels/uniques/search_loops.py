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
from singleout.kernels.compiling import kernel

__all__ = ["find_unique", "number_suffixes", "write_bits"]

# set in the number of a record that cannot be alone and only blocks others
_BLOCKS = 1 << 30
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
        rows[0, r] = r if r < candidates else r | _BLOCKS
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
                _copy(inherited, alone_bits)
            elif depth > 1:
                _copy(bits[offsets[depth] + ranks[depth]], alone_bits)
        go_on = size < largest and column + 1 < width
        below = size if go_on else depth
        kept = _split(
            codes[column], never[column], rows[depth], starts[depth], classes[depth],
            seen, scratch, values, alone_bits, go_on, rows[below], starts[below],
        )  # fmt: skip
        if depth == 0 and alone:
            _copy(alone_bits, inherited)
        if go_on:
            if distinct_suffixes[column + 1]:
                kept = _merge(suffixes[column + 1], rows[size], starts[size], kept, seen)
            depth = size
            classes[depth] = kept
            ranks[depth] = rank
            following[depth] = column + 1 if depth > 1 else second
            entered = True


@kernel
def _mark(alone_bits: U64, row: int) -> None:
    """Set the bit of a record, unless it only blocks others."""
    if row < _BLOCKS:
        alone_bits[np.uint64(row >> 6)] |= np.uint64(1) << np.uint64(row & 63)


@kernel
def _split(
    codes: NDArray[Any], never: int, rows: I32, starts: I32, classes: int, seen: I32, scratch: I32,
    values: NDArray[Any], alone_bits: U64, go_on: bool, rows_to: I32, starts_to: I32,
) -> int:  # fmt: skip
    """Split each class by one column: mark who is alone, keep who is not; return how many classes.

    ``seen`` has an element for each code, all zero before and after.
    """
    one, two = np.uint64(1), np.uint64(2)
    kept = 0
    if go_on:
        starts_to[0] = 0
    for i in range(np.uint64(starts[classes])):
        values[i] = codes[np.uint64(rows[i] & np.int32(_BLOCKS - 1))]
    for g in range(classes):
        begin, end = np.uint64(starts[g]), np.uint64(starts[g + 1])
        if end - begin == 2:  # the two are told apart, or not split
            x, y = values[begin], values[begin + one]
            if x != y:
                if x != never:
                    _mark(alone_bits, rows[begin])
                if y != never:
                    _mark(alone_bits, rows[begin + one])
            continue
        if end - begin == 3:
            x, y, z = values[begin], values[begin + one], values[begin + two]
            first_two, ends, last_two = x == y, x == z, y == z
            if not (first_two or ends or x == never):
                _mark(alone_bits, rows[begin])
            if not (first_two or last_two or y == never):
                _mark(alone_bits, rows[begin + one])
            if not (ends or last_two or z == never):
                _mark(alone_bits, rows[begin + two])
            if go_on and int(first_two) + int(ends) + int(last_two) == 1:
                a, b = rows[begin], rows[begin + one]
                if ends:
                    b = rows[begin + two]
                elif last_two:
                    a, x = rows[begin + two], y
                if x != never and min(a, b) < _BLOCKS:
                    to = starts_to[kept]
                    rows_to[to] = a
                    rows_to[to + 1] = b
                    kept += 1
                    starts_to[kept] = to + 2
            continue
        if not _has_candidate(rows, begin, end):
            continue
        for i in range(begin, end):  # a code seen once has the record, one seen again has -1
            x = values[i]
            seen[x] = (rows[i] + np.int32(1)) | -np.int32(seen[x] != 0)
        if never >= 0:
            seen[never] = 0
        first = kept
        for i in range(begin, end):
            x = values[i]
            v = seen[x]
            scratch[i] = 0
            if v > 0:
                _mark(alone_bits, v - 1)
                seen[x] = 0
            elif not go_on:
                seen[x] = 0
            elif v < 0:
                if v == -1:  # a new class
                    kept += 1
                    starts_to[kept] = 0
                    v = np.int32(-1 - kept)
                    seen[x] = v
                v = np.int32(-1 - v)
                scratch[i] = v
                starts_to[v] += 1
        if kept == first + 1 and starts_to[kept] == end - begin:  # not split
            kept = first
            seen[values[begin]] = 0
            continue
        to = starts_to[first] if go_on else 0
        for k in range(first + 1, kept + 1):
            size = starts_to[k]
            starts_to[k] = to
            to += size
        if kept > first:
            for i in range(begin, end):
                k = scratch[i]
                if k > 0:
                    to = starts_to[k]
                    rows_to[to] = rows[i]
                    starts_to[k] = to + 1
                    seen[values[i]] = 0
    return kept


@kernel
def _copy(words: U64, to: U64) -> None:
    for w in range(to.size):  # assigning a slice takes seconds to compile
        to[w] = words[w]


@kernel
def _has_candidate(rows: I32, begin: int, end: int) -> bool:
    for i in range(begin, end):  # noqa: SIM110
        if rows[i] < _BLOCKS:
            return True
    return False


@kernel
def _merge(suffix: I32, rows: I32, starts: I32, classes: int, seen: I32) -> int:
    """Let one record stand for all of its class that agree in every column to come.

    It blocks others and is no candidate itself; a class without candidates is dropped. Return how
    many classes are left.
    """
    mask = np.int32(_BLOCKS - 1)
    to = 0
    kept = 0
    begin = 0
    for g in range(classes):
        end = starts[g + 1]
        first = to
        for i in range(begin, end):
            r = rows[i]
            x = np.uint64(suffix[r & mask])
            v = seen[x]
            if v != 0:
                rows[v - 1] |= _BLOCKS
            else:
                rows[to] = r
                to += 1
                seen[x] = to
        for i in range(first, to):
            seen[np.uint64(suffix[rows[i] & mask])] = 0
        begin = end
        if to > first + 1 and _has_candidate(rows, np.uint64(first), np.uint64(to)):
            kept += 1
            starts[kept] = to
        else:
            to = first
    return kept


@kernel
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
            _copy(inherited, bits[offsets[size] + rank + choose[column, size]])
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


@kernel
def _last_two_of(
    codes: NDArray[Any], never: I64, hot: U64, hot_from: int, hot_word: I64, hot_keep: U64,
    hot_column: I64, rows: I32, starts: I32, since: int, until: int, first: int, end: int,
    seen: I32, scratch: I32, values: NDArray[Any], once: U64, table: U64, rank: int, size: int,
    choose: I64, offsets: I64, bits: U64,
) -> None:  # fmt: skip
    """Mark who is alone among some classes, for all columns one after the other."""
    one = np.uint64(1)
    mask = np.int32(_BLOCKS - 1)
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
                        _mark(alone_bits, rows[base_row + begin])
                    if y != missing:
                        _mark(alone_bits, rows[base_row + begin + one])
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
                        _mark(alone_bits, r)
                    elif seen[x] > 1 and r < _BLOCKS:
                        for w in range(word, words):
                            left = once[x, 2 * w] & table[i, w]
                            while left:
                                y = hot_column[np.uint64(64) * w + np.uint64(lowest(left))]
                                left &= left - one
                                _mark(bits[base + choose[y, size + 1]], r)
            for k in range(kinds):
                seen[np.uint64(scratch[k])] = 0
