"""How a column of some kind is compared with a value of a condition: the same on every engine.

Numbers, booleans and dates that are written as text (as in every CSV file) are parsed by fixed
rules, not by those of a programming language or database, so that all engines select the same
records.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from enum import StrEnum

from singleout.core.text import printable
from singleout.errors import BadChoice
from singleout.where.tree import (
    NumberLiteral,
    TextLiteral,
    TruthLiteral,
    Value,
    name_text,
    value_text,
)

__all__ = [
    "NUMBER_PATTERN",
    "TIME_KINDS",
    "TRUTHS",
    "WHOLE_PATTERN",
    "ColumnKind",
    "check_kind",
    "fits",
    "read_number",
    "read_timestamp",
]


class ColumnKind(StrEnum):
    """What a column holds, as far as comparing is concerned."""

    NUMBERS = "numbers"
    TEXT = "text"
    TRUTHS = "true and false"
    DATES = "dates"  # days
    TIMESTAMPS = "dates with a time"
    ZONED_TIMESTAMPS = "dates with a time and a time zone"
    OTHER = "values of a kind that has no order or equality here"


TIME_KINDS = frozenset((ColumnKind.DATES, ColumnKind.TIMESTAMPS, ColumnKind.ZONED_TIMESTAMPS))

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
_TIMESTAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?(?P<zone>Z|[+-][0-9]{2}:[0-9]{2})?)?"
)
_QUOTED_DATE = "a date is written in quotes, as in {name} >= "
_ADVICE = {
    ColumnKind.NUMBERS: "a number is written without quotes, as in {name} > 18",
    ColumnKind.TRUTHS: "write {name} = true or {name} = false",
    ColumnKind.DATES: _QUOTED_DATE + "'2001-12-31'",
    ColumnKind.TIMESTAMPS: _QUOTED_DATE + "'2001-12-31 23:59:00'",
    ColumnKind.ZONED_TIMESTAMPS: _QUOTED_DATE + "'2001-12-31 23:59:00+01:00'",
    ColumnKind.OTHER: "only {name} is null and {name} is not null can be asked",
}
_FITTING: dict[ColumnKind, tuple[type, ...]] = {
    ColumnKind.NUMBERS: (NumberLiteral,),
    ColumnKind.TEXT: (NumberLiteral, TextLiteral, TruthLiteral),
    ColumnKind.TRUTHS: (TruthLiteral,),
    ColumnKind.DATES: (TextLiteral,),
    ColumnKind.TIMESTAMPS: (TextLiteral,),
    ColumnKind.ZONED_TIMESTAMPS: (TextLiteral,),
    ColumnKind.OTHER: (),
}


def fits(kind: ColumnKind, value: Value) -> bool:
    """Whether a column of this kind can be compared with the value."""
    return isinstance(value, _FITTING[kind])


def check_kind(column: str, kind: ColumnKind, value: Value) -> None:
    """Refuse a value that a column of this kind cannot be compared with."""
    if not fits(kind, value):
        advice = _ADVICE[kind].format(name=printable(name_text(column)))
        raise BadChoice(
            f"Column {column!r} holds {kind}, and the condition compares it with "
            f"{printable(value_text(value))}: {advice}."
        )


def read_number(text: str) -> int | float | None:
    """Parse a number; None if the text is none.

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


def read_timestamp(column: str, kind: ColumnKind, value: TextLiteral) -> datetime:
    """Parse a timestamp; a date alone is its midnight.

    For columns with time zones, one without is in UTC; for others a time zone is refused.
    """
    match = _TIMESTAMP.fullmatch(value.value)
    try:
        timestamp = datetime.fromisoformat(value.value) if match else None
    except ValueError:  # such as the 30th of February
        timestamp = None
    if match is None or timestamp is None:
        raise BadChoice(
            f"Column {column!r} holds {kind}, and {printable(value_text(value))} is no date; "
            "write '2001-12-31' or '2001-12-31 23:59:00'."
        )
    if kind == ColumnKind.ZONED_TIMESTAMPS:
        return timestamp if timestamp.tzinfo else timestamp.replace(tzinfo=UTC)
    if timestamp.tzinfo:
        raise BadChoice(
            f"Column {column!r} holds {kind} and no time zone; leave the time zone "
            f"{printable(match['zone'])} out."
        )
    return timestamp
