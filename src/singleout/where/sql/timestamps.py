"""Comparisons of date and time columns in databases, to the microsecond and in one time zone.

What is finer is cut off, as it is in memory, where moments are those of Python.
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
from singleout.where.kinds import Kind
from singleout.where.sql.functions import database_function
from singleout.where.sql.numbers import Grid, applied, compare_on_grid
from singleout.where.sql.text import compare_texts, matches

__all__ = ["compare_moments"]

_TICK = timedelta(microseconds=1)
_DECIMALS = 6  # of a second, in microseconds
_NANOSECONDS = Grid(0, (-(2**63), 2**63 - 1), "int64")
_DAY = "^[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = "[0-9]{2}:[0-9]{2}"
_SECONDS = Grid(6, (1 - 10**20, 10**20 - 1), "decimal(20, 6)")


def compare_moments(
    column: Any, comparison: str, moments: Sequence[datetime], kind: Kind, backend: str
) -> Any:
    """Compare a column of dates, or of dates with a time, with moments."""
    if backend == "sqlite":
        return _compare_in_sqlite(column, comparison, moments, kind)
    if kind == Kind.DATES:
        # a day is after a moment exactly where it is after the day of that moment
        return compare_on_grid(column, comparison, [_days(m) for m in moments], _Calendar())
    if kind == Kind.ZONED_MOMENTS and backend == "mysql":
        # a TIMESTAMP is shown in the time zone of the session, but counts seconds in UTC
        seconds = [Fraction(_microseconds(m), 10**6) for m in moments]
        epoch = database_function("unix_timestamp", ("timestamp('UTC')",), "decimal(20, 6)")
        return compare_on_grid(epoch(column), comparison, seconds, _SECONDS)
    if (column.type().scale or 0) > _DECIMALS:
        return _compare_finer(column, comparison, moments, backend)
    return applied(comparison, column, [_literal(moment, backend) for moment in moments])


def _compare_finer(column: Any, comparison: str, moments: Sequence[datetime], backend: str) -> Any:
    """Compare a column that is finer than microseconds, after cutting off what is finer."""
    if comparison == "in":
        each = (_compare_finer(column, "=", [moment], backend) for moment in moments)
        return reduce(operator.or_, each)
    moment = moments[0]
    earlier = _is_before(column, moment, 0, backend)
    later = ~_is_before(column, moment, 1, backend)
    answers = {
        "<": lambda: earlier,
        ">=": lambda: ~earlier,
        ">": lambda: later,
        "<=": lambda: ~later,
        "!=": lambda: earlier | later,
        "=": lambda: ~(earlier | later),
    }
    return answers[comparison]()


def _is_before(column: Any, moment: datetime, ticks: int, backend: str) -> Any:
    """Return whether a column is before some microseconds after a moment."""
    if backend == "duckdb":
        # as numbers: to compare them, DuckDB would turn moments that are far away into nanoseconds
        count = database_function("epoch_ns", (str(column.type().copy(nullable=True)),), "int64")
        nanoseconds = 1000 * (_microseconds(moment) + ticks)
        return compare_on_grid(count(column), "<", [nanoseconds], _NANOSECONDS)
    last = datetime.max.replace(tzinfo=moment.tzinfo)
    return column < _literal(moment if moment == last else moment + ticks * _TICK, backend)


class _Calendar(Grid):
    """The days of the calendar, numbered from the first of January of the year 1."""

    def __init__(self) -> None:
        super().__init__(0, (date.min.toordinal(), date.max.toordinal()), "date")

    def literal(self, multiple: int) -> Any:
        """Return a day as a literal."""
        import ibis

        return ibis.literal(date.fromordinal(multiple))


def _days(moment: datetime) -> Fraction:
    """Return a moment as a number of days, exactly."""
    of_day = moment - datetime.combine(moment.date(), time.min)
    return moment.toordinal() + Fraction(of_day // _TICK, timedelta(days=1) // _TICK)


def _microseconds(moment: datetime) -> int:
    return (moment - datetime(1970, 1, 1, tzinfo=UTC if moment.tzinfo else None)) // _TICK


def _literal(moment: datetime, backend: str) -> Any:
    import ibis

    if backend == "mysql":
        return ibis.literal(moment)
    if moment.tzinfo:
        return ibis.literal(moment.astimezone(UTC).isoformat(" ")).cast("timestamp('UTC', 6)")
    # read from text by the database, since DuckDB would be given the seconds as a double
    return ibis.literal(moment.isoformat(" ")).cast("timestamp(6)")


def _compare_in_sqlite(
    column: Any, comparison: str, moments: Sequence[datetime], kind: Kind
) -> Any:
    import ibis

    if kind == Kind.ZONED_MOMENTS:
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
    operands = [moment.isoformat(" ", "microseconds") for moment in moments]
    return compare_texts(completed, comparison, operands, "sqlite")
