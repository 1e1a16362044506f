"""Files of statistical packages without some records or with other values, with their labels."""

from __future__ import annotations

from collections.abc import Mapping, Set
from pathlib import Path
from typing import Any

import polars as pl

from singleout.core.arrays import I64, Flags
from singleout.core.part_files import require_room
from singleout.core.table import Column, Table
from singleout.errors import UnreadableFile

__all__ = ["WRITABLE", "copy_statistical", "rewrite_statistical", "write_statistical"]

_LABELS = "variable_value_labels"
_KINDS = "missing_user_values"
# extension: the suffix of the functions of pyreadstat, the metadata that can be written
WRITABLE: Mapping[str, tuple[str, tuple[str, ...]]] = {
    ".sav": (
        "sav",
        ("notes", "missing_ranges", _LABELS, "variable_display_width", "variable_measure"),
    ),
    ".dta": ("dta", (_KINDS, _LABELS)),
    ".xpt": ("xport", ("table_name",)),
}


def copy_statistical(
    source: Path, kept: pl.Series, to: Path, *, extension: str, encoding: str | None = None
) -> None:
    """Copy the kept records with numbers and dates as the file stores them."""
    frame, metadata = _as_stored(source, extension, encoding)
    function = WRITABLE[_base(extension)][0]
    _save(function, frame.filter(kept), to, **metadata, **_compression(extension))


def _as_stored(
    source: Path, extension: str, encoding: str | None = None
) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return the records as a file stores them, and its metadata as options of a writer."""
    import pyreadstat

    function, attributes = WRITABLE[_base(extension)]
    options: dict[str, Any] = {} if encoding is None else {"encoding": encoding}
    if function != "xport":  # values that the file declares missing must not become null
        options["user_missing"] = True
    frame, about = getattr(pyreadstat, f"read_{function}")(
        source, output_format="polars", disable_datetime_conversion=True, **options
    )
    metadata = {name: getattr(about, name) for name in attributes}
    metadata["note"] = metadata.pop("notes", None)
    formats = {name: form for name, form in about.original_variable_types.items() if form}
    return frame, {
        "file_label": about.file_label or "",
        "column_labels": about.column_names_to_labels,
        "variable_format": formats,
        **{option: value for option, value in metadata.items() if value},
    }


def rewrite_statistical(
    source: Path,
    original: Table,
    table: Table,
    series: Mapping[str, pl.Series],
    changed: Mapping[str, Flags],
    rows: I64,
    to: Path,
    *,
    extension: str,
    encoding: str | None = None,
    named: Set[str] = frozenset(),
) -> None:
    """Write some rows of a file with other values in some cells, and its metadata.

    ``series`` has the published values of each column, ``changed`` says where they are others than
    in the file. In the columns ``named`` all kinds of missing become one. A column of another type
    than before keeps its label only.
    """
    frame, metadata = _as_stored(source, extension, encoding)
    frame = frame.select(table.columns)[rows]
    kinds = metadata.get(_KINDS, {})
    columns, retyped = [], set()
    for name, published in series.items():
        stored = frame[name]
        if name in named:
            stored = stored.set(pl.Series(table[name].is_missing), None)
            if kinds.pop(name, None):  # of Stata, where they are letters among numbers
                stored = pl.Series(name, stored.to_list(), dtype=pl.Float64)
                labels = metadata.get(_LABELS, {})
                labels[name] = _of_numbers(labels.get(name, {}))
        column, is_other = _merged(stored, published, changed[name])
        columns.append(column)
        if is_other:
            retyped.add(name)
    kept = {option: _of_columns(value, table, retyped) for option, value in metadata.items()}
    kept["column_labels"] = {
        name: label for name, label in metadata["column_labels"].items() if name in series
    }
    labels = kept.get(_LABELS)
    if labels:
        kept[_LABELS] = {
            name: _labels_left(original[name], table[name], words) for name, words in labels.items()
        }
    function = WRITABLE[_base(extension)][0]
    given = {option: value for option, value in kept.items() if value}
    _save(function, pl.DataFrame(columns), to, **given, **_compression(extension))


def _merged(raw: pl.Series, published: pl.Series, changed: Flags) -> tuple[pl.Series, bool]:
    """Return a column to write, and whether its type is another than in the file."""
    mask = pl.Series(changed)
    if not changed.any():
        return raw, False
    if not published.filter(mask).drop_nulls().len():  # cells were blanked, and that is all
        return raw.set(mask, None), False
    numbers = published.dtype.is_numeric() and raw.dtype.is_numeric()
    if numbers or published.dtype == raw.dtype == pl.String:
        merged = pl.select(pl.when(mask).then(published).otherwise(raw)).to_series()
        return merged.alias(raw.name), published.dtype == pl.String
    return published, True


def _of_numbers(words: Mapping[Any, str]) -> dict[Any, str]:
    return {value: label for value, label in words.items() if not isinstance(value, str)}


def _of_columns(option: Any, table: Table, without: Set[str]) -> Any:
    """Return metadata of the columns that are written; other metadata as it is."""
    if not isinstance(option, Mapping):
        return option
    names = set(table.columns) - without
    return {name: value for name, value in option.items() if name in names}


def _labels_left(old: Column, new: Column, words: Mapping[Any, str]) -> dict[Any, str]:
    """Return the labels without those of values that occurred before and do no longer."""
    gone = set(old.values) - set(new.values)
    return {value: label for value, label in words.items() if value not in gone}


def write_statistical(frame: pl.DataFrame, table: Table, to: Path, *, extension: str) -> None:
    """Write a table that was read from another format, with its labels."""
    function, attributes = WRITABLE[_base(extension)]
    labels = {
        column.name: dict(column.labels)
        for column in table
        # Stata has labels of numbers only
        if column.labels and not (function == "dta" and frame[column.name].dtype == pl.String)
    }
    has_labels = labels and _LABELS in attributes
    _save(
        function,
        frame,
        to,
        column_labels={column.name: column.description for column in table if column.description},
        **({_LABELS: labels} if has_labels else {}),
        **_compression(extension),
    )


def _base(extension: str) -> str:
    return ".sav" if extension == ".zsav" else extension


def _compression(extension: str) -> dict[str, bool]:
    return {"compress": True} if extension == ".zsav" else {}


def _save(function: str, frame: pl.DataFrame, to: Path, **options: Any) -> None:
    import pyreadstat

    # these packages have no other missing text
    frame = frame.with_columns(pl.col(pl.String).fill_null(""))
    try:
        getattr(pyreadstat, f"write_{function}")(frame, to, **options)
    # a name or a value that the format does not allow
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError) as error:
        require_room(to)
        raise UnreadableFile(
            f"The reduced table cannot be written as {to.suffix}: {error}; write it as .csv or "
            ".parquet instead."
        ) from None
    require_room(to)  # readstat does not report a truncated transport file
