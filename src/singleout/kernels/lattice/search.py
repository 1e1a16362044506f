"""Full-domain search: the node of a lattice that meets a policy and loses least.

The answer is the optimum, as that of ARX (Prasser et al. 2014, Flash). A greedy walk up the lattice
finds a good node first; what it costs then bounds the search. Both return to Python every
few million groups, to report and to be stopped, and need no memory per node.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf, prod

import numpy as np

from singleout.core.arrays import F64, I64, Flags
from singleout.core.progress import working_on
from singleout.kernels.compiling import announce_compiling
from singleout.kernels.lattice import loops
from singleout.kernels.lattice.tables import Base, Groups, table_size

__all__ = ["Found", "Policy", "find"]

_WORK = 10_000_000  # groups to go through before a pause: some tenths of a second
_ROOM = 4  # times the lowest groups; three for the climb, and doubled when it is used up
_ENDLESS = 1 << 62
_STAMPS = 1 << 30  # after so many tables the slots are cleared


@dataclass(frozen=True, eq=False)
class Policy:
    """What every class must fulfil.

    Parameters
    ----------
    k
        The smallest number of records.
    limit
        How many records may be suppressed.
    caps
        For each capped value, the share in a class from which on it breaks the policy.
    counts
        How many records of each combination have each capped value.
    """

    k: int
    limit: int
    caps: F64 = field(default_factory=lambda: np.empty(0))
    counts: I64 | None = None

    @property
    def is_monotone(self) -> bool:
        """Whether a node above suppresses no more.

        Classes that hold a cap together do, but a kept class may join one that breaks it.
        """
        return self.caps.size == 0 or self.limit == 0


@dataclass(frozen=True, eq=False)
class Found:
    """The best node.

    Parameters
    ----------
    levels
        The level of each column.
    suppressed
        How many records are suppressed.
    score
        What is lost, by the metric.
    checked
        How many nodes were looked at.
    complete
        Whether the search went to its end: the node is the optimum.
    reached
        Whether the node keeps the limit; if not, it is the one that comes nearest.
    kept
        For each combination whether its records are kept.
    interrupted
        Whether somebody interrupted the search.
    """

    levels: tuple[int, ...]
    suppressed: int
    score: float
    checked: int
    complete: bool
    reached: bool
    kept: Flags = field(repr=False)
    interrupted: bool = False


def find(
    base: Base,
    policy: Policy,
    top: I64,
    *,
    start: tuple[int, ...] | None = None,
    stop: Callable[[], bool] | None = None,
    most: int | None = None,
    work: int | None = None,
) -> Found:
    """Return the node that meets a policy and loses least.

    If somebody interrupts it (Ctrl-C), it is the best one so far.

    Parameters
    ----------
    base
        The problem.
    policy
        What every class must fulfil.
    top
        The highest level of each column.
    start
        A node that is known to be good.
    stop
        Asked during the search; if it says yes, the best node so far is returned.
    most
        How many nodes to look at before the best so far is returned.
    work
        How many groups to go through, after the walk up the lattice, before the best so far is
        returned.
    """
    announce_compiling(loops.explore)
    search = _Search(base, policy, top, stop, _ENDLESS if most is None else most)
    interrupted = complete = False
    try:
        complete = search.run(start, _ENDLESS if work is None else work)
    except KeyboardInterrupt:
        interrupted = True
    return search.result(complete=complete, interrupted=interrupted)


class _Search:
    """The state of a search, and the room that it works in."""

    def __init__(
        self, base: Base, policy: Policy, top: I64, stop: Callable[[], bool] | None, most: int
    ) -> None:
        self._base, self._policy, self._top = base, policy, top
        self._stop, self._most = stop, most
        size = len(base.groups.counts)
        self._groups = self._with_room(_ROOM * size)
        self._slots = np.zeros(table_size(size), dtype=np.int64)
        self._flags = np.empty(size, dtype=np.uint8)
        self._tally = np.zeros(len(base.tables.up), dtype=np.int64)
        self._of_group = np.empty(size, dtype=np.int64)
        self._best_levels = np.zeros(len(top), dtype=np.int64)
        self._best = np.array([inf])
        self._state = np.array([0, 0, 0, -1], dtype=np.int64)
        self._nearest = (base.records + 1, inf, np.zeros_like(top))  # suppressed, score, levels

    def _with_room(self, rows: int) -> Groups:
        """Return the groups of the lowest node with room for others."""
        lowest, policy = self._base.groups, self._policy
        size = len(lowest.counts)
        extra = np.zeros((size, policy.caps.size), dtype=np.int64)
        if policy.counts is not None:
            np.add.at(extra, self._base.of_combination, policy.counts)
        keys = np.empty((len(lowest.keys), rows), dtype=np.int64)
        counts, losses = np.empty(rows, dtype=np.int64), np.empty(rows)
        values = np.empty((rows, policy.caps.size), dtype=np.int64)
        keys[:, :size], counts[:size], losses[:size] = lowest.keys, lowest.counts, lowest.losses
        values[:size] = extra
        return Groups(keys, counts, losses, values)

    def run(self, start: tuple[int, ...] | None, work: int) -> bool:
        """Search; return whether it went to its end."""
        if start is not None:
            nearest = self._nearest
            self._jump(np.array(start, dtype=np.int64))
            self._nearest = nearest  # what comes nearest does not depend on the start
        if not self._climb():
            return False
        beyond = self._nearest[0] > self._policy.limit
        if beyond and self._policy.is_monotone:  # not even the highest node keeps the limit
            return True
        return self._explore(work)

    @property
    def _size(self) -> int:
        return len(self._base.groups.counts)

    def _ended(self) -> bool:
        """Whether the search has to end before its time."""
        return self._state[2] >= self._most or (self._stop is not None and self._stop())

    def _look(
        self,
        rows: tuple[int, int],
        first: int,
        column: int,
        low: int,
        levels: I64,
    ) -> tuple[int, int, float]:
        """Raise a column of some groups; return groups, suppressed records and score."""
        self._state[1] += 1
        base, policy = self._base, self._policy
        groups, suppressed, score = loops.look(
            base.tables,
            self._groups,
            *rows,
            first,
            column,
            low,
            levels,
            policy.k,
            policy.caps,
            base.records,
            base.metric,
            self._slots,
            self._state[1],
            self._flags,
            self._tally,
            self._of_group,
        )
        return groups, suppressed, score

    def _jump(self, levels: I64) -> tuple[I64, int, float]:
        """Go to a node from the lowest one: the group of each lowest group, suppressed, score."""
        size = self._size
        way = np.zeros_like(levels)
        whole, rows, first = np.arange(size), (0, size), size
        for column in range(len(levels)):
            if levels[column] or column == len(levels) - 1:  # at least one look
                way[column] = levels[column]
                groups, suppressed, score = self._look(rows, first, column, 0, way)
                whole = self._of_group[whole]
                rows, first = (first, groups), 3 * size - first
        self._state[2] += 1
        self._consider(levels, suppressed, score)
        return whole, suppressed, score

    def _consider(self, levels: I64, suppressed: int, score: float) -> None:
        """Remember a node if it is the best one, or the nearest to the limit."""
        if (suppressed, score) < self._nearest[:2]:
            self._nearest = (suppressed, score, levels.copy())
        if suppressed > self._policy.limit:
            return
        best = float(self._best[0])
        slack = loops.TIE * max(1.0, abs(best)) if best < inf else 0.0
        tied = best < inf and abs(score - best) <= slack
        if score < best - slack or (tied and _rank(levels) < _rank(self._best_levels)):
            self._best_levels[:] = levels
            self._state[3] = suppressed
        self._best[0] = min(best, score)

    def _climb(self) -> bool:
        """Go up from the lowest node to the highest, by the best step each time."""
        levels = np.zeros_like(self._top)
        rows, free = (0, self._size), self._size
        self._jump(levels)
        while (levels < self._top).any():
            scores = {}
            for j in np.flatnonzero(levels < self._top).tolist():
                if self._ended():
                    return False
                levels[j] += 1
                _, suppressed, scores[j] = self._look(rows, free, j, levels[j] - 1, levels)
                self._state[2] += 1
                self._consider(levels, suppressed, scores[j])
                levels[j] -= 1
            chosen = min(scores, key=scores.__getitem__)
            levels[chosen] += 1
            groups, _, _ = self._look(rows, free, chosen, levels[chosen] - 1, levels)
            rows, free = (free, groups), 3 * self._size - free  # the other third
        return True

    def _explore(self, work: int) -> bool:
        """Search the lattice depth first; return whether it was searched to its end."""
        base, policy = self._base, self._policy
        chances = np.zeros((len(self._top), 3), dtype=np.int64)
        order = np.argsort(-base.labels, kind="stable").astype(np.int64)
        stack = np.zeros((int(self._top.sum()) + 2, 4), dtype=np.int64)
        stack[0, 1] = self._size
        levels = np.zeros_like(self._top)
        nodes = prod((self._top + 1).tolist())
        while True:
            ended = loops.explore(
                base.tables,
                self._groups,
                policy.k,
                policy.limit,
                policy.caps,
                base.records,
                base.metric,
                order,
                self._top,
                stack,
                levels,
                self._best_levels,
                self._best,
                self._state,
                self._slots,
                self._flags,
                self._tally,
                self._of_group,
                chances,
                _WORK,
                self._most,
            )
            if ended == loops.DONE:
                return True
            if ended == loops.TOO_SHORT:
                self._groups = self._groups.longer()
            else:
                work -= _WORK
                if work <= 0 or self._ended():
                    return False
            if self._state[1] > _STAMPS:
                self._slots[:] = self._state[1] = 0
            done = _passed(stack[: self._state[0] + 1], levels, order, self._top)
            working_on(f"Searching {nodes:,} ways to generalise", done, nodes)

    def result(self, *, complete: bool, interrupted: bool) -> Found:
        """Return the best node, looked at once more from the lowest one."""
        checked = int(self._state[2])
        if not complete and self._state[3] < 0:
            self._jump(self._top)  # it suppresses fewest, and may not have been looked at
        reached = bool(self._state[3] >= 0)
        levels = self._best_levels.copy() if reached else self._nearest[2]
        of_group, suppressed, score = self._jump(levels)
        kept = self._flags[of_group] == 0
        return Found(
            tuple(levels.tolist()),
            suppressed,
            score,
            checked,
            complete,
            reached,
            kept[self._base.of_combination],
            interrupted,
        )


def _rank(levels: I64) -> tuple[int, list[int]]:
    """Return what nodes of the same score are ordered by: ARX prefers low levels at the end."""
    return int(levels.sum()), levels[::-1].tolist()


def _passed(stack: I64, levels: I64, order: I64, top: I64) -> int:
    """Return how many nodes the search has passed, also those that it left out."""
    heights = (top[order] + 1).tolist()
    current = np.zeros_like(levels)  # the node at each depth
    passed = 0
    for depth, (_, _, last, after) in enumerate(stack.tolist()):
        if depth:
            current[order[last]] += 1
        # the place of the column at hand is that before the next, unless the node is the last
        end = after - 1 if depth + 1 < len(stack) else after
        for p in range(last, min(end, len(heights))):
            column = order[p]
            passed += int(top[column] - current[column]) * prod(heights[p + 1 :])
        passed += 1
    return passed
