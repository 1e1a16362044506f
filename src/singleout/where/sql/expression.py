"""Population filters as expressions of ibis that select what the local engine selects.

Databases differ in what they do to a comparison: they order text by language, fold its case, round
whole numbers to doubles, or read text as a number where it is none. Here each comparison is written
such that the answer is the one of `singleout.where.mask`. Values become literals of ibis
and columns are looked up by name, so nothing that a user writes is ever pasted into a query.

The connection must be one that ibis made, or like it: SQLite needs the functions that ibis adds,
and MariaDB a connection in utf8mb4.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from singleout.errors import UnknownColumns
from singleout.where.condition import Condition
from singleout.where.kinds import Kind, check_kind, read_moment
from singleout.where.sql import numbers, text
from singleout.where.sql.numbers import applied
from singleout.where.sql.timestamps import compare_moments
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
    Truth,
    Value,
)

__all__ = ["as_ibis"]


def as_ibis(condition: Condition, table: Any, *, backend: str | None = None) -> Any:
    """Return a condition as a boolean expression over an ibis table.

    Parameters
    ----------
    condition
        What to select.
    table
        An ibis table expression.
    backend
        The name that ibis has for the kind of database, such as ``postgres``; found out where the
        table is bound to one.

    Returns
    -------
    ibis.expr.types.BooleanValue
        True, false, or NULL where it is unknown: to be used in ``table.filter``, which keeps the
        records where it is true.

    Raises
    ------
    UnknownColumns
        If the table lacks a column of the condition.
    BadChoice
        If a column cannot be compared with a value, such as a number with a text, or this kind of
        database cannot make the comparison exactly.
    """
    absent = [name for name in condition.columns if name not in table.columns]
    if absent:
        raise UnknownColumns(absent, table.columns)
    return _expression(condition.part, table, backend or table.get_backend().name)


def _expression(part: Part, table: Any, backend: str) -> Any:
    if isinstance(part, Not):
        return ~_expression(part.part, table, backend)
    if isinstance(part, AllOf | AnyOf | Between):
        parts = part.bounds if isinstance(part, Between) else part.parts
        join = operator.or_ if isinstance(part, AnyOf) else operator.and_
        return _joined(join, [_expression(inner, table, backend) for inner in parts])
    column = table[part.column]
    if isinstance(part, Missing):
        return numbers.without_nan(column, backend).isnull()
    if isinstance(part, Comparison):
        return _compared(column, part.operator, (part.value,), backend)
    return _is_member(column, part, backend)


def _joined(join: Callable[[Any, Any], Any], parts: Sequence[Any]) -> Any:
    """Join expressions into a tree that is not deep, since compilers descend it by recursion."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return join(_joined(join, parts[:middle]), _joined(join, parts[middle:]))


def _is_member(column: Any, part: Membership, backend: str) -> Any:
    by_type: dict[type, list[Value]] = {}
    for value in part.values:
        by_type.setdefault(type(value), []).append(value)
    return _joined(
        operator.or_,
        [_compared(column, "in", values, backend) for values in by_type.values()],
    )


def _compared(column: Any, comparison: str, values: Sequence[Value], backend: str) -> Any:
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
    if kind == Kind.TRUTHS:
        return applied(comparison, column, [ibis.literal(bool(v.value)) for v in values])
    if kind == Kind.TEXT:
        return _compared_text(column, comparison, values, backend)
    if kind == Kind.NUMBERS:
        return numbers.compare_numbers(column, comparison, _numbers(values), backend)
    texts = [value for value in values if isinstance(value, Text)]
    moments = [read_moment(name, kind, value) for value in texts]
    return compare_moments(column, comparison, moments, kind, backend)


def _compared_text(column: Any, comparison: str, values: Sequence[Value], backend: str) -> Any:
    if wanted := _numbers(values):
        return text.compare_as_numbers(column, comparison, wanted, backend)
    if _are_truths(values):
        return text.compare_as_truths(column, comparison, [bool(v.value) for v in values], backend)
    return text.compare_texts(column, comparison, [str(v.value) for v in values], backend)


def _numbers(values: Sequence[Value]) -> list[int | Decimal]:
    return [value.value for value in values if isinstance(value, Number)]


def _are_truths(values: Sequence[Value]) -> bool:
    return isinstance(values[0], Truth)


def _is_shown_as_text(dtype: Any) -> bool:
    """Whether values are such as people write them: identifiers and addresses."""
    return bool(dtype.is_uuid() or dtype.is_inet() or dtype.is_macaddr())


def _kind(dtype: Any) -> Kind | None:
    """Return what a column of a type of ibis holds; None if it can only hold missing values."""
    if dtype.is_null():
        return None
    if dtype.is_timestamp():
        return Kind.MOMENTS if dtype.timezone is None else Kind.ZONED_MOMENTS
    kinds = {
        Kind.TRUTHS: dtype.is_boolean(),
        Kind.NUMBERS: dtype.is_numeric(),
        Kind.TEXT: dtype.is_string(),
        Kind.DATES: dtype.is_date(),
    }
    return next((kind for kind, holds in kinds.items() if holds), Kind.OTHER)
