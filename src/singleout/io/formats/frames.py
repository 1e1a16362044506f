"""Data frames of any library, eager and lazy; their row index is ignored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl
from narwhals.exceptions import DuplicateError, NarwhalsError
from polars import selectors

from singleout.core.text import ended
from singleout.errors import BadChoice, MissingDependency, UnusableTable
from singleout.io.names import all_different, pick
from singleout.io.source import Source
from singleout.io.values import numpy_series, series_of

__all__ = ["read_frame"]


def read_frame(data: Any, columns: Sequence[str] | None = None) -> Source:
    """Read the selected columns of a data frame, a dict or an Arrow stream."""
    data = nw.to_native(data, pass_through=True)
    for kind, accepts, take in _KINDS:
        try:
            if accepts(data):
                return Source(take(data, columns, kind), kind)
        except ImportError as error:
            raise MissingDependency(
                f"This {kind} needs the package {error.name!r} to be read; install it."
            ) from None
        except (pl.exceptions.DuplicateError, DuplicateError):
            raise UnusableTable(
                f"The {kind} has more than one column of the same name; "
                "column names must be different."
            ) from None
        # a lazy frame is evaluated here, which may fail for any reason
        except (pl.exceptions.PolarsError, NarwhalsError) as error:
            reason = (str(error).splitlines() or ["no reason given"])[0]
            raise UnusableTable(ended(f"The {kind} cannot be read: {reason}")) from None
    raise BadChoice(
        f"A {type(data).__name__} cannot be read as a table; give the path of a file, a data frame "
        "(pandas, polars, pyarrow, DuckDB and others) or a dict of columns."
    )


def _polars(data: Any, columns: Sequence[str] | None, kind: str) -> pl.DataFrame:
    names = data.collect_schema().names()
    frame = _chosen(data, pick(columns, all_different(names, f"The {kind}")))
    return frame.collect() if isinstance(frame, pl.LazyFrame) else frame


def _chosen(data: Any, names: Sequence[str]) -> Any:
    # by selectors: polars would take the name * for all columns, and ^a$ for a pattern
    return data.select(selectors.by_name(*names) if names else [])


def _pandas(data: Any, columns: Sequence[str] | None, kind: str) -> pl.DataFrame:
    names = all_different(data.columns, f"The {kind}")
    wanted = pick(columns, names)
    # by position: a name may be a number, which pandas would not find under its text
    return pl.DataFrame([_pandas_series(name, data.iloc[:, names.index(name)]) for name in wanted])


def _dict(data: Mapping[Any, Any], columns: Sequence[str] | None, kind: str) -> pl.DataFrame:
    names = all_different(data, f"The {kind}")
    by_name = dict(zip(names, data.values(), strict=True))
    chosen = {name: _listed(name, by_name[name]) for name in pick(columns, names)}
    lengths = {name: len(values) for name, values in chosen.items()}
    if len(set(lengths.values())) > 1:
        raise UnusableTable(f"The columns of the {kind} have different lengths: {lengths}.")
    return pl.DataFrame([_dict_series(name, values) for name, values in chosen.items()])


def _listed(name: str, values: Any) -> Any:
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__iter__"):
        raise UnusableTable(
            f"Column {name!r} is a single {type(values).__name__}; give a list with one value for "
            "each record."
        )
    return values if hasattr(values, "__len__") else list(values)


def _dict_series(name: str, values: Any) -> pl.Series:
    if isinstance(values, pl.Series):
        return values.alias(name)
    if nw.dependencies.is_pandas_series(values):
        return _pandas_series(name, values)
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "biufmMU":
        return numpy_series(name, values)
    # NaN is the value unequal to itself
    return series_of(name, [None if _is_nan(value) else value for value in values])


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and value != value  # noqa: PLR0124


def _narwhals(data: Any, columns: Sequence[str] | None, kind: str) -> pl.DataFrame:
    frame: Any = nw.from_native(data)
    # narwhals would hide a duplicate column of DuckDB
    own: Any = getattr(data, "columns", None)
    named = isinstance(own, list) and all(isinstance(name, str) for name in own)
    names = own if named else frame.collect_schema().names()
    chosen = frame.select(pick(columns, all_different(names, f"The {kind}")))
    if isinstance(chosen, nw.LazyFrame):
        chosen = chosen.collect(backend="polars")
    result: pl.DataFrame = chosen.to_polars()
    return result


def _stream(data: Any, columns: Sequence[str] | None, kind: str) -> pl.DataFrame:
    frame = pl.DataFrame(data)
    chosen: pl.DataFrame = _chosen(
        frame, pick(columns, all_different(frame.columns, f"The {kind}"))
    )
    return chosen


def _pandas_series(name: str, series: Any) -> pl.Series:
    """Return a column of pandas; None, NaN, NaT and NA are all missing. Needs no pyarrow."""
    import pandas as pd

    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        book = _pandas_series(name, pd.Series(series.cat.categories))
        codes = pl.Series(series.cat.codes.to_numpy().astype(np.int64))
        return book.gather(codes.set(codes < 0, None)).alias(name)
    if hasattr(series.array, "__arrow_array__") and _is_arrow(kind):
        return pl.Series(name, series.array.__arrow_array__())
    if isinstance(kind, pd.DatetimeTZDtype):
        instants = numpy_series(name, series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
        return _in_zone(instants.dt.replace_time_zone("UTC"), kind.tz)
    if isinstance(kind, np.dtype) and kind.kind in "biufmM":
        return numpy_series(name, series.to_numpy())
    absent = series.isna().to_numpy()
    if hasattr(kind, "numpy_dtype"):  # a number or truth value that can be NA
        numbers = pl.Series(name, series.to_numpy(dtype=kind.numpy_dtype, na_value=0))
        return numbers.set(pl.Series(absent), None)
    values = series.to_numpy(dtype=object)
    if isinstance(kind, pd.PeriodDtype | pd.IntervalDtype):
        values = [str(value) for value in values]
    return series_of(
        name, [None if missing else value for value, missing in zip(values, absent, strict=True)]
    )


def _in_zone(instants: pl.Series, zone: Any) -> pl.Series:
    """Return the same instants on the clocks of a zone, whose days are those of the data.

    They stay in UTC where polars has no such zone: one that is not whole hours from UTC, by number.
    """
    key = getattr(zone, "key", None) or getattr(zone, "zone", None)
    offset = zone.utcoffset(None) if key is None else None
    if offset is not None:
        hours, rest = divmod(offset, timedelta(hours=1))
        # in these names, east of Greenwich is negative
        key = None if rest or not hours else f"Etc/GMT{-hours:+d}"
    try:
        return instants.dt.convert_time_zone(key) if key else instants
    except pl.exceptions.PolarsError:
        return instants


def _is_arrow(kind: Any) -> bool:
    return getattr(kind, "storage", None) == "pyarrow" or hasattr(kind, "pyarrow_dtype")


def _is_stream(data: Any) -> bool:
    # a single column is a stream as well, but not a table
    stream = hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")
    return stream and not nw.dependencies.is_into_series(data)


def _is_narwhals(data: Any) -> bool:
    try:
        nw.from_native(data)
    except TypeError:
        return False
    return True


# the kind in words, a test for it, a function that reads its columns
_KINDS: tuple[tuple[str, Callable[[Any], bool], Callable[..., pl.DataFrame]], ...] = (
    ("polars data frame", lambda data: isinstance(data, pl.DataFrame | pl.LazyFrame), _polars),
    ("pandas data frame", nw.dependencies.is_pandas_dataframe, _pandas),
    ("dict of columns", lambda data: isinstance(data, Mapping), _dict),
    ("data frame", _is_narwhals, _narwhals),
    ("Arrow stream", _is_stream, _stream),
)
