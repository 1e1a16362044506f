"""The search for special uniques as many small tasks, for engines that spread work.

Each task needs the encoded table and nothing else; the counts of all tasks add up to those of the
whole search (Elliot, Manning et al. asked for a grid of such tasks).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout import __version__
from singleout.core.arrays import I32, I64, U64
from singleout.core.memory import require_memory
from singleout.engines.checkpoint import fingerprint
from singleout.kernels.uniques.layout import Layout
from singleout.kernels.uniques.search import (
    MinimalUniques,
    SetCounts,
    Task,
    TaskTable,
    minimal_uniques,
    tasks,
)
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.engines.counter import Records

__all__ = ["Search", "put_together", "search_by_tasks", "search_part", "tasks_of"]

# Tasks: fine enough to keep many workers busy with uneven parts, large enough that the smaller sets
# which each looks at for itself do not outweigh the search, and the same for the same table on any
# machine, so that a search that was interrupted finds its own parts again.
_MOST_PIECES = 256
_LEAST_PASSES = 8  # over the records, of one task


@dataclass(frozen=True, eq=False)
class Search:
    """What every task needs."""

    codes: Sequence[NDArray[Any]]  # of each column
    levels: Sequence[int]  # for each column a number above its largest code
    max_size: int
    never: Sequence[int] | None  # for each column the code in no unique, or -1; None if all are

    @cached_property
    def table(self) -> TaskTable:
        """The table in the layout of tasks; made once in each worker."""
        return TaskTable(Layout.of(self.codes, self.levels, self.max_size, self.never))

    @cached_property
    def fingerprint(self) -> str:
        """What tells this search from others, on any machine."""
        return fingerprint(*self.__getstate__().values())

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what each worker makes for itself."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


def search_part(search: Search, task: Task) -> tuple[I64, I32, U64, I64]:
    """Run one task: a function of a module, so that it can be sent to a worker.

    Returns the counts that are not 0, after their indexes in the flattened array of all counts,
    and the sets of columns with how many records have each.
    """
    found = search.table.run(task)
    counts = found.by_variable.ravel()
    indexes = np.flatnonzero(counts)
    return indexes, counts[indexes], found.by_set.masks, found.by_set.counts


def search_by_tasks(records: Records, search: Search) -> MinimalUniques:
    """Find the minimal sample uniques of all records by tasks that the engine spreads."""
    layout = search.table.layout
    layout.check()
    if layout.is_of_few:  # quicker than to send them anywhere
        return minimal_uniques(search.codes, search.levels, search.max_size, never=search.never)
    answers = records.run(
        search_part,
        search,
        tasks_of(search),
        name=f"suda {__version__}",
        what=say("progress.suda", n=layout.sets - 1),
    )
    return put_together(search, answers)


def tasks_of(search: Search) -> list[Task]:
    """Return the tasks of a search, the same on every machine."""
    layout = search.table.layout
    return tasks(search.levels, layout.largest, _pieces(layout.width, layout.largest))


def put_together(search: Search, answers: Iterable[tuple[I64, I32, U64, I64]]) -> MinimalUniques:
    """Add up what all tasks found, in any order."""
    layout = search.table.layout
    shape = (layout.asked, layout.records, layout.width)
    require_memory(8 * int(np.prod(shape)), f"Special uniques of {layout.records:,} records")
    counts = layout.empty_counts()
    flat = counts.reshape(-1)
    sets = []
    for indexes, part, masks, of_sets in answers:
        flat[indexes] += part  # no index occurs twice in an answer
        sets.append(SetCounts(masks, of_sets))
    return MinimalUniques(counts, SetCounts.total(sets))


def _pieces(width: int, size: int) -> int:
    """Return about how many tasks to make: the two last columns of a set take one pass together."""
    passes = sum(
        second * comb(width - 1 - second, k) for second in range(width) for k in range(size - 2)
    )
    return max(1, min(_MOST_PIECES, passes // _LEAST_PASSES))
