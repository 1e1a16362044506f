"""Casts for types of columns that ibis does not know or mistakes for others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["plainly_typed"]

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
