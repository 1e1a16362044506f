"""The compiled loops behind record entropy: how many records are nowhere above each one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64, U32
from singleout.kernels.compiling import inlined, kernel

__all__ = ["add_bins", "add_bins_by_cube", "below_by_bits", "below_by_merging"]


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

    The table is added up along each of its axes, so that a cell holds how many records are nowhere
    above it. What follows is the same for all records of a cell, so it is done once for each.

    Parameters
    ----------
    prefixes
        The combination of each record in all columns but the last, numbered; the last of these
        changes fastest.
    codes
        The code of each record in the last column.
    levels
        The length of each axis.
    bins
        How many bins of equal width, closed on the right.
    room
        Room for two numbers for each cell, and one for each record.
    up_to
        Room for one number for each record, and one more.
    histogram
        One row for each record, one cell for each bin.
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
    total, found = 0, 0
    for count in range(1, records + 1):
        if up_to[count] != 0:
            total += up_to[count]
            while total * bins > (found + 1) * records:
                found += 1
            up_to[count] = found


@kernel
def below_by_merging(second: U32, third: U32, weights: U32, levels: int, below: U32) -> None:
    """Count for three columns by divide and conquer: points come sorted, all different.

    Of two points in this order only the earlier can be below the later, so pairs of neighbouring
    halves are merged by the second column while a Fenwick tree counts by the third.

    Parameters
    ----------
    second, third
        The second and third column of points sorted by first, second and third.
    weights
        How many records each point stands for.
    levels
        A number above the largest code of the third column.
    below
        Where the answers go.
    """
    points = second.size
    order = np.arange(points, dtype=np.uint32)
    merged = np.empty(points, dtype=np.uint32)
    tree = np.zeros(levels + 1, dtype=np.uint32)
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
                    place = np.int64(third[other]) + 1
                    while place <= levels:
                        tree[place] += weights[other]
                        place += place & -place
                    left += 1
                merged[left + right - middle] = point
                place = np.int64(third[point]) + 1
                while place > 0:
                    below[point] += tree[place]
                    place -= place & -place
            for done in range(begin, left):
                place = np.int64(third[order[done]]) + 1
                while place <= levels and tree[place] != 0:
                    tree[place] = 0
                    place += place & -place
            for rest in range(left, middle):
                merged[rest + end - middle] = order[rest]
        order, merged = merged, order
        width *= 2


@kernel
def below_by_bits(codes: U32, levels: I64, below: U32) -> None:
    """Count for any number of columns, sixty-four records at a time.

    For each column and each value a word says which of these records are not above the value; the
    words of a record's values, taken together, say which of them are nowhere above the record.

    Parameters
    ----------
    codes
        One row for each column.
    levels
        For each column a number above its largest code.
    below
        Where the answers go.
    """
    width, records = codes.shape
    masks = np.empty((width, levels.max()), dtype=np.uint64)
    for record in range(records):
        below[record] = 0
    for begin in range(0, records, _WORD):
        for column in range(width):
            for level in range(levels[column]):
                masks[column, level] = 0
            for record in range(begin, min(begin + _WORD, records)):
                masks[column, codes[column, record]] |= np.uint64(1) << np.uint64(record - begin)
            for level in range(1, levels[column]):
                masks[column, level] |= masks[column, level - 1]
        for record in range(records):
            word = masks[0, codes[0, record]]
            for column in range(1, width):
                word &= masks[column, codes[column, record]]
            below[record] += _bits_set(word)


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
    """Rank the records by their counts, and add 1 to the bin of each.

    Parameters
    ----------
    below
        For each record how many records are nowhere above it, from 1 to all.
    bins, up_to, histogram
        As for `add_bins_by_cube`.
    """
    for count in range(up_to.size):
        up_to[count] = 0
    for record in range(below.size):
        up_to[below[record]] += 1
    _bins_of_counts(up_to, bins)
    for record in range(below.size):
        histogram[record, up_to[below[record]]] += 1
