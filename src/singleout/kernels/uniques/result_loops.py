"""The compiled loops that select the minimal uniques among those of a search, count and list them.

A row of bits for each set of columns says which records are alone in it. Rows are ordered by the
size of the set, then by the set, the last column counting most.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64, U64
from singleout.kernels.bits import lowest, popcount
from singleout.kernels.compiling import kernel

__all__ = [
    "count_sets",
    "keep_minimal",
    "list_minimal",
    "minimal_covers",
    "smallest_masks",
    "uniques_of_record",
]


@kernel
def keep_minimal(
    bits: U64, offsets: I64, choose: I64, largest: int, lead: int, second: int, stop: int,
    begin: int, end: int, records: I64, order: I64, counts: NDArray[np.int32],
    halt: NDArray[np.bool_],
) -> None:  # fmt: skip
    """Clear the bits of uniques that are not minimal, and count those that are.

    Only sets that begin with column ``lead`` and whose second column is from ``second`` to before
    ``stop`` are looked at, or all if ``lead`` is -1, and only the words ``begin`` to ``end`` of the
    bits. ``records`` is the record of each bit, ``order`` the original index of each column.
    ``counts`` is for each size, record and column how many minimal uniques of the record hold the
    column. The search ends when the one element of ``halt`` becomes true.
    """
    columns = np.empty(largest, dtype=np.int64)
    below = np.empty(largest, dtype=np.int64)
    # from the largest sets down: they are compared with smaller ones before those are cleared
    for size in range(largest, 0, -1):
        for z in range(size):
            columns[z] = z
        for row in range(offsets[size], offsets[size + 1]):
            if halt[0]:
                return
            ours = lead < 0 or columns[0] == lead
            if lead >= 0 and ours:
                ours = second <= columns[1] < stop if size > 1 else second == lead + 1
            if ours:
                # the row of the set without its i-th column
                after = np.int64(0)
                for i in range(size - 1, -1, -1):
                    below[i] = after
                    after += choose[columns[i], i]
                before = np.int64(0)
                for i in range(size):
                    below[i] += before + offsets[size - 1]
                    before += choose[columns[i], i + 1]
                for w in range(begin, end):
                    left = bits[row, w]
                    if left == 0:
                        continue
                    if size > 1:
                        for i in range(size - 1, -1, -1):
                            left &= ~bits[below[i], w]
                        bits[row, w] = left
                    while left:
                        bit = lowest(left)
                        left &= left - np.uint64(1)
                        r = records[w * 64 + np.int64(bit)]
                        for i in range(size):
                            counts[size - 1, r, order[columns[i]]] += 1
            _next_set(columns, size)


@kernel
def _next_set(columns: I64, size: int) -> None:
    """Go to the next set in the order of the rows."""
    z = 0
    while z + 1 < size and columns[z] + 1 == columns[z + 1]:
        columns[z] = z
        z += 1
    columns[z] += 1


@kernel
def count_sets(
    bits: U64, offsets: I64, largest: int, lead: int, second: int, stop: int, order: I64
) -> tuple[U64, I64]:
    """Return the sets that are minimal uniques of some records, as bits, and of how many.

    ``lead``, ``second`` and ``stop`` choose the sets as in `keep_minimal`, which comes before.
    """
    masks = np.empty(64, dtype=np.uint64)
    counts = np.empty(64, dtype=np.int64)
    columns = np.empty(largest, dtype=np.int64)
    k = 0
    for size in range(1, largest + 1):
        for z in range(size):
            columns[z] = z
        for row in range(offsets[size], offsets[size + 1]):
            ours = lead < 0 or columns[0] == lead
            if lead >= 0 and ours:
                ours = second <= columns[1] < stop if size > 1 else second == lead + 1
            if ours:
                held = np.uint64(0)
                for w in range(bits.shape[1]):
                    held += popcount(bits[row, w])
                if held > 0:
                    if k == masks.size:
                        masks = np.append(masks, masks)
                        counts = np.append(counts, counts)
                    masks[k] = 0
                    for z in range(size):
                        masks[k] |= np.uint64(1) << np.uint64(order[columns[z]])
                    counts[k] = held
                    k += 1
            _next_set(columns, size)
    return masks[:k], counts[:k]


@kernel
def list_minimal(
    bits: U64, offsets: I64, largest: int, begin: int, end: int, order: I64
) -> tuple[I64, U64]:
    """Return the bit index of each minimal unique of some words, and its columns as bits."""
    total = np.uint64(0)
    for row in range(1, bits.shape[0]):
        for w in range(begin, end):
            total += popcount(bits[row, w])
    where = np.empty(total, dtype=np.int64)
    masks = np.empty(total, dtype=np.uint64)
    columns = np.empty(largest, dtype=np.int64)
    k = 0
    for size in range(1, largest + 1):
        for z in range(size):
            columns[z] = z
        for row in range(offsets[size], offsets[size + 1]):
            mask = np.uint64(0)
            for z in range(size):
                mask |= np.uint64(1) << np.uint64(order[columns[z]])
            for w in range(begin, end):
                left = bits[row, w]
                while left:
                    bit = lowest(left)
                    left &= left - np.uint64(1)
                    where[k] = w * 64 + np.int64(bit)
                    masks[k] = mask
                    k += 1
            _next_set(columns, size)
    return where, masks


@kernel
def smallest_masks(masks: U64, most: int) -> U64:
    """Return the masks that contain no other one; they are distinct, those with fewest bits first.

    If there are more than ``most``, the first of them and one more.
    """
    smallest = np.empty_like(masks)
    count = 0
    for mask in masks:
        k = 0
        while k < count and smallest[k] & ~mask:
            k += 1
        if k == count:
            smallest[count] = mask
            count += 1
            if count > most:
                break
    return smallest[:count]


@kernel
def minimal_covers(masks: U64, largest: int) -> U64:
    """Return the minimal sets of bits that share one with every mask.

    Sets are built up from the lowest bit. A bit of a set is needed if some mask has no other bit of
    the set; once one is not, no larger set can need it.
    """
    one = np.uint64(1)
    following = np.zeros(largest + 1, dtype=np.int64)
    sets = np.zeros(largest + 1, dtype=np.uint64)
    covers = np.empty(64, dtype=np.uint64)
    count = 0
    depth = 0
    while depth >= 0:
        bit = following[depth]
        if bit == 64:
            depth -= 1
            continue
        following[depth] = bit + 1
        chosen = sets[depth] | one << np.uint64(bit)
        needed = np.uint64(0)
        open_masks = 0
        hopeless = False
        for mask in masks:
            shared = mask & chosen
            if shared == 0:
                open_masks += 1
                hopeless |= (mask >> np.uint64(bit)) <= one  # no bit above this one
            elif shared & (shared - one) == 0:
                needed |= shared
        if needed != chosen:
            continue
        if open_masks == 0:
            if count == covers.size:
                covers = np.append(covers, covers)
            covers[count] = chosen
            count += 1
        elif not hopeless and depth + 1 < largest:
            depth += 1
            sets[depth] = chosen
            following[depth] = bit + 1
    return covers[:count]


@kernel
def uniques_of_record(codes: NDArray[Any], never: I64, record: int, largest: int) -> U64:
    """Return the sets, as bits, in which one record is alone: all minimal ones, and some more."""
    width, records = codes.shape
    rows = np.empty((largest + 1, records), dtype=np.int32)
    sizes = np.zeros(largest + 1, dtype=np.int64)
    following = np.zeros(largest + 1, dtype=np.int64)
    masks = np.zeros(largest + 1, dtype=np.uint64)
    uniques = np.empty(64, dtype=np.uint64)
    sets = 0
    for r in range(records):
        if r != record:
            rows[0, sizes[0]] = r
            sizes[0] += 1
    depth = 0
    while depth >= 0:
        column = following[depth]
        if column == width:
            depth -= 1
            continue
        following[depth] = column + 1
        value = codes[column, record]
        if value == never[column]:
            continue
        to = rows[depth + 1]
        same = 0
        for i in range(sizes[depth]):
            r = rows[depth, i]
            to[same] = r
            same += codes[column, r] == value
        mask = masks[depth] | np.uint64(1) << np.uint64(column)
        if same == 0:
            if sets == uniques.size:
                uniques = np.append(uniques, uniques)
            uniques[sets] = mask
            sets += 1
        elif same < sizes[depth] and depth + 1 < largest:
            depth += 1
            sizes[depth] = same
            following[depth] = column + 1
            masks[depth] = mask
    return uniques[:sets]
