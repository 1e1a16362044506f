"""Put a typed frame where an engine finds it, with the drivers themselves and never the package.

Every `put` returns what a user would pass as data.
"""

import sqlite3
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import polars as pl


@dataclass
class Put:
    """Store frames where one engine finds them: ``data = put(frame)``.

    Parameters
    ----------
    engine
        The engine that answers.
    store
        A function of a frame and a name that stores the frame under it.
    """

    engine: str
    store: Callable[[pl.DataFrame, str], Any]
    _stored: dict[str, tuple[pl.DataFrame, Any]] = field(default_factory=dict)

    def __call__(self, frame: pl.DataFrame, name: str = "people") -> Any:
        """Return what a user passes as data; the same frame is not stored again."""
        before = self._stored.get(name)
        if before is None or before[0] is not frame:
            self._stored[name] = (frame, self.store(frame, name))
        return self._stored[name][1]


def quoted(name: str, mark: str = '"') -> str:
    """Return a name as SQL writes it, whatever characters it has."""
    return mark + name.replace(mark, 2 * mark) + mark


def fragment(name: str) -> str:
    """Return the part of a URL that names a table: as it is if it is a plain word, else quoted."""
    return "#" + (name if name.isidentifier() else quoted(name))


# ---- PostgreSQL

_POSTGRESQL = {
    pl.Int64: "BIGINT",
    pl.Int32: "INTEGER",
    pl.Float64: "DOUBLE PRECISION",
    pl.Boolean: "BOOLEAN",
    pl.String: "TEXT",
    pl.Date: "DATE",
    pl.Datetime: "TIMESTAMP",
}


def put_in_postgresql(url: str, frame: pl.DataFrame, name: str) -> str:
    import psycopg
    from psycopg import sql

    table = sql.Identifier(name)
    columns = sql.SQL(", ").join(
        sql.SQL("{} {}").format(sql.Identifier(column), sql.SQL(_kind(kind, _POSTGRESQL)))
        for column, kind in frame.schema.items()
    )
    with psycopg.connect(url, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(table))
        cursor.execute(sql.SQL("CREATE TABLE {} ({})").format(table, columns))
        with cursor.copy(sql.SQL("COPY {} FROM STDIN").format(table)) as copy:
            for row in frame.iter_rows():
                copy.write_row(row)
    return url + fragment(name)


# ---- MariaDB

_MARIADB = {
    **_POSTGRESQL,
    pl.Float64: "DOUBLE",
    pl.String: "VARCHAR(200)",
    pl.Datetime: "DATETIME(6)",
}


def connect_mariadb(url: str) -> Any:
    import pymysql

    parts = urlsplit(url)
    return pymysql.connect(
        host=parts.hostname,
        port=parts.port,
        user=parts.username,
        password=parts.password,
        database=parts.path[1:],
        charset="utf8mb4",
        autocommit=True,
        ssl_disabled=True,  # otherwise every connection loads all certificates of the machine
    )


def put_in_mariadb(url: str, frame: pl.DataFrame, name: str) -> str:
    table = quoted(name, "`")
    columns = ", ".join(
        f"{quoted(column, '`')} {_kind(kind, _MARIADB)}" for column, kind in frame.schema.items()
    )
    placeholders = ", ".join(["%s"] * frame.width)
    with connect_mariadb(url) as connection, connection.cursor() as cursor:
        cursor.execute("SET SESSION sql_mode = 'STRICT_ALL_TABLES'")
        cursor.execute(f"DROP TABLE IF EXISTS {table}")
        cursor.execute(f"CREATE TABLE {table} ({columns})")
        rows = list(_without_nan(frame).iter_rows())
        if rows:
            cursor.execute("START TRANSACTION")
            cursor.executemany(
                f"INSERT INTO {table.replace('%', '%%')} VALUES ({placeholders})", rows
            )
            cursor.execute("COMMIT")
    return url + fragment(name)


# ---- files

_SQLITE = {**_POSTGRESQL, pl.Float64: "DOUBLE"}


def put_in_sqlite(path: Path, frame: pl.DataFrame, name: str) -> str:
    """Store a frame: dates as text, decimals as numbers, as SQLite's own tools do."""
    columns = ", ".join(
        f"{quoted(column)} {_kind(kind, _SQLITE)}" for column, kind in frame.schema.items()
    )
    placeholders = ", ".join(["?"] * frame.width)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(f"CREATE TABLE {quoted(name)} ({columns})")
        connection.executemany(
            f"INSERT INTO {quoted(name)} VALUES ({placeholders})", _for_sqlite(frame)
        )
    connection.close()
    return f"sqlite:///{path}" + fragment(name)


def _for_sqlite(frame: pl.DataFrame) -> Iterator[tuple[Any, ...]]:
    moments = pl.selectors.datetime().dt.strftime("%Y-%m-%d %H:%M:%S%.6f")
    plain = _without_nan(frame).with_columns(moments, pl.selectors.date().dt.strftime("%Y-%m-%d"))
    for row in plain.iter_rows():
        yield tuple(str(value) if isinstance(value, Decimal) else value for value in row)


def put_in_duckdb(path: Path, frame: pl.DataFrame, name: str) -> str:
    import duckdb

    with duckdb.connect(path) as connection:
        _create_in_duckdb(connection, frame, name)
    return f"duckdb:///{path}" + fragment(name)


def _create_in_duckdb(connection: Any, frame: pl.DataFrame, name: str) -> None:
    connection.register("given", frame.to_arrow())
    connection.execute(f"CREATE OR REPLACE TABLE {quoted(name)} AS SELECT * FROM given")
    connection.unregister("given")


# ---- tables that are objects


def put_in_ibis(connection: Any, frame: pl.DataFrame, name: str) -> Any:
    """Store a frame in a DuckDB database that ibis is connected to."""
    with connection.con.cursor() as own:
        _create_in_duckdb(own, frame, name)
    with warnings.catch_warnings():
        # ibis 12 looks up tables with a method that DuckDB 2 calls old
        warnings.filterwarnings("ignore", "fetch_arrow_table", DeprecationWarning)
        return connection.table(name)


def put_in_spark(session: Any, path: Path, frame: pl.DataFrame, name: str) -> Any:
    del name  # a frame of Spark has none
    frame.write_parquet(path)
    return session.read.parquet(str(path))


# ---- what the databases have in common


def _kind(kind: pl.DataType, names: dict[Any, str]) -> str:
    if isinstance(kind, pl.Decimal):
        return f"DECIMAL({kind.precision}, {kind.scale})"
    return names[kind.base_type()]


def _without_nan(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the frame as a database without NaN has it: NULL instead."""
    return frame.with_columns(pl.selectors.float().fill_nan(None))
