"""Names and conditions are data: whatever they say, a database does nothing but count."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any
from urllib.parse import urlsplit

import polars as pl
import pytest
from answers import plain
from stores import Put, connect_mariadb, quoted

import singleout as so
from singleout.errors import BadChoice, SingleoutError, UnknownColumns

# each breaks out of one way of quoting, or of none
ATTACKS = (
    'x"; DROP TABLE canary; --',
    "x`; DROP TABLE canary; --",
    "x'; DROP TABLE canary; --",
    "x'); DROP TABLE canary; --",
    'x") FROM people; DELETE FROM canary; --',
    "x]; DROP TABLE canary; --",
    "x\\'; DROP TABLE canary; --",
    "x; DROP TABLE canary",
    "(SELECT 1/0)",
)

FRAME = pl.DataFrame(
    {name: [(row * index) % 3 for row in range(12)] for index, name in enumerate(ATTACKS, 1)}
)
PEOPLE = pl.DataFrame(
    {"age": [30, 30, 41, 52], "sex": ["f", "m", "f", "x'; DROP TABLE canary; --"]}
)


def canary(there: Put, data: Any) -> Callable[[], list[tuple[Any, ...]]]:
    """Put a table beside the data, and return a function that reads it."""
    if there.engine == "local":
        return lambda: [(1,)]
    if there.engine == "ibis":
        connection = data.get_backend().con.cursor()
        connection.execute("CREATE OR REPLACE TABLE canary AS SELECT 1 AS alive")
        return lambda: connection.execute("SELECT * FROM canary").fetchall()
    if there.engine == "spark":
        data.sparkSession.sql("SELECT 1 AS alive").createOrReplaceTempView("canary")
        return lambda: [tuple(row) for row in data.sparkSession.table("canary").collect()]
    url = data.partition("#")[0]
    _run(there.engine, url, "DROP TABLE IF EXISTS canary")
    _run(there.engine, url, "CREATE TABLE canary AS SELECT 1 AS alive")
    return lambda: _run(there.engine, url, "SELECT * FROM canary")


def _run(engine: str, url: str, statement: str) -> list[tuple[Any, ...]]:
    import duckdb
    import psycopg

    path = urlsplit(url).path
    opened: dict[str, Callable[[], Any]] = {
        "sqlite": lambda: sqlite3.connect(path),
        "duckdb": lambda: duckdb.connect(path),
        "postgresql": lambda: psycopg.connect(url),
        "mariadb": lambda: connect_mariadb(url),
    }
    with closing(opened[engine]()) as connection, closing(connection.cursor()) as cursor:
        cursor.execute(statement)
        found = list(cursor.fetchall()) if statement.startswith("SELECT") else []
        connection.commit()
        return found


def test_names_of_columns_are_only_names(there: Put) -> None:
    data = there(FRAME, "attacks")
    alive = canary(there, data)
    sets = [[name] for name in ATTACKS] + [list(ATTACKS)]
    found = [plain(one) for one in so.anonymity_sets(data, sets, by=ATTACKS[0])]
    assert found == [plain(one) for one in so.anonymity_sets(FRAME, sets, by=ATTACKS[0])]
    assert plain(so.qar(data, size=2)) == plain(so.qar(FRAME, size=2))
    assert so.discrimination_rate(data, ATTACKS[:3], ATTACKS[3]).rate == pytest.approx(
        so.discrimination_rate(FRAME, ATTACKS[:3], ATTACKS[3]).rate, rel=1e-13
    )
    assert dict(so.count(data, ATTACKS[:4])) == dict(so.count(FRAME, ATTACKS[:4]))
    weighted = so.anonymity_sets(data, [ATTACKS[1]], weight=ATTACKS[2])
    assert weighted.weighted_total == FRAME[ATTACKS[2]].sum()
    assert so.read(data).columns == ATTACKS
    assert alive() == [(1,)]


def test_names_of_columns_that_are_not_there_are_refused(there: Put) -> None:
    data = there(PEOPLE, "people_with_a_canary")
    alive = canary(there, data)
    for name in ATTACKS:
        with pytest.raises(UnknownColumns):
            so.anonymity_sets(data, [name, "age"])
        with pytest.raises(UnknownColumns):
            so.anonymity_sets(data, ["age"], where=f"{quoted(name)} = 1")
    for choice in ("by", "weight"):
        with pytest.raises(UnknownColumns):
            so.anonymity_sets(data, ["age"], **{choice: ATTACKS[0]})
    assert alive() == [(1,)]


@pytest.mark.parametrize(
    "there", ["duckdb", "sqlite", "postgresql", "mariadb", "ibis"], indirect=True
)
def test_names_of_tables_are_only_names(there: Put) -> None:
    for name in ATTACKS:
        data = there(PEOPLE, name)
        alive = canary(there, data)
        assert so.anonymity_sets(data, ["sex"]).histogram == {1: 2, 2: 1}
        assert len(so.read(data)) == 4
        assert alive() == [(1,)]


@pytest.mark.parametrize("there", ["duckdb", "sqlite", "postgresql", "mariadb"], indirect=True)
def test_a_table_that_is_not_there_is_refused_in_a_sentence(there: Put) -> None:
    data = there(PEOPLE, "people_with_a_canary")
    alive = canary(there, data)
    url = data.partition("#")[0]
    for name in ATTACKS:
        for fragment in (f"gone {name}", quoted(f"gone {name}")):
            with pytest.raises(SingleoutError) as refused:
                so.anonymity_sets(f"{url}#{fragment}", ["sex"])
            assert "\n" not in str(refused.value)
    assert alive() == [(1,)]


BEYOND_CONDITIONS = (
    "age = 1; DROP TABLE canary",
    "age = 1; DROP TABLE canary; --",
    "1 = 1 or (DELETE FROM canary)",
    "age = (SELECT 1)",
    "age = 30 UNION SELECT 1",
    "age = 30 -- and",
    "age = 30 /* and */",
    "age = pg_sleep(10)",
    "sex = 'f' or 'f'; DROP TABLE canary",
    "sex = 'f\\'; DROP TABLE canary; --'; DROP TABLE canary; --'",
)


def test_conditions_that_are_more_than_conditions_are_refused(there: Put) -> None:
    data = there(PEOPLE, "people_with_a_canary")
    alive = canary(there, data)
    for where in BEYOND_CONDITIONS:
        with pytest.raises(BadChoice) as refused:
            so.anonymity_sets(data, ["age"], where=where)
        assert "\n" not in str(refused.value)
    assert alive() == [(1,)]


@pytest.mark.parametrize(
    ("where", "records"),
    [
        ("sex = 'x''; DROP TABLE canary; --'", 1),
        ("sex != 'x''; DROP TABLE canary; --'", 3),
        ("sex in ('f', 'x''); DROP TABLE canary; --')", 2),
        ("sex = 'f' or sex = '\\'", 2),
        ("sex < '%s' or sex = '%(age)s' or age = 30", 2),
    ],
)
def test_values_in_conditions_are_only_values(there: Put, where: str, records: int) -> None:
    data = there(PEOPLE, "people_with_a_canary")
    alive = canary(there, data)
    assert so.anonymity_sets(data, ["age"], where=where).records == records
    assert alive() == [(1,)]
