"""Tasks whose answers are kept in a checkpoint, so that a run that was interrupted is resumed.

A task that was begun and not finished was slow when the run was stopped. If it can be cut in two,
its halves are run in its place, and theirs if need be, so that each attempt gets further.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic

from singleout.engines.checkpoint import Checkpoint, fingerprint
from singleout.engines.counter import TaskT

__all__ = ["KeptTasks", "Resumed"]


@dataclass(frozen=True)
class Resumed(Generic[TaskT]):
    """What is there of some tasks: answers that were kept, and tasks that are left to run."""

    answers: list[Any] = field(default_factory=list)
    left: list[TaskT] = field(default_factory=list)


@dataclass(frozen=True)
class KeptTasks(Generic[TaskT]):
    """The answers of tasks in a checkpoint, each under the key of its question and its task.

    A task may have ``halves``: tasks whose answers together are its own.
    """

    checkpoint: Checkpoint
    key: Callable[[TaskT], str]

    def resume(self, task: TaskT) -> Resumed[TaskT]:
        """Return what is there of a task; of one that was begun and not finished by its halves."""
        resumed: Resumed[TaskT] = Resumed()
        waiting = [task]
        while waiting:
            each = waiting.pop()
            key = self.key(each)
            answer = self.checkpoint.find(key)
            halves = getattr(each, "halves", ())
            if answer is not None:
                resumed.answers.append(answer[0])
            elif halves and self.checkpoint.find(_begun(key)) is not None:
                waiting += reversed(halves)
            else:
                resumed.left.append(each)
        return resumed

    def begin(self, task: TaskT) -> None:
        """Note that a task that can be cut is begun."""
        if getattr(task, "halves", ()):
            self.checkpoint.keep(_begun(self.key(task)), 1)

    def keep(self, task: TaskT, answer: Any) -> None:
        """Keep the answer of a task."""
        self.checkpoint.keep(self.key(task), answer)


def _begun(key: str) -> str:
    return fingerprint(key, "begun")
