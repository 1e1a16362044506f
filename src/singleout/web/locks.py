"""Locks on files, which the system releases when their process ends, however it ends."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["held", "is_held", "released", "try_lock"]

_PAUSE = 0.01  # seconds between two attempts


def try_lock(path: Path) -> int | None:
    """Lock a file, which is made if need be; return its handle, or None if another has it.

    The lock lasts until `released` is called, or until this process ends.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        _lock_now(handle)
    except OSError:
        os.close(handle)
        return None
    return handle


def released(handle: int) -> None:
    """Release a lock."""
    os.close(handle)


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold the lock of a file, once whoever has it lets go."""
    while (handle := try_lock(path)) is None:
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        released(handle)


def is_held(path: Path) -> bool:
    """Whether a process has the lock of a file."""
    if not path.exists():
        return False
    handle = try_lock(path)
    if handle is None:
        return True
    released(handle)
    return False


if os.name == "nt":  # pragma: no cover
    import msvcrt

    def _lock_now(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
else:
    import fcntl

    def _lock_now(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
