"""The records of delimited text: whole, complete, and as Python's ``csv`` module finds them.

Every reader goes through here, so that all of them refuse the same files. A record must have as
many cells as the header. An empty line is no record, except in a file of one column, where it is
an empty cell. A quote mark that opens a cell must close it.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.memory import in_words
from singleout.errors import SingleoutError, UnreadableFile, UnusableTable
from singleout.io.text.dialect import Dialect, Header
from singleout.io.text.encoding import Text
from singleout.kernels import text_loops as loops
from singleout.kernels.compiling import announce_compiling, worth_compiling

__all__ = ["Records", "oddities_of_header", "records_of"]

_LONGEST_RECORD = 1 << 27
_UNCOMPILED = 300  # how much longer than other work a byte takes where loops are not compiled


@dataclass(frozen=True)
class Records:
    """Some whole records of a text.

    Parameters
    ----------
    data
        Their bytes.
    count
        How many they are.
    longest
        The length of the longest in bytes, with its line end.
    oddities
        What other readers may take differently: bits of `singleout.kernels.text_loops`.
    """

    data: bytes
    count: int
    longest: int
    oddities: int

    def plainly(self, dialect: Dialect, width: int) -> bytes:
        """Return the records written such that every reader finds the same cells."""
        data = np.frombuffer(self.data, dtype=np.uint8)
        out = np.empty(3 * len(data) + 1, dtype=np.uint8)
        write = _loop(loops.write_plainly, len(data))
        quote = ord(dialect.quote) if dialect.quote else 0
        return out[: write(data, _kinds(dialect), width, quote, out)].tobytes()


def records_of(text: Text, dialect: Dialect, header: Header) -> Iterator[Records]:
    """Yield the records after the header, many at a time; say so if one is not as it must be."""
    width, line = len(header.cells), header.lines
    rest, enough, position = b"", 0, header.size
    for piece, final in _after(text.pieces(), header.size):
        # whole lines, so that the records need not be copied out of more than that
        whole = len(piece) if final else piece.rfind(b"\n") + 1 or len(piece)
        data, tail = b"".join((rest, memoryview(piece)[:whole])), piece[whole:]
        if len(data) + len(tail) < enough and not final:
            rest = data + tail
            continue
        found = _scanned(data, dialect, width, final=final)
        end = int(found[loops.END])
        line += int(found[loops.LINES])
        if found[loops.WRONG]:
            if data[end:] == b"\x1a":
                raise UnusableTable(
                    f"{text.name}, line {line + 1} has nothing but the mark that ends a file in "
                    "DOS (byte 26); remove it."
                )
            raise _wrong(text, dialect, found, (line + 1, position + end), width)
        if end:
            oddities = int(found[loops.ODDITIES])
            count, longest = int(found[loops.RECORDS]), int(found[loops.LONGEST])
            yield Records(data[:end], count, longest, oddities)
        rest, position = data[end:] + tail, position + end
        # what has no end is not looked through again for each piece that is added
        enough = min(2 * len(rest), _LONGEST_RECORD + 1)
        if len(rest) > _LONGEST_RECORD:
            raise UnreadableFile(
                f"{text.name}, line {line + 1} begins a record of more than "
                f"{in_words(_LONGEST_RECORD)}; check its line ends and quote marks."
            )


def oddities_of_header(text: Text, dialect: Dialect, header: Header) -> int:
    """Return what is odd about the header and the blank lines before it, as `Records` has it."""
    start = next(text.pieces(header.size + len(BOM_UTF8)), b"")[: header.size]
    found = _scanned(start, dialect, len(header.cells), final=True)
    before = loops.BLANK_LINE if found[loops.RECORDS] > 1 else 0
    return int(found[loops.ODDITIES]) | before


def _after(pieces: Iterable[bytes], skipped: int) -> Iterator[tuple[bytes, bool]]:
    """Yield what comes after some bytes, and whether it is the last."""
    last = b""
    for piece in pieces:
        if last:
            yield last, False
        last = piece[skipped:]
        skipped = max(0, skipped - len(piece))
    yield last, True


def _scanned(data: bytes, dialect: Dialect, width: int, *, final: bool) -> NDArray[np.int64]:
    """Return what is found in text that begins with a record, by place."""
    array = np.frombuffer(data, dtype=np.uint8)
    found = _scanned_quickly(data, dialect, width)
    if found[loops.END] and not final:
        return found
    rest = np.zeros(loops.FOUND, dtype=np.int64)
    scan = _loop(loops.scan, len(array) - int(found[loops.END]))
    scan(array[found[loops.END] :], final, _kinds(dialect), width, rest)
    longest, oddities = max(found[loops.LONGEST], rest[loops.LONGEST]), found[loops.ODDITIES]
    found += rest
    found[loops.LONGEST], found[loops.ODDITIES] = longest, oddities | rest[loops.ODDITIES]
    return found


def _scanned_quickly(data: bytes, dialect: Dialect, width: int) -> NDArray[np.int64]:
    """Return what is found in text without quotes; nothing if that is not to be had quickly."""
    found = np.zeros(loops.FOUND, dtype=np.int64)
    quoted = bool(dialect.quote) and dialect.quote.encode() in data
    if not quoted and b"\0" not in data and _is_worth(loops.scan_quickly, len(data)):
        array = np.frombuffer(data, dtype=np.uint8)
        with np.errstate(over="ignore"):  # where loops are not compiled, numpy would warn
            loops.scan_quickly(array, ord(dialect.delimiter), width, found)
    return found


def _loop(loop: Any, size: int) -> Any:
    """Return a loop, compiled if there is enough to do."""
    return loop if _is_worth(loop, size) else loop.py_func


def _is_worth(loop: Any, size: int) -> bool:
    worth = worth_compiling(_UNCOMPILED * size, loop)
    if worth:
        announce_compiling(loop)
    return worth


def _kinds(dialect: Dialect) -> NDArray[np.uint8]:
    """Return which kind each of the 256 bytes is."""
    kinds = np.zeros(256, dtype=np.uint8)
    for character in "\n\r\0":
        kinds[ord(character)] = loops.KINDS[character]
    kinds[ord(dialect.delimiter)] = loops.KINDS["delimiter"]
    if dialect.quote:
        kinds[ord(dialect.quote)] = loops.KINDS["quote"]
    return kinds


def _wrong(
    text: Text, dialect: Dialect, found: NDArray[np.int64], place: tuple[int, int], width: int
) -> SingleoutError:
    """Return the sentence on what is wrong with a record; its place is a line and a position."""
    line, position = place
    if found[loops.WRONG] == loops.ZERO_BYTE:
        return UnreadableFile(
            f"{text.name} is not text: it has a zero byte at position {position:,}; "
            "save it as CSV again."
        )
    if found[loops.WRONG] == loops.QUOTE_ERROR:
        return UnreadableFile(
            f"{text.name}, line {line} has a quote mark ({dialect.quote}) that opens a cell and "
            "does not close it properly; correct it, or give an empty quote if quote marks are "
            "ordinary characters in this file."
        )
    cells = int(found[loops.CELLS])
    values = "1 value" if cells == 1 else f"{cells:,} values"
    return UnusableTable(
        f"{text.name}, line {line} has {values} but the header has {width:,}; "
        "correct the line, or give the delimiter and the quote if they were taken wrongly."
    )
