"""Parquet files as one table of DuckDB, with the columns that are names of folders.

Spark, Hive and others write a column such as ``year`` into the names of folders, ``year=2020``, and
leave it out of the files below.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from singleout.core.paths import expanded
from singleout.errors import UnreadableFile, UnusableTable
from singleout.io.names import all_different
from singleout.io.unpack import State, state_of

__all__ = ["VIEW", "Files", "folders_of", "literal", "parquet_files", "quoted"]

VIEW = "singleout_files"


@dataclass(frozen=True)
class Files:
    """Files that are one table."""

    source: str
    names: tuple[str, ...]  # of the columns
    select: str  # the statement that creates the view
    slow: bool  # to read: worth a copy if it is read more than once
    notes: tuple[str, ...] = ()
    states: Mapping[Path, State] = field(default_factory=dict)  # by which a change is noticed


@dataclass(frozen=True)
class Folders:
    """Columns in the names of folders (Hive partitions)."""

    columns: tuple[str, ...] = ()  # that all files have
    outside: tuple[str, ...] = ()  # above the folder that is read; DuckDB would take them as well
    left_out: tuple[str, ...] = ()  # that only some files have, or that a pattern was given for


def folders_of(paths: Sequence[Path], text: str) -> Folders:
    """Return the columns of the folders below a folder; those of a glob pattern are left out."""
    top = expanded(text)
    if not top.is_dir():
        names = {name for path in paths for name in _keys(path.parent)}
        return Folders(left_out=tuple(sorted(names)) if len(paths) > 1 else ())
    keys = [_keys(path.relative_to(top).parent) for path in paths]
    if any(names != keys[0] for names in keys):
        return Folders(left_out=tuple(sorted({name for names in keys for name in names})))
    return Folders(keys[0], _keys(top)) if keys[0] else Folders()


def _keys(folder: Path) -> tuple[str, ...]:
    split = [part.partition("=") for part in folder.parts]
    return tuple(name for name, equals, _ in split if name and equals)


def parquet_files(paths: Sequence[Path], source: str, folders: Folders) -> Files:
    """Check that Parquet files have the same columns with the same types."""
    states = {path: state_of(path) for path in paths}
    first = _schema(paths[0])
    # DuckDB matches columns of files by name, ignoring case
    ambiguous = len({name.casefold() for name in first}) < len(first)
    for path in paths[1:]:
        here = _schema(path)
        if here != first or (ambiguous and list(here) != list(first)):
            raise UnusableTable(
                f"{path.name} has other columns than {paths[0].name}, or the same with other types"
                f"{' or in another order' if ambiguous else ''}; files of one table must have the "
                "same ones."
            )
    partitions = _partition_columns(first, folders, source)
    names = all_different([*first, *partitions], source)
    listed = ", ".join(quoted(literal(path)) for path in paths)
    # not by name: DuckDB renames a column that differs from another only in case
    chosen = "*"
    if partitions:
        without = ", ".join(map(_identifier, dict.fromkeys([*partitions, *folders.outside])))
        chosen = f"* EXCLUDE ({without}), {', '.join(map(_identifier, partitions))}"
    select = (
        f"CREATE TEMP VIEW {VIEW} AS SELECT {chosen} FROM "
        f"read_parquet([{listed}], hive_partitioning = {'true' if partitions else 'false'})"
    )
    notes = tuple(
        f"The folders of {source} are named by {name!r}, which was not taken for a column: give "
        "the folder that holds them all, and let every file be in a folder with the same names."
        for name in folders.left_out
        if name not in first
    )
    return Files(source, names, select, slow=False, notes=notes, states=states)


def _partition_columns(schema: Mapping[str, Any], folders: Folders, source: str) -> tuple[str, ...]:
    """Return the columns that are in the names of folders and not in the files."""
    inside = {name.casefold() for name in schema}
    partitions = [name.casefold() for name in folders.columns]
    if inside.issuperset(partitions):
        return ()
    everything = [*partitions, *(name.casefold() for name in folders.outside)]
    if inside.intersection(everything) or len(set(everything)) < len(everything):
        raise UnusableTable(
            f"The folders of {source} are named by a column that the files have as well, or by one "
            "column twice; give a pattern such as 'folder/*/*.parquet' to read the files alone."
        )
    return folders.columns


def _schema(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return dict(pl.read_parquet_schema(file))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        pass
    raise UnreadableFile(
        f"{path.name} cannot be read as a Parquet file: it is cut off, damaged or of another kind."
    )


def literal(path: Path) -> str:
    """Return a path with the characters escaped that DuckDB takes for a glob pattern."""
    text = path.absolute().as_posix()
    escaped = re.sub(r"[*?\[]", r"[\g<0>]", text)
    if escaped != text and "\\" in text:
        raise UnreadableFile(
            f"{path.name} cannot be given to the embedded database: its path has a backslash "
            "together with one of * ? [ in it; rename it, or read it with the local engine."
        )
    return escaped


def quoted(value: str) -> str:
    """Return a text as an SQL literal."""
    return "'" + value.replace("'", "''") + "'"


def _identifier(value: str) -> str:
    """Return the name of a column as an SQL identifier."""
    return '"' + value.replace('"', '""') + '"'
