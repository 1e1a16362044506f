"""The files that a command writes: checked before any work, written whole or not at all."""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from singleout.core.undoing import undone_at_the_end
from singleout.errors import BadChoice, UnreadableFile

__all__ = ["check_chart", "check_free", "write_safely", "write_together"]

_CHART_KINDS = (".html", ".json", ".pdf", ".png", ".svg")


def check_chart(path: Path | None) -> None:
    """Refuse the name of a picture whose format cannot be written."""
    if path is not None and path.suffix.lower() not in _CHART_KINDS:
        raise BadChoice(
            f"A picture cannot be written as {path.name!r}; end the name in one of "
            f"{', '.join(_CHART_KINDS)}."
        )


def check_free(
    paths: Iterable[Path | None], *, force: bool, data: str | None, plot: Path | None = None
) -> None:
    """Refuse, before any work is done, what could not be written after it, or would lose data.

    ``data`` is what is read, whose files not even force writes over; None if there is none.
    ``plot`` is the one that is to be a picture.
    """
    taken = _files_of(data) if data else []
    for path in filter(None, [*paths, plot]):
        if path.resolve() in taken:
            raise BadChoice(
                f"{str(path)!r} is the data itself, or is asked for twice; choose another name."
            )
        taken.append(path.resolve())
        if path.is_dir():
            raise BadChoice(f"{str(path)!r} is a folder; give the name of a file.")
        if path.exists() and not force:
            raise BadChoice(f"{str(path)!r} exists already; choose another name, or add --force.")
        if not path.parent.is_dir():
            raise UnreadableFile(
                f"There is no folder {str(path.parent)!r} to write {path.name!r} to."
            )
    check_chart(plot)


def _files_of(data: str) -> list[Path]:
    """Return the files that data is in, as far as they are here."""
    from singleout.engines.urls import is_database_url, read_url

    if is_database_url(data):
        address = read_url(data)
        return [] if address.host or not address.database else [Path(address.database).resolve()]
    path = Path(data).expanduser()
    if glob.has_magic(data) and not path.exists():
        # a pattern may be absolute, which pathlib does not take
        return [Path(found).resolve() for found in glob.glob(str(path), recursive=True)]  # noqa: PTH207
    return [path.resolve()]


def write_safely(path: Path, write: Callable[[Path], None], *, force: bool) -> None:
    """Write a file whole or not at all, and never over another one unless forced."""
    write_together({path: write}, force=force)


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

    def remove() -> None:
        for part in parts.values():
            part.unlink(missing_ok=True)

    with undone_at_the_end(remove):
        try:
            for path, write in writers.items():
                parts[path] = _beside(path)
                _written(path, parts[path], write)
            _put_in_place(parts)
        finally:
            remove()


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
