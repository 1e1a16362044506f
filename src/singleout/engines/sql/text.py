"""Delimited text as a table of DuckDB, with the cells that `io.text.delimited` would read.

A file is looked through once, a few megabytes at a time: what DuckDB would read differently is
refused, and the longest record says how much DuckDB must hold at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from singleout.engines.sql.parquet import VIEW, Files, quoted
from singleout.errors import UnreadableFile, UnusableTable
from singleout.io.names import all_different, filled
from singleout.io.text.delimited import marks, quotes_are_sound
from singleout.io.text.dialect import Dialect, detect, header
from singleout.io.text.encoding import Text, open_text

__all__ = ["text_files"]

_LONGEST_LINE = 1 << 24
_USUAL_LINE = 1 << 17
_PIECE = 1 << 21
_BUFFERED_LINES = 16  # what DuckDB holds at once, in longest records


def text_files(paths: Sequence[Path], source: str) -> Files:
    """Check that text files are written alike, and such that DuckDB reads the same cells."""
    dialect, names = None, None
    longest = _USUAL_LINE
    for path in paths:
        text = open_text(path)
        dialect = detect(text) if dialect is None else dialect
        cells, number = header(text, dialect)
        here = all_different(filled(cells), text.name)
        names = here if names is None else names
        if here != names:
            raise UnusableTable(
                f"{path.name} has other columns than {paths[0].name}; files of one table must have "
                "the same ones in the same order."
            )
        data = _refuse_what_is_read_differently(text, number)
        longest = max(longest, _refuse_odd_records(data, text.name, dialect, len(names)))
    assert dialect is not None
    assert names is not None
    return Files(source, names, _reading(paths, dialect, names, longest + 2), slow=True)


def _refuse_what_is_read_differently(text: Text, number: int) -> Path:
    text.refuse_zeros()
    if not isinstance(text.data, Path):
        raise _odd(text.name, "is compressed, or not UTF-8 text")
    if number or ("\r" in text.head and "\n" not in text.head):
        raise _odd(text.name, "has blank lines before its header, or line ends of its own")
    return text.data


def _odd(name: str, oddity: str) -> UnreadableFile:
    return UnreadableFile(
        f"{name} {oddity}, which the embedded database would not read exactly as it is written; "
        "read it with the local engine, or save it as Parquet or plain UTF-8 CSV."
    )


def _refuse_odd_records(path: Path, name: str, dialect: Dialect, width: int) -> int:
    """Return the length of the longest record; say so if one has too few or too many cells.

    DuckDB lets some of them pass.
    """
    seen = longest = 0
    for piece, ends, delimiters in _records(path, name, dialect):
        counts = np.diff(np.searchsorted(delimiters, ends), prepend=0)
        for record in np.flatnonzero(counts != width - 1):
            line = piece[ends[record - 1] + 1 if record else 0 : ends[record]].tobytes()
            if line.strip(b"\r"):  # a blank line is no record
                raise UnusableTable(
                    f"{name}, record {seen + int(record):,} has {int(counts[record]) + 1} "
                    f"values but the header has {width}; correct it, or read the file with the "
                    "local engine and give the delimiter."
                )
        seen += len(ends)
        longest = max(longest, int(np.diff(ends, prepend=-1).max(initial=0)))
    return longest


def _records(
    path: Path, name: str, dialect: Dialect
) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the bytes of some whole records, where each of them ends, and their delimiters."""
    rest, first = b"", True
    with path.open("rb") as file:
        while True:
            more = file.read(_PIECE)
            raw = rest + more
            if not raw:
                return
            piece = np.frombuffer(raw, dtype=np.uint8)
            ends, delimiters, _ = marks(piece, dialect)
            if not more and (not len(ends) or ends[-1] != len(raw) - 1):
                ends = np.append(ends, len(raw))
            whole = int(ends[-1]) + 1 if len(ends) and more else len(raw)
            if more and not len(ends) and len(raw) <= _LONGEST_LINE:
                rest = raw
                continue
            # a byte order mark may come before a quote at the very beginning only
            if not quotes_are_sound((b"" if first else b"\n") + raw[:whole], dialect):
                raise _odd(name, "has quote marks within cells")
            if not len(ends):
                raise UnreadableFile(f"{name} has a record that is too long to be read.")
            yield piece, ends, delimiters
            rest, first = raw[whole:], False


def _reading(paths: Sequence[Path], dialect: Dialect, names: Sequence[str], longest: int) -> str:
    listed = ", ".join(quoted(str(path)) for path in paths)
    columns = ", ".join(f"'singleout_{place}': 'VARCHAR'" for place in range(len(names)))
    quote = quoted(dialect.quote)
    return (
        f"CREATE TEMP VIEW {VIEW} AS SELECT * FROM read_csv([{listed}], auto_detect = false, "
        f"header = true, columns = {{{columns}}}, delim = {quoted(dialect.delimiter)}, "
        f"quote = {quote}, escape = {quote}, nullstr = '', allow_quoted_nulls = true, "
        f"strict_mode = true, null_padding = false, max_line_size = {longest}, "
        f"buffer_size = {longest * _BUFFERED_LINES}, "
        "compression = 'none', hive_partitioning = false, filename = false)"
    )
