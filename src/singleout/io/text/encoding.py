"""Text before it is split into cells: its encoding, and the UTF-8 that the readers need."""

from __future__ import annotations

import codecs
import gzip
import mmap
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO, TextIOWrapper
from pathlib import Path

from singleout.errors import BadChoice, UnreadableFile
from singleout.io.files import looks_like

__all__ = ["Text", "open_text"]

_SAMPLE = 1 << 18
_UTF8 = ("utf-8", "utf-8-sig", "ascii")
_WORDS = {
    "cp1252": "Windows-1252",
    "iso8859-1": "Latin-1",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
}


@dataclass(frozen=True)
class Text:
    """Text of a file, as UTF-8.

    Parameters
    ----------
    name
        The file's name, for people.
    path
        The file.
    data
        UTF-8 bytes, or the path itself if the file is plain UTF-8 already, so that a large
        file is never held in memory.
    head
        The beginning, decoded.
    whole
        Whether the beginning is everything.
    encoding
        What the file is encoded in.
    guessed
        Whether the encoding was detected, not given.
    """

    name: str
    path: Path
    data: Path | bytes
    head: str
    whole: bool
    encoding: str
    guessed: bool

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence about the encoding, where it was a guess that may be wrong."""
        words = _WORDS.get(self.encoding)
        if not self.guessed or words is None:
            return ()
        return (f"{self.name} is not UTF-8 text; it was read as {words}.",)

    @contextmanager
    def opened(self) -> Iterator[TextIOWrapper]:
        """Open the text for reading line by line, with its line ends as they are."""
        raw = self.data.open("rb") if isinstance(self.data, Path) else BytesIO(self.data)
        with TextIOWrapper(raw, encoding="utf-8-sig", newline="") as lines:
            yield lines

    def valid(self) -> bool:
        """Whether all of it is UTF-8, as its beginning promised."""
        if not isinstance(self.data, Path):
            return True  # decoded when it was read
        try:
            with self.opened() as lines:
                while lines.read(1 << 22):
                    pass
        except UnicodeDecodeError:
            return False
        return True

    def as_western(self) -> Text:
        """Return the text decoded anew, for a file that is not UTF-8 after all."""
        if not self.guessed:
            raise _wrong_encoding(self.name, self.encoding)
        raw = self.path.read_bytes()
        encoding = _western(raw)
        return replace(self, data=raw.decode(encoding).encode(), encoding=encoding)

    def refuse_zeros(self) -> None:
        """Say so if there are zero bytes further on: the file is damaged, or not text."""
        if isinstance(self.data, bytes):
            place = self.data.find(b"\0")
        else:
            with (
                self.data.open("rb") as file,
                mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view,
            ):
                place = view.find(b"\0")
        if place >= 0:
            raise UnreadableFile(
                f"{self.name} is not text: it has a zero byte at position {place:,}; "
                "save it as CSV again."
            )


def open_text(path: Path, encoding: str | None = None) -> Text:
    """Open a text file, plain or gzip, and find out its encoding if it is not given."""
    name = path.name
    with path.open("rb") as file:
        start = file.read(_SAMPLE)
        # a header can be longer than the sample
        while b"\n" not in start and b"\r" not in start and (more := file.read(len(start))):
            start += more
        whole = not file.read(1)
    zipped = start.startswith(b"\x1f\x8b")
    if zipped:
        unzipped = _unzipped(path)
        start, whole = unzipped, True
    if encoding is None:
        codec = _detected(start, whole, name)
        if codec not in _UTF8 and not whole:
            start, whole = path.read_bytes(), True
            codec = _western(start) if codec == "cp1252" else codec
    else:
        codec = _known(encoding)
    plain = codec in _UTF8 and not zipped
    if codec not in _UTF8 and not whole:
        start, whole = path.read_bytes(), True
    try:
        text = codecs.getincrementaldecoder(_without_mark(codec))().decode(start, final=whole)
        text = text.removeprefix("\ufeff")
        data = path if plain else text.encode()
    except (UnicodeError, LookupError):
        raise _wrong_encoding(name, encoding or codec) from None
    head = text[:_SAMPLE] if len(text) > 4 * _SAMPLE else text
    return Text(name, path, data, head, whole and head == text, codec, encoding is None)


def _without_mark(codec: str) -> str:
    return "utf-8-sig" if codec == "utf-8" else codec


def _known(encoding: str) -> str:
    try:
        b"x".decode(encoding, "replace")  # refuses codecs that do not give text, such as "hex"
        return codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise BadChoice(
            f"{encoding!r} is not a known encoding; try 'utf-8', 'windows-1252' or 'utf-16', "
            "or leave encoding out to have it detected."
        ) from None


def _wrong_encoding(name: str, encoding: str) -> UnreadableFile:
    return UnreadableFile(
        f"{name} is not {encoding} text: some of its bytes have no meaning in that encoding; "
        "give another encoding, or leave it out to have it detected."
    )


def _unzipped(path: Path) -> bytes:
    try:
        with gzip.open(path) as file:
            return file.read()
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise UnreadableFile(
            f"{path.name} is a gzip file that is cut off or damaged; copy it again."
        ) from None


def _detected(start: bytes, whole: bool, name: str) -> str:
    """Return the name of the encoding, or say that the file is not text."""
    for mark, codec in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF32_LE, "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
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
        return _western(start)
    return "utf-8"


def _zeros(start: bytes) -> str | None:
    """Tell UTF-16 without a mark, whose letters have a zero byte on one side, from binary data."""
    if b"\0" not in start:
        return None
    pairs = len(start) // 2
    even, odd = start[0 : 2 * pairs : 2].count(0), start[1 : 2 * pairs : 2].count(0)
    if odd > 0.3 * pairs and even == 0:
        return "utf-16-le"
    if even > 0.3 * pairs and odd == 0:
        return "utf-16-be"
    return "binary"


def _western(raw: bytes) -> str:
    try:
        raw.decode("cp1252")
    except UnicodeDecodeError:
        return "iso8859-1"
    return "cp1252"
