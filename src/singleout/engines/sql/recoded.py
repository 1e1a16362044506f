"""Columns of coarser values as expressions of a database: intervals of numbers, or named groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from singleout.core.progress import working_on
from singleout.engines.recoding import Recoding, without_group
from singleout.engines.sql.columns import Columns
from singleout.errors import BadChoice, UnusableColumn
from singleout.where.condition import Condition
from singleout.where.kinds import NUMBER_PATTERN, read_number
from singleout.where.sql.expression import as_ibis
from singleout.where.sql.text import matches
from singleout.where.tree import Membership, NumberLiteral, TextLiteral, Value

if TYPE_CHECKING:
    from singleout.engines.sql.session import Session

__all__ = ["recoded_columns"]

_MOST_VALUES = 20_000  # named in a statement; databases refuse much longer ones


def recoded_columns(
    session: Session, columns: Columns, recodings: Mapping[str, Recoding]
) -> Columns:
    """Return the columns of a table and more, each the groups of another."""
    table = columns.table
    added = {}
    for name, recoding in recodings.items():
        columns.require([recoding.column])
        column = table[columns.names_inside[recoding.column]]
        expression = _groups(column, recoding, session, table)
        _require_groups(session, columns, column, expression, recoding)
        added[name] = expression
    return columns.with_more(added)


def _groups(column: Any, recoding: Recoding, session: Session, table: Any) -> Any:
    if recoding.width is not None:
        return _interval(column, recoding, session.name)
    if recoding.groups is None:
        raise BadChoice(
            f"{recoding.coding} of {recoding.column!r} cannot be counted where the data is; give "
            "engine='local' to fetch the columns, or make a view that has it."
        )
    return _named_groups(column, recoding, session, table)


def _interval(column: Any, recoding: Recoding, backend: str) -> Any:
    """Return the number of the interval; whole widths are exact in every database."""
    width, offset = recoding.width, recoding.offset
    assert width is not None
    if width != int(width) or offset != int(offset):
        raise BadChoice(
            f"{recoding.coding} of {recoding.column!r} is no whole number, which databases round "
            "in different ways; give engine='local' to fetch the columns."
        )
    numbers = _numbers(column, recoding, backend)
    return ((numbers - int(offset)) / int(width)).floor().cast("int64")


def _numbers(column: Any, recoding: Recoding, backend: str) -> Any:
    import ibis

    kind = column.type()
    if kind.is_numeric():
        return column.cast("float64")
    if kind.is_string() and backend != "mssql":
        number = matches(column, NUMBER_PATTERN)
        plain = column.strip()
        safe = plain.try_cast("float64") if backend in _TRY else plain.cast("float64")
        return ibis.cases((number, safe), else_=ibis.null("float64"))
    raise UnusableColumn(
        f"Column {recoding.column!r} must hold numbers for {recoding.coding}, but it holds {kind}."
    )


_TRY = frozenset(("duckdb", "pyspark", "snowflake", "trino", "bigquery", "databricks"))


def _named_groups(column: Any, recoding: Recoding, session: Session, table: Any) -> Any:
    import ibis

    assert recoding.groups is not None
    if sum(map(len, recoding.groups.values())) > _MOST_VALUES:
        raise BadChoice(
            f"{recoding.coding} of {recoding.column!r} names more than {_MOST_VALUES:,} values, "
            "too many for a statement; give engine='local' to fetch the columns."
        )
    of_numbers = column.type().is_numeric()
    name = column.get_name()
    cases = []
    for number, values in enumerate(recoding.groups.values()):
        literals = _literals(values, of_numbers=of_numbers)
        if literals:
            condition = Condition(Membership(name, literals))
            cases.append((as_ibis(condition, table, backend=session.name), ibis.literal(number)))
    if not cases:
        raise without_group(recoding, session.source)
    return ibis.cases(*cases, else_=ibis.null("int64"))


def _literals(values: Sequence[str], *, of_numbers: bool) -> tuple[Value, ...]:
    """Return values as a column of text or numbers can be compared with them."""
    if not of_numbers:
        return tuple(map(TextLiteral, values))
    numbers = map(read_number, values)
    return tuple(NumberLiteral(number) for number in numbers if isinstance(number, int))


def _require_groups(
    session: Session, columns: Columns, column: Any, expression: Any, recoding: Recoding
) -> None:
    """Refuse a column with a value that has no group."""
    working_on(f"Counting the groups of {recoding.column}")
    unknown = columns.table.filter(column.notnull() & expression.isnull()).count()
    statement = columns.compiled(unknown.name("n").as_table())
    if session.numbers(statement)[0][0]:
        raise without_group(recoding, session.source)
