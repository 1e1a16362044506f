"""Columns whose values have an order, which entropy needs. Béra et al. (2023), section 3.4."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from singleout.core.table import Column
from singleout.errors import BadChoice, UnusableColumn
from singleout.methods.qar.question import RecordQuestion
from singleout.methods.selection import named_columns

__all__ = ["has_order", "ordinal_columns"]

_ISO_DATE = re.compile(r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2})?)?)?", re.ASCII)


def ordinal_columns(question: RecordQuestion, asked: Sequence[str] | str | None) -> list[Column]:
    """Return the columns that are named as ordinal; refuse those whose order cannot be known."""
    names = named_columns(asked, "ordinal")
    if names is None:
        return []
    question.table.require(names)
    if len(names) < question.size:
        raise BadChoice(
            f"Entropy needs at least {question.size} ordinal columns, as many as a combination "
            f"has, not {names}; name more of them, or choose a smaller size."
        )
    columns = [question.table[name] for name in names]
    for column in columns:
        if not has_order(column):
            raise UnusableColumn(
                f"Column {column.name!r} holds text whose order cannot be known, so it is not "
                "ordinal; give numbers, dates or categories with a declared order, list texts that "
                "mean missing as such, or leave the column out of ordinal."
            )
    return columns


def has_order(column: Column) -> bool:
    """Whether the codes follow an order of the values that means something.

    Text that reads as numbers is sorted as numbers, other text by the alphabet, and categories with
    a declared order by it: so text that is sorted otherwise than by the alphabet has an order. The
    alphabet is the order of dates that are written alike as ISO 8601 has them.
    """
    values = list(column.values)
    if not any(isinstance(value, str) for value in values):
        return True
    if all(_reads_as_number(value) for value in values):
        return True
    return values != sorted(values, key=str) or _are_iso_dates(values)


def _are_iso_dates(values: Sequence[Any]) -> bool:
    """Whether all are months, days or times as ISO 8601 writes them, to the same precision.

    >>> _are_iso_dates(["2023-07", "2024-01"]), _are_iso_dates(["2023-13"])
    (True, False)
    """
    same_length = len({len(value) for value in values}) == 1
    # a T before the time sorts otherwise than a space
    same_mark = len({value[10:11] for value in values}) == 1
    return same_length and same_mark and all(_is_iso_date(value) for value in values)


def _is_iso_date(text: str) -> bool:
    if not _ISO_DATE.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text if len(text) > 7 else f"{text}-01")
    except ValueError:
        return False
    return True


def _reads_as_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
