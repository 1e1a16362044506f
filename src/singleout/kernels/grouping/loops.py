"""The compiled loops of grouping: pack codes into keys, spread keys over partitions, count each.

All of them see flat arrays only, release the interpreter's lock, and write into arrays that the
caller owns, so that nothing is allocated per record.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64, U32, U64
from singleout.kernels.compiling import kernel

__all__ = [
    "count_cells",
    "count_partitions",
    "find_first",
    "keep_shared",
    "number_cells",
    "number_partitions",
    "pack",
    "pack_rows",
    "scatter_keys",
    "scatter_keys_and_rows",
    "spread",
    "write_numbers",
]


@kernel
def pack(keys: U64, codes: NDArray[Any], levels: int) -> None:
    """Append one column to the keys: ``key * levels + code``."""
    factor = np.uint64(levels)
    for r in range(keys.size):
        keys[r] = keys[r] * factor + np.uint64(codes[r])


@kernel
def pack_rows(keys: U64, rows: U32, codes: NDArray[Any], levels: int) -> None:
    """Append one column to the keys, for some records only."""
    factor = np.uint64(levels)
    for r in range(keys.size):
        keys[r] = keys[r] * factor + np.uint64(codes[rows[r]])


@kernel
def keep_shared(ids: U32, rows: U32, number_of: U32, parents: U32, shared_rows: U32) -> None:
    """Keep the records whose group has a new number: those that are not alone in it.

    ``number_of`` gives each group's new number, or its own length for a group of one.
    """
    nobody = number_of.size
    k = 0
    for r in range(ids.size):
        number = number_of[ids[r]]
        if number != nobody:
            parents[k] = number
            shared_rows[k] = rows[r]
            k += 1


@kernel
def count_cells(keys: U64, table: U32) -> None:
    """Count how often each key occurs, for keys small enough to index a table."""
    for r in range(keys.size):
        table[keys[r]] += np.uint32(1)


@kernel
def number_cells(keys: U64, number_of: U32, ids: U32) -> None:
    """Write the number of each record's cell."""
    for r in range(keys.size):
        ids[r] = number_of[keys[r]]


@kernel
def find_first(ids: U32, first: U32) -> None:
    """Write the first record of each group."""
    # backwards, so that the first record of a group is the one that stays
    for r in range(ids.size - 1, -1, -1):
        first[ids[r]] = np.uint32(r)


@kernel
def spread(keys: U64, shift: int, histogram: I64) -> None:
    """Mix the bits of each key, reversibly, and count the partitions that the top bits name.

    Reversible mixing (the finaliser of MurmurHash3) keeps different keys different, so that mixed
    keys can be compared in place of the keys.
    """
    down = np.uint64(shift)
    for r in range(keys.size):
        h = keys[r]
        h ^= h >> np.uint64(33)
        h *= np.uint64(0xFF51AFD7ED558CCD)
        h ^= h >> np.uint64(33)
        h *= np.uint64(0xC4CEB9FE1A85EC53)
        h ^= h >> np.uint64(33)
        keys[r] = h
        histogram[h >> down] += 1


@kernel
def scatter_keys(keys: U64, shift: int, next_free: I64, out: U64) -> None:
    """Move each key to its partition; ``next_free`` is the next free index of each."""
    down = np.uint64(shift)
    for r in range(keys.size):
        h = keys[r]
        p = h >> down
        out[next_free[p]] = h
        next_free[p] += 1


@kernel
def scatter_keys_and_rows(
    keys: U64, first_row: int, shift: int, next_free: I64, out: U64, rows: U32
) -> None:
    """Move each key and its row number to its partition."""
    down = np.uint64(shift)
    for r in range(keys.size):
        h = keys[r]
        p = h >> down
        to = next_free[p]
        next_free[p] = to + 1
        out[to] = h
        rows[to] = np.uint32(first_row + r)


@kernel
def count_partitions(
    keys: U64, starts: I64, skip_bits: int, slots: U64, filled: U32, sizes: U32, counts: I64
) -> None:
    """Count the distinct keys of some partitions by open addressing.

    Partition ``p`` is ``keys[starts[p]:starts[p + 1]]``; the sizes of its groups are written from
    ``sizes[starts[p]]`` on and their number to ``counts[p]``. ``slots`` and ``filled`` are scratch
    tables whose length is a power of two above twice the largest partition; ``filled`` is zero
    before and after.
    """
    for p in range(counts.size):
        begin, end = starts[p], starts[p + 1]
        bits = 4
        while (1 << bits) < 2 * (end - begin):
            bits += 1
        mask = np.uint64((1 << bits) - 1)
        # the top bits are the same all over the partition: take the ones below
        down = np.uint64(max(64 - skip_bits - bits, 0))
        for j in range(begin, end):
            h = keys[j]
            s = (h >> down) & mask
            while filled[s] != 0 and slots[s] != h:
                s = (s + np.uint64(1)) & mask
            slots[s] = h
            filled[s] += np.uint32(1)
        groups = 0
        for s in range(1 << bits):
            if filled[s] != 0:
                sizes[begin + groups] = filled[s]
                groups += 1
                filled[s] = 0
        counts[p] = groups


@kernel
def number_partitions(
    keys: U64,
    rows: U32,
    starts: I64,
    skip_bits: int,
    slots: U64,
    filled: U32,
    local: U32,
    sizes: U32,
    first: U32,
    counts: I64,
) -> None:
    """Give numbers to the groups of some partitions from 0, in order of their first record.

    As ``count_partitions``, and ``local[j]`` becomes the number of the group of ``rows[j]``,
    ``first`` the first row of each group.
    """
    for p in range(counts.size):
        begin, end = starts[p], starts[p + 1]
        bits = 4
        while (1 << bits) < 2 * (end - begin):
            bits += 1
        mask = np.uint64((1 << bits) - 1)
        down = np.uint64(max(64 - skip_bits - bits, 0))
        groups = 0
        for j in range(begin, end):
            h = keys[j]
            s = (h >> down) & mask
            while filled[s] != 0 and slots[s] != h:
                s = (s + np.uint64(1)) & mask
            if filled[s] == 0:
                slots[s] = h
                filled[s] = np.uint32(groups + 1)
                first[begin + groups] = rows[j]
                sizes[begin + groups] = 0
                groups += 1
            number = filled[s] - np.uint32(1)
            local[j] = number
            sizes[begin + number] += np.uint32(1)
        filled[: 1 << bits] = 0
        counts[p] = groups


@kernel
def write_numbers(rows: U32, local: U32, starts: I64, base: I64, ids: U32) -> None:
    """Write the number of each record's group: its number in the partition plus a base."""
    for p in range(base.size):
        b = np.uint32(base[p])
        for j in range(starts[p], starts[p + 1]):
            ids[rows[j]] = b + local[j]
