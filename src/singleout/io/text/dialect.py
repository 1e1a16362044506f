"""How a delimited file separates and quotes its cells, found by trying."""

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

__all__ = ["MOST_COLUMNS", "Dialect", "Header", "detect", "header"]

# where two fit equally well, the first: a comma is common within cells, a semicolon is not
_DELIMITERS = (";", "\t", "|", ",")
_ENOUGH = 5000  # records that settle the question
MOST_COLUMNS = 100_000
_LONGEST_CELL = 2**31 - 1


@dataclass(frozen=True)
class Dialect:
    """What separates cells and what encloses them; an empty quote: nothing does."""

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
    """Return how a text is delimited: as told, otherwise as most of its records agree."""
    delimiter = _one_character(delimiter, "delimiter")
    quote = _one_character(quote, "quote", may_be_empty=True)
    if quote is None:
        quote = _detected_quote(text.head, delimiter)
    if delimiter is None:
        delimiter = _detected_delimiter(text, quote)
    if delimiter == quote:
        raise BadChoice(f"The delimiter and the quote cannot both be {quote!r}.")
    return Dialect(delimiter, quote)


def _one_character(given: str | None, what: str, *, may_be_empty: bool = False) -> str | None:
    if given is None or (may_be_empty and not given):
        return given
    if given == r"\t":  # as typed in a shell
        return "\t"
    if len(given) != 1 or not given.isascii() or given in "\r\n\0":
        empty = ", or be empty for none" if may_be_empty else ""
        raise BadChoice(f"The {what} must be one ASCII character{empty}, not {given!r}.")
    return given


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
    """Return whether the header has the usual width, the share of records of it, and the width."""
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
    """The first record of a text that is no empty line, and how much of the text comes up to it.

    Parameters
    ----------
    cells
        What the columns are called.
    lines
        How many lines there are up to the end of the header.
    size
        How many bytes of UTF-8 they are.
    """

    cells: list[str]
    lines: int
    size: int


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
    if len(cells) > MOST_COLUMNS:
        raise UnusableTable(
            f"{text.name} has {len(cells):,} columns, and at most {MOST_COLUMNS:,} can be read; "
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
