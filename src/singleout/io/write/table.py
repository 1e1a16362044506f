"""Write a file without some of its records, in the format of its extension.

If the format stays the same, nothing is interpreted: the records of a text file are copied
unchanged, and files of statistical packages keep their labels and declared missing values.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from singleout.core.arrays import Flags
from singleout.core.progress import working_on
from singleout.core.table import Column, Table
from singleout.core.targets import STANDARD_OUTPUT
from singleout.errors import BadChoice
from singleout.io.files import checked_file, extension_by_content, first_bytes
from singleout.io.formats.typed import read_arrow, read_parquet
from singleout.io.read import EXTENSIONS, read
from singleout.io.size import PARQUET
from singleout.io.text.dialect import detect
from singleout.io.text.encoding import open_text
from singleout.io.values import series_of
from singleout.io.write.statistical import WRITABLE, copy_statistical, write_statistical
from singleout.io.write.text import copy_delimited, copy_json, holds_a_list, written
from singleout.io.write.workbook import write_workbook

__all__ = [
    "check_writable",
    "column_series",
    "format_of",
    "same_delimiter",
    "same_package",
    "source_extension",
    "without_unused",
    "write_arrow",
    "write_frame",
    "write_table",
    "write_without",
]

_TEXT = (".csv", ".tsv", ".txt", ".tab")
_LINES = (".jsonl", ".ndjson")
_JSON = (*_LINES, ".json")
_ARROW = (".arrow", ".feather", ".ipc", ".arrows")
_STATISTICAL = (*WRITABLE, ".zsav")
_EXCEL = ".xlsx"
_WRITABLE = (*_TEXT, *_JSON, *PARQUET, *_ARROW, _EXCEL, *_STATISTICAL)


def check_writable(name: str) -> None:
    """Refuse a file name whose format cannot be written, before any work is done."""
    format_of(name)


def write_without(
    source: str | Path,
    removed: NDArray[Any],
    to: Path,
    *,
    rows: int,
    target: str | None = None,
    **options: Any,
) -> None:
    """Write a file of ``rows`` records without the removed ones, given by number from 0.

    ``target`` is the final name of the file, which decides its format; by default that of ``to``.
    The options are those that the source was read with.
    """
    path = checked_file(source)
    target = target or to.name
    working_on(f"Writing {target}")
    kept = np.ones(rows, dtype=np.bool_)
    kept[removed] = False
    options = {option: value for option, value in options.items() if value is not None}
    extension, zipped = format_of(target)
    if _copied(path, extension, kept, to, zipped=zipped, options=options):
        return
    write_table(read(path, **options).take(kept), to, target=target)


def write_table(table: Table, to: Path, *, target: str | None = None) -> None:
    """Write a table; ``target`` is the final name of the file, which decides its format."""
    target = target or to.name
    working_on(f"Writing {target}")
    extension, _ = format_of(target)
    frame = pl.DataFrame([column_series(column) for column in table])
    if extension in _STATISTICAL:
        write_statistical(frame, table, to, extension=extension)
    else:
        write_frame(frame, to, target=target)


def write_frame(
    frame: pl.DataFrame, to: Path, *, target: str, delimiter: str | None = None
) -> None:
    """Write a frame in any format but those of statistical packages."""
    extension, zipped = format_of(target)
    if extension in _TEXT:
        usual = "\t" if extension in (".tsv", ".tab") else ","
        with written(to, zipped=zipped) as out:
            frame.write_csv(out, separator=delimiter or usual)
    elif extension in _JSON:
        with written(to, zipped=zipped) as out:
            frame.write_ndjson(out)
    elif extension in PARQUET:
        frame.write_parquet(to)
    elif extension == _EXCEL:
        write_workbook(frame, to)
    else:
        write_arrow(frame, to, stream=extension == ".arrows")


def column_series(column: Column) -> pl.Series:
    """Return the values of a column; values of mixed types and numbers of many digits as text."""
    book = [*column.values, None]
    try:
        # of decimals with too many digits polars would make missing ones, or end the program
        exact = any(isinstance(value, Decimal) for value in book)
        values = series_of(column.name, book) if exact else pl.Series(book)
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        values = pl.Series(book, dtype=pl.Object)
    if values.dtype in (pl.Object, pl.Int128, pl.UInt128):
        values = pl.Series([None if value is None else str(value) for value in book])
    return values.gather(column.codes).alias(column.name)  # ^a$ would be a pattern before


def without_unused(series: pl.Series) -> pl.Series:
    """Return a column whose type does not list values that only removed records had."""
    if not isinstance(series.dtype, pl.Enum):
        return series
    used = set(series.unique().drop_nulls().to_list())
    left = [value for value in series.dtype.categories.to_list() if value in used]
    return series.cast(pl.String).cast(pl.Enum(left))


def _kept(frame: pl.DataFrame, kept: Flags) -> pl.DataFrame:
    return pl.DataFrame([without_unused(series) for series in frame.filter(pl.Series(kept))])


def write_arrow(frame: pl.DataFrame, to: Path, *, stream: bool) -> None:
    """Write an Arrow file, or a stream into a file."""
    if stream:
        frame.write_ipc_stream(to)
    else:
        frame.write_ipc(to)


def format_of(name: str) -> tuple[str, bool]:
    """Return the extension of a file to write, and whether it is to be compressed.

    A table on the standard output is a CSV file.
    """
    if name == str(STANDARD_OUTPUT):
        return ".csv", False
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    zipped = suffixes[-1:] == [".gz"]
    if zipped:
        suffixes.pop()
    extension = suffixes[-1] if suffixes else ""
    if extension not in _WRITABLE or (zipped and extension not in (*_TEXT, *_JSON)):
        raise BadChoice(
            f"A table cannot be written as {name!r}; end the name in one of "
            f"{', '.join(_WRITABLE)} (text and JSON also in .gz)."
        )
    return extension, zipped


def source_extension(path: Path) -> str:
    """Return the extension of a source: its own, or the one of its content."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    if suffixes and suffixes[-1] in EXTENSIONS:
        return suffixes[-1]
    return extension_by_content(path) or ".csv"


# ---- the same format


def _copied(
    path: Path,
    extension: str,
    kept: Flags,
    to: Path,
    *,
    zipped: bool,
    options: Mapping[str, Any],
) -> bool:
    """Copy the kept records if the format stays the same; return whether it does."""
    old = source_extension(path)
    if old in _TEXT and extension in _TEXT:
        if not same_delimiter(path, extension, options):
            return False
        copy_delimited(path, kept, to, zipped=zipped, **options)
    elif old in _JSON and extension in _JSON:
        if extension in _LINES and holds_a_list(path):
            return False
        copy_json(path, kept, to, zipped=zipped)
    elif old in PARQUET and extension in PARQUET:
        _kept(read_parquet(path).frame, kept).write_parquet(to)
    elif old in _ARROW and extension in _ARROW:
        stream = extension == ".arrows" or not first_bytes(path).startswith(b"ARROW1")
        write_arrow(_kept(read_arrow(path).frame, kept), to, stream=stream)
    elif old in _STATISTICAL and same_package(old, extension):
        encoding = options.get("encoding")
        copy_statistical(path, pl.Series(kept), to, extension=extension, encoding=encoding)
    else:
        return False
    return True


def same_delimiter(path: Path, extension: str, options: Mapping[str, Any]) -> bool:
    """Whether the delimiter of a text file is that of the new extension."""
    text = open_text(path, options.get("encoding"))
    tabs = detect(text, options.get("delimiter"), options.get("quote")).delimiter == "\t"
    return extension == ".txt" or tabs == (extension in (".tsv", ".tab"))


def same_package(old: str, new: str) -> bool:
    """Whether two extensions are of files of one package."""
    return old == new or {old, new} == {".sav", ".zsav"}
