"""Where an output goes: a file that is there, one that is not there yet, or a stream."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from singleout.errors import BadChoice, UnreadableFile

__all__ = ["STANDARD_OUTPUT", "OutputTarget", "free_target", "target_of"]

STANDARD_OUTPUT = Path("-")

_MAX_LINKS = 40  # as many as Linux follows


@dataclass(frozen=True)
class OutputTarget:
    """What the path of an output leads to."""

    given: Path  # by the user
    file: Path  # with symbolic links followed: writing through a link changes its target
    state: os.stat_result | None  # None if there is no such file yet
    descriptor: int | None = None  # of the open file that a path such as /dev/stdout stands for

    @property
    def is_stream(self) -> bool:
        """Whether it is a pipe, a terminal or another device, such as /dev/null."""
        if self.descriptor is not None:
            return True
        return self.state is not None and _is_stream(self.state.st_mode)


def target_of(path: Path) -> OutputTarget:
    """Return what a path leads to; refuse what is neither a file nor a stream."""
    try:
        descriptor = _descriptor(path)
        if descriptor is not None:
            return OutputTarget(path, path, os.fstat(descriptor), descriptor)
        state = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        state = None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise BadChoice(f"{str(path)!r} cannot be written to: {reason}.") from None
    if state is not None and stat.S_ISDIR(state.st_mode):
        raise BadChoice(f"{str(path)!r} is a folder; give the name of a file.")
    if state is not None and not (stat.S_ISREG(state.st_mode) or _is_stream(state.st_mode)):
        raise BadChoice(f"{str(path)!r} is neither a file nor a stream; give the name of a file.")
    return OutputTarget(path, Path(os.path.realpath(path)), state)


def free_target(path: Path, *, force: bool) -> OutputTarget:
    """Return what a path leads to if it may be written: refuse files that exist unless forced."""
    target = target_of(path)
    if target.is_stream:
        return target
    if target.state is not None and not force:
        raise BadChoice(f"{str(path)!r} exists already; choose another name, or add --force.")
    folder = target.file.parent
    if not folder.is_dir():
        shown = path.parent if not path.is_symlink() else folder
        raise UnreadableFile(f"There is no folder {str(shown)!r} to write {path.name!r} to.")
    return target


def _is_stream(mode: int) -> bool:
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def _descriptor(path: Path) -> int | None:
    """Return the number of the open file that a path stands for: 1 for /dev/stdout.

    Such a path is a link to whatever is open, which may be a regular file: that must not be
    replaced, since whoever opened it would go on with the old one.
    """
    if path == STANDARD_OUTPUT:
        return 1
    for _ in range(_MAX_LINKS):
        folder = Path(os.path.realpath(path.parent))
        if str(folder) in ("/dev/fd", f"/proc/{os.getpid()}/fd") and path.name.isdecimal():
            return int(path.name)
        path = folder / path.name
        if not path.is_symlink():
            return None
        path = folder / path.readlink()
    return None
