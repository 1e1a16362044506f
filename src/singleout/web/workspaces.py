"""One workspace for each user: a private folder with the file, the plan, the steps and results.

Everything is on disk, so that any process of the server can answer any request. A user is known by
a random cookie; the folder is named by its hash, so that a list of folders lets nobody in.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.web.locks import held, try_lock
from singleout.web.locks import released as unlocked
from singleout.web.settings import WebSettings

if TYPE_CHECKING:
    from singleout.assessment.plan.plan import Plan

__all__ = ["Source", "Workspace", "Workspaces", "write_json"]

_COOKIE = re.compile(r"[A-Za-z0-9_-]{43}")
_FILE = re.compile(r"[a-z0-9][a-z0-9_-]{0,40}(\.[a-z0-9]{1,10}){0,2}")
_RECENT = 600  # seconds: who was here is not sent away for a newcomer


@dataclass(frozen=True)
class Source:
    """The data of a workspace.

    Parameters
    ----------
    kind
        ``upload``, ``path``, ``demo`` or ``database``.
    name
        What people call it; hostile text, to be shown only.
    data
        The path or the address that it is read from.
    reading
        How it is read, as `singleout.read` takes it: ``sheet``, ``header_row``.
    where
        The condition that records must meet, if any.
    """

    kind: str
    name: str
    data: str
    reading: dict[str, Any] = field(default_factory=dict)
    where: str | None = None

    @property
    def is_file(self) -> bool:
        """Whether it is a file of this machine."""
        return self.kind != "database"

    @property
    def key(self) -> str:
        """What identifies the data and how it is read."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]

    def named(self, said: Any) -> Any:
        """Return plain values in which an upload has the name that its user knows."""
        ours = Path(self.data).name
        if self.kind != "upload" or ours == self.name:
            return said
        if isinstance(said, str):
            return said.replace(ours, self.name)
        if isinstance(said, list | tuple):
            return [self.named(one) for one in said]
        if isinstance(said, dict):
            return {key: self.named(one) for key, one in said.items()}
        return said


class Workspace:
    """The folder of one user."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def file(self, name: str) -> Path:
        """Return the path of a file of ours; a name from elsewhere is refused."""
        if not _FILE.fullmatch(name):
            raise ValueError(f"not a name of a file of a workspace: {name!r}")
        return self.folder / name

    # ---- what is remembered

    def state(self) -> dict[str, Any]:
        """Return everything that is remembered, as plain values."""
        return _read_json(self.folder / "state.json")

    @contextmanager
    def changing(self) -> Iterator[dict[str, Any]]:
        """Give what is remembered to be changed, while no other request does."""
        with held(self.folder / "state.lock"):
            state = self.state()
            yield state
            write_json(self.folder / "state.json", state)

    def remember(self, **values: Any) -> None:
        """Remember plain values."""
        with self.changing() as state:
            state.update(values)

    @property
    def source(self) -> Source | None:
        """The data that was chosen; None if there is none yet."""
        found = self.state().get("source")
        return None if found is None else Source(**found)

    def choose(self, source: Source, plan: str | None = None) -> None:
        """Take other data; what was found about the data before is forgotten."""
        with self.changing() as state:
            old = state.get("source")
            state.clear()
            state["source"] = asdict(source)
            (self.folder / "plan.yaml").unlink(missing_ok=True)
            (self.folder / "treat.json").unlink(missing_ok=True)  # trees hold values
            (self.folder / "publish.json").unlink(missing_ok=True)
            if plan is not None:
                (self.folder / "plan.yaml").write_text(plan, encoding="utf-8")
            if old is not None and old["kind"] == "upload" and old["data"] != source.data:
                Path(old["data"]).unlink(missing_ok=True)

    def read_as(self, reading: Mapping[str, Any]) -> None:
        """Read the same data in another way, such as from another sheet."""
        with self.changing() as state:
            state["source"] = {**state["source"], "reading": dict(reading)}

    # ---- the plan

    def plan(self) -> Plan | None:
        """Return the plan; None before one was guessed or loaded."""
        from singleout.assessment.plan.plan import Plan

        try:
            text = (self.folder / "plan.yaml").read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        return Plan.parse(text, name="plan.yaml")

    def keep_plan(self, plan: Plan) -> None:
        """Keep a plan in place of the one before."""
        replace_text(self.folder / "plan.yaml", plan.to_yaml())

    # ---- its time

    def touch(self) -> None:
        """Note that it is used."""
        os.utime(self.folder / "state.json")

    @property
    def idle(self) -> float:
        """For how many seconds nobody has used it."""
        try:
            return time.time() - (self.folder / "state.json").stat().st_mtime
        except OSError:
            return float("inf")


class Workspaces:
    """All workspaces of a server."""

    def __init__(self, settings: WebSettings) -> None:
        self._settings = settings
        self._folder = settings.folder / "workspaces"

    @staticmethod
    def is_cookie(text: str | None) -> bool:
        """Whether a text is the cookie of a workspace, of now or of before."""
        return text is not None and _COOKIE.fullmatch(text) is not None

    def find(self, cookie: str | None) -> Workspace | None:
        """Return the workspace of a cookie; None if there is none, or none any more."""
        if cookie is None or not _COOKIE.fullmatch(cookie):
            return None
        folder = self._folder / _named(cookie)
        if not (folder / "state.json").exists():
            return None
        workspace = Workspace(folder)
        workspace.touch()
        return workspace

    def make(self) -> tuple[Workspace, str] | None:
        """Make a workspace; return it with its cookie, or None if there are too many users."""
        if len(self._all()) >= self._settings.workspaces:
            self.sweep(min(self._settings.idle, _RECENT))
            if len(self._all()) >= self._settings.workspaces:
                return None
        cookie = secrets.token_urlsafe(32)
        folder = self._folder / _named(cookie)
        folder.mkdir(mode=0o700)
        (folder / "jobs").mkdir(mode=0o700)
        write_json(folder / "state.json", {})
        return Workspace(folder), cookie

    def remove(self, workspace: Workspace) -> None:
        """Delete everything of a user."""
        from singleout.web.jobs import Jobs

        Jobs(workspace, self._settings).cancel_all()
        (workspace.folder / "state.json").unlink(missing_ok=True)
        shutil.rmtree(workspace.folder, ignore_errors=True)

    def sweep(self, idle: float | None = None) -> int:
        """Delete the workspaces that nobody has used for a while; return how many."""
        lock = try_lock(self._settings.folder / "sweep.lock")
        if lock is None:  # another process is at it
            return 0
        try:
            longest = self._settings.idle if idle is None else idle
            old = [one for one in self._all() if one.idle > longest and not self._works(one)]
            for workspace in old:
                self.remove(workspace)
            return len(old)
        finally:
            unlocked(lock)

    def _works(self, workspace: Workspace) -> bool:
        """Whether a job is under way: whoever started it may come back for the result."""
        from singleout.web.jobs import Jobs

        return any(job.under_way for job in Jobs(workspace, self._settings).all())

    def _all(self) -> list[Workspace]:
        return [Workspace(Path(entry.path)) for entry in os.scandir(self._folder)]


def _named(cookie: str) -> str:
    return hashlib.sha256(cookie.encode()).hexdigest()[:32]


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return found


def write_json(path: Path, values: Any) -> None:
    """Write plain values, so that a reader sees the old or the new ones, whole."""
    replace_text(path, json.dumps(values, ensure_ascii=False))


def replace_text(path: Path, text: str) -> None:
    """Write a text, so that a reader sees the old or the new one, whole."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
