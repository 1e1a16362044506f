"""The list of steps that a user works on, with undo and redo.

Every change makes a new version; a version is a list of steps and the trees that were edited. Both
may hold every value of a column, so a file of its own keeps them, each step and each tree once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from singleout.web.locks import held
from singleout.web.workspaces import Workspace, write_json

__all__ = ["Draft", "History", "changing", "history_of", "undoing"]

_FILE = "treat.json"
_VERSIONS = 60  # that can be gone back

Entries = dict[str, Any]
Rows = list[list[str]]


@dataclass(frozen=True)
class Draft:
    """One version.

    Parameters
    ----------
    steps
        The entries of each step, as a file of steps has them.
    trees
        The hierarchies that were edited, by column, as rows from the value to the top.
    """

    steps: tuple[Entries, ...] = ()
    trees: dict[str, Rows] = field(default_factory=dict)

    @property
    def entries(self) -> dict[str, Any]:
        """What a file of these steps would hold."""
        moved = any(("shuffle" in step) or ("microaggregate" in step) for step in self.steps)
        return {**({"perturb": True} if moved else {}), "steps": list(self.steps)}

    @property
    def key(self) -> str:
        """What identifies the steps."""
        return hashlib.sha256(json.dumps(self.entries).encode()).hexdigest()[:16]

    def with_steps(self, steps: Sequence[Entries]) -> Draft:
        """Return the same with other steps."""
        return Draft(tuple(steps), self.trees)

    def with_tree(self, column: str, rows: Rows | None) -> Draft:
        """Return the same with another tree of a column; with that which is proposed if None."""
        rest = {name: one for name, one in self.trees.items() if name != column}
        return Draft(self.steps, rest if rows is None else {**rest, column: rows})


@dataclass(frozen=True)
class History:
    """All versions, and which one is the present one."""

    versions: tuple[Draft, ...] = (Draft(),)
    at: int = 0

    @property
    def now(self) -> Draft:
        """The present version."""
        return self.versions[self.at]

    @property
    def can_undo(self) -> bool:
        """Whether there is a version before."""
        return self.at > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is a version that was undone."""
        return self.at + 1 < len(self.versions)

    def then(self, draft: Draft) -> History:
        """Return the history after a change; what was undone before is forgotten."""
        if draft == self.now:
            return self
        kept = (*self.versions[: self.at + 1], draft)[-_VERSIONS:]
        return History(kept, len(kept) - 1)

    def moved(self, by: int) -> History:
        """Return the history at another version."""
        return History(self.versions, min(max(self.at + by, 0), len(self.versions) - 1))


def history_of(workspace: Workspace) -> History:
    """Return the history of the data of now; an empty one for other data."""
    source = workspace.source
    try:
        found = json.loads(workspace.file(_FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return History()
    if source is None or found["source"] != source.key:
        return History()
    kept = found["kept"]
    versions = tuple(
        Draft(
            tuple(kept[index] for index in one["steps"]),
            {name: kept[index] for name, index in one["trees"].items()},
        )
        for one in found["versions"]
    )
    return History(versions, found["at"])


@contextmanager
def changing(workspace: Workspace) -> Iterator[Callable[[Draft], None]]:
    """Give a function that takes a new version, while no other request does."""
    with held(workspace.folder / "treat.lock"):
        history = history_of(workspace)
        yield lambda draft: _keep(workspace, history.then(draft))


def undoing(workspace: Workspace, by: int) -> None:
    """Go back a version, or forward again."""
    with held(workspace.folder / "treat.lock"):
        _keep(workspace, history_of(workspace).moved(by))


def _keep(workspace: Workspace, history: History) -> None:
    source = workspace.source
    pool = _Pool()
    versions = [
        {
            "steps": [pool.index(step) for step in one.steps],
            "trees": {name: pool.index(rows) for name, rows in one.trees.items()},
        }
        for one in history.versions
    ]
    write_json(
        workspace.file(_FILE),
        {
            "source": "" if source is None else source.key,
            "kept": pool.kept,
            "versions": versions,
            "at": history.at,
        },
    )


class _Pool:
    """Values, each of them once."""

    def __init__(self) -> None:
        self.kept: list[Any] = []
        self._known: dict[str, int] = {}

    def index(self, value: Any) -> int:
        """Return where a value is kept."""
        text = json.dumps(value)
        if text not in self._known:
            self._known[text] = len(self.kept)
            self.kept.append(value)
        return self._known[text]
