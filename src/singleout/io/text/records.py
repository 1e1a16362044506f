"""The records of delimited text, split as by Python's ``csv`` module.

Every engine reads text through this module, so that all refuse the same files. A record must have
as many cells as the header. An empty line is no record, except in a file of one column, where it
is an empty cell. A quote that opens a cell must be closed.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from singleout.core.arrays import I64, U8
from singleout.core.memory import in_words
from singleout.errors import SingleoutError, UnreadableFile, UnusableTable
from singleout.io.text.dialect import Dialect, Header
from singleout.io.text.encoding import Text
from singleout.kernels import text_loops as loops
from singleout.kernels.compiling import announce_compiling, worth_compiling

__all__ = ["RecordChunk", "oddities_of_header", "records_of"]

_LONGEST_RECORD = 1 << 27
_UNCOMPILED = 300  # work of a byte in a loop that is not compiled, relative to other work


@dataclass(frozen=True)
class RecordChunk:
    """Some whole records of a text."""

    data: bytes
    count: int
    longest: int  # in bytes, with its line end
    oddities: int  # what other readers may parse differently: bits of kernels.text_loops

    def plainly(self, dialect: Dialect, width: int) -> bytes:
        """Return the records rewritten such that every reader parses the same cells."""
        data = np.frombuffer(self.data, dtype=np.uint8)
        out = np.empty(3 * len(data) + 1, dtype=np.uint8)
        write = _loop(loops.write_plainly, len(data))
        quote = ord(dialect.quote) if dialect.quote else 0
        return out[: write(data, _kinds(dialect), width, quote, out)].tobytes()


def records_of(text: Text, dialect: Dialect, header: Header) -> Iterator[RecordChunk]:
    """Yield the records after the header, many at a time; refuse a malformed one."""
    width, line = len(header.cells), header.lines
    rest, enough, position = b"", 0, header.size
    for piece, final in _after(text.pieces(), header.size):
        # cut after a line, so that the records usually need not be copied again
        whole = len(piece) if final else piece.rfind(b"\n") + 1 or len(piece)
        data, tail = b"".join((rest, memoryview(piece)[:whole])), piece[whole:]
        if len(data) + len(tail) < enough and not final:
            rest = data + tail
            continue
        results = _scanned(data, dialect, width, final=final)
        end = int(results[loops.END])
        line += int(results[loops.LINES])
        if results[loops.WRONG]:
            if data[end:] == b"\x1a":
                raise UnusableTable(
                    f"{text.name}, line {line + 1} has nothing but the mark that ends a file in "
                    "DOS (byte 26); remove it."
                )
            raise _wrong(text, dialect, results, (line + 1, position + end), width)
        if end:
            oddities = int(results[loops.ODDITIES])
            count, longest = int(results[loops.RECORDS]), int(results[loops.LONGEST])
            yield RecordChunk(data[:end], count, longest, oddities)
        rest, position = data[end:] + tail, position + end
        # an unfinished record is scanned again only when its length has doubled
        enough = min(2 * len(rest), _LONGEST_RECORD + 1)
        if len(rest) > _LONGEST_RECORD:
            raise UnreadableFile(
                f"{text.name}, line {line + 1} begins a record of more than "
                f"{in_words(_LONGEST_RECORD)}; check its line ends and quote marks."
            )


def oddities_of_header(text: Text, dialect: Dialect, header: Header) -> int:
    """Return the oddities of the header and the blank lines before it; see `RecordChunk`."""
    start = next(text.pieces(header.size + len(BOM_UTF8)), b"")[: header.size]
    results = _scanned(start, dialect, len(header.cells), final=True)
    before = loops.BLANK_LINE if results[loops.RECORDS] > 1 else 0
    return int(results[loops.ODDITIES]) | before


def _after(pieces: Iterable[bytes], skipped: int) -> Iterator[tuple[bytes, bool]]:
    """Yield the pieces without some bytes at the beginning, and whether each is the last."""
    last = b""
    for piece in pieces:
        if last:
            yield last, False
        last = piece[skipped:]
        skipped = max(0, skipped - len(piece))
    yield last, True


def _scanned(data: bytes, dialect: Dialect, width: int, *, final: bool) -> I64:
    """Return the results of `loops.scan` for text that begins with a record."""
    array = np.frombuffer(data, dtype=np.uint8)
    results = _scanned_quickly(data, dialect, width)
    if results[loops.END] and not final:
        return results
    rest = np.zeros(loops.FOUND, dtype=np.int64)
    scan = _loop(loops.scan, len(array) - int(results[loops.END]))
    scan(array[results[loops.END] :], final, _kinds(dialect), width, rest)
    longest, oddities = max(results[loops.LONGEST], rest[loops.LONGEST]), results[loops.ODDITIES]
    results += rest
    results[loops.LONGEST], results[loops.ODDITIES] = longest, oddities | rest[loops.ODDITIES]
    return results


def _scanned_quickly(data: bytes, dialect: Dialect, width: int) -> I64:
    """Return the results for text without quotes; zeros where the quick scan does not apply."""
    results = np.zeros(loops.FOUND, dtype=np.int64)
    quoted = bool(dialect.quote) and dialect.quote.encode() in data
    if not quoted and b"\0" not in data and _is_worth(loops.scan_quickly, len(data)):
        array = np.frombuffer(data, dtype=np.uint8)
        with np.errstate(over="ignore"):  # numpy would warn in loops that are not compiled
            loops.scan_quickly(array, ord(dialect.delimiter), width, results)
    return results


def _loop(loop: Any, size: int) -> Any:
    """Return a loop, compiled if there is enough work."""
    return loop if _is_worth(loop, size) else loop.py_func


def _is_worth(loop: Any, size: int) -> bool:
    worth = worth_compiling(_UNCOMPILED * size, loop)
    if worth:
        announce_compiling(loop)
    return worth


def _kinds(dialect: Dialect) -> U8:
    """Return the kind of each of the 256 bytes."""
    kinds = np.zeros(256, dtype=np.uint8)
    for character in "\n\r\0":
        kinds[ord(character)] = loops.KINDS[character]
    kinds[ord(dialect.delimiter)] = loops.KINDS["delimiter"]
    if dialect.quote:
        kinds[ord(dialect.quote)] = loops.KINDS["quote"]
    return kinds


def _wrong(
    text: Text, dialect: Dialect, results: I64, where: tuple[int, int], width: int
) -> SingleoutError:
    """Return the error for a malformed record at a line and a byte position."""
    line, position = where
    if results[loops.WRONG] == loops.ZERO_BYTE:
        return UnreadableFile(
            f"{text.name} is not text: it has a zero byte at position {position:,}; "
            "save it as CSV again."
        )
    if results[loops.WRONG] == loops.QUOTE_ERROR:
        return UnreadableFile(
            f"{text.name}, line {line} has a quote mark ({dialect.quote}) that opens a cell and "
            "does not close it properly; correct it, or give an empty quote if quote marks are "
            "ordinary characters in this file."
        )
    cells = int(results[loops.CELLS])
    values = "1 value" if cells == 1 else f"{cells:,} values"
    return UnusableTable(
        f"{text.name}, line {line} has {values} but the header has {width:,}; "
        "correct the line, or give the delimiter and the quote if they were taken wrongly."
    )
