"""Suppression of cells against brute force, the tables of the specification, and real data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_suppression as naive
import singleout as so
from singleout.errors import BadChoice, UnknownColumns
from singleout.treatment.suppression.function import covered_people, suppress_cells
from singleout.treatment.suppression.problem import problem_of
from singleout.treatment.suppression.result import Suppressed

SHARED = Path(__file__).resolve().parents[3] / "shared"
KEYS = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]
WORST = [(1, 1, 0), (0, 2, 2), (2, 0, 1), (2, 0, 2), (1, 0, 1), (0, 2, 1)]

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared")


def frame(rows: Sequence[naive.Row]) -> pl.DataFrame:
    names = [f"c{j}" for j in range(len(rows[0]))]
    schema = dict.fromkeys(names, pl.Int64)
    return pl.DataFrame([list(row) for row in rows], schema=schema, orient="row")


def suppressed(rows: Sequence[naive.Row], k: int, **options: Any) -> Suppressed:
    data = frame(rows)
    return suppress_cells(so.read(data), data.columns, k, **options)


def published(result: Suppressed) -> list[naive.Row]:
    columns = [result.table[name] for name in result.columns]
    return list(zip(*[[c.value(int(x)) for x in c.codes] for c in columns], strict=True))


def tables(rows: int, columns: int, *, missing: bool = True) -> st.SearchStrategy[Any]:
    cell = st.one_of(st.none(), st.integers(0, 2)) if missing else st.integers(0, 2)
    return st.integers(1, columns).flatmap(
        lambda width: st.lists(st.tuples(*[cell] * width), min_size=1, max_size=rows)
    )


def check_blanks(rows: Sequence[naive.Row], result: Suppressed) -> list[naive.Row]:
    """Cells are blanked as the flags say, and no other cell is changed."""
    shown = published(result)
    for j, name in enumerate(result.columns):
        for i, row in enumerate(rows):
            assert shown[i][j] == (None if result.blank[name][i] else row[j])
            assert not (row[j] is None and result.blank[name][i])
    assert result.cells == naive.cells(rows, shown, [1] * len(rows[0]))
    return shown


# ---- against brute force


@given(tables(12, 4), st.integers(2, 4))
def test_a_peel_leaves_at_least_k_records_alike_and_nothing_to_show_more(
    rows: list[naive.Row], k: int
) -> None:
    result = suppressed(rows, k)
    shown = check_blanks(rows, result)
    if len(rows) >= k:
        assert naive.alike(shown, k)
        assert (result.left, result.covered_below) == (0, 0)
        assert min(naive.covering(rows, shown)) >= k
        assert naive.could_show_more(rows, shown, k) == ""
    else:
        assert result.left == len(rows) or result.cells == 0
        assert result.notes


@given(
    st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=4, max_size=7),
    st.integers(2, 3),
    st.lists(st.sampled_from([0.5, 1.0, 3.0]), min_size=3, max_size=3),
)
def test_a_peel_costs_no_less_than_the_optimum_and_seldom_much_more(
    rows: list[naive.Row], k: int, weights: list[float]
) -> None:
    importance = {f"c{j}": weight for j, weight in enumerate(weights)}
    result = suppressed(rows, k, importance=importance)
    best = naive.optimum_of_classes(rows, k, weights)
    assert result.cost == pytest.approx(naive.cells(rows, published(result), weights))
    assert best - 1e-9 <= result.cost <= 3 * best + 1e-9


@given(st.lists(st.tuples(*[st.integers(0, 1)] * 2), min_size=2, max_size=5))
def test_both_brute_forces_agree_where_a_blank_is_a_value(rows: list[naive.Row]) -> None:
    assert naive.optimum(rows, 2, [1, 1], naive.alike) == naive.optimum_of_classes(rows, 2, [1, 1])


def test_the_mean_ratio_to_the_optimum_is_near_one() -> None:
    rng = np.random.default_rng(5)
    ours = best = matched = least = 0.0
    for _ in range(60):
        rows = [tuple(row) for row in rng.integers(0, 3, (7, 3)).tolist()]
        ours += suppressed(rows, 2).cells
        best += naive.optimum_of_classes(rows, 2, [1, 1, 1])
    for _ in range(20):
        rows = [tuple(row) for row in rng.integers(0, 3, (4, 3)).tolist()]
        matched += suppressed(rows, 2, method="wildcard").cells
        least += naive.optimum(rows, 2, [1, 1, 1], naive.matched)
    assert best <= ours <= 1.03 * best
    assert least <= matched <= 1.15 * least


@given(tables(4, 3), st.integers(2, 3))
def test_wildcards_match_k_rows_with_no_fewer_cells_than_the_optimum(
    rows: list[naive.Row], k: int
) -> None:
    result = suppressed(rows, k, method="wildcard")
    shown = check_blanks(rows, result)
    width = len(rows[0])
    cover = naive.covering(rows, shown)
    assert result.covered_below == sum(number < k for number in cover)
    assert result.covered_single == sum(number == 1 for number in cover)
    if len(rows) >= k:
        assert naive.matched(shown, k)
        assert result.left == 0
        assert result.cells >= naive.optimum(rows, k, [1] * width, naive.matched)


@given(tables(10, 4), st.integers(1, 4))
def test_no_combination_that_a_row_still_shows_is_held_by_one_record_only(
    rows: list[naive.Row], size: int
) -> None:
    result = suppressed(rows, 2, method="uniques", max_size=size)
    shown = check_blanks(rows, result)
    width = len(rows[0])
    for row in shown:
        for columns in naive.columns_by_cost(width, [1] * width, [1] * width):
            if not 0 < len(columns) <= size or any(row[j] is None for j in columns):
                continue
            assert sum(all(r[j] == row[j] for j in columns) for r in rows) >= 2
    assert result.left == sum(shown.count(row) < 2 for row in shown)
    cover = naive.covering(rows, shown)
    assert result.covered_single == result.covered_below == sum(n < 2 for n in cover)


@given(
    st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=2, max_size=8),
    st.lists(st.sampled_from([1.0, 2.0, 2.5]), min_size=3, max_size=3),
)
def test_cells_for_uniques_are_the_cheapest_for_each_record(
    rows: list[naive.Row], weights: list[float]
) -> None:
    importance = {f"c{j}": weight for j, weight in enumerate(weights)}
    result = suppressed(rows, 2, method="uniques", importance=importance)
    shown = published(result)
    sets = naive.columns_by_cost(3, weights, [1, 1, 1])
    for i, row in enumerate(rows):
        unique = [s for s in sets if sum(all(r[j] == row[j] for j in s) for r in rows) == 1]
        bits = [sum(1 << j for j in s) for s in unique if s]
        cost = naive.cells([row], [shown[i]], weights)
        assert cost == pytest.approx(naive.hitting_cost(bits, 3, weights))


# ---- the tables of the specification


def test_a_blank_that_matches_everything_hides_nobody_in_a_table_of_two() -> None:
    rows = [(1, 1), (1, 2)]
    assert naive.optimum(rows, 2, [1, 1], naive.matched) == 1
    assert naive.optimum(rows, 2, [1, 1], naive.alike) == 2
    wildcard = suppressed(rows, 2, method="wildcard")
    assert (wildcard.cells, wildcard.left) == (1, 0)
    # (1, blank) could be either person, (1, 2) only the second: the first has one row left
    assert (wildcard.covered_below, wildcard.covered_single) == (1, 1)
    peel = suppressed(rows, 2)
    assert (peel.cells, peel.by_column, peel.covered_below) == (2, {"c0": 0, "c1": 2}, 0)


def test_greedy_takes_twice_the_cells_of_the_optimum_on_the_table_of_six() -> None:
    sets = naive.columns_by_cost(3, [1, 1, 1], [1, 1, 1])
    lexical = sorted(sets, key=lambda s: (len(s), s))
    assert naive.cells(WORST, naive.greedy(WORST, 2, lexical), [1, 1, 1]) == 6
    assert naive.optimum(WORST, 2, [1, 1, 1], naive.matched) == 3
    assert naive.optimum_of_classes(WORST, 2, [1, 1, 1]) == 8
    assert suppressed(WORST, 2).cells == 8
    assert 3 <= suppressed(WORST, 2, method="wildcard").cells <= 6


def test_a_few_blank_records_satisfy_wildcards_and_protect_nobody() -> None:
    # the degenerate optimum: k - 1 records without any value match everybody
    rows = [(i, i, i) for i in range(9)]
    shown = [(None, None, None)] * 2 + rows[2:]
    assert naive.matched(shown, 3)
    assert naive.cells(rows, shown, [1, 1, 1]) == 6
    assert [n for n in naive.covering(rows, shown) if n >= 3] == [3] * 7
    assert not naive.alike(shown, 3)
    assert suppressed(rows, 3).cells == 27


# ---- options


def test_a_column_with_more_importance_keeps_more_cells() -> None:
    rows = [(0, 0), (0, 1), (1, 0), (1, 1)]
    by_first = suppressed(rows, 2, importance={"c0": 2})
    assert by_first.by_column == {"c0": 0, "c1": 4}
    assert by_first.cost == 4
    by_second = suppressed(rows, 2, importance={"c1": 2})
    assert by_second.by_column == {"c0": 4, "c1": 0}


def test_a_limit_leaves_the_records_that_cost_most() -> None:
    rows = [(0, 0), (0, 1), (1, 2), (2, 3), (5, 5), (5, 5)]
    whole = suppressed(rows, 2)
    limited = suppressed(rows, 2, most_cells=2)
    assert whole.cells == 6
    assert limited.cells == 2
    assert published(limited) == [(0, None), (0, None), *rows[2:]]
    assert (limited.left, limited.covered_single) == (2, 2)
    assert "2 cells" in limited.notes[-1]
    assert suppressed(rows, 2, most_cells=6).notes == whole.notes == ()
    assert suppressed(rows, 2, most_cells=0).cells == 0


@pytest.mark.parametrize("method", ["uniques", "wildcard"])
def test_a_limit_holds_for_each_method(method: str) -> None:
    limited = suppressed(WORST, 2, method=method, most_cells=2)
    assert limited.cells <= 2
    assert limited.left > 0


@pytest.mark.parametrize("method", ["peel", "wildcard", "uniques"])
def test_many_columns_are_treated_with_a_note(method: str) -> None:
    rng = np.random.default_rng(3)
    rows = [tuple(row) for row in rng.integers(0, 2, (40, 20)).tolist()]
    result = suppressed(rows, 2, method=method)
    shown = check_blanks(rows, result)
    assert result.notes
    if method == "peel":
        assert naive.alike(shown, 2)
        assert naive.could_show_more(rows, shown, 2) == ""
    elif method == "wildcard":
        assert naive.matched(shown, 2)


def test_a_table_with_more_columns_than_bits_is_refused() -> None:
    with pytest.raises(BadChoice, match="There are 63 columns, and cells are suppressed in at mo"):
        suppressed([tuple(range(63))] * 2, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 1}, "k must be a whole number of records, 2 or more, not 1."),
        ({"method": "magic"}, "'magic' is not a way to suppress cells; choose one of peel,"),
        ({"method": "uniques", "k": 3}, "k must be 2 for them, not 3; choose peel"),
        ({"max_size": 2}, "max_size has a meaning for uniques only, not for peel."),
        ({"importance": {"c0": 0}}, "The importance of 'c0' must be a number above 0, not 0."),
        ({"importance": {"c0": "2"}}, "The importance of 'c0' must be a number above 0, not '2'."),
        ({"importance": 3}, "importance must be a number for each column"),
        ({"most_cells": -1}, "most_cells must be a whole number, 0 or more"),
        ({"columns": []}, "No quasi-identifiers were given"),
    ],
)
def test_options_without_a_meaning_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadChoice, match=message):
        suppress_cells(frame(WORST), **{"columns": ["c0", "c1"], "k": 2, **options})


def test_importance_of_another_column_is_refused() -> None:
    with pytest.raises(UnknownColumns, match="'zip'"):
        suppressed(WORST, 2, importance={"zip": 1.0})


def test_only_the_columns_named_change_and_the_input_does_not() -> None:
    data = frame(WORST).with_columns(other=pl.Series(list("abcdef")))
    table = so.read(data)
    before = [column.codes.copy() for column in table]
    result = suppress_cells(table, ["c1"], 3)
    assert result.table["other"] is table["other"]
    assert result.table["c0"] is table["c0"]
    assert set(result.blank) == {"c1"}
    for column, codes in zip(table, before, strict=True):
        assert (column.codes == codes).all()


def test_the_result_is_plain_values_and_a_frame() -> None:
    result = suppressed(WORST, 2, method="wildcard")
    plain = json.loads(result.to_json())
    assert plain["cells"] == result.cells == sum(plain["by_column"].values())
    assert plain["method"] == "wildcard"
    assert result.to_frame()["blanked"].to_list() == list(result.by_column.values())
    assert str(result).startswith(f"{result.cells} cells of {result.records} of 6 records")
    with pytest.raises(ValueError, match="read-only"):
        result.blank["c0"][0] = True


# ---- real data, beside what sdcMicro 5.8.1 answered


def recorded(name: str) -> int:
    return int(pl.read_csv(SHARED / "goldens" / f"sdcmicro_{name}.csv")["suppressed"].sum())


@pytest.fixture(scope="module")
def testdata() -> so.Table:
    return so.read(SHARED / "data" / "sdcmicro_testdata.csv")


@pytest.fixture(scope="module")
def adult() -> so.Table:
    table = so.read(SHARED / "data" / "adult.csv")
    return table.select([name for name in table.columns if name != "age"])


@needs_shared
@pytest.mark.parametrize(("k", "most", "ours"), [(3, 406, 386), (5, 723, 706)])
def test_a_peel_of_testdata_blanks_fewer_cells_than_the_specification(
    testdata: so.Table, k: int, most: int, ours: int
) -> None:
    result = suppress_cells(testdata, KEYS, k)
    assert result.cells <= ours < most
    assert so.anonymity_sets(result.table, KEYS).k >= k
    assert result.left == result.covered_below == 0


@needs_shared
@pytest.mark.parametrize(("k", "most", "ours"), [(3, 9_060, 8_751), (5, 12_942, 12_444)])
def test_a_peel_of_adult_blanks_fewer_cells_than_the_specification(
    adult: so.Table, k: int, most: int, ours: int
) -> None:
    result = suppress_cells(adult, adult.columns, k)
    assert result.cells <= ours < most
    assert so.anonymity_sets(result.table, adult.columns).k >= k


@needs_shared
@pytest.mark.parametrize("k", [3, 5])
def test_wildcards_take_fewer_cells_than_sdcmicro_and_say_who_is_still_alone(
    testdata: so.Table, adult: so.Table, k: int
) -> None:
    small = suppress_cells(testdata, KEYS, k, method="wildcard")
    large = suppress_cells(adult, adult.columns, k, method="wildcard")
    assert small.cells <= recorded(f"testdata_localsupp_k{k}")
    assert large.cells <= recorded(f"adult_localsupp_8kv_k{k}")
    assert small.left == large.left == 0
    assert so.anonymity_sets(large.table, adult.columns, missing="wildcard").k >= k
    assert large.covered_below > large.covered_single > 1_000
    assert f"{large.covered_single:,} of them in one only" in large.notes[-1]


@needs_shared
@pytest.mark.parametrize("k", [3, 5])
def test_importance_moves_cells_as_it_does_for_sdcmicro(testdata: so.Table, k: int) -> None:
    # its importance is a rank, 1 for the column to keep longest
    ranks = pl.read_csv(SHARED / "goldens" / f"sdcmicro_testdata_localsupp_imp_k{k}.csv")
    importance = {name: 8.0 - rank for name, rank in ranks.select("var", "importance").iter_rows()}
    plain = suppress_cells(testdata, KEYS, k, method="wildcard")
    ranked = suppress_cells(testdata, KEYS, k, method="wildcard", importance=importance)
    assert ranked.by_column["urbrur"] == 0
    assert ranked.by_column["relat"] > plain.by_column["relat"]
    assert ranked.cells <= int(ranks["suppressed"].sum())


@needs_shared
def test_four_empty_records_make_adult_anonymous_to_wildcards_and_protect_few() -> None:
    # the degenerate optimum of the specification: 36 cells for k = 5
    table = so.read(SHARED / "data" / "adult.csv")
    blank = np.zeros(table.rows, dtype=np.int64)
    blank[:4] = (1 << 9) - 1
    data = pl.read_csv(SHARED / "data" / "adult.csv", separator=";").with_row_index("row")
    empty = [pl.when(pl.col("row") >= 4).then(pl.col(name)).alias(name) for name in table.columns]
    shown = so.read(data.select(empty))
    assert int(np.bitwise_count(blank).sum()) == 36
    assert so.anonymity_sets(shown, table.columns, missing="wildcard").k >= 5
    assert so.anonymity_sets(shown, table.columns, missing="value").k == 1
    below, single = covered_people(problem_of(table, table.columns, 5, None), blank)
    # whose own row is blank has three others left, and whoever shares a combination has it too
    own = so.anonymity_sets(table, table.columns).per_record
    assert single == 0
    assert below == int((own[:4] == 1).sum())
