"""Python values to a column, and when two values are the same.

Numbers that are equal are one value, whatever their types: 1, 1.0 and Decimal("1.00"). A truth
value is no number, text no number, a date no timestamp. Timestamps of the same instant are one
value in any time zone; one without a time zone is never the same as one with a time zone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cache
from numbers import Integral, Number, Real
from typing import Any

import numpy as np
import polars as pl

from singleout.errors import UnusableColumn

__all__ = ["blank_as_missing", "half_a_character", "identity", "numpy_series", "series_of"]

_DIGITS = 38
# the first that fits: to Python a truth value is a number, and a timestamp a date
_FAMILIES: tuple[tuple[type, str], ...] = (
    (bool, "truth value"),
    (Number, "number"),
    (str, "text"),
    (bytes, "bytes"),
    (datetime, "timestamp"),
    (date, "date"),
    (time, "time"),
    (timedelta, "duration"),
)
_ABSENT = ("NoneType", "NAType", "NaTType")


@cache
def _family(kind: type) -> str:
    """Return the family of a type, whose values are compared with each other."""
    if issubclass(kind, np.datetime64 | np.timedelta64):
        return kind.__name__
    if issubclass(kind, np.bool_):
        return "truth value"
    names = (name for parent, name in _FAMILIES if issubclass(kind, parent))
    return next(names, kind.__name__)


def identity(value: Any) -> tuple[str, Any]:
    """Return a key that is equal for two Python values if and only if they are the same value.

    >>> from decimal import Decimal
    >>> identity(1) == identity(1.0) == identity(Decimal("1.00")), identity(1) == identity(True)
    (True, False)
    """
    if isinstance(value, np.generic):
        value = _python(value)
    kind: type = type(value)
    family = _family(kind)
    if family in ("timestamp", "time") and value.utcoffset() is not None:
        family = f"{family} with a time zone"
    return family, value


def _python(scalar: np.generic) -> Any:
    """Return a numpy scalar as a Python value, or unchanged if Python would round it."""
    if isinstance(scalar, np.datetime64 | np.timedelta64):
        rounded = scalar.astype(f"{type(scalar).__name__}[us]")
        return rounded.item() if rounded == scalar else scalar
    return scalar.item()


def series_of(name: str, values: Sequence[Any]) -> pl.Series:
    """Return a column of Python values; None is missing, and so is NaN of exact numbers.

    Whole and decimal numbers together are numbers. Other mixtures, such as 1 and ``"1"``, are
    stored as Python objects, so that each value is compared as itself; see `identity`.
    """
    kinds = set(map(type, values))
    if any(kind.__name__ in _ABSENT for kind in kinds - {type(None)}):
        values = [None if type(value).__name__ in _ABSENT else value for value in values]
    kinds = {kind for kind in kinds if kind.__name__ not in _ABSENT}
    families = {_family(kind) for kind in kinds}
    if families == {"number"}:
        return _numbers(name, values, kinds)
    if families in ({"datetime64"}, {"timedelta64"}):
        return numpy_series(name, np.array(values, dtype=next(iter(families))))
    if len(families) > 1 or not _agree(families, values):
        return pl.Series(name, values, dtype=pl.Object)
    return _typed(name, values)


def _typed(name: str, values: Sequence[Any]) -> pl.Series:
    try:
        return pl.Series(name, values)
    except UnicodeEncodeError:
        raise half_a_character(name) from None
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        return pl.Series(name, values, dtype=pl.Object)


def half_a_character(name: str) -> UnusableColumn:
    """Return the error for a column with a lone surrogate, which cannot be encoded."""
    return UnusableColumn(
        f"Column {name!r} holds half of a character, such as \\ud800 alone, which is no text; "
        "correct it in the data."
    )


def _numbers(name: str, values: Sequence[Any], kinds: set[type]) -> pl.Series:
    if any(issubclass(kind, Decimal) for kind in kinds):
        values = [None if isinstance(v, Decimal) and v.is_nan() else v for v in values]
        exact = all(issubclass(kind, Decimal) for kind in kinds) and _fit_128_bits(values)
        return _typed(name, values) if exact else pl.Series(name, values, dtype=pl.Object)
    if len(kinds) > 1:
        # polars would infer the type from the first value, and round others to it
        if all(issubclass(kind, Integral) for kind in kinds):
            return _typed(name, [None if value is None else int(value) for value in values])
        if all(issubclass(kind, Real) for kind in kinds) and _exact(values):
            return pl.Series(name, values, dtype=pl.Float64, strict=False)
        return pl.Series(name, values, dtype=pl.Object)
    return _typed(name, values)


def _agree(families: set[str], values: Sequence[Any]) -> bool:
    """Whether values of one family can have one type without being changed."""
    if families == {"timestamp"}:
        zones = {value.utcoffset() is None for value in values if value is not None}
        return len(zones) == 1 and not _finer_than_python(values, "nanosecond")
    if families == {"time"}:
        return all(value is None or value.tzinfo is None for value in values)
    return families != {"duration"} or not _finer_than_python(values, "nanoseconds")


def _finer_than_python(values: Sequence[Any], part: str) -> bool:
    """Whether a timestamp or duration of pandas has nanoseconds, which polars would truncate."""
    return any(getattr(value, part, 0) for value in values)


def numpy_series(name: str, values: Any) -> pl.Series:
    """Return a column of an array of numbers, truth values, timestamps or durations."""
    kind = values.dtype.kind
    unit = np.datetime_data(values.dtype)[0] if kind in "mM" else ""
    # polars has these units only, and days for dates
    if unit and unit not in ("ns", "us", "ms") and kind + unit != "MD":
        values = values.astype(f"{kind}8[ms]")
    return pl.Series(name, values)


def _exact(values: Sequence[Any]) -> bool:
    """Whether all numbers are exact as 64-bit floats."""
    try:
        return all(value is None or float(value) == value for value in values)
    except OverflowError:
        return False


def _fit_128_bits(values: Sequence[Any]) -> bool:
    """Whether decimals fit into the 38 digits of polars, which crashes on others."""
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
