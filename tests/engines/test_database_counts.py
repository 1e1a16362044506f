"""A database counts what the kernels count, to the last digit."""

import math
from datetime import date
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import stores
import tables
from database_twin import check, local, plain
from hypothesis import given, settings
from hypothesis import strategies as st

from singleout.core.progress import listening
from singleout.engines.sql import counter as database_counter
from singleout.engines.sql.counter import DatabaseCounter
from singleout.engines.sql.engine import Database
from singleout.errors import UnknownColumns, UnusableColumn, UnusableTable
from singleout.where.condition import parse

TEXTS = ["a", "A", "a ", "", "ä", "a\u0308", "0", "x" * 300 + "1", "x" * 300 + "2"]


@st.composite
def frames(draw: st.DrawFn) -> pl.DataFrame:
    rows = draw(st.integers(1, 25))

    def column(values: Any) -> list[Any]:
        return draw(st.lists(st.none() | values, min_size=rows, max_size=rows))

    return pl.DataFrame(
        {
            "text": column(st.sampled_from(TEXTS)),
            "whole": column(st.sampled_from([0, 1, -1, 2**53, 2**53 + 1, -(2**63), 2**63 - 1])),
            "real": column(st.sampled_from([0.0, -0.0, 1.5, math.nan, 1e300, 0.1])),
            "day": column(st.sampled_from([date(1969, 12, 31), date(2024, 2, 29)])),
            "weight": draw(
                st.lists(st.integers(0, 64).map(lambda w: w / 4), min_size=rows, max_size=rows)
            ),
        },
        schema={
            "text": pl.String,
            "whole": pl.Int64,
            "real": pl.Float64,
            "day": pl.Date,
            "weight": pl.Float64,
        },
    )


def ask(data: Any) -> DatabaseCounter:
    found = Database().counter(data)
    assert isinstance(found, DatabaseCounter)
    return found


def check_data(data: Any, frame: pl.DataFrame) -> None:
    there = ask(data)
    try:
        check(there, frame, by=["text"], weight="weight")
    finally:
        there.close()


@settings(max_examples=8)
@given(frames())
def test_duckdb_counts_what_memory_counts(
    tmp_path_factory: pytest.TempPathFactory, frame: pl.DataFrame
) -> None:
    path = tmp_path_factory.mktemp("duckdb") / "t.duckdb"
    check_data(stores.put_in_duckdb(path, frame, "people"), frame)


@settings(max_examples=6)
@given(frames())
def test_sqlite_counts_what_memory_counts(
    tmp_path_factory: pytest.TempPathFactory, frame: pl.DataFrame
) -> None:
    path = tmp_path_factory.mktemp("sqlite") / "t.sqlite"
    check_data(stores.put_in_sqlite(path, frame, "people"), frame)


@settings(max_examples=3)
@given(frames())
def test_postgresql_counts_what_memory_counts(postgresql: str, frame: pl.DataFrame) -> None:
    check_data(stores.put_in_postgresql(postgresql, frame, "drawn"), frame)


@settings(max_examples=3)
@given(frames().map(lambda frame: frame.with_columns(pl.col("text").str.slice(-200))))
def test_mariadb_counts_what_memory_counts(mariadb: str, frame: pl.DataFrame) -> None:
    check_data(stores.put_in_mariadb(mariadb, frame, "drawn"), frame)


@settings(max_examples=3)
@given(frames())
def test_parquet_files_are_counted_as_in_memory(
    tmp_path_factory: pytest.TempPathFactory, frame: pl.DataFrame
) -> None:
    path = tmp_path_factory.mktemp("parquet") / "t.parquet"
    frame.write_parquet(path)
    check_data(path, frame)


def test_blocks_and_batches_give_the_same_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, real_data: Path
) -> None:
    frame = tables.adult(real_data)
    data = stores.put_in_duckdb(tmp_path / "adult.duckdb", frame, "adult")
    expected = local(frame).distinct_counts(frame.columns, 3).counts
    planned, statements = {}, {}
    for least in (1, 10**9):
        monkeypatch.setattr(database_counter, "_WORTH_PLANNING", least)
        there = ask(data)
        steps: list[int] = []
        with listening(lambda *step: steps.append(step[2])):  # noqa: B023
            planned[least] = there.distinct_counts(frame.columns, 3).counts
        statements[least] = max(steps)
        there.close()
        np.testing.assert_array_equal(planned[least], expected)
    assert len(expected) == math.comb(9, 3)
    assert statements[10**9] == math.ceil(len(expected) / 8)
    assert statements[1] < len(expected) / 3


def test_more_columns_than_one_number_can_tell_apart(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({f"c{index}": rng.integers(0, 3, 40) for index in range(70)})
    frame = frame.with_columns(pl.all().replace(2, None))
    there = ask(stores.put_in_duckdb(tmp_path / "wide.duckdb", frame, "wide"))
    sets = [tuple(frame.columns[index : index + 5]) for index in range(0, 66, 3)]
    for drop in (False, True):
        found, expected = there.profiles(sets, drop=drop), local(frame).profiles(sets, drop=drop)
        assert list(map(plain, found)) == list(map(plain, expected))
    there.close()


def test_a_null_of_the_data_is_not_the_null_of_a_column_left_out(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1, 1, None, None], "b": [None, 2, None, 2]})
    there = ask(stores.put_in_duckdb(tmp_path / "n.duckdb", frame, "n"))
    found = [plain(p) for p in there.profiles([["a"], ["b"], ["a", "b"]])]
    assert found == [[(2, 2)], [(2, 2)], [(1, 4)]]
    dropped = [plain(p) for p in there.profiles([["a"], ["b"], ["a", "b"]], drop=True)]
    assert dropped == [[(2, 1)], [(2, 1)], [(1, 1)]]
    there.close()


@pytest.mark.parametrize("kind", ["postgresql", "mariadb", "sqlite", "duckdb"])
def test_an_empty_table_has_empty_counts(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    frame = tables.empty()
    if kind in ("postgresql", "mariadb"):
        put = getattr(stores, f"put_in_{kind}")
        data = put(request.getfixturevalue(kind), frame, "nobody")
    else:
        data = getattr(stores, f"put_in_{kind}")(tmp_path / "e", frame, "nobody")
    there = ask(data)
    assert there.rows == 0
    assert [plain(p) for p in there.profiles([["age"], ["age", "sex"]])] == [[], []]
    assert there.distinct_counts(["age", "sex", "zip"], 2).counts.tolist() == [0, 0, 0]
    assert len(there.joint_counts(["age"], "sex").sizes) == 0
    assert len(there.ranked_counts(["age", "sex"])) == 0
    assert there.grouped_profiles(["age"], ["sex"]) == {}
    assert there.group_rows(["sex"]) == {}
    assert there.weight_totals(["age"], "weight")[()].minimum is None
    with pytest.raises(UnusableTable, match="no rows"):
        there.fetch()
    there.close()


def test_collations_do_not_change_counts(postgresql: str, mariadb: str, tmp_path: Path) -> None:
    import sqlite3

    import duckdb
    import psycopg

    with psycopg.connect(postgresql, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS folded")
        connection.execute(
            "CREATE COLLATION IF NOT EXISTS nocase "
            "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
        )
        connection.execute("CREATE TABLE folded (s text COLLATE nocase)")
        connection.execute("INSERT INTO folded VALUES ('a'), ('A'), ('a'), ('b')")
    with stores.connect_mariadb(mariadb) as connection, connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS folded")
        cursor.execute("CREATE TABLE folded (s VARCHAR(20) COLLATE utf8mb4_general_ci, l TEXT)")
        cursor.execute("INSERT INTO folded (s) VALUES ('a'), ('A'), ('a'), ('b')")
    with sqlite3.connect(tmp_path / "f.sqlite") as lite:
        lite.execute("CREATE TABLE folded (s TEXT COLLATE NOCASE)")
        lite.execute("INSERT INTO folded VALUES ('a'), ('A'), ('a'), ('b')")
    lite.close()
    with duckdb.connect(tmp_path / "f.duckdb") as duck:
        duck.execute("CREATE TABLE folded (s VARCHAR COLLATE NOCASE)")
        duck.execute("INSERT INTO folded VALUES ('a'), ('A'), ('a'), ('b')")
    for url in (
        postgresql,
        mariadb,
        f"sqlite:///{tmp_path}/f.sqlite",
        f"duckdb:///{tmp_path}/f.duckdb",
    ):
        there = ask(f"{url}#folded")
        assert plain(there.profiles([["s"]])[0]) == [(1, 2), (2, 1)], url
        assert dict(there.counts(["s"])) == {("a",): 2, ("A",): 1, ("b",): 1}
        assert len(there.ranked_counts(["s"]).values[0]) == 3
        assert there.group_rows(["s"]) == {("A",): 1, ("a",): 2, ("b",): 1}
        there.close()


def test_long_texts_that_begin_alike_differ(mariadb: str) -> None:
    with stores.connect_mariadb(mariadb) as connection, connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS long_texts")
        cursor.execute("CREATE TABLE long_texts (s LONGTEXT, v VARCHAR(3000))")
        long = "x" * 2900
        cursor.executemany(
            "INSERT INTO long_texts VALUES (%s, %s)", [(long + end, long + end) for end in "aAab"]
        )
    there = ask(f"{mariadb}#long_texts")
    for name in ("s", "v"):
        assert plain(there.profiles([[name]])[0]) == [(1, 2), (2, 1)]
        assert {values[0][-1]: size for values, size in there.counts([name])} == {
            "a": 2,
            "A": 1,
            "b": 1,
        }
        assert len(there.ranked_counts([name])) == 3
    there.close()


def test_numbers_of_single_precision_are_fetched_exactly(mariadb: str) -> None:
    with stores.connect_mariadb(mariadb) as connection, connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS singles")
        cursor.execute("CREATE TABLE singles (x FLOAT)")
        cursor.execute("INSERT INTO singles VALUES (16777214), (16777215), (16777215), (0.1)")
    there = ask(f"{mariadb}#singles")
    assert list(there.fetch()["x"].values) == [float(np.float32(0.1)), 16777214.0, 16777215.0]
    assert dict(there.counts(["x"]))[16777215.0,] == 2
    there.close()


def test_not_a_number_is_missing_in_exact_numbers_as_well(postgresql: str) -> None:
    import psycopg

    with psycopg.connect(postgresql, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS exact")
        connection.execute("CREATE TABLE exact (x numeric)")
        connection.execute("INSERT INTO exact VALUES ('NaN'), (NULL), (1.0), (1.00), (2)")
    there = ask(f"{postgresql}#exact")
    assert there.missing(["x"]) == {"x": 2}
    assert plain(there.profiles([["x"]])[0]) == [(1, 1), (2, 2)]
    assert len(there.fetch()["x"].values) == 2
    there.close()


def test_weights_that_are_text_are_numbers_if_they_read_as_such(tmp_path: Path) -> None:
    good = ["1", "2.5", " 3 ", "+1e1", ".5", "4.", "0", "-0.0"]
    for bad in (None, "-1", "x", "1_0", "inf", "nan", "", "1e999", "0x1"):
        frame = pl.DataFrame({"a": [1] * 9, "w": [*good, bad]})
        there = ask(stores.put_in_duckdb(tmp_path / f"{bad}.duckdb", frame, "w"))
        with pytest.raises(UnusableColumn, match="'w' cannot be the weight"):
            there.weight_totals(["a"], "w")
        there.close()
    frame = pl.DataFrame({"a": [1] * 8, "w": good})
    for put in (stores.put_in_duckdb, stores.put_in_sqlite):
        there = ask(put(tmp_path / f"good.{put.__name__}", frame, "w"))
        assert there.weight_totals(["a"], "w") == local(frame).weight_totals(["a"], "w")
        there.close()


def test_columns_that_are_not_there_or_hold_lists_are_refused(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [1, 2], "list": [[1], [2]]})
    there = ask(stores.put_in_duckdb(tmp_path / "l.duckdb", frame, "l"))
    with pytest.raises(UnknownColumns, match="'agee'"):
        there.profiles([["agee"]])
    with pytest.raises(UnusableColumn, match="lists or records"):
        there.profiles([["age", "list"]])
    assert plain(there.profiles([["age"]])[0]) == [(1, 2)]
    there.close()


def test_a_condition_is_kept_to_in_every_answer(tmp_path: Path) -> None:
    frame = tables.people()
    data = stores.put_in_sqlite(tmp_path / "p.sqlite", frame, "people")
    condition = parse("age < 40 and sex = 'f'")
    there = Database().counter(data, condition)
    kept = frame.filter((pl.col("age") < 40) & (pl.col("sex") == "f"))
    check(there, kept, by=["region"], weight="weight")
    there.close()


def test_names_that_differ_only_in_case_are_told_apart(tmp_path: Path, postgresql: str) -> None:
    frame = tables.names_of_two_cases()
    frame.write_parquet(tmp_path / "cases.parquet")
    frame.write_csv(tmp_path / "cases.csv")
    text = frame.cast(pl.String)
    for data, expected in (
        (tmp_path / "cases.parquet", frame),
        (tmp_path / "cases.csv", text),
        (stores.put_in_postgresql(postgresql, frame, "cases"), frame),
    ):
        there = ask(data)
        check(there, expected)
        there.close()
    filtered = Database().counter(tmp_path / "cases.parquet", parse("Age >= 2"))
    assert dict(filtered.counts(["age", "Age"])) == {(1, 2): 1, (2, 3): 1, (2, 4): 1}
    filtered.close()


@pytest.mark.parametrize(
    "name", ["base", "singleout", 'x"; DROP TABLE people; --', "a.b", " ", "%s"]
)
def test_hostile_table_names_are_only_names(
    name: str, tmp_path: Path, postgresql: str, mariadb: str
) -> None:
    frame = tables.hostile_names()
    urls = [
        stores.put_in_duckdb(tmp_path / "h.duckdb", frame, name),
        stores.put_in_sqlite(tmp_path / "h.sqlite", frame, name),
        stores.put_in_postgresql(postgresql, frame, name),
    ]
    if name.strip():  # MariaDB allows no name that ends in a blank
        urls.append(stores.put_in_mariadb(mariadb, frame, name))
    expected = local(frame).distinct_counts(frame.columns, 2).counts
    for url in urls:
        there = ask(url.replace("#a.b", '#"a.b"'))
        np.testing.assert_array_equal(there.distinct_counts(frame.columns, 2).counts, expected)
        assert sorted(there.fetch().columns) == sorted(frame.columns)
        there.close()


def test_long_and_odd_column_names_are_only_names(tmp_path: Path) -> None:
    names = ["x" * 500, "\t", "'", "\\", "`", "k0", "v0", "n", "singleout_0", "😀", "--", "{}"]
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({name: rng.integers(0, 3, 30) for name in names})
    for put in (stores.put_in_duckdb, stores.put_in_sqlite):
        there = ask(put(tmp_path / put.__name__, frame, "odd"))
        check(there, frame, by=["k0"])
        there.close()


def test_a_table_of_ibis_is_counted_over_its_own_connection() -> None:
    import ibis

    frame = tables.nulls()
    connection = ibis.duckdb.connect()
    connection.con.register("given", frame.to_arrow())
    connection.con.execute("CREATE TABLE people AS SELECT * FROM given")
    # ibis asks DuckDB in a way that DuckDB has given up
    with pytest.warns(DeprecationWarning, match="fetch_arrow_table"):
        table = connection.table("people")
    there = ask(table.filter(table.age.notnull()).mutate(one=1))
    kept = frame.filter(pl.col("age").is_not_null()).with_columns(one=pl.lit(1, pl.Int8))
    check(there, kept, by=["sex"])
    assert there.source == "an ibis table (DuckDB)"
    there.close()
    assert connection.con.execute("SELECT count(*) FROM people").fetchone() == (60,)


def test_tasks_run_here_and_are_yielded_as_they_are_done(tmp_path: Path) -> None:
    there = ask(stores.put_in_sqlite(tmp_path / "p.sqlite", tables.people(), "people"))
    found = there.run(pow_of, 2, list(range(8)), name="powers", what="Raising")
    assert sorted(found) == [2**index for index in range(8)]
    there.close()


def pow_of(base: int, exponent: int) -> int:
    return int(base**exponent)


def test_sets_may_be_asked_twice_and_in_any_order(tmp_path: Path) -> None:
    frame = tables.people()
    there = ask(stores.put_in_duckdb(tmp_path / "p.duckdb", frame, "people"))
    sets = [["age", "sex"], ["sex", "age"], ["zip"], ["age", "sex"]]
    sets += [list(pair) for pair in combinations(frame.columns[:5], 2)]
    found = list(map(plain, there.profiles(sets)))
    assert found == list(map(plain, local(frame).profiles(sets)))
    assert found[0] == found[1] == found[3]
    there.close()
