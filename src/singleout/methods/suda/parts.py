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
from singleout.engines.resumed import KeptTasks
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
    kept = _kept(search, folder)
    known = sum(not kept.resume(task).left for task in mine)
    for _ in _answers(search, kept, mine):
        pass
    return SudaPart(number, parts, len(mine), known)


def search_with_checkpoint(search: Search, folder: Folder, *, merge: bool) -> MinimalUniques:
    """Put together what is in the folder, and search the rest; with ``merge`` refuse a rest."""
    kept = _kept(search, folder)
    every = tasks_of(search)
    missing = sum(bool(kept.resume(task).left) for task in every)
    if merge and missing:
        raise BadChoice(
            f"{missing:,} of {len(every):,} tasks are not in the checkpoint folder; run the parts "
            "that are missing, with the same data, columns and options, or search without merge."
        )
    return put_together(search, _answers(search, kept, every))


def _kept(search: Search, folder: Folder) -> KeptTasks[Task]:
    return KeptTasks(
        Checkpoint.at(folder),
        lambda task: fingerprint(__version__, "suda parts", search.fingerprint, task),
    )


def _answers(search: Search, kept: KeptTasks[Task], tasks: Sequence[Task]) -> Iterator[Any]:
    """Yield the answers of tasks, those that are missing as they are found."""
    todo: list[Task] = []
    for task in tasks:
        resumed = kept.resume(task)
        todo += resumed.left
        yield from resumed.answers
    if todo:
        what = say("progress.suda", n=search.table.layout.sets - 1)
        yield from as_they_finish(partial(_run_and_keep, search, kept), todo, what)


def _run_and_keep(search: Search, kept: KeptTasks[Task], task: Task) -> Any:
    kept.begin(task)
    answer = search_part(search, task)
    kept.keep(task, answer)
    return answer
