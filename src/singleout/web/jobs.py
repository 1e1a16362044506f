"""Long work in processes of its own: with progress, cancellable, and of no tab in particular.

A job is a folder in its workspace. It says what is to be done; the process that does it writes its
progress and its result there, where any process of the server can read it. It holds a lock while it
runs, so that everybody can tell whether it is still there, and it ends when the server does.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from singleout.core.language import spoken
from singleout.web.errors import Refused
from singleout.web.locks import is_held
from singleout.web.settings import WebSettings
from singleout.web.workspaces import Workspace, write_json

__all__ = ["Job", "Jobs", "end_all_beside", "end_process", "is_ending", "run_beside"]

_ID = re.compile(r"[0-9a-f]{16}")
_FIRST_SIGN = 60  # seconds until a process that was started has its lock
_KEPT = 12  # jobs that are over, of one user
_UNDER_WAY = ("waiting", "running")


@dataclass(frozen=True)
class Job:
    """A job, as it is now.

    Parameters
    ----------
    state
        ``waiting``, ``running``, ``done``, ``failed``, ``cancelled`` or ``lost``.
    what, finished, total
        What is being done, how many steps are done, and of how many; 0 if that is not known.
    error
        The sentence that says why it failed.
    """

    id: str
    kind: str
    folder: Path
    state: str
    started: float
    what: str = ""
    finished: int = 0
    total: int = 0
    error: str = ""
    source: str = ""

    @property
    def under_way(self) -> bool:
        """Whether it is still to be waited for."""
        return self.state in _UNDER_WAY

    @property
    def seconds(self) -> int:
        """For how long it has been there."""
        return round(time.time() - self.started)

    @property
    def result(self) -> dict[str, Any]:
        """What the function returned."""
        found: dict[str, Any] = json.loads((self.folder / "result.json").read_text("utf-8"))
        return found

    def file(self, name: str) -> Path | None:
        """Return a file that the job has written; None if there is none."""
        folder = self.folder / "files"
        return next((path for path in folder.iterdir() if path.name == name), None)


class Jobs:
    """The jobs of one user."""

    def __init__(self, workspace: Workspace, settings: WebSettings) -> None:
        self._workspace = workspace
        self._settings = settings
        self._folder = workspace.folder / "jobs"

    def start(self, kind: str, function: str, **arguments: Any) -> Job:
        """Start a function in a process of its own.

        Parameters
        ----------
        kind
            What the job is for: one of a kind is under way at a time, the one before is cancelled.
        function
            ``singleout.web.….module:name``; it is called with a `Task` and the arguments.
        arguments
            Plain values.
        """
        for job in self.all():
            if job.kind == kind and job.under_way:
                self.cancel(job.id)
        if sum(job.under_way for job in self.all()) >= self._settings.jobs_each:
            raise Refused(429, "web.errors.too_many_jobs", n=self._settings.jobs_each)
        self._forget_old()
        identity = secrets.token_hex(8)
        folder = self._folder / identity
        folder.mkdir(mode=0o700)
        (folder / "files").mkdir(mode=0o700)
        source = self._workspace.source
        write_json(
            folder / "spec.json",
            {
                "kind": kind,
                "function": function,
                "arguments": arguments,
                "language": spoken(),
                "started": time.time(),
                "source": "" if source is None else source.key,
                "slots": self._settings.jobs,
                "slot_folder": str(self._settings.folder / "slots"),
            },
        )
        run_beside(["singleout.web.work", str(folder)])
        return self._job(folder)

    def find(self, identity: str) -> Job | None:
        """Return a job of this user; None if there is none of this name."""
        folder = self._folder / identity
        return self._job(folder) if _ID.fullmatch(identity) and folder.is_dir() else None

    def latest(self, kind: str) -> Job | None:
        """Return the last job of a kind that was started on the data of now."""
        source = self._workspace.source
        key = "" if source is None else source.key
        found = [job for job in self.all() if job.kind == kind and job.source == key]
        return found[-1] if found else None

    def all(self) -> list[Job]:
        """Return all jobs, the oldest first."""
        folders = [
            Path(entry.path)
            for entry in os.scandir(self._folder)
            if (Path(entry.path) / "spec.json").exists()
        ]
        return sorted(map(self._job, folders), key=lambda job: job.started)

    def cancel(self, identity: str) -> None:
        """End the process of a job."""
        job = self.find(identity)
        if job is None or not job.under_way:
            return
        (job.folder / "cancelled").touch()
        end_process(job.folder)

    def cancel_all(self) -> None:
        """End all processes of this user."""
        for job in self.all():
            self.cancel(job.id)
        end_process(self._workspace.folder)  # the one that holds the table

    def _forget_old(self) -> None:
        over = [job for job in self.all() if not job.under_way]
        for job in over[:-_KEPT]:
            shutil.rmtree(job.folder, ignore_errors=True)

    def _job(self, folder: Path) -> Job:
        spec = _json(folder / "spec.json")
        progress = _json(folder / "progress.json")
        state, error = _state(folder, spec.get("started", 0))
        return Job(
            folder.name,
            spec.get("kind", ""),
            folder,
            state,
            spec.get("started", 0.0),
            progress.get("what", ""),
            progress.get("done", 0),
            progress.get("total", 0),
            error,
            spec.get("source", ""),
        )


def _state(folder: Path, started: float) -> tuple[str, str]:
    if (folder / "result.json").exists():
        return "done", ""
    if (folder / "cancelled").exists():
        return "cancelled", ""
    if (folder / "error.json").exists():
        return "failed", str(_json(folder / "error.json").get("sentence", ""))
    if is_held(folder / "lock"):
        return ("running" if (folder / "progress.json").exists() else "waiting"), ""
    if not (folder / "pid").exists() and time.time() - started < _FIRST_SIGN:
        return "waiting", ""
    return "lost", ""


def _json(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    return found


# ---- processes


def run_beside(arguments: list[str]) -> None:
    """Run a module in a process of its own, which ends when this one does.

    It ends once its standard input is closed, which the system does whatever ends this process.
    """
    if is_ending():
        raise Refused(503, "web.errors.companion")
    process = subprocess.Popen(
        [sys.executable, "-m", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        # a message could hold values
        stderr=None if os.environ.get("SINGLEOUT_DEBUG") else subprocess.DEVNULL,
        start_new_session=True,  # an interruption from the keyboard is for the server
    )
    _beside.add(process)
    threading.Thread(target=_wait_for, args=(process,), daemon=True).start()


_beside: set[subprocess.Popen[bytes]] = set()
_ending = threading.Event()


def is_ending() -> bool:
    """Whether the server ends: who waits for a process beside it waits in vain, and holds it up."""
    return _ending.is_set()


def end_all_beside() -> None:
    """End all processes that this one has started, and wait for them; no other is started."""
    _ending.set()
    running = list(_beside)
    for process in running:
        process.kill()
    for process in running:
        process.wait()


def _wait_for(process: subprocess.Popen[bytes]) -> None:
    process.wait()
    _beside.discard(process)
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()


def end_process(folder: Path) -> None:
    """End the process that holds the lock of a folder, at once."""
    if not is_held(folder / "lock"):
        return
    with suppress(OSError, ValueError):  # it ended meanwhile
        number = int((folder / "pid").read_text())
        os.kill(number, getattr(signal, "SIGKILL", signal.SIGTERM))
