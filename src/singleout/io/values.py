"""Python values to a column: typed where they agree, otherwise each kept as itself."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import polars as pl

__all__ = ["blank_as_missing", "series_of"]

_DIGITS = 38


def series_of(name: str, values: Sequence[Any]) -> pl.Series:
    """Return a column of Python values; None is missing, and so is NaN of exact numbers.

    Whole and decimal numbers together are numbers. Other mixtures, such as 1 and ``"1"``, are
    kept as Python objects, so that each value is compared as itself.
    """
    kinds = set(map(type, values)) - {type(None)}
    if any(issubclass(kind, Decimal) for kind in kinds):
        values = [None if isinstance(v, Decimal) and v.is_nan() else v for v in values]
    if len(kinds) > 1 and any(issubclass(kind, Real | Decimal) for kind in kinds):
        # polars would decide by the first value: 1 then True gives 1 and 1, True then 1 an error
        numbers = bool not in kinds and all(issubclass(kind, Real) for kind in kinds)
        if numbers and _exact(values):
            return pl.Series(name, values, dtype=pl.Float64, strict=False)
        return pl.Series(name, values, dtype=pl.Object)
    if any(issubclass(kind, Decimal) for kind in kinds) and not _fit_128_bits(values):
        return pl.Series(name, values, dtype=pl.Object)
    try:
        return pl.Series(name, values)
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        return pl.Series(name, values, dtype=pl.Object)


def _exact(values: Sequence[Any]) -> bool:
    """Whether numbers stay what they are as decimal numbers of 64 bits."""
    try:
        return all(value is None or float(value) == value for value in values)
    except OverflowError:
        return False


def _fit_128_bits(values: Sequence[Any]) -> bool:
    """Whether exact numbers fit into the 38 digits of polars, which would not survive others."""
    digits = decimals = 0
    for value in values:
        if value is None:
            continue
        exponent = value.as_tuple().exponent
        if isinstance(exponent, str):  # infinite, or not a number
            return False
        digits, decimals = max(digits, value.adjusted() + 1), max(decimals, -exponent)
    return digits + decimals <= _DIGITS


def blank_as_missing(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame with empty text as missing."""
    text = pl.col(pl.String)
    return frame.with_columns(pl.when(text != "").then(text).name.keep())
