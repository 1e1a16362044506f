"""Which rows of a file to read, as a user says it: the row of names, rows to leave out, a range.

Rows are numbered as a spreadsheet or an editor numbers them: the first is 1, blank ones count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from singleout.core.arguments import whole
from singleout.errors import BadChoice

__all__ = ["CellRange", "RowChoice", "Span", "row_choice"]

_MOST = 2**31 - 1  # rows
_MOST_SPANS = 1_000
_SPAN = re.compile(r"\s*(\d{1,10})\s*(?:-\s*(\d{1,10})\s*)?")
_RANGE = re.compile(r"\$?([A-Z]{1,3})\$?([1-9]\d{0,6}):\$?([A-Z]{1,3})(?:\$?([1-9]\d{0,6}))?")

Span = tuple[int, int]  # the first and the last row of some that follow one another


class CellRange(NamedTuple):
    """Cells of a sheet: columns and rows from 1; the last row is None where it is the sheet's."""

    left: int
    top: int
    right: int
    bottom: int | None


@dataclass(frozen=True)
class RowChoice:
    """What a user says about rows; nothing is found out where something is said."""

    header_row: int | None = None
    skipped: tuple[Span, ...] | None = None
    cells: CellRange | None = None

    @property
    def given(self) -> bool:
        """Whether anything is said."""
        return self != RowChoice()

    @property
    def finds_end(self) -> bool:
        """Whether rows below the table are still to be found."""
        return self.skipped is None and self.cells is None

    @property
    def left_out(self) -> tuple[Span, ...]:
        """The rows that are not read by what was said, without those outside of a range."""
        spans = list(self.skipped or ())
        if self.header_row is not None and self.header_row > 1:
            spans.append((1, self.header_row - 1))
        return merged_spans(spans)


def row_choice(
    header_row: Any = None,
    skip_rows: Any = None,
    range: Any = None,  # noqa: A002 - the word that users know
) -> RowChoice:
    """Return what is said about rows, or refuse what contradicts itself."""
    if range is not None and (header_row is not None or skip_rows is not None):
        other = "header_row" if header_row is not None else "skip_rows"
        raise BadChoice(
            f"range holds the names of the columns in its first row and all records below; leave "
            f"{other} out, or range."
        )
    header = None if header_row is None else whole(header_row, "header_row", at_least=1)
    skipped = None if skip_rows is None else _skipped(skip_rows)
    choice = RowChoice(header, skipped, None if range is None else _cells(range))
    if header is not None and any(low <= header <= high for low, high in skipped or ()):
        raise BadChoice(
            f"header_row {header} is among the rows that skip_rows leaves out; change one of them."
        )
    return choice


def _skipped(given: Any) -> tuple[Span, ...]:
    """Return the rows of 3 (the first three), of "1-3,57" or of a list of numbers."""
    if isinstance(given, Iterable) and not isinstance(given, str):
        numbers = [whole(number, "skip_rows", at_least=1) for number in given]
        return merged_spans([(number, number) for number in numbers])
    text = str(given).strip()
    if re.fullmatch(r"\d{1,10}", text):
        first = int(text)
        return ((1, first),) if first else ()
    parts = [_SPAN.fullmatch(part) for part in text.split(",")]
    spans = [(int(part[1]), int(part[2] or part[1])) for part in parts if part]
    if len(spans) < len(parts) or any(not 0 < low <= high <= _MOST for low, high in spans):
        raise BadChoice(
            f"skip_rows {given!r} does not say which rows to leave out; write 3 for the first "
            "three, 1-3,57 for single rows and ranges by their numbers, or 0 to keep all."
        )
    if len(spans) > _MOST_SPANS:
        raise BadChoice(f"skip_rows takes {_MOST_SPANS:,} rows and ranges, not {len(spans):,}.")
    return merged_spans(spans)


def merged_spans(spans: Sequence[Span]) -> tuple[Span, ...]:
    """Return spans in order, joined where they touch."""
    joined: list[Span] = []
    for low, high in sorted(spans):
        if joined and low <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
        else:
            joined.append((low, high))
    return tuple(joined)


def _cells(given: Any) -> CellRange:
    found = _RANGE.fullmatch(str(given).strip().upper())
    if found is not None:
        left, right = _column(found[1]), _column(found[3])
        top, bottom = int(found[2]), None if found[4] is None else int(found[4])
        if left <= right and (bottom is None or top < bottom):
            return CellRange(left, top, right, bottom)
    raise BadChoice(
        f"range {given!r} is no range of cells with names in its first row; write it as B3:F20, or "
        "B3:F for all rows from the third on."
    )


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number
