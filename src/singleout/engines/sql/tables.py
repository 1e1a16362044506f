"""Find the table that a URL names, or say which tables there are."""

from __future__ import annotations

from typing import Any

from singleout.engines.sql.errors import answered
from singleout.engines.sql.session import Session
from singleout.engines.sql.urls import DatabaseUrl, table_words
from singleout.errors import BadChoice, SingleoutError, nearest

__all__ = ["table_in"]

_TABLES_SHOWN = 30


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
