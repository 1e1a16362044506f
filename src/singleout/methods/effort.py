"""How much of a table a method looks at: as many columns as people wait for, and no more.

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

if TYPE_CHECKING:
    from singleout.core.table import Column, Table

__all__ = ["affordable", "information", "limited", "most_telling", "unless_too_large"]


def information(column: Column) -> float:
    """Return the entropy of a column in bits."""
    sizes = np.bincount(column.codes, minlength=column.levels)
    shares = sizes[sizes > 0] / len(column)
    return float(-(shares * np.log2(shares)).sum()) + 0.0


def affordable(
    table: Table, known: Sequence[str], what: str, size: int, *, most: int
) -> tuple[list[str], tuple[str, ...]]:
    """Return as many columns as can be combined in reasonable time, and a note if some are not.

    Parameters
    ----------
    table, known
        The table, and the columns to choose from: those with most information stay.
    what
        The method, at the start of a sentence: ``SUDA was``.
    size
        How many columns a combination has.
    most
        How many combinations are affordable.
    """
    width = len(known)
    while width > size and comb(width, size) > most:
        width -= 1
    if width == len(known):
        return list(known), ()
    return most_telling(table, known, width), (limited(what, width, len(known)),)


def most_telling(table: Table, names: Sequence[str], width: int) -> list[str]:
    """Return the columns with most information, in the order in which they were given."""
    best = set(sorted(names, key=lambda name: -information(table[name]))[:width])
    return [name for name in names if name in best]


def limited(what: str, width: int, of: int) -> str:
    """Return the note on a method that looks at some columns only."""
    return (
        f"{what} limited to {width} of {of} quasi-identifiers, those with most "
        "information, so that it takes reasonable time."
    )


def unless_too_large(what: str, notes: Sequence[str], run: Callable[[], Any]) -> Measured:
    """Return what a method answers, or a note where the table has no room for it.

    Parameters
    ----------
    what
        The method, at the start of a sentence: ``SUDA was``.
    notes
        What is to be said besides.
    run
        What measures.
    """
    try:
        return Measured(run(), tuple(notes))
    except UnusableTable as error:
        return Measured(None, (*notes, f"{what} left out: {error}"))
