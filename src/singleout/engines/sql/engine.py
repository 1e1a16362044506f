"""Count in a database, where the data is: any that ibis reaches, and files through DuckDB.

Counts of counts are made there, so that no value of a cell leaves it unless a question is about
values. Tested on DuckDB, SQLite, PostgreSQL and MariaDB; for SQL Server, Snowflake, BigQuery, Trino
and Databricks the SQL is checked as text only.
"""

from __future__ import annotations

import glob
import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from singleout.core.paths import expanded
from singleout.engines.sql.urls import KINDS, is_database_url, read_url
from singleout.errors import BadChoice
from singleout.io.files import scheme_of
from singleout.io.size import PARQUET

if TYPE_CHECKING:
    from singleout.engines.counter import Counter
    from singleout.engines.sql.connect import DatabaseLimits
    from singleout.engines.sql.counter import DatabaseCounter
    from singleout.where.condition import Condition

__all__ = ["Database"]

_MEMORY = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]i?B|B)\s*", re.IGNORECASE)
_UNITS = {
    **{f"{letter}B": 1000**power for power, letter in enumerate(["", "K", "M", "G", "T"])},
    **{f"{letter}IB": 1024**power for power, letter in enumerate(["", "K", "M", "G", "T"])},
}
_ENTRIES = 10_000  # of a folder that are looked at to find a Parquet file
_LEAST_MEMORY = 50_000_000  # DuckDB needs some for each thread
_MOST_MEMORY = 10**18  # DuckDB keeps bytes in 64 bits
# Column sets that share a pass over the records. It bounds how often the records are read; where
# the database has the table in memory, no saving was measured.
_SETS_AT_ONCE = 8


@dataclass(frozen=True)
class Database:
    """The engine that counts in a database, with its options.

    Parameters
    ----------
    timeout
        After how many seconds a statement is given up; None for no limit.
    memory
        How much memory the embedded database may use for files and DuckDB databases, such as
        ``"4GB"`` or a number of bytes; what needs more goes to a temporary folder. None for most
        of the machine's.
    folder
        Where to make that temporary folder; None for the system's folder.
    fetch
        Whether records of a database may be fetched into this process's memory where many sets of
        columns are counted sooner that way, as by `qar`; otherwise only counts leave it. Files are
        on this machine and are counted in whichever way is sooner.

    Examples
    --------
    >>> import singleout as so
    >>> so.Database(timeout=60, memory="4GB")
    Database(timeout=60, memory='4GB', folder=None, fetch=False)
    """

    name: ClassVar[str] = "database"
    accepts: ClassVar[str] = "the URL of a database and table, an ibis table, or the path of files"

    timeout: float | None = None
    memory: str | int | None = None
    folder: str | os.PathLike[str] | None = None
    fetch: bool = False

    def __post_init__(self) -> None:
        seconds = self.timeout
        if seconds is not None and not (_is_number(seconds) and 0 < seconds < math.inf):
            raise BadChoice(f"timeout is a number of seconds above 0, not {seconds!r}.")
        _bytes(self.memory)
        if not isinstance(self.fetch, bool):
            raise BadChoice(f"fetch is True or False, not {self.fetch!r}.")
        if self.folder is not None and not expanded(self.folder).is_dir():
            raise BadChoice(f"folder must be a folder that is there, not {str(self.folder)!r}.")

    @staticmethod
    def claims(data: Any) -> bool:
        """Whether data is a URL, an ibis table, several files or a folder of them."""
        if _is_ibis(data):
            return True
        return isinstance(data, str | os.PathLike) and _is_no_single_file(os.fsdecode(data))

    @staticmethod
    def takes(data: Any) -> bool:
        """Whether the engine can count data if a user selects it: one file as well."""
        if Database.claims(data):
            return True
        return isinstance(data, str | os.PathLike) and scheme_of(os.fsdecode(data)) is None

    def counter(
        self,
        data: Any,
        where: Condition | None = None,
        columns: Sequence[str] | None = None,  # noqa: ARG002 - columns not asked about cost nothing
    ) -> Counter:
        """Return what counts a table where it is.

        Parameters
        ----------
        data
            The URL of a table (``postgresql://user:password@host/database#schema.table``), an
            ibis table, or files: the path of a Parquet or CSV file, of a folder of Parquet files,
            or a pattern such as ``people-*.csv``.
        where
            The condition that records must meet.
        columns
            The columns that will be asked about.
        """
        if isinstance(data, str) and is_database_url(data):
            return self._of_url(data, where)
        if _is_ibis(data):
            return self._of_ibis(data, where)
        if isinstance(data, str | os.PathLike):
            from singleout.engines.sql.files import count_files

            counter = count_files(os.fsdecode(data), self._limits(), where, _SETS_AT_ONCE)
            counter.memory = _bytes(self.memory)
            return counter
        raise BadChoice(
            f"A {type(data).__name__} is in no database; give the URL of a table, an ibis "
            "table, or the path of files."
        )

    def _limits(self) -> DatabaseLimits:
        from singleout.engines.sql.connect import DatabaseLimits

        size = _bytes(self.memory)
        return DatabaseLimits(
            self.timeout,
            None if size is None else f"{size}B",
            None if self.folder is None else str(expanded(self.folder)),
        )

    def _of_url(self, text: str, where: Condition | None) -> Counter:
        from singleout.engines.base import closed_on_error
        from singleout.engines.sql.connect import open_url

        url = read_url(text)
        if self.memory is not None and url.scheme != "duckdb":
            raise BadChoice(
                f"memory has no meaning for {KINDS[url.scheme]}, whose memory is its own; "
                "leave it out."
            )
        session, table = open_url(url, self._limits())
        with closed_on_error(session.close):
            counter = self._counter(session, table, where)
            counter.memory = _bytes(self.memory)
            return counter

    def _of_ibis(self, table: Any, where: Condition | None) -> Counter:
        from singleout.engines.sql.tables import session_of

        if self.memory is not None:
            raise BadChoice("memory has no meaning for an ibis table: its connection has its own.")
        return self._counter(session_of(table, self.timeout), table, where)

    def _counter(self, session: Any, table: Any, where: Condition | None) -> DatabaseCounter:
        from singleout.engines.sql.columns import Columns
        from singleout.engines.sql.counter import DatabaseCounter
        from singleout.engines.sql.here import NOT_HERE, fetched_from
        from singleout.engines.sql.tables import has_collations

        columns = Columns(
            table, session.backend, where=where, collated=has_collations(session, table)
        )
        here = fetched_from(session.name) if self.fetch else NOT_HERE
        return DatabaseCounter(session, columns, sets_at_once=_SETS_AT_ONCE, here=here)


def _is_ibis(data: Any) -> bool:
    return type(data).__module__.partition(".")[0] == "ibis"


def _is_no_single_file(text: str) -> bool:
    """Whether a text is a database, several files or a folder of them."""
    if scheme_of(text) is not None:
        return is_database_url(text)
    if "\0" in text or not text.strip():
        return False
    try:
        path = expanded(text)
        if path.is_dir():
            some = islice(path.rglob("*"), _ENTRIES)
            return any(entry.suffix.lower() in PARQUET for entry in some)
        return glob.has_magic(text) and not path.exists() and _matches_any(path)
    except (OSError, RuntimeError):  # a name too long, or no home folder: the reader says so
        return False


def _matches_any(pattern: Path) -> bool:
    # a pattern may be absolute, which pathlib does not take
    return next(glob.iglob(str(pattern), recursive=True), None) is not None  # noqa: PTH207


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _bytes(memory: str | int | None) -> int | None:
    """Return an amount of memory in bytes."""
    if memory is None:
        return None
    size: float
    if isinstance(memory, str) and (match := _MEMORY.fullmatch(memory)):
        size = float(match[1]) * _UNITS[match[2].upper()]
    elif isinstance(memory, int) and not isinstance(memory, bool):
        size = memory
    else:
        raise BadChoice(f"memory is an amount such as '4GB' or a number of bytes, not {memory!r}.")
    if not _LEAST_MEMORY <= size <= _MOST_MEMORY:
        raise BadChoice(f"memory must be 50 MB or more, and at most 1,000,000 TB, not {memory!r}.")
    return int(size)
