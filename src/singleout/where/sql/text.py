"""Comparisons of text columns in databases: byte by byte, or parsed as numbers or booleans.

Databases compare text by the rules of a language: MariaDB takes ``a``, ``A`` and ``a`` with a blank
for equal, and PostgreSQL puts ``a`` before ``B``. Its bytes in UTF-8 know no language, and their
order is that of the code points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from singleout.errors import BadChoice
from singleout.where.kinds import NUMBER_PATTERN, TRUTHS, WHOLE_PATTERN
from singleout.where.sql.functions import database_function
from singleout.where.sql.numbers import Grid, applied, compare_doubles, compare_on_grid
from singleout.where.tree import NumberLiteral, value_text

__all__ = ["compare_as_numbers", "compare_as_truths", "compare_texts", "matches"]

# these compare text byte by byte unless a column is declared otherwise
_BYTE_BY_BYTE = frozenset(
    ("athena", "bigquery", "databricks", "datafusion", "duckdb", "pyspark", "snowflake", "trino")
)
_WITHOUT_PATTERNS = frozenset(("mssql",))
_WITHOUT_TRY = frozenset(("mysql", "postgres", "sqlite"))
# SQLite has no exact numbers beyond 64 bits; up to these, doubles cannot be taken for them
_WHOLE_IN_SQLITE = "^ *[+-]?0{0,60}[0-9]{1,18} *$"
_LIMIT_IN_SQLITE = 10**17
_OF_38_DIGITS = Grid(0, (1 - 10**38, 10**38 - 1), "decimal(38, 0)")
_OF_18_DIGITS = Grid(0, (1 - 10**18, 10**18 - 1), "int64")


def compare_texts(column: Any, comparison: str, texts: Sequence[str], backend: str) -> Any:
    """Compare text byte by byte."""
    comparable, literal = _byte_by_byte(column, backend)
    return applied(comparison, comparable, [literal(text) for text in texts])


def _byte_by_byte(column: Any, backend: str) -> tuple[Any, Callable[[str], Any]]:
    """Return an expression that compares as the bytes of a column, and what converts literals."""
    import ibis

    text = _as_plain_text(column)
    if backend in _BYTE_BY_BYTE:
        return text, ibis.literal
    if backend == "postgres":
        convert = database_function("convert_to", ("string", "string"), "binary")
        return convert(text, "UTF8"), lambda value: convert(ibis.literal(value), "UTF8")
    if backend == "mysql":
        # hexadecimal digits sort as their bytes do, whatever the collation
        digits = database_function("hex", ("string",), "string")
        return digits(text), lambda value: ibis.literal(value.encode().hex().upper())
    if backend == "sqlite":
        return text.cast("binary"), lambda value: ibis.literal(value).cast("binary")
    raise BadChoice(
        f"A condition on a text column cannot be exact on {backend}, which does not compare text "
        "byte by byte; make a view of the records that you want, and name the view."
    )


def _as_plain_text(column: Any) -> Any:
    """Return a column cast to text even if ibis takes it for text already.

    The cast takes away enumerations, which have an order of their own, and in MariaDB other
    encodings than the one of the connection. A cast to the same type would be left out by ibis, so
    the type is one that differs in whether it admits NULL, of which databases take no notice.
    """
    import ibis.expr.datatypes as dt

    return column.cast(dt.String(nullable=not column.type().nullable))


def compare_as_truths(column: Any, comparison: str, truths: Sequence[bool], backend: str) -> Any:
    """Compare text as booleans; unknown where it is neither true nor false."""
    import ibis

    spelled = {
        truth: compare_texts(
            column, "in", [text for text, meaning in TRUTHS.items() if meaning is truth], backend
        )
        for truth in (True, False)
    }
    read = ibis.cases((spelled[True], True), (spelled[False], False), else_=ibis.null("boolean"))
    return applied(comparison, read, [ibis.literal(truth) for truth in truths])


def compare_as_numbers(
    column: Any, comparison: str, numbers: Sequence[int | Decimal], backend: str
) -> Any:
    """Compare text as numbers; unknown where a text is no number."""
    import ibis

    if backend in _WITHOUT_PATTERNS:
        raise BadChoice(
            f"Column {column.get_name()!r} holds text, and {backend} cannot tell which texts are "
            "numbers; make a view with the column as a number, and name the view."
        )
    pattern, grid = WHOLE_PATTERN, _OF_38_DIGITS
    if backend == "sqlite":
        pattern, grid = _WHOLE_IN_SQLITE, _OF_18_DIGITS
        _refuse_beyond_sqlite(column, numbers)
    text = _as_plain_text(column)
    whole = compare_on_grid(_read(text, grid.kind, backend), comparison, numbers, grid)
    other = compare_doubles(_read(text, "float64", backend), comparison, numbers)
    return ibis.cases(
        (matches(text, pattern), whole),
        (matches(text, NUMBER_PATTERN), other),
        else_=ibis.null("boolean"),
    )


def _refuse_beyond_sqlite(column: Any, numbers: Sequence[int | Decimal]) -> None:
    beyond = [number for number in numbers if abs(Decimal(number)) >= _LIMIT_IN_SQLITE]
    if beyond:
        shown = value_text(NumberLiteral(beyond[0]))
        raise BadChoice(
            f"Column {column.get_name()!r} holds text, and SQLite cannot compare it exactly with a "
            f"number as large as {shown}; compare it with a text: '{shown}'."
        )


def _read(text: Any, kind: str, backend: str) -> Any:
    # where there is no TRY_CAST, CASE keeps the cast from texts that are no numbers
    return text.cast(kind) if backend in _WITHOUT_TRY else text.strip().try_cast(kind)


def matches(text: Any, pattern: str) -> Any:
    """Whether a whole text matches a pattern, which must end with a dollar sign."""
    # in some databases the dollar sign also matches before a line break at the end
    return text.re_search(pattern) & ~text.contains("\n")
