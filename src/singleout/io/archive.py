"""The parts of a ZIP archive, unpacked piece by piece: its declared sizes may be wrong."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator

from singleout.core.memory import available_memory, in_words
from singleout.errors import UnusableTable

__all__ = ["members", "room", "unpacked", "unpacked_within_memory"]

_PIECE = 1 << 20
_PACKED_PIECE = 1 << 16
_UNKNOWN_MEMORY = 4 << 30  # where a system does not say how much there is


def room() -> int:
    """Return how many bytes there are in memory, as far as is known."""
    return available_memory() or _UNKNOWN_MEMORY


def members(raw: bytes) -> dict[str, zipfile.ZipInfo]:
    """Return the parts of an archive by name; none of what is not one, or is damaged."""
    if not raw.startswith(b"PK"):
        return {}
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            return {member.filename: member for member in archive.infolist()}
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, struct.error):
        return {}


def unpacked(raw: bytes, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield a part in pieces until its data end, whatever size is declared."""
    header = raw[member.header_offset : member.header_offset + 30]
    if len(header) < 30 or not header.startswith(b"PK\x03\x04"):
        return
    begin = member.header_offset + 30 + sum(struct.unpack("<HH", header[26:30]))
    packed = memoryview(raw)[begin : begin + member.compress_size]
    if member.compress_type == zipfile.ZIP_STORED:
        for at in range(0, len(packed), _PIECE):
            yield bytes(packed[at : at + _PIECE])
    elif member.compress_type == zipfile.ZIP_DEFLATED:
        yield from _inflated(packed)


def _inflated(packed: memoryview) -> Iterator[bytes]:
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        # in parts, since what is not consumed yet is copied each time
        for at in range(0, len(packed), _PACKED_PIECE):
            rest: bytes | memoryview = packed[at : at + _PACKED_PIECE]
            while rest and not inflate.eof:
                yield inflate.decompress(rest, _PIECE)
                rest = inflate.unconsumed_tail
        yield inflate.flush()
    except zlib.error:  # damaged, which the reader of the file will say
        return


def unpacked_within_memory(raw: bytes, parts: list[zipfile.ZipInfo], name: str) -> Iterator[bytes]:
    """Yield the pieces of some parts; refuse an archive of which they would fill the memory.

    Parameters
    ----------
    raw
        The archive.
    parts
        Which of its parts.
    name
        What to call it.
    """
    most = room() // 2
    total = 0
    for member in parts:
        for piece in unpacked(raw, member):
            total += len(piece)
            if total > most:
                raise UnusableTable(
                    f"{name} unpacks to more than {in_words(most)}, too much for the memory here; "
                    "save the sheet as CSV and give that."
                )
            yield piece
