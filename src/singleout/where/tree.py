"""The syntax tree of a condition: comparisons of one column with values, and what joins them.

A part never looks at data. Parsing its text gives an equal part.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

__all__ = [
    "KEYWORDS",
    "OPERATORS",
    "AllOf",
    "AnyOf",
    "Between",
    "Compare",
    "Membership",
    "Missing",
    "Not",
    "NumberLiteral",
    "Part",
    "TextLiteral",
    "TruthLiteral",
    "Value",
    "columns_of",
    "name_text",
    "part_text",
    "value_text",
]

KEYWORDS = frozenset(("and", "between", "false", "in", "is", "not", "null", "or", "true"))

OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

_PLAIN_NAME = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class NumberLiteral:
    """A number, exactly: an int where it is whole, otherwise a Decimal."""

    value: int | Decimal


@dataclass(frozen=True)
class TextLiteral:
    """A text, which is also how dates are written."""

    value: str


@dataclass(frozen=True)
class TruthLiteral:
    """True or false; a class of its own, since to Python True equals 1."""

    value: bool


Value: TypeAlias = NumberLiteral | TextLiteral | TruthLiteral


@dataclass(frozen=True)
class Compare:
    """A column against one value; the operator is one of `OPERATORS`."""

    column: str
    operator: str
    value: Value


@dataclass(frozen=True)
class Membership:
    """A column equal to one of several values."""

    column: str
    values: tuple[Value, ...]

    @property
    def values_by_type(self) -> list[tuple[Value, ...]]:
        """The values, split by their types."""
        by_type: dict[type, list[Value]] = {}
        for value in self.values:
            by_type.setdefault(type(value), []).append(value)
        return list(map(tuple, by_type.values()))


@dataclass(frozen=True)
class Between:
    """A column from one value to another, both included."""

    column: str
    low: Value
    high: Value

    @property
    def bounds(self) -> tuple[Compare, Compare]:
        """The two equivalent comparisons."""
        return (Compare(self.column, ">=", self.low), Compare(self.column, "<=", self.high))


@dataclass(frozen=True)
class Missing:
    """A column without a value: the only test that is never unknown."""

    column: str


@dataclass(frozen=True)
class Not:
    """The negation of a part; unknown stays unknown."""

    part: Part


@dataclass(frozen=True)
class AllOf:
    """Parts joined by ``and``; none of them is an `AllOf` itself."""

    parts: tuple[Part, ...]


@dataclass(frozen=True)
class AnyOf:
    """Parts joined by ``or``; none of them is an `AnyOf` itself."""

    parts: tuple[Part, ...]


Part: TypeAlias = Compare | Membership | Between | Missing | Not | AllOf | AnyOf


def columns_of(part: Part) -> tuple[str, ...]:
    """Return the columns in order of appearance, each once."""
    if isinstance(part, Not):
        return columns_of(part.part)
    if isinstance(part, AllOf | AnyOf):
        return tuple(dict.fromkeys(name for inner in part.parts for name in columns_of(inner)))
    return (part.column,)


def name_text(name: str) -> str:
    """Return a column's name as a condition writes it: in quotes where it needs them."""
    if _PLAIN_NAME.fullmatch(name) and name.lower() not in KEYWORDS:
        return name
    return '"' + name.replace('"', '""') + '"'


def value_text(value: Value) -> str:
    """Return a value as a condition writes it."""
    if isinstance(value, TruthLiteral):
        return "true" if value.value else "false"
    if isinstance(value, NumberLiteral):
        return f"{value.value:f}" if isinstance(value.value, Decimal) else str(value.value)
    return "'" + value.value.replace("'", "''") + "'"


def part_text(part: Part) -> str:
    """Return the text of a part, which parses to an equal part."""
    if isinstance(part, AllOf):
        return " and ".join(
            f"({part_text(inner)})" if isinstance(inner, AnyOf) else part_text(inner)
            for inner in part.parts
        )
    if isinstance(part, AnyOf):
        return " or ".join(part_text(inner) for inner in part.parts)
    if isinstance(part, Not):
        return _negated_text(part.part)
    return _test_text(part)


def _negated_text(part: Part) -> str:
    if isinstance(part, AllOf | AnyOf):
        return f"not ({part_text(part)})"
    if isinstance(part, Not | Compare):
        return f"not {part_text(part)}"
    return _test_text(part, "not ")


def _test_text(part: Compare | Membership | Between | Missing, negation: str = "") -> str:
    name = name_text(part.column)
    if isinstance(part, Missing):
        return f"{name} is {negation}null"
    if isinstance(part, Compare):
        return f"{name} {part.operator} {value_text(part.value)}"
    if isinstance(part, Membership):
        return f"{name} {negation}in ({', '.join(map(value_text, part.values))})"
    return f"{name} {negation}between {value_text(part.low)} and {value_text(part.high)}"
