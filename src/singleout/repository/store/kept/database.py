"""Connect to the database of a store: every commit is on disk before it returns."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, select
from sqlalchemy.exc import ArgumentError, DatabaseError, SQLAlchemyError

from singleout.core.paths import expanded
from singleout.errors import (
    BadChoice,
    NoRepository,
    StoreChanged,
    UnreachableData,
    UnreadableFile,
)
from singleout.repository.store.kept import tables
from singleout.repository.store.kept.pending import pending_of

__all__ = ["Target", "connect", "reading", "target_of", "translated", "writing"]

_PATIENCE = 60  # seconds to wait for others that write
_SQLITE = "sqlite"
_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",
    "foreign_keys=ON",
    "cell_size_check=ON",
    "cache_size=-16000",  # kilobytes: every record goes to random places of the indexes
    "wal_autocheckpoint=4000",  # pages: indexes change the same ones again and again
    "secure_delete=ON",  # what is withdrawn is overwritten
)
_POSTGRESQL = "postgresql"

_BLOCKED = re.compile("locked|busy|full|unable to open", re.IGNORECASE)
_DAMAGED = re.compile("malformed|not a database|corrupt|decode|encrypted", re.IGNORECASE)

Target = Path | URL


def target_of(given: str | os.PathLike[str]) -> Target:
    """Return the path of an SQLite file, or the URL of a PostgreSQL database."""
    text = os.fspath(given)
    if "://" not in text:
        return expanded(text).absolute()
    try:
        url = make_url(text)
    except ArgumentError:
        raise BadChoice(
            "The URL of the store cannot be read; write postgresql://user@host/database."
        ) from None
    backend = url.get_backend_name()
    if backend == _SQLITE and url.database:
        return Path(url.database).absolute()
    if backend in (_POSTGRESQL, "postgres"):
        return url.set(drivername="postgresql+psycopg")
    raise BadChoice(
        f"A store cannot be kept in {backend!r}; give the path of an SQLite file or a URL "
        "postgresql://user@host/database."
    )


def connect(target: Target, *, durable: bool = True) -> Engine:
    """Return an engine whose commits are durable; nothing is asked of the database yet.

    An SQLite file that nobody needs later need not be ``durable``.
    """
    if isinstance(target, Path):
        frozen = durable and _is_frozen(target)
        engine = create_engine(
            URL.create("sqlite+pysqlite", database=str(target)),
            connect_args={"timeout": _PATIENCE, "check_same_thread": False},
            pool_size=8,
            max_overflow=-1,
            **({"creator": partial(_open_frozen, target)} if frozen else {}),
        )
        lasting = _prepare_frozen if frozen else _prepare_sqlite
        event.listen(engine, "connect", lasting if durable else _prepare_temporary)
        event.listen(engine, "begin", _begin_sqlite)
        _listen_for_pending(engine)
        return engine
    engine = create_engine(target, pool_pre_ping=True, pool_size=8, max_overflow=8)
    event.listen(engine, "connect", _prepare_postgresql)
    _listen_for_pending(engine)
    return engine


def _is_frozen(path: Path) -> bool:
    """Return whether a file is where nothing can be written, and nobody else has it open.

    SQLite needs a file beside it otherwise, even for reading.
    """
    return (
        path.is_file()
        and not os.access(path.parent, os.W_OK)
        and not path.with_name(path.name + "-wal").exists()
    )


def _open_frozen(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True, check_same_thread=False)


def _prepare_frozen(connection: Any, _: Any) -> None:
    connection.isolation_level = None
    connection.execute("PRAGMA cell_size_check=ON").close()


def _prepare_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions begin where they are meant to
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}").close()


def _prepare_temporary(connection: Any, _: Any) -> None:
    connection.isolation_level = None
    for pragma in ("journal_mode=OFF", "synchronous=OFF", "locking_mode=EXCLUSIVE"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _listen_for_pending(engine: Engine) -> None:
    event.listen(engine, "before_execute", _write_pending)
    event.listen(engine, "commit", _write_pending)


def _write_pending(connection: Connection, *_: Any) -> None:
    pending = pending_of(connection)
    if pending is not None:
        pending.flush()


def _prepare_postgresql(connection: Any, _: Any) -> None:
    with connection.cursor() as cursor:
        # a server may be set to answer before the commit is on disk
        cursor.execute(
            "SELECT set_config('synchronous_commit', 'on', false) "
            "WHERE current_setting('synchronous_commit') = 'off'"
        )
        cursor.execute(f"SET lock_timeout = {_PATIENCE * 1000}")
    connection.commit()


def _unusable(path: str, reason: str) -> UnreadableFile:
    """Return why a file cannot be used: it may not be written now, or is none of ours."""
    blocked = _BLOCKED.search(reason) or not os.access(path, os.W_OK)
    kind = UnreadableFile if blocked else NoRepository
    return kind(f"The store {path} cannot be used: {reason}.")


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Give a connection that sees one state of the store from its first statement on."""
    with translated(engine), engine.connect() as connection:
        if engine.dialect.name == _POSTGRESQL:
            connection.execution_options(isolation_level="REPEATABLE READ")
        with connection.begin():
            yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Give the connection of the one who writes; others wait, in this process and elsewhere."""
    with translated(engine), engine.connect() as connection:
        connection.execution_options(writes=True)
        with connection.begin():
            if engine.dialect.name == _POSTGRESQL:
                connection.execute(select(tables.head.c.size).with_for_update())
            yield connection


@contextmanager
def translated(engine: Engine) -> Iterator[None]:
    """Turn what the driver says into a sentence; without the password."""
    try:
        yield
    except (DatabaseError, engine.dialect.loaded_dbapi.Error) as error:
        where = engine.url.render_as_string(hide_password=True)
        reason = str(getattr(error, "orig", error)).strip().split("\n", 1)[0]
        if engine.dialect.name == _SQLITE:
            if _DAMAGED.search(reason):
                raise StoreChanged(
                    f"The file {engine.url.database} was changed: {reason}."
                ) from error
            raise _unusable(str(engine.url.database), reason) from error
        raise UnreachableData(f"The store {where} does not answer: {reason}") from error
    except UnicodeDecodeError as error:
        raise StoreChanged(f"The file {engine.url.database} was changed: {error}.") from error
    except SQLAlchemyError as error:
        raise UnreachableData(f"The store cannot be used: {error}") from error
