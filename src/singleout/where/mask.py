"""Which records of an encoded table a condition selects, found on the codebooks.

Logic has three values, as in SQL: a comparison with a missing value is unknown, and so is its
contrary. Each test looks at the distinct values of its column once; records are only looked up.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.table import Column, Table
from singleout.where.kinds import (
    MOMENTS,
    TRUTHS,
    Kind,
    check_kind,
    fits,
    nearest_double,
    read_moment,
    read_number,
)
from singleout.where.tree import (
    AllOf,
    AnyOf,
    Between,
    Comparison,
    Membership,
    Missing,
    Not,
    Number,
    Part,
    Text,
    Value,
    columns_of,
)

__all__ = ["selected"]

Mask = NDArray[np.bool_]

_AT_ONCE = 1 << 18  # values of a long codebook that become Python objects at the same time
_KINDS: tuple[tuple[type, Kind], ...] = (  # to Python a truth is an int, and a moment is a date
    (bool, Kind.TRUTHS),
    (int, Kind.NUMBERS),
    (float, Kind.NUMBERS),
    (Decimal, Kind.NUMBERS),
    (str, Kind.TEXT),
    (datetime, Kind.MOMENTS),
    (date, Kind.DATES),
)
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, eq=False)
class _Answer:
    """For each record, or each code, whether something is true and whether it is unknown."""

    true: Mask
    unknown: Mask

    def __and__(self, other: _Answer) -> _Answer:
        true = self.true & other.true
        return _Answer(true, (self.true | self.unknown) & (other.true | other.unknown) & ~true)

    def __or__(self, other: _Answer) -> _Answer:
        true = self.true | other.true
        return _Answer(true, (self.unknown | other.unknown) & ~true)

    def __invert__(self) -> _Answer:
        return _Answer(~(self.true | self.unknown), self.unknown)


@dataclass(frozen=True)
class _Test:
    """A comparison with one value, or ``in`` for equality with any of several of one type."""

    column: str
    operator: str
    values: tuple[Value, ...]

    @property
    def numbers(self) -> list[int | Decimal]:
        """The values that are numbers."""
        return [value.value for value in self.values if isinstance(value, Number)]

    @property
    def texts(self) -> list[Text]:
        """The values that are texts."""
        return [value for value in self.values if isinstance(value, Text)]

    def holds(self, values: NDArray[Any], operands: list[Any]) -> Mask:
        """Compare Python objects, all of one type, with the operands made for that type."""
        if self.operator == "in":
            wanted = set(operands)
            return np.fromiter((value in wanted for value in values), np.bool_, len(values))
        boxed = np.empty((), dtype=object)  # numpy would turn some operands into its own types
        boxed[()] = operands[0]
        return np.asarray(_OPERATORS[self.operator](values, boxed), dtype=np.bool_)


def selected(part: Part, table: Table) -> Mask:
    """Return for each record whether the condition is true for it."""
    table.require(columns_of(part))
    return _of_records(part, table).true


def _of_records(part: Part, table: Table) -> _Answer:
    names = columns_of(part)
    if len(names) == 1:
        column = table[names[0]]
        answer = _of_codes(part, column)
        return _Answer(answer.true[column.codes], answer.unknown[column.codes])
    return _joined(part, lambda inner: _of_records(inner, table))


def _joined(part: Part, answer: Callable[[Part], _Answer]) -> _Answer:
    if isinstance(part, AllOf):
        return reduce(operator.and_, map(answer, part.parts))
    if isinstance(part, AnyOf):
        return reduce(operator.or_, map(answer, part.parts))
    assert isinstance(part, Not)
    return ~answer(part.part)


def _of_codes(part: Part, column: Column) -> _Answer:
    """Return the answer for each code of the column, the one for missing last."""
    if isinstance(part, Missing):
        true = np.arange(column.levels) == column.missing_code
        return _Answer(true, np.zeros(column.levels, dtype=np.bool_))
    if isinstance(part, Comparison):
        return _tested(column, _Test(column.name, part.operator, (part.value,)))
    if isinstance(part, Between):
        low, high = part.bounds
        return _of_codes(low, column) & _of_codes(high, column)
    if isinstance(part, Membership):
        by_type: dict[type, list[Value]] = {}
        for value in part.values:
            by_type.setdefault(type(value), []).append(value)
        tests = (_Test(column.name, "in", tuple(values)) for values in by_type.values())
        return reduce(operator.or_, (_tested(column, test) for test in tests))
    return _joined(part, lambda inner: _of_codes(inner, column))


def _tested(column: Column, test: _Test) -> _Answer:
    answer = _Answer(np.zeros(column.levels, np.bool_), np.ones(column.levels, np.bool_))
    seen: set[Kind] = set()
    for start in range(0, len(column.values), _AT_ONCE):
        values = _objects(list(column.values[start : start + _AT_ONCE]))
        found = _compared(values, test, seen)
        answer.true[start : start + len(values)] = found.true
        answer.unknown[start : start + len(values)] = found.unknown
    if not any(fits(kind, test.values[0]) for kind in seen):
        for kind in sorted(seen):
            check_kind(column.name, kind, test.values[0])
    return answer


def _compared(values: NDArray[Any], test: _Test, seen: set[Kind]) -> _Answer:
    """Compare values of any types; those that are no match for the test's values are unknown."""
    answer = _Answer(np.zeros(len(values), np.bool_), np.ones(len(values), np.bool_))
    for (kind, type_), places in _by_type(values).items():
        seen.add(kind)
        if fits(kind, test.values[0]):
            found = _compared_alike(values[places], kind, type_, test)
            answer.true[places] = found.true
            answer.unknown[places] = found.unknown
    return answer


def _compared_alike(values: NDArray[Any], kind: Kind, type_: type, test: _Test) -> _Answer:
    """Compare values that are all of one type."""
    if kind == Kind.TEXT and not isinstance(test.values[0], Text):
        read: Callable[[str], Any] = (
            read_number if isinstance(test.values[0], Number) else TRUTHS.get
        )
        return _compared(_objects([read(value) for value in values]), test, set())
    unknown = np.zeros(len(values), dtype=np.bool_)
    operands: list[Any]
    if issubclass(type_, float):
        unknown = np.isnan(values.astype(np.float64))
        operands = [nearest_double(value) for value in test.numbers]
    elif kind in MOMENTS:
        operands = [read_moment(test.column, kind, value) for value in test.texts]
        if kind == Kind.DATES:
            values = _objects([datetime.combine(value, time.min) for value in values])
    else:
        operands = [value.value for value in test.values]
    return _Answer(test.holds(values, operands) & ~unknown, unknown)


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    boxed = np.empty(len(values), dtype=object)
    boxed[:] = values
    return boxed


def _by_type(values: NDArray[Any]) -> dict[tuple[Kind, type], Any]:
    """Return where the values of each type are; missing ones nowhere."""
    types = set(map(type, values))
    places: dict[tuple[Kind, type], Any] = {}
    for type_ in types - {type(None)}:
        here: Any = slice(None)
        if len(types) > 1:
            here = np.fromiter((type(value) is type_ for value in values), np.bool_, len(values))
        kind = next((kind for base, kind in _KINDS if issubclass(type_, base)), Kind.OTHER)
        if kind != Kind.MOMENTS:
            places[kind, type_] = here
            continue
        numbers = np.arange(len(values))[here]
        zoned = np.fromiter((values[place].tzinfo is not None for place in numbers), np.bool_)
        for moments, some in ((Kind.ZONED_MOMENTS, zoned), (Kind.MOMENTS, ~zoned)):
            if some.any():
                places[moments, type_] = numbers[some]
    return places
