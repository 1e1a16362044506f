"""Comparisons of number columns in databases, without rounding what is exact.

A database would compare a whole number with 2.5 as two doubles, and then 2**53 + 1 equals 2**53.
But a column of whole numbers, or of numbers with two decimals, is above a number exactly where it
is above the last one of its own grid. So numbers are first moved to the grid of the column.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from singleout.where.sql.functions import is_nan
from singleout.where.tree import OPERATORS

__all__ = [
    "Grid",
    "applied",
    "compare_doubles",
    "compare_numbers",
    "compare_on_grid",
    "without_nan",
]

_OF_64_BITS = (-(2**63), 2**63 - 1)
_UNSIGNED = (0, 2**64 - 1)


def applied(comparison: str, column: Any, operands: Sequence[Any]) -> Any:
    """Compare a column with one operand, or ask whether it is ``in`` several."""
    if comparison == "in":
        return column.isin(operands)
    return OPERATORS[comparison](column, operands[0])


def without_nan(column: Any, backend: str) -> Any:
    """Return a column with NULL for NaN, which also means missing."""
    import ibis

    dtype = column.type()
    # MariaDB and SQL Server hold no NaN, and SQLite turns it into NULL
    if dtype.is_floating() and backend not in ("mysql", "mssql", "sqlite"):
        return ibis.ifelse(is_nan(column, backend), ibis.null(dtype), column)
    if dtype.is_decimal() and backend == "postgres":
        return column.nullif(ibis.literal(Decimal("NaN"), "decimal"))
    return column


def compare_numbers(
    column: Any, comparison: str, numbers: Sequence[int | Decimal], backend: str
) -> Any:
    """Compare a column of numbers: doubles as doubles, all others exactly."""
    dtype = column.type()
    if backend == "sqlite":
        return _compare_in_sqlite(column, comparison, numbers)
    column = without_nan(column, backend)
    if dtype.is_floating():
        return compare_doubles(column.cast("float64"), comparison, numbers)
    if dtype.is_integer():
        limits = _UNSIGNED if dtype.is_uint64() else _OF_64_BITS
        kind = "uint64" if dtype.is_uint64() else "int64"
        return compare_on_grid(column, comparison, numbers, Grid(0, limits, kind))
    return compare_on_grid(column, comparison, numbers, _decimal_grid(dtype, numbers))


def compare_doubles(column: Any, comparison: str, numbers: Sequence[int | Decimal]) -> Any:
    """Compare doubles with the doubles nearest to the numbers."""
    import ibis

    # parsed from text by the database: some take 0.1 for a decimal and round it on the way
    doubles = [ibis.literal(repr(float(number))).cast("float64") for number in numbers]
    return applied(comparison, column, doubles)


@dataclass(frozen=True)
class Grid:
    """The numbers that a column can hold: multiples of 10**-scale within limits."""

    scale: int  # decimals
    limits: tuple[int, int]  # the least and the greatest number, as multiples
    kind: str  # the type of literals in ibis

    def literal(self, multiple: int) -> Any:
        """Return a number of the grid as a literal."""
        import ibis

        if not self.kind.startswith("decimal"):
            return ibis.literal(multiple, self.kind)
        digits = tuple(map(int, str(abs(multiple))))
        # built from digits, since arithmetic would round to the context of the thread
        return ibis.literal(Decimal((int(multiple < 0), digits, -self.scale)), self.kind)


def _decimal_grid(dtype: Any, numbers: Sequence[int | Decimal]) -> Grid:
    scale = dtype.scale
    if scale is None:  # numeric of PostgreSQL holds any number of decimals
        scale = max(-int(Decimal(number).as_tuple().exponent) for number in numbers)
    precision = dtype.precision or 38 + scale
    limit = 10**precision - 1
    return Grid(scale, (-limit, limit), f"decimal({precision}, {scale})")


def compare_on_grid(
    column: Any, comparison: str, numbers: Sequence[int | Decimal | Fraction], grid: Grid
) -> Any:
    """Compare a column whose values are on a grid with numbers that need not be."""
    multiples = [Fraction(number) * 10**grid.scale for number in numbers]
    if comparison == "in":
        on_grid = [
            grid.literal(int(multiple))
            for multiple in multiples
            if multiple.denominator == 1 and grid.limits[0] <= multiple <= grid.limits[1]
        ]
        return column.isin(on_grid) if on_grid else _where_present(column, answer=False)
    multiple = multiples[0]
    last = math.floor(multiple)
    low, high = grid.limits
    if not low <= last <= high:  # then one value of the grid stands for all
        return _where_present(column, answer=OPERATORS[comparison](low, multiple))
    if last == multiple:
        return OPERATORS[comparison](column, grid.literal(last))
    if comparison in ("=", "!="):
        return _where_present(column, answer=comparison == "!=")
    return OPERATORS["<=" if comparison[0] == "<" else ">"](column, grid.literal(last))


def _where_present(column: Any, *, answer: bool) -> Any:
    """Return an answer that is unknown where the column is missing."""
    import ibis

    return ibis.ifelse(column.isnull(), ibis.null("boolean"), ibis.literal(answer))


def _compare_in_sqlite(column: Any, comparison: str, numbers: Sequence[int | Decimal]) -> Any:
    """Compare a column of SQLite, where each value has a type; other values are unknown."""
    import ibis

    stored = column.typeof()
    whole = compare_on_grid(column, comparison, numbers, Grid(0, _OF_64_BITS, "int64"))
    other = compare_doubles(column, comparison, numbers)
    return ibis.cases(
        (stored == "integer", whole), (stored == "real", other), else_=ibis.null("boolean")
    )
