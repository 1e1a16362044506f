"""Building hierarchies: every builder gives a tree, whose labels hold what is below them."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import singleout as so
from singleout.core.table import Column
from singleout.errors import BadChoice, UnusableColumn
from singleout.treatment.hierarchies.bands import from_intervals
from singleout.treatment.hierarchies.checks import check_tree
from singleout.treatment.hierarchies.codes import from_prefixes
from singleout.treatment.hierarchies.hierarchy import Hierarchy, spelling
from singleout.treatment.hierarchies.intervals import band, contains, parse_interval, span
from singleout.treatment.hierarchies.levels import Level, assembled
from singleout.treatment.hierarchies.merging import from_merging, from_sets
from singleout.treatment.hierarchies.periods import from_dates
from singleout.treatment.hierarchies.propose import propose
from singleout.treatment.hierarchies.ranges import from_order, joined

INF = math.inf


def column(values: list[Any]) -> Column:
    return so.read({"x": values})["x"]


def row(hierarchy: Hierarchy, value: Any) -> list[Any]:
    (found,) = [row for row in hierarchy.rows if row[0] == value]
    return found


def require_tree(hierarchy: Hierarchy, of: Column) -> None:
    """Check from the rows alone that a hierarchy is a tree over all values of a column."""
    rows = hierarchy.rows
    assert [labels[0] for labels in rows] == list(of.values)
    assert all(labels[-1] == "*" for labels in rows)
    if rows:
        check_tree([list(map(spelling, labels)) for labels in rows], range(1, len(rows) + 1), "row")
    tree = hierarchy.fit(of)
    assert tree.size == of.levels
    for level in range(tree.levels):
        assert int(tree.leaves[level].sum()) == of.levels
        assert len(set(map(repr, tree.labels[level]))) == len(tree.labels[level])


# ---- labels of intervals


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("20-29", (20, 29, True, True)),
        ("20 – 29", (20, 29, True, True)),
        ("20 to 29", (20, 29, True, True)),
        ("20 to <30", (20, 30, True, False)),
        ("[20, 30[", (20, 30, True, False)),
        ("[20,30)", (20, 30, True, False)),
        ("(20,30]", (20, 30, False, True)),
        ("]20;30]", (20, 30, False, True)),
        ("[20, 30]", (20, 30, True, True)),
        ("[80,)", (80, INF, True, False)),
        ("<50", (-INF, 50, False, False)),
        ("<=50", (-INF, 50, False, True)),
        ("≤ 50", (-INF, 50, False, True)),
        (">50", (50, INF, False, False)),
        (">=50", (50, INF, True, False)),
        ("≥ 65", (65, INF, True, False)),
        ("65+", (65, INF, True, False)),
        ("65 and over", (65, INF, True, False)),
        ("65 or more", (65, INF, True, False)),
        ("under 5", (-INF, 5, False, False)),
        ("4 or less", (-INF, 4, False, True)),
        ("-5-10", (-5, 10, True, True)),
        ("-10 - -5", (-10, -5, True, True)),
        ("-10--5", (-10, -5, True, True)),
        ("−10 to −5", (-10, -5, True, True)),
        ("1.5 to <2.25", (1.5, 2.25, True, False)),
        ("1e3-2e3", (1000, 2000, True, True)),
        (" 34 ", (34, 34, True, True)),
    ],
)
def test_intervals_are_understood_however_they_are_written(
    text: str, expected: tuple[float, float, bool, bool]
) -> None:
    assert parse_interval(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", "*", "nurse", "2021-03", "2021-03-05", "2021-Q1", "2020s", "30-20", "[30,20]", "(5,5)",
     "a-b", "1-2-3", "12**", "20-", "[20 30]", "٣-٤x"],
)  # fmt: skip
def test_what_is_no_interval_is_not_taken_for_one(text: str) -> None:
    assert parse_interval(text) is None


@given(st.integers(-1000, 1000), st.integers(1, 500), st.integers(-2000, 2000))
def test_the_label_of_whole_numbers_holds_exactly_them(low: int, width: int, number: int) -> None:
    found = parse_interval(band(low, low + width, whole=True))
    assert found is not None
    assert contains(found, number) == (low <= number < low + width)


FINITE = st.floats(-1e12, 1e12, allow_nan=False)


@given(FINITE, FINITE, FINITE)
def test_the_label_of_decimals_holds_exactly_them(one: float, other: float, number: float) -> None:
    low, high = sorted((one, other))
    if low < high:
        found = parse_interval(band(low, high, whole=False))
        assert found is not None
        assert contains(found, number) == (low <= number < high)
    closed = parse_interval(span(low, high, whole=False))
    assert closed == (low, high, True, True)


def test_bands_at_both_ends_are_open() -> None:
    assert band(-INF, 20, whole=True) == "<20"
    assert band(80, INF, whole=False) == "80+"
    assert band(-INF, INF, whole=True) == "*"
    assert joined("<5", "5-9") == "<=9"
    assert joined("(1, 2]", "(2, 3]") == "(1, 3]"


# ---- intervals


def test_intervals_by_width_double_on_each_level() -> None:
    ages = column([17, 34, 36, 90])
    hierarchy = from_intervals(ages, width=5, levels=3)
    assert row(hierarchy, 34) == [34, "30-34", "30-39", "20-39", "*"]
    assert row(hierarchy, 90) == [90, "90-94", "90-99", "80-99", "*"]
    assert row(from_intervals(ages, width=[5, 15]), 36) == [36, "35-39", "30-44", "*"]
    assert row(from_intervals(ages, width=10, offset=5, levels=1), 34) == [34, "25-34", "*"]


def test_intervals_have_open_ends_where_asked() -> None:
    ages = column([17, 34, 36, 67, 90])
    hierarchy = from_intervals(ages, width=5, levels=2, bottom=20, top=65)
    assert [labels[1] for labels in hierarchy.rows] == ["<20", "30-34", "35-39", "65+", "65+"]
    assert [labels[2] for labels in hierarchy.rows] == ["<20", "30-39", "30-39", "60+", "60+"]


def test_intervals_by_cuts_leave_out_every_second_cut() -> None:
    hierarchy = from_intervals(column([1, 5, 20, 50, 70]), cuts=[3, 10, 30, 60])
    assert hierarchy.rows == [
        [1, "<3", "<10", "<60", "*"],
        [5, "3-9", "<10", "<60", "*"],
        [20, "10-29", "10-59", "<60", "*"],
        [50, "30-59", "10-59", "<60", "*"],
        [70, "60+", "60+", "60+", "*"],
    ]
    given_levels = from_intervals(column([1, 5, 20]), cuts=[[3, 10], [10]])
    assert given_levels.rows[1] == [5, "3-9", "<10", "*"]


def test_decimals_are_cut_without_rounding_errors() -> None:
    hierarchy = from_intervals(column([0.1, 0.3, 0.35, 0.7]), width=0.1, levels=1)
    assert [labels[1] for labels in hierarchy.rows] == [
        "0.1 to <0.2",
        "0.3 to <0.4",
        "0.3 to <0.4",
        "0.7 to <0.8",
    ]


def test_a_few_values_that_are_no_numbers_stay_apart() -> None:
    hierarchy = from_intervals(column(["1", "5", "20", "50", "N"]), width=10, levels=2)
    assert row(hierarchy, "N") == ["N", "N", "N", "*"]
    assert row(hierarchy, "20") == ["20", "20-29", "20-39", "*"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "either by a width or by cuts"),
        ({"width": 5, "cuts": [1]}, "either by a width or by cuts"),
        ({"width": 0}, "A width is a number above 0, not 0"),
        ({"width": [5, 12]}, "12 is none of 5"),
        ({"width": 1e-9}, "give a larger width"),
        ({"cuts": [5, 3]}, "Cuts are numbers from small to large"),
        ({"cuts": ["a"]}, "Cuts are numbers from small to large"),
        ({"cuts": [[3, 10], [4]]}, "A level cuts at 4"),
        ({"width": 5, "levels": 0}, "levels must be a whole number"),
    ],
)
def test_intervals_that_make_no_sense_are_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadChoice, match=sentence):
        from_intervals(column([1, 2, 30]), **options)


def test_intervals_of_words_are_refused() -> None:
    with pytest.raises(UnusableColumn, match="Intervals need numbers"):
        from_intervals(column(["a", "b", "c"]), width=5)


NUMBERS = st.lists(
    st.integers(-5000, 5000) | st.floats(-5000, 5000).map(lambda x: round(x, 2)),
    min_size=1,
    max_size=60,
)


@given(NUMBERS, st.sampled_from([0.5, 1, 2, 5, 10, 250]), st.integers(-3, 3), st.booleans())
def test_intervals_nest_and_hold_their_numbers(
    values: list[Any], width: float, offset: int, as_text: bool
) -> None:
    found = column([str(value) for value in values] if as_text else [float(v) for v in values])
    hierarchy = from_intervals(found, width=width, offset=offset)
    require_tree(hierarchy, found)
    require_held(hierarchy)


@given(NUMBERS)
def test_proposed_intervals_nest_and_hold_their_numbers(values: list[Any]) -> None:
    found = column([float(value) for value in values])
    hierarchy = propose(found)
    require_tree(hierarchy, found)
    require_held(hierarchy)
    assert hierarchy.levels <= 8


def require_held(hierarchy: Hierarchy) -> None:
    for value, *labels, _ in hierarchy.rows:
        for lower, upper in zip([spelling(value), *labels], labels, strict=False):
            inner, outer = parse_interval(lower), parse_interval(upper)
            assert inner is not None
            assert outer is not None
            assert contains(outer, float(value))
            assert outer.low <= inner.low
            assert inner.high <= outer.high


# ---- prefixes


def test_codes_lose_characters_from_the_right() -> None:
    hierarchy = from_prefixes(column(["1234", "1239", "5678"]))
    assert hierarchy.rows[0] == ["1234", "123*", "12**", "1***", "*"]
    assert hierarchy.labels[1] == ("123*", "567*")


def test_a_short_code_is_taken_with_the_longer_ones_that_it_begins() -> None:
    hierarchy = from_prefixes(column(["E11", "E11.9", "I10"]), [4, 3, 1])
    assert hierarchy.rows == [
        ["E11", "E11", "E11**", "E****", "*"],
        ["E11.9", "E11.*", "E11**", "E****", "*"],
        ["I10", "I10", "I10", "I****", "*"],
    ]


@pytest.mark.parametrize("lengths", [[], [0], [2, 3], [2, 2], ["2"], [True]])
def test_lengths_that_make_no_sense_are_refused(lengths: list[Any]) -> None:
    with pytest.raises(BadChoice, match="keep fewer and fewer characters"):
        from_prefixes(column(["1234", "1235"]), lengths)


WORDS = st.lists(st.text("ab1* ", min_size=1, max_size=5), min_size=1, max_size=30)


@given(WORDS)
def test_prefixes_are_a_tree_whatever_the_text(values: list[str]) -> None:
    found = column(values)
    require_tree(from_prefixes(found), found)


# ---- dates


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (date(2021, 3, 5), date(2019, 1, 31)),
        (datetime(2021, 3, 5, 10, 11), datetime(2019, 1, 31, 9, 0)),
        ("2021-03-05", "2019-01-31"),
        ("2021-03-05T10:11:12", "2019-01-31T00:00:00"),
        ("05/03/2021", "31/01/2019"),
        ("03/05/2021", "01/31/2019"),
        ("20210305", "20190131"),
        ("5 March 2021", "31 Jan 2019"),
    ],
)
def test_dates_become_periods_however_they_are_written(first: Any, second: Any) -> None:
    hierarchy = from_dates(column([first, second]))
    assert row(hierarchy, first)[1:] == ["2021-03", "2021-Q1", "2021", "2020s", "*"]
    assert row(hierarchy, second)[1:] == ["2019-01", "2019-Q1", "2019", "2010s", "*"]


def test_timestamps_have_days_too() -> None:
    hierarchy = from_dates(column(["2021-03-05T10:11", "2019-01-31T00:00"]), ["day", "20 years"])
    assert hierarchy.rows[0][1:] == ["2019-01-31", "2000-2019", "*"]


def test_where_day_and_month_cannot_be_told_apart_there_are_years_only() -> None:
    hierarchy = from_dates(column(["01/02/1950", "03/04/1950", "05/06/1961"]))
    assert hierarchy.rows[0][1:] == ["1950", "1950s", "*"]


def test_periods_and_columns_that_make_no_sense_are_refused() -> None:
    with pytest.raises(UnusableColumn, match="Periods need dates"):
        from_dates(column(["a", "b"]))
    with pytest.raises(UnusableColumn, match="Periods need dates"):
        from_dates(column(["2021-13-01", "2021-01-01"]))
    with pytest.raises(BadChoice, match=r"'mnth' is no period.*Did you mean 'month'"):
        from_dates(column(["2021-03-05"]), ["mnth"])
    with pytest.raises(BadChoice, match="from short to long"):
        from_dates(column(["2021-03-05"]), ["year", "month"])


@given(st.lists(st.dates() | st.datetimes(), min_size=1, max_size=40))
def test_dates_are_a_tree_in_which_a_period_begins_as_its_dates_do(values: list[Any]) -> None:
    days = [value.date() if isinstance(value, datetime) else value for value in values]
    found = column(days)
    hierarchy = from_dates(found, ["month", "year"])
    require_tree(hierarchy, found)
    for value, *labels, _ in hierarchy.rows:
        assert all(value.isoformat().startswith(label) for label in labels)


# ---- orders, sets, merging


def test_ranges_are_joined_with_their_neighbours() -> None:
    bands = ["0-4", "5-9", "10-14", "15-19", "20-64", "65+"]
    hierarchy = from_order(column(bands))
    assert row(hierarchy, "5-9") == ["5-9", "0-9", "0-19", "*"]
    assert row(hierarchy, "65+") == ["65+", "20+", "20+", "*"]


def test_words_are_joined_in_the_order_that_somebody_gives() -> None:
    moods = column(["bad", "fair", "good", "great", "unknown"])
    hierarchy = from_order(moods, ["bad", "fair", "good", "great"])
    assert row(hierarchy, "fair") == ["fair", "bad to fair", "*"]
    assert row(hierarchy, "unknown") == ["unknown", "unknown", "*"]
    with pytest.raises(BadChoice, match="names 'awful', which is no value of it"):
        from_order(moods, ["awful"])
    with pytest.raises(BadChoice, match="names 'bad', which stands there twice"):
        from_order(moods, ["bad", "bad", "fair"])
    table = so.read({"x": [1, 2]}).with_descriptions({}, {"x": {1: "low", 2: "high"}})
    assert from_order(table["x"], ["high", "low"]).rows == [[1, "*"], [2, "*"]]
    with pytest.raises(BadChoice, match="names '1', which stands there twice"):
        from_order(table["x"], [1, "low"])
    with pytest.raises(UnusableColumn, match="no order that could be told"):
        from_order(moods)


@given(st.lists(st.integers(0, 400), min_size=1, max_size=300, unique=True))
def test_orders_are_trees_of_neighbours_with_few_levels(starts: list[int]) -> None:
    found = column([f"{5 * start}-{5 * start + 4}" for start in starts])
    hierarchy = from_order(found)
    require_tree(hierarchy, found)
    assert hierarchy.levels <= 8
    for value, *labels, _ in hierarchy.rows:
        inner = parse_interval(value)
        assert inner is not None
        for label in labels:
            outer = parse_interval(label)
            assert outer is not None
            assert outer.low <= inner.low
            assert inner.high <= outer.high


def test_sets_are_named_on_several_levels() -> None:
    jobs = column(["cook", "monk", "poet", "smith"])
    hierarchy = from_sets(
        jobs, {"quiet": ["monk", "poet"]}, {"indoors": ["quiet", "cook"], "outdoors": ["smith"]}
    )
    assert hierarchy.rows == [
        ["cook", "cook", "indoors", "*"],
        ["monk", "quiet", "indoors", "*"],
        ["poet", "quiet", "indoors", "*"],
        ["smith", "smith", "outdoors", "*"],
    ]


@pytest.mark.parametrize(
    ("sets", "sentence"),
    [
        ({"quiet": ["monk", "poets"]}, "names 'poets', which is none of its values.*'poet'"),
        ({"a": ["monk"], "b": ["monk"]}, "'monk' of 'x' is in two sets, 'a' and 'b'"),
    ],
)
def test_sets_that_make_no_sense_are_refused(sets: dict[str, list[str]], sentence: str) -> None:
    with pytest.raises(BadChoice, match=sentence):
        from_sets(column(["cook", "monk", "poet"]), sets)
    with pytest.raises(BadChoice, match="No sets were given"):
        from_sets(column(["cook", "monk", "poet"]))


def test_the_rarest_values_are_merged_until_each_set_is_large_enough() -> None:
    jobs = column(["cook"] * 60 + ["nurse"] * 30 + ["monk"] * 6 + ["poet"] * 3 + ["smith"])
    hierarchy = from_merging(jobs, [0.05, 0.2])
    assert row(hierarchy, "smith") == [
        "smith",
        "monk or poet or smith",
        "monk or nurse or poet or smith",
        "*",
    ]
    assert row(hierarchy, "cook") == ["cook", "cook", "cook", "*"]
    with pytest.raises(BadChoice, match="must rise"):
        from_merging(jobs, [0.2, 0.05])


@given(st.lists(st.integers(0, 25), min_size=1, max_size=200), st.floats(0.01, 0.5))
def test_every_merged_set_has_the_wanted_share(values: list[int], share: float) -> None:
    found = column([f"v{value}" for value in values])
    hierarchy = from_merging(found, share)
    require_tree(hierarchy, found)
    if hierarchy.levels > 2:
        records: dict[Any, int] = {}
        label_of = {value: label for value, label, _ in hierarchy.rows}
        for value in values:
            label = label_of[f"v{value}"]
            records[label] = records.get(label, 0) + 1
        assert min(records.values()) >= share * len(values)


def test_levels_that_do_not_nest_are_refused() -> None:
    found = column(["a", "b", "c"])
    maps = found.codes.astype("int64")
    lower, upper = Level(maps // 2, ("ab", "c")), Level((maps + 1) // 2, ("a", "bc"))
    with pytest.raises(BadChoice, match="'ab' would belong both to 'bc' and to 'a'"):
        assembled(found, [lower, upper])


def test_equal_labels_of_different_groups_are_told_apart() -> None:
    found = column(["a", "b", "c"])
    hierarchy = assembled(found, [Level(found.codes.astype("int64"), ("x", "x", "x (2)"))])
    assert len(set(hierarchy.labels[1])) == 3


# ---- any values at all

ANY = st.one_of(
    st.lists(st.text(max_size=6), min_size=1, max_size=40),
    st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=60),
    st.lists(st.floats(allow_nan=False, allow_infinity=True), min_size=1, max_size=60),
    st.lists(st.dates(), min_size=1, max_size=40),
    st.lists(st.datetimes(), min_size=1, max_size=40),
    st.lists(st.timedeltas(), min_size=1, max_size=40),
    st.lists(st.booleans(), min_size=1, max_size=10),
    st.lists(st.from_regex(r"[0-9]{5}", fullmatch=True), min_size=1, max_size=60),
    st.lists(
        st.none() | st.sampled_from(["a", "*", "(missing)", "a or b"]), min_size=1, max_size=9
    ),
)


@given(ANY, st.sampled_from([None, True, False]))
def test_whatever_the_values_the_proposal_is_a_tree_of_few_levels(
    values: list[Any], ordered: bool | None
) -> None:
    found = column(values)
    hierarchy = propose(found, ordered)
    require_tree(hierarchy, found)
    assert 2 <= hierarchy.levels <= 8


def test_dates_of_a_century_and_a_half_keep_few_levels() -> None:
    stamps = [datetime(1880, 1, 1) + timedelta(hours=5000 * i) for i in range(250)]
    hierarchy = propose(column(stamps))
    assert hierarchy.levels <= 8
    assert hierarchy.rows[0][-2] == "1880-1899"


def test_a_value_with_two_lines_is_refused_unless_both_are_the_same() -> None:
    assert Hierarchy.of_rows("a", [["x", "*"], ["x", "*"], ["y", "*"]]).rows == [
        ["x", "*"],
        ["y", "*"],
    ]
    assert Hierarchy.of_rows("a", [[1, "*"], [True, "*"], ["1", "*"]]).maps.shape == (2, 3)
    with pytest.raises(BadChoice, match="several lines for the value 'x'"):
        Hierarchy.of_rows("a", [["x", "p", "*"], ["x", "q", "*"]])
