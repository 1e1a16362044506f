"""When two values are the same: one rule, whatever else the column holds."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from singleout.io.read import read

NAIVE = dt.datetime(2020, 1, 1, 10)
UTC = NAIVE.replace(tzinfo=dt.UTC)
EAST = dt.datetime(2020, 1, 1, 12, tzinfo=dt.timezone(dt.timedelta(hours=2)))
FINE = pd.Timestamp("2020-01-01 10:00:00.000000001")

VALUES: list[Any] = [
    *(0, 1, 1.0, -0.0, 0.0, 0.1, np.float32(0.1), 2, 2**53, 2**53 + 1, float(2**53), 2**70, 1 + 0j),
    *(True, False, np.bool_(True), np.int64(1), np.int8(2), np.float64(0.1), float("inf")),
    *(Decimal(1), Decimal("1.00"), Decimal("0.1"), Decimal("1e30"), Fraction(1, 2), 0.5),
    *("1", "1.0", "", "a", np.str_("a"), b"a", "True"),
    *(NAIVE, UTC, EAST, pd.Timestamp(NAIVE), pd.Timestamp(UTC), FINE, dt.datetime(2020, 1, 1)),
    *(np.datetime64(NAIVE, "s"), np.datetime64(NAIVE, "ns"), np.datetime64(5, "ns")),
    *(dt.date(2020, 1, 1), dt.time(10), dt.time(10, tzinfo=dt.UTC), dt.timedelta(1)),
    *(pd.Timedelta(1, "ns"), pd.Timedelta(0), dt.timedelta(0)),
]
MISSING: list[Any] = [None, float("nan"), pd.NA, pd.NaT, Decimal("nan")]


def values_of(values: list[Any]) -> int:
    return len(read({"a": values})["a"].values)


def as_dict(values: list[Any]) -> Any:
    return {"a": values}


def as_pandas(values: list[Any]) -> Any:
    # of objects, as pandas holds what it does not type
    return pd.DataFrame({"a": pd.Series(values, dtype=object)})


@pytest.mark.parametrize("frame", [as_dict, as_pandas])
@given(
    st.lists(st.sampled_from(VALUES), min_size=1, max_size=6),
    st.lists(st.sampled_from(VALUES + MISSING), max_size=4),
)
def test_which_records_are_the_same_does_not_depend_on_what_else_is_in_the_column(
    frame: Callable[[list[Any]], Any], values: list[Any], others: list[Any]
) -> None:
    alone = read(frame(values))["a"].codes.tolist()
    among = read(frame([*values, *others]))["a"].codes[: len(values)].tolist()
    same = [[left == right for right in alone] for left in alone]
    assert [[left == right for right in among] for left in among] == same


@pytest.mark.parametrize("other", [2, 0.5, "x", True, Decimal("0.1"), 2**80, NAIVE, pd.NA])
def test_equal_numbers_are_one_value_and_a_truth_value_is_no_number(other: Any) -> None:
    ones = [1, 1.0, np.int64(1), np.float64(1), Decimal("1.00"), Fraction(1)]
    assert len(set(read({"a": [*ones, other]})["a"].codes[: len(ones)].tolist())) == 1
    assert values_of([1, True, other]) == 3 - (other is True or other is pd.NA)
    assert values_of([1, "1", other]) == 3 - (other is pd.NA)


def test_a_timestamp_without_a_time_zone_is_never_one_with_a_time_zone() -> None:
    for others in ([], ["x"], [3]):
        assert values_of([NAIVE, UTC, *others]) == 2 + len(others)
        assert values_of([UTC, NAIVE, *others]) == 2 + len(others)
        assert values_of([UTC, EAST, *others]) == 1 + len(others)  # the same instant
        assert values_of([dt.time(10), dt.time(10, tzinfo=dt.UTC), *others]) == 2 + len(others)
        assert values_of([NAIVE, FINE, *others]) == 2 + len(others)


def test_timestamps_of_numpy_in_a_list_are_what_they_are() -> None:
    fine = [np.datetime64(5, "ns"), np.datetime64(6, "ns"), None]
    assert read({"a": fine})["a"].codes.tolist() == [0, 1, 2]
    assert read({"a": [np.datetime64("2020-01-01T10", "ns")]})["a"].values[0] == NAIVE


def test_a_listed_missing_value_is_missing_whatever_else_is_in_the_column() -> None:
    for given_value, listed in (
        (-9.0, "-9"),
        (True, "true"),
        (Decimal("1.0"), "1"),
        (NAIVE, NAIVE),
    ):
        for others in ([], ["x"], [5]):
            column = read({"a": [given_value, *others, None]}, missing_values=[listed])["a"]
            assert len(column.values) == len(others)


def test_frames_and_files_follow_the_same_rule(tmp_path: Path) -> None:
    mixed = [1, 1.0, "x", True]
    (tmp_path / "mixed.json").write_text(json.dumps([{"a": value} for value in mixed]))
    (tmp_path / "numbers.json").write_text('[{"a": 1}, {"a": 1.0}, {"a": 2}]')
    polars = pl.DataFrame({"a": pl.Series(mixed, dtype=pl.Object)})
    for data in ({"a": mixed}, as_pandas(mixed), polars, tmp_path / "mixed.json"):
        assert len(read(data)["a"].values) == 3
    assert len(read(tmp_path / "numbers.json")["a"].values) == 2
