"""Start servers that end with whoever started them, and stop them by their process id."""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "NotInstalled",
    "Server",
    "as_user",
    "children",
    "folder",
    "free_port",
    "private_file",
    "refuse_without_user",
    "run",
    "start",
    "wait_until",
]

HOST = "127.0.0.1"
INSTALL = "`sh scripts/services/install.sh` installs it on Debian, as root"

_PREFIX = "singleout-service-"
_LOCK = "lock"
_PATIENCE = 180.0  # seconds for a server to answer, on a machine that is busy with other tests
_END_OF_LOG = 2000


class NotInstalled(Exception):
    """A server that cannot be started here, with the reason."""


class NotStarted(Exception):
    """A server that ended, or did not answer, after it was started."""


@dataclass(frozen=True)
class Server:
    """A process that was started here, first of a group of its own.

    Parameters
    ----------
    process
        The process.
    log
        The file of what it prints.
    """

    process: subprocess.Popen[bytes]
    log: Path

    @property
    def pid(self) -> int:
        """The id of the process, and of its group."""
        return self.process.pid

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended."""
        return self.process.poll() is None

    def kill(self) -> None:
        """End the process and all it started at once, as if the machine had lost its power."""
        if self.is_running:
            os.killpg(self.pid, signal.SIGKILL)
            self.process.wait()

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Ask the process to end; after ten seconds end it and all it started."""
        if not self.is_running:
            return
        self.process.send_signal(how)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()

    def last_words(self) -> str:
        """Return the end of what it printed."""
        return self.log.read_text(encoding="utf-8", errors="replace")[-_END_OF_LOG:]


def as_user(user: str) -> list[str]:
    """Return the words before a command that run it as another user, if this one is root.

    The databases refuse to be run by root.
    """
    if os.geteuid() != 0:
        return []
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"]


def refuse_without_user(user: str, what: str) -> None:
    """Say so if root has no user to run a server as."""
    if os.geteuid() != 0:
        return
    try:
        pwd.getpwnam(user)
    except KeyError:
        raise NotInstalled(
            f"{what} cannot be started: it refuses root, and there is no user {user!r}; {INSTALL}."
        ) from None


def run(command: Sequence[str | Path], home: Path, *, user: str) -> None:
    """Run a program to its end; say what it printed if it fails."""
    words = [*as_user(user), *map(str, command)]
    done = subprocess.run(
        words,
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        text=True,
    )
    if done.returncode:
        raise NotStarted(f"{Path(command[0]).name} failed: {done.stdout[-_END_OF_LOG:]}")


def start(
    command: Sequence[str | Path],
    log: Path,
    *,
    user: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Server:
    """Start a server in a group of processes of its own, that ends if this thread ends.

    Parameters
    ----------
    command
        The program and its arguments.
    log
        The file for what it prints.
    user
        Whom to run it as, if this is root.
    environment
        Variables besides those of this process.
    """
    words = [str(word) for word in command]
    before = [] if user is None else as_user(user)
    if shutil.which("setpriv"):
        # even if this process is killed, and cannot stop what it started
        before = [*(before or ["setpriv"]), "--pdeathsig", "TERM", "--"]
    with log.open("ab") as printed:
        process = subprocess.Popen(
            [*before, *words],
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(environment or {})},
            cwd=log.parent,
            start_new_session=True,
        )
    return Server(process, log)


def wait_until(
    answers: Callable[[], bool], server: Server, what: str, patience: float = _PATIENCE
) -> None:
    """Wait until a server answers; say what it printed if it ends or takes too long."""
    end = time.monotonic() + patience
    while not answers():
        if not server.is_running:
            raise NotStarted(f"{what} ended as it was started: {server.last_words()}")
        if time.monotonic() > end:
            raise NotStarted(
                f"{what} does not answer after {patience:.0f} s: {server.last_words()}"
            )
        time.sleep(0.05)


def children(pid: int) -> list[int]:
    """Return the ids of the processes that a process started, on Linux."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue  # it has ended
        if parent == pid:
            found.append(int(status.parent.name))
    return found


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def folder(name: str, owner: str | None = None) -> Iterator[Path]:
    """Give a new folder that only its owner may open, and remove it afterwards.

    Those that other processes left behind when they were killed are removed as well.
    """
    _remove_abandoned()
    path = Path(tempfile.mkdtemp(prefix=_PREFIX + name + "-"))
    try:
        with (path / _LOCK).open("w") as lock:
            # held until this process ends, however it does
            fcntl.flock(lock, fcntl.LOCK_EX)
            if owner is not None and os.geteuid() == 0:
                shutil.chown(path, owner, owner)
            yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _remove_abandoned() -> None:
    for lock in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*/{_LOCK}"):
        try:
            if time.time() - lock.stat().st_mtime < _PATIENCE:
                continue  # perhaps not locked yet
            with lock.open("r+") as handle:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(lock.parent, ignore_errors=True)
        except OSError:
            continue  # in use, gone, or of somebody else


def private_file(path: Path, text: str, owner: str) -> Path:
    """Write a file that only its owner can read, and return its path."""
    path.touch(mode=0o600)
    path.write_text(text, encoding="utf-8")
    if os.geteuid() == 0:
        shutil.chown(path, owner, owner)
    return path
