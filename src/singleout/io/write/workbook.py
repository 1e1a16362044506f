"""A table as an Excel workbook of one sheet, in the Office Open XML that every program reads.

Text is written as text and never as a formula. ISO/IEC 29500, parts 1 and 2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime
from decimal import Decimal
from io import TextIOWrapper
from math import isfinite
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import polars as pl

from singleout.errors import UnreadableFile
from singleout.io.formats.excel import RECORDS
from singleout.io.values import blank_as_missing

__all__ = ["write_workbook"]

_BOOK = "xl/workbook.xml"

_MOST_ROWS, _MOST_COLUMNS, _LONGEST = 1_048_576, 16_384, 32_767
_EPOCH = datetime(1899, 12, 30)
_FIRST = datetime(1900, 3, 1)  # Excel believes in the 29th of February 1900
_DATE, _TIMESTAMP = 1, 2  # the styles below
_EXACT = 2**53
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0d\x0e-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" '
    'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEET}.sheet.main+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_SHEET}.worksheet+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_SHEET}.styles+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
    f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    _BOOK: f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
    '<sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
    "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><fonts count="1"><font><sz val="11"/>'
    '<name val="Calibri"/></font></fonts><fills count="2">'
    '<fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills><borders count="1">'
    "<border><left/><right/><top/><bottom/><diagonal/></border></borders>"
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>'
    '</cellStyleXfs><cellXfs count="3">'
    + "".join(
        f'<xf numFmtId="{number}" fontId="0" fillId="0" borderId="0" xfId="0" '
        'applyNumberFormat="1"/>'
        for number in (0, 14, 22)
    )
    + '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/>'
    "</cellStyles></styleSheet>",
}


def write_workbook(frame: pl.DataFrame, to: Path) -> None:
    """Write a frame as the only sheet of a workbook, with the names in its first row."""
    if frame.height + 1 > _MOST_ROWS or frame.width > _MOST_COLUMNS:
        raise UnreadableFile(
            f"A workbook holds {_MOST_ROWS - 1:,} records and {_MOST_COLUMNS:,} columns at most, "
            f"not {frame.height:,} and {frame.width:,}; write a .csv or .parquet file instead."
        )
    with ZipFile(to, "w", ZIP_DEFLATED) as book:
        parts = _PARTS | {_BOOK: _PARTS[_BOOK].replace("</sheets>", _end_of_sheets(frame))}
        for name, content in parts.items():
            book.writestr(_info(name), _HEAD + content)
        with (
            book.open(_info("xl/worksheets/sheet1.xml"), "w", force_zip64=True) as raw,
            TextIOWrapper(raw, encoding="utf-8", newline="") as out,
        ):
            out.write(f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetData>')
            out.writelines(_rows(frame))
            out.write("</sheetData></worksheet>")


def _end_of_sheets(frame: pl.DataFrame) -> str:
    """Return a name for the cells of the records if some are blank, which readers leave out."""
    none = pl.all_horizontal(pl.all().is_null()).any()
    if not frame.width or not blank_as_missing(frame).select(none).item():
        return "</sheets>"
    last = f"${_letters(frame.width - 1)}${frame.height + 1}"
    return (
        f'</sheets><definedNames><definedName name="{RECORDS}">Sheet1!$A$2:{last}</definedName>'
        "</definedNames>"
    )


def _info(name: str) -> ZipInfo:
    # without the time, so that the same data give the same file
    info = ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.compress_type = ZIP_DEFLATED
    return info


def _rows(frame: pl.DataFrame) -> Iterator[str]:
    names = [_letters(index) for index in range(frame.width)]
    yield _row(1, names, frame.columns)
    for number, row in enumerate(frame.iter_rows(), start=2):
        yield _row(number, names, row)


def _row(number: int, names: list[str], values: Any) -> str:
    cells = [
        _cell(f"{name}{number}", value)
        for name, value in zip(names, values, strict=True)
        if value is not None
    ]
    return f'<row r="{number}">{"".join(cells)}</row>'


def _letters(index: int) -> str:
    """Return the name of a column: A, B, …, Z, AA.

    >>> _letters(0), _letters(25), _letters(26), _letters(701), _letters(702)
    ('A', 'Z', 'AA', 'ZZ', 'AAA')
    """
    letters = ""
    while index >= 0:
        letters = chr(ord("A") + index % 26) + letters
        index = index // 26 - 1
    return letters


def _cell(name: str, value: Any) -> str:
    for kind, written in _KINDS:
        if isinstance(value, kind):
            return written(name, value)
    return _text(name, str(value))


def _text(name: str, value: str) -> str:
    if len(value) > _LONGEST:
        raise UnreadableFile(
            f"A cell of a workbook holds {_LONGEST:,} characters at most, and one has "
            f"{len(value):,}; write a .csv or .parquet file instead."
        )
    safe = _UNPRINTABLE.sub(lambda match: f"_x{ord(match[0]):04X}_", value)
    return f'<c r="{name}" t="inlineStr"><is><t xml:space="preserve">{escape(safe)}</t></is></c>'


def _number(name: str, value: float | Decimal) -> str:
    if not isfinite(value) or (isinstance(value, int) and abs(value) > _EXACT):
        return _text(name, str(value))
    return f'<c r="{name}"><v>{value}</v></c>'


def _truth(name: str, value: bool) -> str:
    return f'<c r="{name}" t="b"><v>{int(value)}</v></c>'


def _timestamp(name: str, value: datetime) -> str:
    plain = value.replace(tzinfo=None)
    if plain < _FIRST or value.tzinfo is not None:
        return _text(name, str(value))
    since = plain - _EPOCH
    days = since.days + (since.seconds + since.microseconds / 1e6) / 86_400
    return f'<c r="{name}" s="{_TIMESTAMP}"><v>{days!r}</v></c>'


def _day(name: str, value: date) -> str:
    days = (value - _EPOCH.date()).days
    if value < _FIRST.date():
        return _text(name, value.isoformat())
    return f'<c r="{name}" s="{_DATE}"><v>{days}</v></c>'


# the first that fits: to Python a truth value is a number, and a timestamp a date
_KINDS: tuple[tuple[Any, Callable[[str, Any], str]], ...] = (
    (bool, _truth),
    (int | float | Decimal, _number),
    (str, _text),
    (datetime, _timestamp),
    (date, _day),
)
