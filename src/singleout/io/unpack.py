"""The bytes of a file in pieces, decompressed if it is gzip.

A file is read, not mapped into memory: if a mapped file is truncated meanwhile, the process dies.
The size that an archive declares is not trusted: the unpacked bytes are counted.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from singleout.core.memory import available_memory, in_words
from singleout.errors import UnreadableFile

__all__ = ["State", "refuse_what_unpacks_too_large", "require_unchanged", "state_of", "unpacked"]

_GZIP = b"\x1f\x8b"
_PIECE = 1 << 20
_DEFLATED = 1032  # the largest compression ratio of deflate; bzip2 and xz have larger ones
_PACKERS = {_GZIP: gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}

State = tuple[int, int, int, int]


def state_of(file: IO[bytes] | Path) -> State:
    """Return what identifies a file and its version: device, inode, size, time of change."""
    about = os.stat(file if isinstance(file, Path) else file.fileno())  # noqa: PTH116
    if not about.st_size:  # a file of the system, such as /proc/cpuinfo, always has a new time
        return (about.st_dev, 0, 0, 0)
    return (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns)


def require_unchanged(path: Path, state: State) -> None:
    """Raise an error if a file was changed."""
    try:
        same = state_of(path) == state
    except OSError:
        same = False
    if not same:
        raise _changed(path.name)


def _changed(name: str) -> UnreadableFile:
    return UnreadableFile(
        f"{name} was changed while it was read; try again when nothing writes to it any more."
    )


def unpacked(path: Path, size: int, state: State | None = None) -> Iterator[bytes]:
    """Yield a file in pieces of at most a size, decompressed if it is gzip.

    A file that is not in the given state any more is refused.
    """
    try:
        with path.open("rb") as file:
            state = state_of(file) if state is None else state
            if state_of(file) != state:
                raise _changed(path.name)
            zipped = file.read(len(_GZIP)) == _GZIP
            file.seek(0)
            source = cast(IO[bytes], gzip.GzipFile(fileobj=file)) if zipped else file
            while piece := source.read(size):
                yield piece
            if state_of(file) != state:
                raise _changed(path.name)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise UnreadableFile(
            f"{path.name} is a gzip file that is cut off or damaged; copy it again."
        ) from None
    except OSError as error:
        raise UnreadableFile(f"{path.name} cannot be read: {error.strerror or error}.") from None


def refuse_what_unpacks_too_large(path: Path) -> None:
    """Refuse a compressed file, which its reader unpacks at once, if it does not fit into memory.

    Damaged files pass: their reader raises the error.
    """
    available = available_memory()
    with path.open("rb") as file:
        start = file.read(6)
    is_zip = start.startswith(b"PK\x03\x04")
    packer = next((opener for mark, opener in _PACKERS.items() if start.startswith(mark)), None)
    if available is None or not (is_zip or packer):
        return
    deflated = is_zip or packer is gzip.open
    if deflated and path.stat().st_size * _DEFLATED <= available:
        return
    total = 0
    try:
        for size in _sizes_in_zip(path) if is_zip else _sizes(path, packer):
            total += size
            if total > available:
                raise UnreadableFile(
                    f"{path.name} has {in_words(path.stat().st_size)}, but more than "
                    f"{in_words(available)} once it is unpacked, which is all the memory that is "
                    "available; save it as Parquet, or in parts."
                )
    # RuntimeError: a password, or a compression that Python does not know
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError):
        return


def _sizes(path: Path, packer: object) -> Iterator[int]:
    with packer(path) as file:  # type: ignore[operator]
        while piece := file.read(_PIECE):
            yield len(piece)


def _sizes_in_zip(path: Path) -> Iterator[int]:
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            with archive.open(member) as file:
                while piece := file.read(_PIECE):
                    yield len(piece)
