"""R data files: one data frame out of an .rds, .rda or .RData file."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from singleout.errors import BadChoice, UnreadableFile, UnusableColumn, UnusableTable, did_you_mean
from singleout.io.files import damaged
from singleout.io.names import all_different, pick
from singleout.io.source import Source
from singleout.io.values import series_of

__all__ = ["read_r"]


@dataclass(frozen=True)
class _Frame:
    """A data frame of R: its column names, which may be repeated, and its columns."""

    names: Sequence[str]
    columns: Mapping[str, Any]


@dataclass(frozen=True)
class _Labelled:
    """A column of R's haven package, with labels of its values."""

    values: Any
    labels: Mapping[Any, str]


def read_r(
    path: Path,
    columns: Sequence[str] | None = None,
    *,
    name: str | None = None,
    encoding: str | None = None,
) -> Source:
    """Read a data frame, by name if the file has several; factors become text, ``NA`` missing."""
    frames = _frames(path, encoding)
    frame = frames[_chosen(list(frames), name, path.name)]
    wanted = pick(columns, all_different(frame.names, path.name))
    raw = {column: frame.columns[column] for column in wanted}
    labels = {name: column.labels for name, column in raw.items() if isinstance(column, _Labelled)}
    columns_read = [_series(name, column, path.name) for name, column in raw.items()]
    return Source(pl.DataFrame(columns_read), path.name, labels=labels)


def _frames(path: Path, encoding: str | None) -> dict[str, _Frame]:
    import rdata

    try:
        with warnings.catch_warnings():
            # on classes such as "tbl_df", which need no conversion
            warnings.simplefilter("ignore")
            parsed = rdata.parser.parse_file(path)
            content = rdata.conversion.convert(
                parsed,
                {**rdata.conversion.DEFAULT_CLASS_MAP, **_CLASSES},
                default_encoding=encoding or parsed.extra.encoding or "utf-8",
            )
    # rdata raises any error of its parts: zlib, struct, assertions, key errors
    except Exception as error:  # noqa: BLE001
        raise damaged(path.name, "an R data file", f" ({type(error).__name__})") from None
    if isinstance(content, _Frame):
        return {"": content}
    objects = content if isinstance(content, dict) else {"": content}
    frames = {key: value for key, value in objects.items() if isinstance(value, _Frame)}
    if not frames:
        raise UnusableTable(
            f"{path.name} holds no data frame; save one in R with saveRDS(as.data.frame(x), file)."
        )
    return frames


def _chosen(names: list[str], name: str | None, file: str) -> str:
    if name is None:
        if len(names) > 1:
            raise BadChoice(f"{file} holds several data frames; give name, one of {names}.")
        return names[0]
    if name not in names:
        if names == [""]:
            raise BadChoice(f"{file} holds one data frame without a name; leave name out.")
        advice = did_you_mean(name, names)
        raise BadChoice(f"{file} has no data frame {name!r}. It has: {names}.{advice}")
    return name


def _series(name: str, column: Any, file: str) -> pl.Series:
    """Return a column of R as a column of polars."""
    values = column.values if isinstance(column, _Labelled) else column
    if isinstance(values, pl.Series):
        return values.alias(name)
    # a vector whose elements have names is an array with coordinates
    array = values if isinstance(values, np.ndarray) else getattr(values, "values", None)
    if isinstance(array, np.ndarray) and array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if not isinstance(array, np.ndarray) or array.ndim != 1:
        raise UnusableColumn(
            f"Column {name!r} of {file} holds lists or a matrix; "
            "singleout needs one plain value in each cell."
        )
    texts = array.tolist()  # NA is None in here
    if any(isinstance(value, bytes) for value in texts):
        raise UnreadableFile(
            f"{file} has text in column {name!r} that cannot be decoded; give the encoding, "
            "such as 'windows-1252'."
        )
    if array.dtype.kind in "biuf" and not np.ma.is_masked(array):
        return pl.Series(name, np.asarray(array))
    return series_of(name, texts)


def _data_frame(obj: Any, attributes: Mapping[str, Any]) -> _Frame:
    names = [str(name) for name in attributes.get("names", ())]
    # without any column, R's list has no names and no elements
    return _Frame(names, obj if isinstance(obj, Mapping) else {})


def _factor(obj: Any, attributes: Mapping[str, Any]) -> pl.Series:
    levels = pl.Series(list(attributes["levels"]), dtype=pl.String)
    codes = np.ma.filled(np.ma.asarray(obj), 0).astype(np.int64)
    indices = pl.Series(codes - 1)
    return levels.gather(indices.set(indices < 0, None))


def _days(obj: Any, attributes: Mapping[str, Any]) -> pl.Series:  # noqa: ARG001
    return _floats(obj).floor().cast(pl.Int32).cast(pl.Date)


def _seconds(obj: Any, attributes: Mapping[str, Any]) -> pl.Series:  # noqa: ARG001
    return (_floats(obj) * 1e6).round().cast(pl.Int64).cast(pl.Datetime("us", "UTC"))


def _integers(obj: Any, attributes: Mapping[str, Any]) -> pl.Series:  # noqa: ARG001
    """Read 64-bit integers, which R stores in the bits of floats."""
    bits = np.ascontiguousarray(np.asarray(obj, dtype=np.float64)).view(np.int64)
    whole = pl.Series(bits)
    return whole.set(whole == np.iinfo(np.int64).min, None)


def _floats(obj: Any) -> pl.Series:
    array = np.ma.filled(np.ma.asarray(obj).astype(np.float64), np.nan)
    return pl.Series(array).fill_nan(None)


def _labelled(obj: Any, attributes: Mapping[str, Any]) -> _Labelled:
    labels: Any = attributes.get("labels")
    if not hasattr(labels, "coords"):
        return _Labelled(obj, {})
    words = next(iter(labels.coords.values())).values.tolist()
    return _Labelled(obj, dict(zip(labels.values.tolist(), words, strict=True)))


_CLASSES = {
    "data.frame": _data_frame,
    "factor": _factor,
    "ordered": _factor,
    "Date": _days,
    "POSIXct": _seconds,
    "integer64": _integers,
    "haven_labelled": _labelled,
}
