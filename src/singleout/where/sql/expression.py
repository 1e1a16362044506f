"""Conditions as ibis expressions that select the same records as the local engine.

Databases differ in how they compare: they order text by language, fold its case, round whole
numbers to doubles, or cast text that is no number. Here each comparison is written such that its
result is that of `singleout.where.mask`. Values become literals of ibis and columns are looked up
by name, so nothing that a user writes is ever pasted into a query.

The connection must be one that ibis made, or like it: SQLite needs the functions that ibis adds,
and MariaDB a connection in utf8mb4.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from singleout.errors import UnknownColumns
from singleout.where import tree
from singleout.where.condition import Condition
from singleout.where.kinds import ColumnKind, check_kind, read_timestamp
from singleout.where.sql import numbers, text
from singleout.where.sql.numbers import applied
from singleout.where.sql.timestamps import compare_timestamps

__all__ = ["as_ibis"]


def as_ibis(condition: Condition, table: Any, *, backend: str | None = None) -> Any:
    """Return a condition as a boolean expression over an ibis table, NULL where it is unknown.

    ``backend`` is the name that ibis has for the kind of database, such as ``postgres``; by default
    that of the table. Comparisons that this kind of database cannot make exactly are refused.
    """
    absent = [name for name in condition.columns if name not in table.columns]
    if absent:
        raise UnknownColumns(absent, table.columns)
    return _expression(condition.part, table, backend or table.get_backend().name)


def _expression(part: tree.Part, table: Any, backend: str) -> Any:
    if isinstance(part, tree.Not):
        return ~_expression(part.part, table, backend)
    if isinstance(part, tree.AllOf | tree.AnyOf | tree.Between):
        parts = part.bounds if isinstance(part, tree.Between) else part.parts
        join = operator.or_ if isinstance(part, tree.AnyOf) else operator.and_
        return _joined(join, [_expression(inner, table, backend) for inner in parts])
    column = table[part.column]
    if isinstance(part, tree.Missing):
        return numbers.without_nan(column, backend).isnull()
    if isinstance(part, tree.Compare):
        return _compared(column, part.operator, (part.value,), backend)
    return _is_member(column, part, backend)


def _joined(join: Callable[[Any, Any], Any], parts: Sequence[Any]) -> Any:
    """Join expressions into a balanced tree, since compilers descend it by recursion."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return join(_joined(join, parts[:middle]), _joined(join, parts[middle:]))


def _is_member(column: Any, part: tree.Membership, backend: str) -> Any:
    members = [_compared(column, "in", values, backend) for values in part.values_by_type]
    return _joined(operator.or_, members)


def _compared(column: Any, comparison: str, values: Sequence[tree.Value], backend: str) -> Any:
    """Compare a column with values of one type."""
    import ibis

    name = column.get_name()
    if _is_shown_as_text(column.type()):
        column = column.cast("string")
    kind = _kind(column.type())
    if kind is None:
        return ibis.null("boolean")
    if backend == "mysql" and column.type().is_int8() and _are_truths(values):
        # MariaDB keeps true and false as the numbers 1 and 0
        return applied(comparison, column, [ibis.literal(int(v.value)) for v in values])
    for value in values:
        check_kind(name, kind, value)
    if kind == ColumnKind.TRUTHS:
        return applied(comparison, column, [ibis.literal(bool(v.value)) for v in values])
    if kind == ColumnKind.TEXT:
        return _compared_text(column, comparison, values, backend)
    if kind == ColumnKind.NUMBERS:
        return numbers.compare_numbers(column, comparison, _numbers(values), backend)
    texts = [value for value in values if isinstance(value, tree.TextLiteral)]
    timestamps = [read_timestamp(name, kind, value) for value in texts]
    return compare_timestamps(column, comparison, timestamps, kind, backend)


def _compared_text(column: Any, comparison: str, values: Sequence[tree.Value], backend: str) -> Any:
    if wanted := _numbers(values):
        return text.compare_as_numbers(column, comparison, wanted, backend)
    if _are_truths(values):
        return text.compare_as_truths(column, comparison, [bool(v.value) for v in values], backend)
    return text.compare_texts(column, comparison, [str(v.value) for v in values], backend)


def _numbers(values: Sequence[tree.Value]) -> list[int | Decimal]:
    return [value.value for value in values if isinstance(value, tree.NumberLiteral)]


def _are_truths(values: Sequence[tree.Value]) -> bool:
    return isinstance(values[0], tree.TruthLiteral)


def _is_shown_as_text(dtype: Any) -> bool:
    """Whether a type is compared by its text: UUIDs and network addresses."""
    return bool(dtype.is_uuid() or dtype.is_inet() or dtype.is_macaddr())


def _kind(dtype: Any) -> ColumnKind | None:
    """Return what a column of a type of ibis holds; None if it can only hold missing values."""
    if dtype.is_null():
        return None
    if dtype.is_timestamp():
        return ColumnKind.TIMESTAMPS if dtype.timezone is None else ColumnKind.ZONED_TIMESTAMPS
    kinds = {
        ColumnKind.TRUTHS: dtype.is_boolean(),
        ColumnKind.NUMBERS: dtype.is_numeric(),
        ColumnKind.TEXT: dtype.is_string(),
        ColumnKind.DATES: dtype.is_date(),
    }
    return next((kind for kind, holds in kinds.items() if holds), ColumnKind.OTHER)
