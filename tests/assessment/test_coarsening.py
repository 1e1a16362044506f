"""Coarsening: dates as people write them, numbers that are codes, and orders nobody can tell."""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import date, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import singleout as so
from singleout.assessment.advice.coarsen import coarser, merged_with_neighbour
from singleout.core.table import Column
from singleout.treatment.hierarchies.dates import date_parts
from singleout.treatment.hierarchies.order import in_order


def column(values: list[Any]) -> Column:
    return so.read({"x": values})["x"]


def groups(before: Column, after: Column) -> set[frozenset[Any]]:
    """Return which values were taken together."""
    found = defaultdict(set)
    for old, new in zip(before.codes.tolist(), after.codes.tolist(), strict=True):
        found[new].add(before.values[old])
    return {frozenset(values) for values in found.values()}


# ---- dates


@pytest.mark.parametrize("written", ["%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%Y%m%d"])
def test_dates_become_months_and_years_however_they_are_written(written: str) -> None:
    days = [date(1950, 1, 31) + timedelta(days=13 * place) for place in range(60)]
    texts = [day.strftime(written) for day in days]
    found = column(texts)
    ways = coarser(found, ordered=True)
    assert [way.how for way in ways] == ["give only the month of", "give only the year of"]
    for way, key in zip(ways, ("%Y-%m", "%Y"), strict=True):
        same = defaultdict(set)
        for day, text in zip(days, texts, strict=True):
            same[day.strftime(key)].add(text)
        assert groups(found, way.column) == {frozenset(values) for values in same.values()}


def test_where_day_and_month_cannot_be_told_apart_only_the_year_is_given() -> None:
    found = column(["01/02/1950", "03/04/1950", "05/06/1951"])
    (way,) = coarser(found, ordered=True)
    assert way.how == "give only the year of"
    assert not in_order(found, None)


def test_dates_with_the_month_in_words_become_months() -> None:
    ways = coarser(column(["1 May 1950", "2 may 1950", "3 June 1950"]), ordered=False)
    assert [len(way.column.values) for way in ways] == [2, 1]


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)), st.sampled_from(["%Y-%m-%d", "%Y/%m/%d"]))
def test_the_parts_of_a_date_are_its_own(day: date, written: str) -> None:
    parts = date_parts([day.strftime(written)])
    assert parts is not None
    assert parts[0].order == (day.year, day.month, day.day)


def test_what_is_no_date_has_no_parts() -> None:
    assert date_parts(["1950-01-02", "unknown"]) is None
    assert date_parts(["12", "13"]) is None
    assert date_parts([]) is None


# ---- numbers and codes


def test_numbers_are_intervals_unless_the_plan_calls_them_nominal() -> None:
    codes = column([7, 8, 9, 7, 7, 8])
    assert in_order(codes, None)
    assert not in_order(codes, "nominal")
    (as_codes,) = coarser(codes, ordered=False)
    assert as_codes.how.startswith("merge the 2 rarest values")
    (as_numbers,) = coarser(codes, ordered=True)
    assert as_numbers.how == "halve the number of values of"


def test_postcodes_called_nominal_lose_their_last_digit_and_years_become_intervals() -> None:
    postcodes = column([str(1011 + 7 * place) for place in range(30)])
    assert [way.how for way in coarser(postcodes, ordered=in_order(postcodes, "nominal"))] == [
        "drop the last character of"
    ]
    ways = coarser(postcodes, ordered=in_order(postcodes, None))  # as years would be
    assert ways[0].how == "halve the number of values of"
    zeros = column([f"0{100 + place}" for place in range(30)])
    assert not in_order(zeros, None)


# ---- text


def test_words_have_no_order_even_if_the_plan_says_so() -> None:
    words = column(["low", "mid", "high", "none", "low"])
    assert not in_order(words, "ordinal")
    for ordered in (True, False):
        (way,) = coarser(words, ordered=ordered)
        assert way.how.startswith("merge the 2 rarest values")


def test_text_that_begins_with_numbers_is_ordered_by_them() -> None:
    bands = ["5-9", "10-14", "<5", "100+", "15-99", ">100"]
    found = column(bands)
    assert in_order(found, "ordinal")
    (way,) = coarser(found, ordered=True)
    assert groups(found, way.column) == {
        frozenset({"<5", "5-9"}),
        frozenset({"10-14", "15-99"}),
        frozenset({"100+", ">100"}),
    }
    assert not in_order(found, None)


def test_a_word_among_numbers_stays_as_it_is() -> None:
    found = column(["0", "1", "2", "10", "N", "0"])
    assert in_order(found, "ordinal")
    (way,) = coarser(found, ordered=True)
    assert groups(found, way.column) == {
        frozenset({"0", "1"}),
        frozenset({"2", "10"}),
        frozenset({"N"}),
    }
    place = list(found.values).index
    merged = merged_with_neighbour(found, place("10"), ordered=True)
    assert frozenset({"2", "10"}) in groups(found, merged)
    assert len(merged_with_neighbour(found, place("N"), ordered=True).values) == 4


def test_numbers_with_labels_are_codes_unless_the_plan_orders_them() -> None:
    demo = so.demo()
    assert demo["RAC1P"].labels
    assert not in_order(demo["RAC1P"], None)
    assert in_order(demo["AGEP"], None)
    assert in_order(demo["EDU"], "ordinal")


def test_a_date_is_merged_with_the_one_before_or_after_it() -> None:
    found = column(["31/01/1950", "01/12/1950", "15/06/1999"] + ["01/12/1950"] * 3)
    merged = merged_with_neighbour(found, list(found.values).index("15/06/1999"), ordered=True)
    assert frozenset({"01/12/1950", "15/06/1999"}) in groups(found, merged)


@given(st.lists(st.integers(-50, 50), min_size=3, max_size=60), st.randoms(use_true_random=False))
def test_intervals_hold_numbers_that_follow_each_other(
    values: list[int], chance: random.Random
) -> None:
    chance.shuffle(values)
    found = column([str(value) for value in values])
    for way in coarser(found, ordered=True):
        ranges = sorted(
            (min(map(int, part)), max(map(int, part))) for part in groups(found, way.column)
        )
        assert all(high < low for (_, high), (low, _) in pairwise(ranges))


# ---- in an assessment


def assessed(scale: str | None) -> Any:
    levels = ["low", "mid", "high"] * 10
    said = {"role": "quasi-identifier", "exposure": "EE"}
    plan = {
        "columns": {
            "level": said if scale is None else {**said, "scale": scale},
            "ill": {"role": "sensitive", "moral": 4},
        }
    }
    return so.assess({"level": levels, "ill": ["flu", "colds"] * 15}, plan)


def test_an_order_that_cannot_be_told_is_said() -> None:
    said = [note for note in assessed("ordinal").notes if "calls 'level' ordinal" in note]
    assert len(said) == 1
    assert "taken as nominal" in said[0]
    assert not any("ordinal" in note for note in assessed(None).notes)


def test_what_to_do_follows_the_scale_of_the_plan() -> None:
    chance = random.Random(5)
    people = {
        "status": [chance.randrange(1, 30) for _ in range(300)],
        "ill": [chance.choice(["flu", "colds", "HIV"]) for _ in range(300)],
    }

    def proposed(**scale: str) -> str:
        plan = {
            "columns": {
                "status": {"role": "quasi-identifier", "exposure": "EE", **scale},
                "ill": {"role": "sensitive", "moral": 4},
            },
            "methods": {"discrimination": {"variant": "mutual-information"}},
        }
        return " ".join(action.what for action in so.assess(people, plan).actions)

    assert "intervals for 'status'" in proposed()
    assert "intervals for 'status'" in proposed(scale="ordinal")
    assert "intervals for 'status'" not in proposed(scale="nominal")
    assert "rarest values" in proposed(scale="nominal")
