"""The delimiter and the quote of a text file, detected from its first records."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import StringIO, TextIOWrapper
from typing import Any

from singleout.core.memory import in_words
from singleout.errors import BadChoice, UnreadableFile, UnusableTable
from singleout.io.text.encoding import LONGEST_HEADER, Text

__all__ = ["Dialect", "Header", "detect", "header"]

# of two that fit equally well, the first: a comma is common within cells, a semicolon is not
_DELIMITERS = (";", "\t", "|", ",")
_ENOUGH = 5000  # records to detect the delimiter from
_MOST_COLUMNS = 100_000
_LONGEST_CELL = 2**31 - 1


@dataclass(frozen=True)
class Dialect:
    """The delimiter of cells and their quote, which is empty if there is none."""

    delimiter: str
    quote: str

    def records(self, lines: Iterable[str], *, strict: bool = False) -> Iterator[list[str]]:
        """Return a ``csv`` reader over the lines."""
        return csv.reader(
            lines,
            delimiter=self.delimiter,
            quotechar=self.quote or None,
            quoting=csv.QUOTE_MINIMAL if self.quote else csv.QUOTE_NONE,
            strict=strict,
        )


def detect(text: Text, delimiter: str | None = None, quote: str | None = None) -> Dialect:
    """Return the dialect of a text; what is not given is detected from its first records."""
    delimiter = _one_character(delimiter, "delimiter")
    quote = _one_character(quote, "quote", may_be_empty=True)
    if quote is None:
        quote = _detected_quote(text.head, delimiter)
    if delimiter is None:
        delimiter = _detected_delimiter(text, quote)
    if delimiter == quote:
        raise BadChoice(f"The delimiter and the quote cannot both be {quote!r}.")
    return Dialect(delimiter, quote)


def _one_character(value: str | None, name: str, *, may_be_empty: bool = False) -> str | None:
    if value is None or (may_be_empty and not value):
        return value
    if value == r"\t":  # as typed in a shell
        return "\t"
    if len(value) != 1 or not value.isascii() or value in "\r\n\0":
        empty = ", or be empty for none" if may_be_empty else ""
        raise BadChoice(f"The {name} must be one ASCII character{empty}, not {value!r}.")
    return value


def _detected_quote(head: str, delimiter: str | None) -> str:
    """Return ``'`` if cells open and close with it as often, and none opens with ``"``."""
    edges = re.escape(delimiter or "".join(_DELIMITERS))
    opening, closing = rf"(?:^|[{edges}])", rf"(?=[{edges}\r\n]|\Z)"
    if re.search(opening + '"', head, re.MULTILINE):
        return '"'
    opened = len(re.findall(opening + "'", head, re.MULTILINE))
    closed = len(re.findall("'" + closing, head))
    # the sample may end inside a cell
    return "'" if opened and abs(opened - closed) <= opened // 100 else '"'


def _detected_delimiter(text: Text, quote: str) -> str:
    usual = "\t" if ".tsv" in text.name.lower() or ".tab" in text.name.lower() else ","
    best, best_score = usual, (False, 0.0, 1)
    for delimiter in filter(text.head.__contains__, _DELIMITERS):
        score = _agreement(text, Dialect(delimiter, quote))
        if score[2] > 1 and score > best_score:
            best, best_score = delimiter, score
    return best


def _agreement(text: Text, dialect: Dialect) -> tuple[bool, float, int]:
    """Return whether the header has the modal width, the share of records with it, the width."""
    widths = []
    try:
        for record in dialect.records(StringIO(text.head, newline="")):
            if record:
                widths.append(len(record))
            if len(widths) > _ENOUGH:
                break
    except csv.Error:
        return (False, 0.0, 1)
    if not text.whole and len(widths) <= _ENOUGH:
        widths = widths[:-1]  # the last record may be cut
    if not widths:
        return (False, 0.0, 1)
    body = widths[1:] or widths
    width, times = Counter(body).most_common(1)[0]
    return (widths[0] == width, times / len(body), width)


@dataclass(frozen=True)
class Header:
    """The first record of a text that is not an empty line."""

    cells: list[str]
    lines: int  # up to the end of the header
    size: int  # of these lines, in bytes of UTF-8


def header(text: Text, dialect: Dialect) -> Header:
    """Return the header of a text."""
    csv.field_size_limit(_LONGEST_CELL)
    size = 0

    def counted(lines: TextIOWrapper) -> Iterator[str]:
        nonlocal size
        while line := lines.readline(LONGEST_HEADER):
            size += len(line.encode())
            if size >= LONGEST_HEADER:
                raise UnreadableFile(
                    f"{text.name} has no header that ends within {in_words(LONGEST_HEADER)}; a "
                    "table in text form has the names of its columns in its first line."
                )
            yield line

    with text.opened() as lines:
        reader: Any = dialect.records(counted(lines), strict=True)
        try:
            cells: list[str] = next((record for record in reader if record), [])
        except csv.Error as error:
            raise UnreadableFile(
                f"{text.name} has no readable header line ({error}); check its quote marks."
            ) from None
    _check_header(text, cells, reader.line_num)
    return Header(cells, reader.line_num, size)


def _check_header(text: Text, cells: list[str], line: int) -> None:
    if not cells or (text.whole and not text.head.strip()):
        raise UnreadableFile(f"{text.name} is empty: it has no header line.")
    if len(cells) > _MOST_COLUMNS:
        raise UnusableTable(
            f"{text.name} has {len(cells):,} columns, and at most {_MOST_COLUMNS:,} can be read; "
            "split it, or give the delimiter if it was taken wrongly."
        )
    if any("\0" in cell for cell in cells):
        raise UnreadableFile(
            f"{text.name} is not text: it has a zero byte in its header; save it as CSV again."
        )
    if len(cells) == 1 and not cells[0].strip():
        raise UnreadableFile(
            f"{text.name}, line {line} has nothing but blanks where the header should be; remove "
            "the line, or give the column a name."
        )
