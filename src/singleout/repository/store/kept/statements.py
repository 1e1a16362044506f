"""Statements that are compiled once and then given to the driver as they are.

Publishing executes about twenty small statements for each record. Given to the driver directly,
each takes a few microseconds instead of fifty.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, Dialect, Text, bindparam
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import ClauseElement

from singleout.repository.store.kept.pending import pending_of

__all__ = ["Prepared", "is_among", "listed"]

Row = tuple[Any, ...]


class Prepared:
    """A statement with named parameters.

    Parameters
    ----------
    statement
        The statement; an insert says which columns it fills.
    """

    def __init__(self, statement: ClauseElement) -> None:
        self._statement = statement
        self._texts: dict[str, tuple[str, tuple[str, ...] | None, dict[str, Any]]] = {}

    def rows(self, connection: Connection, **given: Any) -> list[Row]:
        """Return all rows, as the driver gives them."""
        pending = pending_of(connection)
        if pending is not None and (known := pending.answer(self, given)) is not None:
            return known
        text, names, defaults = self._text(connection.dialect)
        cursor = connection.connection.cursor()
        try:
            cursor.execute(text, _arranged({**defaults, **given}, names))
            return list(cursor.fetchall())
        finally:
            cursor.close()

    def first(self, connection: Connection, **given: Any) -> Row | None:
        """Return the first row, if there is any."""
        found = self.rows(connection, **given)
        return found[0] if found else None

    def scalar(self, connection: Connection, **given: Any) -> Any:
        """Return the first value of the first row; None if there is no row."""
        found = self.rows(connection, **given)
        return found[0][0] if found else None

    def run(self, connection: Connection, **given: Any) -> int:
        """Change rows; return how many."""
        pending = pending_of(connection)
        if pending is not None:
            pending.flush()
        text, names, defaults = self._text(connection.dialect)
        cursor = connection.connection.cursor()
        try:
            cursor.execute(text, _arranged({**defaults, **given}, names))
            return int(cursor.rowcount)
        finally:
            cursor.close()

    def many(self, connection: Connection, given: Iterable[Mapping[str, Any]]) -> None:
        """Execute it for each of several."""
        text, names, defaults = self._text(connection.dialect)
        rows = [{**defaults, **one} for one in given] if defaults else given
        cursor = connection.connection.cursor()
        try:
            cursor.executemany(text, [_arranged(one, names) for one in rows])
        finally:
            cursor.close()

    def _text(self, dialect: Dialect) -> tuple[str, tuple[str, ...] | None, dict[str, Any]]:
        """Return the text, the order of its parameters where they have no names, and literals."""
        known = self._texts.get(dialect.name)
        if known is None:
            options = {"render_postcompile": True}
            compiled: Any = self._statement.compile(dialect=dialect, compile_kwargs=options)
            names = tuple(compiled.positiontup) if compiled.positiontup is not None else None
            defaults = {
                name: bind.value for name, bind in compiled.binds.items() if not bind.required
            }
            known = self._texts[dialect.name] = str(compiled), names, defaults
        return known


def _arranged(given: Mapping[str, Any], names: tuple[str, ...] | None) -> Any:
    return dict(given) if names is None else [given[name] for name in names]


# ---- one of many values, in one parameter


class _Listed(ColumnElement[str]):
    """The texts of a parameter that holds a JSON list."""

    inherit_cache = False

    def __init__(self, name: str) -> None:
        self.parameter = bindparam(name, type_=Text())


@compiles(_Listed, "sqlite")
def _in_sqlite(element: _Listed, compiler: Any, **options: Any) -> str:
    return f"(SELECT value FROM json_each({compiler.process(element.parameter, **options)}))"


@compiles(_Listed, "postgresql")
def _in_postgresql(element: _Listed, compiler: Any, **options: Any) -> str:
    given = compiler.process(element.parameter, **options)
    return f"(SELECT jsonb_array_elements_text(CAST({given} AS jsonb)))"


def is_among(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Return the condition that a column has one of the texts `listed` in a parameter."""
    return column.bool_op("IN")(_Listed(name))


def listed(texts: Iterable[str]) -> str:
    """Return texts as one parameter."""
    return json.dumps(list(texts), ensure_ascii=False)
