"""Population filters on servers and on Spark: the same records as in memory."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from stores import connect_mariadb, quoted

import naive_condition as naive
import singleout as so
from singleout.errors import BadChoice
from singleout.where.condition import parse
from singleout.where.sql.expression import as_ibis

ibis = pytest.importorskip("ibis")

# ibis asks MariaDB for the time zone UTC by a name that not every server knows
pytestmark = pytest.mark.filterwarnings("ignore:Unable to set session timezone:UserWarning")

TABLE = so.read(naive.frame())
NAME = 'peo"ple; drop table x; --'
ZONE = "'-05:00'"  # of the sessions, which must not matter


def locally(text: str) -> list[int]:
    return np.flatnonzero(parse(text).mask(TABLE)).tolist()


# ---- PostgreSQL

POSTGRESQL = {
    "record": "bigint",
    naive.NUMBER: "bigint",
    naive.DOUBLE: "double precision",
    naive.PRICE: "numeric",
    naive.TEXT: "text",
    naive.FLAG: "boolean",
    naive.DAY: "date",
    naive.MOMENT: "timestamp",
    naive.INSTANT: "timestamptz",
}


@pytest.fixture(scope="module")
def in_postgresql(postgresql: str) -> Iterator[Any]:
    import psycopg
    from psycopg import sql

    declared = sql.SQL(", ").join(
        sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(kind))
        for name, kind in POSTGRESQL.items()
    )
    with psycopg.connect(postgresql, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE TABLE {} ({})").format(sql.Identifier(NAME), declared))
        cursor = connection.cursor()
        with cursor.copy(sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(NAME))) as copy:
            for row in naive.frame().iter_rows():
                copy.write_row(row)
    backend = ibis.connect(postgresql)
    backend.raw_sql(f"SET TIME ZONE INTERVAL {ZONE} HOUR TO MINUTE").close()
    yield backend.table(NAME)
    backend.raw_sql(sql.SQL("DROP TABLE {}").format(sql.Identifier(NAME)).as_string()).close()
    backend.disconnect()


# ---- MariaDB

MARIADB = {
    **POSTGRESQL,
    naive.DOUBLE: "double",
    naive.PRICE: "decimal(20, 4)",
    naive.TEXT: "varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
    naive.MOMENT: "datetime(6)",
    naive.INSTANT: "timestamp(6) NULL",
}


@pytest.fixture(scope="module")
def in_mariadb(mariadb: str) -> Iterator[Any]:
    import pymysql

    pymysql.install_as_MySQLdb()
    table = quoted(NAME, "`")
    declared = ", ".join(f"{quoted(name, '`')} {kind}" for name, kind in MARIADB.items())
    frame = naive.frame().with_columns(pl.col(naive.DOUBLE).fill_nan(None))
    with connect_mariadb(mariadb) as connection, connection.cursor() as cursor:
        cursor.execute("SET SESSION time_zone = '+00:00'")
        cursor.execute(f"CREATE TABLE {table} ({declared})")
        placeholders = ", ".join(["%s"] * frame.width)
        rows = [tuple(map(_without_zone, row)) for row in frame.iter_rows()]
        cursor.executemany(f"INSERT INTO {table} VALUES ({placeholders})", rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        backend = ibis.connect(mariadb)
    backend.raw_sql(f"SET SESSION time_zone = {ZONE}").close()
    yield backend.table(NAME)
    backend.raw_sql(f"DROP TABLE {table}").close()
    backend.disconnect()


def _without_zone(value: Any) -> Any:
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


# ---- Spark


@pytest.fixture(scope="module")
def in_spark(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    path: Path = tmp_path_factory.mktemp("where") / "people.parquet"
    naive.frame().drop(naive.INSTANT).write_parquet(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyspark warns of versions of pandas
        return ibis.pyspark.connect(spark).read_parquet(str(path))


# ---- the same records


def rows(table: Any, expression: Any) -> list[tuple[Any, ...]]:
    backend = table.get_backend()
    query = backend.compile(expression)
    if backend.name == "pyspark":
        return [tuple(row) for row in backend._session.sql(query).collect()]
    cursor = backend.con.cursor()
    cursor.execute(query)
    found = list(cursor.fetchall())
    cursor.close()
    return found


def selected(table: Any, text: str) -> list[int]:
    chosen = table.filter(as_ibis(parse(text), table)).select("record")
    return sorted(record for (record,) in rows(table, chosen))


@pytest.fixture(params=["postgresql", "mariadb", "spark"])
def table(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(f"in_{request.param}")


@pytest.mark.parametrize("name", naive.KINDS)
def test_every_comparison_is_true_false_or_unknown_as_in_memory(table: Any, name: str) -> None:
    if name not in table.columns:
        return  # Spark has no column that knows its time zone
    conditions = naive.every_comparison(name)
    for start in range(0, len(conditions), 60):
        some = conditions[start : start + 60]
        truths = {
            f"answer {number}": as_ibis(parse(naive.written(condition)), table)
            for number, condition in enumerate(some)
        }
        found = rows(table, table.select("record", **truths).order_by("record"))
        for index, condition in enumerate(some, 1):
            answers = [None if row[index] is None else bool(row[index]) for row in found]
            assert answers == naive.answers(condition), condition


@given(condition=naive.conditions(tuple(name for name in naive.KINDS if name != naive.INSTANT)))
@settings(max_examples=15)
def test_whole_conditions_select_the_records_that_memory_selects(
    table: Any, condition: Any
) -> None:
    text = naive.written(condition)
    assert selected(table, text) == locally(text)


def test_names_and_values_that_look_like_queries_are_names_and_values(table: Any) -> None:
    name = quoted(naive.TEXT)
    for attack in (
        "'; drop table people; --",
        "' or 1 = 1 --",
        "\\' or 1 = 1 --",
        "%s",
        "{x}",
        ":x",
    ):
        text = f"{name} = '" + attack.replace("'", "''") + "'"
        assert selected(table, text) == locally(text)
        assert selected(table, f"not ({text})") == locally(f"not ({text})")
    assert len(selected(table, "record is not null")) == len(naive.RECORDS)


def test_what_cannot_be_compared_gives_a_sentence(table: Any) -> None:
    with pytest.raises(BadChoice, match="holds numbers"):
        as_ibis(parse("\"order\" = 'x'"), table)
    with pytest.raises(BadChoice, match="is no date"):
        as_ibis(parse("moment > 'May'"), table)


# ---- what only one of them has


def test_types_of_postgresql(postgresql: str) -> None:
    backend = ibis.connect(postgresql)
    backend.raw_sql(
        "CREATE COLLATION IF NOT EXISTS folded "
        "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
    ).close()
    backend.raw_sql(
        "CREATE TABLE where_types AS SELECT 0 AS record, 'NaN'::numeric AS price, "
        "'A'::text COLLATE folded AS letter, 0.1::real AS single, 'b'::char(3) AS padded"
    ).close()
    try:
        types = backend.table("where_types")
        assert selected(types, "price is null") == [0]
        assert selected(types, "price > 5 or not price > 5") == []
        assert selected(types, "letter = 'a'") == []
        assert selected(types, "letter = 'A' and single > 0.1 and padded = 'b'") == [0]
    finally:
        backend.raw_sql("DROP TABLE where_types").close()
        backend.disconnect()


def test_types_of_mariadb(in_mariadb: Any) -> None:
    backend = in_mariadb.get_backend()
    backend.raw_sql(
        "CREATE TABLE where_types (record INT, old VARCHAR(9) CHARACTER SET latin1, "
        "size ENUM('small', 'large'), born YEAR, tiny TINYINT, wide BIGINT UNSIGNED)"
    ).close()
    backend.raw_sql(
        "INSERT INTO where_types VALUES (0, 'é', 'small', 2001, 2, 18446744073709551615)"
    ).close()
    try:
        types = backend.table("where_types")
        assert selected(types, "old = 'é' and old > 'z' and old != 'É' and old != 'é '") == [0]
        assert selected(types, "old = '豈' or old = 'e'") == []
        assert selected(types, "size > 'large'") == [0]
        assert selected(types, "born between 2000 and 2001.5") == [0]
        assert selected(types, "tiny = 2 and tiny != true") == [0]
        assert selected(types, "wide = 18446744073709551615") == [0]
    finally:
        backend.raw_sql("DROP TABLE where_types").close()
