"""Which sheet of a workbook to read: the one that is asked for, or the only one with a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from singleout.errors import BadChoice, UnusableTable, did_you_mean
from singleout.io.formats.sheet import first_rows
from singleout.io.formats.workbook_size import check_sheet
from singleout.io.layout import filled_cells, looks_like_table
from singleout.report.say import say

__all__ = ["ChosenSheet", "choose_sheet"]

_SHOWN = 20  # sheets in a message


class ChosenSheet(NamedTuple):
    """The sheet to read, and what to say about the others."""

    title: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Look:
    """What a sheet looks like from its first rows."""

    title: str
    rows: int
    columns: int
    visible: bool
    empty: bool
    table: bool


def choose_sheet(book: Any, raw: bytes, sheet: str | int | None, name: str) -> ChosenSheet:
    """Return the sheet that is asked for; if none is, the only one that looks like a table."""
    titles: Sequence[str] = book.sheet_names
    if not titles:
        raise UnusableTable(f"{name} has no sheets; open it in its own program and save it anew.")
    if sheet is not None:
        return ChosenSheet(_asked(titles, sheet, name))
    if len(titles) == 1:
        return ChosenSheet(titles[0])
    looks = [_look(book, raw, title, name) for title in titles]
    filled = [look for look in looks if not look.empty]
    # a hidden sheet holds lists for others more often than data
    candidates = (
        [look for look in filled if look.table and look.visible]
        or [look for look in filled if look.table]
        or filled
    )
    if len(candidates) != 1:
        raise _which(name, candidates or looks, titles)
    title = candidates[0].title
    notes = [say("reading.sheet", file=name, n=len(titles), sheet=repr(title))]
    hidden = [repr(look.title) for look in filled if not look.visible and look.title != title]
    if hidden:
        notes.append(
            say("reading.hidden", sheets=", ".join(hidden[:_SHOWN]), file=name, n=len(hidden))
        )
    return ChosenSheet(title, tuple(notes))


def _asked(titles: Sequence[str], sheet: str | int, name: str) -> str:
    if sheet in titles:
        return str(sheet)
    number = int(sheet) if isinstance(sheet, int) or sheet.isdecimal() else 0
    if 1 <= number <= len(titles):
        return titles[number - 1]
    advice = did_you_mean(sheet, titles)
    raise BadChoice(f"{name} has no sheet {sheet!r}. It has: {list(titles)}.{advice}")


def _look(book: Any, raw: bytes, title: str, name: str) -> _Look:
    import fastexcel

    merged = check_sheet(raw, title, name)
    try:
        sheet = first_rows(book, title, merged)
    except fastexcel.FastExcelError:  # a sheet of charts
        return _Look(title, 0, 0, visible=True, empty=True, table=False)
    return _Look(
        title,
        sheet.height,
        len(sheet.rows[0]) if sheet.rows else 0,
        visible=sheet.visible,
        empty=not any(map(filled_cells, sheet.rows)),
        table=looks_like_table(sheet.rows, sheet.merged),
    )


def _which(name: str, candidates: Sequence[_Look], titles: Sequence[str]) -> UnusableTable:
    """Return the refusal to choose between sheets."""
    if not any(look.table for look in candidates):
        return UnusableTable(
            f"{name} has {len(titles):,} sheets, and none looks like a table with names in one row "
            f"and records below; choose one with sheet, of {list(titles[:_SHOWN])}."
        )
    listed = [f"{look.title!r} ({look.rows:,} rows)" for look in candidates[:_SHOWN]]
    if len(candidates) > _SHOWN:
        listed.append("…")
    return UnusableTable(
        f"{name} has {len(candidates):,} sheets that look like a table: {', '.join(listed)}; "
        f"choose one with sheet, as in --sheet {candidates[0].title!r}."
    )
