"""Files that a Spark cluster reads: Parquet as it is typed, delimited text as text.

Text is read as `singleout.io.text.delimited` reads it: nothing is reinterpreted, an empty cell is
missing, and a record with too few or too many cells is an error. Spark takes every line for a
record, though, and drops blank ones: files that this process can see as well are gone through, and
refused where that would make a difference; for files that only the cluster can see, a note says
what is taken for granted. The cluster must be able to reach the files under the path that is given.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from singleout.engines.spark.lines import refuse_what_spark_reads_differently
from singleout.engines.spark.session import ends_in_a_sentence
from singleout.engines.sql.urls import is_database_url
from singleout.errors import BadChoice, UnreadableFile, UnusableTable
from singleout.io.files import without_secrets
from singleout.io.names import all_different, filled
from singleout.io.size import PARQUET
from singleout.io.text.dialect import Dialect, detect, header
from singleout.io.text.encoding import open_text

__all__ = ["FileFrame", "is_text", "read_files"]

_TEXT = (".csv", ".tsv", ".tab", ".txt")
_PLAIN = Dialect(",", '"')
_ENCODINGS = {"utf-8", "utf-8-sig", "ascii"}
_PATTERN = re.compile(r"([\[\]{}*?\\])")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_TAKEN_FOR_GRANTED = (
    "Only the Spark cluster can see {name}, which was taken for comma-separated UTF-8 text: a cell "
    "that goes on over several lines would have been counted as several records, and blank lines "
    "were not counted."
)


@dataclass(frozen=True)
class FileFrame:
    """A Spark frame over files, what its columns are called, and what a reader should know."""

    frame: Any
    names: tuple[str, ...]
    source: str
    notes: tuple[str, ...] = ()


def read_files(session: Any, given: str | os.PathLike[str]) -> FileFrame:
    """Return the frame over a file, a folder or a pattern of files."""
    text = os.fsdecode(given)
    if not text.strip():
        raise UnreadableFile("The file name is empty; give the path of a file.")
    if is_database_url(text):
        raise BadChoice(
            "Spark reads files here, and no databases; give the path of files that the cluster can "
            "read, or leave the engine out."
        )
    name = without_secrets(Path(text).name or text)
    if Path(text).is_file() and (name.startswith((".", "_")) or ":" in name):
        raise UnreadableFile(
            f"{name} cannot be read by Spark, to which a name that begins with a dot or an "
            "underscore is no data, and one with a colon an address; rename the file, or read it "
            "with the local engine."
        )
    return _text_files(session, text, name) if is_text(text) else _parquet(session, text, name)


def is_text(path: str) -> bool:
    """Whether a path is one of delimited text; Parquet otherwise, unless it is neither."""
    ending = Path(path.removesuffix(".gz")).suffix.lower()
    if ending in _TEXT:
        return True
    if ending in PARQUET or not ending or Path(path).is_dir():
        return False
    raise UnreadableFile(
        f"{without_secrets(Path(path).name)} cannot be read by Spark here; give Parquet files "
        f"({', '.join(PARQUET)}), delimited text ({', '.join(_TEXT)}), or a Spark frame."
    )


def _parquet(session: Any, path: str, name: str) -> FileFrame:
    from pyspark.errors import AnalysisException

    with ends_in_a_sentence():
        try:
            frame = session.read.parquet(_as_spark_writes(path))
            return FileFrame(frame, all_different(frame.columns, name), name)
        except AnalysisException as error:
            unreadable = _unreadable(path, error)
    raise unreadable  # out of the except clause, since the error of Spark repeats the path


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
        columnPruning=False,  # or cells that are not asked for would not be missed
    )
    notes = () if names else (_TAKEN_FOR_GRANTED.format(name=name),)
    with ends_in_a_sentence():
        try:
            if names:
                reader = reader.schema(", ".join(f"c{place} string" for place in range(len(names))))
            frame = reader.csv(_as_spark_writes(path))
            return FileFrame(frame, names or all_different(frame.columns, name), name, notes)
        except AnalysisException as error:
            unreadable = _unreadable(path, error)
    raise unreadable


def _local_files(path: str) -> list[Path]:
    """Return the files that this process sees too; none if they are elsewhere."""
    if _ADDRESS.match(path):
        return []
    here = Path(path)
    if here.is_dir():
        return sorted(file for file in here.iterdir() if file.name[0] not in "._")
    if here.exists():
        return [here]
    found = (Path(match) for match in sorted(glob.iglob(path)))  # noqa: PTH207
    return [file for file in found if file.name[0] not in "._"]  # which are no data to Spark


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
        top = header(text, dialect)
        found.append((dialect, all_different(filled(top.cells), file.name)))
        if found[-1] != found[0]:
            raise UnusableTable(
                f"{file.name} has other columns, or is written in another way, than "
                f"{files[0].name}; give files that are alike."
            )
        refuse_what_spark_reads_differently(text, dialect, top)
    return found[0]


def _as_spark_writes(path: str) -> str:
    """Return a path for Spark, which takes brackets in the name of a file for a pattern."""
    here = Path(path)
    return _PATTERN.sub(r"\\\1", path) if not _ADDRESS.match(path) and here.exists() else path


def _unreadable(path: str, error: Any) -> UnreadableFile | BadChoice:
    condition = str(error.getCondition())
    if condition.startswith("PATH_NOT_FOUND"):
        return UnreadableFile(
            f"No file {without_secrets(path)!r} where the Spark cluster looks for it."
        )
    return UnreadableFile(
        f"{without_secrets(path)!r} cannot be read by Spark, which reports {condition}; "
        "give Parquet files, delimited text or a Spark frame."
    )
