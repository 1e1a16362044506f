"""Delimited text as a table of DuckDB, with the cells that `io.text.delimited` would read.

A file is checked once, a few megabytes at a time, by the same code. DuckDB then reads a plain file
itself. A file that DuckDB would read differently (another encoding, gzip, several kinds of line
ends, quote marks within cells, very long records) is copied to Parquet files first, by the reader
that reads it in memory.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from singleout.core.memory import in_words
from singleout.engines.sql.parquet import VIEW, Files, literal, quoted
from singleout.errors import UnreadableFile, UnusableTable
from singleout.io.names import all_different, filled
from singleout.io.text.delimited import frames_of
from singleout.io.text.dialect import Dialect, Header, header
from singleout.io.text.encoding import OtherEncoding, Text, open_text
from singleout.io.text.located import locate
from singleout.io.text.records import oddities_of_header, records_of
from singleout.kernels.text_loops import (
    BLANK_LINE,
    BREAK_IN_QUOTES,
    CRLF,
    LF,
    LONE_CR,
    RETURN_IN_QUOTES,
    STRAY_QUOTE,
)

__all__ = ["text_files"]

_DIFFERENT = LONE_CR | RETURN_IN_QUOTES | STRAY_QUOTE
_DIFFERENT_IN_HEADER = BLANK_LINE | BREAK_IN_QUOTES
_TOGETHER = (LF | CRLF, CRLF | BREAK_IN_QUOTES)  # several kinds of line breaks
_LONGEST_LINE = 1 << 24
_USUAL_LINE = 1 << 17
_BUFFERED_LINES = 16  # what DuckDB holds at once, in longest records
_SPARE = 1 << 28  # bytes of disk that are left free


@dataclass
class _Reading:
    """The input of DuckDB: plain text files, and Parquet copies of others."""

    folder: Path
    plain: list[Path] = field(default_factory=list)
    copies: list[Path] = field(default_factory=list)
    longest: int = _USUAL_LINE
    notes: list[str] = field(default_factory=list)

    def add(self, text: Text, dialect: Dialect, top: Header) -> None:
        """Check a file; add it, or a copy."""
        try:
            longest = _longest_plain(text, dialect, top)
        except OtherEncoding:
            text, longest = text.as_western(), None
            top = header(text, dialect)
        if longest is None:
            self._copy(text, dialect, top)
        else:
            self.plain.append(text.path)
            self.longest = max(self.longest, longest)
        self.notes += text.notes

    def _copy(self, text: Text, dialect: Dialect, top: Header) -> None:
        for frame in frames_of(text, dialect, top, range(len(top.cells))):
            path = self.folder / f"text-{len(self.copies)}.parquet"
            _require_disk(self.folder, 2 * int(frame.estimated_size()), text.name)
            frame.write_parquet(path, compression="lz4")
            self.copies.append(path)

    def select(self, dialect: Dialect, width: int) -> str:
        """Return the statement that makes a table of all of it."""
        parts = []
        if self.plain:
            parts.append(_reading(self.plain, dialect, width, self.longest + 2))
        if self.copies:
            listed = ", ".join(quoted(literal(path)) for path in self.copies)
            parts.append(f"SELECT * FROM read_parquet([{listed}], hive_partitioning = false)")
        return f"CREATE TEMP VIEW {VIEW} AS {' UNION ALL '.join(parts)}"


def text_files(paths: Sequence[Path], source: str, folder: Path) -> Files:
    """Check that text files have the same format and columns; copies go to the folder."""
    first = locate(open_text(paths[0]), None, None)
    dialect = first.dialect
    others = (locate(open_text(path), dialect.delimiter, dialect.quote) for path in paths[1:])
    texts = []
    reading, names = _Reading(folder), None
    for text, _, top in (first, *others):
        texts.append(text)
        here = all_different(filled(top.cells), text.name)
        names = here if names is None else names
        if here != names:
            raise UnusableTable(
                f"{text.name} has other columns than {texts[0].name}; files of one table must "
                "have the same ones in the same order."
            )
        reading.add(text, dialect, top)
    assert names is not None
    select = reading.select(dialect, len(names))
    return Files(
        source,
        names,
        select,
        slow=bool(reading.plain),
        notes=tuple(reading.notes),
        states={text.path: text.state for text in texts if text.path in reading.plain},
    )


def _longest_plain(text: Text, dialect: Dialect, top: Header) -> int | None:
    """Return the length of the longest record; None if DuckDB would read one differently."""
    oddities = oddities_of_header(text, dialect, top)
    if not text.plain or oddities & _DIFFERENT_IN_HEADER:
        oddities |= _DIFFERENT
    longest = top.size
    for records in records_of(text, dialect, top):
        oddities |= records.oddities
        longest = max(longest, records.longest)
    several = any(oddities & two == two for two in _TOGETHER)
    return None if several or oddities & _DIFFERENT or longest > _LONGEST_LINE else longest


def _reading(paths: Sequence[Path], dialect: Dialect, width: int, longest: int) -> str:
    listed = ", ".join(quoted(literal(path)) for path in paths)
    columns = ", ".join(f"'{index}': 'VARCHAR'" for index in range(width))
    quote = quoted(dialect.quote)
    return (
        f"SELECT * FROM read_csv([{listed}], auto_detect = false, "
        f"header = true, columns = {{{columns}}}, delim = {quoted(dialect.delimiter)}, "
        f"quote = {quote}, escape = {quote}, nullstr = '', allow_quoted_nulls = true, "
        f"strict_mode = true, null_padding = false, max_line_size = {longest}, "
        f"buffer_size = {longest * _BUFFERED_LINES}, "
        "compression = 'none', hive_partitioning = false, filename = false)"
    )


def _require_disk(folder: Path, size: int, name: str) -> None:
    """Refuse a copy without room: the unpacked size of a file is not known before."""
    free = shutil.disk_usage(folder).free
    if free < size + _SPARE:
        raise UnreadableFile(
            f"{name} must be copied to be counted by the embedded database, and only "
            f"{in_words(free)} of disk are left; give a folder with more, or save it as Parquet."
        )
