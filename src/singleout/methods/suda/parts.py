"""A search in parts that are kept in a folder: on one machine, or on several without a scheduler.

Each part runs its share of the tasks, and keeps what it finds in a checkpoint that all can see. A
search of the same table then puts the parts together, and searches only what is missing. A task
that was begun and not finished, because it was slow when the machine was stopped, is cut in two.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from singleout import __version__
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.engines.checkpoint import Checkpoint, fingerprint
from singleout.errors import BadChoice
from singleout.kernels.threads import as_they_finish
from singleout.kernels.uniques.search import MinimalUniques, Task
from singleout.methods.suda.tasks import Search, put_together, search_part, tasks_of
from singleout.report.say import say

__all__ = ["SudaPart", "part_asked", "run_part", "search_with_checkpoint"]

Folder = str | os.PathLike[str]


@dataclass(frozen=True)
class SudaPart(Result):
    """What one part of a search did; the result is there when all parts are put together.

    Parameters
    ----------
    number, parts
        Which part of how many.
    tasks
        How many tasks it has.
    found
        How many of them were in the checkpoint already.
    """

    number: int
    parts: int
    tasks: int
    found: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {
            "part": self.number,
            "parts": self.parts,
            "tasks": self.tasks,
            "found_in_checkpoint": self.found,
        }

    def to_frame(self) -> Frame:
        """Return the same as a polars frame of one row."""
        from singleout.core.frames import pl

        return pl.DataFrame([self.to_dict()])

    def __str__(self) -> str:
        return say(
            "suda.part", number=self.number, parts=self.parts, n=self.tasks, found=self.found
        )


def part_asked(part: Any) -> tuple[int, int]:
    """Check which part of how many is asked for, as ``"2/5"`` or ``(2, 5)``."""
    match = re.fullmatch(r"\s*(\d+)\s*/\s*(\d+)\s*", part) if isinstance(part, str) else None
    pair = tuple(map(int, match.groups())) if match else part
    whole_numbers = isinstance(pair, tuple | list) and all(type(each) is int for each in pair)
    if not whole_numbers or len(pair) != 2 or not 1 <= pair[0] <= pair[1]:
        raise BadChoice(f"A part is written as 2/5, the second of five, not {part!r}.")
    return int(pair[0]), int(pair[1])


def run_part(search: Search, folder: Folder, part: tuple[int, int]) -> SudaPart:
    """Search one part of the tasks, and keep what they find."""
    number, parts = part
    mine = tasks_of(search)[number - 1 :: parts]
    kept = _Kept(search, Checkpoint.at(folder))
    known = sum(kept.known(task) is not None for task in mine)
    for _ in kept.answers(mine):
        pass
    return SudaPart(number, parts, len(mine), known)


def search_with_checkpoint(search: Search, folder: Folder, *, merge: bool) -> MinimalUniques:
    """Put together what is in the folder, and search the rest; with ``merge`` refuse a rest."""
    kept = _Kept(search, Checkpoint.at(folder))
    every = tasks_of(search)
    missing = sum(kept.known(task) is None for task in every)
    if merge and missing:
        raise BadChoice(
            f"{missing:,} of {len(every):,} tasks are not in the checkpoint folder; run the parts "
            "that are missing, with the same data, columns and options, or search without merge."
        )
    return put_together(search, kept.answers(every))


@dataclass(frozen=True)
class _Kept:
    """The answers of tasks in a checkpoint."""

    search: Search
    checkpoint: Checkpoint

    def _key(self, task: Task) -> str:
        return fingerprint(__version__, "suda parts", self.search.fingerprint, task)

    def known(self, task: Task) -> list[Any] | None:
        """Return the answers that make up a task: its own, or those of its halves."""
        answer = self.checkpoint.find(self._key(task))
        if answer is not None:
            return [answer[0]]
        if not self._was_begun(task):
            return None
        halves = [self.known(half) for half in task.halves]
        if not halves or any(half is None for half in halves):
            return None
        return [part for half in halves for part in half or ()]

    def answers(self, tasks: Sequence[Task]) -> Iterator[Any]:
        """Yield the answers of tasks, those that are missing as they are found."""
        todo = []
        for task in tasks:
            known = self.known(task)
            if known is None:
                todo += self._to_run(task)
            else:
                yield from known
        for task, known in ((task, self.known(task)) for task in list(todo)):
            if known is not None:  # a half that was finished before
                todo.remove(task)
                yield from known
        if todo:
            what = say("progress.suda", n=self.search.table.layout.sets - 1)
            yield from as_they_finish(partial(_run_and_keep, self), todo, what)

    def _to_run(self, task: Task) -> list[Task]:
        """Return the task, or its halves if it was begun before and took too long."""
        if not self._was_begun(task) or not task.halves:
            return [task]
        return [part for half in task.halves for part in self._to_run(half)]

    def _was_begun(self, task: Task) -> bool:
        return self.checkpoint.find(self._begun(task)) is not None

    def begin(self, task: Task) -> None:
        """Note that a task was begun."""
        self.checkpoint.keep(self._begun(task), 1)

    def keep(self, task: Task, answer: Any) -> None:
        """Keep the answer of a task."""
        self.checkpoint.keep(self._key(task), answer)

    def _begun(self, task: Task) -> str:
        return fingerprint(self._key(task), "begun")


def _run_and_keep(kept: _Kept, task: Task) -> Any:
    kept.begin(task)
    answer = search_part(kept.search, task)
    kept.keep(task, answer)
    return answer
