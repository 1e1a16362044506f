from __future__ import annotations

import datetime as dt
import subprocess
import sys
from decimal import Decimal

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import singleout as so
from singleout.errors import BadChoice, UnknownColumns, UnusableColumn, UnusableTable
from singleout.io.formats.frames import read_frame
from singleout.io.read import read

ROWS = {"age": [30, 41, None], "name": ["01", None, "1"]}

MAKERS = {
    "pandas": lambda: pd.DataFrame(ROWS, index=[7, 7, 9]),
    "polars": lambda: pl.DataFrame(ROWS),
    "polars lazy": lambda: pl.LazyFrame(ROWS),
    "pyarrow table": lambda: pa.table(ROWS),
    "pyarrow batch": lambda: pa.table(ROWS).to_batches()[0],
    "pyarrow reader": lambda: pa.table(ROWS).to_reader(),
    "dict": lambda: ROWS,
    "dict of arrays": lambda: {"age": np.array([30, 41, np.nan]), "name": pd.Series(ROWS["name"])},
    "duckdb": lambda: duckdb.from_arrow(pa.table(ROWS)),
    "narwhals": lambda: nw.from_native(pl.DataFrame(ROWS)),
}


@pytest.fixture(params=MAKERS)
def frame(request):
    return MAKERS[request.param]()


def decoded(table, name):
    return [table[name].value(int(code)) for code in table[name].codes]


def test_every_data_frame_gives_the_same_table(frame):
    table = read(frame)
    assert table.columns == ("age", "name")
    assert decoded(table, "age") == ROWS["age"]
    assert decoded(table, "name") == ROWS["name"]


def test_every_data_frame_gives_the_asked_columns_in_the_asked_order(frame):
    assert read(frame, ["name", "age", "name"]).columns == ("name", "age")


def test_every_data_frame_names_the_columns_it_does_not_have(frame):
    with pytest.raises(UnknownColumns, match=r"'agee'.*Did you mean 'age'"):
        read(frame, ["agee"])


@pytest.mark.parametrize("option", ["delimiter", "quote", "encoding", "sheet", "name"])
def test_an_option_for_files_is_refused_with_a_data_frame(option):
    with pytest.raises(BadChoice, match=f"{option} has no meaning for a DataFrame"):
        read(pl.DataFrame(ROWS), **{option: "x"})


PANDAS = {
    "categories": (pd.Categorical(["b", None, "a"]), ["b", None, "a"]),
    "categories of numbers": (pd.Categorical([3, None, 1]), [3, None, 1]),
    "whole or NA": (pd.array([1, None, 2**60], dtype="Int64"), [1, None, 2**60]),
    "true or NA": (pd.array([True, None, False], dtype="boolean"), [True, None, False]),
    "decimal or NA": (pd.array([1.5, None, np.nan], dtype="Float64"), [1.5, None, None]),
    "python text": (pd.array(["a", pd.NA, "1"], dtype="string[python]"), ["a", None, "1"]),
    "arrow text": (pd.array(["a", pd.NA, "1"], dtype="string[pyarrow]"), ["a", None, "1"]),
    "arrow numbers": (pd.array([1, None, 2], dtype="int64[pyarrow]"), [1, None, 2]),
    "object": (np.array(["a", np.nan, None], dtype=object), ["a", None, None]),
    "numbers as objects": (np.array([1, 1.5, None], dtype=object), [1.0, 1.5, None]),
    "mixed": (np.array([1, "1", np.nan], dtype=object), [1, "1", None]),
    "dates as objects": (
        np.array([dt.date(2020, 1, 1), None, pd.NaT], dtype=object),
        [dt.date(2020, 1, 1), None, None],
    ),
    "times": (
        pd.to_datetime(["2020-01-01 03:04", None, "2020-01-02 00:00"]),
        [dt.datetime(2020, 1, 1, 3, 4), None, dt.datetime(2020, 1, 2)],
    ),
    "times by the second": (
        np.array(["2020-01-01", "NaT", "2020-01-02"], dtype="datetime64[s]"),
        [dt.datetime(2020, 1, 1), None, dt.datetime(2020, 1, 2)],
    ),
    "durations": (
        pd.to_timedelta([1, None, 2], unit="s"),
        [dt.timedelta(seconds=1), None, dt.timedelta(seconds=2)],
    ),
    "periods": (
        pd.PeriodIndex(["2020-01", None, "2020-03"], freq="M"),
        ["2020-01", None, "2020-03"],
    ),
    "sparse": (pd.arrays.SparseArray([1.0, np.nan, 2.0]), [1.0, None, 2.0]),
}


@pytest.mark.parametrize("kind", PANDAS)
def test_every_kind_of_pandas_column_keeps_its_values(kind):
    values, expected = PANDAS[kind]
    table = read(pd.DataFrame({"x": values}, index=[3, 3, 1]))
    assert decoded(table, "x") == expected


def test_times_with_a_zone_are_moments():
    zoned = pd.to_datetime(["2020-01-01 01:00", None]).tz_localize("Europe/Paris")
    values = read_frame(pd.DataFrame({"x": zoned})).frame["x"]
    assert values.dtype == pl.Datetime("us", "Europe/Paris")  # as in a frame of polars
    assert values.equals(pl.Series("x", zoned))
    moments = values.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    assert moments.to_list() == [dt.datetime(2020, 1, 1), None]


@pytest.mark.parametrize(
    "zone",
    [
        "Europe/Berlin",
        "America/New_York",
        "UTC",
        "dateutil/Europe/Berlin",
        dt.UTC,
        dt.timezone(dt.timedelta(hours=2)),
        dt.timezone(dt.timedelta(hours=-5)),
    ],
)
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_with_a_zone_are_on_the_day_of_their_own_clock(zone, unit):
    zoned = pd.to_datetime(["2020-01-01 00:10", "2019-12-31 23:50", None]).tz_localize(zone)
    data = pd.DataFrame({"d": zoned.as_unit(unit)})
    years = so.treat(data, [{"recode": "d", "date": "year"}]).to_frame()["d"]
    assert [None if year is pd.NA else year for year in years] == [2020, 2019, None]


def test_times_of_a_zone_that_is_not_whole_hours_from_utc_stay_moments():
    zone = dt.timezone(dt.timedelta(hours=5, minutes=30))
    zoned = pd.to_datetime(["2020-01-01 05:30"]).tz_localize(zone)
    values = read_frame(pd.DataFrame({"x": zoned})).frame["x"]
    assert values.to_list() == [dt.datetime(2020, 1, 1, tzinfo=dt.UTC)]


def test_pandas_is_read_without_pyarrow():
    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import pandas as pd\n"
        "from singleout.io.read import read\n"
        "frame = pd.DataFrame({'a': ['x', None], 'b': pd.Categorical(['u', 'v']),\n"
        "    'c': pd.to_datetime(['2020-01-01', None]).tz_localize('UTC'),\n"
        "    'd': pd.array([1, None], dtype='Int64'), 'e': [True, False]})\n"
        "print(len(read(frame).columns), [column.has_missing for column in read(frame)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "5 [True, False, True, True, False]", done.stderr


def test_reading_a_polars_frame_imports_neither_pandas_nor_the_file_readers():
    code = (
        "import sys, polars as pl\n"
        "from singleout.io.read import read\n"
        "read(pl.DataFrame({'a': [1]}))\n"
        "heavy = {'pandas', 'pyarrow', 'pyreadstat', 'rdata', 'fastexcel'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stderr


def test_names_that_are_numbers_become_text():
    assert read(pd.DataFrame({2020: [1], "x": [2]}), ["x", "2020"]).columns == ("x", "2020")
    assert read({1: [5]}).columns == ("1",)


@pytest.mark.parametrize(
    "twice",
    [
        lambda: pd.DataFrame([[1, 2]], columns=["a", "a"]),
        lambda: pd.DataFrame([[1, 2]], columns=[1, "1"]),
        lambda: pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]),
        lambda: duckdb.sql("select 1 as a, 2 as a"),
        lambda: {1: [2], "1": [3]},
    ],
)
def test_a_name_twice_is_refused(twice):
    with pytest.raises(UnusableTable, match="more than one column"):
        read(twice())


@pytest.mark.parametrize(
    "nothing", [{}, pd.DataFrame(index=[1, 2]), pl.DataFrame(), pl.LazyFrame()]
)
def test_no_columns_is_refused(nothing):
    with pytest.raises(UnusableTable, match="has no columns"):
        read(nothing)


def test_no_rows_is_refused():
    with pytest.raises(UnusableTable, match="has no rows"):
        read(pd.DataFrame({"a": []}))


@pytest.mark.parametrize(
    "lists",
    [
        pd.DataFrame({"a": [[1], [2]]}),
        pl.DataFrame({"a": [[1], [2]]}),
        {"a": [[1], [2, 3]]},
        {"a": [{"x": 1}, {"x": 2}]},
        {"a": [{1}, {2}]},
        {"a": [1, [2]]},
    ],
)
def test_a_column_of_lists_is_refused_by_name(lists):
    with pytest.raises(UnusableColumn, match="Column 'a' holds"):
        read(lists)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1, True, "1", None], [1, True, "1", None]),
        ([True, 1], [True, 1]),
        ([1, True], [1, True]),
        ([1, 2.5], [1.0, 2.5]),
        ([1, 2**70, 2**70 + 1, 1], [1, 2**70, 2**70 + 1, 1]),
        ([0.5, 2**53 + 1, 2**53], [0.5, 2**53 + 1, 2**53]),
        ([0.1, Decimal("0.1")], [0.1, Decimal("0.1")]),
        ([dt.date(2020, 1, 1), "x", float("nan")], [dt.date(2020, 1, 1), "x", None]),
    ],
)
def test_mixed_values_are_each_compared_as_themselves_in_any_order(values, expected):
    for step in (1, -1):
        table = read({"a": values[::step]})
        values = decoded(table, "a")
        assert values == expected[::step]
        assert [type(value) for value in values] == [type(value) for value in expected[::step]]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"a": [1], "b": [1, 2]}, "different lengths"),
        ({"a": "xy"}, "'a' is a single str"),
        ({"a": 3}, "'a' is a single int"),
    ],
)
def test_a_dict_that_is_no_table_is_explained(columns, message):
    with pytest.raises(UnusableTable, match=message):
        read(columns)


@pytest.mark.parametrize(
    "thing", [None, 5, [1, 2], np.array([1, 2]), pd.Series([1]), pl.Series([1]), object()]
)
def test_what_is_no_table_is_refused(thing):
    with pytest.raises(BadChoice, match=f"A {type(thing).__name__} cannot be read as a table"):
        read(thing)


def test_a_lazy_frame_that_fails_gives_its_reason():
    broken = pl.LazyFrame({"a": ["x"]}).with_columns(pl.col("a").cast(pl.Int64))
    with pytest.raises(UnusableTable, match="polars data frame cannot be read: conversion"):
        read(broken)


def test_a_lazy_frame_computes_only_what_is_asked_for():
    broken = pl.LazyFrame({"a": ["x"], "b": [1]}).with_columns(pl.col("a").cast(pl.Int64))
    assert read(broken, ["b"]).columns == ("b",)


def test_integers_beyond_64_bits_are_values_like_others():
    column = read({"a": [2**70, 1, None, 2**70]})["a"]
    assert column.codes.tolist() == [1, 0, 2, 1]
    assert list(column.values) == [1, 2**70]


def test_missing_values_of_every_kind_among_python_objects_are_missing():
    values = [None, float("nan"), pd.NaT, pd.NA, np.float32("nan"), Decimal("NaN"), "x", 1]
    column = read({"a": pd.Series(values, dtype=object)})["a"]
    assert column.is_missing.tolist() == [True] * 6 + [False] * 2
