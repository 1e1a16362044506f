"""Which repository a user looks at: that of the server, one to practise with, or an address.

A user never names a path: a file is that of the server, or lies in the workspace. What is signed
with the key of whoever runs the server is decided here too.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from singleout.web.errors import Refused
from singleout.web.settings import WebSettings
from singleout.web.workspaces import Workspace, write_json

__all__ = ["PRACTICE_FILE", "Where", "choose", "shown_target", "where_of"]

_FILE = "repository.json"
_LONGEST = 500  # letters of an address
PRACTICE_FILE = "practice.db"


@dataclass(frozen=True)
class Where:
    """A repository.

    Parameters
    ----------
    kind
        ``server``, ``practice`` or ``address``.
    target
        The file or the address that it is opened by.
    shown
        What users see of it: no folder of the server, no password.
    may_change
        Whether the user may sign something for it.
    """

    kind: str
    target: str
    shown: str
    may_change: bool

    @property
    def is_remote(self) -> bool:
        """Whether it is asked over a network."""
        return self.target.lower().startswith(("http://", "https://"))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for the process that opens it."""
        return asdict(self)


def where_of(workspace: Workspace, settings: WebSettings) -> Where | None:
    """Return the repository that a user has chosen; that of the server at first, if it has one."""
    try:
        kept = json.loads(workspace.file(_FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        kept = {"kind": "server"}
    kind = kept["kind"]
    if kind == "practice":
        file = workspace.folder / "practice" / PRACTICE_FILE
        return Where(kind, str(file), PRACTICE_FILE, not settings.read_only)
    if kind == "address":
        return Where(kind, kept["address"], kept["address"], _alone(settings))
    if kind == "server" and settings.repository is not None:
        target = settings.repository
        allowed = _alone(settings) or (settings.publish and not settings.read_only)
        return Where("server", target, shown_target(target), allowed)
    return None


def choose(workspace: Workspace, settings: WebSettings, kind: str, address: str = "") -> None:
    """Take another repository; with another kind, look for one anew."""
    kept = {"kind": kind}
    if kind == "address":
        if settings.read_only:
            raise Refused(403, "web.errors.read_only")
        kept["address"] = _checked(address.strip())
    elif kind == "server" and settings.repository is None:
        raise Refused(422, "web.repository.errors.not_offered")
    elif kind not in ("server", "practice"):
        kept = {"kind": "none"}
    write_json(workspace.file(_FILE), kept)


def _alone(settings: WebSettings) -> bool:
    """Whether the user is whoever runs the server: nobody else can connect."""
    return not settings.is_shared and not settings.read_only


def _checked(address: str) -> str:
    """Return an address of a service; nothing else can be named by a user."""
    try:
        parts = urlsplit(address)
        good = parts.scheme.lower() in ("http", "https") and bool(parts.hostname)
        good = good and parts.port != 0 and parts.username is None and not parts.query
    except ValueError:
        good = False
    if not good or len(address) > _LONGEST or not address.isprintable():
        raise Refused(422, "web.repository.errors.address")
    return address


def shown_target(target: str) -> str:
    """Return what users see of a file or an address: no folder, no password."""
    if "://" not in target:
        return Path(target).name
    parts = urlsplit(target)
    return f"{parts.scheme}://{parts.hostname or ''}{parts.path}"
