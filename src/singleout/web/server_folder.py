"""The private folder of a running server, and what servers that were killed have left behind.

The folder is locked by the server for as long as it runs. A folder that nobody holds is of a server
that was killed: the next one that starts removes it, and says so.
"""

from __future__ import annotations

import os
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from singleout.web.locks import released, try_lock

__all__ = ["ServerFolder", "server_folder", "server_secret"]

_LOCK = "server.lock"
_SECRET = "secret"


class ServerFolder:
    """The folder of a server that runs, and how many it found left behind."""

    def __init__(self, path: Path, removed: int) -> None:
        self.path = path
        self.removed = removed


@contextmanager
def server_folder(base: Path | None = None) -> Iterator[ServerFolder]:
    """Make a private folder, after removing what killed servers left; delete it in the end."""
    where = Path(tempfile.gettempdir() if base is None else base)
    removed = _remove_left_behind(where)
    path = Path(tempfile.mkdtemp(prefix=_prefix(), dir=where))  # nobody else may enter it
    while (lock := try_lock(path / _LOCK)) is None:
        time.sleep(0.01)  # another server that starts looks at it
    try:
        (path / "workspaces").mkdir(mode=0o700)
        (path / "slots").mkdir(mode=0o700)
        with os.fdopen(os.open(path / _SECRET, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.write(secrets.token_bytes(32))
        yield ServerFolder(path, removed)
    finally:
        # a process that is just ending may still write
        for _ in range(3):
            shutil.rmtree(path, ignore_errors=True)
        released(lock)


def server_secret(folder: Path) -> bytes:
    """Return the secret that the processes of a server share."""
    return (folder / _SECRET).read_bytes()


def _prefix() -> str:
    owner = os.getuid() if hasattr(os, "getuid") else "user"
    return f"singleout-web-{owner}-"


def _remove_left_behind(where: Path) -> int:
    removed = 0
    for path in where.glob(f"{_prefix()}*"):
        if not _is_own_folder(path) or not (path / _LOCK).exists():
            continue  # without a lock it has just been made
        lock = try_lock(path / _LOCK)
        if lock is None:
            continue
        shutil.rmtree(path, ignore_errors=True)
        released(lock)
        removed += 1
    return removed


def _is_own_folder(path: Path) -> bool:
    """Whether a path is a folder of this user that nobody else may enter; no link."""
    try:
        found = path.lstat()
    except OSError:  # it is gone by now
        return False
    mine = not hasattr(os, "getuid") or found.st_uid == os.getuid()
    closed = os.name == "nt" or stat.S_IMODE(found.st_mode) & 0o077 == 0
    return stat.S_ISDIR(found.st_mode) and mine and closed
