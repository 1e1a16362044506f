"""`so.diversity`: the worst class, classes and records; missing values, groups and scales."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_diversity as naive
import singleout as so
from singleout.errors import BadChoice, UnusableTable

PEOPLE = {
    "zip": ["476**"] * 3 + ["4790*"] * 3 + ["476**"] * 3,
    "age": ["2*"] * 3 + [">=40"] * 3 + ["3*"] * 3,
    "salary": [3, 4, 5, 6, 11, 8, 7, 9, 10],
    "disease": [
        *("gastric ulcer", "gastritis", "stomach cancer"),
        *("gastritis", "flu", "bronchitis"),
        *("bronchitis", "pneumonia", "stomach cancer"),
    ],
}
KNOWN = ["zip", "age"]

ROWS = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", None]), st.integers(0, 1), st.sampled_from([1, 2, 3, None])
    ),
    min_size=1,
    max_size=30,
)


def frame(rows: Sequence[tuple[Any, ...]]) -> pl.DataFrame:
    schema = {"x": pl.String, "y": pl.Int64, "s": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def test_the_table_of_li_et_al_has_its_numbers() -> None:
    found = so.diversity(PEOPLE, KNOWN, ["salary", "disease"])
    assert (found.k, found.distinct_l, found.classes, found.records) == (3, 3, 3, 9)
    assert found.entropy_l == 3.0
    assert found.columns["salary"].scale == "ordinal"
    assert found.columns["salary"].t == pytest.approx(0.375)  # section 5.1
    assert found.columns["disease"].scale == "nominal"
    assert found.t == found.columns["disease"].t == pytest.approx(4 / 9)


def test_the_worst_of_several_columns_is_the_result_and_each_is_looked_at_alone() -> None:
    both = so.diversity(PEOPLE, KNOWN, ["salary", "disease"])
    for name in ("salary", "disease"):
        alone = so.diversity(PEOPLE, KNOWN, name)
        assert both.columns[name].to_dict() == alone.columns[name].to_dict()
    assert both.t == max(both.columns[name].t or 0 for name in both.sensitive)
    assert both.alpha == max(both.columns[name].alpha or 0 for name in both.sensitive)


@given(ROWS)
def test_missing_is_a_value_like_another(rows: list[tuple[Any, ...]]) -> None:
    found = so.diversity(frame(rows), ["x", "y"], "s", scale="nominal", missing="value")
    held = naive.classes([((x, y), s) for x, y, s in rows])
    table = [s for _, _, s in rows]
    assert found.k == min(map(len, held.values()))
    assert found.distinct_l == min(len(set(values)) for values in held.values())
    assert found.entropy_l == pytest.approx(min(map(naive.entropy_l, held.values())))
    assert found.recursive_l == min(naive.recursive_l(v, Fraction(2)) for v in held.values())
    assert found.alpha == pytest.approx(float(max(map(naive.alpha, held.values()))))
    assert found.t == pytest.approx(float(max(naive.nominal_t(v, table) for v in held.values())))
    assert found.beta == pytest.approx(float(max(naive.beta(v, table) for v in held.values())))
    enhanced = max(naive.enhanced_beta(v, table) for v in held.values())
    assert found.enhanced_beta == (None if math.isinf(enhanced) else pytest.approx(enhanced))
    delta = max(naive.delta(v, table) for v in held.values())
    assert found.delta == (None if math.isinf(delta) else pytest.approx(delta))


@given(ROWS)
def test_each_record_has_the_numbers_of_its_class(rows: list[tuple[Any, ...]]) -> None:
    found = so.diversity(frame(rows), ["x", "y"], "s", scale="nominal")
    held = naive.classes([((x, y), s) for x, y, s in rows])
    table = [s for _, _, s in rows]
    classes = [held[x, y] for x, y, _ in rows]
    assert found.per_record["k"].to_list() == [len(values) for values in classes]
    assert found.per_record["distinct_l"].to_list() == [len(set(values)) for values in classes]
    expected = [float(naive.nominal_t(values, table)) for values in classes]
    assert found.per_record["t"].to_list() == pytest.approx(expected)
    deltas = [naive.delta(values, table) for values in classes]
    assert [d is None for d in found.per_record["delta"]] == [math.isinf(d) for d in deltas]
    column = found.columns["s"]
    certain = sum(len(set(values)) == 1 for values in classes)
    assert (column.certain, column.certain_share) == (certain, certain / len(rows))
    assert column.means["t"] == pytest.approx(sum(expected) / len(expected))


@given(ROWS)
def test_records_that_lack_a_value_are_left_out_and_counted(rows: list[tuple[Any, ...]]) -> None:
    whole = [row for row in rows if None not in row]
    data = frame(rows)
    if not whole:
        with pytest.raises(UnusableTable):
            so.diversity(data, ["x", "y"], "s", missing="drop")
        return
    found = so.diversity(data, ["x", "y"], "s", missing="drop")
    expected = so.diversity(frame(whole), ["x", "y"], "s")
    assert found.dropped == len(rows) - len(whole)
    assert found.columns["s"].to_dict() == expected.columns["s"].to_dict()
    left = found.per_record["k"].is_null().to_list()
    assert left == [None in row for row in rows]
    assert found.per_record["t"].drop_nulls().to_list() == expected.per_record["t"].to_list()


@given(ROWS)
def test_a_missing_quasi_identifier_matches_everything_as_a_wildcard(
    rows: list[tuple[Any, ...]],
) -> None:
    found = so.diversity(frame(rows), ["x", "y"], "s", scale="nominal", missing="wildcard")
    table = [s for _, _, s in rows]
    for index, (x, y, _) in enumerate(rows):
        values = [s for a, b, s in rows if b == y and (a == x or a is None or x is None)]
        row = found.per_record.row(index, named=True)
        assert (row["k"], row["distinct_l"]) == (len(values), len(set(values)))
        assert row["t"] == pytest.approx(float(naive.nominal_t(values, table)), abs=1e-12)
        assert row["alpha"] == pytest.approx(float(naive.alpha(values)))
        assert row["recursive_l"] == naive.recursive_l(values, Fraction(2))


def test_a_missing_value_of_an_ordered_column_is_ranked_last_and_said() -> None:
    data = {"x": ["a", "a", "b", "b"], "s": [1, None, 2, 3]}
    found = so.diversity(data, "x", "s")
    values = [[1, 9], [2, 3]]
    expected = max(naive.ordered_t(v, [1, 9, 2, 3]) for v in values)
    assert found.t == pytest.approx(float(expected))
    assert any("ranked after all others" in note for note in found.notes)


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ([1, 2, 3], "ordinal"),
        ([1.5, 2.5, None], "ordinal"),
        (["1", "2", "10"], "ordinal"),
        (["2001-12-31", "2002-01-01", "1999-05-05"], "ordinal"),
        (["a", "b", "c"], "nominal"),
        (["1", "2", "none"], "nominal"),
        ([True, False, True], "ordinal"),
        (pd.to_datetime(["2001-12-31", "2002-01-01", "1999-05-05"]), "ordinal"),
    ],
)
def test_numbers_and_dates_have_an_order_and_other_texts_none(values: Any, scale: str) -> None:
    data = pd.DataFrame({"x": ["a", "a", "b"], "s": values})
    assert so.diversity(data, "x", "s").columns["s"].scale == scale


def test_numbers_stored_as_text_or_as_mixed_objects_are_in_the_order_of_numbers() -> None:
    numbers = [9, 10, 2, 33, 4, 100]
    known = list("aabbcc")
    expected = so.diversity({"x": known, "s": numbers}, "x", "s").t
    texts = so.diversity({"x": known, "s": list(map(str, numbers))}, "x", "s")
    assert texts.t == expected
    mixed = pd.DataFrame({"x": known, "s": pd.Series(numbers, dtype=object)})
    assert so.diversity(mixed, "x", "s").t == expected


def test_the_scale_can_be_chosen_for_each_column() -> None:
    data = {"x": list("aabb"), "s": [1, 2, 3, 9], "u": list("abcd")}
    found = so.diversity(data, "x", ["s", "u"], scale={"s": "nominal", "u": "ordinal"})
    assert [str(found.columns[name].scale) for name in "su"] == ["nominal", "ordinal"]
    assert found.columns["s"].t == 0.5
    assert so.diversity(data, "x", "u", scale="ordered").columns["u"].scale == "ordinal"
    with pytest.raises(BadChoice, match="nominal, ordinal"):
        so.diversity(data, "x", "s", scale="interval")
    with pytest.raises(BadChoice, match="sensitive columns are"):
        so.diversity(data, "x", "s", scale={"u": "nominal"})


def test_c_decides_on_recursive_diversity() -> None:
    data = {"x": ["a"] * 7, "s": [1, 1, 1, 1, 2, 2, 3]}
    assert so.diversity(data, "x", "s").recursive_l == 2  # 4 < 2 (2 + 1), but not 2 x 1
    assert so.diversity(data, "x", "s", c=5).recursive_l == 3
    found = so.diversity(data, "x", "s", c=0.5)
    assert found.recursive_l == 0
    assert found.columns["s"].recursive_c(2) == pytest.approx(4 / 3)
    assert found.columns["s"].recursive_c(4) is None
    for wrong in (0, -1, True, math.inf, "2"):
        with pytest.raises(BadChoice, match="above 0"):
            so.diversity(data, "x", "s", c=wrong)  # type: ignore[arg-type]


# ---- classes that break a wanted value


def test_classes_that_break_a_wanted_value_are_listed_worst_first() -> None:
    data = {"x": list("aaabbbcccd"), "s": list("uuuuvvuvwu"), "r": [1, 2, 3] * 3 + [1]}
    found = so.diversity(data, "x", ["s", "r"])
    broken = found.breaking(l=3, alpha=0.5)
    assert not broken.met
    assert (broken.classes, broken.records, broken.share) == (3, 7, 0.7)
    rows = broken.to_frame()
    assert rows.filter(pl.col("sensitive") == "s")["x"].to_list() == ["a", "d", "b"]
    assert rows.filter(pl.col("sensitive") == "r")["x"].to_list() == ["d"]
    assert rows["breaks"].unique().to_list() == ["l, alpha"]
    assert found.breaking(k=1, l=1, t=1).met
    assert found.breaking(k=2).records == 1
    assert found.breaking(delta=9).classes == 3  # a class that lacks a value breaks every delta
    assert broken.to_dict()["wanted"] == {"l": 3, "alpha": 0.5}


def test_a_class_on_the_bound_keeps_it() -> None:
    found = so.diversity(PEOPLE, KNOWN, "salary")
    assert found.breaking(t=0.375).met
    assert found.breaking(entropy_l=3).met
    assert found.breaking(t=0.37).classes == 1


def test_what_cannot_be_wanted_is_refused() -> None:
    found = so.diversity(PEOPLE, KNOWN, "salary")
    with pytest.raises(BadChoice, match="one or more of k, l"):
        found.breaking()
    with pytest.raises(BadChoice, match="l must be a whole number"):
        found.breaking(l=2.5)  # type: ignore[arg-type]
    with pytest.raises(BadChoice, match="t must be a share"):
        found.breaking(t=7)
    with pytest.raises(BadChoice, match="beta must be a number of 0 or more"):
        found.breaking(beta=-1)


def test_a_column_called_like_a_measure_keeps_its_values_apart() -> None:
    data = {"t": ["a", "a", "b"], "k": [1, 1, 2], "s": [1, 2, 3]}
    rows = so.diversity(data, ["t", "k"], "s").per_class
    assert rows["t (value)"].to_list() == ["b", "a"]
    assert rows["k"].to_list() == [1, 2]


# ---- groups, conditions, roles


def test_groups_are_measured_as_tables_of_their_own() -> None:
    data = pl.DataFrame(
        {"g": list("nnnnss"), "x": list("aabbab"), "s": [1, 2, 1, 1, 5, 6], "h": [1, 1, 2, 2, 1, 1]}
    )
    found = so.diversity(data, "x", "s", by="g")
    for key in "ns":
        alone = so.diversity(data.filter(pl.col("g") == key), "x", "s")
        assert found.groups[key].to_dict() == alone.to_dict()
    assert list(so.diversity(data, "x", "s", by=["g", "h"]).groups) == [
        *(("n", 1), ("n", 2)),
        *(("s", 1),),
    ]
    assert found.to_frame()["group"].to_list() == [None, "n", "s"]
    assert [part["group"] for part in found.to_dict()["groups"]] == ["n", "s"]


def test_a_group_of_which_every_record_is_dropped_is_left_out_and_said() -> None:
    data = {"g": ["n", "n", "s"], "x": ["a", "b", "c"], "s": [1, 2, None]}
    found = so.diversity(data, "x", "s", by="g", missing="drop")
    assert list(found.groups) == ["n"]
    assert any("s" in note and "left out" in note for note in found.notes)


def test_a_condition_selects_records() -> None:
    data = {"x": list("aab"), "s": [1, 2, 3], "age": [20, 30, 40]}
    found = so.diversity(data, "x", "s", where="age < 40")
    assert (found.records, found.k, found.columns["s"].values) == (2, 2, 2)


def test_columns_are_found_by_their_roles() -> None:
    table = so.read(PEOPLE).with_roles(
        {"zip": "quasi-identifier", "age": "quasi-identifier", "salary": "sensitive"}
    )
    found = so.diversity(table)
    assert (found.quasi_identifiers, found.sensitive) == (("zip", "age"), ("salary",))


def test_what_cannot_be_asked_is_refused_in_a_sentence() -> None:
    with pytest.raises(BadChoice, match="No sensitive column was given"):
        so.diversity(PEOPLE, KNOWN)
    with pytest.raises(BadChoice, match="both a quasi-identifier and a sensitive column"):
        so.diversity(PEOPLE, ["zip", "age"], ["age"])
    with pytest.raises(BadChoice, match="both sensitive and what records are grouped by"):
        so.diversity(PEOPLE, "zip", "salary", by="salary")
    table = so.read(PEOPLE).with_roles({"zip": "direct-identifier"})
    with pytest.raises(BadChoice, match="identifies people directly"):
        so.diversity(table, "zip", "salary")


def test_the_result_reads_as_a_sentence_a_frame_and_json() -> None:
    found = so.diversity(PEOPLE, KNOWN, ["salary", "disease"])
    assert str(found) == (
        "salary, disease within classes of zip+age: k = 3, distinct l = 3, entropy l = 3, "
        "t = 0.444, beta = 2"
    )
    assert found.to_frame()["sensitive"].to_list() == ["salary", "disease"]
    assert '"distinct_l": 3' in found.to_json()
    assert found.delta is None
    assert found.columns["disease"].occurring_delta == pytest.approx(math.log(3))
