"""Delimited text that Spark would not read as it is read in memory, and is therefore refused.

Spark takes every line for a record, also within quotes, and drops lines that have nothing but
blanks in them (`singleout.io.text.delimited` says what is read in memory). It counts without
looking at cells that are not asked for, so that records are checked here, where the file can be
seen.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from singleout.errors import UnreadableFile, UnusableTable
from singleout.io.text.delimited import bytes_of, marks, quotes_are_sound
from singleout.io.text.dialect import Dialect
from singleout.io.text.encoding import Text

__all__ = ["refuse_what_spark_reads_differently"]

_PIECE = 1 << 24
_NOTHING = b" \t\r\x1a"  # what may be in a line that is no record
_BLANK = 0x20  # to Spark, all characters up to the blank are blanks


def refuse_what_spark_reads_differently(text: Text, dialect: Dialect, width: int) -> None:
    """Go through a text file and say so if Spark would find other records or cells in it."""
    text.refuse_zeros()
    _refuse(text, _oddity(text, dialect))
    raw = bytes_of(text.data)
    start = seen = 0
    while start < len(raw):
        piece = np.asarray(raw[start : start + _PIECE])
        ends, delimiters, _ = marks(piece, dialect)
        if start + len(piece) == len(raw) and piece[-1] != ord("\n"):
            ends = np.append(ends, len(piece))
        if not len(ends):
            raise UnreadableFile(f"{text.name}, record {seen + 1:,} is too long to be read.")
        lines = piece[: ends[-1] + 1]
        _refuse(text, _odd_line_end(lines, ends))
        counts = np.diff(np.searchsorted(delimiters, ends), prepend=0)
        marked = np.diff(np.searchsorted(np.flatnonzero(lines > _BLANK), ends), prepend=0)
        for record in np.flatnonzero((counts != width - 1) | (marked == 0)):
            line = lines[ends[record - 1] + 1 if record else 0 : ends[record]].tobytes()
            _check_line(text, line, (seen + int(record), int(counts[record]) + 1, width))
        seen += len(ends)
        start += int(ends[-1]) + 1


def _oddity(text: Text, dialect: Dialect) -> str | None:
    """Return what is odd about a file as a whole, if anything."""
    # Spark goes by the name, and replaces what is no UTF-8 by one and the same character
    if isinstance(text.data, Path) == text.name.lower().endswith(".gz"):
        return "is compressed or not, other than its name says"
    if not text.valid():
        return "is not UTF-8 text throughout"
    return None if quotes_are_sound(text.data, dialect) else "has quote marks within cells"


def _odd_line_end(lines: NDArray[np.uint8], ends: NDArray[np.int64]) -> str | None:
    """Return what is odd about line breaks: where they are no end of a record, or no usual one."""
    breaks = np.flatnonzero(lines == ord("\n"))
    returns = np.flatnonzero(lines == ord("\r"))
    if np.isin(breaks, ends).all() and np.isin(returns + 1, breaks).all():
        return None
    return "has line breaks within cells, or line ends of its own"


def _check_line(text: Text, line: bytes, counted: tuple[int, int, int]) -> None:
    """Look at a line that has nothing but blanks, or another number of cells than the header."""
    record, cells, width = counted
    if cells == 1 and width > 1 and not line.strip(_NOTHING):
        return  # a blank line is no record, here as there
    if cells != width:
        values = "1 value" if cells == 1 else f"{cells} values"
        raise UnusableTable(
            f"{text.name}, record {record:,} has {values} but the header has {width}; correct it, "
            "or read the file with the local engine and give the delimiter."
        )
    _refuse(text, "has records without any value that are blank lines")


def _refuse(text: Text, oddity: str | None) -> None:
    if oddity is not None:
        raise UnreadableFile(
            f"{text.name} {oddity}, which Spark would not read exactly as it is written; read it "
            "with the local engine, or save it as Parquet or as plain UTF-8 CSV."
        )
