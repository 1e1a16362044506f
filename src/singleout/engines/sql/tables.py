"""Tables as ibis has them: found by a URL, or opened by a user.

A user's own connection is used as it is, and stays open.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from singleout.engines.sql.errors import answered
from singleout.engines.sql.session import Session
from singleout.engines.sql.urls import KINDS, DatabaseUrl, table_words
from singleout.errors import BadChoice, SingleoutError, nearest

__all__ = ["has_collations", "session_of", "table_in"]

_TABLES_SHOWN = 30
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


# ---- by a URL


def table_in(session: Session, url: DatabaseUrl) -> Any:
    """Return the table that a URL names, as ibis has it; or say which tables there are."""
    if not url.table:
        raise BadChoice(
            f"The URL names no table of {url.words}: add #table at its end. "
            f"{_tables(session, None)}"
        )
    import ibis.expr.operations as ops

    *around, name = url.table
    catalog, schema = (None, None, *around)[-2:]
    schema_of_table = answered(
        lambda: _columns(session.backend, name, catalog, schema),
        url.words,
        timeout=session.timeout,
    )
    if not schema_of_table:
        raise BadChoice(
            f"There is no table {table_words(url.table)} in {url.words}. "
            f"{_tables(session, schema, name)}"
        )
    return ops.DatabaseTable(
        name,
        schema=schema_of_table,
        source=session.backend,
        namespace=ops.Namespace(catalog=catalog, database=schema),
    ).to_expr()


def _columns(backend: Any, name: str, catalog: str | None, schema: str | None) -> Any:
    """Return the columns of a table with their types; None if it does not exist."""
    from ibis.common.exceptions import TableNotFound

    if backend.name == "sqlite" and schema and schema not in backend.list_databases():
        return None
    try:
        return backend.get_schema(name, catalog=catalog, database=schema)
    except (TableNotFound, UnboundLocalError):  # the latter for a schema that MySQL does not have
        return None


def _tables(session: Session, schema: str | None, wanted: str = "") -> str:
    """Return a sentence about the tables there are."""
    try:
        tables = sorted(answered(lambda: _listed(session, schema), session.source))
    except SingleoutError:
        tables = []  # only a hint; the sentence before says what is wrong
    where = f" in {table_words((schema,))}" if schema else ""
    if not tables:
        return f"No tables{where} can be seen there."
    shown = ", ".join(table_words((name,)) for name in tables[:_TABLES_SHOWN])
    more = f" and {len(tables) - _TABLES_SHOWN} more" if len(tables) > _TABLES_SHOWN else ""
    hint = nearest(wanted, tables) if wanted else None
    advice = f" Did you mean {table_words((hint,))}?" if hint else ""
    return f"The tables{where} are: {shown}{more}.{advice}"


def _listed(session: Session, schema: str | None) -> list[str]:
    if session.name != "duckdb":
        return list(session.backend.list_tables(**({"database": schema} if schema else {})))
    # ibis asks DuckDB in a way that its newer versions do not have
    import sqlglot as sg
    import sqlglot.expressions as sge

    of_schema = sg.column("table_schema").eq(sge.convert(schema or "main"))
    asked = sg.select("table_name").from_("information_schema.tables").where(of_schema)
    return session.frame(asked)["table_name"].to_list()


# ---- opened by a user


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
    source = _description(table)
    backend = answered(lambda: _prepared(table), source)
    stop = _stopping(backend)
    if timeout is not None and stop is None and backend.name != "sqlite":
        raise BadChoice(
            f"A timeout cannot be kept on an ibis table of {_database(backend)}; set it on the "
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


def _description(table: Any) -> str:
    """Return a description of a table for people, with no more than its name."""
    import ibis.expr.operations as ops

    operation, kind = table.op(), _database(table.get_backend())
    if isinstance(operation, ops.DatabaseTable) and operation.name:
        return f"table {table_words((operation.name,))} of an ibis connection ({kind})"
    return f"an ibis table ({kind})"


def _database(backend: Any) -> str:
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
