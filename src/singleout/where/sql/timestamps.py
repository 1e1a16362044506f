"""Comparisons of date and time columns in databases, to the microsecond and in one time zone.

Finer digits are truncated, as in memory, where timestamps are those of Python.
SQLite has no dates: there a column that is declared as one is expected to hold texts such as
``2001-12-31`` or ``2001-12-31 23:59:00.5``, with a blank or a T. Anything else in it is unknown.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from functools import reduce
from typing import Any

from singleout.errors import BadChoice
from singleout.where.kinds import ColumnKind
from singleout.where.sql.functions import database_function
from singleout.where.sql.numbers import Grid, applied, compare_on_grid
from singleout.where.sql.text import compare_texts, matches

__all__ = ["compare_timestamps"]

_TICK = timedelta(microseconds=1)
_DECIMALS = 6  # of a second, in microseconds
_NANOSECONDS = Grid(0, (-(2**63), 2**63 - 1), "int64")
_DAY = "^[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = "[0-9]{2}:[0-9]{2}"
_SECONDS = Grid(6, (1 - 10**20, 10**20 - 1), "decimal(20, 6)")


def compare_timestamps(
    column: Any, comparison: str, timestamps: Sequence[datetime], kind: ColumnKind, backend: str
) -> Any:
    """Compare a column of dates or timestamps with timestamps."""
    if backend == "sqlite":
        return _compare_in_sqlite(column, comparison, timestamps, kind)
    if kind == ColumnKind.DATES:
        # a day is after a timestamp exactly where it is after the day of that timestamp
        return compare_on_grid(column, comparison, [_days(m) for m in timestamps], _Calendar())
    if kind == ColumnKind.ZONED_TIMESTAMPS and backend == "mysql":
        # a TIMESTAMP is shown in the time zone of the session, but counts seconds in UTC
        seconds = [Fraction(_microseconds(m), 10**6) for m in timestamps]
        epoch = database_function("unix_timestamp", ("timestamp('UTC')",), "decimal(20, 6)")
        return compare_on_grid(epoch(column), comparison, seconds, _SECONDS)
    if (column.type().scale or 0) > _DECIMALS:
        return _compare_finer(column, comparison, timestamps, backend)
    return applied(comparison, column, [_literal(timestamp, backend) for timestamp in timestamps])


def _compare_finer(
    column: Any, comparison: str, timestamps: Sequence[datetime], backend: str
) -> Any:
    """Compare a column that is finer than microseconds, truncated to microseconds."""
    if comparison == "in":
        each = (_compare_finer(column, "=", [timestamp], backend) for timestamp in timestamps)
        return reduce(operator.or_, each)
    timestamp = timestamps[0]
    earlier = _is_before(column, timestamp, 0, backend)
    later = ~_is_before(column, timestamp, 1, backend)
    answers = {
        "<": lambda: earlier,
        ">=": lambda: ~earlier,
        ">": lambda: later,
        "<=": lambda: ~later,
        "!=": lambda: earlier | later,
        "=": lambda: ~(earlier | later),
    }
    return answers[comparison]()


def _is_before(column: Any, timestamp: datetime, ticks: int, backend: str) -> Any:
    """Return whether a column is before a timestamp plus some microseconds."""
    if backend == "duckdb":
        # as numbers: to compare them, DuckDB would turn timestamps far away into nanoseconds
        count = database_function("epoch_ns", (str(column.type().copy(nullable=True)),), "int64")
        nanoseconds = 1000 * (_microseconds(timestamp) + ticks)
        return compare_on_grid(count(column), "<", [nanoseconds], _NANOSECONDS)
    last = datetime.max.replace(tzinfo=timestamp.tzinfo)
    return column < _literal(timestamp if timestamp == last else timestamp + ticks * _TICK, backend)


class _Calendar(Grid):
    """The days of the calendar, numbered from the first of January of the year 1."""

    def __init__(self) -> None:
        super().__init__(0, (date.min.toordinal(), date.max.toordinal()), "date")

    def literal(self, multiple: int) -> Any:
        """Return a day as a literal."""
        import ibis

        return ibis.literal(date.fromordinal(multiple))


def _days(timestamp: datetime) -> Fraction:
    """Return a timestamp as an exact number of days."""
    of_day = timestamp - datetime.combine(timestamp.date(), time.min)
    return timestamp.toordinal() + Fraction(of_day // _TICK, timedelta(days=1) // _TICK)


def _microseconds(timestamp: datetime) -> int:
    return (timestamp - datetime(1970, 1, 1, tzinfo=UTC if timestamp.tzinfo else None)) // _TICK


def _literal(timestamp: datetime, backend: str) -> Any:
    import ibis

    if backend == "mysql":
        return ibis.literal(timestamp)
    if timestamp.tzinfo:
        return ibis.literal(timestamp.astimezone(UTC).isoformat(" ")).cast("timestamp('UTC', 6)")
    # parsed from text by the database, since DuckDB would get the seconds as a double
    return ibis.literal(timestamp.isoformat(" ")).cast("timestamp(6)")


def _compare_in_sqlite(
    column: Any, comparison: str, timestamps: Sequence[datetime], kind: ColumnKind
) -> Any:
    import ibis

    if kind == ColumnKind.ZONED_TIMESTAMPS:
        raise BadChoice(
            f"Column {column.get_name()!r} is declared with a time zone, which SQLite does not "
            "have; make a view of the records that you want, and name the view."
        )
    text = column.cast("string")
    spaced = text.replace("T", " ")
    # all in the longest form, so that the order of the texts is the order of time
    completed = ibis.cases(
        (matches(text, f"{_DAY}$"), text + " 00:00:00.000000"),
        (matches(text, f"{_DAY}[T ]{_TIME}$"), spaced + ":00.000000"),
        (matches(text, f"{_DAY}[T ]{_TIME}:[0-9]{{2}}$"), spaced + ".000000"),
        (
            matches(text, f"{_DAY}[T ]{_TIME}:[0-9]{{2}}[.][0-9]{{1,6}}$"),
            (spaced + "000000").substr(0, 26),
        ),
        else_=ibis.null("string"),
    )
    operands = [timestamp.isoformat(" ", "microseconds") for timestamp in timestamps]
    return compare_texts(completed, comparison, operands, "sqlite")
