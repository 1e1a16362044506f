"""What a value of a condition means for a column of some kind: the same on every engine.

Numbers, truths and dates that are written as text (as in every CSV file) are read by fixed rules,
not by those of a programming language or database, so that all engines select the same records.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum

from singleout.core.text import printable
from singleout.errors import BadChoice
from singleout.where.tree import Number, Text, Truth, Value, name_text, value_text

__all__ = [
    "MOMENTS",
    "NUMBER_PATTERN",
    "TRUTHS",
    "WHOLE_PATTERN",
    "Kind",
    "check_kind",
    "fits",
    "nearest_double",
    "read_moment",
    "read_number",
]


class Kind(StrEnum):
    """What a column holds, as far as comparing is concerned."""

    NUMBERS = "numbers"
    TEXT = "text"
    TRUTHS = "true and false"
    DATES = "dates"  # days
    MOMENTS = "dates with a time"
    ZONED_MOMENTS = "dates with a time and a time zone"
    OTHER = "values of a kind that has no order or equality here"


MOMENTS = frozenset((Kind.DATES, Kind.MOMENTS, Kind.ZONED_MOMENTS))

# Both patterns mean the same to Python, RE2 (DuckDB), Java (Spark), PCRE (MariaDB) and
# PostgreSQL. The numbers of digits are limited so that no database overflows while it reads them.
# A dollar sign also matches before a line break at the end, so texts with one are refused apart.
WHOLE_PATTERN = "^ *[+-]?0{0,60}[0-9]{1,38} *$"
NUMBER_PATTERN = "^ *[+-]?([0-9]{1,98}([.][0-9]{0,99})?|[.][0-9]{1,99})([eE][+-]?[0-9]{1,2})? *$"

TRUTHS = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}

_WHOLE = re.compile(WHOLE_PATTERN)
_NUMBER = re.compile(NUMBER_PATTERN)
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?(?P<zone>Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
_ADVICE = {
    Kind.NUMBERS: "a number is written without quotes, as in {name} > 18",
    Kind.TRUTHS: "write {name} = true or {name} = false",
    Kind.DATES: "a date is written in quotes, as in {name} >= '2001-12-31'",
    Kind.MOMENTS: "a date is written in quotes, as in {name} >= '2001-12-31 23:59:00'",
    Kind.ZONED_MOMENTS: "a date is written in quotes, as in {name} >= '2001-12-31 23:59:00+01:00'",
    Kind.OTHER: "only {name} is null and {name} is not null can be asked",
}
_FITTING: dict[Kind, tuple[type, ...]] = {
    Kind.NUMBERS: (Number,),
    Kind.TEXT: (Number, Text, Truth),
    Kind.TRUTHS: (Truth,),
    Kind.DATES: (Text,),
    Kind.MOMENTS: (Text,),
    Kind.ZONED_MOMENTS: (Text,),
    Kind.OTHER: (),
}


def fits(kind: Kind, value: Value) -> bool:
    """Whether a column of this kind can be compared with the value."""
    return isinstance(value, _FITTING[kind])


def check_kind(column: str, kind: Kind, value: Value) -> None:
    """Refuse a value that a column of this kind cannot be compared with."""
    if not fits(kind, value):
        advice = _ADVICE[kind].format(name=printable(name_text(column)))
        raise BadChoice(
            f"Column {column!r} holds {kind}, and the condition compares it with "
            f"{printable(value_text(value))}: {advice}."
        )


def nearest_double(number: int | Decimal) -> float:
    """Return the number as the columns of floating point numbers hold it."""
    return float(number)


def read_number(text: str) -> int | float | None:
    """Return the number that a text is, None if it is none.

    Whole numbers of up to 38 digits are exact, all others are the nearest double. Blanks around
    the number do not matter.

    >>> read_number("05"), read_number(" 1.50"), read_number("1,5"), read_number("NA")
    (5, 1.5, None, None)
    """
    if text.endswith("\n"):
        return None
    if _WHOLE.match(text):
        return int(text)
    return float(text) if _NUMBER.match(text) else None


def read_moment(column: str, kind: Kind, value: Text) -> datetime:
    """Return the moment that a text is; a date alone is its midnight.

    Without a time zone it is in UTC for columns that have time zones; for others a time zone is
    refused.
    """
    found = _MOMENT.fullmatch(value.value)
    try:
        moment = datetime.fromisoformat(value.value) if found else None
    except ValueError:  # such as the 30th of February
        moment = None
    if found is None or moment is None:
        raise BadChoice(
            f"Column {column!r} holds {kind}, and {printable(value_text(value))} is no date; "
            "write '2001-12-31' or '2001-12-31 23:59:00'."
        )
    if kind == Kind.ZONED_MOMENTS:
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    if moment.tzinfo:
        raise BadChoice(
            f"Column {column!r} holds {kind} and no time zone; leave the time zone "
            f"{printable(found['zone'])} out."
        )
    return moment
