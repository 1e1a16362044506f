"""The lines of a text: how many there are, and a text without some of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from singleout.io.rows import Span

__all__ = ["count_lines", "without_lines"]

_LINE = re.compile(rb"([^\r\n]*)(\r\n|\r|\n|\Z)")


def count_lines(pieces: Iterable[bytes]) -> int:
    """Return how many lines a text has; the last one need not end."""
    lines, last = 0, b""
    for piece in _with_whole_ends(pieces):
        lines += _ends(piece)
        last = piece or last
    return lines + (last != b"" and not last.endswith((b"\r", b"\n")))


def without_lines(
    pieces: Iterable[bytes], spans: Iterable[Span], *, keeps_ends: bool
) -> Iterator[bytes]:
    """Yield a text without some lines, by their numbers; blank lines may stand for them."""
    left_out, number = list(spans), 1
    for piece in _with_whole_ends(pieces):
        last = number + _ends(piece)
        left_out = [span for span in left_out if span[1] >= number]
        if any(low <= last for low, _ in left_out):
            yield b"".join(_kept(piece, number, left_out, keeps_ends=keeps_ends))
        else:
            yield piece
        number = last


def _kept(piece: bytes, number: int, left_out: list[Span], *, keeps_ends: bool) -> Iterator[bytes]:
    for line in _LINE.finditer(piece):
        if not any(low <= number <= high for low, high in left_out):
            yield line[0]
        elif keeps_ends:
            yield line[2]
        number += bool(line[2])


def _ends(piece: bytes) -> int:
    return piece.count(b"\n") + piece.count(b"\r") - piece.count(b"\r\n")


def _with_whole_ends(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield pieces such that no line end is cut in two."""
    rest = b""
    for piece in pieces:
        whole = rest + piece
        rest = b"\r" if whole.endswith(b"\r") else b""
        yield whole[: len(whole) - len(rest)]
    if rest:
        yield rest
