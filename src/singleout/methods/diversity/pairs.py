"""The pairs of a class and a sensitive value: all that the measures of diversity are made of.

A class holds the records that are equal in what an attacker knows. Pairs are sorted by class and
then by value, so that each class is one run of them and sums over classes need no loop.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64
from singleout.kernels.grouping.group import group_records

__all__ = ["Pairs", "pairs_of", "sorted_pairs"]

_DENSE = 1 << 22  # cells of a table with one for every possible pair that are always affordable


@dataclass(frozen=True, eq=False)
class Pairs:
    """How many records each pair of a class and a value has, and each value in the whole table.

    Every class has at least one pair. Values are numbered 0, 1, 2 … in their order, and each of
    them occurs in the table.
    """

    classes: I64  # the class of each pair, ascending
    values: I64  # its value, ascending within a class
    sizes: I64  # how many records of the class have the value
    of_value: I64  # how many records of the table have each value
    starts: I64 = field(init=False, repr=False)  # the first pair of each class

    def __post_init__(self) -> None:
        heads = np.flatnonzero(np.diff(self.classes, prepend=-1))
        object.__setattr__(self, "starts", heads)

    @cached_property
    def class_sizes(self) -> I64:
        """How many records each class has."""
        return np.add.reduceat(self.sizes, self.starts)

    @cached_property
    def distinct(self) -> I64:
        """How many different values each class has."""
        return np.diff(self.starts, append=len(self.sizes))

    @cached_property
    def shares(self) -> F64:
        """For each pair the share of its value in its class: q."""
        return np.asarray(self.sizes / self.class_sizes[self.classes], dtype=np.float64)

    @cached_property
    def priors(self) -> F64:
        """The share of each value in the table: p."""
        return np.asarray(self.of_value / self.of_value.sum(), dtype=np.float64)


def pairs_of(
    ids: NDArray[Any], codes: NDArray[Any], classes: int, levels: int, sizes: I64 | None = None
) -> Pairs:
    """Count the pairs of rows that stand for so many records each, one if ``sizes`` is None.

    ``ids`` are the classes of the rows, ``codes`` their values, both below ``classes`` and
    ``levels``. A value that no row has gets no number.
    """
    if classes * levels <= max(_DENSE, 4 * len(ids)):
        # in place: a table of every possible pair is the fastest way to count
        keys = ids.astype(np.int64)
        keys *= levels
        keys += codes
        cells = _counted(keys, sizes, classes * levels)
        found = np.flatnonzero(cells)
        return sorted_pairs(found // levels, found % levels, cells[found], levels)
    groups = group_records([ids, codes], [classes, levels])
    totals = groups.sizes if sizes is None else _counted(groups.ids, sizes, len(groups.sizes))
    of_class, of_value = ids[groups.first], codes[groups.first]
    order = np.lexsort((of_value, of_class))
    return sorted_pairs(of_class[order], of_value[order], totals[order], levels)


def sorted_pairs(
    classes: NDArray[Any],
    values: NDArray[Any],
    sizes: I64,
    levels: int,
    of_value: I64 | None = None,
) -> Pairs:
    """Return pairs that are in order already, with their values numbered without gaps.

    ``of_value`` are the records of each value where the classes overlap, so that their sums would
    count a record several times.
    """
    held = _counted(values, sizes, levels) if of_value is None else of_value
    occurs = held > 0
    number = np.cumsum(occurs) - 1
    return Pairs(classes.astype(np.int64), number[values], sizes, held[occurs])


def _counted(keys: NDArray[Any], sizes: I64 | None, length: int) -> I64:
    if sizes is None:
        return np.bincount(keys, minlength=length)
    # sums of whole numbers below 2**53 are exact
    return np.bincount(keys, sizes, minlength=length).astype(np.int64)
