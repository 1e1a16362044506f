"""Open the databases that URLs name: read-only, with a timeout, and in UTC.

A password goes to the driver and nowhere else: ibis gets open connections.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Set
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from singleout.core.memory import available_memory
from singleout.core.text import printable
from singleout.core.undoing import undone_at_the_end
from singleout.engines.base import closed_on_error
from singleout.engines.sql.errors import answered, needed
from singleout.engines.sql.session import Session
from singleout.engines.sql.tables import table_in
from singleout.engines.sql.urls import KINDS, DatabaseUrl, without_secrets
from singleout.errors import BadChoice, MissingDependency, UnreadableFile

__all__ = ["DatabaseLimits", "embedded", "open_url"]

_PATIENCE = 10  # seconds for a server to answer at all
_LEAST_MEMORY = 50_000_000  # bytes that the embedded database needs to run at all
_MYSQL_OPTIONS = frozenset(
    ("unix_socket", "ssl_ca", "ssl_cert", "ssl_key", "ssl_verify_cert", "ssl_verify_identity")
)


@dataclass(frozen=True)
class DatabaseLimits:
    """The limits of a database."""

    timeout: float | None = None  # seconds of a statement
    memory: str | None = None  # of the embedded database
    folder: str | None = None  # for its temporary files


def open_url(url: DatabaseUrl, limits: DatabaseLimits) -> tuple[Session, Any]:
    """Open a database; return the session and the ibis table."""
    needed("ibis", "Counting in a database")
    opening = _OPENING.get(url.scheme, _other)
    session = answered(
        lambda: opening(url, limits), url.words, opening=True, timeout=limits.timeout
    )
    with closed_on_error(session.close):
        table = table_in(session, url)
    session.source = url.source
    return session, table


# ---- servers


def _postgresql(url: DatabaseUrl, limits: DatabaseLimits) -> Session:
    needed("psycopg", "PostgreSQL")
    import psycopg
    from ibis.backends.postgres import Backend
    from psycopg.pq import Conninfo

    known = {option.keyword.decode() for option in Conninfo.get_defaults()}
    _require_known(url, known, "those of libpq, such as sslmode=require")
    connection = psycopg.connect(
        host=url.host or None,
        port=url.port,
        user=url.user or None,
        password=url.password,
        dbname=url.database or None,
        autocommit=True,
        **{"connect_timeout": _PATIENCE, **url.options},
    )
    with closed_on_error(connection.close):
        connection.execute("SET default_transaction_read_only = on")
        connection.execute("SET client_encoding = 'UTF8'")
        if limits.timeout is not None:
            milliseconds = max(1, round(limits.timeout * 1000))
            connection.execute(f"SET statement_timeout = {milliseconds}")
        backend = Backend.from_connection(connection)
    # psycopg itself stops the statement when the user interrupts
    return Session(
        backend,
        url.words,
        timeout=limits.timeout,
        kept_by_server=True,
        close=connection.close,
    )


def _require_known(url: DatabaseUrl, known: Set[str], options: str) -> None:
    for name in url.options:
        if name not in known:
            raise BadChoice(
                f"The URL of a {KINDS[url.scheme]} database has no option {name!r}; it may have "
                f"{options}."
            )


def _mysql(url: DatabaseUrl, limits: DatabaseLimits) -> Session:
    needed("pymysql", KINDS[url.scheme])
    import pymysql

    _require_known(url, _MYSQL_OPTIONS, ", ".join(sorted(_MYSQL_OPTIONS)))
    connect: Callable[[], Any] = partial(
        pymysql.connect,
        host=url.host or "localhost",
        port=url.port or 3306,
        user=url.user or None,
        password=url.password or "",
        database=url.database or None,
        charset="utf8mb4",
        autocommit=True,
        connect_timeout=_PATIENCE,
        local_infile=False,
        **{name: _as_truth(value) for name, value in url.options.items()},
    )
    connection = connect()
    with closed_on_error(connection.close):
        _prepare_mysql(connection, limits)
        backend_class = _mysql_backend()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the server knows no zone called UTC
            backend = backend_class.from_connection(connection)
            _run(connection, "SET time_zone = '+00:00'")

    def stop() -> None:
        with connect() as other:
            _run(other, f"KILL QUERY {connection.thread_id()}")

    return Session(
        backend,
        url.words,
        timeout=limits.timeout,
        kept_by_server=True,
        stop=stop,
        close=lambda: connection.open and connection.close(),
    )


def _prepare_mysql(connection: Any, limits: DatabaseLimits) -> None:
    _run(connection, "SET SESSION TRANSACTION READ ONLY")
    # ibis quotes names with backticks and texts with single quotes
    _run(connection, "SET SESSION sql_mode = 'NO_UNSIGNED_SUBTRACTION'")
    if limits.timeout is None:
        return
    if "mariadb" in connection.get_server_info().lower():
        _run(connection, f"SET SESSION max_statement_time = {limits.timeout:.6f}")
    else:
        milliseconds = max(1, round(limits.timeout * 1000))
        _run(connection, f"SET SESSION max_execution_time = {milliseconds}")


def _mysql_backend() -> Any:
    import sys

    if "MySQLdb" not in sys.modules:
        import pymysql

        pymysql.install_as_MySQLdb()  # mysqlclient, which ibis imports, is under another licence
    from ibis.backends.mysql import Backend

    return Backend


def _run(connection: Any, statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def _as_truth(value: str) -> Any:
    return {"true": True, "false": False}.get(value.lower(), value)


def _other(url: DatabaseUrl, limits: DatabaseLimits) -> Session:
    """Open any other database through ibis, which sets no timeout."""
    import ibis

    if limits.timeout is not None:
        raise BadChoice(
            f"A timeout cannot be kept on {KINDS[url.scheme]}; set it on the server, and leave "
            "timeout out."
        )
    try:
        backend = ibis.connect(url.connection)
    except ImportError as error:
        failure = _driver_missing(url, error)
    else:
        return Session(backend, url.words, close=backend.disconnect)
    raise failure


def _driver_missing(url: DatabaseUrl, error: ImportError) -> MissingDependency:
    """Return the error that names what to install: ibis has an extra for each database."""
    package = f"the package {error.name.partition('.')[0]!r}" if error.name else "its driver"
    return MissingDependency(
        f"{KINDS[url.scheme]} needs {package}, which is not installed; run: "
        f'pip install "ibis-framework[{url.scheme.partition("+")[0]}]"'
    )


# ---- files


def _sqlite(url: DatabaseUrl, limits: DatabaseLimits) -> Session:
    import sqlite3

    from ibis.backends.sqlite import Backend

    path = _existing(url)
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False
    )
    with closed_on_error(connection.close):
        connection.execute("SELECT count(*) FROM sqlite_schema")  # or it is no such file
        backend = Backend.from_connection(connection)
    return Session(backend, url.words, timeout=limits.timeout, close=connection.close)


def _duckdb(url: DatabaseUrl, limits: DatabaseLimits) -> Session:
    return embedded(limits, url.words, str(_existing(url)))


def embedded(limits: DatabaseLimits, source: str, path: str = ":memory:") -> Session:
    """Open DuckDB within this process: on a database file, or empty.

    Data beyond the memory limit goes to a temporary folder, deleted in the end.
    """
    needed("duckdb", "Counting in files")
    needed("ibis", "Counting in files")
    import duckdb
    from ibis.backends.duckdb import Backend

    try:
        spill = TemporaryDirectory(prefix="singleout-", dir=limits.folder)
    except OSError:
        raise BadChoice(
            f"The temporary folder {str(limits.folder)!r} cannot be used; give one that is there "
            "and may be written to."
        ) from None
    config: dict[str, Any] = {
        "temp_directory": spill.name,
        "autoinstall_known_extensions": False,  # nothing is ever fetched from elsewhere
    }
    allowed = limits.memory or _share_of_memory()
    if allowed is not None:
        config["memory_limit"] = allowed
    with closed_on_error(spill.cleanup):
        connection = duckdb.connect(path, read_only=path != ":memory:", config=config)
        connection.execute("SET enable_progress_bar = false")  # or it is printed among results
        backend = Backend.from_connection(connection)

    registered = ExitStack()
    registered.enter_context(undone_at_the_end(spill.cleanup))

    def close() -> None:
        connection.close()
        spill.cleanup()
        registered.close()

    return Session(
        backend,
        source,
        timeout=limits.timeout,
        stop=connection.interrupt,
        close=close,
        folder=Path(spill.name),
    )


def _share_of_memory() -> str | None:
    """Return four fifths of the memory available to this process.

    DuckDB takes four fifths of the machine's, which may be far more than the process may use.
    """
    available = available_memory()
    return None if available is None else f"{max(_LEAST_MEMORY, available * 4 // 5)}B"


def _existing(url: DatabaseUrl) -> Path:
    """Return the file of a database."""
    name = url.database.strip("/")
    if not name or name == ":memory:":
        raise BadChoice(f"The URL names no file: give {url.scheme}:///path/of/the/file#table.")
    for file in url.files:
        if file.is_file():
            return file
    raise UnreadableFile(
        f"No file {printable(without_secrets(url.database))!r}: give {url.scheme}:///path/of/the/file#table."
    )


_OPENING: dict[str, Callable[[DatabaseUrl, DatabaseLimits], Session]] = {
    "postgres": _postgresql,
    "postgresql": _postgresql,
    "mysql": _mysql,
    "mariadb": _mysql,
    "sqlite": _sqlite,
    "duckdb": _duckdb,
}
