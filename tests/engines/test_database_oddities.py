"""Values and files that an embedded database would take for others are counted as they are."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import ibis
import polars as pl
import pytest

import singleout as so
from singleout.errors import MissingDependency, UnreachableData, UnusableColumn, UnusableTable
from singleout.io.values import series_of

NAN = float("nan")


@pytest.mark.parametrize("kind", [pl.Float64, pl.Float32])
def test_nan_in_parquet_files_is_missing_whatever_their_statistics_say(
    tmp_path: Path, kind: type[pl.DataType]
) -> None:
    path = tmp_path / "floats.parquet"
    frame = pl.DataFrame({"a": [0.5, 1.5, NAN, 2.5]}, schema={"a": kind}).with_columns(b=1)
    frame.write_parquet(path)
    for data in (str(path), ibis.duckdb.connect().read_parquet(path)):
        sets = so.anonymity_sets(data, ["a"], missing="drop", engine="database")
        assert sets.dropped == 1
        uniqueness = so.qar(data, ["a", "b"], size=1, missing="drop", engine="database")
        here = so.qar(frame, ["a", "b"], size=1, missing="drop")
        assert uniqueness.to_dict() == here.to_dict()
        for where, records in (("a > 0", 3), ("a is null", 1), ("not a > 1", 1)):
            found = so.anonymity_sets(data, ["b"], where=where, engine="database")
            assert found.profile.records == records
        with pytest.raises(UnusableColumn, match="cannot be the weight"):
            so.anonymity_sets(data, ["b"], weight="a", engine="database")


def write(path: Path, columns: dict[str, list[Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(columns).write_parquet(path)


def test_what_only_the_names_of_folders_tell_is_a_column(tmp_path: Path) -> None:
    top = tmp_path / "outside=1" / "hive"
    write(top / "year=2020" / "kind=it%3As" / "x=1.parquet", {"a": [1, 2]})
    write(top / "year=2021" / "kind=__HIVE_DEFAULT_PARTITION__" / "x.parquet", {"a": [1, 1]})
    write(top / "_temporary" / "x.parquet", {"a": [5]})
    counter = so.Database().counter(top)
    assert counter.columns == ("a", "year", "kind")
    assert dict(counter.counts(["a", "year", "kind"])) == {
        (1, 2020, "it:s"): 1,
        (2, 2020, "it:s"): 1,
        (1, 2021, None): 2,
    }
    counter.close()
    pattern = so.Database().counter(str(top / "*" / "*" / "*.parquet"))
    assert pattern.columns == ("a",)
    assert "'year'" in " ".join(pattern.notes)
    pattern.close()


def test_names_of_folders_that_the_files_have_as_well_change_nothing(tmp_path: Path) -> None:
    write(tmp_path / "year=1" / "x.parquet", {"Year": [2020]})
    write(tmp_path / "year=2" / "x.parquet", {"Year": [2021]})
    counter = so.Database().counter(tmp_path)
    assert dict(counter.counts(["Year"])) == {(2020,): 1, (2021,): 1}
    counter.close()
    write(tmp_path / "year=1" / "b=1" / "x.parquet", {"Year": [2020]})
    some = so.Database().counter(tmp_path)
    assert some.columns == ("Year",)
    assert "'b'" in " ".join(some.notes)
    some.close()


def test_names_that_differ_by_case_only_are_never_mixed(tmp_path: Path) -> None:
    write(tmp_path / "1.parquet", {"a": [1], "A": [2]})
    write(tmp_path / "2.parquet", {"A": [2], "a": [1]})
    with pytest.raises(UnusableTable, match="in another order"):
        so.Database().counter(tmp_path)
    write(tmp_path / "2.parquet", {"a": [1], "A": [2]})
    counter = so.Database().counter(tmp_path)
    assert dict(counter.counts(["a", "A"])) == {(1, 2): 2}
    counter.close()
    # names that differ otherwise are found wherever they are
    write(tmp_path / "b" / "1.parquet", {"a": [1], "b": [2]})
    write(tmp_path / "b" / "2.parquet", {"b": [2], "a": [1]})
    counter = so.Database().counter(tmp_path / "b")
    assert dict(counter.counts(["a", "b"])) == {(1, 2): 2}
    counter.close()


@pytest.mark.parametrize("missing", ["value", "drop", "wildcard"])
def test_groups_that_python_would_take_for_one_stay_apart(tmp_path: Path, missing: str) -> None:
    # three moments within a microsecond
    moments = pl.Series("t", [1, 2, 2, 3], dtype=pl.Int64).cast(pl.Datetime("ns"))
    frame = pl.DataFrame([moments, pl.Series("a", [1, 1, None, 2])])
    frame.write_parquet(tmp_path / "t.parquet")
    for data, engine in ((frame, "local"), (str(tmp_path / "t.parquet"), "database")):
        sets = so.anonymity_sets(data, ["a"], by=["t"], missing=missing, engine=engine)
        found = [(part.profile.records, part.dropped) for part in sets.groups.values()]
        # as a wildcard, two records that match two each
        second = {"value": (2, 0), "drop": (1, 1), "wildcard": (4, 0)}[missing]
        assert found == [(1, 0), second, (1, 0)]


def test_the_copy_of_a_text_file_keeps_the_timeout_and_can_be_made_again(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    frame = pl.DataFrame({name: pl.int_range(400_000, eager=True) % 9 for name in "abcdefghi"})
    frame.write_csv(path)
    counter = so.Database(timeout=60).counter(path)
    counter._session.timeout = 0.02  # type: ignore[attr-defined]
    with pytest.raises(UnreachableData, match=r"did not answer within 0\.02 seconds"):
        counter._prepare(2)  # type: ignore[attr-defined]
    counter._session.timeout = 60.0  # type: ignore[attr-defined]
    counter._prepare(2)  # type: ignore[attr-defined]
    assert counter.missing(["a"]) == {"a": 0}
    counter.close()


def test_collations_of_views_and_of_sql_change_no_count(tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("CREATE TABLE t AS SELECT unnest(['a', 'A', 'b']) AS a, 1 AS b")
        connection.execute("CREATE VIEW v AS SELECT a COLLATE nocase AS a, b FROM t")
    check_three_texts(f"duckdb:///{path}#v")
    connection = ibis.duckdb.connect(path, read_only=True)
    check_three_texts(connection.table("v"))
    schema = {"a": "string", "b": "int32"}
    check_three_texts(connection.sql("SELECT a COLLATE nocase AS a, b FROM t", schema=schema))
    connection.disconnect()


def check_three_texts(data: Any) -> None:
    assert so.anonymity_sets(data, ["a"], engine="database").profile.sets.tolist() == [3]
    chosen = so.anonymity_sets(data, ["b"], where="a = 'a'", engine="database")
    assert chosen.profile.records == 1


@pytest.mark.parametrize("number", ["Infinity", "-Infinity", "1e200", "1e-200", "9" * 50])
def test_exact_numbers_beyond_38_digits_are_values(number: str) -> None:
    values = [Decimal("1"), Decimal(number), None, Decimal("sNaN"), Decimal("NaN")]
    found = series_of("a", values)
    assert found.to_list() == [Decimal("1"), Decimal(number), None, None, None]
    assert so.anonymity_sets({"a": values}, ["a"], missing="drop").dropped == 3


def test_intervals_of_duckdb_differ_where_their_texts_do(tmp_path: Path) -> None:
    path = tmp_path / "t.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(
            f"CREATE TABLE t AS SELECT '{'9' * 50}'::BIGNUM AS long, "
            "unnest([INTERVAL 1 MONTH, INTERVAL 30 DAYS, INTERVAL 1 DAY]) AS span"
        )
    url = f"duckdb:///{path}#t"
    groups = so.anonymity_sets(url, ["long"], by=["span"]).groups
    assert list(groups) == ["1 day", "1 month", "30 days"]
    assert so.anonymity_sets(url, ["span"]).profile.sets.tolist() == [3]
    assert list(so.anonymity_sets(url, ["span"], by=["long"]).groups) == ["9" * 50]


def test_the_driver_to_install_is_named() -> None:
    with pytest.raises(MissingDependency, match=r'pip install "ibis-framework\[mssql\]"'):
        so.Database().counter("mssql://user:secret@localhost/people#t")


def test_a_long_record_is_read_and_a_small_cap_on_memory_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    long = "x" * 3_000_000
    lines = ["a,b", *(f"{n % 7},{n % 5}" for n in range(300_000)), f'"{long}",1', "1,2"]
    path.write_text("\n".join(lines))
    counter = so.Database(memory="100MB").counter(path)
    assert counter.rows == 300_002
    assert counter.complete(["a", "b"]) == 300_002
    counter.close()
