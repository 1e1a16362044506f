"""What happened to the cells of a table: how many lost their value, how many have another one.

Two versions of a table are compared cell by cell, so their records must be matched first: by a
column that names each record, in the order of the files, or as what is left when records were taken
out. Where several ways fit, the one with the fewest differences counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.memory import require_memory
from singleout.core.progress import track
from singleout.core.table import Column, Table
from singleout.kernels.group import group_records

__all__ = ["CellChanges", "cell_changes"]

I64 = NDArray[np.int64]
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
    """

    cells: int
    suppressed: int
    changed: int
    how: str


def cell_changes(before: Table, after: Table) -> CellChanges | None:
    """Return what happened to the cells; None if the records cannot be matched.

    Parameters
    ----------
    before, after
        Two versions of a table.
    """
    names = [name for name in before.columns if name in set(after.columns)]
    if not names:
        return None
    require_memory(
        4 * len(names) * (before.rows + after.rows), "Comparing the cells of the two tables"
    )
    one, other = _common_codes(before, after, names)
    found = [_counted(one, other, rows, how) for rows, how in _matchings(before, one, other, names)]
    return min(found, key=lambda changes: changes.suppressed + changes.changed, default=None)


def _counted(one: list[Cells], other: list[Cells], rows: I64, how: str) -> CellChanges:
    suppressed = changed = 0
    for earlier, later in zip(one, other, strict=True):
        was = earlier[rows]
        gone = (later == _MISSING) & (was != _MISSING)
        suppressed += int(gone.sum())
        changed += int((later != was).sum()) - int(gone.sum())
    return CellChanges(len(rows) * len(one), suppressed, changed, how)


# ---- one code for one value in both


def _common_codes(
    before: Table, after: Table, names: Sequence[str]
) -> tuple[list[Cells], list[Cells]]:
    one, other = [], []
    for name in track(names, "Comparing cells"):
        book: dict[str, int] = {}
        one.append(_coded(before[name], book))
        other.append(_coded(after[name], book))
    return one, other


def _coded(column: Column, book: dict[str, int]) -> Cells:
    """Return the cells by the number of their spelling, which is the same in both versions."""
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
    """Yield ways to match: for each record after, its place before, and how it was found."""
    if len(one[0]) == len(other[0]):
        yield np.arange(before.rows), "in the order of the files"
    for place, name in enumerate(names):
        rows = _by_key(one[place], other[place])
        if rows is not None:
            yield rows, f"by the column {name!r}, which names each record"
            return
    if len(other[0]) < len(one[0]):
        rows = _what_is_left(one, other)
        if rows is not None:
            yield rows, "as what is left after records were taken out"


def _by_key(one: Cells, other: Cells) -> I64 | None:
    """Return where each record was, if the column names every record and none is new."""
    if not _tells_all_apart(one) or not _tells_all_apart(other):
        return None
    place = np.full(max(int(one.max()), int(other.max())) + 1, -1, dtype=np.int64)
    place[one] = np.arange(len(one))
    rows = place[other]
    return None if (rows < 0).any() else rows


def _tells_all_apart(codes: Cells) -> bool:
    return bool((codes != _MISSING).all()) and len(np.unique(codes)) == len(codes)


def _what_is_left(one: list[Cells], other: list[Cells]) -> I64 | None:
    """Return where each record was, if the records are those before in their order, less some."""
    both = [np.concatenate(pair) for pair in zip(one, other, strict=True)]
    levels = [int(codes.max()) + 1 for codes in both]
    ids = group_records(both, levels).ids.tolist()
    earlier, later = ids[: len(one[0])], ids[len(one[0]) :]
    rows = []
    place = 0
    for wanted in later:
        while place < len(earlier) and earlier[place] != wanted:
            place += 1
        if place == len(earlier):
            return None
        rows.append(place)
        place += 1
    return np.array(rows, dtype=np.int64)
