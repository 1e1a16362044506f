"""A treated table in the format of the file that it was made from.

What no step changed is written as the source has it: types of Parquet files, the delimiter of a
text file, labels, formats and declared missing values of statistical packages. In a column that a
step names, all kinds of missing are written as one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from singleout.core.arrays import I64, Flags
from singleout.core.progress import working_on
from singleout.core.table import Column, Table
from singleout.io.formats.typed import read_arrow, read_parquet
from singleout.io.size import PARQUET
from singleout.io.text.dialect import detect
from singleout.io.text.encoding import open_text
from singleout.io.write.statistical import WRITABLE, rewrite_statistical
from singleout.io.write.table import (
    column_series,
    format_of,
    same_delimiter,
    same_package,
    source_extension,
    without_unused,
    write_frame,
    write_table,
)

__all__ = ["Sourced", "typed_frame", "write_treated"]

_TEXT = (".csv", ".tsv", ".txt", ".tab")
_TYPED = (*PARQUET, ".arrow", ".feather", ".ipc", ".arrows")
_STATISTICAL = (*WRITABLE, ".zsav")


@dataclass(frozen=True, eq=False)
class Sourced:
    """The file that a table was read from, and which of its rows the published records are.

    Parameters
    ----------
    path
        The file.
    original
        The records as they were read, in the order in which they are published.
    rows
        For each of these its row in the file, from 0.
    options
        What the file was read with: ``delimiter``, ``quote``, ``encoding`` and others.
    named
        The columns that a step names or that others can know: in them, all kinds of missing are
        counted as one, and so they are published as one.
    """

    path: Path
    original: Table = field(repr=False)
    rows: I64 = field(repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)
    named: frozenset[str] = frozenset()

    def changed(self, column: Column) -> Flags:
        """Return for each record whether the value of a column is another than in the file."""
        old = self.original[column.name]
        names = {_key(value): code for code, value in enumerate(old.values)}
        same = [names.get(_key(value), -2) for value in column.values]
        now = np.array([*same, -1], dtype=np.int64)[column.codes]
        was = np.array([*range(len(old.values)), -1], dtype=np.int64)[old.codes]
        return np.asarray(now != was, dtype=np.bool_)


def _key(value: Any) -> tuple[bool, Any]:
    return isinstance(value, str), value


def write_treated(table: Table, to: Path, *, target: str, source: Sourced | None) -> None:
    """Write a table; ``target`` is the final name of the file, which decides its format."""
    extension, _ = format_of(target)
    old = None if source is None else source_extension(source.path)
    if source is None or old is None:
        write_table(table, to, target=target)
        return
    working_on(f"Writing {target}")
    if old in _STATISTICAL and same_package(old, extension):
        changed = {column.name: source.changed(column) for column in table}
        series = {column.name: column_series(column) for column in table}
        rewrite_statistical(
            source.path,
            source.original,
            table,
            series,
            changed,
            source.rows,
            to,
            extension=extension,
            encoding=source.options.get("encoding"),
            named=source.named,
        )
    elif old in _TEXT and extension in _TEXT:
        frame = pl.DataFrame([column_series(column) for column in table])
        write_frame(frame, to, target=target, delimiter=_delimiter(source, extension))
    elif old in _TYPED and extension not in _STATISTICAL:
        write_frame(typed_frame(table, source), to, target=target)
    else:
        write_table(table, to, target=target)


def _delimiter(source: Sourced, extension: str) -> str | None:
    """Return what separates values in the source, if the new file may have the same."""
    options = source.options
    if not same_delimiter(source.path, extension, options):
        return None
    text = open_text(source.path, options.get("encoding"))
    return detect(text, options.get("delimiter"), options.get("quote")).delimiter


def typed_frame(table: Table, source: Sourced) -> pl.DataFrame:
    """Return a table with the types that a Parquet or Arrow file has."""
    old = source_extension(source.path)
    read = read_parquet if old in PARQUET else read_arrow
    frame = read(source.path, list(table.columns)).frame
    return pl.DataFrame(
        [_typed(column, frame[column.name].gather(source.rows), source) for column in table]
    )


def _typed(column: Column, raw: pl.Series, source: Sourced) -> pl.Series:
    if not source.changed(column).any():
        # NaN and null were counted as one
        return without_unused(raw.set(pl.Series(column.is_missing), None))
    series = column_series(column)
    numbers = series.dtype.is_numeric() and raw.dtype.is_numeric()
    if not (numbers or (series.dtype.is_temporal() and raw.dtype.is_temporal())):
        return series
    try:
        cast = series.cast(raw.dtype, strict=True)
    except pl.exceptions.PolarsError:
        return series
    return cast if (cast.cast(series.dtype) == series).all() else series
