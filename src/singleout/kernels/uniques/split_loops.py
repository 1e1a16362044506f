"""Classes of records that agree: split by a column, and merged where nothing tells them apart.

A class is a run of record numbers. Who is alone after a split is marked in bits; classes of records
that no search asks about are dropped.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I32, U64
from singleout.kernels.compiling import inner

__all__ = ["BLOCKS", "copy", "mark", "merge", "split"]

# set in the number of a record that cannot be alone and only blocks others
BLOCKS = 1 << 30


@inner
def mark(alone_bits: U64, row: int) -> None:
    """Set the bit of a record, unless it only blocks others."""
    if row < BLOCKS:
        alone_bits[np.uint64(row >> 6)] |= np.uint64(1) << np.uint64(row & 63)


@inner
def split(
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
        values[i] = codes[np.uint64(rows[i] & np.int32(BLOCKS - 1))]
    for g in range(classes):
        begin, end = np.uint64(starts[g]), np.uint64(starts[g + 1])
        if end - begin == 2:  # the two are told apart, or not split
            x, y = values[begin], values[begin + one]
            if x != y:
                if x != never:
                    mark(alone_bits, rows[begin])
                if y != never:
                    mark(alone_bits, rows[begin + one])
            continue
        if end - begin == 3:
            x, y, z = values[begin], values[begin + one], values[begin + two]
            first_two, ends, last_two = x == y, x == z, y == z
            if not (first_two or ends or x == never):
                mark(alone_bits, rows[begin])
            if not (first_two or last_two or y == never):
                mark(alone_bits, rows[begin + one])
            if not (ends or last_two or z == never):
                mark(alone_bits, rows[begin + two])
            if go_on and int(first_two) + int(ends) + int(last_two) == 1:
                a, b = rows[begin], rows[begin + one]
                if ends:
                    b = rows[begin + two]
                elif last_two:
                    a, x = rows[begin + two], y
                if x != never and min(a, b) < BLOCKS:
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
                mark(alone_bits, v - 1)
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


@inner
def copy(words: U64, to: U64) -> None:
    """Copy words to others."""
    for w in range(to.size):  # assigning a slice takes seconds to compile
        to[w] = words[w]


@inner
def _has_candidate(rows: I32, begin: int, end: int) -> bool:
    for i in range(begin, end):  # noqa: SIM110
        if rows[i] < BLOCKS:
            return True
    return False


@inner
def merge(suffix: I32, rows: I32, starts: I32, classes: int, seen: I32) -> int:
    """Let one record stand for all of its class that agree in every column to come.

    It blocks others and is no candidate itself; a class without candidates is dropped. Return how
    many classes are left.
    """
    mask = np.int32(BLOCKS - 1)
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
                rows[v - 1] |= BLOCKS
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
