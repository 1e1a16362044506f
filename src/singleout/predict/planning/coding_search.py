"""The search for the codings that are worth most of those that keep a policy.

Leaving a question out merges sets and never splits one, so whoever is unique without it is unique
with it: always, whatever the codings are. So if some questions alone break the policy, no
questionnaire that has them keeps it. Partial choices are taken up in the order of what they
could still be worth, and the first complete one is the best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Protocol

from singleout.core.progress import working_on
from singleout.predict.distribution.distribution import Distribution

__all__ = ["Found", "Levels", "Space", "search"]

# the coding of each attribute, 0 being the most detailed; the last one drops it
Levels = tuple[int, ...]

_TINY = 1e-12  # bits


class Space(Protocol):
    """What can be chosen, and what it leads to."""

    @property
    def bits(self) -> Sequence[Sequence[float]]:
        """What each coding of each attribute tells on average; 0 for the last, which drops it."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, one sentence each."""

    def distribution(self, levels: Levels, groups: int) -> Distribution:
        """Return how people spread over the combinations in these codings.

        ``groups`` is how many different probabilities to keep apart at most.
        """


@dataclass(frozen=True)
class Found:
    """What the search found.

    Parameters
    ----------
    levels
        The best choice.
    worth
        What it is worth.
    bound
        What no choice can be worth more than: the same if the search was finished.
    tried
        How many choices were evaluated.
    """

    levels: Levels
    worth: float
    bound: float
    tried: int


class _Tally:
    """Answers whether choices keep the policy, and counts how often it was asked."""

    def __init__(self, space: Space, keeps: Callable[[Distribution], bool], groups: int) -> None:
        self._space = space
        self._keeps = keeps
        self._groups = groups
        self._seen: dict[Levels, bool] = {}

    @property
    def tried(self) -> int:
        return len(self._seen)

    def keeps(self, levels: Levels) -> bool:
        if levels not in self._seen:
            self._seen[levels] = self._keeps(self._space.distribution(levels, self._groups))
            working_on("Trying codings", self.tried)
        return self._seen[levels]


def search(
    space: Space,
    worths: Sequence[Sequence[float]],
    keeps: Callable[[Distribution], bool],
    most: int,
    groups: int,
) -> Found | None:
    """Return the choice that is worth most of those that keep the policy; None if none does.

    Parameters
    ----------
    space
        What can be chosen.
    worths
        What each coding of each attribute is worth; what they are worth together is the sum.
    keeps
        Whether a distribution keeps the policy. It must not matter that sets are merged: if a
        distribution keeps it, so must every coarser one.
    most
        How many choices to evaluate at most. If they run out, the best so far is returned, with
        the bound that was proven.
    groups
        How many different probabilities to keep apart.
    """
    tally = _Tally(space, keeps, groups)
    nothing = tuple(len(levels) - 1 for levels in worths)
    if not tally.keeps(nothing):
        return None
    return _best_first(worths, tally, nothing, most)


def _best_first(
    worths: Sequence[Sequence[float]], tally: _Tally, nothing: Levels, most: int
) -> Found:
    """Take up partial choices in the order of what they could reach, until one is complete."""
    best = _refined(worths, tally, nothing, most)
    reached = _worth(worths, best)
    order, rest = _order(worths, tally, nothing)
    number = count()  # among equals the deeper one first, then the older one
    queue = [(-rest[0], 0, next(number), nothing)]
    while queue and tally.tried < most:
        _, negative_depth, _, levels = heappop(queue)
        depth = -negative_depth
        if depth == len(order):
            best, reached, queue = levels, _worth(worths, levels), []
            break
        place = order[depth]
        for level in range(len(worths[place])):
            chosen = _with(levels, place, level)
            could = _worth(worths, chosen) + rest[depth + 1]
            if could > reached + _TINY and tally.keeps(chosen):
                heappush(queue, (-could, -(depth + 1), next(number), chosen))
    bound = max([reached, *(-negative_reach for negative_reach, *_ in queue)])
    return Found(best, reached, bound, tally.tried)


def _order(
    worths: Sequence[Sequence[float]], tally: _Tally, nothing: Levels
) -> tuple[list[int], list[float]]:
    """Return in which order to decide, and what the rest could add after each decision.

    What tells most apart is decided first: then a hopeless choice shows after few questions.
    """
    most_each = [
        max(
            worth
            for level, worth in enumerate(of_codings)
            if tally.keeps(_with(nothing, place, level))
        )
        for place, of_codings in enumerate(worths)
    ]
    order = sorted(range(len(worths)), key=lambda place: -most_each[place])
    rest = [sum(most_each[place] for place in order[depth:]) for depth in range(len(order) + 1)]
    return order, rest


def _refined(worths: Sequence[Sequence[float]], tally: _Tally, start: Levels, most: int) -> Levels:
    """Return a good choice: again and again the change that gains most and is kept.

    A change is a finer coding of one attribute, or that and a coarser one of another.
    """
    levels = start
    while True:
        gains = [change for change in _changes(worths, levels) if change[0] > _TINY]
        better = sorted(gains, key=lambda change: -change[0])
        for _, changed in better:
            if tally.tried >= most:
                return levels
            if tally.keeps(changed):
                levels = changed
                break
        else:
            return levels


def _changes(worths: Sequence[Sequence[float]], levels: Levels) -> Iterator[tuple[float, Levels]]:
    """Yield what is worth more, and by how much."""
    finer = [
        (of_codings[level] - of_codings[levels[place]], _with(levels, place, level), place)
        for place, of_codings in enumerate(worths)
        for level in range(levels[place])
    ]
    for gain, changed, place in finer:
        yield gain, changed
        for other, of_codings in enumerate(worths):
            level = levels[other] + 1
            if other != place and level < len(of_codings):
                net = gain - (of_codings[level - 1] - of_codings[level])
                yield net, _with(changed, other, level)


def _with(levels: Levels, place: int, level: int) -> Levels:
    return (*levels[:place], level, *levels[place + 1 :])


def _worth(worths: Sequence[Sequence[float]], levels: Levels) -> float:
    return sum(of_codings[level] for of_codings, level in zip(worths, levels, strict=True))
