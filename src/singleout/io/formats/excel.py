"""Excel and OpenDocument workbooks: one sheet, with column names in its first row."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from singleout.errors import BadChoice, UnreadableFile, UnusableTable, did_you_mean
from singleout.io.files import damaged, looks_like
from singleout.io.formats.workbook_size import (
    check_open_document,
    check_parts,
    check_rows,
    check_sheet,
)
from singleout.io.names import all_different, filled, pick
from singleout.io.source import Source
from singleout.io.values import blank_as_missing

__all__ = ["RECORDS", "read_excel"]

RECORDS = "singleout_records"  # the name of the range of the records, where some are blank

# they would print warnings on empty columns and charts
for _logger in ("fastexcel", "calamine"):
    logging.getLogger(_logger).addHandler(logging.NullHandler())

_LOCKED = "EncryptedPackage".encode("utf-16-le")


def read_excel(
    path: Path, columns: Sequence[str] | None = None, *, sheet: str | int | None = None
) -> Source:
    """Read one sheet, by name or by number from 1; the first one by default.

    A row without any value is no record, like a blank line in a text file; unless the workbook has
    a name for the range of its records.
    """
    import fastexcel

    raw = path.read_bytes()
    if _LOCKED in raw:
        raise _locked(path.name)
    check_parts(raw, path.name)
    check_open_document(raw, path.name)
    try:
        book = fastexcel.read_excel(raw)
        title = _chosen(book.sheet_names, sheet, path.name)
        check_sheet(raw, title, path.name)
        frame, cells = _sheet(book, title)
        records = _records(book, title)
    except fastexcel.FastExcelError as error:
        if "password" in str(error).lower():
            raise _locked(path.name) from None
        seems = looks_like(raw[:4096])
        reason = f"; it looks like {seems}" if seems and not raw.startswith(b"PK") else ""
        raise damaged(path.name, "a workbook", reason) from None
    if not cells:
        raise UnusableTable(f"{path.name} has nothing in sheet {title!r}; choose another sheet.")
    names = all_different(filled(cells), path.name)
    wanted = pick(columns, names)
    frame = blank_as_missing(frame.rename(dict(zip(frame.columns, names, strict=True))))
    if frame.height < records:
        check_rows(records, len(names), frame.height * len(names), path.name)
        frame = pl.concat([frame, frame.clear(records - frame.height)])
    if len(names) > 1:
        blank = pl.all_horizontal(pl.all().is_null())
        frame = pl.concat([frame[:records], frame[records:].filter(~blank)])
    note = f"{path.name} has {len(book.sheet_names)} sheets; {title!r} was read."
    several = sheet is None and len(book.sheet_names) > 1
    return Source(frame.select(wanted), path.name, notes=(note,) if several else ())


def _locked(name: str) -> UnreadableFile:
    return UnreadableFile(
        f"{name} is protected by a password; open it in Excel, save it without one and try again."
    )


def _records(book: Any, title: str) -> int:
    """Return how many rows below the header are records even if they are blank."""
    for found in book.defined_names():
        place, _, cells = found.formula.rpartition("!")
        last = re.fullmatch(r"\$A\$2:\$[A-Z]{1,3}\$([0-9]{1,7})", cells)
        if found.name == RECORDS and place.strip("'") == title and last:
            return max(0, int(last[1]) - 1)
    return 0


def _chosen(sheets: Sequence[str], sheet: str | int | None, name: str) -> str:
    if not sheets:
        raise UnusableTable(f"{name} has no sheets; open it in its own program and save it anew.")
    if sheet is None:
        return sheets[0]
    if sheet in sheets:
        return str(sheet)
    number = int(sheet) if isinstance(sheet, int) or sheet.isdecimal() else 0
    if 1 <= number <= len(sheets):
        return sheets[number - 1]
    advice = did_you_mean(sheet, sheets)
    raise BadChoice(f"{name} has no sheet {sheet!r}. It has: {list(sheets)}.{advice}")


def _sheet(book: Any, title: str) -> tuple[pl.DataFrame, list[str | None]]:
    """Return the rows below the header, and the cells of the header."""
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
        frame = pl.concat(
            [_column(book, title, index) for index in range(len(cells))], how="horizontal"
        )
    # a sheet that was once wider still has empty columns
    while cells and cells[-1] is None and frame[:, -1].null_count() == frame.height:
        cells, frame = cells[:-1], frame[:, :-1]
    return frame, cells


def _maybe_renamed(cells: Sequence[str | None]) -> bool:
    """Whether fastexcel may have renamed a duplicate name."""
    names = {cell for cell in cells if cell}
    return any(re.sub(r"_\d+$", "", name) in names - {name} for name in names)


def _header(book: Any, title: str) -> list[str | None]:
    first = pl.DataFrame(book.load_sheet(title, header_row=None, n_rows=1, dtypes="string"))
    return list(first.row(0)) if first.height else []


def _column(book: Any, title: str, index: int) -> pl.DataFrame:
    """Return one column: typed, or as text if its cells have incompatible types."""
    import fastexcel

    options = {"header_row": None, "skip_rows": 1, "use_columns": [index]}
    try:
        return pl.DataFrame(book.load_sheet(title, schema_sample_rows=None, **options))
    except fastexcel.UnsupportedColumnTypeCombinationError:
        return pl.DataFrame(book.load_sheet(title, dtypes="string", **options))
