"""Files that are being written: beside where they will be, under a name that says so.

A part is locked for as long as the process that writes it lives. So one that nobody has locked was
left behind by a process that was killed, and the next one that writes to the folder removes it.
"""

from __future__ import annotations

import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from singleout.core.undoing import undone_at_the_end

try:
    import fcntl
except ImportError:  # Windows: nothing is locked, and nothing is removed
    fcntl = None  # type: ignore[assignment]

__all__ = ["PartFile", "part_file", "remove_abandoned", "require_room"]

_NAME = re.compile(r"\.singleout-[0-9]+-[a-z0-9_]{8}(\..*)?", re.DOTALL)
_ROOM = 1 << 16  # bytes: more than what is left of the last block of a file


@dataclass(frozen=True)
class PartFile:
    """A new file that only its owner may read."""

    path: Path
    identity: tuple[int, int]  # device and inode, which a renaming does not change


@contextmanager
def part_file(folder: Path, suffix: str) -> Iterator[PartFile]:
    """Give a new, empty file in a folder, and remove it in the end if it still has its name."""
    path, handle = _locked_file(folder, suffix)
    state = os.fstat(handle)
    if fcntl is None:
        os.close(handle)  # or it could not be renamed
    with undone_at_the_end(lambda: path.unlink(missing_ok=True)):
        try:
            yield PartFile(path, (state.st_dev, state.st_ino))
        finally:
            path.unlink(missing_ok=True)
            if fcntl is not None:
                os.close(handle)


def _locked_file(folder: Path, suffix: str) -> tuple[Path, int]:
    while True:
        handle, name = tempfile.mkstemp(
            dir=folder, prefix=f".singleout-{os.getpid()}-", suffix=suffix
        )
        if fcntl is not None:
            with suppress(OSError):  # a file system without locks: then nothing is removed either
                fcntl.flock(handle, fcntl.LOCK_EX)
        # between the two, another process may have taken it for abandoned
        if os.fstat(handle).st_nlink:
            return Path(name), handle
        os.close(handle)


def remove_abandoned(folder: Path) -> None:
    """Remove the parts in a folder whose writers were killed."""
    if fcntl is None:
        return
    with suppress(OSError):  # a folder that may be written to, but not listed
        for name in [entry.name for entry in os.scandir(folder) if _NAME.fullmatch(entry.name)]:
            _remove_if_abandoned(folder / name)


def _remove_if_abandoned(path: Path) -> None:
    try:
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:  # it is another user's, or gone by now
        return
    try:
        if stat.S_ISREG(os.fstat(handle).st_mode):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
    except OSError:  # somebody is writing it
        return
    finally:
        os.close(handle)


def require_room(path: Path) -> None:
    """Raise the OSError of a full disk, by writing a little more and truncating the file again.

    For writers that do not report the error of the system.
    """
    if not path.exists():  # nothing was written at all
        return
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        try:
            file.write(bytes(_ROOM))
            file.flush()
        finally:
            os.ftruncate(file.fileno(), end)
