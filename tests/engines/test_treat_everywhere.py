"""Recodes and dropped columns give the same file wherever the data is, without fetching it."""

from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
import tables
from stores import Put

import singleout as so
from singleout.assessment.treated.elsewhere import TreatedElsewhere
from singleout.assessment.treated.treat import treat
from singleout.assessment.treated.treated import Treated
from singleout.engines.sql.treated import DIALECTS
from singleout.errors import BadChoice, UndefinedMeasure

STEPS: list[dict[str, Any]] = [
    {"recode": "age", "width": 10, "top": 50},
    {"recode": "zip", "prefix": 2},
    {"recode": "children", "top": 2},
    {"recode": "region", "groups": {"cold": ["north"]}, "other": "warm"},
    {"recode": "weight", "round": 5},
    {"drop": ["illness"]},
]


def in_order(frame: pl.DataFrame) -> pl.DataFrame:
    """A database has no order of records."""
    return frame.select(pl.all().cast(pl.String)).sort(pl.all())


def only_databases(there: Put) -> None:
    if there.engine in ("local", "spark"):
        pytest.skip("a frame in memory, or on Spark, is treated in memory")


def treated(data: Any, steps: list[dict[str, Any]], **options: Any) -> TreatedElsewhere:
    found = treat(data, steps, **options)
    assert isinstance(found, TreatedElsewhere)
    return found


def test_a_streamed_file_holds_what_is_published_in_memory(there: Put, tmp_path: Path) -> None:
    only_databases(there)
    frame = tables.people()
    data = there(frame, "people")
    elsewhere, here = treated(data, STEPS, engine="database"), treat(frame, STEPS)
    assert isinstance(here, Treated)
    for name in ("out.parquet", "out.csv"):
        out = elsewhere.write(tmp_path / name)
        found = so.read(out)
        expected = here.to_frame()
        read = pl.read_parquet(out) if name.endswith("parquet") else pl.read_csv(out)
        assert found.columns == tuple(expected.columns)
        if name.endswith("parquet"):
            read = read.with_columns(pl.col("weight").cast(pl.Float64))
            assert in_order(read).equals(in_order(expected))
    sets = so.anonymity_sets(tmp_path / "out.parquet", ["age", "sex", "zip"])
    assert sets.k == so.anonymity_sets(here.table, ["age", "sex", "zip"]).k
    assert elsewhere.log.sort(pl.all()).equals(here.log.sort(pl.all()))
    assert elsewhere.sentences == here.sentences


def test_a_condition_goes_with_it(there: Put, tmp_path: Path) -> None:
    only_databases(there)
    frame = tables.people()
    elsewhere = treated(
        there(frame, "people"), STEPS[:2], engine="database", where="sex = 'f' and age < 50"
    )
    out = pl.read_parquet(elsewhere.write(tmp_path / "out.parquet"))
    here = treat(frame.filter((pl.col("sex") == "f") & (pl.col("age") < 50)), STEPS[:2])
    assert in_order(out).equals(in_order(here.to_frame()))


def test_hostile_names_and_values_are_quoted(there: Put, tmp_path: Path) -> None:
    only_databases(there)
    values = ["x'); DROP TABLE canary; --", "it's", 'a "b"', "back\\slash", "per%cent %s"]
    frame = pl.DataFrame(dict.fromkeys(tables.HOSTILE_NAMES, values))
    steps = [
        {"recode": name, "groups": {"';--": values[:2], "%s": values[2:3]}}
        for name in tables.HOSTILE_NAMES
    ]
    elsewhere = treated(there(frame, "hostile"), steps, engine="database")
    out = pl.read_parquet(elsewhere.write(tmp_path / "out.parquet"))
    assert in_order(out).equals(in_order(treat(frame, steps).to_frame()))


def test_steps_that_need_memory_are_named(there: Put) -> None:
    only_databases(there)
    data = there(tables.people(), "people")
    steps = [*STEPS, {"suppress": "records", "k": 2, "columns": ["age"]}]
    with pytest.raises(BadChoice, match="suppress needs all records in memory"):
        treat(data, steps, engine="database")


def test_data_on_spark_is_fetched_or_refused(there: Put) -> None:
    if there.engine != "spark":
        pytest.skip("about Spark")
    data = there(tables.people(), "people")
    with pytest.raises(BadChoice, match="cannot be treated where it is"):
        treat(data, STEPS)
    found = treat(data, STEPS, engine="local")
    assert isinstance(found, Treated)
    assert in_order(found.to_frame()).equals(in_order(treat(tables.people(), STEPS).to_frame()))


# ---- files and dialects


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "people"
    path.mkdir()
    for number, part in enumerate(tables.people().iter_slices(50)):
        part.write_parquet(path / f"{number}.parquet")
    return path


def test_a_folder_of_parquet_files_is_streamed_in_its_order(folder: Path, tmp_path: Path) -> None:
    elsewhere = treated(folder, STEPS)
    out = pl.read_parquet(elsewhere.write(tmp_path / "out.parquet"))
    here = treat(tables.people(), STEPS).to_frame()
    assert out["age"].to_list() == here["age"].to_list()
    assert out["sex"].to_list() == here["sex"].to_list()
    assert [float(v) for v in out["weight"]] == here["weight"].to_list()
    with pytest.raises(BadChoice, match="is the file that was read"):
        elsewhere.write(folder / "0.parquet", force=True)
    with pytest.raises(BadChoice, match=r"can be written as \.parquet, \.pq, \.csv, \.tsv"):
        elsewhere.write(tmp_path / "out.sav")


def test_the_statement_is_there_in_every_dialect(folder: Path) -> None:
    elsewhere = treated(folder, STEPS)
    assert "CASE" in elsewhere.sql()
    for dialect in DIALECTS:
        text = elsewhere.sql(dialect)
        assert "CASE" in text
        assert "40-49" in text
        assert "illness" not in text
    with pytest.raises(BadChoice, match="no dialect that is known"):
        elsewhere.sql("dbase")


def test_all_steps_work_on_data_that_is_fetched(folder: Path) -> None:
    steps = [*STEPS, {"suppress": "records", "k": 2, "columns": ["age"]}]
    found = treat(folder, steps, engine="local")
    assert isinstance(found, Treated)
    assert found.table.rows == 200


def test_dates_elsewhere_become_what_they_become_here(tmp_path: Path) -> None:
    frame = pl.DataFrame({"d": [date(2020, 1 + i % 12, 1 + i % 28) for i in range(50)]})
    source = tmp_path / "in.parquet"
    frame.write_parquet(source)
    for level in ("month", "quarter", "year"):
        steps = [{"recode": "d", "date": level}]
        out = treated(source, steps, engine="database").write(tmp_path / f"{level}.parquet")
        assert pl.read_parquet(out)["d"].to_list() == treat(source, steps).to_frame()["d"].to_list()


@pytest.mark.parametrize(
    "step",
    [{"width": 1}, {"round": 0.01}, {"round": 0.5}, {"top": 50}, {"top": 50.123456}, {"rare": 2}],
)
def test_exact_numbers_elsewhere_become_what_they_become_here(
    tmp_path: Path, step: dict[str, float]
) -> None:
    numbers = ["1.12345", "1.12345", "5.50005", "7.1", "99.99951", "99.99999", None]
    source = tmp_path / "in.parquet"
    pl.DataFrame({"x": pl.Series(numbers).cast(pl.Decimal(10, 5))}).write_parquet(source)
    steps = [{"recode": "x", **step}]
    out = treated(source, steps, engine="database").write(tmp_path / "out.parquet")
    here = treat(source, steps, engine="local").to_frame()["x"]
    assert pl.read_parquet(out)["x"].to_list() == here.to_list()
    assert here.null_count() == 1


def test_numbers_of_128_bits_are_fetched_as_text(tmp_path: Path) -> None:
    largest = 2**127 - 1
    with duckdb.connect(tmp_path / "in.duckdb") as database:
        database.execute(f"CREATE TABLE t AS SELECT 1 AS x, {largest}::HUGEINT AS h")
        database.execute("INSERT INTO t VALUES (2, 5)")
    url = f"duckdb:///{tmp_path / 'in.duckdb'}#t"
    frame = treat(url, [{"recode": "x", "top": 1}], engine="local").to_frame()
    texts = frame.sort("x", "h")["h"].to_list()
    assert texts[1] == "5"
    assert float(texts[0]) == float(largest)
    assert frame["x"].to_list() == [1, 1]


def test_a_value_that_comes_later_does_not_get_out(tmp_path: Path) -> None:
    source = tmp_path / "in.parquet"
    pl.DataFrame({"x": ["a", "b", "c"]}).write_parquet(source)
    elsewhere = treated(source, [{"recode": "x", "groups": {"z": ["a"]}}], engine="database")
    pl.DataFrame({"x": ["a", "secret", "c"]}).write_parquet(source)
    out = elsewhere.write(tmp_path / "out.parquet")
    assert pl.read_parquet(out)["x"].to_list() == ["z", None, "c"]


def test_values_of_direct_identifiers_of_the_plan_are_not_in_the_log(folder: Path) -> None:
    plan = {"columns": {"zip": {"role": "direct-identifier"}, "age": {"role": "quasi-identifier"}}}
    found = treated(folder, STEPS[:2], plan=plan)
    assert found.log.filter(column="zip").rows() == [(2, "zip", None, None, 200)]
    assert found.log.filter(column="age")["from"].null_count() == 0


def test_a_number_of_many_values_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    source = tmp_path / "in.parquet"
    pl.DataFrame({"x": [i / 7 for i in range(9000)]}).write_parquet(source)
    with pytest.raises(BadChoice, match="a statement of 9,000 cases"):
        treat(source, [{"recode": "x", "round": 0.01}], engine="database")
    out = treated(source, [{"recode": "x", "width": 100}], engine="database")
    assert pl.read_parquet(out.write(tmp_path / "out.parquet"))["x"].n_unique() == 13


def test_records_are_not_held_here(folder: Path) -> None:
    elsewhere = treated(folder, STEPS)
    with pytest.raises(UndefinedMeasure, match="is not known here"):
        elsewhere.to_frame()
    assert elsewhere.to_dict()["records"] == 200
    assert "to be run where the data is" in repr(elsewhere)
