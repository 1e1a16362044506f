"""The bytes of a file in pieces, unpacked if it is gzip, never more at once than a piece.

A file is read, not mapped into memory: where a mapped file is cut off meanwhile, the process dies.
How large an archive claims to be inside is not believed: what comes out is counted.
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
# no format that is read here gets smaller than this by packing; bzip2 and xz can
_DEFLATED = 1032
_PACKERS = {_GZIP: gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open}

State = tuple[int, int, int, int]


def state_of(file: IO[bytes] | Path) -> State:
    """Return what tells a file from another, and from itself after a change."""
    about = os.stat(file if isinstance(file, Path) else file.fileno())  # noqa: PTH116
    if not about.st_size:  # what the system itself tells, such as /proc/cpuinfo, is always new
        return (about.st_dev, 0, 0, 0)
    return (about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns)


def require_unchanged(path: Path, state: State) -> None:
    """Say so if a file is not any more what it was."""
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
    """Yield what a file holds in pieces, unpacked if it is gzip.

    Parameters
    ----------
    path, size
        The file, and how long a piece is at most.
    state
        What the file was when it was looked at before: it must still be that.
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
    """Say so if a packed file, whose reader unpacks all of it, does not fit into memory unpacked.

    Damaged files pass: their reader says what is wrong with them.
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
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError):
        return
    except NotImplementedError:  # a way of packing that Python does not know
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
