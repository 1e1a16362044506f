"""Columns that look like identifiers though nobody has declared them.

Such a column singles out every record by itself, so that it takes most of all scores and says
nothing about who is special.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from singleout.core.table import Column, Table
from singleout.report.say import say

__all__ = ["looks_like_identifier", "without_identifiers"]

_ENOUGH = 20  # records, to tell an identifier from values that happen to differ
_NAMED_SO = re.compile(
    r"(?:.*[ _.-])?(?:id|ids|uuid|guid|pid|identifier|serial|serialno|number|no|nr|key|code)"
    r"|[a-z]+(?:Id|ID|Nr|No)",
)
_CHECKED = 200  # values that are looked at to know what they are


def looks_like_identifier(column: Column) -> bool:
    """Whether every record has a value of its own, and it is neither a measurement nor a date.

    In a table of few records only the name tells: ``id``, ``record_id``, ``caseNo``.
    """
    records = len(column)
    if records < 2 or column.has_missing or int(column.sizes.max()) > 1:
        return False
    some = [column.values[code] for code in range(min(_CHECKED, len(column.values)))]
    if any(isinstance(value, date) or _is_fraction(value) for value in some):
        return False
    return records >= _ENOUGH or _NAMED_SO.fullmatch(column.name.strip()) is not None


def _is_fraction(value: object) -> bool:
    """Whether a value is a number with a fraction, also one that is written as text."""
    if isinstance(value, float):
        return not value.is_integer()
    return isinstance(value, str) and re.fullmatch(r"-?\d*[.,]\d+(e-?\d+)?", value) is not None


def without_identifiers(
    table: Table, names: Sequence[str], *, named: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns to combine, and a note on each that looks like an identifier.

    What a user ``named`` is combined all the same, and so is everything if nothing would be left.
    """
    found = [name for name in names if looks_like_identifier(table[name])]
    kept = tuple(name for name in names if name not in found)
    if named or not kept:
        many = len(names) > 1  # a single column is asked about for its own sake
        notes = [say("suda.identifier_named", column=name) for name in found if many]
        return tuple(names), tuple(notes)
    return kept, tuple(say("suda.identifier", column=name) for name in found)
