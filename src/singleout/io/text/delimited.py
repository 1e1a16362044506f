"""Delimited text (CSV, TSV): every cell is text as written, and every record must be complete.

Nothing is reinterpreted: ``01`` and ``1`` differ, ``1,5`` stays text, ``NA`` is a value like
another and blanks are kept. An empty cell is missing, quoted or not: many programs write a missing
value as ``""``, and nobody is singled out by a quote mark. A blank line is no record, except in a
file of one column, where it is an empty cell.

polars reads; where it refuses, or where its records cannot be told apart with certainty, the
``csv`` module goes through the file record by record and says which line is wrong.
"""

from __future__ import annotations

import csv
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from singleout.errors import UnreadableFile, UnusableTable
from singleout.io.names import all_different, filled, pick
from singleout.io.source import Source
from singleout.io.text.dialect import Dialect, detect, header
from singleout.io.text.encoding import Text, open_text

__all__ = ["bytes_of", "marks", "quotes_are_sound", "read_delimited"]

_PIECE = 1 << 24
_LONGEST_CELL = 2**31 - 1
_PLAIN = Dialect(",", '"')
_NOTHING = b" \t\r\x1a"  # blanks, and the end-of-file mark of DOS


def read_delimited(
    path: Path,
    columns: Sequence[str] | None = None,
    *,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
) -> Source:
    """Read a delimited text file, plain or gzip; what is not given is detected."""
    text = open_text(path, encoding)
    dialect = detect(text, delimiter, quote)
    cells, number = header(text, dialect)
    names = all_different(filled(cells), text.name)
    wanted = pick(columns, names)
    text.refuse_zeros()
    # polars knows only one kind of line end, and takes a line of blanks for a header
    simple = number == 0 and ("\n" in text.head or "\r" not in text.head)
    frame = _quickly(text, dialect, names, wanted) if simple else None
    if frame is None and not text.valid():
        text = text.as_western()
        frame = _quickly(text, dialect, names, wanted) if simple else None
    if frame is None:
        frame = _exactly(text, dialect, names, wanted)
    return Source(frame, text.name, notes=text.notes)


def _quickly(
    text: Text, dialect: Dialect, names: Sequence[str], wanted: Sequence[str]
) -> pl.DataFrame | None:
    """Let polars read; None if it refuses, or if a record may be incomplete."""
    last = names[-1]
    try:
        frame = _scan(text.data, dialect, names, [*wanted, *([last] if last not in wanted else [])])
    except pl.exceptions.PolarsError:
        _blank_lines(text, dialect, len(names), records=0)  # names a wrong line, if it can
        return None
    if not quotes_are_sound(text.data, dialect):
        return None
    # polars fills a record that is too short with nulls, so the last column has one
    if len(names) > 1 and frame[last].null_count():
        blank = _blank_lines(text, dialect, len(names), records=frame.height)
        if blank is None:
            return None
        if len(blank):
            kept = np.ones(frame.height, dtype=np.bool_)
            kept[blank] = False
            frame = frame.filter(pl.Series(kept))
    return frame.select(wanted)


def _scan(
    data: Path | bytes, dialect: Dialect, names: Sequence[str], wanted: Sequence[str]
) -> pl.DataFrame:
    return (
        pl.scan_csv(
            data,
            separator=dialect.delimiter,
            quote_char=dialect.quote or None,
            infer_schema=False,
            null_values=[""],
            new_columns=list(names),
            glob=False,
        )
        .select(wanted)
        # with the selection pushed down, polars would not see records that are too long
        .collect(optimizations=pl.QueryOptFlags(projection_pushdown=False))
    )


def quotes_are_sound(data: Path | bytes, dialect: Dialect) -> bool:
    """Whether every quote opens or closes a whole cell: otherwise polars may swallow records."""
    if not dialect.quote:
        return True
    raw = bytes_of(data)
    ends = np.frombuffer(f"{dialect.delimiter}\r\n{dialect.quote}".encode(), dtype=np.uint8)
    mark = 3 if bytes(raw[:3]) == BOM_UTF8 else 0  # a quote may follow the byte order mark
    seen = 0
    for start in range(0, len(raw), _PIECE):
        places = np.flatnonzero(raw[start : start + _PIECE] == ord(dialect.quote)) + start
        opening, closing = places[seen % 2 :: 2], places[1 - seen % 2 :: 2]
        before = raw[opening[opening > mark] - 1]
        after = raw[closing[closing < len(raw) - 1] + 1]
        if not (np.isin(before, ends).all() and np.isin(after, ends).all()):
            return False
        seen += len(places)
    return seen % 2 == 0


def _blank_lines(
    text: Text, dialect: Dialect, width: int, records: int
) -> NDArray[np.int64] | None:
    """Return which records are blank lines, the header not counted; None if that is uncertain.

    A delimiter or line end counts if an even number of quotes precedes it. Where that is not so,
    because of stray quotes, records seem incomplete and the exact reading decides. Where there
    are no quotes, a record is a line, and an incomplete one is named at once.
    """
    raw = bytes_of(text.data)
    blank, seen, start, quoted = [np.empty(0, dtype=np.int64)], 0, 0, False
    while start < len(raw):
        piece = np.asarray(raw[start : start + _PIECE])
        ends, delimiters, quotes = marks(piece, dialect)
        quoted |= quotes
        if start + len(piece) == len(raw) and piece[-1] != ord("\n"):
            ends = np.append(ends, len(piece))
        if len(ends) == 0:
            return None
        counts = np.diff(np.searchsorted(delimiters, ends), prepend=0)
        odd = np.flatnonzero(counts != width - 1)
        for record in odd:
            line = piece[ends[record - 1] + 1 if record else 0 : ends[record]].tobytes()
            if line.strip(b"\r"):
                if not quoted and line.strip(_NOTHING) and b"\r" not in line[:-1]:
                    number = seen + int(record) + 1
                    raise _ragged(text.name, number, int(counts[record]) + 1, width)
                return None
        blank.append(odd + seen - 1)
        seen += len(ends)
        start += int(ends[-1]) + 1
    return np.concatenate(blank) if seen - 1 == records else None


def bytes_of(data: Path | bytes) -> NDArray[np.uint8]:
    """Return the bytes of a file, which stays where it is, or of a text."""
    if isinstance(data, Path):
        return np.memmap(data, dtype=np.uint8, mode="r")
    return np.frombuffer(data, dtype=np.uint8)


def marks(
    piece: NDArray[np.uint8], dialect: Dialect
) -> tuple[NDArray[np.int64], NDArray[np.int64], bool]:
    """Return where lines end and delimiters are, outside quotes, and whether there are quotes."""
    ends, delimiters = piece == ord("\n"), piece == ord(dialect.delimiter)
    quotes = piece == ord(dialect.quote) if dialect.quote else np.zeros(0, dtype=np.bool_)
    quoted = bool(quotes.any())
    if quoted:
        # only whether the count is even matters, so it may overflow
        outside = np.cumsum(quotes, dtype=np.uint8) & 1 == 0
        ends &= outside
        delimiters &= outside
    return np.flatnonzero(ends), np.flatnonzero(delimiters), quoted


def _exactly(
    text: Text, dialect: Dialect, names: Sequence[str], wanted: Sequence[str]
) -> pl.DataFrame:
    """Read record by record, and write what was read in the plainest form for polars."""
    buffer = BytesIO()
    with TextIOWrapper(buffer, encoding="utf-8", errors="surrogatepass", newline="") as plain:
        # everything is quoted, since a carriage return at the end of a cell would be lost
        writer = csv.writer(plain, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(_complete_records(text, dialect, len(names)))
        plain.flush()
        data = buffer.getvalue()
    try:
        return _scan(data, _PLAIN, names, wanted)
    except pl.exceptions.PolarsError as error:
        raise UnreadableFile(
            f"{text.name} cannot be read as delimited text: {str(error).splitlines()[0]}."
        ) from None


def _complete_records(text: Text, dialect: Dialect, width: int) -> Iterator[list[str]]:
    """Yield the records after the header; say which line has too few or too many cells."""
    csv.field_size_limit(_LONGEST_CELL)
    line = 0
    with text.opened() as lines:
        reader: Any = dialect.records(lines, strict=True)
        started = False
        try:
            for record in reader:
                begin, line = line + 1, reader.line_num
                if not started:
                    started = len(record) > 1 or any(cell.strip() for cell in record)
                    continue
                if len(record) == width:
                    yield record
                elif width == 1 and not record:
                    yield [""]
                elif len(record) > 1 or "".join(record).strip(_NOTHING.decode()):
                    raise _ragged(text.name, begin, len(record), width)
        except csv.Error:
            quote = dialect.quote
            raise UnreadableFile(
                f"{text.name}, line {line + 1} has a quote mark ({quote}) that opens a cell and "
                "does not close it properly; correct it, or give an empty quote if quote marks "
                "are ordinary characters in this file."
            ) from None


def _ragged(name: str, line: int, given: int, width: int) -> UnusableTable:
    values = "1 value" if given == 1 else f"{given} values"
    return UnusableTable(
        f"{name}, line {line} has {values} but the header has {width}; "
        "correct the line, or give the delimiter and the quote if they were taken wrongly."
    )
