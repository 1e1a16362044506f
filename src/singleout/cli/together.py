"""Several files that belong together: all of them are written, or none."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from singleout.cli.output import check_free
from singleout.errors import UnreadableFile

__all__ = ["write_together"]


def write_together(writers: Mapping[Path, Callable[[Path], None]], *, force: bool) -> None:
    """Write files under other names first, and give them theirs when all are complete.

    If anything goes wrong, or the user interrupts, everything is as it was before: no file is there
    that was not, and files that were there hold what they held.

    Parameters
    ----------
    writers
        For each file what writes it, given the path to write to.
    force
        Whether to write over files that exist.
    """
    check_free(writers, force=force, data=None)
    parts: dict[Path, Path] = {}
    try:
        for path, write in writers.items():
            parts[path] = _beside(path)
            _written(path, parts[path], write)
        _put_in_place(parts)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    """Return the name of a new, empty file in the same folder."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".singleout-", suffix=path.suffix)
    except OSError as error:
        raise UnreadableFile(f"{str(path)!r} cannot be written: {error.strerror}.") from None
    os.close(handle)
    return Path(name)


def _written(path: Path, part: Path, write: Callable[[Path], None]) -> None:
    try:
        write(part)
        mask = os.umask(0)  # it can only be read by setting it
        os.umask(mask)
        part.chmod(0o666 & ~mask)  # a temporary file is for its owner only
    except OSError as error:
        raise UnreadableFile(f"{str(path)!r} cannot be written: {error.strerror}.") from None


def _put_in_place(parts: Mapping[Path, Path]) -> None:
    """Give all files their names; if that stops half-way, take it back."""
    copies: list[Path] = []
    before: dict[Path, Path | None] = {}
    try:
        for path, part in parts.items():
            if path.exists():
                copies.append(_beside(path))
                shutil.copy2(path, copies[-1])
            before[path] = copies[-1] if path.exists() else None
            part.replace(path)
    except BaseException:  # an interrupt as well
        for path, copy in before.items():
            _restore(path, copy)
        raise
    finally:
        for copy in copies:
            copy.unlink(missing_ok=True)


def _restore(path: Path, copy: Path | None) -> None:
    if copy is None:
        path.unlink(missing_ok=True)
    else:
        copy.replace(path)
