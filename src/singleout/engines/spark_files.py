"""Files that a Spark cluster reads: Parquet as it is typed, delimited text as text.

Text is read as `singleout.io.delimited` reads it: nothing is reinterpreted, an empty cell is
missing, and a record with too few or too many cells is an error. Two things differ, since Spark
reads a file in pieces: a cell must not go on over several lines, and a blank line is never a
record. The cluster must be able to reach the files under the path that is given.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from singleout.engines.spark_session import ends_in_a_sentence
from singleout.errors import BadChoice, UnreadableFile, UnusableTable
from singleout.io.dialect import Dialect, detect, header
from singleout.io.names import all_different, filled
from singleout.io.text import open_text

__all__ = ["FileFrame", "is_text", "read_files"]

_PARQUET = (".parquet", ".pq")
_TEXT = (".csv", ".tsv", ".tab", ".txt")
_PLAIN = Dialect(",", '"')
_ENCODINGS = {"utf-8", "utf-8-sig", "ascii"}
_PATTERN = re.compile(r"([\[\]{}*?\\])")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")


@dataclass(frozen=True)
class FileFrame:
    """A Spark frame over files, and what its columns are called."""

    frame: Any
    names: tuple[str, ...]
    source: str


def read_files(session: Any, given: str | os.PathLike[str]) -> FileFrame:
    """Return the frame over a file, a folder or a pattern of files."""
    text = os.fsdecode(given)
    if not text.strip():
        raise UnreadableFile("The file name is empty; give the path of a file.")
    name = Path(text).name or text
    return _text_files(session, text, name) if is_text(text) else _parquet(session, text, name)


def is_text(path: str) -> bool:
    """Whether a path is one of delimited text; Parquet otherwise, unless it is neither."""
    ending = Path(path.removesuffix(".gz")).suffix.lower()
    if ending in _TEXT:
        return True
    if ending in _PARQUET or not ending or Path(path).is_dir():
        return False
    raise UnreadableFile(
        f"{Path(path).name} cannot be read by Spark here; give Parquet files "
        f"({', '.join(_PARQUET)}), delimited text ({', '.join(_TEXT)}), or a Spark frame."
    )


def _parquet(session: Any, path: str, name: str) -> FileFrame:
    from pyspark.errors import AnalysisException

    with ends_in_a_sentence():
        try:
            frame = session.read.parquet(_as_spark_writes(path))
            names = all_different(frame.columns, name)
        except AnalysisException as error:
            raise _unreadable(path, error) from None
    return FileFrame(frame, names, name)


def _text_files(session: Any, path: str, name: str) -> FileFrame:
    from pyspark.errors import AnalysisException

    files = _local_files(path)
    dialect, names = _first_lines(files) if files else (_PLAIN, None)
    reader = session.read.options(
        header=True,
        sep=dialect.delimiter,
        quote=dialect.quote,
        escape=dialect.quote or "\0",
        nullValue="",
        emptyValue="",
        mode="FAILFAST",
    )
    with ends_in_a_sentence():
        try:
            if names:
                reader = reader.schema(", ".join(f"c{place} string" for place in range(len(names))))
            frame = reader.csv(_as_spark_writes(path))
            return FileFrame(frame, names or all_different(frame.columns, name), name)
        except AnalysisException as error:
            raise _unreadable(path, error) from None


def _local_files(path: str) -> list[Path]:
    """Return the files that this process sees too; none if they are elsewhere."""
    if _ADDRESS.match(path):
        return []
    here = Path(path)
    if here.is_dir():
        return sorted(file for file in here.iterdir() if file.name[0] not in "._")
    return [here] if here.exists() else [Path(found) for found in sorted(glob.iglob(path))]  # noqa: PTH207


def _first_lines(files: Sequence[Path]) -> tuple[Dialect, tuple[str, ...]]:
    """Return how files are delimited and their column names: of all the same."""
    found = []
    for file in files:
        text = open_text(file)
        if text.encoding not in _ENCODINGS:
            raise UnreadableFile(
                f"{file.name} is not UTF-8 text but {text.encoding}; for Spark, save it as UTF-8 "
                "or as Parquet."
            )
        dialect = detect(text)
        cells, blank = header(text, dialect)
        if blank:
            raise UnreadableFile(f"{file.name} has a blank line before its header; remove it.")
        found.append((dialect, all_different(filled(cells), file.name)))
        if found[-1] != found[0]:
            raise UnusableTable(
                f"{file.name} has other columns, or is written in another way, than "
                f"{files[0].name}; give files that are alike."
            )
    return found[0]


def _as_spark_writes(path: str) -> str:
    """Return a path for Spark, which takes brackets in the name of a file for a pattern."""
    here = Path(path)
    return _PATTERN.sub(r"\\\1", path) if not _ADDRESS.match(path) and here.exists() else path


def _unreadable(path: str, error: Any) -> UnreadableFile | BadChoice:
    condition = str(error.getCondition())
    if condition.startswith("PATH_NOT_FOUND"):
        return UnreadableFile(f"No file {path!r} where the Spark cluster looks for it.")
    return UnreadableFile(
        f"{path!r} cannot be read by Spark, which reports {condition}; give Parquet files, "
        "delimited text or a Spark frame."
    )
