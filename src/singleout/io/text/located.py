"""The table within a delimited text: its dialect, its header, and no lines above or below it."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from itertools import islice
from typing import Any, NamedTuple

from singleout.errors import BadChoice
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
from singleout.io.rows import RowChoice, Span, merged_spans
from singleout.io.text.dialect import Dialect, Header, detect, header
from singleout.io.text.encoding import Text
from singleout.io.text.lines import count_lines

__all__ = ["LocatedText", "locate"]

_ENDING = 1 << 16  # bytes at the end of a file that are looked at
_SHORT = 5_000  # records that are all looked at


class LocatedText(NamedTuple):
    """A text without the lines that are not part of its table, its dialect and its header."""

    text: Text
    dialect: Dialect
    header: Header


@dataclass(frozen=True)
class _Record:
    """A record as ``csv`` reads it, with the numbers of its first and last line."""

    cells: Row
    first: int
    last: int


def locate(
    text: Text, delimiter: str | None, quote: str | None, choice: RowChoice | None = None
) -> LocatedText:
    """Find the table; of what is not given, the delimiter, the quote and the lines."""
    choice = choice or RowChoice()
    asked = choice.left_out
    text = text.without(asked)
    dialect = detect(text, delimiter, quote)
    _require_header(text, choice)
    titles: Sequence[int] = ()
    if not choice.given:
        titles = _titles(text, dialect)
        text = text.without(_spans(titles, from_first=True))
    top = header(text, dialect)
    totals, remarks = _below(text, dialect, top) if choice.finds_end else ((), ())
    if not (titles or totals or remarks or (asked and len(top.cells) == 1)):
        return LocatedText(text, dialect, top)
    spans = merged_spans([*text.left_out, *_spans([*totals, *remarks])])
    # in a file of one column a blank line is a record
    text = text.without(spans, keeps_ends=len(top.cells) > 1)
    if titles or totals or remarks:
        text = replace(text, told=(left_out_note(text.name, titles, totals, remarks),))
    return LocatedText(text, dialect, header(text, dialect))


def _spans(lines: Sequence[int], *, from_first: bool = False) -> tuple[Span, ...]:
    if from_first:
        return ((1, lines[-1]),) if lines else ()
    return merged_spans([(line, line) for line in lines])


def _require_header(text: Text, choice: RowChoice) -> None:
    """Refuse a row of names beyond the end of a short text, where nobody would find it."""
    if choice.given and text.whole and not text.head.strip():
        raise BadChoice(
            f"{text.name} has nothing left to read below the lines that header_row and skip_rows "
            "leave out; give smaller numbers."
        )


def _records(head: str, dialect: Dialect) -> Iterator[_Record]:
    reader: Any = dialect.records(StringIO(head, newline=""), strict=True)
    before = 0
    for cells in reader:
        yield _Record(cells_of(cells), before + 1, reader.line_num)
        before = reader.line_num


def _first_records(text: Text, dialect: Dialect, most: int) -> list[_Record] | None:
    """Return the first records, without one that may be cut; None where they cannot be read."""
    found: list[_Record] = []
    try:
        found.extend(islice(_records(text.head, dialect), most))
    except csv.Error:  # of a text that goes on, the last record may be cut within quotes
        return None if text.whole else found
    return found if text.whole or len(found) == most else found[:-1]


def _titles(text: Text, dialect: Dialect) -> list[int]:
    """Return the lines above the header that are not blank."""
    records = _first_records(text, dialect, LOOKED_AT) or []
    index = header_index([record.cells for record in records])
    above = [record for record in records[:index] if filled_cells(record.cells)]
    return [line for record in above for line in range(record.first, record.last + 1)]


def _below(text: Text, dialect: Dialect, top: Header) -> tuple[list[int], list[int]]:
    """Return the lines below the table: totals, and remarks."""
    width = len(top.cells)
    records, whole = _last_records(text, dialect, top)
    filled = [record for record in records if filled_cells(record.cells)]
    if width < 2 or not filled or not may_end_below(filled[-1].cells, width):
        return [], []
    if not whole:
        # the numbers are those of the lines at the end only
        shift = count_lines(text.pieces()) - records[-1].last
        records = [_Record(one.cells, one.first + shift, one.last + shift) for one in records]
    below = below_table([record.cells for record in records], width, whole=whole)
    return _lines(records, below.totals), _lines(records, below.remarks)


def _lines(records: Sequence[_Record], indexes: Sequence[int]) -> list[int]:
    return [
        line
        for record in (records[index] for index in indexes)
        for line in range(record.first, record.last + 1)
    ]


def _last_records(text: Text, dialect: Dialect, top: Header) -> tuple[list[_Record], bool]:
    """Return the last records below the header, and whether these are all."""
    if text.whole:
        records = _first_records(text, dialect, _SHORT)
        if records is None:
            return [], False
        if len(records) < _SHORT:
            return [record for record in records if record.first > top.lines], True
        ending = text.head[-_ENDING:].partition("\n")[2]
    else:
        ending = text.ending(_ENDING)
    # where a quote is left open, lines are not records
    if dialect.quote and any(line.count(dialect.quote) % 2 for line in ending.splitlines()):
        return [], False
    try:
        return list(_records(ending, dialect))[-LOOKED_AT:], False
    except csv.Error:
        return [], False
