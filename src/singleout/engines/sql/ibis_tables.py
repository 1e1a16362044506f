"""Tables that a user opened with ibis: counted over the user's own connection, which stays open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from singleout.engines.sql.errors import answered
from singleout.engines.sql.session import Session
from singleout.engines.sql.urls import KINDS, table_words
from singleout.errors import BadChoice

__all__ = ["has_collations", "session_of"]

_COLLATIONS = {
    "duckdb": (
        "SELECT count(*) AS n FROM duckdb_tables() WHERE upper(sql) LIKE '%COLLATE%' "
        "UNION ALL SELECT count(*) AS n FROM duckdb_views() "
        "WHERE NOT internal AND upper(sql) LIKE '%COLLATE%' "
        "UNION ALL SELECT count(*) AS n FROM duckdb_functions() "
        "WHERE NOT internal AND upper(macro_definition) LIKE '%COLLATE%' "
        "UNION ALL SELECT count(*) AS n FROM duckdb_settings() "
        "WHERE name = 'default_collation' AND value <> ''"
    ),
    "postgres": (
        # as text, since servers before version 12 have no such column
        "SELECT count(*) AS n FROM pg_collation AS c "
        "WHERE row_to_json(c)::text LIKE '%\"collisdeterministic\":false%' "
        "UNION ALL SELECT count(*) AS n FROM pg_type WHERE typname = 'citext'"
    ),
}
_SCHEMES = {"postgres": "postgresql", "pyspark": "spark"}


def session_of(table: Any, timeout: float | None) -> Session:
    """Return the session of an ibis table.

    Only SELECT statements are sent; this process stops them at the timeout if the driver can.
    """
    import ibis.expr.types as ir

    if not isinstance(table, ir.Table):
        raise BadChoice(
            f"A {type(table).__name__} of ibis is no table; give a table, such as "
            "connection.table('people')."
        )
    source = _words(table)
    backend = answered(lambda: _prepared(table), source)
    stop = _stopping(backend)
    if timeout is not None and stop is None and backend.name != "sqlite":
        raise BadChoice(
            f"A timeout cannot be kept on an ibis table of {_kind(backend)}; set it on the "
            "connection, and leave timeout out."
        )
    return Session(backend, source, timeout=timeout, stop=stop)


def _prepared(table: Any) -> Any:
    backend = table.get_backend()
    if not hasattr(backend, "raw_sql"):
        raise BadChoice(
            f"An ibis table of {backend.name} cannot be counted by SQL; give one of a database."
        )
    backend._run_pre_execute_hooks(table)  # which registers tables in memory
    return backend


def _stopping(backend: Any) -> Callable[[], None] | None:
    stop: Callable[[], None] | None = None
    if backend.name == "duckdb":
        stop = backend.con.interrupt
    elif backend.name == "postgres":
        stop = backend.con.cancel_safe
    return stop


def _words(table: Any) -> str:
    """Return a description of a table for people, with no more than its name."""
    import ibis.expr.operations as ops

    operation, kind = table.op(), _kind(table.get_backend())
    if isinstance(operation, ops.DatabaseTable) and operation.name:
        return f"table {table_words((operation.name,))} of an ibis connection ({kind})"
    return f"an ibis table ({kind})"


def _kind(backend: Any) -> str:
    return KINDS.get(_SCHEMES.get(backend.name, backend.name), backend.name)


def has_collations(session: Session, table: Any) -> bool:
    """Whether any column may override byte-wise collation, in the database or in a user's SQL."""
    import sqlglot as sg

    if session.name == "duckdb":
        statement = session.backend.compiler.to_sqlglot(table)
        if "collate" in statement.sql(dialect=session.backend.dialect).lower():
            return True
    question = _COLLATIONS.get(session.name)
    if question is None:
        return False
    return bool(session.numbers(sg.parse_one(question, dialect=session.name))[0].any())
