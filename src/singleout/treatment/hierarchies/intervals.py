"""Intervals as labels: one way to write them that people read, and that can be parsed again.

Whole numbers are written with both ends, ``20-29``, and with `` to `` where one is negative; other
numbers from the low end to below the high one, ``20 to <30``; bands without an end ``<20`` and
``80+``. A range of single values is written from the first to the last, ``1.5 to 2.25``.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import NamedTuple

__all__ = ["Interval", "band", "contains", "figure", "parse_interval", "span"]

_NUMBER = r"[-−+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_BRACKETS = re.compile(rf"([\[\](])\s*({_NUMBER})?\s*[,;]\s*({_NUMBER})?\s*([\[\])])")
_RANGE = re.compile(rf"({_NUMBER})\s*(?:-|–|—|\.\.|\bto\b)\s*(<?)\s*({_NUMBER})")
_SIDE = re.compile(rf"(<=|>=|<|>|≤|≥|under\b|over\b|below\b|above\b)\s*({_NUMBER})")
_FROM = re.compile(rf"({_NUMBER})\s*(?:\+|(?:and|or)\s+(?:over|more|older|above|up)\b)")
_UP_TO = re.compile(rf"({_NUMBER})\s*(?:and|or)\s+(?:under|less|fewer|younger|below)\b")
_ALONE = re.compile(_NUMBER)
_LONG = 10**22  # whole numbers up to this are written with all their figures


class Interval(NamedTuple):
    """A range of numbers; an end that is infinite is not closed."""

    low: float
    high: float
    low_closed: bool
    high_closed: bool


def parse_interval(text: str) -> Interval | None:
    """Return the numbers that a label stands for; None if it is no interval.

    The usual forms of other tools are understood as well; a number alone is an interval of one.

    >>> parse_interval("20-29")
    Interval(low=20.0, high=29.0, low_closed=True, high_closed=True)
    >>> parse_interval("[20, 30[") == parse_interval("[20,30)") == parse_interval("20 to <30")
    True
    >>> parse_interval("≥ 65") == parse_interval("65+") == parse_interval(">=65")
    True
    >>> parse_interval("-5-10").low, parse_interval("nurse"), parse_interval("2021-03")
    (-5.0, None, None)
    """
    text = text.strip()
    for pattern, read in _FORMS:
        match = pattern.fullmatch(text)
        if match is not None:
            found = read(match)
            return found if _possible(found) else None
    return None


def contains(interval: Interval, number: float) -> bool:
    """Whether a number lies in an interval.

    >>> contains(parse_interval("20 to <30"), 30), contains(parse_interval("80+"), 80)
    (False, True)
    """
    above = number > interval.low or (interval.low_closed and number == interval.low)
    below = number < interval.high or (interval.high_closed and number == interval.high)
    return above and below


def _possible(interval: Interval) -> bool:
    if interval.low == interval.high:
        return interval.low_closed and interval.high_closed
    return interval.low < interval.high


def _float(text: str) -> float:
    return float(text.replace("−", "-"))


def _brackets(match: re.Match[str]) -> Interval:
    left, low, high, right = match.groups()
    return Interval(
        -math.inf if low is None else _float(low),
        math.inf if high is None else _float(high),
        low is not None and left == "[",
        high is not None and right == "]",
    )


def _range(match: re.Match[str]) -> Interval:
    return Interval(_float(match[1]), _float(match[3]), True, not match[2])


def _side(match: re.Match[str]) -> Interval:
    sign, number = match[1], _float(match[2])
    if sign[0] in "<≤u" or sign == "below":
        return Interval(-math.inf, number, False, sign in ("<=", "≤"))
    return Interval(number, math.inf, sign in (">=", "≥"), False)


def _from(match: re.Match[str]) -> Interval:
    return Interval(_float(match[1]), math.inf, True, False)


def _up_to(match: re.Match[str]) -> Interval:
    return Interval(-math.inf, _float(match[1]), False, True)


def _alone(match: re.Match[str]) -> Interval:
    return Interval(_float(match[0]), _float(match[0]), True, True)


_FORMS = (
    (_ALONE, _alone),
    (_RANGE, _range),
    (_BRACKETS, _brackets),
    (_SIDE, _side),
    (_FROM, _from),
    (_UP_TO, _up_to),
)


# ---- writing


def figure(number: float | Decimal) -> str:
    """Return a number as a label has it: the shortest text that reads as the same number.

    >>> figure(20.0), figure(0.1), figure(-3.0), figure(2**53 + 1)
    ('20', '0.1', '-3', '9007199254740993')
    >>> figure(Decimal("20.0")), figure(Decimal("2.50")), figure(Decimal("1E+3"))
    ('20', '2.5', '1000')
    """
    if isinstance(number, Decimal):
        whole = number == number.to_integral_value()
        return str(int(number)) if whole else format(number.normalize(), "f")
    if isinstance(number, int) or (float(number).is_integer() and abs(number) <= _LONG):
        return str(int(number))
    return repr(float(number))


def band(low: float | Decimal, high: float | Decimal, *, whole: bool) -> str:
    """Return the label of the numbers from one cut to below the next; cuts may be infinite.

    >>> band(20, 30, whole=True), band(20, 30, whole=False), band(7, 8, whole=True)
    ('20-29', '20 to <30', '7')
    >>> band(-10, 0, whole=True), band(-math.inf, 20, whole=True), band(80, math.inf, whole=True)
    ('-10 to -1', '<20', '80+')
    """
    if low == -math.inf:
        return "*" if high == math.inf else f"<{figure(high)}"
    if high == math.inf:
        return f"{figure(low)}+"
    if whole:  # the float before a large one is not the whole number before it
        return span(int(low), int(high) - 1, whole=True)
    return f"{figure(low)} to <{figure(high)}"


def span(first: float | Decimal, last: float | Decimal, *, whole: bool) -> str:
    """Return the label of the numbers from the first to the last, both included.

    >>> span(34, 41, whole=True), span(34, 34, whole=True), span(1.5, 2.25, whole=False)
    ('34-41', '34', '1.5 to 2.25')
    """
    if first == last:
        return figure(first)
    sign = "-" if whole and first >= 0 else " to "
    return f"{figure(first)}{sign}{figure(last)}"
