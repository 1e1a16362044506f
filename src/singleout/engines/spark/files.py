"""Files that a Spark cluster reads: Parquet as it is typed, delimited text as text.

Text is read as `singleout.io.text.delimited` reads it: values stay text, an empty cell is missing,
and a record with too few or too many cells is an error. But Spark takes every line for a record,
also within quotes, drops blank lines, and does not check cells that are not asked for. So files
that this process can see go through the check that all readers share (`singleout.io.text.records`)
and are refused if Spark would read them differently; for files that only the cluster can see, a
note states the assumptions. The cluster must reach the files under the given path.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from singleout.engines.spark.session import ends_in_a_sentence
from singleout.engines.sql.urls import is_database_url
from singleout.errors import BadChoice, UnreadableFile, UnusableTable
from singleout.io.files import without_secrets
from singleout.io.names import all_different, filled
from singleout.io.size import PARQUET
from singleout.io.text.dialect import Dialect, Header
from singleout.io.text.encoding import OtherEncoding, Text, open_text
from singleout.io.text.located import locate
from singleout.io.text.records import oddities_of_header, records_of
from singleout.kernels.text_loops import BLANK_LINE, BREAK_IN_QUOTES, LONE_CR, STRAY_QUOTE

__all__ = ["is_text", "read_files"]

_TEXT = (".csv", ".tsv", ".tab", ".txt")
_PLAIN = Dialect(",", '"')
_ENCODINGS = {"utf-8", "utf-8-sig", "ascii"}
_PATTERN = re.compile(r"([\[\]{}*?\\])")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_ODDITIES = {
    BREAK_IN_QUOTES: "has line breaks within cells",
    LONE_CR: "has line ends of its own",
    STRAY_QUOTE: "has quote marks within cells",
}
# Records of nothing but blanks, which all characters up to the blank are to Spark. An empty line is
# a record in a file of one column only.
_LOST = re.compile(rb"^(?!\r?$)[\x01-\x09\x0b-\x20]+$", re.MULTILINE)
_LOST_OF_ONE = re.compile(rb"^[\x01-\x09\x0b-\x20]*$", re.MULTILINE)
_ASSUMPTIONS = (
    "Only the Spark cluster can see {name}, which was taken for comma-separated UTF-8 text: a cell "
    "that goes on over several lines would have been counted as several records, and blank lines "
    "were not counted."
)


@dataclass(frozen=True)
class FileFrame:
    """A Spark frame over files, with the names of its columns."""

    frame: Any
    names: tuple[str, ...]
    source: str
    notes: tuple[str, ...] = ()


def read_files(session: Any, path: str | os.PathLike[str]) -> FileFrame:
    """Return the frame over a file, a folder or a glob pattern."""
    text = os.fsdecode(path)
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
            "underscore is no data, and one with a colon a URL; rename the file, or read it "
            "with the local engine."
        )
    if is_text(text):
        return _text_files(session, text, name)
    return _frame(session.read.parquet, text, name)


def is_text(path: str) -> bool:
    """Whether a path is of delimited text; if not, it must be of Parquet files."""
    ending = Path(path.removesuffix(".gz")).suffix.lower()
    if ending in _TEXT:
        return True
    if ending in PARQUET or not ending or Path(path).is_dir():
        return False
    raise UnreadableFile(
        f"{without_secrets(Path(path).name)} cannot be read by Spark here; give Parquet files "
        f"({', '.join(PARQUET)}), delimited text ({', '.join(_TEXT)}), or a Spark frame."
    )


def _text_files(session: Any, path: str, name: str) -> FileFrame:
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
        columnPruning=False,  # or a lack of cells that are not asked for would go unnoticed
    )
    if names is None:
        return _frame(reader.csv, path, name, notes=(_ASSUMPTIONS.format(name=name),))
    with ends_in_a_sentence():
        reader = reader.schema(", ".join(f"c{index} string" for index in range(len(names))))
    return _frame(reader.csv, path, name, names)


def _frame(
    read: Callable[[str], Any],
    path: str,
    name: str,
    names: tuple[str, ...] | None = None,
    notes: tuple[str, ...] = (),
) -> FileFrame:
    """Return the frame over files; its own column names if no others are given."""
    from pyspark.errors import AnalysisException

    with ends_in_a_sentence():
        try:
            frame = read(_escaped(path))
            return FileFrame(frame, names or all_different(frame.columns, name), name, notes)
        except AnalysisException as error:
            unreadable = _unreadable(path, error)
    raise unreadable  # outside the except clause, since the error of Spark repeats the path


def _local_files(path: str) -> list[Path]:
    """Return the files that this process can see; none if they are remote."""
    if _URL.match(path):
        return []
    here = Path(path)
    if here.is_dir():
        return sorted(file for file in here.iterdir() if file.name[0] not in "._")
    if here.exists():
        return [here]
    matches = map(Path, sorted(glob.iglob(path)))  # noqa: PTH207
    return [file for file in matches if file.name[0] not in "._"]  # which are no data to Spark


def _first_lines(files: Sequence[Path]) -> tuple[Dialect, tuple[str, ...]]:
    """Return the dialect and the column names of files, which must all have the same."""
    headers = []
    for file in files:
        text = open_text(file)
        if text.encoding not in _ENCODINGS:
            raise UnreadableFile(
                f"{file.name} is not UTF-8 text but {text.encoding}; for Spark, save it as UTF-8 "
                "or as Parquet."
            )
        text, dialect, top = locate(text, None, None)
        if text.left_out:
            raise UnreadableFile(
                f"{file.name} has lines above or below its table, which Spark would take for "
                "records; remove them, or count it with the local or the database engine."
            )
        headers.append((dialect, all_different(filled(top.cells), file.name)))
        if headers[-1] != headers[0]:
            raise UnusableTable(
                f"{file.name} has other columns, or is written in another way, than "
                f"{files[0].name}; give files that are alike."
            )
        _refuse_what_spark_reads_differently(text, dialect, top)
    return headers[0]


def _refuse_what_spark_reads_differently(text: Text, dialect: Dialect, header: Header) -> None:
    """Check a text file and refuse it if Spark would find other records or cells in it."""
    # Spark decides by the name
    if text.packed != text.name.lower().endswith(".gz"):
        raise _different(text, "is compressed or not, other than its name says")
    oddities = oddities_of_header(text, dialect, header)
    if oddities & BLANK_LINE:
        raise UnreadableFile(f"{text.name} has a blank line before its header; remove it.")
    _refuse_odd(text, oddities)
    one = len(header.cells) == 1
    lost = _LOST_OF_ONE if one else _LOST
    try:
        for records in records_of(text, dialect, header):
            _refuse_odd(text, records.oddities)
            # with a visible delimiter no record is blank
            if (one or dialect.delimiter <= " ") and lost.search(records.data.removesuffix(b"\n")):
                raise _different(text, "has records without any value that are blank lines")
    except OtherEncoding:
        # Spark would replace all invalid bytes by the same character
        raise _different(text, "is not UTF-8 text throughout") from None


def _refuse_odd(text: Text, oddities: int) -> None:
    for oddity, words in _ODDITIES.items():
        if oddities & oddity:
            raise _different(text, words)


def _different(text: Text, oddity: str) -> UnreadableFile:
    return UnreadableFile(
        f"{text.name} {oddity}, which Spark would not read exactly as it is written; read it with "
        "the local engine, or save it as Parquet or as plain UTF-8 CSV."
    )


def _escaped(path: str) -> str:
    """Return a path with the characters escaped that Spark takes for a glob pattern."""
    here = Path(path)
    return _PATTERN.sub(r"\\\1", path) if not _URL.match(path) and here.exists() else path


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
