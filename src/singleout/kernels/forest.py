"""The compiled loops behind log-linear models without circles: draws, fitted counts, tables.

Codes become unsigned before they are indices: those that may be negative take twice the time.
"""

from __future__ import annotations

import numpy as np

from singleout.core.arrays import F64, I32, I64
from singleout.kernels.compiling import kernel

__all__ = ["add_keys", "add_records", "draw_column", "multiply_chances", "start_searches"]


@kernel
def start_searches(limits: F64, starts: I32) -> None:
    """Find where the search for a point begins, for points of equal parts of each row.

    Row r of ``limits`` ascends from r, and its last is infinite. The start for part g of G is the
    first value whose limit is above r + g / G: no point of the part belongs to a value before it.
    """
    parts = starts.shape[1]
    for row in range(limits.shape[0]):
        value = 0
        for part in range(parts):
            x = row + part / parts
            while limits[row, value] <= x:
                value += 1
            starts[row, part] = value


@kernel
def draw_column(
    points: F64, parents: I32, limits: F64, starts: I32, chances: F64, codes: I32, fitted: F64
) -> None:
    """Draw a value of a column for each record, given that of the column before it.

    The value is the first whose limit is above the value before plus the point, 0 to 1. ``fitted``
    is multiplied by its chance.
    """
    parts = starts.shape[1]
    one = np.uint64(1)
    for record in range(points.size):
        point = points[record]
        row = np.uint64(parents[record])
        x = parents[record] + point
        value = np.uint64(starts[row, np.uint64(point * parts)])
        value += np.uint64(limits[row, value] <= x)  # mostly all to do, and no branch to guess
        while limits[row, value] <= x:
            value += one
        codes[record] = value
        fitted[record] *= chances[row, value]


@kernel
def multiply_chances(fitted: F64, parents: I32, codes: I32, chances: F64) -> None:
    """Multiply the fitted count of each record by the chance of its value given the one before."""
    for record in range(fitted.size):
        fitted[record] *= chances[np.uint64(parents[record]), np.uint64(codes[record])]


@kernel
def add_records(parents: I32, codes: I32, amounts: F64, table: F64) -> None:
    """Add the amount of each record to the cell of its two values.

    Records of both halves are added in turn, to a table each: to add to the cell that was added to
    just before has to wait.
    """
    half = codes.size // 2
    other = np.zeros_like(table)
    for record in range(half):
        table[np.uint64(parents[record]), np.uint64(codes[record])] += amounts[record]
        second = record + half
        other[np.uint64(parents[second]), np.uint64(codes[second])] += amounts[second]
    for record in range(2 * half, codes.size):
        table[np.uint64(parents[record]), np.uint64(codes[record])] += amounts[record]
    table += other


@kernel
def add_keys(codes: I32, marks: I64, keys: I64) -> None:
    """Add the mark of its value to the key of each record."""
    for record in range(codes.size):
        keys[record] += marks[np.uint64(codes[record])]
