"""Text files without some of their records: the other records are copied unchanged."""

from __future__ import annotations

import codecs
import gzip
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

from singleout.core.arrays import Flags
from singleout.errors import UnreadableFile
from singleout.io.rows import row_choice
from singleout.io.text.dialect import Dialect
from singleout.io.text.encoding import Text, open_text
from singleout.io.text.located import locate
from singleout.io.unpack import unpacked

__all__ = ["copy_delimited", "copy_json", "holds_a_list", "written"]

_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}


def copy_delimited(
    source: Path,
    kept: Flags,
    to: Path,
    *,
    zipped: bool,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    header_row: int | None = None,
    skip_rows: Any = None,
) -> None:
    """Copy the header and the kept records with their quotes and line ends."""
    text = open_text(source, encoding)
    text, dialect, _ = locate(text, delimiter, quote, row_choice(header_row, skip_rows))
    if not text.valid():
        text = text.as_western()
    _write(text, _kept_records(text, dialect, kept), to, zipped=zipped)


def _kept_records(text: Text, dialect: Dialect, kept: Flags) -> Iterator[str]:
    """Yield the text of the header, of the kept records, and of blank lines."""
    width = row = 0
    for cells, written in _as_written(text, dialect):
        if text.left_out and not cells and width != 1:
            continue  # a line that is no part of the table
        if not width:
            # blank lines may come before the header
            width = len(cells) if len(cells) > 1 or any(cell.strip() for cell in cells) else 0
        elif len(cells) == width or (width == 1 and not cells):
            row += 1
            if row <= len(kept) and not kept[row - 1]:
                continue
        yield written
    if row != len(kept):
        raise UnreadableFile(
            f"{text.name} was read as {len(kept):,} records, but {row:,} were found when copying "
            "it; write the reduced table as Parquet instead."
        )


def _as_written(text: Text, dialect: Dialect) -> Iterator[tuple[list[str], str]]:
    """Yield the cells and the lines of each record."""
    lines: list[str] = []

    def recorded(source: Iterable[str]) -> Iterator[str]:
        for line in source:
            lines.append(line)
            yield line

    with text.opened() as source:
        for cells in dialect.records(recorded(source)):
            yield cells, "".join(lines)
            lines.clear()


def holds_a_list(source: Path) -> bool:
    """Whether a JSON file is one list of objects, not one object in each line."""
    return open_text(source).head.lstrip().startswith("[")


def copy_json(source: Path, kept: Flags, to: Path, *, zipped: bool) -> None:
    """Copy the kept records of JSON lines, or of one JSON list."""
    text = open_text(source)
    parts = _kept_members(text, kept) if holds_a_list(source) else _kept_lines(text, kept)
    _write(text, parts, to, zipped=zipped)


def _kept_lines(text: Text, kept: Flags) -> Iterator[str]:
    row = 0
    with text.opened() as lines:
        for line in lines:
            if line.strip():
                row += 1
                if not kept[row - 1]:
                    continue
            yield line


def _kept_members(text: Text, kept: Flags) -> Iterator[str]:
    """Yield a list of the kept members, each unchanged."""
    with text.opened() as source:
        whole = source.read()
    decoder = json.JSONDecoder()
    at, separator = whole.index("[") + 1, "["
    for keep in kept:
        while whole[at].isspace() or whole[at] == ",":
            at += 1
        end = decoder.raw_decode(whole, at)[1]
        if keep:
            yield f"{separator}\n{whole[at:end]}"
            separator = ","
        at = end
    yield "\n]\n"


def _write(text: Text, parts: Iterable[str], to: Path, *, zipped: bool) -> None:
    """Write in the encoding of the source, with its byte order mark if it has one."""
    mark, codec = _mark(text)
    with written(to, zipped=zipped) as out:
        out.write(mark)
        for part in parts:
            out.write(part.encode(codec))


@contextmanager
def written(to: Path, *, zipped: bool) -> Iterator[IO[bytes]]:
    """Open a file for writing, compressed with gzip if asked."""
    with to.open("wb") as plain:
        if not zipped:
            yield plain
            return
        # without name and time, so that the same data give the same file
        with gzip.GzipFile(filename="", mode="wb", fileobj=plain, mtime=0) as packed:
            yield cast(IO[bytes], packed)


def _mark(text: Text) -> tuple[bytes, str]:
    """Return the byte order mark of a text and its encoding without one."""
    start = next(unpacked(text.path, 4), b"")
    for mark, codec in _MARKS.items():
        if start.startswith(mark) and codecs.lookup(text.encoding).name.startswith(codec[:6]):
            return mark, codec
    return b"", {"utf-16": "utf-16-le", "utf-32": "utf-32-le", "utf-8-sig": "utf-8"}.get(
        text.encoding, text.encoding
    )
