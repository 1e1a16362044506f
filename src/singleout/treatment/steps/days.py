"""Dates made coarser: day, month, quarter, year, decade."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

__all__ = ["coarser_date", "dates_of"]

_YEAR_FIRST = re.compile(r"(\d{4})([-/.]?)(\d{2})\2(\d{2})(?:[T ].*)?")
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4})")


def dates_of(values: Sequence[Any]) -> list[date] | None:
    """Return the days of dates, timestamps and texts; None if one is no date, or unclear.

    Whether the day or the month comes first is decided by all texts together; dots are always
    between day, month and year.

    >>> dates_of(["2001-12-31", "20011231"])
    [datetime.date(2001, 12, 31), datetime.date(2001, 12, 31)]
    >>> dates_of(["01/02/2003"]) is None, dates_of(["01/02/2003", "13/02/2003"])[0].month
    (True, 2)
    """
    if all(isinstance(value, date) for value in values):
        return [value.date() if isinstance(value, datetime) else value for value in values]
    if not all(isinstance(value, str) for value in values):
        return None
    try:
        return _year_first(values) or _year_last(values)
    except ValueError:  # such as the 30th of February
        return None


def _year_first(texts: Sequence[str]) -> list[date] | None:
    matches = [_YEAR_FIRST.fullmatch(text.strip()) for text in texts]
    if not all(matches):
        return None
    return [date(int(m[1]), int(m[3]), int(m[4])) for m in matches if m]


def _year_last(texts: Sequence[str]) -> list[date] | None:
    matches = [_YEAR_LAST.fullmatch(text.strip()) for text in texts]
    if not all(matches):
        return None
    parts = [(int(m[1]), int(m[3]), int(m[4]), m[2]) for m in matches if m]
    day_first = any(first > 12 for first, *_ in parts) or all(mark == "." for *_, mark in parts)
    month_first = any(second > 12 for _, second, *_ in parts)
    if day_first == month_first:
        return None
    if day_first:
        return [date(year, month, day) for day, month, year, _ in parts]
    return [date(year, month, day) for month, day, year, _ in parts]


def coarser_date(day: date, level: str, *, as_text: bool) -> Any:
    """Return what is published of a date: a day is a date and a year a number, unless as text.

    >>> from datetime import date
    >>> day = date(1987, 5, 3)
    >>> [coarser_date(day, level, as_text=True) for level in ("day", "month", "quarter", "decade")]
    ['1987-05-03', '1987-05', '1987-Q2', '1980s']
    >>> coarser_date(day, "year", as_text=False)
    1987
    """
    if level == "day":
        return day.isoformat() if as_text else day
    if level == "month":
        return f"{day.year:04d}-{day.month:02d}"
    if level == "quarter":
        return f"{day.year:04d}-Q{(day.month + 2) // 3}"
    if level == "year":
        return str(day.year) if as_text else day.year
    return f"{day.year // 10 * 10}s"
