"""Write a file without some of its records, in the format of its extension.

If the format stays the same, nothing is interpreted: the records of a text file are copied
unchanged, and files of statistical packages keep their labels and declared missing values.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from singleout.core.arrays import Flags
from singleout.core.progress import working_on
from singleout.core.table import Column, Table
from singleout.errors import BadChoice
from singleout.io.files import checked_file, extension_by_content, first_bytes
from singleout.io.formats.typed import read_arrow, read_parquet
from singleout.io.read import EXTENSIONS, read
from singleout.io.size import PARQUET
from singleout.io.text.dialect import detect
from singleout.io.text.encoding import open_text
from singleout.io.write.statistical import WRITABLE, copy_statistical, write_statistical
from singleout.io.write.text import copy_delimited, copy_json, holds_a_list, written

__all__ = ["check_writable", "write_table", "write_without"]

_TEXT = (".csv", ".tsv", ".txt", ".tab")
_LINES = (".jsonl", ".ndjson")
_JSON = (*_LINES, ".json")
_ARROW = (".arrow", ".feather", ".ipc", ".arrows")
_STATISTICAL = (*WRITABLE, ".zsav")
_WRITABLE = (*_TEXT, *_JSON, *PARQUET, *_ARROW, *_STATISTICAL)


def check_writable(name: str) -> None:
    """Refuse a file name whose format cannot be written, before any work is done."""
    _format(name)


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
    extension, zipped = _format(target)
    if _copied(path, extension, kept, to, zipped=zipped, options=options):
        return
    write_table(read(path, **options).take(kept), to, target=target)


def write_table(table: Table, to: Path, *, target: str | None = None) -> None:
    """Write a table; ``target`` is the final name of the file, which decides its format."""
    target = target or to.name
    working_on(f"Writing {target}")
    extension, zipped = _format(target)
    frame = pl.DataFrame([_series(column) for column in table])
    if extension in _STATISTICAL:
        write_statistical(frame, table, to, extension=extension)
    elif extension in _TEXT:
        separator = "\t" if extension in (".tsv", ".tab") else ","
        with written(to, zipped=zipped) as out:
            frame.write_csv(out, separator=separator)
    elif extension in _JSON:
        with written(to, zipped=zipped) as out:
            frame.write_ndjson(out)
    elif extension in PARQUET:
        frame.write_parquet(to)
    else:
        _write_arrow(frame, to, stream=extension == ".arrows")


def _series(column: Column) -> pl.Series:
    """Return the values of a column; values of mixed types as text."""
    book = [*column.values, None]
    try:
        values = pl.Series(column.name, book)
    except (TypeError, OverflowError, pl.exceptions.PolarsError):
        values = pl.Series(column.name, [None if v is None else str(v) for v in book])
    return values.gather(column.codes)


def _write_arrow(frame: pl.DataFrame, to: Path, *, stream: bool) -> None:
    if stream:
        frame.write_ipc_stream(to)
    else:
        frame.write_ipc(to)


def _format(name: str) -> tuple[str, bool]:
    """Return the extension of a file to write, and whether it is to be compressed."""
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


def _extension(path: Path) -> str:
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
    old = _extension(path)
    if old in _TEXT and extension in _TEXT:
        if not _same_delimiter(path, extension, options):
            return False
        copy_delimited(path, kept, to, zipped=zipped, **options)
    elif old in _JSON and extension in _JSON:
        if extension in _LINES and holds_a_list(path):
            return False
        copy_json(path, kept, to, zipped=zipped)
    elif old in PARQUET and extension in PARQUET:
        read_parquet(path).frame.filter(pl.Series(kept)).write_parquet(to)
    elif old in _ARROW and extension in _ARROW:
        stream = extension == ".arrows" or not first_bytes(path).startswith(b"ARROW1")
        _write_arrow(read_arrow(path).frame.filter(pl.Series(kept)), to, stream=stream)
    elif old in _STATISTICAL and _same_package(old, extension):
        encoding = options.get("encoding")
        copy_statistical(path, pl.Series(kept), to, extension=extension, encoding=encoding)
    else:
        return False
    return True


def _same_delimiter(path: Path, extension: str, options: Mapping[str, Any]) -> bool:
    """Whether the delimiter of a text file is that of the new extension."""
    text = open_text(path, options.get("encoding"))
    tabs = detect(text, options.get("delimiter"), options.get("quote")).delimiter == "\t"
    return extension == ".txt" or tabs == (extension in (".tsv", ".tab"))


def _same_package(old: str, new: str) -> bool:
    return old == new or {old, new} == {".sav", ".zsav"}
