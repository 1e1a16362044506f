"""Files larger than memory, through an embedded DuckDB: Parquet, folders of it, and delimited text.

The cells of text files are read as `singleout.io.text.delimited` reads them: unchanged, and an
empty one is missing.
"""

from __future__ import annotations

import glob
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from singleout.core.paths import expanded
from singleout.engines.base import closed_on_error
from singleout.engines.inputs import is_data
from singleout.engines.sql.columns import Columns
from singleout.engines.sql.connect import DatabaseLimits, embedded
from singleout.engines.sql.counter import DatabaseCounter
from singleout.engines.sql.errors import answered
from singleout.engines.sql.here import OF_FILES
from singleout.engines.sql.parquet import VIEW, Files, folders_of, parquet_files, quoted
from singleout.engines.sql.session import Session
from singleout.engines.sql.text import text_files
from singleout.errors import UnreadableFile
from singleout.io.files import checked_file, without_secrets
from singleout.io.size import PARQUET

if TYPE_CHECKING:
    from singleout.where.condition import Condition

__all__ = ["count_files"]

_TEXT = (".csv", ".tsv", ".txt", ".tab")
_COPY = "singleout_copy"


def count_files(
    text: str, limits: DatabaseLimits, where: Condition | None, sets_at_once: int
) -> DatabaseCounter:
    """Return the counter of one file, a folder of Parquet files, or a glob pattern."""
    paths = _paths(text)
    is_parquet = _is_parquet(paths, text)
    source = paths[0].name if len(paths) == 1 else f"{len(paths):,} files of {text}"
    session = answered(lambda: embedded(limits, source), source, opening=True)
    with closed_on_error(session.close):
        if is_parquet:
            files = parquet_files(paths, source, folders_of(paths, text))
        else:
            assert session.folder is not None
            files = text_files(paths, source, session.folder)
        session.watched = files.states
        session.execute(files.select)
        table = answered(lambda: session.backend.table(VIEW), source)
        return DatabaseCounter(
            session,
            Columns(table, session.backend, files.names, where),
            sets_at_once=sets_at_once,
            copy=partial(_copied, session, files, where) if files.slow else None,
            notes=files.notes,
            here=OF_FILES,
        )


def _copied(session: Session, files: Files, where: Condition | None) -> Columns:
    """Copy text files into a database file, which is read far more quickly."""
    assert session.folder is not None
    path = quoted(str(session.folder / "copy.duckdb"))
    # an earlier copy may have been stopped
    session.execute(f"ATTACH IF NOT EXISTS {path} AS {_COPY}")
    session.execute(f"CREATE OR REPLACE TABLE {_COPY}.{_COPY} AS SELECT * FROM {VIEW}")
    table = answered(lambda: session.backend.table(_COPY, database=(_COPY, "main")), files.source)
    session.watched = {}
    return Columns(table, session.backend, files.names, where)


# ---- which files


def _paths(text: str) -> list[Path]:
    """Return the files that a path or pattern stands for, sorted by name."""
    if "\0" in text:
        raise UnreadableFile(
            f"{without_secrets(text)!r} is not a file name: it has a zero byte in it."
        )
    path = expanded(text)
    if path.is_dir():
        files = [file for ending in PARQUET for file in path.rglob(f"*{ending}")]
        files = [file for file in files if file.is_file() and is_data(file.relative_to(path))]
        if not files:
            raise UnreadableFile(
                f"{text!r} is a folder without Parquet files; give a pattern such as "
                f"{str(Path(text) / '*.csv')!r} for other files."
            )
        return sorted(files)
    if glob.has_magic(text) and not path.exists():
        matches = map(Path, glob.iglob(str(path), recursive=True))  # noqa: PTH207
        files = sorted(match for match in matches if match.is_file())
        if not files:
            raise UnreadableFile(f"No file matches {without_secrets(text)!r}.")
        return [checked_file(file) for file in files]
    return [checked_file(text)]


def _is_parquet(paths: Sequence[Path], text: str) -> bool:
    """Whether all files are Parquet files; if not, all must be delimited text."""
    endings = {"".join(path.suffixes[-2:]).lower() for path in paths}
    if all(ending.endswith(PARQUET) for ending in endings):
        return True
    if all(ending.removesuffix(".gz").endswith(_TEXT) for ending in endings):
        return False
    raise UnreadableFile(
        f"{text!r} cannot be counted by the embedded database: it takes Parquet files "
        f"({', '.join(PARQUET)}) or delimited text ({', '.join(_TEXT)}, also packed with gzip), "
        "all of one kind; read other files with the local engine."
    )
