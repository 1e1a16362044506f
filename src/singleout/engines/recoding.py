"""A column with coarser values, made where the data is: intervals of numbers, or named groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from singleout.core.table import Column, Table, smallest_codes
from singleout.errors import UnusableColumn

__all__ = ["Recoding", "recoded_table", "without_group"]


@dataclass(frozen=True)
class Recoding:
    """How the values of a column become groups.

    Parameters
    ----------
    column
        The column.
    coding
        What the coding is called, for messages.
    group_of
        The group of a value, or None if it has none; missing values stay missing.
    width, offset
        The intervals that the groups are, if they are intervals.
    groups
        The values of each group as text, if they are few enough to be named.
    """

    column: str
    coding: str
    group_of: Callable[[Any], Any]
    width: float | None = None
    offset: float = 0.0
    groups: Mapping[Any, tuple[str, ...]] | None = None


def without_group(recoding: Recoding, source: str) -> UnusableColumn:
    """Return the error of a column with values that have no group; it does not tell them."""
    return UnusableColumn(
        f"Column {recoding.column!r} of {source} has values that {recoding.coding} has no group "
        "for; add them to the vocabulary, or leave these records out by where."
    )


def recoded_table(table: Table, recodings: Mapping[str, Recoding]) -> Table:
    """Return a table with more columns, each the groups of another."""
    added = [
        _recoded(table[recoding.column], name, recoding, table.source)
        for name, recoding in recodings.items()
    ]
    return Table([*table, *added], missing=table.missing, source=table.source, notes=table.notes)


def _recoded(column: Column, name: str, recoding: Recoding, source: str) -> Column:
    numbers: dict[Any, int] = {}
    used = np.bincount(column.codes, minlength=column.levels)
    book = np.zeros(column.levels, dtype=np.int64)
    for code, value in enumerate(column.values):
        if used[code]:
            group = recoding.group_of(value)
            if group is None:
                raise without_group(recoding, source)
            book[code] = numbers.setdefault(group, len(numbers))
    if column.has_missing:
        book[-1] = len(numbers)
    codes = smallest_codes(book[column.codes], len(numbers) + 1)
    return Column(name, codes, list(numbers), has_missing=column.has_missing)
