"""Types of columns: casts of those that ibis does not know, and of values that drivers changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

__all__ = ["as_typed", "plainly_typed"]

_MONEY = (19, 4)  # the digits that ibis gives the money of PostgreSQL
_UNSIGNED = ("float unsigned", "double unsigned", "UDOUBLE")


def plainly_typed(table: Any, backend: str) -> Any:
    """Return a table with columns of unknown types cast to types that can be compared."""
    kind_of = _KINDS.get(backend)
    if kind_of is None:
        return table
    kinds = {name: kind_of(kind) for name, kind in table.schema().items()}
    casts = {name: table[name].cast(kind) for name, kind in kinds.items() if kind is not None}
    return table.mutate(**casts) if casts else table


def as_typed(series: pl.Series, kind: Any) -> pl.Series:
    """Return a column with the type that it has in the database, if the driver changed it."""
    if series.dtype == pl.String and kind.is_date():
        return _parsed(series, "%Y-%m-%d", pl.Date)
    if series.dtype == pl.String and kind.is_timestamp():
        return _parsed(series, "%Y-%m-%d %H:%M:%S%.f", pl.Datetime("us"))
    if isinstance(series.dtype, pl.Enum):
        return series.cast(pl.String)  # in alphabetical order, as other text
    return series


def _parsed(series: pl.Series, pattern: str, kind: Any) -> pl.Series:
    """Return the timestamps that SQLite stores as text, if all of them parse without loss."""
    parsed = series.str.strptime(kind, pattern, strict=False)
    merged = parsed.n_unique() < series.n_unique()
    return series if merged or parsed.null_count() > series.null_count() else parsed


def _kind_in_postgresql(kind: Any) -> str | None:
    if kind.is_decimal() and (kind.precision, kind.scale) == _MONEY:
        return "decimal"
    # enumerations, domains, "char" and others can all be cast to text
    return "string" if kind.is_unknown() else None


def _kind_in_duckdb(kind: Any) -> str | None:
    # integers of any length, and other types that polars does not have
    return "string" if kind.is_unknown() else None


def _kind_in_mysql(kind: Any) -> str | None:
    if not kind.is_unknown():
        return None
    raw = kind.raw_type
    words = str(raw)
    if "UDECIMAL" in repr(raw):
        digits = [int(part.name) for part in raw.expressions]
        return f"decimal({', '.join(map(str, digits))})" if digits else "decimal(10, 0)"
    return "float64" if any(name.lower() in words.lower() for name in _UNSIGNED) else None


_KINDS: dict[str, Callable[[Any], str | None]] = {
    "postgres": _kind_in_postgresql,
    "duckdb": _kind_in_duckdb,
    "mysql": _kind_in_mysql,
}
