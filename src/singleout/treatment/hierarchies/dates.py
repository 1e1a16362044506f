"""Dates as people write them: the year, the month and the day of each, where unambiguous."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["DateParts", "date_parts"]

_YEAR_FIRST = re.compile(r"(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:[T ].*)?")
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})")
_TOGETHER = re.compile(r"((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")
_IN_WORDS = re.compile(r"(\d{1,2})[ -]([^\W\d_]{3,10})\.?[ -](\d{4}|\d{2})")
_MONTHS = 12
_DAY = len("2021-03-05")


@dataclass(frozen=True)
class DateParts:
    """The parts of a date.

    Parameters
    ----------
    year
        The year, as it is written.
    month
        The month, by its number or its word; None if it may as well be the day.
    order
        What dates are sorted by; None where that is ambiguous.
    day
        The day; None if it may as well be the month.
    """

    year: str
    month: str | None
    order: tuple[int, int, int] | None
    day: str | None = None


def date_parts(texts: Sequence[str]) -> list[DateParts] | None:
    """Return the parts of all dates; None if a text is none.

    Whether the day or the month comes first is decided by all dates together.

    >>> date_parts(["01/12/1950", "31/01/1950"])[0].order
    (1950, 12, 1)
    >>> print(date_parts(["01/12/1950", "02/01/1950"])[0].month)
    None
    """
    for read in (_year_first, _year_last, _in_words):
        found = read(texts)
        if found is not None:
            return found
    return None


def _year_first(texts: Sequence[str]) -> list[DateParts] | None:
    found = []
    of_day: dict[str, DateParts] = {}
    for text in texts:
        head = text[:_DAY] if text[_DAY : _DAY + 1] in ("T", " ") else text  # many times of a day
        parts = of_day.get(head)
        if parts is None:
            match = _YEAR_FIRST.fullmatch(text) or _TOGETHER.fullmatch(text)
            if match is None:
                return None
            year, *_, month, day = match.groups()
            parts = of_day[head] = _dated(year, int(month), int(day))
        found.append(parts)
    return found or None


def _year_last(texts: Sequence[str]) -> list[DateParts] | None:
    numbers = []
    for text in texts:
        match = _YEAR_LAST.fullmatch(text)
        if match is None:
            return None
        numbers.append((int(match[1]), int(match[3]), match[4]))
    day_first = any(first > _MONTHS for first, _, _ in numbers)
    month_first = any(second > _MONTHS for _, second, _ in numbers)
    if day_first == month_first:  # nothing tells them apart, or both are mixed
        return [DateParts(year, None, None) for _, _, year in numbers] or None
    return [
        _dated(year, *((second, first) if day_first else (first, second)))
        for first, second, year in numbers
    ]


def _in_words(texts: Sequence[str]) -> list[DateParts] | None:
    found = []
    for text in texts:
        match = _IN_WORDS.fullmatch(text)
        if match is None:
            return None
        found.append(DateParts(match[3], match[2].casefold(), None, f"{int(match[1]):02}"))
    return found or None


def _dated(year: str, month: int, day: int) -> DateParts:
    # two digits do not tell the century
    order = (int(year), month, day) if len(year) == 4 else None
    return DateParts(year, f"{month:02}", order, f"{day:02}")
