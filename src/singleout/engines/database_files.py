"""Files larger than memory, through an embedded DuckDB: Parquet, folders of it, and delimited text.

The cells of text files are taken as `singleout.io.delimited` takes them: as they are written, an
empty one being missing. What DuckDB would read differently is refused.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from singleout.engines.database_columns import Columns
from singleout.engines.database_connect import Limits, embedded
from singleout.engines.database_counter import DatabaseCounter
from singleout.engines.database_errors import answered
from singleout.engines.database_session import Session
from singleout.errors import UnreadableFile, UnusableTable
from singleout.io.delimited import _bytes_of as bytes_of
from singleout.io.delimited import _marks as marks
from singleout.io.delimited import _quotes_are_sound as quotes_are_sound
from singleout.io.dialect import Dialect, detect, header
from singleout.io.files import checked_file
from singleout.io.names import all_different, filled
from singleout.io.text import Text, open_text

if TYPE_CHECKING:
    from singleout.core.condition import Condition
    from singleout.engines.counter import Counter

__all__ = ["count_files"]

_PARQUET = (".parquet", ".pq")
_TEXT = (".csv", ".tsv", ".txt", ".tab")
_VIEW, _COPY = "singleout_files", "singleout_copy"
_LONGEST_LINE = 1 << 24
_PIECE = 1 << 25


@dataclass(frozen=True)
class _Files:
    """Files that are one table: its name, its columns, and how DuckDB reads it."""

    source: str
    names: tuple[str, ...]
    select: str
    slow: bool


def count_files(given: str, limits: Limits, where: Condition | None, sets_at_once: int) -> Counter:
    """Return what counts files: one file, a folder of Parquet files, or a pattern of names."""
    paths = _paths(given)
    kind = _kind(paths, given)
    source = _words(given, paths)
    files = (_parquet if kind == "parquet" else _delimited)(paths, source)
    session = answered(lambda: embedded(limits, source), source, opening=True)
    try:
        answered(lambda: session.backend.con.execute(files.select), source)
        settle = _settling(session, files, where) if files.slow else None
        columns = _columns(session, files, where, _VIEW)
        return DatabaseCounter(session, columns, sets_at_once=sets_at_once, settle=settle)
    except BaseException:
        session.close()
        raise


def _columns(session: Session, files: _Files, where: Condition | None, name: str) -> Columns:
    table = answered(lambda: session.backend.table(name), files.source)
    return Columns(table, session.backend, files.names, where)


def _settling(session: Session, files: _Files, where: Condition | None) -> Callable[[], Columns]:
    """Return what copies text files into a database file, which is read far more quickly."""

    def settle() -> Columns:
        connection, folder = session.backend.con, session.folder
        assert folder is not None
        path = _text(str(folder / "copy.duckdb"))

        def copy() -> Any:
            connection.execute(f"ATTACH {path} AS {_COPY}")
            connection.execute(f"CREATE TABLE {_COPY}.{_COPY} AS SELECT * FROM {_VIEW}")
            return session.backend.table(_COPY, database=(_COPY, "main"))

        table = answered(copy, files.source, timeout=session.timeout)
        return Columns(table, session.backend, files.names, where)

    return settle


# ---- which files


def _paths(given: str) -> list[Path]:
    """Return the files that are meant, sorted by name."""
    if "\0" in given:
        raise UnreadableFile(f"{given!r} is not a file name: it has a zero byte in it.")
    path = Path(given).expanduser()
    if path.is_dir():
        found = [file for ending in _PARQUET for file in path.rglob(f"*{ending}")]
        # what starts with a point or an underscore is no data where Spark wrote
        found = [file for file in found if file.is_file() and not file.name.startswith(("_", "."))]
        if not found:
            raise UnreadableFile(
                f"{given!r} is a folder without Parquet files; give a pattern such as "
                f"{str(Path(given) / '*.csv')!r} for other files."
            )
        return sorted(found)
    if glob.has_magic(given) and not path.exists():
        matches = (Path(match) for match in glob.iglob(str(path), recursive=True))  # noqa: PTH207
        found = sorted(match for match in matches if match.is_file())
        if not found:
            raise UnreadableFile(f"No file matches {given!r}.")
        return [checked_file(match) for match in found]
    return [checked_file(given)]


def _kind(paths: Sequence[Path], given: str) -> str:
    endings = {path.suffix.lower() for path in paths}
    for kind, known in (("parquet", _PARQUET), ("text", _TEXT)):
        if endings <= set(known):
            return kind
    raise UnreadableFile(
        f"{given!r} cannot be counted by the embedded database: it takes Parquet files "
        f"({', '.join(_PARQUET)}) or delimited text ({', '.join(_TEXT)}), all of one kind; read "
        "other files with the local engine."
    )


def _words(given: str, paths: Sequence[Path]) -> str:
    return paths[0].name if len(paths) == 1 else f"{len(paths):,} files of {given}"


# ---- Parquet


def _parquet(paths: Sequence[Path], source: str) -> _Files:
    """Check that Parquet files have the same columns; types of a column must agree as well."""
    first = _schema(paths[0])
    for path in paths[1:]:
        if _schema(path) != first:
            raise UnusableTable(
                f"{path.name} has other columns than {paths[0].name}, or the same with other "
                "types; files of one table must have the same ones in the same order."
            )
    names = all_different(first, source)
    listed = ", ".join(_text(str(path)) for path in paths)
    # a name that differs from another in its case only is changed by DuckDB, hence by place
    select = (
        f"CREATE TEMP VIEW {_VIEW} AS SELECT * FROM "
        f"read_parquet([{listed}], hive_partitioning = false)"
    )
    return _Files(source, names, select, slow=False)


def _schema(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return dict(pl.read_parquet_schema(file))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        pass
    raise UnreadableFile(
        f"{path.name} cannot be read as a Parquet file: it is cut off, damaged or of another kind."
    )


# ---- delimited text


def _delimited(paths: Sequence[Path], source: str) -> _Files:
    """Check that text files are written alike, and such that DuckDB reads the same cells."""
    dialect, names = None, None
    for path in paths:
        text = open_text(path)
        dialect = detect(text) if dialect is None else dialect
        cells, number = header(text, dialect)
        here = all_different(filled(cells), text.name)
        names = here if names is None else names
        if here != names:
            raise UnusableTable(
                f"{path.name} has other columns than {paths[0].name}; files of one table must have "
                "the same ones in the same order."
            )
        _refuse_what_is_read_differently(text, dialect, number)
        _refuse_incomplete_records(text, dialect, len(names))
    assert dialect is not None
    assert names is not None
    return _Files(source, names, _reading(paths, dialect, names), slow=True)


def _refuse_what_is_read_differently(text: Text, dialect: Dialect, number: int) -> None:
    text.refuse_zeros()
    oddity = None
    if not isinstance(text.data, Path):
        oddity = "is compressed, or not UTF-8 text"
    elif number or ("\r" in text.head and "\n" not in text.head):
        oddity = "has blank lines before its header, or line ends of its own"
    elif not quotes_are_sound(text.data, dialect):
        oddity = "has quote marks within cells"
    if oddity is not None:
        raise UnreadableFile(
            f"{text.name} {oddity}, which the embedded database would not read exactly as it is "
            "written; read it with the local engine, or save it as Parquet or plain UTF-8 CSV."
        )


def _refuse_incomplete_records(text: Text, dialect: Dialect, width: int) -> None:
    """Say so if a record has too few or too many cells: DuckDB lets some pass."""
    raw = bytes_of(text.data)
    start = seen = 0
    while start < len(raw):
        piece = np.asarray(raw[start : start + _PIECE])
        ends, delimiters, _ = marks(piece, dialect)
        if start + len(piece) == len(raw) and piece[-1] != ord("\n"):
            ends = np.append(ends, len(piece))
        if not len(ends):
            raise UnreadableFile(f"{text.name}, record {seen + 1:,} is too long to be read.")
        counts = np.diff(np.searchsorted(delimiters, ends), prepend=0)
        for record in np.flatnonzero(counts != width - 1):
            line = piece[ends[record - 1] + 1 if record else 0 : ends[record]].tobytes()
            if line.strip(b"\r"):  # a blank line is no record
                raise UnusableTable(
                    f"{text.name}, record {seen + int(record):,} has {int(counts[record]) + 1} "
                    f"values but the header has {width}; correct it, or read the file with the "
                    "local engine and give the delimiter."
                )
        seen += len(ends)
        start += int(ends[-1]) + 1


def _reading(paths: Sequence[Path], dialect: Dialect, names: Sequence[str]) -> str:
    listed = ", ".join(_text(str(path)) for path in paths)
    columns = ", ".join(f"'singleout_{place}': 'VARCHAR'" for place in range(len(names)))
    quote = _text(dialect.quote)
    return (
        f"CREATE TEMP VIEW {_VIEW} AS SELECT * FROM read_csv([{listed}], auto_detect = false, "
        f"header = true, columns = {{{columns}}}, delim = {_text(dialect.delimiter)}, "
        f"quote = {quote}, escape = {quote}, nullstr = '', allow_quoted_nulls = true, "
        f"strict_mode = true, null_padding = false, max_line_size = {_LONGEST_LINE}, "
        "compression = 'none', hive_partitioning = false, filename = false)"
    )


def _text(value: str) -> str:
    """Return a text as SQL writes it."""
    return "'" + re.sub("'", "''", value) + "'"
