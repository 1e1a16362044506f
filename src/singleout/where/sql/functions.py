"""Functions that databases have and ibis does not, or asks for in a way that is not safe."""

from __future__ import annotations

from functools import cache
from typing import Any

__all__ = ["database_function", "is_nan"]


@cache
def database_function(name: str, arguments: tuple[str, ...], result: str) -> Any:
    """Return a function that the database has and ibis does not, by its types."""
    import ibis
    import ibis.expr.datatypes as dt

    shape = _of_one if len(arguments) == 1 else _of_two
    types = tuple(dt.dtype(argument) for argument in arguments)
    return ibis.udf.scalar.builtin(shape, name=name, signature=(types, dt.dtype(result)))


def is_nan(column: Any, backend: str) -> Any:
    """Return whether a decimal number is NaN, which means missing."""
    if backend != "duckdb":
        return column.isnan()
    # isnan is taken for false where the statistics of a Parquet file, which say nothing about NaN,
    # have a least and a greatest number
    finite = database_function("isfinite", (str(column.type().copy(nullable=True)),), "boolean")
    return ~finite(column) & ~column.isinf()


def _of_one(_value: Any) -> Any:
    """Stand in for a function of one argument."""


def _of_two(_value: Any, _option: Any) -> Any:
    """Stand in for a function of two arguments."""
