"""Distinct combinations and unique records by numpy alone, one column set after the other.

The compiled loops are a hundred times faster, but to compile them takes seconds. A small table is
counted before that, so the first answer on a machine does not wait for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64, U64
from singleout.core.progress import working_on
from singleout.kernels.distinct.prepared import Prepared

__all__ = ["counts", "flags", "sums", "work_of"]

_SET_COST = 1_000  # fixed cost of a column set, in records
_SPARSE = 8  # cells for each record, from which on sorting is cheaper than a table of all cells


def work_of(table: Prepared, size: int) -> int:
    """Return the work in the unit of ``SMALL_WORK``: records, times column sets."""
    return (table.records + _SET_COST) * comb(table.width, size)


def counts(table: Prepared, size: int) -> I64:
    """Return how many distinct combinations each set of columns has; sets are by position."""
    counted = np.empty(comb(table.width, size), dtype=np.int64)
    for number, sizes, _ in _grouped(table, size, np.ones(len(counted), dtype=np.bool_)):
        counted[number] = np.count_nonzero(sizes)
    return counted


def sums(table: Prepared, size: int, weights: I64) -> tuple[I64, I64]:
    """Return for each record the weight and the number of the sets, by position, it is alone in."""
    total, times = np.zeros((2, table.records), dtype=np.int64)
    for number, sizes, cell in _grouped(table, size, np.ones(len(weights), dtype=np.bool_)):
        alone = (sizes == 1)[cell]
        total[alone] += weights[number]
        times += alone
    return total, times


def flags(table: Prepared, size: int, rows: I64, bits: U64) -> None:
    """Set the bits of the records that are alone, in the row of each set by position; -1: none."""
    padded = np.zeros(64 * bits.shape[1], dtype=np.bool_)
    for number, sizes, cell in _grouped(table, size, rows >= 0):
        padded[: table.records] = (sizes == 1)[cell]
        bits[rows[number]] = np.packbits(padded, bitorder="little").view(np.uint64)


def _grouped(
    table: Prepared, size: int, wanted: NDArray[np.bool_]
) -> Iterator[tuple[int, I64, I64]]:
    """Yield the index of each column set wanted, the sizes of its groups, and each record's group.

    Groups may be empty.
    """
    codes = [column.astype(np.int64) for column in table.unpacked]
    levels = table.levels.tolist()
    number = 0
    for prefix in combinations(range(table.width), size - 1):
        last = range(prefix[-1] + 1, table.width)
        if wanted[number : number + len(last)].any():
            working_on("Counting combinations", number, len(wanted))
            leading, groups = codes[prefix[0]], levels[prefix[0]]
            for column in prefix[1:]:
                leading, groups = _joined(leading, groups, codes[column], levels[column])
            for index, column in enumerate(last, start=number):
                if wanted[index]:
                    cell, cells = _joined(leading, groups, codes[column], levels[column])
                    yield index, np.bincount(cell, minlength=cells), cell
        number += len(last)


def _joined(cell: I64, cells: int, codes: I64, levels: int) -> tuple[I64, int]:
    """Split each cell by one more column; return the cell of each record, and how many there are.

    Cells that no record has are left out if there are many.
    """
    split = cell * levels + codes
    if cells * levels <= _SPARSE * len(codes) + (1 << 12):
        return split, cells * levels
    occupied, dense = np.unique(split, return_inverse=True)
    return dense.astype(np.int64), len(occupied)
