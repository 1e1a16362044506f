"""The compiled loops behind record entropy: how many records are nowhere above each one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64, U32, U64
from singleout.kernels.bits import lowest
from singleout.kernels.compiling import inlined, kernel

__all__ = [
    "add_bins",
    "add_bins_by_cube",
    "below_by_bits",
    "below_by_merging",
    "people_below_by_bits",
]


_WORD = 64


@kernel
def add_bins_by_cube(
    prefixes: U32,
    codes: U32,
    levels: I64,
    bins: int,
    room: U32,
    up_to: U32,
    histogram: NDArray[Any],
) -> None:
    """Rank the records by a table of all combinations, and add 1 to the bin of each.

    Sums along each axis of the table give how many records are nowhere above each cell; the rest is
    the same for all records of a cell, so it is done once for each. ``prefixes`` numbers the
    combinations of all columns but the last, of which the last changes fastest; ``codes`` are those
    of the last column, and ``levels`` the length of each axis. There are ``bins`` bins of equal
    width, closed on the right. ``room`` has two numbers for each cell and one for each record,
    ``up_to`` one for each record and one more, ``histogram`` a row for each record and a cell for
    each bin.
    """
    records = codes.size
    cells = (room.size - records) // 2
    held, below, keys = room[:cells], room[cells : 2 * cells], room[2 * cells :]
    last = np.uint32(levels[-1])
    for cell in range(cells):
        held[cell] = 0
    for record in range(records):
        key = prefixes[record] * last + codes[record]
        keys[record] = key
        held[key] += 1
    for cell in range(cells):
        below[cell] = held[cell]
    step = 1
    for axis in range(levels.size - 1, -1, -1):
        stretch = step * levels[axis]
        for begin in range(0, cells, stretch):
            for cell in range(begin + step, begin + stretch):
                below[cell] += below[cell - step]
        step = stretch
    for count in range(records + 1):
        up_to[count] = 0
    for cell in range(cells):
        up_to[below[cell]] += held[cell]
    _bins_of_counts(up_to, bins)
    for cell in range(cells):
        held[cell] = up_to[below[cell]]
    for record in range(records):
        histogram[record, held[keys[record]]] += 1


@kernel
def _bins_of_counts(up_to: U32, bins: int) -> None:
    """Turn how many records have each count into the bin of the count's rank.

    The share of the records up to a count is cut: bin b holds shares above b / bins and up to
    (b + 1) / bins. All in whole numbers.
    """
    records = up_to.size - 1
    total, bin_ = 0, 0
    for count in range(1, records + 1):
        if up_to[count] != 0:
            total += up_to[count]
            while total * bins > (bin_ + 1) * records:
                bin_ += 1
            up_to[count] = bin_


@kernel
def below_by_merging(
    second: U32, third: U32, weights: NDArray[Any], levels: int, below: NDArray[Any]
) -> None:
    """Count for three columns by divide and conquer: points come sorted, all different.

    Of two points in this order only the earlier can be below the later, so pairs of neighbouring
    halves are merged by the second column while a Fenwick tree counts by the third. ``weights`` is
    how many records each point stands for, ``levels`` a number above the largest code of the third
    column.
    """
    points = second.size
    order = np.arange(points, dtype=np.uint32)
    merged = np.empty(points, dtype=np.uint32)
    tree = np.zeros(levels + 1, dtype=below.dtype)
    for point in range(points):
        below[point] = weights[point]
    width = 1
    while width < points:
        for begin in range(0, points, 2 * width):
            middle = min(begin + width, points)
            end = min(middle + width, points)
            left = begin
            for right in range(middle, end):
                point = order[right]
                while left < middle and second[order[left]] <= second[point]:
                    other = order[left]
                    merged[left + right - middle] = other
                    node = np.int64(third[other]) + 1
                    while node <= levels:
                        tree[node] += weights[other]
                        node += node & -node
                    left += 1
                merged[left + right - middle] = point
                node = np.int64(third[point]) + 1
                while node > 0:
                    below[point] += tree[node]
                    node -= node & -node
            for done in range(begin, left):
                node = np.int64(third[order[done]]) + 1
                while node <= levels and tree[node] != 0:
                    tree[node] = 0
                    node += node & -node
            for rest in range(left, middle):
                merged[rest + end - middle] = order[rest]
        order, merged = merged, order
        width *= 2


@kernel
def below_by_bits(codes: U32, levels: I64, below: U32) -> None:
    """Count for any number of columns, sixty-four records at a time.

    For each column and each value a word says which of these records are not above the value; the
    bitwise and of the words of a record's values says which of them are nowhere above the record.
    ``codes`` has a row for each column, ``levels`` a number above the largest code of each.
    """
    width, records = codes.shape
    masks = np.empty((width, levels.max()), dtype=np.uint64)
    for record in range(records):
        below[record] = 0
    for begin in range(0, records, _WORD):
        _fill_masks(codes, levels, begin, masks)
        for record in range(records):
            word = masks[0, codes[0, record]]
            for column in range(1, width):
                word &= masks[column, codes[column, record]]
            below[record] += _bits_set(word)


@kernel
def people_below_by_bits(codes: U32, levels: I64, people: U64, below: U64) -> None:
    """Count the same where each row stands for so many ``people``."""
    width, rows = codes.shape
    masks = np.empty((width, levels.max()), dtype=np.uint64)
    for row in range(rows):
        below[row] = 0
    for begin in range(0, rows, _WORD):
        _fill_masks(codes, levels, begin, masks)
        for row in range(rows):
            word = masks[0, codes[0, row]]
            for column in range(1, width):
                word &= masks[column, codes[column, row]]
            while word != 0:
                below[row] += people[begin + lowest(word)]
                word &= word - np.uint64(1)


@inlined
def _fill_masks(codes: Any, levels: Any, begin: Any, masks: Any) -> None:
    """For the rows from ``begin``, write the word of each column and value."""
    width, rows = codes.shape
    for column in range(width):
        for level in range(levels[column]):
            masks[column, level] = 0
        for row in range(begin, min(begin + _WORD, rows)):
            masks[column, codes[column, row]] |= np.uint64(1) << np.uint64(row - begin)
        for level in range(1, levels[column]):
            masks[column, level] |= masks[column, level - 1]


@inlined
def _bits_set(word: Any) -> Any:
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + (
        (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
    )
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.uint32((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@kernel
def add_bins(below: U32, bins: int, up_to: U32, histogram: NDArray[Any]) -> None:
    """Rank the records by their counts, from 1 to all, and add 1 to the bin of each.

    The other arguments are those of `add_bins_by_cube`.
    """
    for count in range(up_to.size):
        up_to[count] = 0
    for record in range(below.size):
        up_to[below[record]] += 1
    _bins_of_counts(up_to, bins)
    for record in range(below.size):
        histogram[record, up_to[below[record]]] += 1
