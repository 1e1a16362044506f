"""suda on any data: choices, columns, missing values, and what peers get wrong."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from math import comb, factorial, perm
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_suda
from singleout.errors import (
    BadChoice,
    UndefinedMeasure,
    UnknownColumns,
    UnusableTable,
)
from singleout.io.read import read
from singleout.methods.suda.function import suda

Rows = list[tuple[Any, ...]]
SCORINGS = ("lattice", "normalised", "ihsn")


def frame(rows: Rows) -> pl.DataFrame:
    return pl.DataFrame(
        rows, schema={f"v{place}": pl.Int64 for place in range(len(rows[0]))}, orient="row"
    )


@given(
    st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.tuples(*[st.one_of(st.none(), st.integers(0, 2))] * width), min_size=1, max_size=10
        )
    ),
    st.integers(1, 4),
    st.sampled_from(SCORINGS),
    st.sampled_from(["value", "never"]),
    st.sampled_from([0.01, 0.3, 1.0]),
)
def test_everything_agrees_with_a_search_by_hand(
    rows: Rows, max_size: int, scoring: str, missing: str, fraction: float
) -> None:
    width = len(rows[0])
    largest = min(max_size, width)
    uniques = naive_suda.minimal_uniques(rows, largest, never=missing == "never")
    question = (uniques, len(rows), width, largest, scoring)
    found = suda(frame(rows), None, max_size, fraction, scoring, missing, list_uniques=True)
    expected = [(place + 1, tuple(f"v{c}" for c in columns)) for place, columns in uniques]
    assert sorted(found.uniques) == sorted(expected)
    scores = [float(score) for score in naive_suda.scores(*question)]
    np.testing.assert_allclose(found.score, scores, rtol=1e-12)
    lattice = naive_suda.proportions_of_lattice(uniques, len(rows), width)
    np.testing.assert_allclose(
        found.proportion_of_lattice, [float(share) for share in lattice], rtol=1e-12
    )
    shares = np.array(naive_suda.contributions(*question), dtype=np.float64)
    np.testing.assert_allclose(found.contributions, shares, rtol=1e-12)
    of_columns = [float(share) for share in naive_suda.variable_contributions(*question)]
    np.testing.assert_allclose(found.variable_contributions["share"], of_columns, rtol=1e-12)
    of_values = {
        (f"v{column}", "(missing)" if value is None else str(value)): float(share)
        for (column, value), share in naive_suda.value_contributions(rows, *question).items()
    }
    values = found.value_contributions.select("variable", "value", "share").rows()
    assert {(row[0], row[1]): row[2] for row in values} == pytest.approx(of_values)
    assert (found.unique, found.in_pairs) == naive_suda.unique_and_in_pairs(rows)
    assert found.dis == naive_suda.dis(found.unique, found.in_pairs, fraction)
    if found.unique:
        by_hand = naive_suda.dis_scores(scores, width, found.unique, found.in_pairs, fraction)
        np.testing.assert_allclose(found.dis_score, by_hand, rtol=1e-9)


# ---- kinds of columns


def test_text_numbers_dates_and_truth_values_are_all_compared() -> None:
    day = dt.date(2020, 2, 29)
    kinds = {
        "text": ["a", "a", "b", "a", "b"],
        "whole": [1, 1, 1, 2, 1],
        "number": [0.5, 0.5, 0.5, 0.5, 1.5],
        "date": [day, day, day, dt.date(1999, 1, 1), day],
        "truth": [True, True, False, True, False],
    }
    found = suda(pl.DataFrame(kinds), max_size=None, list_uniques=True)
    rows = list(zip(*kinds.values(), strict=True))
    names = list(kinds)
    expected = [
        (place + 1, tuple(names[c] for c in columns))
        for place, columns in naive_suda.minimal_uniques(rows)
    ]
    assert sorted(found.uniques) == sorted(expected)
    assert (4, ("date",)) in expected
    words = " ".join(found.risky()["because"])
    assert "date=1999-01-01" in words
    assert "number=1.5" in words


def test_the_kind_of_frame_and_its_index_do_not_matter() -> None:
    pandas = pytest.importorskip("pandas")
    rows = {"a": ["x", "x", "y", "y"], "b": [1, 2, 1, 1]}
    shuffled = pandas.DataFrame(rows, index=[3, 3, 0, 7])
    assert suda(shuffled).score.tolist() == suda(rows).score.tolist() == [1, 1, 0, 0]


def test_one_and_two_columns_work() -> None:
    one = suda({"a": [1, 1, 2]})
    assert one.score.tolist() == [0, 0, 1]
    assert one.max_size == 1
    two = suda({"a": [1, 1, 2], "b": [5, 6, 6]})
    assert two.counts_by_size.tolist() == [[1, 0], [0, 1], [1, 0]]
    assert two.score.tolist() == [1, 1, 1]


def test_one_record_is_singled_out_by_every_column() -> None:
    alone = suda({"a": [1], "b": ["x"]}, sampling_fraction=0.5)
    assert alone.counts_by_size.tolist() == [[2, 0]]
    assert alone.dis == 1


# ---- columns and roles


def test_columns_that_nobody_is_matched_by_are_left_out_unless_named() -> None:
    table = read({"name": ["x", "y", "z"], "a": [1, 1, 2], "w": [5, 6, 7]})
    table = table.with_roles({"name": "direct-identifier", "w": "weight"})
    found = suda(table)
    assert found.columns == ("a",)
    assert "Column 'name' was left out: its role is direct-identifier." in found.notes
    named = suda(table, ["name", "a"])
    assert named.columns == ("name", "a")
    assert "'x'" not in str(named.to_dict())
    assert named.risky(1)["because"].item() == "name alone identifies this record; so does a=2"
    assert set(named.value_contributions["variable"]) == {"a"}
    with pytest.raises(BadChoice, match="no column to combine"):
        suda(table.select(["name", "w"]))


def test_quasi_identifiers_are_named_once_and_in_the_given_order() -> None:
    data = {"a": [1, 2], "b": [1, 1], "c": [0, 1]}
    assert suda(data, ["c", "a", "c"]).columns == ("c", "a")
    assert suda(data, "b").columns == ("b",)
    with pytest.raises(UnknownColumns, match="zip"):
        suda(data, ["a", "zip"])
    with pytest.raises(BadChoice, match="no column to combine"):
        suda(data, [])


def test_more_columns_than_can_be_combined_are_refused() -> None:
    wide = {f"c{place}": [1, 2] for place in range(65)}
    with pytest.raises(BadChoice, match="65 columns are more than the 64"):
        suda(wide)


# ---- choices


def test_a_size_beyond_the_columns_searches_all_and_says_so() -> None:
    data = {"a": [1, 1, 2], "b": [5, 6, 6]}
    found = suda(data, max_size=9)
    assert found.max_size == 2
    assert any("max_size is 9, larger than the number of columns, 2" in n for n in found.notes)
    assert suda(data, max_size=None).max_size == 2
    assert suda(data, max_size=None).notes == ()
    assert suda(data, max_size=np.int64(1)).max_size == 1


@pytest.mark.parametrize("size", [0, -1, 2.5, "3", True])
def test_a_size_that_is_none_is_refused(size: Any) -> None:
    with pytest.raises(BadChoice, match="max_size must be a whole number of columns"):
        suda({"a": [1]}, max_size=size)


@pytest.mark.parametrize("fraction", [0, -0.1, 1.01, float("nan"), float("inf"), "0.1", True])
def test_a_sampling_fraction_that_is_none_is_refused(fraction: Any) -> None:
    with pytest.raises(BadChoice, match="sampling_fraction must"):
        suda({"a": [1]}, sampling_fraction=fraction)


def test_words_that_mean_nothing_are_refused() -> None:
    with pytest.raises(BadChoice, match=r"'latticce' is not a known scoring.*mean 'lattice'"):
        suda({"a": [1]}, scoring="latticce")
    with pytest.raises(BadChoice, match="'nevr' is not a way to treat missing values"):
        suda({"a": [1]}, missing="nevr")


def test_a_full_sample_makes_every_match_right() -> None:
    found = suda({"a": [1, 2, 2, 3, 3]}, sampling_fraction=1)
    assert found.dis == 1
    assert found.dis_score.tolist() == [1, 0, 0, 0, 0]


def test_without_pairs_every_scored_record_is_certain() -> None:
    found = suda({"a": [1, 2, 3, 3, 3]}, sampling_fraction=0.01)
    assert (found.in_pairs, found.dis) == (0, 1)
    assert found.dis_score.tolist() == [1, 1, 0, 0, 0]


def test_without_uniques_there_is_nothing_to_match() -> None:
    found = suda({"a": [1, 1, 2, 2]}, sampling_fraction=0.01)
    assert (found.unique, found.dis) == (0, 0)
    assert found.dis_score.tolist() == [0, 0, 0, 0]
    assert not found.contributions.any()
    assert found.variable_contributions["share"].to_list() == [0]


def test_dis_scores_of_29_columns_are_refused_and_dis_is_not() -> None:
    rng = np.random.default_rng(2)
    data = {f"c{place}": rng.integers(0, 3, 50) for place in range(29)}
    found = suda(data, max_size=2, sampling_fraction=0.1)
    assert 0 <= found.dis <= 1
    with pytest.raises(UndefinedMeasure, match="rank records by score"):
        _ = found.dis_score
    assert not found.has_dis_score
    assert any("DIS-SUDA is not given" in note for note in found.notes)
    assert "dis_score" not in found.risky(1).columns


@pytest.mark.parametrize("scoring", SCORINGS)
def test_scores_of_sixty_columns_are_finite_and_in_order(scoring: str) -> None:
    rng = np.random.default_rng(7)
    data = {f"c{place}": (4 * rng.random(80) ** 2).astype(int) for place in range(60)}
    found = suda(data, max_size=3, scoring=scoring)
    assert found.counts_by_size[:, 2].max() > 0
    assert found.score.max() > 0
    assert np.isfinite(found.score).all()
    assert np.isfinite(found.contributions).all()
    m = 60
    weight = {
        "lattice": [Fraction(factorial(m - k)) for k in (1, 2, 3)],
        "normalised": [Fraction(perm(m - k, 4 - k)) for k in (1, 2, 3)],
        "ihsn": [Fraction(2 ** (m - k) - 1, comb(m, k)) for k in (1, 2, 3)],
    }[scoring]
    exact = [
        sum(times * each for times, each in zip(counts, weight, strict=True))
        for counts in found.counts_by_size.tolist()
    ]
    order = sorted(range(80), key=exact.__getitem__)
    assert (np.diff(found.score[order]) >= 0).all()
    np.testing.assert_allclose(found.score, [float(score) for score in exact], rtol=1e-14)


# ---- missing values


def test_a_missing_value_is_a_value_or_never_takes_part() -> None:
    data = {"a": [1, 1, None, 2], "b": [5, 5, 6, 6]}
    assert suda(data).score.tolist() == [0, 0, 1, 1]
    never = suda(data, missing="never")
    assert never.score.tolist() == [0, 0, 0, 1]
    assert never.unique == 2  # on all columns, where missing is a value
    assert never.missing == "never"


def test_records_that_lack_a_value_are_left_out_if_the_table_says_so() -> None:
    table = read({"a": [1, 1, None, 2], "b": [5, 5, 6, 6]}).with_missing("drop")
    found = suda(table, list_uniques=True)
    assert found.record.tolist() == [1, 2, 4]
    assert found.dropped == 1
    assert found.special_uniques.tolist() == [4]
    assert [number for number, _ in found.uniques] == [4, 4]
    assert any("1 of 4 records lack a value" in note for note in found.notes)
    assert suda(table, missing="value").records == 4
    with pytest.raises(UnusableTable, match="none is left to compare"):
        suda({"a": [None, 1], "b": [1, None]}, missing="drop")


def test_wildcards_are_refused_if_anything_is_missing() -> None:
    data = {"a": [1, 1, None, 2]}
    for given_data, policy in ((data, "wildcard"), (read(data).with_missing("wildcard"), None)):
        with pytest.raises(UndefinedMeasure, match="records do not fall into groups"):
            suda(given_data, missing=policy)
    assert suda({"a": [1, 2]}, missing="wildcard").score.tolist() == [1, 1]


# ---- what peers get wrong, on real data


@pytest.fixture(scope="module")
def adult(real_data: Path) -> pl.DataFrame:
    return pl.read_csv(real_data / "adult.csv", separator=";", infer_schema=False)


def test_uniques_of_adult_are_exact(adult: pl.DataFrame) -> None:
    # sdcMicro counts 1,376 of them
    found = suda(adult, max_size=3, sampling_fraction=0.01)
    assert found.unique == 15_512
    assert int(found.counts_by_size.sum()) == 16_096
    assert int(suda(adult, max_size=None).counts_by_size.sum()) == 62_809


def test_columns_that_say_the_same_contribute_the_same(adult: pl.DataFrame) -> None:
    # sdcMicro gives 53.9 % and 5.0 %
    numbers = adult["education"].rank("dense").alias("education-num")
    found = suda(adult.with_columns(numbers), max_size=None)
    shares = dict(found.variable_contributions.select("variable", "share").rows())
    assert shares["education"] == shares["education-num"]
    assert round(shares["education"], 3) == 0.294
    columns = list(found.columns)
    one, other = columns.index("education"), columns.index("education-num")
    assert (found.contributions[:, one] == found.contributions[:, other]).all()


def test_columns_may_be_named_by_any_iterable_and_what_is_none_gets_a_sentence() -> None:
    people = {"a": [1, 1, 2], "b": [1, 2, 2]}
    found = suda(people, (name for name in ["a", "b"]))
    assert found.columns == ("a", "b")
    with pytest.raises(BadChoice, match="must be names of columns, not 5"):
        suda(people, 5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("n", "reasons"), [("x", 3), (1.5, 3), (None, 3), (3, 1.5), (-1, 1), (1, 0)]
)
def test_a_number_of_records_that_makes_no_sense_gets_a_sentence(n: Any, reasons: Any) -> None:
    found = suda({"a": [1, 1, 2], "b": [1, 2, 2]})
    with pytest.raises(BadChoice, match=r"^(n|reasons) must be a whole number"):
        found.risky(n, reasons)


def test_the_counts_behind_a_result_cannot_be_changed() -> None:
    found = suda({"a": [1, 1, 2], "b": [1, 2, 2]})
    with pytest.raises(ValueError, match="read-only"):
        found.found.by_variable[0, 0, 0] = 99


def test_the_search_can_be_run_by_tasks() -> None:
    rows = np.random.default_rng(3).integers(0, 4, (60, 5)).astype(np.uint8)
    codes, levels = list(rows.T), [4] * 5
    parts = [suda.run_task(codes, levels, 3, task) for task in suda.tasks(levels, 3)]
    assert len(parts) > 1
    merged = parts[0]
    for part in parts[1:]:
        merged = merged.merge(part)
    whole = suda({f"c{c}": rows[:, c] for c in range(5)}, max_size=3)
    np.testing.assert_array_equal(merged.by_size, whole.counts_by_size)
