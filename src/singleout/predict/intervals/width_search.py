"""How wide intervals must be for few enough people to be alone: the inverse question.

Over all offsets the share of unique people only falls as intervals widen: a window that grows on
both sides of a person never loses anybody. So there is one answer, found by bisection. With a given
offset an interval can lose people as it widens and its edges move; then the search starts from the
answer over all offsets, and the result says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from singleout.core.arguments import share
from singleout.core.results import ResultPart
from singleout.core.wording import stated_percent
from singleout.errors import UndefinedMeasure
from singleout.predict.distribution.people import readable
from singleout.predict.intervals.line import Line
from singleout.report.say import say

__all__ = ["WidthFor", "find_width"]

_FACTOR = 4.0  # by which the search widens or narrows until the answer lies between
_MOST_STEPS = 60
_HALVINGS = 60
_SMALL_STEP = 1.15  # around the answer over all offsets, where an offset is given


@dataclass(frozen=True)
class WidthFor(ResultPart):
    """The narrowest intervals in which few enough people are alone.

    Parameters
    ----------
    width
        How wide they are.
    share_unique
        The share of all people that are alone at this width.
    target
        The largest share that was asked for.
    people
        How many people there are.
    offset
        Where an interval begins; None for the mean over all offsets.
    notes
        What a reader should know, one sentence each.
    warnings
        Why the width may not be trusted, one sentence each.
    """

    width: float
    share_unique: float
    target: float
    people: int
    offset: float | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def singletons(self) -> float:
        """How many people are expected to be alone at this width."""
        return self.people * self.share_unique

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        return {
            "width": self.width,
            "share_unique": self.share_unique,
            "singletons": self.singletons,
            "target": self.target,
            "people": self.people,
            "offset": "average" if self.offset is None else self.offset,
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }

    def __float__(self) -> float:
        return self.width

    def __str__(self) -> str:
        return say(
            "predict.intervals.width_for",
            target=stated_percent(self.target),
            people=self.people,
            width=readable(self.width),
        )


def find_width(
    line: Line, share_unique: Any, people: int, offset: float | None, notes: tuple[str, ...] = ()
) -> WidthFor:
    """Return the narrowest width at which at most a share of the people is unique."""
    target = share(share_unique, "share_unique")
    _check_possible(line, target, people)
    width = _narrowest(lambda width: _unique(line, width, people, None), target, line.spread)
    warnings: tuple[str, ...] = ()
    if offset is not None:
        _check_split(line, target, people, offset)
        warnings = (say("predict.intervals.edges_move", offset=offset, width=width),)
        width = _near(lambda width: _unique(line, width, people, offset), target, width)
    alone = _unique(line, width, people, offset)
    return WidthFor(width, alone, target, people, offset, notes, warnings)


def _unique(line: Line, width: float, people: int, offset: float | None) -> float:
    return float(line.shares(width, people, offset).shares[0])


def _check_possible(line: Line, target: float, people: int) -> None:
    if people == 1:
        raise UndefinedMeasure("One person is always unique, so no width makes a difference.")
    finest = line.finest(people)
    if finest <= target:
        raise UndefinedMeasure(
            f"Even unrounded only {finest:.2%} of the people are unique, so every width keeps to "
            f"{target:.2%}."
        )


def _check_split(line: Line, target: float, people: int, offset: float) -> None:
    """Refuse an offset that cuts the people in two however wide the intervals are."""
    least = line.split_by(offset, people)
    if least > target:
        raise UndefinedMeasure(
            f"An edge at {offset:g} lies among the values, and leaves {least:.2%} of the people "
            f"unique however wide the intervals are; {target:.2%} needs another offset."
        )


def _narrowest(share: Callable[[float], float], target: float, spread: float) -> float:
    """Return where a falling share reaches the target."""
    from scipy.optimize import brentq

    high = low = spread if spread > 0 else 1.0
    for _ in range(_MOST_STEPS):
        if share(high) <= target:
            break
        high *= _FACTOR
    for _ in range(_MOST_STEPS):
        if share(low) > target:
            break
        low /= _FACTOR
    root = brentq(
        lambda log_width: share(math.exp(log_width)) - target,
        math.log(low),
        math.log(high),
        xtol=1e-10,
        rtol=1e-10,
    )
    return math.exp(root)


def _near(share: Callable[[float], float], target: float, start: float) -> float:
    """Return a width near the start at which the share falls to the target, by bisection."""
    high = start
    for _ in range(_MOST_STEPS):
        if share(high) <= target:
            break
        high *= _SMALL_STEP
    low = high
    for _ in range(_MOST_STEPS):
        if share(low) > target:
            break
        low /= _SMALL_STEP
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if share(middle) > target else (low, middle)
        if high - low <= 1e-13 * high:
            break
    return high
