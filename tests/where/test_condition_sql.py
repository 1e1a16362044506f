"""Population filters in databases that run in this process: the same records as in memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings

import naive_condition as naive
import singleout as so
from singleout.errors import BadChoice, UnknownColumns
from singleout.where.condition import parse
from singleout.where.sql.expression import as_ibis

ibis = pytest.importorskip("ibis")
pytest.importorskip("duckdb")

# ibis 12 still calls what DuckDB 2 is about to drop
pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")

TABLE = so.read(naive.frame())
# SQLite keeps a number with decimals as a double, so this one is not in its table
BEYOND_SQLITE = Decimal("9999999999999999.9999")
KEPT = [row for row, record in enumerate(naive.RECORDS) if record[naive.PRICE] != BEYOND_SQLITE]
IN_SQLITE = tuple(name for name in naive.KINDS if name != naive.INSTANT)


def in_sqlite(path: Path, frame: pl.DataFrame, kinds: dict[str, str]) -> Any:
    """Store a frame in SQLite, with dates as text, and return it as a table of ibis."""
    names = [name.replace('"', '""') for name in frame.columns]
    declared = ", ".join(
        f'"{name}" {kind}' for name, kind in zip(names, kinds.values(), strict=True)
    )
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(f"CREATE TABLE people ({declared})")
        connection.executemany(
            f"INSERT INTO people VALUES ({', '.join('?' * frame.width)})",
            [tuple(map(_stored, row)) for row in frame.iter_rows()],
        )
    connection.close()
    return ibis.sqlite.connect(path).table("people")


def _stored(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat("T" if value.microsecond else " ")
    return str(value) if isinstance(value, date | Decimal) else value


@pytest.fixture(scope="module")
def duckdb_table() -> Iterator[Any]:
    connection = ibis.duckdb.connect()
    connection.con.register("given", naive.frame().to_arrow())
    connection.con.execute("CREATE TABLE people AS SELECT * FROM given")
    yield connection.table("people")
    connection.disconnect()


@pytest.fixture(scope="module")
def sqlite_table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    table = in_sqlite(
        tmp_path_factory.mktemp("sqlite") / "people.db",
        naive.frame().drop(naive.INSTANT)[KEPT],
        {
            "record": "INTEGER",
            naive.NUMBER: "BIGINT",
            naive.DOUBLE: "DOUBLE",
            naive.PRICE: "DECIMAL(20, 4)",
            naive.TEXT: "TEXT COLLATE NOCASE",
            naive.FLAG: "BOOLEAN",
            naive.DAY: "DATE",
            naive.MOMENT: "DATETIME",
        },
    )
    yield table
    table.get_backend().disconnect()


def selected(table: Any, text: str) -> list[int]:
    condition = parse(text)
    backend = table.get_backend()
    query = backend.compile(table.filter(as_ibis(condition, table)).select("record"))
    return sorted(record for (record,) in backend.con.execute(query).fetchall())


def answered(table: Any, conditions: list[Any]) -> list[list[bool | None]]:
    """Return for each condition what it says about each record, unknown included."""
    backend = table.get_backend()
    answers = {
        f"answer {number}": as_ibis(parse(naive.written(condition)), table)
        for number, condition in enumerate(conditions)
    }
    query = backend.compile(table.select("record", **answers).order_by("record"))
    rows = backend.con.execute(query).fetchall()
    return [
        [None if row[index] is None else bool(row[index]) for row in rows]
        for index in range(1, len(conditions) + 1)
    ]


def locally(text: str) -> list[int]:
    return np.flatnonzero(parse(text).mask(TABLE)).tolist()


def in_table(table: Any, records: Iterable[int]) -> list[int]:
    kept = KEPT if table.get_backend().name == "sqlite" else range(len(naive.RECORDS))
    return sorted(set(records) & set(kept))


@pytest.mark.parametrize("name", naive.KINDS)
def test_every_comparison_is_true_false_or_unknown_as_in_memory(
    duckdb_table: Any, sqlite_table: Any, name: str
) -> None:
    conditions = naive.every_comparison(name)
    wanted = [naive.answers(condition) for condition in conditions]
    assert dict(zip(conditions, answered(duckdb_table, conditions), strict=True)) == dict(
        zip(conditions, wanted, strict=True)
    )
    if name == naive.INSTANT:
        return
    for condition, expected in zip(conditions, wanted, strict=True):
        if name == naive.TEXT and has_large_number(condition):
            continue
        kept = [expected[row] for row in KEPT]
        assert answered(sqlite_table, [condition]) == [kept], condition


def has_large_number(condition: Any) -> bool:
    """Whether SQLite refuses to compare text with it."""
    values = condition[2] if condition[0] == "in" else condition[3:]
    return any(kind == "number" and abs(Decimal(given)) >= 10**17 for kind, given in values)


@given(condition=naive.conditions())
@settings(max_examples=60)
def test_duckdb_selects_the_records_that_memory_does(duckdb_table: Any, condition: Any) -> None:
    text = naive.written(condition)
    assert selected(duckdb_table, text) == locally(text)


@given(condition=naive.conditions(IN_SQLITE))
@settings(max_examples=60)
def test_sqlite_selects_the_records_that_memory_does(sqlite_table: Any, condition: Any) -> None:
    text = naive.written(condition)
    try:
        records = selected(sqlite_table, text)
    except BadChoice as refusal:
        assume("SQLite cannot compare it exactly" not in str(refusal))
        raise
    assert records == in_table(sqlite_table, locally(text))


@pytest.mark.parametrize("name", IN_SQLITE)
def test_missing_values_are_found_everywhere(
    duckdb_table: Any, sqlite_table: Any, name: str
) -> None:
    text = '"' + name.replace('"', '""') + '" is null'
    assert selected(duckdb_table, text) == locally(text) != []
    assert selected(sqlite_table, text) == in_table(sqlite_table, locally(text)) != []


def test_names_and_values_that_look_like_queries_are_names_and_values(
    duckdb_table: Any, sqlite_table: Any
) -> None:
    attacks = ["'; drop table people; --", "' or 1 = 1 --", "') or true or ('", "\\' or 1=1 --"]
    name = '"wo""rd; drop table people; --"'
    for table in (duckdb_table, sqlite_table):
        for attack in attacks:
            text = f"{name} = '" + attack.replace("'", "''") + "'"
            assert selected(table, text) == in_table(table, locally(text))
        with pytest.raises(UnknownColumns):
            as_ibis(parse('"record" = 1 and "1 = 1 or record" = 1'), table)
        assert selected(table, "record >= 0") == in_table(table, range(len(naive.RECORDS)))


def test_a_long_list_of_tests_does_not_make_a_deep_query(duckdb_table: Any) -> None:
    text = " or ".join(f'"order" = {number}' for number in range(1000))
    assert selected(duckdb_table, text) == locally(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\"order\" = 'x'", "holds numbers"),
        ('"order" = true', "holds numbers"),
        ("flag = 1", "write flag = true or flag = false"),
        ("Geburtstag > 2001", "a date is written in quotes"),
        ("moment > 'May'", "is no date"),
        ("moment > '2001-12-31 00:00Z'", "leave the time zone Z out"),
    ],
)
def test_what_cannot_be_compared_gives_the_sentence_of_memory(
    duckdb_table: Any, text: str, expected: str
) -> None:
    with pytest.raises(BadChoice) as here:
        locally(text)
    with pytest.raises(BadChoice) as there:
        selected(duckdb_table, text)
    assert str(here.value) == str(there.value)
    assert expected in str(there.value)


def test_enumerations_and_other_types_of_duckdb() -> None:
    connection = ibis.duckdb.connect()
    connection.raw_sql("CREATE TYPE sizes AS ENUM ('small', 'large')")
    connection.raw_sql(
        "CREATE TABLE people AS SELECT 0 AS record, 'small'::sizes AS size, 'a'::BLOB AS raw, "
        "0.1::FLOAT AS single, 18446744073709551615::UBIGINT AS wide, NULL AS nothing, "
        "('1' || repeat('0', 37))::HUGEINT AS huge, '12:00'::TIME AS clock"
    )
    table = connection.table("people")
    for text in (
        "size > 'large'",  # by the letters, not by the order of the enumeration
        "size != 'neither of them'",
        "single > 0.1",  # as the column holds it: 0.100000001490116
        "wide = 18446744073709551615",
        "wide > 18446744073709551614.5",
        "wide < 18446744073709551616",
        "huge > 9999999999999999999999999999999999999.5",
        "nothing is null",
    ):
        assert selected(table, text) == [0], text
    for text in ("raw = 'a'", "clock > '11:00'", "nothing = 1"):
        with pytest.raises(BadChoice, match=r"is null and .* is not null can be asked"):
            selected(table, text)


def test_a_column_of_sqlite_holds_what_it_likes_and_what_does_not_fit_is_unknown(
    tmp_path: Path,
) -> None:
    rows = pl.DataFrame(
        {
            "record": pl.Series(range(6), dtype=pl.Int64),
            "n": pl.Series([3, 2.5, "x", None, b"4", 2**53 + 1], dtype=pl.Object),
            "d": pl.Series(
                ["2001-12-31", 20011231, "2001-12-31 00:00:00", "31.12.2001", None, 2452274.5],
                dtype=pl.Object,
            ),
        }
    )
    table = in_sqlite(tmp_path / "any.db", rows, {"record": "INTEGER", "n": "INTEGER", "d": "DATE"})
    assert selected(table, "n > 2") == [0, 1, 5]
    assert selected(table, "not n > 2.5") == [1]
    assert selected(table, "n = 9007199254740993") == [5]
    assert selected(table, "d = '2001-12-31'") == [0, 2]
    assert selected(table, "not d = '2001-12-31'") == []


def test_sqlite_says_which_numbers_it_cannot_compare_with_text(sqlite_table: Any) -> None:
    name = '"wo""rd; drop table people; --"'
    with pytest.raises(BadChoice, match="compare it with a text: '9223372036854775807'"):
        selected(sqlite_table, f"{name} = 9223372036854775807")
    text = f"{name} = '9223372036854775807'"
    assert selected(sqlite_table, text) == in_table(sqlite_table, locally(text)) != []


def test_databases_that_fold_text_and_cannot_be_told_not_to_are_refused() -> None:
    table = ibis.table({"name": "string", "age": "int64"}, name="people")
    with pytest.raises(BadChoice, match="cannot be exact on mssql"):
        as_ibis(parse("name = 'a'"), table, backend="mssql")
    with pytest.raises(BadChoice, match="cannot tell which texts are numbers"):
        as_ibis(parse("name = 5"), table, backend="mssql")
    query = ibis.to_sql(table.filter(as_ibis(parse("age >= 2.5"), table, backend="mssql")), "mssql")
    assert "> 2" in query


def test_what_is_finer_than_a_microsecond_is_cut_off_as_in_memory() -> None:
    numbers = [-1001, -1000, -1, 0, 1, 2, 3, 999, 1000, 1_000_000, -(2**63) + 2**20, 2**63 - 2**20]
    frame = pl.DataFrame({"record": range(len(numbers)), "t": pl.Series(numbers)})
    frame = frame.with_columns(pl.col("t").cast(pl.Datetime("ns")))
    connection = ibis.duckdb.connect()
    connection.con.register("given", frame.to_arrow())
    connection.con.execute("CREATE TABLE people AS SELECT * FROM given")
    there, here = connection.table("people"), so.read(frame)
    assert there["t"].type().scale == 9
    stamps = ["1970-01-01 00:00:00", "1970-01-01 00:00:00.000001", "1969-12-31 23:59:59.999999"]
    far = ["0001-01-01", "1600-01-01", "2300-01-01", "9999-12-31 23:59:59.999999"]
    texts = [
        f"t {sign} '{m}'" for sign in ("=", "!=", "<", "<=", ">", ">=") for m in (*stamps, *far)
    ]
    texts += [
        f"t in ('{stamps[0]}', '{far[0]}')",
        f"not t between '{stamps[2]}' and '{far[3]}'",
    ]
    for text in texts:
        expected = np.flatnonzero(parse(text).mask(here)).tolist()
        assert selected(there, text) == expected, text
    assert selected(there, f"t > '{stamps[0]}' and t < '1970-01-02'") == [8, 9]
    connection.disconnect()
