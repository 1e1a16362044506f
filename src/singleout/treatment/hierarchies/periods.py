"""Hierarchies of dates: timestamp, day, month, quarter, year, decade, ``*``.

Labels are ``2021-03-05``, ``2021-03``, ``2021-Q1``, ``2021``, ``2020s`` and ``2000-2019``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

import numpy as np

from singleout.core.arrays import I64
from singleout.core.table import Column
from singleout.errors import BadChoice, UnusableColumn, did_you_mean
from singleout.treatment.hierarchies.dates import DateParts, date_parts
from singleout.treatment.hierarchies.hierarchy import Hierarchy
from singleout.treatment.hierarchies.levels import Level, assembled, finer, up_to_one

__all__ = ["PERIODS", "Days", "days_in_order", "days_of", "from_dates", "proposed_periods"]

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_LONGEST_MONTH = 31
_LOOKED_AT = 20  # values that tell at once that there are no dates
_MANY_DECADES = 3  # more of them are taken together twice


class Day(NamedTuple):
    """A day as it is written: month and day are None where they cannot be told."""

    year: str
    month: str | None
    day: str | None


class Days(NamedTuple):
    """The different days of a column, and which each value is."""

    different: tuple[Day, ...]
    of_value: I64


def _month(day: Day) -> str:
    return f"{day.year}-{day.month}"


def _quarter(day: Day) -> str:
    # a month that is an unknown word belongs to no known quarter
    known = day.month is not None and day.month.isdecimal()
    return f"{day.year}-Q{(int(day.month or 1) + 2) // 3}" if known else _month(day)


def _decade(day: Day) -> str:
    return f"{day.year[:-1]}0s"


def _score(day: Day) -> str:
    first = int(day.year) // 20 * 20
    return f"{first:0{len(day.year)}}-{first + 19:0{len(day.year)}}"


PERIODS: dict[str, Callable[[Day], str]] = {
    "day": lambda day: f"{day.year}-{day.month}-{day.day}",
    "month": _month,
    "quarter": _quarter,
    "year": lambda day: day.year,
    "decade": _decade,
    "20 years": _score,
}
_NEED_MONTHS = ("day", "month", "quarter")


def from_dates(
    column: Column, periods: Sequence[str] = ("month", "quarter", "year", "decade")
) -> Hierarchy:
    """Return the hierarchy of dates by periods, from short to long.

    Where day and month cannot be told apart, only years and longer periods are used.

    Parameters
    ----------
    column
        The column of dates, timestamps, or text that reads as dates.
    periods
        Some of ``day``, ``month``, ``quarter``, ``year``, ``decade``, ``20 years``.

    Examples
    --------
    >>> import singleout as so
    >>> born = so.read({"born": ["05/03/2021", "31/01/2019"]})["born"]
    >>> from_dates(born).rows[0]
    ['05/03/2021', '2021-03', '2021-Q1', '2021', '2020s', '*']
    """
    days = days_of(column)
    if days is None:
        raise UnusableColumn(
            f"Periods need dates, but {column.name!r} has values such as "
            f"{next(iter(column.values), None)!r}; write them as 2021-03-05."
        )
    order = list(PERIODS)
    for period in periods:
        if period not in PERIODS:
            raise BadChoice(
                f"{period!r} is no period; choose from {', '.join(PERIODS)}."
                + did_you_mean(period, PERIODS)
            )
    if [*map(order.index, periods)] != sorted({*map(order.index, periods)}):
        raise BadChoice(f"Periods go from short to long, each once, not {list(periods)}.")
    return assembled(column, up_to_one(_levels(days, periods)))


def proposed_periods(column: Column, days: Days) -> list[Level]:
    """Return levels of dates, only those that take something together."""
    decades = {_decade(day) for day in days.different}
    longer = ["20 years"] if len(decades) > _MANY_DECADES else []
    periods = [period for period in PERIODS if period != "20 years"] + longer
    return finer(_levels(days, periods), len(column.values))


def _levels(days: Days, periods: Sequence[str]) -> list[Level]:
    known = all(day.month is not None for day in days.different)
    return [
        _by_period(days, PERIODS[period])
        for period in periods
        if known or period not in _NEED_MONTHS
    ]


def _by_period(days: Days, label: Callable[[Day], str]) -> Level:
    number_of: dict[str, int] = {}
    of_day = [number_of.setdefault(label(day), len(number_of)) for day in days.different]
    return Level(np.array(of_day, dtype=np.int64)[days.of_value], tuple(number_of))


# ---- the days


def days_of(column: Column) -> Days | None:
    """Return the days of the values of a column; None if they are not all dates."""
    values = list(column.values)
    if values and all(isinstance(value, date) for value in values):
        keys: list[Any] = [v.date() if isinstance(v, datetime) else v for v in values]
        return _different(keys, lambda v: Day(f"{v.year:04}", f"{v.month:02}", f"{v.day:02}"))
    if date_parts([str(value) for value in values[:_LOOKED_AT]]) is None:
        return None
    parts = date_parts([str(value) for value in values])
    days = None if parts is None else _different(parts, _day)
    return days if days is not None and all(map(_is_possible, days.different)) else None


def _different(keys: Sequence[Any], day: Callable[[Any], Day]) -> Days:
    number_of: dict[Any, int] = {}
    of_value = [number_of.setdefault(key, len(number_of)) for key in keys]
    return Days(tuple(map(day, number_of)), np.array(of_value, dtype=np.int64))


def days_in_order(days: Days) -> I64 | None:
    """Return the codes of dates in their order; None if days, months or centuries are not known.

    Times of one day follow each other as in the codebook.
    """
    if not all(_is_whole(day) for day in days.different):
        return None
    keys = np.array([int("".join(map(str, day))) for day in days.different], dtype=np.int64)
    return np.argsort(keys[days.of_value], kind="stable")


def _is_whole(day: Day) -> bool:
    return len(day.year) == 4 and day.month is not None and day.month.isdecimal()


def _is_possible(day: Day) -> bool:
    if day.month is None or not day.month.isdecimal():
        return True
    return 1 <= int(day.month) <= len(_MONTHS) and 1 <= int(day.day or 1) <= _LONGEST_MONTH


def _day(parts: DateParts) -> Day:
    month = parts.month
    if month is not None and month[:3] in _MONTHS:
        month = f"{_MONTHS.index(month[:3]) + 1:02}"
    return Day(parts.year, month, parts.day)
