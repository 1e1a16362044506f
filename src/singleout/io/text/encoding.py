"""The encoding of a text file, and its content as UTF-8."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BufferedReader, RawIOBase, TextIOWrapper
from pathlib import Path
from typing import Any

from singleout.core.memory import available_memory, in_words
from singleout.errors import BadChoice, UnreadableFile
from singleout.io.files import looks_like
from singleout.io.rows import Span
from singleout.io.text.lines import without_lines
from singleout.io.unpack import State, state_of, unpacked

__all__ = ["LONGEST_HEADER", "OtherEncoding", "Text", "open_text"]

_SAMPLE = 1 << 18
_PIECE = 1 << 24
LONGEST_HEADER = 1 << 24
_UTF8 = ("utf-8", "utf-8-sig")
_WORDS = {
    "cp1252": "Windows-1252",
    "iso8859-1": "Latin-1",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
}
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_UNDEFINED_IN_WINDOWS = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")


class OtherEncoding(UnreadableFile):
    """Text that is not in the encoding that was detected or given."""


@dataclass(frozen=True)
class Text:
    """A text file."""

    name: str
    path: Path
    head: str  # the beginning: at least the first line, unless that is longer than any header
    whole: bool  # whether the head is everything
    encoding: str
    guessed: bool  # whether the encoding was detected, not given
    packed: bool  # whether the file is compressed
    state: State  # of the file when it was opened
    left_out: tuple[Span, ...] = ()  # lines that do not belong to the table
    keeps_ends: bool = True  # whether such a line becomes a blank one, as others keep their numbers
    told: tuple[str, ...] = ()  # about the lines left out

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about the encoding, if it may be wrong, and about lines left out."""
        words = _WORDS.get(self.encoding)
        if not self.guessed or words is None:
            return self.told
        return (f"{self.name} is not UTF-8 text; it was read as {words}.", *self.told)

    @property
    def plain(self) -> bool:
        """Whether the file holds the table in UTF-8 as it is."""
        return self.encoding in _UTF8 and not self.packed and not self.left_out

    def without(self, spans: tuple[Span, ...], *, keeps_ends: bool = True) -> Text:
        """Return the text without some lines, in place of those left out so far."""
        found = replace(self, left_out=spans, keeps_ends=keeps_ends)
        if not spans:
            return found
        head = b"".join(without_lines([self.head.encode()], spans, keeps_ends=keeps_ends))
        return replace(found, head=head.decode())

    def ending(self, size: int) -> str:
        """Return the end of the file from the beginning of a line on; empty if it is short."""
        if self.packed:
            last = b""
            for piece in unpacked(self.path, _PIECE, self.state):
                last = (last + piece)[-size:]
        else:
            with self.path.open("rb") as file:
                # a multiple of four: characters of UTF-16 and UTF-32 stay whole
                file.seek(max(0, (self.path.stat().st_size - size) // 4 * 4))
                last = file.read()
        text = last.decode("utf-8" if self.encoding in _UTF8 else self.encoding, "replace")
        return text.partition("\n")[2]

    def pieces(self, size: int | None = None) -> Iterator[bytes]:
        """Yield the text in UTF-8, without a byte order mark, a piece at a time."""
        raw = unpacked(self.path, size or _PIECE, self.state)
        decoded = _checked(raw) if self.encoding in _UTF8 else _as_utf8(raw, self.encoding)
        marked = _unmarked(decoded)
        table = without_lines(marked, self.left_out, keeps_ends=self.keeps_ends)
        try:
            yield from table if self.left_out else marked
        except (UnicodeError, LookupError):
            raise _wrong_encoding(self.name, self.encoding, guessed=self.guessed) from None

    @contextmanager
    def opened(self) -> Iterator[TextIOWrapper]:
        """Open the text for reading line by line, with its original line ends."""
        raw = BufferedReader(_Stream(self.pieces(_SAMPLE)), _SAMPLE)
        with TextIOWrapper(raw, encoding="utf-8", newline="") as lines:
            yield lines

    def everything(self) -> bytes:
        """Return all of it in UTF-8, if that fits into memory."""
        available = available_memory()
        parts, size = [], 0
        for piece in self.pieces():
            parts.append(piece)
            size += len(piece)
            # the parts, the joined text, and what is parsed from it
            if available is not None and 3 * size > available:
                raise UnreadableFile(
                    f"{self.name} has more than {in_words(size)} of text, too much for the "
                    f"{in_words(available)} of memory that are available."
                )
        return b"".join(parts)

    def valid(self) -> bool:
        """Whether the whole text is in the encoding that was detected from its head."""
        try:
            for _ in self.pieces():
                pass
        except OtherEncoding:
            return False
        return True

    def as_western(self) -> Text:
        """Return the text in a Western encoding, for a file that is not UTF-8 after all."""
        if not self.guessed or self.encoding != "utf-8":
            raise _wrong_encoding(self.name, self.encoding, guessed=self.guessed)
        encoding = _western(self.path, self.state)
        head = self.head.encode().decode(encoding)
        return replace(self, head=head, encoding=encoding)


class _Stream(RawIOBase):
    """Pieces of bytes as a file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            self._rest = next((piece for piece in self._pieces if piece), b"")
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def _unmarked(pieces: Iterator[bytes]) -> Iterator[bytes]:
    for number, piece in enumerate(pieces):
        yield piece if number else piece.removeprefix(codecs.BOM_UTF8)


def _checked(raw: Iterator[bytes]) -> Iterator[bytes]:
    """Yield UTF-8 unchanged, after checking it."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for piece in raw:
        if not piece.isascii() or decoder.getstate()[0]:
            decoder.decode(piece)
        yield piece
    decoder.decode(b"", final=True)


def _as_utf8(raw: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    for piece in raw:
        yield decoder.decode(piece).encode()
    yield decoder.decode(b"", final=True).encode()


def open_text(path: Path, encoding: str | None = None) -> Text:
    """Open a text file, plain or gzip, and detect its encoding if it is not given."""
    name = path.name
    try:
        state = state_of(path)
        start, whole, packed = _start(path, state)
    except OSError as error:
        raise UnreadableFile(f"{name} cannot be read: {error.strerror}.") from None
    codec = _detected(start, whole, name) if encoding is None else _known(encoding)
    if codec == "cp1252" and encoding is None and not whole:
        codec = _western(path, state)
    try:
        decoder = codecs.getincrementaldecoder("utf-8" if codec in _UTF8 else codec)()
        head = decoder.decode(start, final=whole).removeprefix("\ufeff")
    except (UnicodeError, LookupError):
        raise _wrong_encoding(name, encoding or codec, guessed=encoding is None) from None
    return Text(name, path, head, whole, codec, encoding is None, packed, state)


def _start(path: Path, state: State) -> tuple[bytes, bool, bool]:
    """Return the first line at least, whether that is everything, and whether it is packed."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    start: list[bytes] = []
    size, ended = 0, False
    for piece in unpacked(path, _SAMPLE, state):
        if (size >= _SAMPLE and ended) or size >= LONGEST_HEADER:
            return b"".join(start), False, packed
        start.append(piece)
        size += len(piece)
        ended = ended or b"\n" in piece or b"\r" in piece
    return b"".join(start), True, packed


def _known(encoding: str) -> str:
    try:
        b"x".decode(encoding, "replace")  # refuses codecs that do not give text, such as "hex"
        return codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise BadChoice(
            f"{encoding!r} is not a known encoding; try 'utf-8', 'windows-1252' or 'utf-16', "
            "or leave encoding out to have it detected."
        ) from None


def _wrong_encoding(name: str, encoding: str, *, guessed: bool) -> OtherEncoding:
    if guessed:  # by a byte order mark, or by every second byte
        return OtherEncoding(
            f"{name} begins as {encoding} text, but some of its bytes have no meaning in that "
            "encoding; give the encoding, or save it as UTF-8."
        )
    return OtherEncoding(
        f"{name} is not {encoding} text: some of its bytes have no meaning in that encoding; "
        "give another encoding, or leave it out to have it detected."
    )


def _detected(start: bytes, whole: bool, name: str) -> str:
    """Return the name of the encoding; refuse a file that is not text."""
    for mark, codec in _MARKS.items():
        if start.startswith(mark):
            return codec
    words = looks_like(start)
    zeros = _zeros(start)
    if words is not None or zeros == "binary":
        seems = f"it looks like {words}" if words else "it holds binary data"
        raise UnreadableFile(
            f"{name} is not a table in text form: {seems}; save the table as CSV, "
            "or give the file its proper extension."
        )
    if zeros is not None:
        return zeros
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start, final=whole)
    except UnicodeDecodeError:
        return "iso8859-1" if _UNDEFINED_IN_WINDOWS.search(start) else "cp1252"
    return "utf-8"


def _zeros(start: bytes) -> str | None:
    """Distinguish UTF-16 without a byte order mark from binary data, by its zero bytes."""
    if b"\0" not in start:
        return None
    pairs = len(start) // 2
    even, odd = start[0 : 2 * pairs : 2].count(0), start[1 : 2 * pairs : 2].count(0)
    # a single zero byte is damage, and so are zero bytes in a text without any line end
    if odd > max(1, 0.3 * pairs) and even == 0 and b"\n\0" in start:
        return "utf-16-le"
    if even > max(1, 0.3 * pairs) and odd == 0 and b"\0\n" in start:
        return "utf-16-be"
    return "binary"


def _western(path: Path, state: State) -> str:
    """Return Windows-1252, or Latin-1 if there is a byte that is undefined in Windows-1252."""
    pieces = unpacked(path, _PIECE, state)
    return "iso8859-1" if any(map(_UNDEFINED_IN_WINDOWS.search, pieces)) else "cp1252"
