"""Delimited text byte by byte, as Python's ``csv`` module takes it: records, cells, oddities.

Outside quotes a line feed, a carriage return or both together end a record. A quote opens a cell
at its very beginning only, and only a delimiter or the end of the record may follow where it ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from singleout.core.arrays import I64, U8
from singleout.kernels.compiling import inlined, kernel

__all__ = [
    "BLANK_LINE",
    "BREAK_IN_QUOTES",
    "CELLS",
    "CRLF",
    "END",
    "FOUND",
    "KINDS",
    "LF",
    "LINES",
    "LONE_CR",
    "LONGEST",
    "ODDITIES",
    "QUOTE_ERROR",
    "RECORDS",
    "RETURN_IN_QUOTES",
    "STRAY_QUOTE",
    "WRONG",
    "ZERO_BYTE",
    "scan",
    "scan_quickly",
    "write_plainly",
]

# kinds of bytes
_ORDINARY, _DELIMITER, _QUOTE, _LF, _CR, _ZERO = range(6)
KINDS = {"delimiter": _DELIMITER, "quote": _QUOTE, "\n": _LF, "\r": _CR, "\0": _ZERO}

# indices into what a scan finds, and their number
END, RECORDS, LINES, LONGEST, ODDITIES, WRONG, CELLS = range(7)
FOUND = 7

# what other readers may take differently, as bits
LF, CRLF, LONE_CR, BREAK_IN_QUOTES, RETURN_IN_QUOTES, STRAY_QUOTE, BLANK_LINE = (
    1 << bit for bit in range(7)
)

# what is wrong
RAGGED, QUOTE_ERROR, ZERO_BYTE = 1, 2, 3


@kernel
def scan(data: U8, final: bool, kinds: U8, width: int, found: I64) -> None:
    """Find the whole records at the beginning of some text, up to the first that is wrong.

    ``data`` begins with a record; if it is ``final``, what is left at its end is a record as well.
    ``kinds`` is the kind of each of the 256 bytes. A record must have ``width`` cells; an empty
    line is a record if that is one, and none otherwise. ``found`` gets, by index: where the last
    whole record ends, how many records and lines there are up to there, the length of the longest,
    the oddities seen, what is wrong with the record that begins there (or 0), and its number of
    cells.
    """
    n = data.size
    i = start = cell = 0
    cells = 1
    lines = begun = records = longest = odd = wrong = 0
    while i <= n:
        kind = _ORDINARY
        if i < n:
            kind = kinds[data[i]]
            if kind == _ORDINARY:
                i += 1
                continue
            if kind == _DELIMITER:
                cells += 1
                i += 1
                cell = i
                continue
            if kind == _ZERO:
                wrong = ZERO_BYTE
                break
            if kind == _QUOTE:
                if i != cell:
                    odd |= STRAY_QUOTE
                    i += 1
                    continue
                closed = False
                i += 1
                while i < n:
                    kind = kinds[data[i]]
                    if kind == _QUOTE:
                        if i + 1 < n and kinds[data[i + 1]] == _QUOTE:
                            i += 1
                        elif i + 1 < n or final:
                            closed = True
                            i += 1
                            break
                    elif kind == _LF:
                        lines += 1
                        odd |= BREAK_IN_QUOTES
                    elif kind == _CR:
                        odd |= BREAK_IN_QUOTES | RETURN_IN_QUOTES
                        if i + 1 < n and kinds[data[i + 1]] == _LF:
                            i += 1
                        lines += 1
                    elif kind == _ZERO:
                        wrong = ZERO_BYTE
                        break
                    i += 1
                if wrong == ZERO_BYTE or (not closed and not final):
                    break
                if not closed:
                    wrong = QUOTE_ERROR
                    break
                if i < n:
                    kind = kinds[data[i]]
                    if kind in (_ORDINARY, _QUOTE):
                        wrong = QUOTE_ERROR
                        break
                continue
        # the end of a record: of the text, or of a line
        after = i
        if i == n:
            if not final or i == start:
                break
        elif kind == _LF:
            after = i + 1
        else:
            if i + 1 == n and not final:
                break
            after = i + 2 if i + 1 < n and kinds[data[i + 1]] == _LF else i + 1
        if i == start and width > 1:
            odd |= BLANK_LINE
        elif cells != width:
            wrong = RAGGED
            break
        else:
            records += 1
        if after == i + 2:
            odd |= CRLF
        elif kind == _LF:
            odd |= LF
        elif after > i:
            odd |= LONE_CR
        longest = max(longest, after - start)
        lines += 1
        begun = lines
        cells = 1
        start = cell = i = after
        if i == n:
            break
    found[END] = i if wrong == ZERO_BYTE else start
    found[RECORDS] = records
    found[LINES] = begun
    found[LONGEST] = longest
    found[ODDITIES] = odd
    found[WRONG] = wrong
    found[CELLS] = cells


_LOW = np.uint64(0x7F7F7F7F7F7F7F7F)
_ONES = np.uint64(0x0101010101010101)
_TOPS = np.uint64(0x8080808080808080)
_ONE, _BYTE = np.uint64(1), np.uint64(8)
_TOP = np.uint64(7)
_SUM = np.uint64(56)


@inlined
def _equal(word: Any, byte: int) -> Any:
    """Return a word of eight bytes whose top bits say which bytes of another have a value."""
    differing = word ^ (_ONES * np.uint64(byte))
    return ~(((differing & _LOW) + _LOW) | differing | _LOW)


@inlined
def _count(marks: Any) -> int:
    """Return how many of the top bits of the eight bytes are set, where no other bits are."""
    return int(((marks >> _TOP) * _ONES) >> _SUM)


@kernel
def scan_quickly(data: U8, delimiter: int, width: int, found: I64) -> bool:
    """Do what `scan` does for text without quotes and zeros, eight bytes at a time.

    Return False if anything is out of the ordinary: a blank line, a record of another width, a
    carriage return that no line feed follows. An incomplete word at the end is not looked at.
    """
    words = data[: data.size // 8 * 8].view(np.uint64)
    start = records = longest = odd = 0
    cells = 1
    carried = np.uint64(0)  # set if the word before ended in a carriage return
    for number in range(words.size):
        word = words[number]
        delimiters = _equal(word, delimiter)
        feeds = _equal(word, 10)
        returns = _equal(word, 13)
        if (feeds | returns | carried) == 0:
            cells += _count(delimiters)
            continue
        after_return = (returns << _BYTE) | carried
        if after_return & ~feeds:
            return False
        carried = returns >> _SUM
        while feeds != 0:
            first = feeds & (~feeds + _ONE)
            before = first - _ONE
            i = 8 * number + _count(before & _TOPS)
            returned = (after_return & first) != 0
            if cells + _count(delimiters & before) != width or i - returned == start:
                return False
            odd |= CRLF if returned else LF
            longest = max(longest, i + 1 - start)
            records += 1
            start = i + 1
            cells = 1
            delimiters &= ~before
            feeds ^= first
        cells += _count(delimiters)
    found[:] = 0
    found[END] = start
    found[RECORDS] = found[LINES] = records
    found[LONGEST] = longest
    found[ODDITIES] = odd
    return True


@kernel
def write_plainly(data: U8, kinds: U8, width: int, quote: int, out: U8) -> int:
    """Rewrite whole records such that every reader finds the same cells, and return the length.

    A line feed ends each record, blank lines that are no records are left out, and a cell with a
    quote somewhere within is put into quotes. ``out`` must have three times the length of ``data``.
    """
    n = data.size
    i = start = cell = k = 0
    written = 0  # where the cell begins in the output
    stray = False
    while i <= n:
        kind = kinds[data[i]] if i < n else _LF
        if kind == _ORDINARY or (kind == _QUOTE and i != cell):
            if kind == _QUOTE:
                if not stray:
                    for index in range(k, written, -1):
                        out[index] = out[index - 1]
                    out[written] = quote
                    k += 1
                    stray = True
                out[k] = quote
                k += 1
            out[k] = data[i]
            k += 1
            i += 1
            continue
        if kind == _QUOTE:
            out[k] = quote
            k += 1
            i += 1
            while True:
                out[k] = data[i]
                k += 1
                i += 1
                if kinds[data[i - 1]] == _QUOTE:
                    if i == n or kinds[data[i]] != _QUOTE:
                        break
                    out[k] = quote
                    k += 1
                    i += 1
            continue
        if stray:
            out[k] = quote
            k += 1
            stray = False
        if kind == _DELIMITER:
            out[k] = data[i]
            k += 1
            i += 1
            cell, written = i, k
            continue
        if i == n and i == start:
            break
        if i != start or width == 1:
            out[k] = 10
            k += 1
        i += 2 if kind == _CR and i + 1 < n and kinds[data[i + 1]] == _LF else 1
        start = cell = i
        written = k
    return k
