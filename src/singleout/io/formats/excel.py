"""Excel and OpenDocument workbooks: the table of one sheet, with the names of its columns."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from singleout.errors import UnreadableFile, UnusableTable
from singleout.io.files import damaged, looks_like
from singleout.io.formats.sheet import SheetTable, table_of_sheet
from singleout.io.formats.sheets import choose_sheet
from singleout.io.formats.workbook_size import (
    check_open_document,
    check_parts,
    check_rows,
    check_sheet,
)
from singleout.io.names import all_different, filled, pick
from singleout.io.rows import row_choice
from singleout.io.source import Source
from singleout.io.values import blank_as_missing

__all__ = ["RECORDS", "read_excel"]

RECORDS = "singleout_records"  # the name of the range of the records, where some are blank

# they would print warnings on empty columns and charts
for _logger in ("fastexcel", "calamine"):
    logging.getLogger(_logger).addHandler(logging.NullHandler())

_LOCKED = "EncryptedPackage".encode("utf-16-le")


def read_excel(
    path: Path,
    columns: Sequence[str] | None = None,
    *,
    sheet: str | int | None = None,
    header_row: int | None = None,
    skip_rows: Any = None,
    range: str | None = None,  # noqa: A002 - the word that users know
) -> Source:
    """Read one sheet, by name or by number from 1; by default the only one that holds a table.

    A row without any value is no record, like a blank line in a text file; unless the workbook has
    a name for the range of its records.
    """
    import fastexcel

    choice = row_choice(header_row, skip_rows, range)
    raw = path.read_bytes()
    if _LOCKED in raw:
        raise _locked(path.name)
    check_parts(raw, path.name)
    check_open_document(raw, path.name)
    with _damage_told(raw, path.name):
        book = fastexcel.read_excel(raw)
        chosen = choose_sheet(book, raw, sheet, path.name)
        merged = check_sheet(raw, chosen.title, path.name)
        records = 0 if choice.given else _records(book, chosen.title)
        where = f"sheet {chosen.title!r} of {path.name}"
        table = table_of_sheet(book, chosen.title, merged, choice, where, as_it_is=records > 0)
    if not table.cells:
        raise UnusableTable(
            f"{path.name} has nothing in sheet {chosen.title!r}; choose another sheet."
        )
    names = all_different(filled(table.cells), path.name)
    frame = _frame(table, names, records, path.name)
    return Source(frame.select(pick(columns, names)), path.name, notes=chosen.notes + table.notes)


def _frame(table: SheetTable, names: Sequence[str], records: int, name: str) -> pl.DataFrame:
    """Return the records, without rows that have no value."""
    frame = table.frame
    frame = blank_as_missing(frame.rename(dict(zip(frame.columns, names, strict=True))))
    if frame.height < records:
        check_rows(records, len(names), frame.height * len(names), name)
        frame = pl.concat([frame, frame.clear(records - frame.height)])
    if len(names) > 1:
        blank = pl.all_horizontal(pl.all().is_null())
        frame = pl.concat([frame[:records], frame[records:].filter(~blank)])
    return frame


@contextmanager
def _damage_told(raw: bytes, name: str) -> Iterator[None]:
    """Turn errors of the reader into those of a locked or damaged file."""
    import fastexcel

    try:
        yield
    except fastexcel.FastExcelError as error:
        if "password" in str(error).lower():
            raise _locked(name) from None
        seems = looks_like(raw[:4096])
        reason = f"; it looks like {seems}" if seems and not raw.startswith(b"PK") else ""
        raise damaged(name, "a workbook", reason) from None


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
