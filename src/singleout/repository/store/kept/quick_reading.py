"""Read an SQLite store with connections that stay open, one for each thread.

A question over HTTP asks two or three statements that take some microseconds each. To take a
connection from a pool, begin, and give it back takes longer than all of them. Each question still
sees one state of the store.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from sqlalchemy import Connection, Engine

from singleout.repository.store.kept.database import reading, translated

__all__ = ["QuickReading"]


class _OpenConnection:
    """What a `Prepared` statement needs of a connection."""

    def __init__(self, engine: Engine) -> None:
        self.dialect = engine.dialect
        self.connection = engine.raw_connection()
        self._nothing: dict[str, Any] = {}

    def get_execution_options(self) -> dict[str, Any]:
        return self._nothing

    def execute(self, text: str) -> None:
        self.connection.cursor().execute(text)


class QuickReading:
    """Connections for reading; of another database than SQLite, those of the engine.

    Parameters
    ----------
    engine
        The database.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._is_sqlite = engine.dialect.name == "sqlite"
        self._of_thread = threading.local()
        self._every: list[_OpenConnection] = []

    @contextmanager
    def __call__(self, statements: int = 2) -> Iterator[Connection]:
        """Give a connection for `Prepared` statements that sees one state of the store.

        One statement alone does so by itself.
        """
        if not self._is_sqlite:
            with reading(self._engine) as connection:
                yield connection
            return
        with translated(self._engine):
            opened = self._opened()
            if statements == 1:
                yield cast(Connection, opened)
                return
            opened.execute("BEGIN")
            try:
                yield cast(Connection, opened)
            finally:
                opened.execute("ROLLBACK")

    def _opened(self) -> _OpenConnection:
        opened: _OpenConnection | None = getattr(self._of_thread, "opened", None)
        if opened is None:
            opened = self._of_thread.opened = _OpenConnection(self._engine)
            self._every.append(opened)
        return opened

    def close(self) -> None:
        """Close all of them."""
        every, self._every, self._of_thread = self._every, [], threading.local()
        for opened in every:
            opened.connection.close()
