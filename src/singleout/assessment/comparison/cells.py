"""What happened to the cells of a table: how many lost their value, how many have another one.

Two versions of a table are compared cell by cell, so their records must be matched first: by a
column that names each record, in the order of the files, or each with an equal one wherever it
stands. Where several ways fit, the one with the fewest differences counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import I64
from singleout.core.memory import require_memory
from singleout.core.progress import track
from singleout.core.table import Column, Table
from singleout.kernels.grouping.group import group_records
from singleout.report.say import say

__all__ = ["CellChanges", "cell_changes"]

Cells = NDArray[np.uint32]

_MISSING = 0  # the code of a missing cell, in both versions


@dataclass(frozen=True)
class CellChanges:
    """What happened to the cells of the records and columns that both versions have.

    Parameters
    ----------
    cells
        How many cells were compared.
    suppressed
        Cells that had a value before, and have none after.
    changed
        Cells that have another value, those that had none before included.
    how
        How the records were matched, in words.
    by_column
        How many cells of each column lost their value or have another one.
    rows
        For each record after, its row before.
    """

    cells: int
    suppressed: int
    changed: int
    how: str
    by_column: Mapping[str, int] = field(default_factory=dict, repr=False, compare=False)
    rows: I64 = field(
        default_factory=lambda: np.empty(0, dtype=np.int64), repr=False, compare=False
    )


def cell_changes(before: Table, after: Table) -> CellChanges | None:
    """Return what happened to the cells; None if the records cannot be matched."""
    names = [name for name in before.columns if name in set(after.columns)]
    if not names:
        return None
    require_memory(
        4 * len(names) * (before.rows + after.rows), "Comparing the cells of the two tables"
    )
    one, other = _common_codes(before, after, names)
    found = [
        _counted(names, one, other, rows, how)
        for rows, how in _matchings(before, one, other, names)
    ]
    return min(found, key=lambda changes: changes.suppressed + changes.changed, default=None)


def _counted(
    names: Sequence[str], one: list[Cells], other: list[Cells], rows: I64, how: str
) -> CellChanges:
    suppressed = changed = 0
    by_column = {}
    for name, earlier, later in zip(names, one, other, strict=True):
        was = earlier[rows]
        gone = (later == _MISSING) & (was != _MISSING)
        by_column[name] = int((later != was).sum())
        suppressed += int(gone.sum())
        changed += by_column[name] - int(gone.sum())
    return CellChanges(len(rows) * len(one), suppressed, changed, how, by_column, rows)


# ---- one code for one value in both


def _common_codes(
    before: Table, after: Table, names: Sequence[str]
) -> tuple[list[Cells], list[Cells]]:
    one, other = [], []
    for name in track(names, say("progress.cells")):
        book: dict[str, int] = {}
        one.append(_coded(before[name], book))
        other.append(_coded(after[name], book))
    return one, other


def _coded(column: Column, book: dict[str, int]) -> Cells:
    """Encode the cells of both versions by one codebook of spellings."""
    codes = [book.setdefault(_spelled(value), len(book) + 1) for value in column.values]
    return np.array([*codes, _MISSING], dtype=np.uint32)[column.codes]


def _spelled(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # SPSS and Excel know no whole numbers
    return str(value)


# ---- which record is which


def _matchings(
    before: Table, one: list[Cells], other: list[Cells], names: Sequence[str]
) -> Iterator[tuple[I64, str]]:
    """Yield ways to match: for each record after, its row before, and how it was found."""
    if len(one[0]) == len(other[0]):
        yield np.arange(before.rows), say("comparison.how.in_order")
    for index, name in enumerate(names):
        rows = _by_key(one[index], other[index])
        if rows is not None:
            yield rows, say("comparison.how.by_column", column=repr(name))
            return
    yield from _by_equals(one, other)


def _by_key(one: Cells, other: Cells) -> I64 | None:
    """Return the row of each record before, if the column has a key for each and none is new."""
    if not _tells_all_apart(one) or not _tells_all_apart(other):
        return None
    row_of = np.full(max(int(one.max()), int(other.max())) + 1, -1, dtype=np.int64)
    row_of[one] = np.arange(len(one))
    rows = row_of[other]
    return None if (rows < 0).any() else rows


def _tells_all_apart(codes: Cells) -> bool:
    return bool((codes != _MISSING).all()) and len(np.unique(codes)) == len(codes)


def _by_equals(one: list[Cells], other: list[Cells]) -> Iterator[tuple[I64, str]]:
    """Yield the row of each record before, equal records being the same in any order.

    Of records that changed, as many must be left before as after; they are taken in their order.
    """
    both = [np.concatenate(pair) for pair in zip(one, other, strict=True)]
    levels = [int(codes.max()) + 1 for codes in both]
    ids = group_records(both, levels).ids
    earlier, later = (_numbered(part, len(ids)) for part in np.split(ids, [len(one[0])]))
    rows = np.full(len(later), -1, dtype=np.int64)
    _, was, now = np.intersect1d(earlier, later, assume_unique=True, return_indices=True)
    rows[now] = was
    changed = np.flatnonzero(rows < 0)
    if not len(changed):
        taken_out = len(earlier) > len(later)
        yield rows, say(f"comparison.how.{'what_is_left' if taken_out else 'any_order'}")
    elif len(earlier) == len(later):
        left = np.ones(len(earlier), dtype=np.bool_)
        left[was] = False
        rows[changed] = np.flatnonzero(left)
        yield rows, say("comparison.how.some_in_order")


def _numbered(ids: NDArray[Any], most: int) -> I64:
    """Return the occurrence number of each record among its duplicates."""
    order = np.argsort(ids, kind="stable")
    in_turn = ids[order].astype(np.int64)
    first = np.searchsorted(in_turn, in_turn)
    found = np.empty(len(ids), dtype=np.int64)
    found[order] = in_turn * most + np.arange(len(ids)) - first
    return found
