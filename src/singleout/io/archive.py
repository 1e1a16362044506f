"""The members of a ZIP archive, unpacked in pieces: the sizes that it declares may be wrong."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator

from singleout.core.memory import available_memory, in_words
from singleout.errors import UnusableTable

__all__ = ["members", "memory", "unpacked", "unpacked_within_memory"]

_PIECE = 1 << 20
_PACKED_PIECE = 1 << 16
_UNKNOWN_MEMORY = 4 << 30  # assumed where the system does not report its memory


def memory() -> int:
    """Return the available memory in bytes, or an assumption if it is not known."""
    return available_memory() or _UNKNOWN_MEMORY


def members(raw: bytes) -> dict[str, zipfile.ZipInfo]:
    """Return the members of an archive by name; none if it is damaged or no archive."""
    if not raw.startswith(b"PK"):
        return {}
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            return {member.filename: member for member in archive.infolist()}
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError, struct.error):
        return {}


def unpacked(raw: bytes, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """Yield a member in pieces until its data end, whatever size is declared."""
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
        # in pieces, since zlib copies the unconsumed input at each call
        for at in range(0, len(packed), _PACKED_PIECE):
            rest: bytes | memoryview = packed[at : at + _PACKED_PIECE]
            while rest and not inflate.eof:
                yield inflate.decompress(rest, _PIECE)
                rest = inflate.unconsumed_tail
        yield inflate.flush()
    except zlib.error:  # damaged: the reader of the file raises the error
        return


def unpacked_within_memory(raw: bytes, parts: list[zipfile.ZipInfo], name: str) -> Iterator[bytes]:
    """Yield some members in pieces; refuse them if together they would fill the memory."""
    most = memory() // 2
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
