"""Files larger than memory, through an embedded DuckDB: Parquet, folders of it, and delimited text.

The cells of text files are taken as `singleout.io.text.delimited` takes them: as they are written,
an empty one being missing.
"""

from __future__ import annotations

import glob
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from singleout.core.paths import expanded
from singleout.engines.inputs import is_data
from singleout.engines.sql.columns import Columns
from singleout.engines.sql.connect import Limits, embedded
from singleout.engines.sql.counter import DatabaseCounter
from singleout.engines.sql.errors import answered
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
    given: str, limits: Limits, where: Condition | None, sets_at_once: int
) -> DatabaseCounter:
    """Return what counts files: one file, a folder of Parquet files, or a pattern of names."""
    paths = _paths(given)
    kind = _kind(paths, given)
    source = _words(given, paths)
    session = answered(lambda: embedded(limits, source), source, opening=True)
    try:
        if kind == "parquet":
            files = parquet_files(paths, source, folders_of(paths, given))
        else:
            assert session.folder is not None
            files = text_files(paths, source, session.folder)
        session.watched = files.states
        session.execute(files.select)
        settle = _settling(session, files, where) if files.slow else None
        columns = _columns(session, files, where, VIEW)
        return DatabaseCounter(
            session, columns, sets_at_once=sets_at_once, settle=settle, notes=files.notes
        )
    except BaseException:
        session.close()
        raise


def _columns(session: Session, files: Files, where: Condition | None, name: str) -> Columns:
    table = answered(lambda: session.backend.table(name), files.source)
    return Columns(table, session.backend, files.names, where)


def _settling(session: Session, files: Files, where: Condition | None) -> Callable[[], Columns]:
    """Return what copies text files into a database file, which is read far more quickly."""

    def settle() -> Columns:
        assert session.folder is not None
        path = quoted(str(session.folder / "copy.duckdb"))
        # an earlier copy may have been stopped
        session.execute(f"ATTACH IF NOT EXISTS {path} AS {_COPY}")
        session.execute(f"CREATE OR REPLACE TABLE {_COPY}.{_COPY} AS SELECT * FROM {VIEW}")
        table = answered(
            lambda: session.backend.table(_COPY, database=(_COPY, "main")), files.source
        )
        session.watched = {}
        return Columns(table, session.backend, files.names, where)

    return settle


# ---- which files


def _paths(given: str) -> list[Path]:
    """Return the files that are meant, sorted by name."""
    if "\0" in given:
        raise UnreadableFile(
            f"{without_secrets(given)!r} is not a file name: it has a zero byte in it."
        )
    path = expanded(given)
    if path.is_dir():
        found = [file for ending in PARQUET for file in path.rglob(f"*{ending}")]
        found = [file for file in found if file.is_file() and is_data(file.relative_to(path))]
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
            raise UnreadableFile(f"No file matches {without_secrets(given)!r}.")
        return [checked_file(match) for match in found]
    return [checked_file(given)]


def _kind(paths: Sequence[Path], given: str) -> str:
    endings = {"".join(path.suffixes[-2:]).lower() for path in paths}
    packed = tuple(f"{ending}.gz" for ending in _TEXT)
    for kind, known in (("parquet", PARQUET), ("text", (*_TEXT, *packed))):
        if all(ending.endswith(known) for ending in endings):
            return kind
    raise UnreadableFile(
        f"{given!r} cannot be counted by the embedded database: it takes Parquet files "
        f"({', '.join(PARQUET)}) or delimited text ({', '.join(_TEXT)}, also packed with gzip), "
        "all of one kind; read "
        "other files with the local engine."
    )


def _words(given: str, paths: Sequence[Path]) -> str:
    return paths[0].name if len(paths) == 1 else f"{len(paths):,} files of {given}"
