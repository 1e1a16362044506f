"""How many columns a method looks at in an assessment: as many as take reasonable time.

Methods that look at every combination of a few columns take time that grows with records times
combinations. Where that is more than people wait for, an assessment runs them on the columns that
carry most information, and a note says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.errors import UnusableTable
from singleout.methods.method import Measured
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.core.table import Column, Table

__all__ = ["affordable", "information", "limited", "most_telling", "unless_too_large"]


def information(column: Column) -> float:
    """Return the entropy of a column in bits."""
    shares = column.sizes[column.sizes > 0] / len(column)
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def affordable(
    table: Table, known: Sequence[str], method: str, size: int, *, most: int
) -> tuple[list[str], tuple[str, ...]]:
    """Return as many columns as ``most`` combinations allow, and a note if some are left out.

    Those with most information stay.
    """
    width = len(known)
    while width > size and comb(width, size) > most:
        width -= 1
    if width == len(known):
        return list(known), ()
    return most_telling(table, known, width), (limited(method, width, len(known)),)


def most_telling(table: Table, names: Sequence[str], width: int) -> list[str]:
    """Return the columns with most information, in their order."""
    best = set(sorted(names, key=lambda name: -information(table[name]))[:width])
    return [name for name in names if name in best]


def limited(method: str, width: int, columns: int) -> str:
    """Return the note on a method that looks at some columns only."""
    return say(f"methods.limited.{method}", width=width, columns=columns)


def unless_too_large(method: str, notes: Sequence[str], run: Callable[[], Any]) -> Measured:
    """Return the result of a method, or a note where the table has no room for it."""
    try:
        return Measured(run(), tuple(notes))
    except UnusableTable as error:
        return Measured(None, (*notes, say(f"methods.left_out.{method}", reason=error)))
