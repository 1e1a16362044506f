"""Delimited text (CSV, TSV): every cell is text as written, and every record must be complete.

Nothing is reinterpreted: ``01`` and ``1`` differ, ``1,5`` stays text, ``NA`` is a value like
another and blanks are preserved. An empty cell is missing, quoted or not: many programs write a
missing value as ``""``. `singleout.io.text.records` splits text into records, polars into cells.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from singleout.core.memory import available_memory, in_words
from singleout.errors import UnreadableFile, UnusableTable
from singleout.io.names import all_different, filled, pick
from singleout.io.rows import row_choice
from singleout.io.source import Source
from singleout.io.text.dialect import Dialect, Header
from singleout.io.text.encoding import OtherEncoding, Text, open_text
from singleout.io.text.located import LocatedText, locate
from singleout.io.text.records import RecordChunk, records_of
from singleout.kernels.text_loops import BLANK_LINE, LONE_CR, STRAY_QUOTE

__all__ = ["frames_of", "read_delimited"]

_DIFFERENT = BLANK_LINE | LONE_CR | STRAY_QUOTE  # what polars reads differently
_VIEW = 16  # bytes of a cell, besides those of a long text


def read_delimited(
    path: Path,
    columns: Sequence[str] | None = None,
    *,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    header_row: int | None = None,
    skip_rows: Any = None,
) -> Source:
    """Read a delimited text file, plain or gzip; options that are None are detected."""
    choice = row_choice(header_row, skip_rows)
    text = open_text(path, encoding)
    try:
        return _read(locate(text, delimiter, quote, choice), columns)
    except OtherEncoding:
        return _read(locate(text.as_western(), delimiter, quote, choice), columns)


def _read(located: LocatedText, columns: Sequence[str] | None) -> Source:
    text, dialect, top = located
    names = all_different(filled(top.cells), text.name)
    wanted = pick(columns, names)
    index = {name: number for number, name in enumerate(names)}
    frames = frames_of(text, dialect, top, [index[name] for name in wanted])
    frame = pl.concat(_within_memory(frames, text.name))
    frame.columns = wanted
    return Source(frame, text.name, notes=text.notes)


def _within_memory(frames: Iterable[pl.DataFrame], name: str) -> list[pl.DataFrame]:
    """Return the parts of a table; stop with an error before the memory is full."""
    parts, rows = [], 0
    for frame in frames:
        parts.append(frame)
        rows += frame.height
        available = available_memory()
        size = _VIEW * frame.height * frame.width + frame.estimated_size()
        if available is not None and available < 2 * size:
            raise UnusableTable(
                f"{name} does not fit into memory: {in_words(available)} are left after "
                f"{rows:,} records; name fewer columns, or count it with the database engine."
            )
    return parts


def frames_of(
    text: Text, dialect: Dialect, top: Header, indices: Sequence[int]
) -> Iterator[pl.DataFrame]:
    """Yield the columns at some indices, a part of the records at a time, at least one part."""
    width, some = len(top.cells), False
    for records in records_of(text, dialect, top):
        if records.count:
            yield _cells(text, records, dialect, width, indices)
            some = True
    if not some:
        yield pl.DataFrame(schema=[(str(index), pl.String) for index in indices])


def _cells(
    text: Text, records: RecordChunk, dialect: Dialect, width: int, indices: Sequence[int]
) -> pl.DataFrame:
    data = records.data
    if records.oddities & _DIFFERENT:
        data = records.plainly(dialect, width)
    if data.startswith((BOM_UTF8, b"x")):
        data = BOM_UTF8 + data  # or polars drops the mark, or takes "x" for the signature of zlib
    try:
        frame = (
            pl.scan_csv(
                data,
                has_header=False,
                schema={str(index): pl.String for index in range(width)},
                separator=dialect.delimiter,
                quote_char=dialect.quote or None,
                null_values=[""],
            )
            .select(map(str, indices))
            .collect()
        )
    except pl.exceptions.PolarsError as error:
        raise UnreadableFile(
            f"{text.name} cannot be read as delimited text: {str(error).splitlines()[0]}."
        ) from None
    if frame.height != records.count:
        raise UnreadableFile(
            f"{text.name} cannot be read as delimited text: {records.count:,} records were found "
            f"to be {frame.height:,}; save it anew as UTF-8 CSV."
        )
    return frame
