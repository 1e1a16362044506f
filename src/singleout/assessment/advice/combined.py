"""Different combinations of the quasi-identifiers, counted once and coarsened from there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64
from singleout.core.table import Column, Table
from singleout.kernels.grouping.group import group_records

__all__ = ["Combined"]


@dataclass(frozen=True, eq=False)
class Combined:
    """Different combinations of the quasi-identifiers, and how many records have each."""

    first: I64  # a record of each
    codes: dict[str, NDArray[Any]]
    levels: dict[str, int]
    sizes: I64

    @classmethod
    def of(cls, table: Table, names: Sequence[str]) -> Combined:
        """Return the combinations of a table."""
        codes = {name: table[name].codes for name in names}
        levels = {name: table[name].levels for name in names}
        groups = group_records(list(codes.values()), list(levels.values()))
        first = groups.first.astype(np.int64)
        at_first = {name: column[first] for name, column in codes.items()}
        return cls(first, at_first, levels, groups.sizes)

    def with_codes(self, name: str, column: Column | None) -> Combined:
        """Return the combinations where a column is coarser, or left out if it is None."""
        codes = {other: values for other, values in self.codes.items() if other != name}
        levels = {other: count for other, count in self.levels.items() if other != name}
        if column is not None:
            codes[name], levels[name] = column.codes[self.first], column.levels
        groups = group_records(list(codes.values()), list(levels.values()))
        # sums of whole numbers below 2**53 are exact
        sizes = np.bincount(groups.ids, self.sizes).astype(np.int64)
        at = groups.first
        kept = {other: values[at] for other, values in codes.items()}
        return Combined(self.first[at], kept, levels, sizes)

    def small(self, wanted: int) -> float:
        """Return the share of the records in sets smaller than wanted."""
        return float(self.sizes[self.sizes < wanted].sum() / self.sizes.sum())
