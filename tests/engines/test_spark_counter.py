"""A Spark frame gives the answers of the same table in memory."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from database_twin import weighed
from spark_twins import HOSTILE, assert_same_profile, in_memory, joint, random_table

from singleout.engines.spark import encode as spark_encode
from singleout.engines.spark.encode import Chunks
from singleout.engines.spark.engine import Spark
from singleout.errors import BadChoice, UnknownColumns, UnusableColumn, UnusableTable
from singleout.where.condition import parse

Stored = Callable[[pl.DataFrame], Any]


@pytest.fixture(scope="module")
def stored(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Stored:
    """Return the Spark frame of a table, in several files."""
    folder = tmp_path_factory.mktemp("stored")

    def store(frame: pl.DataFrame) -> Any:
        data = folder / str(len(list(folder.iterdir())))
        data.mkdir()
        middle = len(frame) // 2
        # Spark reads no file with columns A and a, but a frame can have them
        plain = frame.rename({name: f"x{index}" for index, name in enumerate(frame.columns)})
        plain[:middle].write_parquet(data / "1.parquet")
        plain[middle:].write_parquet(data / "2.parquet")
        read = spark.read.parquet(str(data / "1.parquet"), str(data / "2.parquet"))
        return read.toDF(*frame.columns)

    return store


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    return random_table(1)


@pytest.fixture(scope="module")
def counter(stored: Stored, table: pl.DataFrame) -> Any:
    return Spark().counter(stored(table))


def test_the_columns_the_records_and_what_is_missing(counter: Any, table: pl.DataFrame) -> None:
    local = in_memory(table)
    assert counter.columns == HOSTILE
    assert counter.rows == local.rows
    assert counter.missing(HOSTILE) == local.missing(HOSTILE)
    assert counter.complete(HOSTILE[:3]) == local.complete(HOSTILE[:3])
    assert counter.complete([]) == local.rows


@pytest.mark.parametrize("drop", [False, True])
def test_profiles_of_many_sets(counter: Any, table: pl.DataFrame, drop: bool) -> None:
    sets = [HOSTILE[:2], HOSTILE[2:5], ["A", "a"], ["a"], HOSTILE]
    found = counter.profiles(sets, drop=drop)
    for one, other in zip(found, in_memory(table).profiles(sets, drop=drop), strict=True):
        assert_same_profile(one, other)


@pytest.mark.parametrize("drop", [False, True])
def test_profiles_by_group(counter: Any, table: pl.DataFrame, drop: bool) -> None:
    local = in_memory(table)
    by, columns = ["a.b", "A"], ['quo"ted', "select"]
    found = counter.grouped_profiles(columns, by, drop=drop)
    expected = local.grouped_profiles(columns, by, drop=drop)
    assert list(found) == list(expected)
    for key, profile in expected.items():
        assert_same_profile(found[key], profile)
    assert counter.group_rows(by) == local.group_rows(by)
    assert list(counter.group_rows(["Ünï çode ✓"])) == list(local.group_rows(["Ünï çode ✓"]))


@pytest.mark.parametrize("drop", [False, True])
def test_joint_counts(counter: Any, table: pl.DataFrame, drop: bool) -> None:
    columns, sensitive = ["a.b", "a"], "A"
    assert joint(counter, columns, sensitive, drop=drop) == joint(
        in_memory(table), columns, sensitive, drop=drop
    )


def test_counts_with_values_and_with_ranks(counter: Any, table: pl.DataFrame) -> None:
    local = in_memory(table)
    for columns in (HOSTILE[:2], HOSTILE[2:4], HOSTILE[4:]):
        assert dict(counter.counts(columns)) == dict(local.counts(columns))
        assert dict(counter.ranked_counts(columns)) == dict(local.ranked_counts(columns))


def test_weights_are_added_up_by_combination(stored: Stored) -> None:
    frame = pl.DataFrame({"a": [1, 1, None, 2], "b": ["x", "x", "y", None], "w": [0.5, 2, 3, 4.25]})
    counter, local = Spark().counter(stored(frame)), in_memory(frame)
    assert weighed(counter.counts(["a", "b"], "w")) == weighed(local.counts(["a", "b"], "w"))
    assert sorted(weighed(counter.ranked_counts(["a", "b"], "w")).values()) == [
        (1, 3.0),
        (1, 4.25),
        (2, 2.5),
    ]


def test_the_fetched_table_is_the_one_that_would_be_read(
    counter: Any, stored: Stored, table: pl.DataFrame
) -> None:
    received = pl.DataFrame(stored(table).toArrow())  # in the order that Spark gives its records
    found, expected = counter.fetch(), in_memory(received).fetch()
    assert found.columns == expected.columns
    for name in HOSTILE:
        assert list(found[name].values) == list(expected[name].values)
        assert found[name].has_missing == expected[name].has_missing
        assert found[name].codes.tolist() == expected[name].codes.tolist()
        assert found[name].codes.dtype == expected[name].codes.dtype
    assert counter.fetch(["a", "A"]).columns == ("a", "A")


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3, 8])
def test_distinct_counts_by_tasks(counter: Any, table: pl.DataFrame, size: int, drop: bool) -> None:
    columns = HOSTILE[::-1]
    found = counter.distinct_counts(columns, size, drop=drop)
    expected = in_memory(table).distinct_counts(columns, size, drop=drop)
    assert found.counts.dtype == np.int64
    assert found.counts.tolist() == expected.counts.tolist()
    assert found.relative_error == 0


@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("seen", ["at once", "when encoded", "in one table"])
def test_distinct_counts_by_sql_where_the_codes_are_too_large(
    stored: Stored, drop: bool, seen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_encode, "_TOGETHER", 0)
    if seen == "in one table":  # a chunk need not have all values of a column
        monkeypatch.setattr(spark_encode, "Chunks", lambda: Chunks(50))
    first, *others = HOSTILE[:5]
    table = random_table(3, rows=2000).with_columns(pl.int_range(2000).alias(first))
    frame = stored(table)
    records = in_memory(table).complete(HOSTILE[:5]) if drop else 2000
    # the first column takes two bytes, or more
    limit = 0 if seen == "at once" else records * (len(others) + 1) + records // 2
    counter = Spark(largest_broadcast=limit).counter(frame)
    found = counter.distinct_counts(HOSTILE[:5], 2, drop=drop)
    expected = in_memory(table).distinct_counts(HOSTILE[:5], 2, drop=drop)
    assert found.counts.tolist() == expected.counts.tolist()
    assert any("counted by Spark SQL" in note for note in counter.notes)


def test_a_small_limit_does_not_keep_a_smaller_table_from_the_workers(stored: Stored) -> None:
    table = random_table(4, rows=1000)
    counter = Spark(largest_broadcast=3500).counter(stored(table))
    counter.distinct_counts(HOSTILE[:3], 2)
    assert any("counted by tasks" in note for note in counter.notes)


def test_what_cannot_fit_is_refused_before_it_is_encoded(
    stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = Spark().counter(stored(random_table(4, rows=1000)))
    monkeypatch.setattr("singleout.engines.spark.counter.encoded", None)
    monkeypatch.setattr("singleout.core.memory.available_memory", lambda: 10_000)
    with pytest.raises(UnusableTable, match="Fetching 8 columns"):
        counter.fetch()


def test_the_notes_say_that_tasks_counted(stored: Stored, table: pl.DataFrame) -> None:
    counter = Spark().counter(stored(table))
    assert counter.notes == ()
    counter.distinct_counts(HOSTILE[:4], 3)
    counter.distinct_counts(HOSTILE[:4], 3)
    (note,) = counter.notes
    assert "counted by tasks on Spark (2)" in note


def test_many_chunks_and_partitions_are_put_together(
    stored: Stored, spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_encode, "Chunks", lambda: Chunks(7))
    monkeypatch.setattr(spark_encode, "_TOGETHER", 0)  # partition by partition
    table = random_table(5, rows=300)
    frame = stored(table)
    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "5")
    try:
        found = Spark().counter(frame).fetch()
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    expected = in_memory(table).fetch()
    for name in HOSTILE:
        assert found[name].codes.tolist() == expected[name].codes.tolist()
        assert list(found[name].values) == list(expected[name].values)


def test_weights_are_added_up_by_group(stored: Stored) -> None:
    frame = pl.DataFrame(
        {"sex": ["f", "f", None, "m"], "zip": [1, 2, 1, None], "w": [0.5, 1.25, 2.0, 0.0]}
    )
    counter, local = Spark().counter(stored(frame)), in_memory(frame)
    for drop in (False, True):
        for by in ((), ("sex",)):
            found = counter.weight_totals(["zip"], "w", by, drop=drop)
            assert found == local.weight_totals(["zip"], "w", by, drop=drop)
    with pytest.raises(UnusableColumn, match="cannot be the weight"):
        counter.weight_totals(["sex"], "zip")


def test_a_condition_selects_what_it_selects_in_memory(
    counter: Any, stored: Stored, table: pl.DataFrame
) -> None:
    local = in_memory(table).fetch()
    for text in ('"a.b" > 0', '"`tick`" >= 0 or a is null', "\"quo\"\"ted\" in ('a', '01')"):
        condition = parse(text)
        found = Spark().counter(stored(table), condition)
        assert found.rows == int(condition.mask(local).sum())
    assert counter.rows == len(table)
    with pytest.raises(UnknownColumns):
        Spark().counter(stored(table), parse("nothing = 1"))


def test_text_is_compared_byte_by_byte_whatever_its_collation(spark: Any) -> None:
    frame = spark.sql("SELECT x COLLATE UTF8_LCASE AS x FROM VALUES ('a'), ('A'), ('a ') AS t(x)")
    counter = Spark().counter(frame)
    assert counter.distinct_counts(["x"], 1).counts.tolist() == [3]
    assert counter.profiles([["x"]])[0].sets.tolist() == [3]


def test_kinds_that_only_spark_has(spark: Any) -> None:
    frame = spark.sql(
        "SELECT NULL AS nothing, INTERVAL '1' DAY * id AS days, TIMESTAMP '2020-01-01 05:00:00' "
        "AS moment, array(id) AS list, struct(id) AS record, parse_json('1') AS loose "
        "FROM range(3)"
    )
    counter = Spark().counter(frame)
    found = counter.distinct_counts(["nothing", "days", "moment"], 1)
    assert found.counts.tolist() == [1, 3, 1]
    for name in ("list", "record", "loose"):
        with pytest.raises(UnusableColumn, match=f"Column '{name}' holds lists or records"):
            counter.fetch([name])
        with pytest.raises(UnusableColumn, match=f"Column '{name}' holds lists or records"):
            counter.profiles([[name]])


def test_an_instant_is_the_same_whatever_the_clock_of_the_session(spark: Any) -> None:
    frame = spark.sql("SELECT timestamp_micros(id) AS t FROM range(2)")
    before = spark.conf.get("spark.sql.session.timeZone")
    try:
        spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
        values = list(Spark().counter(frame).fetch(["t"])["t"].values)
        keys = list(Spark().counter(frame).group_rows(["t"]))
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)
    assert [value.isoformat() for value in values] == [
        "1970-01-01T00:00:00+00:00",
        "1970-01-01T00:00:00.000001+00:00",
    ]
    assert keys == [(value,) for value in values]


def test_the_session_keeps_its_settings_and_its_views(spark: Any, stored: Stored) -> None:
    before = spark.conf.get("spark.sql.session.timeZone")
    views = {view.name for view in spark.catalog.listTables()}
    counter = Spark().counter(stored(random_table(3)))
    counter.profiles([HOSTILE[:2]])
    counter.close()
    counter.close()
    assert spark.conf.get("spark.sql.session.timeZone") == before
    assert {view.name for view in spark.catalog.listTables()} <= views


def test_a_frame_without_records_has_nobody_to_single_out(stored: Stored) -> None:
    counter = Spark().counter(stored(random_table(1, rows=0)))
    assert counter.rows == 0
    assert counter.distinct_counts(["a", "A"], 1).counts.tolist() == [0, 0]
    assert joint(counter, ["a"], "A", drop=False) == ([], [])
    with pytest.raises(UnusableTable, match="Spark frame has no rows"):
        counter.fetch()


def test_columns_that_are_not_there_or_named_twice(counter: Any) -> None:
    with pytest.raises(UnknownColumns, match="nothing"):
        counter.distinct_counts(["a", "nothing"], 1)
    with pytest.raises(UnknownColumns, match="nothing"):
        counter.fetch(["nothing"])
    with pytest.raises(BadChoice, match="'a' is named more than once"):
        counter.fetch(["a", "a"])


def test_two_columns_of_the_same_name_are_refused(spark: Any) -> None:
    with pytest.raises(UnusableTable, match="more than one column called 'x'"):
        Spark().counter(spark.sql("SELECT 1 AS x, 2 AS x"))


def test_options_that_have_no_meaning(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(BadChoice, match="session must be a Spark session, not a str"):
        Spark(session="local")
    with pytest.raises(BadChoice, match="approximate must be a relative error"):
        Spark(approximate=0.0)
    with pytest.raises(BadChoice, match="approximate must be a relative error"):
        Spark(approximate=True)
    with pytest.raises(BadChoice, match="largest_broadcast must be a whole number of bytes"):
        Spark(largest_broadcast=-1)
    with pytest.raises(BadChoice, match="checkpoint must be the path of a folder"):
        Spark(checkpoint=5)  # type: ignore[arg-type]
    with pytest.raises(BadChoice, match="Spark cannot count a dict"):
        Spark().counter({"a": [1]})
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(BadChoice, match="checkpoint folder"):
        Spark(checkpoint=file).counter(spark.range(1))
    with pytest.raises(BadChoice, match="belongs to another Spark session"):
        Spark(session=spark.newSession()).counter(spark.range(1))
