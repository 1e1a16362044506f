"""Which records of an encoded table a condition selects, evaluated on the codebooks.

Logic has three values, as in SQL: a comparison with a missing value is unknown, and so is its
negation. Each test compares the distinct values of its column once; records look up their code.
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

from singleout.core.arrays import Flags
from singleout.core.table import Column, Table
from singleout.where import tree
from singleout.where.kinds import (
    TIME_KINDS,
    TRUTHS,
    ColumnKind,
    check_kind,
    fits,
    read_number,
    read_timestamp,
)

__all__ = ["selected"]

_AT_ONCE = 1 << 18  # values of a long codebook that become Python objects at the same time
# in this order, since a bool is also an int, and a datetime is also a date
_KINDS: tuple[tuple[type, ColumnKind], ...] = (
    (bool, ColumnKind.TRUTHS),
    (int, ColumnKind.NUMBERS),
    (float, ColumnKind.NUMBERS),
    (Decimal, ColumnKind.NUMBERS),
    (str, ColumnKind.TEXT),
    (datetime, ColumnKind.TIMESTAMPS),
    (date, ColumnKind.DATES),
)


@dataclass(frozen=True, eq=False)
class _Ternary:
    """Three-valued truths: for each record, or each code, whether true and whether unknown."""

    true: Flags
    unknown: Flags

    def __and__(self, other: _Ternary) -> _Ternary:
        true = self.true & other.true
        return _Ternary(true, (self.true | self.unknown) & (other.true | other.unknown) & ~true)

    def __or__(self, other: _Ternary) -> _Ternary:
        true = self.true | other.true
        return _Ternary(true, (self.unknown | other.unknown) & ~true)

    def __invert__(self) -> _Ternary:
        return _Ternary(~(self.true | self.unknown), self.unknown)


@dataclass(frozen=True)
class _Test:
    """A comparison with one value, or ``in`` for equality with any of several of one type."""

    column: str
    operator: str
    values: tuple[tree.Value, ...]

    @property
    def numbers(self) -> list[int | Decimal]:
        """The values that are numbers."""
        return [value.value for value in self.values if isinstance(value, tree.NumberLiteral)]

    @property
    def texts(self) -> list[tree.TextLiteral]:
        """The values that are texts."""
        return [value for value in self.values if isinstance(value, tree.TextLiteral)]

    def holds(self, values: NDArray[Any], operands: list[Any]) -> Flags:
        """Compare Python objects, all of one type, with the operands made for that type."""
        if self.operator == "in":
            wanted = set(operands)
            return np.fromiter((value in wanted for value in values), np.bool_, len(values))
        boxed = np.empty((), dtype=object)  # numpy would turn some operands into its own types
        boxed[()] = operands[0]
        return np.asarray(tree.OPERATORS[self.operator](values, boxed), dtype=np.bool_)


def selected(part: tree.Part, table: Table) -> Flags:
    """Return for each record whether the condition is true for it."""
    table.require(tree.columns_of(part))
    return _of_records(part, table).true


def _of_records(part: tree.Part, table: Table) -> _Ternary:
    names = tree.columns_of(part)
    if len(names) == 1:
        column = table[names[0]]
        ternary = _of_codes(part, column)
        return _Ternary(ternary.true[column.codes], ternary.unknown[column.codes])
    return _joined(part, lambda inner: _of_records(inner, table))


def _joined(part: tree.Part, evaluate: Callable[[tree.Part], _Ternary]) -> _Ternary:
    if isinstance(part, tree.AllOf):
        return reduce(operator.and_, map(evaluate, part.parts))
    if isinstance(part, tree.AnyOf):
        return reduce(operator.or_, map(evaluate, part.parts))
    assert isinstance(part, tree.Not)
    return ~evaluate(part.part)


def _of_codes(part: tree.Part, column: Column) -> _Ternary:
    """Evaluate a part for each code of the column, the code for missing last."""
    if isinstance(part, tree.Missing):
        true = np.arange(column.levels) == column.missing_code
        return _Ternary(true, np.zeros(column.levels, dtype=np.bool_))
    if isinstance(part, tree.Compare):
        return _tested(column, _Test(column.name, part.operator, (part.value,)))
    if isinstance(part, tree.Between):
        low, high = part.bounds
        return _of_codes(low, column) & _of_codes(high, column)
    if isinstance(part, tree.Membership):
        tests = (_Test(column.name, "in", values) for values in part.values_by_type)
        return reduce(operator.or_, (_tested(column, test) for test in tests))
    return _joined(part, lambda inner: _of_codes(inner, column))


def _tested(column: Column, test: _Test) -> _Ternary:
    ternary = _Ternary(np.zeros(column.levels, np.bool_), np.ones(column.levels, np.bool_))
    seen: set[ColumnKind] = set()
    for start in range(0, len(column.values), _AT_ONCE):
        values = _objects(list(column.values[start : start + _AT_ONCE]))
        block = _compared(values, test, seen)
        ternary.true[start : start + len(values)] = block.true
        ternary.unknown[start : start + len(values)] = block.unknown
    if not any(fits(kind, test.values[0]) for kind in seen):
        for kind in sorted(seen):
            check_kind(column.name, kind, test.values[0])
    return ternary


def _compared(values: NDArray[Any], test: _Test, seen: set[ColumnKind]) -> _Ternary:
    """Compare values of any types; those that cannot be compared with the test's are unknown."""
    ternary = _Ternary(np.zeros(len(values), np.bool_), np.ones(len(values), np.bool_))
    for (kind, type_), rows in _by_type(values).items():
        seen.add(kind)
        if fits(kind, test.values[0]):
            group = _compared_alike(values[rows], kind, type_, test)
            ternary.true[rows] = group.true
            ternary.unknown[rows] = group.unknown
    return ternary


def _compared_alike(values: NDArray[Any], kind: ColumnKind, type_: type, test: _Test) -> _Ternary:
    """Compare values that are all of one type."""
    if kind == ColumnKind.TEXT and not isinstance(test.values[0], tree.TextLiteral):
        read: Callable[[str], Any] = (
            read_number if isinstance(test.values[0], tree.NumberLiteral) else TRUTHS.get
        )
        return _compared(_objects([read(value) for value in values]), test, set())
    unknown = np.zeros(len(values), dtype=np.bool_)
    operands: list[Any]
    if issubclass(type_, float):
        unknown = np.isnan(values.astype(np.float64))
        operands = [float(value) for value in test.numbers]
    elif kind in TIME_KINDS:
        operands = [read_timestamp(test.column, kind, value) for value in test.texts]
        if kind == ColumnKind.DATES:
            values = _objects([datetime.combine(value, time.min) for value in values])
    else:
        operands = [value.value for value in test.values]
    return _Ternary(test.holds(values, operands) & ~unknown, unknown)


def _objects(values: Sequence[Any]) -> NDArray[Any]:
    boxed = np.empty(len(values), dtype=object)
    boxed[:] = values
    return boxed


def _by_type(values: NDArray[Any]) -> dict[tuple[ColumnKind, type], Any]:
    """Return the indices of the values of each type; missing values have none."""
    types = set(map(type, values))
    indices: dict[tuple[ColumnKind, type], Any] = {}
    for type_ in types - {type(None)}:
        rows: Any = slice(None)
        if len(types) > 1:
            rows = np.fromiter((type(value) is type_ for value in values), np.bool_, len(values))
        kind = next((kind for base, kind in _KINDS if issubclass(type_, base)), ColumnKind.OTHER)
        if kind != ColumnKind.TIMESTAMPS:
            indices[kind, type_] = rows
            continue
        of_type = np.arange(len(values))[rows]
        zoned = np.fromiter((values[index].tzinfo is not None for index in of_type), np.bool_)
        for zone_kind, of_zone in (
            (ColumnKind.ZONED_TIMESTAMPS, zoned),
            (ColumnKind.TIMESTAMPS, ~zoned),
        ):
            if of_zone.any():
                indices[zone_kind, type_] = of_type[of_zone]
    return indices
