"""Utility: what an analyst asks, before and after."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.stats.contingency import association

from singleout.engines.reading import read
from singleout.errors import BadChoice, UndefinedMeasure, UnknownColumns
from singleout.kernels.regression import loops
from singleout.treatment.utility.fitting import Design, fit_line, fit_logistic
from singleout.treatment.utility.function import utility
from singleout.treatment.utility.margins import distances
from singleout.treatment.utility.pairs import cramers_v, pearson, ranked
from singleout.treatment.utility.regression import interval_overlap


def people(n: int = 400, seed: int = 3) -> dict[str, Any]:
    """People whose income follows their age, and whose answer follows both."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n)
    income = 20 * age + rng.normal(0, 150, n).round()
    return {
        "age": age,
        "income": income,
        "sex": rng.choice(["f", "m"], n),
        "region": rng.choice(["north", "south", "west"], n, p=[0.5, 0.3, 0.2]),
        "ill": np.where(rng.random(n) < 1 / (1 + np.exp(-(age - 50) / 10)), "yes", "no"),
    }


def banded(ages: Any) -> list[str]:
    return [f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in np.asarray(ages).tolist()]


# ---- nothing changed


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.sampled_from("ab"), st.none() | st.integers(0, 2)),
        min_size=1,
        max_size=40,
    )
)
def test_a_table_loses_nothing_to_itself(rows: list[tuple[int, str, int | None]]) -> None:
    kinds = {"a": pl.Int64, "b": pl.String, "c": pl.Int64}
    table = pl.DataFrame(rows, schema=kinds, orient="row")
    found = utility(table, table, outcome="b")
    assert not any(column.changed for column in found.columns)
    assert all(column.total_variation == 0 == column.hellinger for column in found.columns)
    assert all(column.before == column.after for column in found.columns)
    assert found.pairs == ()
    assert found.mean_pair_variation == 0
    assert found.largest_correlation_change == 0
    assert found.propensity.pmse == pytest.approx(0, abs=1e-20)
    assert found.losses is not None
    assert found.losses.loss == pytest.approx(0, abs=1e-12)
    assert json.loads(found.to_json())["mean_variation"] == 0


def test_a_regression_agrees_with_itself() -> None:
    table = people()
    found = utility(table, table, outcome="income").regression
    assert found is not None
    assert found.kind == "linear"
    assert found.overlap == 1
    assert [term.before for term in found.terms] == [term.after for term in found.terms]


# ---- something did


def test_a_shuffled_column_keeps_its_distribution_and_loses_its_relations() -> None:
    original = people(2000)
    rng = np.random.default_rng(0)
    treated = {**original, "age": rng.permutation(original["age"])}
    found = utility(original, treated, outcome="income")
    age = found.columns[0]
    assert age.changed
    assert age.total_variation == 0
    assert age.before == age.after
    worst = found.correlations[0]
    assert {worst.first, worst.second} == {"age", "income"}
    assert worst.pearson_before > 0.85
    assert abs(worst.pearson_after) < 0.1
    assert {found.pairs[0].first, found.pairs[0].second} == {"age", "income"}
    assert found.pairs[0].association_after < found.pairs[0].association_before
    assert found.regression is not None
    by_name = {term.name: term for term in found.regression.terms}
    assert by_name["age"].overlap == 0
    assert by_name["age"].before == pytest.approx(20, rel=0.05)
    assert found.losses is None  # whose row is whose is no longer known
    assert any("contradict" in note for note in found.notes)


def test_intervals_are_compared_on_the_coding_that_both_have() -> None:
    original = people()
    found = utility(original, {**original, "age": banded(original["age"])})
    age = found.columns[0]
    assert age.categories == len(set(banded(original["age"])))
    assert age.total_variation == 0
    assert age.spread_variation > 0
    middle = {}
    for band, value in zip(banded(original["age"]), original["age"].tolist(), strict=True):
        low, high = middle.get(band, (value, value))
        middle[band] = (min(low, value), max(high, value))
    # ages between the ends of a decade, as they occur
    expected = np.mean([sum(middle[band]) / 2 for band in banded(original["age"])])
    assert age.after is not None
    assert age.after.mean == pytest.approx(expected)
    assert any("middle" in note and "age" in note for note in found.notes)
    assert any("coarser" in note and "age" in note for note in found.notes)


def test_mixed_levels_take_together_what_any_label_takes_together() -> None:
    original = {"age": [20, 21, 30, 31, 40]}
    found = utility(original, {"age": ["20-29", "21", "30", "31", "40"]})
    assert found.columns[0].categories == 4
    assert [bar.label for bar in found.bars["age"]] == ["20-29", "30", "31", "40"]


def test_blank_cells_are_a_category_of_their_own() -> None:
    original = {"a": ["x", "x", "y", "y"], "b": [1, 2, 3, 4]}
    found = utility(original, {"a": ["x", None, "y", "*"], "b": [1, 2, 3, 4]})
    column = found.columns[0]
    assert (column.blank_before, column.blank_after) == (0, 0.5)
    assert column.total_variation == 0.5
    assert column.hellinger == pytest.approx(math.sqrt(1 - 2 * math.sqrt(0.5 * 0.25)))
    assert found.bars["a"][-1].label == "(blank)"


def test_only_values_that_were_merged_make_a_coding_coarser() -> None:
    original = {"a": ["x", "x", "y", None], "b": ["x", "y", "z", None]}
    treated = {"a": ["x", None, "y", None], "b": ["x or y", "x or y", "z", None]}
    notes = utility(original, treated).notes
    assert [note.split(": ")[-1] for note in notes if "coarser" in note] == ["b."]


def test_removed_records_and_columns_are_allowed() -> None:
    original = people()
    treated = {name: values[:300] for name, values in original.items() if name != "sex"}
    found = utility(original, treated)
    assert (found.records_before, found.records_after) == (400, 300)
    assert [column.name for column in found.columns] == ["age", "income", "region", "ill"]
    assert any("does not have sex" in note for note in found.notes)
    assert found.losses is None


def test_weights_count_records_as_often() -> None:
    original = {"a": ["x", "y", "y"], "n": [1, 2, 3], "w": [1, 2, 3]}
    often = {"a": ["x", *"yyyyy"], "n": [1, 2, 2, 3, 3, 3]}
    treated = {"a": ["x", "x", "y"], "n": [1, 2, 3], "w": [1, 2, 3]}
    treated_often = {"a": ["x", "x", "x", *"yyy"], "n": [1, 2, 2, 3, 3, 3]}
    weighted = utility(original, treated, weights="w")
    repeated = utility(often, treated_often)
    for one, other in zip(weighted.columns, repeated.columns, strict=True):
        assert one.total_variation == pytest.approx(other.total_variation)
        assert one.hellinger == pytest.approx(other.hellinger)
        assert one.before == other.before


def test_numbers_that_nobody_had_are_compared_in_groups() -> None:
    original = people(1000)
    noise = np.random.default_rng(1).normal(0, 10, 1000)
    found = utility(original, {**original, "income": original["income"] + noise})
    income = found.columns[1]
    assert income.categories == 20
    assert income.total_variation < 0.05
    assert income.spread_variation is None
    assert income.after.mean == pytest.approx(income.before.mean, abs=2)
    assert any("no original record had" in note for note in found.notes)
    moved = utility(original, {**original, "income": original["income"] + 10_000.5})
    assert moved.columns[1].total_variation == pytest.approx(0.95)


# ---- formulas


def test_distances_are_their_formulas() -> None:
    hellinger, variation = distances(np.array([1.0, 3.0]), np.array([3.0, 1.0]))
    assert variation == pytest.approx(0.5)
    assert hellinger == pytest.approx(math.sqrt(1 - 2 * math.sqrt(3) / 4))
    assert distances(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == (1.0, 1.0)


@given(st.lists(st.lists(st.integers(1, 30), min_size=3, max_size=3), min_size=2, max_size=4))
def test_association_is_that_of_scipy(table: list[list[int]]) -> None:
    expected = association(np.array(table), method="cramer")
    assert cramers_v(np.array(table, dtype=float)) == pytest.approx(expected, abs=1e-7)


@given(st.lists(st.tuples(*[st.integers(0, 6)] * 2), min_size=3, max_size=40))
def test_correlations_are_those_of_scipy(rows: list[tuple[int, int]]) -> None:
    values = np.array(rows, dtype=float)
    if (values.std(axis=0) == 0).any():
        assert np.isnan(pearson(values, np.ones(len(rows)))[0, 1])
        return
    weights = np.ones(len(rows))
    assert pearson(values, weights)[0, 1] == pytest.approx(
        stats.pearsonr(*values.T).statistic, abs=1e-9
    )
    books = [np.unique(column, return_inverse=True) for column in values.T]
    ranks = np.column_stack(
        [ranked(book, codes.astype(np.uint8), weights)[codes] for book, codes in books]
    )
    assert pearson(ranks, weights)[0, 1] == pytest.approx(
        stats.spearmanr(*values.T).statistic, abs=1e-9
    )


def test_correlations_leave_out_what_is_missing() -> None:
    values = np.array([[1, 2.0], [2, np.nan], [3, 1.0], [np.nan, 5], [5, 4.5]])
    whole = values[np.isfinite(values).all(axis=1)]
    expected = np.corrcoef(whole.T)[0, 1]
    assert pearson(values, np.ones(5))[0, 1] == pytest.approx(expected)


def test_overlap_is_the_mean_share_of_both_intervals() -> None:
    assert interval_overlap((0, 4), (2, 4)) == pytest.approx((2 / 4 + 2 / 2) / 2)
    assert interval_overlap((0, 1), (1.5, 2)) == 0
    assert interval_overlap((1, 1), (1, 1)) == 1


def dense(x: np.ndarray) -> Design:
    effects = np.tile(np.arange(x.shape[1], dtype=np.int32), (len(x), 1))
    return Design(effects, np.ascontiguousarray(x), x.shape[1])


@given(
    st.lists(
        st.tuples(st.integers(-1, 2), st.integers(-1, 2), st.integers(-3, 3)),
        min_size=1,
        max_size=30,
    )
)
def test_products_of_slots_are_those_of_the_whole_matrix(rows: list[tuple[int, int, int]]) -> None:
    effects = np.array([row[:2] for row in rows], dtype=np.int32)
    values = np.array([[row[2], 0.5] for row in rows])
    weights, amounts = np.arange(1.0, len(rows) + 1), np.ones(len(rows)) / 3
    x = np.zeros((len(rows), 3))
    for record, (slots, held) in enumerate(zip(effects, values, strict=True)):
        for slot, value in zip(slots, held, strict=True):
            if slot >= 0:
                x[record, slot] += value
    gram, slope = np.zeros((3, 3)), np.zeros(3)
    loops.add_products(effects, values, weights, amounts, gram, slope)
    assert slope == pytest.approx(x.T @ amounts)
    if all(a != b for a, b in effects):  # an effect has one slot of a record
        assert gram == pytest.approx(x.T @ (weights[:, None] * x))
    answer = np.empty(len(rows))
    loops.predict(effects, values, np.array([1.0, -2.0, 3.0]), answer)
    assert answer == pytest.approx(x @ [1.0, -2.0, 3.0])


def test_a_line_is_fitted_as_by_scipy() -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=200)
    y = 3 * x + rng.normal(size=200)
    fit = fit_line(dense(np.column_stack([np.ones(200), x])), y, np.ones(200))
    expected = stats.linregress(x, y)
    assert fit.coefficients[1] == pytest.approx(expected.slope)
    assert fit.errors[1] == pytest.approx(expected.stderr)


def test_a_logistic_curve_is_fitted_as_by_scikit_learn() -> None:
    linear = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(5)
    x = rng.normal(size=(500, 3))
    y = (rng.random(500) < 1 / (1 + np.exp(-(x @ [1.0, -2.0, 0.5])))).astype(float)
    fit = fit_logistic(dense(np.column_stack([np.ones(500), x])), y, np.ones(500))
    model = linear.LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(x, y)
    assert fit.coefficients[1:] == pytest.approx(model.coef_[0], abs=1e-5)
    assert fit.coefficients[0] == pytest.approx(model.intercept_[0], abs=1e-5)


def test_a_category_that_settles_the_answer_has_a_finite_effect() -> None:
    x = np.column_stack([np.ones(60), np.repeat([0.0, 1.0], 30)])
    fit = fit_logistic(dense(x), np.repeat([0.0, 1.0], 30), np.ones(60))
    assert np.isfinite(fit.coefficients).all()
    assert fit.fitted[:30].max() < 1e-4


def test_many_records_are_fitted_as_few_are() -> None:
    rng = np.random.default_rng(6)
    x = np.column_stack([np.ones(50_000), rng.normal(size=50_000), rng.random(50_000) < 0.01])
    y = (rng.random(50_000) < 1 / (1 + np.exp(-x @ [-1, 2, 3]))).astype(float)
    fit = fit_logistic(dense(x.astype(float)), y, np.ones(50_000))
    assert abs(fit.coefficients - [-1, 2, 3]).max() < 5 * fit.errors.max()
    slope = x.T @ (y - fit.fitted)
    assert abs(slope).max() < 1e-4  # where the likelihood is largest


def test_pmse_is_as_expected_for_records_drawn_anew_and_large_for_others() -> None:
    original, ratios = people(1000), []
    for seed in range(12):
        drawn = np.random.default_rng(seed).integers(0, 1000, 1000)
        again = {name: np.asarray(values)[drawn] for name, values in original.items()}
        ratios.append(utility(original, again).propensity.ratio)
    assert np.mean(ratios) == pytest.approx(1, abs=0.25)
    other = {**original, "sex": np.where(np.arange(1000) % 10 > 0, "f", "m")}
    assert utility(original, other).propensity.ratio > 5


def test_pmse_has_the_expectation_of_its_formula() -> None:
    found = utility({"a": ["x", "y", "z"] * 20}, {"a": ["x", "y", "z"] * 10}).propensity
    assert found.parameters == 2
    share = 1 / 3
    assert found.expected == pytest.approx(2 * (1 - share) ** 2 * share / 90)
    assert found.pmse == pytest.approx(0, abs=1e-12)


def test_a_logistic_regression_is_compared_for_two_values() -> None:
    original = people(1500)
    found = utility(original, {**original, "age": banded(original["age"])}, outcome="ill")
    assert found.regression is not None
    assert found.regression.kind == "logistic"
    age = {term.name: term for term in found.regression.terms}["age"]
    assert age.before == pytest.approx(0.1, abs=0.02)
    assert age.overlap > 0.7


def test_the_outcome_is_the_sensitive_column_or_nothing() -> None:
    table = read(people()).with_roles({"ill": "sensitive"})
    found = utility(table, table)
    assert found.regression is not None
    assert found.regression.outcome == "ill"
    assert utility(people(), people()).regression is None
    three = utility(people(), people(), outcome="region")
    assert three.regression is None
    assert any("neither numbers nor two values" in note for note in three.notes)


# ---- ways to look at it


def test_results_say_the_same_in_every_form() -> None:
    original = people()
    treated = {**original, "age": banded(original["age"])}
    treated["region"] = [None if i % 4 == 0 else v for i, v in enumerate(original["region"])]
    found = utility(original, treated, outcome="income")
    frame = found.to_frame()
    assert frame["column"].to_list() == list(original)
    variation = frame.filter(column="region")["total_variation"].item()
    assert variation == pytest.approx(0.25)
    plain = json.loads(found.to_json())
    assert plain["columns"][3]["total_variation"] == variation
    assert len(plain["worst_pairs"]) <= 10
    assert plain["losses"]["loss"] == pytest.approx(found.losses.loss)
    assert "2 of 5 columns changed" in str(found)
    assert "that of region most, by 25.0%" in str(found)


def test_pictures_show_columns_side_by_side() -> None:
    original = people()
    found = utility(original, {**original, "age": banded(original["age"])})
    chart = found.plot(["age", "sex"]).to_dict()
    titles = [panel["title"]["text"] for panel in chart["vconcat"]]
    assert titles == ["age before and after", "sex before and after"]
    assert len(found.plot().to_dict()["vconcat"]) == 5
    for bars in found.bars.values():
        assert sum(bar.before for bar in bars) == pytest.approx(1)
        assert sum(bar.after for bar in bars) == pytest.approx(1)
    with pytest.raises(UnknownColumns):
        found.plot("nobody")


def test_hostile_names_and_values_stay_text() -> None:
    name, value = "<img src=x>\x1b[2J\u202e", "</script>\x00"
    table = {name: [value, "b", value, "b"], "c": [1, 2, 3, 4]}
    found = utility(table, {**table, name: [value, None, value, "b"]}, outcome=name)
    for text in (json.dumps(found.plot().to_dict(), ensure_ascii=False), str(found)):
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "\x00" not in text


def test_bad_questions_are_refused() -> None:
    with pytest.raises(BadChoice, match="no column in common"):
        utility({"a": [1]}, {"b": [1]})
    with pytest.raises(UnknownColumns):
        utility({"a": [1]}, {"a": [1]}, columns=["b"])
    with pytest.raises(UnknownColumns):
        utility({"a": [1]}, {"a": [1]}, outcome="b")
    with pytest.raises(BadChoice, match="no column 'w'"):
        utility({"a": [1, 2], "w": [1, 2]}, {"a": [1]}, weights="w")


def test_numbers_too_large_to_compute_with_are_refused() -> None:
    found = utility({"a": [1e308, -1e308, 1.0]}, {"a": [1e308, -1e308, 2.0]})
    with pytest.raises(UndefinedMeasure, match="sd_before"):
        found.to_dict()


def test_a_regression_needs_something_that_explains() -> None:
    original = {"a": ["x"] * 5, "b": ["1", "2", "3", "4", "5"]}
    assert utility(original, {**original, "a": ["y"] * 5}, outcome="b").regression is None


def test_the_same_seed_gives_the_same_answer() -> None:
    original, treated = people(21_000), people(21_000, 9)
    first, second = (utility(original, treated, rng=4).propensity for _ in range(2))
    assert first == second
    assert utility(original, treated, rng=5).propensity != first


def test_census_is_compared_in_seconds(real_data: Path) -> None:
    original = read(real_data / "census_income_kdd_299285.csv.gz")
    ages = original["AAGE"]
    labels = np.array([f"{int(age) // 5 * 5}-{int(age) // 5 * 5 + 4}" for age in ages.values])
    frame = pl.read_csv(real_data / "census_income_kdd_299285.csv.gz", infer_schema=False)
    treated = read(frame.with_columns(AAGE=pl.Series(labels[ages.codes])))
    utility(original.take(np.arange(100)), treated.take(np.arange(100)), outcome="INCOME")
    began = time.process_time()
    found = utility(original, treated, outcome="INCOME")
    assert time.process_time() - began < 20
    assert [column.name for column in found.columns if column.changed] == ["AAGE"]
    assert found.compared_pairs == 300
    assert any("25 of 43 columns" in note for note in found.notes)
