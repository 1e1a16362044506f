"""Best-first search for the most valuable codings that keep a policy.

Leaving a question out merges sets and never splits one, so whoever is unique without it is unique
with it, whatever the codings are. So if some questions alone break the policy, no questionnaire
that has them keeps it. Partial choices are expanded in the order of the upper bound of their worth,
and the first complete one is the best.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Protocol

from singleout.core.progress import working_on
from singleout.predict.distribution.distribution import Distribution
from singleout.report.say import say

__all__ = ["BestLevels", "Levels", "Space", "search"]

# the coding of each attribute, 0 being the most detailed; the last one drops it
Levels = tuple[int, ...]

_TINY = 1e-12  # bits


class Space(Protocol):
    """The codings that can be chosen, and the distributions they lead to."""

    @property
    def bits(self) -> Sequence[Sequence[float]]:
        """The entropy of each coding of each attribute; 0 for the last, which drops it."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the distributions, one sentence each."""

    def distribution(self, levels: Levels, groups: int) -> Distribution:
        """Return the distribution over the combinations, with so many different probabilities."""


@dataclass(frozen=True)
class BestLevels:
    """The best choice, its worth, and how many choices were evaluated.

    No choice is worth more than ``bound``, which is the worth itself if the search was finished.
    """

    levels: Levels
    worth: float
    bound: float
    tried: int


class _Evaluations:
    """Whether choices keep the policy, each evaluated once."""

    def __init__(self, space: Space, keeps: Callable[[Distribution], bool], groups: int) -> None:
        self._space = space
        self._keeps = keeps
        self._groups = groups
        self._results: dict[Levels, bool] = {}

    @property
    def tried(self) -> int:
        return len(self._results)

    def keeps(self, levels: Levels) -> bool:
        if levels not in self._results:
            self._results[levels] = self._keeps(self._space.distribution(levels, self._groups))
            working_on(say("progress.codings"), self.tried)
        return self._results[levels]


def search(
    space: Space,
    worths: Sequence[Sequence[float]],
    keeps: Callable[[Distribution], bool],
    most: int,
    groups: int,
    never_drop: Collection[int] = (),
) -> BestLevels | None:
    """Return the most valuable choice that keeps the policy; None if none does.

    The attributes of the indices in ``never_drop`` have one of their codings in every choice.

    The worth of a choice is the sum over the attributes. If a distribution ``keeps`` the policy, so
    must every coarser one. After evaluating ``most`` choices the best so far is returned, with the
    bound that was proven.
    """
    evaluations = _Evaluations(space, keeps, groups)
    choices = [len(levels) - (index in never_drop) for index, levels in enumerate(worths)]
    nothing = tuple(len(levels) - 1 for levels in worths)
    if not evaluations.keeps(nothing):
        return None
    return _best_first(worths, choices, evaluations, nothing, most)


def _best_first(
    worths: Sequence[Sequence[float]],
    choices: Sequence[int],
    evaluations: _Evaluations,
    nothing: Levels,
    most: int,
) -> BestLevels | None:
    """Expand partial choices in the order of their upper bounds, until one is complete.

    Attributes that are not decided yet count as dropped, also those that never are: whatever is
    chosen for them, no fewer people will be unique.
    """
    coarsest: Levels = tuple(number - 1 for number in choices)
    best = None
    if evaluations.keeps(coarsest):
        best = _refined(worths, choices, evaluations, coarsest, most)
    reached = -inf if best is None else _worth(worths, best)
    order, rest = _order(worths, choices, evaluations, nothing)
    number = count()  # among equals the deeper one first, then the older one
    queue = [(-rest[0], 0, next(number), nothing)]
    while queue and evaluations.tried < most:
        _, negative_depth, _, levels = heappop(queue)
        depth = -negative_depth
        if depth == len(order):
            best, reached, queue = levels, _worth(worths, levels), []
            break
        attribute = order[depth]
        for level in range(choices[attribute]):
            chosen = _with(levels, attribute, level)
            could = _worth(worths, chosen) + rest[depth + 1]
            if could > reached + _TINY and evaluations.keeps(chosen):
                heappush(queue, (-could, -(depth + 1), next(number), chosen))
    if best is None:
        return None
    bound = max([reached, *(-negative_reach for negative_reach, *_ in queue)])
    return BestLevels(best, reached, bound, evaluations.tried)


def _order(
    worths: Sequence[Sequence[float]],
    choices: Sequence[int],
    evaluations: _Evaluations,
    nothing: Levels,
) -> tuple[list[int], list[float]]:
    """Return the order of decisions, and an upper bound of the worth of the rest after each.

    Attributes worth most are decided first, so that hopeless choices are cut off early.
    """
    most_each = [
        max(
            (
                worth
                for level, worth in enumerate(of_codings[: choices[attribute]])
                if evaluations.keeps(_with(nothing, attribute, level))
            ),
            default=0.0,  # none of its codings can be asked, and it may not be dropped
        )
        for attribute, of_codings in enumerate(worths)
    ]
    order = sorted(range(len(worths)), key=lambda attribute: -most_each[attribute])
    rest = [sum(most_each[each] for each in order[depth:]) for depth in range(len(order) + 1)]
    return order, rest


def _refined(
    worths: Sequence[Sequence[float]],
    choices: Sequence[int],
    evaluations: _Evaluations,
    start: Levels,
    most: int,
) -> Levels:
    """Return a good choice by greedy changes: each time the one of most gain that is allowed.

    A change is a finer coding of one attribute, or that and a coarser one of another.
    """
    levels = start
    while True:
        gains = [change for change in _changes(worths, choices, levels) if change[0] > _TINY]
        better = sorted(gains, key=lambda change: -change[0])
        for _, changed in better:
            if evaluations.tried >= most:
                return levels
            if evaluations.keeps(changed):
                levels = changed
                break
        else:
            return levels


def _changes(
    worths: Sequence[Sequence[float]], choices: Sequence[int], levels: Levels
) -> Iterator[tuple[float, Levels]]:
    """Yield the gain of each change, and the changed levels."""
    finer = [
        (of_codings[level] - of_codings[levels[index]], _with(levels, index, level), index)
        for index, of_codings in enumerate(worths)
        for level in range(levels[index])
    ]
    for gain, changed, index in finer:
        yield gain, changed
        for other, of_codings in enumerate(worths):
            level = levels[other] + 1
            if other != index and level < choices[other]:
                net = gain - (of_codings[level - 1] - of_codings[level])
                yield net, _with(changed, other, level)


def _with(levels: Levels, attribute: int, level: int) -> Levels:
    return (*levels[:attribute], level, *levels[attribute + 1 :])


def _worth(worths: Sequence[Sequence[float]], levels: Levels) -> float:
    return sum(of_codings[level] for of_codings, level in zip(worths, levels, strict=True))
