"""Write files atomically: under a temporary name first, renamed when complete.

Files that exist are replaced only by force, and keep their permissions. Streams, such as
/dev/stdout or a named pipe, are written to and not replaced.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from singleout.core.part_files import PartFile, part_file, remove_abandoned, require_room
from singleout.core.targets import OutputTarget, free_target
from singleout.errors import BadChoice, SingleoutError, UnwritableOutput

__all__ = ["write_safely", "write_together"]

Writer = Callable[[Path], Any]

_CODE = re.compile(r"\s*\(os error [0-9]+\)$")


def write_safely(path: Path, write: Writer, *, force: bool, private: bool = False) -> None:
    """Write a file whole or not at all, and never over another one unless forced."""
    write_together({path: write}, force=force, private=[path] if private else ())


def write_together(
    writers: Mapping[Path, Writer], *, force: bool, private: Collection[Path] = ()
) -> None:
    """Write files under temporary names, and rename them when all are complete.

    Each writer gets the path to write to. If anything goes wrong, or the user interrupts, all files
    are as they were before. Files in ``private`` hold records: if they are new, only their owner
    may read them.
    """
    targets = [free_target(path, force=force) for path in writers]
    with ExitStack() as stack:
        parts = []
        for target, write in zip(targets, writers.values(), strict=True):
            with _says_why(target.given):
                parts.append(stack.enter_context(_part_of(target)))
            _fill(parts[-1].path, target.given, write)
            with _says_why(target.given):
                _finish(parts[-1].path, target, private=target.given in private)
        finished = list(zip(targets, parts, strict=True))
        for target, part in finished:
            if target.is_stream:
                _send(part.path, target)
        _put_in_place([(t, part) for t, part in finished if not t.is_stream], force=force)


@contextmanager
def _says_why(path: Path) -> Iterator[None]:
    """Turn an error of the system into a sentence about the output."""
    try:
        yield
    except BrokenPipeError:  # no error: whoever reads a stream may stop before the end
        raise
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> UnwritableOutput:
    reason = error.strerror or _CODE.sub("", str(error)) or type(error).__name__
    return UnwritableOutput(f"{str(path)!r} cannot be written: {reason}.")


# ---- the content


@contextmanager
def _part_of(target: OutputTarget) -> Iterator[PartFile]:
    """Give a file to write to: beside the target, or for a stream in the temporary folder."""
    folder = Path(tempfile.gettempdir()) if target.is_stream else target.file.parent
    remove_abandoned(folder)
    with part_file(folder, target.given.suffix) as part:
        yield part


def _fill(part: Path, path: Path, write: Writer) -> None:
    try:
        write(part)
    except SingleoutError:
        raise
    except Exception as error:
        cause = error if isinstance(error, OSError) else _full(part)
        if cause is None:
            raise
        raise _unwritable(path, cause) from None


def _full(part: Path) -> OSError | None:
    """Return why no more can be written to a file; None if it can."""
    try:
        require_room(part)
    except OSError as error:
        return error
    return None


def _finish(part: Path, target: OutputTarget, *, private: bool) -> None:
    """Give the new file the permissions of the old one, and flush it to the disk."""
    if target.is_stream:
        return
    with part.open("rb") as file:
        os.fsync(file.fileno())  # some file systems say only then that there was no room
    if target.state is not None:
        part.chmod(_mode_kept(part, target.state))
    elif not private:
        mask = os.umask(0)  # it can only be read by setting it
        os.umask(mask)
        part.chmod(0o666 & ~mask)


def _mode_kept(part: Path, old: os.stat_result) -> int:
    mode = stat.S_IMODE(old.st_mode) & 0o777
    new = part.stat()
    if (new.st_uid, new.st_gid) == (old.st_uid, old.st_gid):
        return mode
    with suppress(OSError, AttributeError):  # only some users may, and Windows knows no owners
        os.chown(part, old.st_uid, old.st_gid)
        return mode
    return mode if new.st_gid == old.st_gid else mode & ~0o070  # it is another group now


# ---- the name


def _send(part: Path, target: OutputTarget) -> None:
    """Write to a stream, as much as its reader takes."""
    with suppress(BrokenPipeError), _says_why(target.given):
        if target.descriptor is not None:
            handle = os.dup(target.descriptor)
        else:
            handle = os.open(target.given, os.O_WRONLY | getattr(os, "O_NOCTTY", 0))
        with os.fdopen(handle, "wb") as stream, part.open("rb") as content:
            shutil.copyfileobj(content, stream)


def _put_in_place(finished: list[tuple[OutputTarget, PartFile]], *, force: bool) -> None:
    """Rename all files; if one fails, restore those before it."""
    before: list[tuple[OutputTarget, PartFile, Path | None]] = []
    with ExitStack() as stack:
        try:
            for target, part in finished:
                with _says_why(target.given):
                    # one file alone is replaced or not: there is nothing to take back
                    copied = force and len(finished) > 1 and target.file.exists()
                    copy = stack.enter_context(_copy_of(target.file)) if copied else None
                    before.append((target, part, copy))
                    _name(part.path, target, force=force)
        except BaseException:  # an interrupt as well
            for target, part, copy in before:
                _restore(target.file, part, copy)
            raise


@contextmanager
def _copy_of(file: Path) -> Iterator[Path]:
    with part_file(file.parent, "") as copy:
        shutil.copy2(file, copy.path)
        yield copy.path


def _name(part: Path, target: OutputTarget, *, force: bool) -> None:
    """Rename a file; without force only if its name is still free."""
    if force:
        part.replace(target.file)
        return
    try:
        try:
            os.link(part, target.file)  # fails where the name is taken, unlike a renaming
        except FileExistsError:
            raise
        except OSError:  # a file system without links
            _name_without_links(part, target.file)
    except FileExistsError:
        raise BadChoice(
            f"{str(target.given)!r} was made by another process meanwhile, and was left as it is; "
            "choose another name, or add --force."
        ) from None


def _name_without_links(part: Path, file: Path) -> None:
    os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        part.replace(file)
    except BaseException:
        file.unlink(missing_ok=True)
        raise


def _restore(file: Path, part: PartFile, copy: Path | None) -> None:
    if copy is not None:
        copy.replace(file)
        return
    with suppress(FileNotFoundError):
        state = file.stat()
        if (state.st_dev, state.st_ino) == part.identity:  # and not what another process made
            file.unlink()
