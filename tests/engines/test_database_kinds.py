"""Kinds of columns that only some databases have are counted, or a sentence names the column."""

from decimal import Decimal

import psycopg
import pytest
import stores

import singleout as so
from singleout.errors import UnusableColumn

UUID = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"


def put(url: str, kind: str, *values: str) -> str:
    """Make a table of one column in PostgreSQL."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS odd_kinds")
        connection.execute("DROP TYPE IF EXISTS mood")
        connection.execute("DROP DOMAIN IF EXISTS word")
        connection.execute("CREATE TYPE mood AS ENUM ('b', 'a')")
        connection.execute("CREATE DOMAIN word AS text")
        connection.execute(f"CREATE TABLE odd_kinds (a {kind})")
        for value in values:
            connection.execute(f"INSERT INTO odd_kinds VALUES ('{value}')")
    return f"{url}#odd_kinds"


def test_money_of_postgresql_is_a_number(postgresql: str) -> None:
    url = put(postgresql, "money", "1.50", "1.5", "2")
    assert so.anonymity_sets(url, ["a"]).profile.sizes.tolist() == [1, 2]
    assert so.anonymity_sets(url, ["a"], where="a > 1.75").profile.records == 1
    groups = so.anonymity_sets(url, ["a"], by=["a"], weight="a").groups
    assert list(groups) == [Decimal("1.50"), Decimal("2.00")]


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("date", "infinity"),
        ("date", "0044-03-15 BC"),
        ("timestamp", "-infinity"),
        ("timestamptz", "20000-01-01"),
        ("time", "24:00"),
    ],
)
def test_a_timestamp_that_python_cannot_represent_is_counted_but_not_shown(
    postgresql: str, kind: str, value: str
) -> None:
    url = put(postgresql, kind, value, "12:00" if kind == "time" else "2020-01-01")
    assert so.anonymity_sets(url, ["a"]).profile.sets.tolist() == [2]
    with pytest.raises(
        UnusableColumn, match=r"Column 'a' \(time.*cannot represent|Column 'a' \(date"
    ):
        so.anonymity_sets(url, ["a"], by=["a"])


def test_exact_numbers_of_any_size_are_received(postgresql: str) -> None:
    url = put(postgresql, "numeric", "1e200", "1", "NaN", "Infinity")
    counter = so.Database().counter(url)
    (column,) = counter.fetch()
    assert column.values == [Decimal(1), Decimal("1e200"), Decimal("Infinity")]
    assert counter.missing(["a"]) == {"a": 1}
    counter.close()


@pytest.mark.parametrize("kind", ["mood", "word", '"char"', "char(3)", "name"])
def test_whatever_is_written_as_text_can_be_asked_for_in_postgresql(
    postgresql: str, kind: str
) -> None:
    url = put(postgresql, kind, "a", "b", "b")
    assert so.anonymity_sets(url, ["a"], where="a = 'b'").profile.records == 2
    assert so.anonymity_sets(url, ["a"], where="a < 'b'").profile.records == 1


def test_an_enumeration_is_counted_beside_collations_that_fold(postgresql: str) -> None:
    url = put(postgresql, "mood", "a", "b", "b")
    with psycopg.connect(url.partition("#")[0], autocommit=True) as connection:
        connection.execute(
            "CREATE COLLATION IF NOT EXISTS folding "
            "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
        )
    assert so.anonymity_sets(url, ["a"]).profile.sizes.tolist() == [1, 2]


def test_identifiers_can_be_asked_for(postgresql: str) -> None:
    url = put(postgresql, "uuid", UUID, UUID.replace("a0", "b0"))
    assert so.anonymity_sets(url, ["a"], where=f"a = '{UUID}'").profile.records == 1


@pytest.mark.parametrize(
    ("kind", "values", "where"),
    [
        ("uuid", [UUID, UUID.replace("a0", "b0")], f"a = '{UUID}'"),
        ("decimal(5, 2) unsigned", ["1.5", "2"], "a < 1.75"),
        (
            "decimal(20, 0) unsigned",
            ["9007199254740993", "9007199254740992"],
            "a > 9007199254740992",
        ),
        ("float unsigned", ["1.5", "2"], "a = 1.5"),
        ("double unsigned", ["1.5", "2"], "a = 1.5"),
    ],
)
def test_kinds_that_only_mariadb_has_can_be_asked_for(
    mariadb: str, kind: str, values: list[str], where: str
) -> None:
    with stores.connect_mariadb(mariadb) as connection, connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS odd_kinds")
        cursor.execute(f"CREATE TABLE odd_kinds (a {kind})")
        cursor.executemany("INSERT INTO odd_kinds VALUES (%s)", [(value,) for value in values])
    url = f"{mariadb}#odd_kinds"
    assert so.anonymity_sets(url, ["a"]).profile.sets.tolist() == [2]
    assert so.anonymity_sets(url, ["a"], where=where).profile.records == 1
