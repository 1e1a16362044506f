"""Classes: the records that share the values of the quasi-identifiers, and who matches them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64, Flags, sums
from singleout.core.choices import MissingPolicy
from singleout.engines.local import counting as local
from singleout.errors import UnusableTable
from singleout.kernels.grouping.group import Groups
from singleout.kernels.grouping.match import matching
from singleout.methods.rows import Rows

__all__ = ["Classes", "classes_of"]


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of rows; every array but the first two has an entry for each class."""

    ids: NDArray[Any]  # the class of each row that was counted
    counted: Flags | None  # which rows were counted; None if all were
    records: I64  # how many records have these values
    matches: I64  # f: how many match them; other than records only where missing is a wildcard
    weights: F64 | None  # the sum of the weights of those that match
    first: I64  # the index of a row with these values
    dropped: int = 0  # how many records were left out, because they lack a value

    @property
    def counted_records(self) -> int:
        """How many records were counted."""
        return int(self.records.sum())

    def per_row(self, values: NDArray[Any], absent: Any = np.nan) -> NDArray[Any]:
        """Return for each row the value of its class; ``absent`` for those left out."""
        of_counted: NDArray[Any] = values[self.ids]
        if self.counted is None:
            return of_counted
        every = np.full(len(self.counted), absent, dtype=np.result_type(values, type(absent)))
        every[self.counted] = of_counted
        return every


def classes_of(rows: Rows, names: Sequence[str], policy: MissingPolicy) -> Classes:
    """Return the classes of some rows by the columns ``names``."""
    counted, dropped, part = None, 0, rows
    if policy == MissingPolicy.DROP:
        complete = local.complete_records(rows.table, names)
        if not complete.all():
            if not complete.any():
                raise UnusableTable(
                    "Every record lacks a value in one of the columns, so none is left to count; "
                    "let missing be a value, or choose other columns."
                )
            counted, part = complete, rows.take(complete)
            dropped = rows.records - part.records
    groups = local.group(part.table, names)
    many = len(groups.sizes)
    records = groups.sizes if part.sizes is None else part.sums(groups.ids, many)
    weights = None
    if part.weights is not None:
        weights = sums(groups.ids, part.weights, many)
    first = groups.first.astype(np.int64)
    matches = records
    if policy == MissingPolicy.WILDCARD and _lacks_values(part, names):
        # sums of whole numbers below 2**53 are exact
        matches = _matching(part, names, groups, records.astype(np.float64)).astype(np.int64)
        weights = None if weights is None else _matching(part, names, groups, weights)
    if counted is not None:
        first = np.flatnonzero(counted)[first]
    return Classes(groups.ids, counted, records, matches, weights, first, dropped)


def _lacks_values(rows: Rows, names: Sequence[str]) -> bool:
    return any(rows.table[name].has_missing for name in names)


def _matching(rows: Rows, names: Sequence[str], groups: Groups, amounts: F64) -> F64:
    """Return for each class the total of all classes that match it."""
    columns = [rows.table[name] for name in names]
    return matching(
        [column.codes[groups.first] for column in columns],
        [column.levels for column in columns],
        [column.missing_code for column in columns],
        amounts,
    )
