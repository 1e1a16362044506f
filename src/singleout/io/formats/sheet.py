"""The table of one sheet: found among its rows, then read with the types of its own cells.

A sheet with names in its first row and nothing below its records is read at once. Only where
something looks unusual, or a user says which rows to take, all cells are looked at as text first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from singleout.errors import BadChoice
from singleout.io.formats.workbook_size import MergedCell
from singleout.io.layout import (
    LOOKED_AT,
    Row,
    below_table,
    cells_of,
    filled_cells,
    header_index,
    left_out_note,
    may_end_below,
)
from singleout.io.rows import CellRange, RowChoice, Span
from singleout.report.say import say

__all__ = ["SheetTable", "first_rows", "table_of_sheet"]

_WHOLE = 5_000  # rows of a sheet whose sums are checked
_MOST_PARTS = 20  # between rows left out: each is read on its own


@dataclass(frozen=True)
class SheetTable:
    """The rows below the header, the cells of the header, and what to say about other rows."""

    frame: pl.DataFrame
    cells: list[str | None]
    notes: tuple[str, ...] = ()


class _Grid(NamedTuple):
    """The cells of a sheet as text, from its first row on."""

    rows: list[Row]
    left: int  # columns before the first, which are blank
    merged: frozenset[int]  # indexes of rows with a cell over several columns
    height: int
    visible: bool


class _Place(NamedTuple):
    """Where the table is: indexes of its rows, from the first row of the sheet, and columns."""

    header: int
    parts: list[Span]  # records, each span with its end excluded
    columns: Sequence[int]
    titles: list[int]
    totals: list[int]
    remarks: list[int]


def table_of_sheet(
    book: Any,
    title: str,
    merged: Sequence[MergedCell],
    choice: RowChoice,
    where: str,
    *,
    as_it_is: bool = False,
) -> SheetTable:
    """Return the table of a sheet; ``as_it_is``: nothing but the table can be there."""
    usual = _usual(book, title)
    if as_it_is or not usual.cells:
        return usual
    if not (choice.given or merged or _looks_unusual(usual)):
        return usual
    grid = _grid(book, title, merged)
    place = _placed(grid, choice, where)
    filling = [cell for cell in merged if _reaches_down(cell, place)]
    if not choice.given and not (place.titles or place.totals or place.remarks or filling):
        return replace(usual, notes=_on_names(usual, where))
    cells = [grid.rows[place.header][column] for column in place.columns]
    frame = _typed(book, title, place)
    frame = _filled_down(frame, filling, place, grid.left)
    frame, cells = _without_empty_edges(frame, cells)
    return SheetTable(frame, cells, _notes(place, filling, where))


def _looks_unusual(usual: SheetTable) -> bool:
    """Whether the first or the last row of a sheet may be no part of its table."""
    width = len(usual.cells)
    if width < 2:
        return False
    named = sum(cell is not None for cell in usual.cells)
    rows = usual.frame.tail(LOOKED_AT).rows()
    last = next((cells for row in reversed(rows) if filled_cells(cells := cells_of(row))), [])
    return 2 * named <= width or (bool(last) and may_end_below(last, width))


def _on_names(usual: SheetTable, where: str) -> tuple[str, ...]:
    named, width = sum(cell is not None for cell in usual.cells), len(usual.cells)
    if width < 2 or 2 * named > width:
        return ()
    return (say("reading.no_names", sheet=where, named=named, columns=width),)


def _notes(place: _Place, filling: Sequence[MergedCell], where: str) -> tuple[str, ...]:
    notes = []
    if place.titles or place.totals or place.remarks:
        numbers = ([index + 1 for index in rows] for rows in place[3:])
        notes.append(left_out_note(where, *numbers))
    if filling:
        notes.append(say("reading.merged", sheet=where, n=len(filling)))
    return tuple(notes)


# ---- all cells as text


def first_rows(book: Any, title: str, merged: Sequence[MergedCell]) -> _Grid:
    """Return the first rows of a sheet as text."""
    return _grid(book, title, merged, LOOKED_AT)


def _grid(book: Any, title: str, merged: Sequence[MergedCell], rows: int | None = None) -> _Grid:
    # without skip_rows, blank rows at the beginning would not be counted
    options = {"header_row": None, "skip_rows": 0, "dtypes": "string"}
    sheet = book.load_sheet(title, n_rows=rows, **options)
    about = sheet.available_columns()
    left = about[0].absolute_index if about else 0
    cells = [list(cells_of(row)) for row in pl.DataFrame(sheet).iter_rows()]
    for cell in merged:
        _write_down(cells, cell, left)
    wide = frozenset(cell.top - 1 for cell in merged if cell.right > cell.left)
    return _Grid(list(cells), left, wide, sheet.total_height, sheet.visible == "visible")


def _write_down(cells: list[list[str | None]], cell: MergedCell, left: int) -> None:
    """Write the text of a merged cell into all of its rows."""
    column = cell.left - 1 - left
    if cell.right > cell.left or cell.top > len(cells) or not 0 <= column < len(cells[0]):
        return
    for row in cells[cell.top : cell.bottom]:
        row[column] = cells[cell.top - 1][column]


# ---- where the table is


def _placed(grid: _Grid, choice: RowChoice, where: str) -> _Place:
    if choice.cells is not None:
        return _of_range(grid, choice.cells, where)
    left_out = {
        row - 1
        for low, high in choice.left_out
        for row in range(low, min(high, len(grid.rows)) + 1)
    }
    rest = [index for index in range(len(grid.rows)) if index not in left_out]
    header = next((index for index in rest if filled_cells(grid.rows[index])), None)
    if header is None or header == len(grid.rows):
        raise BadChoice(
            f"Nothing is left to read in {where} below the rows that header_row and skip_rows "
            "leave out; give smaller numbers."
        )
    first, titles = header, list[int]()
    if not choice.given:
        header = header_index(grid.rows[:LOOKED_AT], grid.merged)
        titles = [index for index in range(first, header) if filled_cells(grid.rows[index])]
    end, totals, remarks = len(grid.rows), list[int](), list[int]()
    if choice.finds_end:
        end, totals, remarks = _below(grid, header)
    kept = [index for index in rest if header < index < end]
    return _Place(header, _parts(kept), range(len(grid.rows[0])), titles, totals, remarks)


def _below(grid: _Grid, header: int) -> tuple[int, list[int], list[int]]:
    """Return where the records end, and the indexes of the totals and remarks after them."""
    start = header + 1
    whole = len(grid.rows) - start <= _WHOLE
    if not whole:
        start = len(grid.rows) - LOOKED_AT
    width = len(filled_cells(grid.rows[header]))
    below = below_table(grid.rows[start:], width, whole=whole)
    return (
        start + below.end,
        [start + index for index in below.totals],
        [start + index for index in below.remarks],
    )


def _of_range(grid: _Grid, cells: CellRange, where: str) -> _Place:
    left, right = cells.left - 1 - grid.left, cells.right - grid.left
    width = len(grid.rows[0])
    bottom = len(grid.rows) if cells.bottom is None else min(cells.bottom, len(grid.rows))
    columns = range(max(left, 0), min(right, width))
    if cells.top > len(grid.rows) or not columns:
        raise BadChoice(f"The range lies outside the cells of {where}; it has other cells only.")
    kept = list(range(cells.top, bottom))
    return _Place(cells.top - 1, _parts(kept), columns, [], [], [])


def _parts(indexes: Sequence[int]) -> list[Span]:
    """Return rows that follow one another as spans, ends excluded."""
    parts: list[Span] = []
    for index in indexes:
        if parts and parts[-1][1] == index:
            parts[-1] = (parts[-1][0], index + 1)
        else:
            parts.append((index, index + 1))
    if len(parts) > _MOST_PARTS:
        raise BadChoice(
            f"skip_rows divides the records into {len(parts):,} parts, and {_MOST_PARTS} can be "
            "read; delete the rows in the workbook."
        )
    return parts


# ---- its cells, with their types


def _usual(book: Any, title: str) -> SheetTable:
    """Return a sheet whose first row that is not blank holds the names."""
    import fastexcel

    try:
        # the type is inferred from all rows: text after a thousand numbers must not be lost
        loaded = book.load_sheet(title, schema_sample_rows=None)
        frame = pl.DataFrame(loaded)
        cells: list[str | None] = [
            about.name if about.column_name_from == "looked_up" else None
            for about in loaded.available_columns()
        ]
        if _maybe_renamed(cells):
            cells = _header(book, title)
    except fastexcel.UnsupportedColumnTypeCombinationError:
        cells = _header(book, title)
        columns = [_column(book, title, index, skip_rows=1) for index in range(len(cells))]
        frame = pl.concat(columns, how="horizontal")
    # a sheet that was once wider still has empty columns
    while cells and cells[-1] is None and frame[:, -1].null_count() == frame.height:
        cells, frame = cells[:-1], frame[:, :-1]
    return SheetTable(frame, cells)


def _maybe_renamed(cells: Sequence[str | None]) -> bool:
    """Whether fastexcel may have renamed a duplicate name."""
    names = {cell for cell in cells if cell}
    return any(re.sub(r"_\d+$", "", name) in names - {name} for name in names)


def _header(book: Any, title: str) -> list[str | None]:
    first = pl.DataFrame(book.load_sheet(title, header_row=None, n_rows=1, dtypes="string"))
    return list(first.row(0)) if first.height else []


def _column(book: Any, title: str, index: int, **rows: Any) -> pl.DataFrame:
    """Return one column of some rows: typed, or as text if its cells have incompatible types."""
    import fastexcel

    options = {"header_row": None, "use_columns": [index], **rows}
    try:
        return pl.DataFrame(book.load_sheet(title, schema_sample_rows=None, **options))
    except fastexcel.UnsupportedColumnTypeCombinationError:
        return pl.DataFrame(book.load_sheet(title, dtypes="string", **options))


def _typed(book: Any, title: str, place: _Place) -> pl.DataFrame:
    """Return the records, each column with the type of its own cells."""
    parts = [_part(book, title, span) for span in place.parts]
    if not parts:
        return pl.DataFrame({f"{column}": pl.Series([], dtype=pl.Null) for column in place.columns})
    return pl.DataFrame([_joined(book, title, column, parts, place) for column in place.columns])


def _part(book: Any, title: str, span: Span) -> pl.DataFrame:
    import fastexcel

    start, end = span
    rows = {"skip_rows": start, "n_rows": end - start}
    try:
        loaded = book.load_sheet(title, header_row=None, schema_sample_rows=None, **rows)
        return pl.DataFrame(loaded)
    except fastexcel.UnsupportedColumnTypeCombinationError:
        width = len(_header(book, title))
        columns = [_column(book, title, index, **rows) for index in range(width)]
        return pl.concat(columns, how="horizontal")


def _joined(
    book: Any, title: str, column: int, parts: Sequence[pl.DataFrame], place: _Place
) -> pl.Series:
    """Return a column of all parts: as text where the types of the parts have nothing in common."""
    series = [part.to_series(column) for part in parts]
    kinds = {one.dtype for one in series if one.null_count() < len(one)}
    if len(kinds) > 1 and not all(kind.is_numeric() for kind in kinds):
        texts = (
            book.load_sheet(
                title,
                header_row=None,
                use_columns=[column],
                skip_rows=start,
                n_rows=end - start,
                dtypes="string",
            )
            for start, end in place.parts
        )
        series = [pl.DataFrame(text).to_series(0) for text in texts]
    elif len(kinds) == 1:
        series = [one.cast(next(iter(kinds))) for one in series]
    frames = [one.alias(f"{column}").to_frame() for one in series]
    return pl.concat(frames, how="vertical_relaxed").to_series()


def _without_empty_edges(
    frame: pl.DataFrame, cells: list[str | None]
) -> tuple[pl.DataFrame, list[str | None]]:
    """Leave out columns at the edges that have neither a name nor a value, as titles leave them."""
    used = [
        index
        for index, cell in enumerate(cells)
        if cell is not None or frame[:, index].null_count() < frame.height
    ]
    if not used:
        return frame[:, :0], []
    return frame[:, used[0] : used[-1] + 1], cells[used[0] : used[-1] + 1]


# ---- merged cells


def _reaches_down(cell: MergedCell, place: _Place) -> bool:
    """Whether a merged cell stands for several records in one column."""
    rows = [row for start, end in place.parts for row in (start, end)]
    inside = bool(rows) and rows[0] <= cell.top - 1 and cell.bottom <= rows[-1]
    return inside and cell.left == cell.right and cell.bottom > cell.top


def _filled_down(
    frame: pl.DataFrame, filling: Sequence[MergedCell], place: _Place, left: int
) -> pl.DataFrame:
    """Give every record the value of the merged cell that it is in."""
    if not filling:
        return frame
    rows = np.concatenate([np.arange(start, end) for start, end in place.parts])
    index = {int(row): number for number, row in enumerate(rows.tolist())}
    sources: dict[int, Any] = {}
    for cell in filling:
        column = cell.left - 1 - left - place.columns[0]
        if not 0 <= column < frame.width or cell.top - 1 not in index:
            continue
        source = sources.setdefault(column, np.arange(len(rows)))
        within = (rows >= cell.top - 1) & (rows < cell.bottom)
        source[within] = index[cell.top - 1]
    return frame.with_columns(
        frame.to_series(column).gather(source) for column, source in sources.items()
    )
