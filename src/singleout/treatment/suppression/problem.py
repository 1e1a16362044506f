"""What a suppression is about: the distinct combinations, and what a blanked cell costs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from singleout.core.arrays import F64, I32, I64
from singleout.core.table import Table
from singleout.engines.local import counting as local
from singleout.errors import BadChoice, UnknownColumns
from singleout.kernels.suppression.peel import MAX_COLUMNS

__all__ = ["Problem", "problem_of"]


@dataclass(frozen=True, eq=False)
class Problem:
    """Distinct combinations of some columns; sets of columns are the bits of a number.

    Parameters
    ----------
    table, columns
        The table, and the columns whose cells may be blanked.
    k
        How many records shall be alike.
    weights
        What a blanked cell of each column costs.
    codes, missing, sizes
        Of each combination: its codes, its columns without a value, its number of records.
    of_record
        The combination of each record.
    """

    table: Table
    columns: tuple[str, ...]
    k: int
    weights: F64
    codes: I32 = field(repr=False)
    missing: I64 = field(repr=False)
    sizes: I64 = field(repr=False)
    of_record: I64 = field(repr=False)

    @property
    def values(self) -> list[int]:
        """How many values each column has."""
        return [self.table[name].levels for name in self.columns]

    @cached_property
    def by_group(self) -> I64:
        """The records, those of the first combination first."""
        return np.argsort(self.of_record, kind="stable")

    def by_record(self, groups: I64, blanks: I64, counts: I64) -> I64:
        """Return the blank columns of each record.

        Some records of a combination have some columns blank; the others, none. The first records
        of a combination are those with most cells left.
        """
        whole = self.sizes - np.bincount(groups, counts, len(self.sizes)).astype(np.int64)
        groups = np.concatenate([np.arange(len(whole)), groups])
        blanks = np.concatenate([np.zeros(len(whole), dtype=np.int64), blanks])
        counts = np.concatenate([whole, counts])
        order = np.lexsort((blanks, np.bitwise_count(blanks), groups))
        answer = np.empty(len(self.of_record), dtype=np.int64)
        answer[self.by_group] = np.repeat(blanks[order], counts[order])
        return answer


def problem_of(
    table: Table, columns: Sequence[str], k: int, importance: Mapping[str, float] | None
) -> Problem:
    """Return what a suppression is about, or say what is wrong with it."""
    names = table.require(columns)
    if len(names) > MAX_COLUMNS:
        raise BadChoice(
            f"There are {len(names)} columns, and cells are suppressed in at most {MAX_COLUMNS}; "
            "choose fewer columns."
        )
    weights = _weights(names, importance)
    groups = local.group(table, names)
    codes = np.stack([table[name].codes[groups.first] for name in names], axis=1).astype(np.int32)
    missing = np.zeros(len(codes), dtype=np.int64)
    for j, name in enumerate(names):
        code = table[name].missing_code
        if code is not None:
            missing |= (codes[:, j] == code).astype(np.int64) << j
    return Problem(
        table, names, k, weights, np.ascontiguousarray(codes), missing,
        groups.sizes.astype(np.int64), groups.ids.astype(np.int64),
    )  # fmt: skip


def _weights(names: Sequence[str], importance: Mapping[str, float] | None) -> F64:
    given = {} if importance is None else importance
    if not isinstance(given, Mapping):
        raise BadChoice(
            f"importance must be a number for each column, as {{'age': 2}}, not {importance!r}."
        )
    absent = [name for name in given if name not in names]
    if absent:
        raise UnknownColumns(absent, names)
    return np.array([_weight(name, given.get(name, 1.0)) for name in names], dtype=np.float64)


def _weight(name: str, value: Any) -> float:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or value <= 0:
        raise BadChoice(f"The importance of {name!r} must be a number above 0, not {value!r}.")
    return float(value)
