"""Suggestions: each policy alone and together, what is held fixed, what cannot be reached."""

from __future__ import annotations

import json
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.typing import NDArray

import singleout as so
from singleout.assessment.advice.as_steps import rule_of
from singleout.assessment.suggest import ways
from singleout.assessment.suggest.search import Search
from singleout.assessment.suggest.state import Measuring, State
from singleout.core.progress import ask_to_stop, stop_asked, stoppable
from singleout.core.table import Table
from singleout.errors import BadChoice, UnknownColumns
from singleout.treatment.hierarchies.propose import propose
from singleout.treatment.steps.models import Recode
from suggest_cases import KNOWN, PLAN, measured, people

POPULATION = PLAN | {"population": {"size": 30_000}}
POLICIES: list[dict[str, Any]] = [
    {"k": 5},
    {"distinct_l": 3},
    {"t": 0.3},
    {"highest_risk": 2},
    {"unique_share": 0.0},
    {"records_at_risk": 0.0},
    {"qar": 0.05},
    {"k": 5, "distinct_l": 3, "t": 0.4, "highest_risk": 2, "records_at_risk": 0.0, "qar": 0.05},
]


def suggested(policy: dict[str, Any], plan: Any = PLAN, **options: Any) -> so.Suggestion:
    return so.suggest(people(), plan, **policy, **options)


@pytest.fixture(scope="module")
def found() -> so.Suggestion:
    """Classes of five."""
    return suggested({"k": 5})


# ---- policies


@pytest.mark.parametrize("method", ["local", "full-domain"])
@pytest.mark.parametrize("policy", POLICIES, ids="+".join)
def test_a_policy_is_reached_and_the_written_file_keeps_it(
    policy: dict[str, Any], method: str, tmp_path: Path
) -> None:
    suggestion = suggested(policy, method=method)
    assert suggestion.reached
    assert suggestion.complete
    assert suggestion.unmet == suggestion.blocked == ()
    assert suggestion.suppressed == 0
    assert 0 < suggestion.loss < 1
    after, limits = suggestion.after, suggestion.goal.limits
    assert limits == policy
    for name, limit in limits.items():
        value = getattr(after, name)
        assert value >= limit if name in ("k", "distinct_l") else value <= limit
    out = suggestion.apply().write(tmp_path / "out.csv")
    assert measured(out, PLAN) == {
        "records": 300,
        "k": after.k,
        "unique_share": after.unique_share,
        "highest_risk": after.highest_risk,
    }
    written = so.read(out)
    assert "name" not in written.columns
    diversity = so.diversity(written, KNOWN, "illness")
    if after.distinct_l is not None:
        assert diversity.distinct_l == after.distinct_l
        assert diversity.t == pytest.approx(after.t)
    if after.qar is not None:
        assert so.qar(written, KNOWN).risk == pytest.approx(after.qar)


def test_the_population_that_is_unique_is_a_policy_where_the_plan_states_it(tmp_path: Path) -> None:
    before = so.population_uniqueness(people(), KNOWN, so.Population(size=30_000))
    assert before.best.share is not None
    limit = before.best.share / 20
    suggestion = suggested({"population_uniqueness": limit}, POPULATION)
    assert suggestion.before.population_uniqueness == pytest.approx(before.best.share)
    assert suggestion.reached
    assert suggestion.after.population_uniqueness is not None
    assert suggestion.after.population_uniqueness <= limit
    assert len(suggestion.steps) == 2
    out = suggestion.apply().write(tmp_path / "out.csv")
    again = so.population_uniqueness(out, KNOWN, so.Population(size=30_000))
    assert again.sample_unique == 0 or again.best.share == pytest.approx(
        suggestion.after.population_uniqueness
    )


def test_without_a_population_its_uniqueness_cannot_be_reached() -> None:
    suggestion = suggested({"population_uniqueness": 0.01})
    assert not suggestion.reached
    assert suggestion.unmet == (
        "Population uniqueness could not be estimated; the plan must state the population.",
    )
    assert suggestion.loss == 0


def test_a_stricter_policy_costs_at_least_as_much() -> None:
    losses = [suggested({"k": k}).loss for k in (2, 3, 5, 10, 30)]
    assert losses == sorted(losses)
    assert losses[0] < losses[-1]
    alone = suggested({"k": 5}).loss
    assert suggested({"k": 5, "distinct_l": 3}).loss >= alone
    assert suggested({"k": 5}, method="full-domain").loss > alone


def test_the_policy_of_a_plan_is_replaced_by_what_is_asked() -> None:
    plan = PLAN | {"policy": {"k": 3, "unique_share": 0.5}}
    assert so.suggest(people(), plan).goal.limits == {"k": 3, "unique_share": 0.5}
    assert so.suggest(people(), plan, k=4).goal.limits == {"k": 4, "unique_share": 0.5}


# ---- what needs nothing


@pytest.mark.parametrize("method", ["local", "full-domain"])
def test_a_file_that_is_safe_needs_nothing(method: str) -> None:
    frame = pl.DataFrame(
        {
            "sex": ["f", "m"] * 300,
            "region": ["n", "n", "s", "s"] * 150,
            "illness": ["flu"] * 200 + ["cold"] * 200 + ["none"] * 200,
        }
    )
    suggestion = so.suggest(
        frame,
        quasi_identifiers=["sex", "region"],
        sensitive="illness",
        method=method,
        k=50,
        distinct_l=3,
        t=0.1,
        highest_risk=2,
        unique_share=0.0,
        records_at_risk=0.0,
    )
    assert suggestion.reached
    assert len(suggestion.steps) == 0
    assert suggestion.loss == 0
    assert set(suggestion.loss_by_column.values()) == {0.0}
    assert suggestion.after == suggestion.before
    assert suggestion.apply().to_frame().equals(frame)
    assert suggestion.explained.height == 0
    assert str(suggestion).startswith("The table keeps the policy")


def test_a_share_of_unique_records_that_is_accepted_is_left_alone() -> None:
    share = so.anonymity_sets(people(), KNOWN).unique_share
    suggestion = so.suggest(people(), quasi_identifiers=KNOWN, unique_share=share)
    assert suggestion.loss == 0
    assert len(suggestion.steps) == 0


def test_direct_identifiers_go_even_if_the_policy_is_kept() -> None:
    suggestion = suggested({"k": 1})
    assert suggestion.steps.to_dict()["steps"] == [{"drop": ["name"]}]
    assert suggestion.apply().to_frame().equals(people().drop("name"))


# ---- what a treatment may do


@pytest.mark.parametrize("method", ["local", "full-domain"])
@pytest.mark.parametrize("fixed", [["region"], ["sex", "region"]])
def test_fixed_columns_are_never_touched(method: str, fixed: list[str], tmp_path: Path) -> None:
    suggestion = suggested({"k": 3}, fixed=fixed, method=method)
    # every combination of them is shared by three, so the other columns can be generalised enough
    assert so.anonymity_sets(people(), fixed).k >= 3
    assert suggestion.reached
    assert suggestion.suppressed == 0
    written = pl.read_csv(suggestion.apply().write(tmp_path / "out.csv"))
    for name in fixed:
        assert written[name].to_list() == people()[name].to_list()
        assert suggestion.loss_by_column[name] == 0
    assert so.anonymity_sets(written, KNOWN).k >= 3


@pytest.mark.parametrize("method", ["local", "full-domain"])
def test_records_that_a_fixed_column_gives_away_are_removed_if_that_is_accepted(
    method: str,
) -> None:
    suggestion = suggested({"k": 5}, fixed="age", max_suppressed=0.6, method=method)
    sizes = people().group_by("age").len().filter(pl.col("len") < 5)["len"].sum()
    assert suggestion.reached
    assert suggestion.suppressed == sizes  # nobody else had to go
    treated = suggestion.apply()
    left = people()["age"].gather(treated.applied.rows)
    assert treated.to_frame()["age"].to_list() == left.to_list()
    assert treated.removed == sizes
    assert so.anonymity_sets(treated.table, KNOWN).k == suggestion.after.k >= 5


@pytest.mark.parametrize("method", ["local", "full-domain"])
def test_no_column_goes_beyond_its_highest_level(method: str) -> None:
    proposed = so.hierarchies(people(), KNOWN)["age"]
    suggestion = suggested(
        {"k": 3},
        highest={"age": 2},
        hierarchies={"age": proposed},
        method=method,
    )
    allowed = {str(label) for row in proposed.rows for label in row[:3]}
    shown = suggestion.apply().to_frame()["age"].cast(pl.String)
    assert suggestion.reached
    assert set(shown) <= allowed
    assert so.anonymity_sets(suggestion.apply().table, KNOWN).k >= 3


def test_less_freedom_never_loses_less_where_the_optimum_is_found() -> None:
    free = suggested({"k": 3}, method="full-domain")
    held = suggested({"k": 3}, method="full-domain", highest={"age": 2})
    assert held.reached
    assert held.levels["age"] <= 2
    assert held.loss >= free.loss


@pytest.mark.parametrize("method", ["local", "full-domain"])
def test_importance_lowers_the_loss_of_its_column(method: str) -> None:
    plain = suggested({"k": 5}, method=method)
    worst = max(plain.loss_by_column, key=plain.loss_by_column.__getitem__)
    matters = suggested({"k": 5}, method=method, importance={worst: 50})
    assert matters.loss_by_column[worst] < plain.loss_by_column[worst]
    assert matters.reached


def test_no_more_records_are_suppressed_than_accepted() -> None:
    for share in (0.0, 0.02, 0.05, 0.3):
        suggestion = suggested({"k": 5}, method="full-domain", max_suppressed=share)
        assert suggestion.reached
        assert suggestion.suppressed <= share * 300
        treated = suggestion.apply()
        blank = treated.to_frame().select(pl.all_horizontal(pl.col(KNOWN).is_null()))
        assert blank.to_series().sum() + treated.removed == suggestion.suppressed
        assert so.anonymity_sets(treated.table, KNOWN).k == suggestion.after.k >= 5
    losses = [
        suggested({"k": 5}, method="full-domain", max_suppressed=share).loss
        for share in (0.0, 0.05, 0.3)
    ]
    assert losses == sorted(losses, reverse=True)


def test_a_few_records_may_go_where_that_saves_many() -> None:
    """Ten with an illness that nobody else has are far from the others, who need no change."""
    frame = pl.DataFrame(
        {
            "town": ["a"] * 60 + ["b"] * 60 + ["z"] * 5,
            "illness": (["flu", "cold", "none"] * 20) * 2 + ["hiv"] * 5,
        }
    )
    options: dict[str, Any] = {
        "quasi_identifiers": ["town"], "sensitive": "illness", "distinct_l": 3,
    }  # fmt: skip
    without = so.suggest(frame, **options)
    suggestion = so.suggest(frame, max_suppressed=0.05, **options)
    assert without.reached
    assert without.suppressed == 0
    assert suggestion.reached
    assert suggestion.suppressed <= 0.05 * frame.height
    assert suggestion.loss <= without.loss


@pytest.mark.parametrize("metric", ["loss", "geometric", "entropy"])
def test_each_metric_reaches_the_policy(metric: str) -> None:
    suggestion = suggested({"k": 5}, method="full-domain", metric=metric, max_suppressed=0.05)
    assert suggestion.reached
    assert set(suggestion.levels) == set(KNOWN)
    if metric == "loss":
        treated = suggestion.apply()
        assert treated.loss is not None
        assert suggestion.loss == pytest.approx(treated.loss.loss)


def test_the_loss_is_that_of_the_treated_table(found: so.Suggestion) -> None:
    treated = found.apply()
    assert treated.loss is not None
    assert treated.loss.loss == pytest.approx(found.loss)
    by_column = {column.name: column.loss for column in treated.loss.columns}
    assert by_column == pytest.approx(found.loss_by_column)
    assert found.loss == pytest.approx(np.mean(list(found.loss_by_column.values())))


# ---- what else it tells


def test_the_frontier_goes_from_little_loss_to_small_risk(found: so.Suggestion) -> None:
    frame = found.frontier
    assert frame["loss"].to_list() == sorted(frame["loss"])
    by_size = frame.sort("classes_of")
    assert {2, 3, 5, 10, 20, 50} <= set(by_size["classes_of"])
    assert by_size["loss"].to_list() == sorted(by_size["loss"])
    assert by_size["k"].to_list() == sorted(by_size["k"])
    assert frame["suggested"].sum() == 1
    chosen = frame.row(by_predicate=pl.col("suggested"), named=True)
    assert (chosen["k"], chosen["loss"], chosen["met"]) == (found.after.k, found.loss, True)
    cheaper = frame.filter(pl.col("met") & (pl.col("loss") < found.loss))
    assert cheaper.height == 0
    assert found.to_frame().equals(frame)


def test_each_step_says_what_it_buys_and_costs() -> None:
    suggestion = suggested({"k": 5}, method="full-domain", max_suppressed=0.05)
    rows = suggestion.explained
    assert rows["step"].to_list() == list(range(1, len(suggestion.steps) + 1))
    assert rows["what"].to_list() == list(suggestion.steps.sentences)
    assert rows["loss"].sum() == pytest.approx(suggestion.loss)
    assert rows["k_before"][0] == suggestion.before.k
    assert rows["k_after"][-1] == suggestion.after.k
    assert rows["k_before"].to_list()[1:] == rows["k_after"].to_list()[:-1]
    assert rows["level_after"][-1] == suggestion.after.highest_risk
    assert rows["unique_after"][-1] == suggestion.after.unique_share


def test_one_more_step_is_tried_without_taking_it(found: so.Suggestion, tmp_path: Path) -> None:
    tried = found.what_if({"drop": ["job"]})
    steps = so.Steps.of([*found.steps.to_dict()["steps"], {"drop": ["job"]}])
    treated = so.treat(people(), steps, plan=PLAN)
    out = treated.write(tmp_path / "out.csv")
    assert tried.state.k == measured(out, PLAN)["k"]
    assert tried.state.highest_risk == measured(out, PLAN)["highest_risk"]
    others = [loss for name, loss in found.loss_by_column.items() if name != "job"]
    assert tried.loss == pytest.approx((sum(others) + 1) / 4)
    assert tried.sentence == "Column left out: job."
    nothing = found.what_if({"recode": "income", "width": 1000})
    assert nothing.state == found.after
    assert nothing.loss == pytest.approx(found.loss)


def test_the_picture_has_a_point_for_each_treatment(found: so.Suggestion) -> None:
    chart = found.plot().to_dict()
    rows = (
        next(iter(chart["datasets"].values())) if "datasets" in chart else chart["data"]["values"]
    )
    assert len(rows) == found.frontier.height
    assert [row["loss"] for row in rows] == found.frontier["loss"].to_list()
    assert sum(row["kind"] == "suggested" for row in rows) == 1


def test_everything_is_in_its_dict(found: so.Suggestion) -> None:
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert plain["reached"] is True
    assert plain["goal"] == {"k": 5}
    assert plain["loss"] == found.loss
    assert plain["after"]["k"] == found.after.k
    assert len(plain["frontier"]) == found.frontier.height
    assert so.Steps.of(plain["steps"]).sentences == found.steps.sentences


def test_it_is_one_line_in_a_session(found: so.Suggestion) -> None:
    assert "\n" not in repr(found)
    assert repr(found).startswith("Suggestion(")
    assert "k from 1 to 5" in str(found)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"method": "full-domain", "max_suppressed": 0.05},
        {"distinct_l": 3, "t": 0.4, "importance": {"age": 3}},
        {"highest_risk": 2},
    ],
    ids=str,
)
def test_its_steps_make_the_same_table_from_a_file(options: dict[str, Any], tmp_path: Path) -> None:
    suggestion = suggested({"k": 5}, **options)
    file = tmp_path / "steps.yaml"
    file.write_text(suggestion.steps.to_yaml(), encoding="utf-8")
    again = so.treat(people(), file)
    assert isinstance(again, so.Treated)
    assert again.to_frame().equals(suggestion.apply().to_frame())


def test_names_of_people_are_in_no_log(found: so.Suggestion) -> None:
    log = found.apply().log
    assert log.filter(pl.col("column") == "name").rows() == [(1, "name", None, None, 300)]
    age = log.filter(pl.col("column") == "age")
    assert age["records"].sum() == sum(
        str(old) != new
        for old, new in zip(people()["age"], found.apply().to_frame()["age"], strict=True)
    )


def test_twice_the_same(found: so.Suggestion) -> None:
    again = suggested({"k": 5})
    assert again.steps.to_yaml() == found.steps.to_yaml()
    assert again.loss == found.loss
    assert again.apply().to_frame().equals(found.apply().to_frame())
    assert again.frontier.equals(found.frontier)


def test_the_data_is_as_it_was() -> None:
    frame = people()
    so.suggest(frame, PLAN, k=5).apply()
    assert frame.equals(people())


# ---- interrupted


def test_an_interruption_gives_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    measure, calls = Measuring.__call__, []

    def interrupted(self: Measuring, table: Table, rows: NDArray[Any] | None = None) -> State:
        calls.append(table)
        if len(calls) > 2:  # the table itself, and the first trial
            raise KeyboardInterrupt
        return measure(self, table, rows)

    monkeypatch.setattr(Measuring, "__call__", interrupted)
    suggestion = suggested({"qar": 0.05})
    assert len(calls) == 3
    assert not suggestion.complete
    assert not suggestion.reached
    assert any("stopped" in note for note in suggestion.notes)
    monkeypatch.undo()
    table = suggestion.apply().table
    assert so.anonymity_sets(table, KNOWN).k == suggestion.after.k


def test_an_interruption_of_the_first_search_gives_what_it_had_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stop() -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(ways, "search", partial(ways.search, stop=stop))
    suggestion = suggested({"k": 5}, method="full-domain")
    assert suggestion.reached
    assert suggestion.after.k >= 5
    assert not suggestion.complete
    assert any("stopped" in note for note in suggestion.notes)


def test_a_search_that_ends_for_its_size_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ways, "search", partial(ways.search, most=3))
    suggestion = suggested({"k": 5}, method="full-domain")
    assert suggestion.reached
    assert not suggestion.complete
    assert any("best of 3 that were looked at" in note for note in suggestion.notes)


def test_an_interruption_before_anything_was_found_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Measuring, table: Table) -> State:  # noqa: ARG001
        raise KeyboardInterrupt

    monkeypatch.setattr(Measuring, "__call__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        suggested({"k": 5})


# ---- what cannot be reached


@pytest.mark.parametrize("method", ["local", "full-domain"])
def test_a_severity_too_high_for_the_level_is_said(method: str) -> None:
    suggestion = suggested({"highest_risk": 1}, method=method)
    assert not suggestion.reached
    assert suggestion.after.highest_risk == 2
    assert suggestion.unmet == ("The risk level is 2, and at most 1 is asked for.",)
    assert "a value of 'illness' is too severe" in suggestion.blocked[0]
    assert "risk level 1 Minor" in suggestion.blocked[0]
    assert str(suggestion).startswith("No treatment that was tried reaches the policy.")
    json.dumps(suggestion.to_dict(), allow_nan=False)


@pytest.mark.parametrize("method", ["local", "full-domain"])
def test_more_records_than_the_table_has_cannot_share_a_combination(method: str) -> None:
    suggestion = suggested({"k": 301}, method=method)
    assert not suggestion.reached
    assert suggestion.after.k == 300  # as near as it gets
    assert suggestion.blocked == (
        "The table has 300 records, fewer than the 301 that are to share each combination.",
    )
    assert suggestion.unmet == ("k is 300, and at least 301 is asked for.",)
    assert suggested({"k": 300}, method=method).reached


@pytest.mark.parametrize("method", ["local", "full-domain"])
def test_more_values_than_there_are_cannot_be_in_a_class(method: str) -> None:
    suggestion = suggested({"distinct_l": 6}, method=method)
    assert not suggestion.reached
    assert suggestion.after.distinct_l == 5
    assert "'illness' has 5 different values, fewer than the 6" in suggestion.blocked[0]


@pytest.mark.parametrize("method", ["local", "full-domain"])
def test_a_fixed_column_that_breaks_the_policy_by_itself_is_named(method: str) -> None:
    assert so.anonymity_sets(people(), ["age"]).k < 5
    suggestion = suggested({"k": 5}, fixed="age", method=method)
    assert not suggestion.reached
    assert suggestion.blocked == ("These columns may not be generalised further: 'age'.",)
    assert "would be suppressed, which is more than is accepted" in suggestion.unmet[0]
    everything = suggested({"k": 5}, fixed=KNOWN, method=method)
    assert not everything.reached
    assert everything.after == everything.before
    assert everything.unmet == ("k is 1, and at least 5 is asked for.",)
    assert everything.loss == 0


def test_without_a_sensitive_column_its_values_cannot_be_counted() -> None:
    suggestion = so.suggest(people(), quasi_identifiers=KNOWN, distinct_l=3)
    assert not suggestion.reached
    assert "no sensitive column" in suggestion.unmet[0]


# ---- what is refused


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "There is no policy to reach"),
        ({"k": 0}, "k"),
        ({"k": 5, "method": "locl"}, "'locl' is not a method; choose local, full-domain or cells."),
        ({"k": 5, "metric": "cost"}, "'cost' is not a metric"),
        ({"k": 5, "max_suppressed": 2}, "max_suppressed"),
        ({"k": 5, "importance": {"age": 0}}, "The importance of 'age' must be a number above 0"),
        ({"k": 5, "importance": {"ag": 1}}, "importance has 'ag'"),
        ({"k": 5, "fixed": "income"}, "^fixed has 'income'"),
        ({"k": 5, "fixed": "nope"}, "^fixed has 'nope'"),
        ({"k": 5, "highest": {"nope": 1}}, "^highest has 'nope'"),
        ({"k": 5, "fixed": "age", "highest": {"age": 2}}, "'age' is fixed, and highest lets it go"),
        ({"k": 5, "highest": {"age": -1}}, "highest of 'age'"),
        ({"k": 5, "sensitive": "age"}, "to be a quasi-identifier and sensitive"),
        ({"highest_risk": 5}, "highest_risk is a level from 1"),
        ({"qar": 0}, "qar is the largest T"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadChoice, match=sentence):
        so.suggest(people(), quasi_identifiers=KNOWN, **options)


def test_a_table_without_anything_to_know_is_refused() -> None:
    plan = {"columns": {"illness": {"role": "sensitive", "moral": 4}}}
    with pytest.raises(BadChoice, match="no quasi-identifier to treat"):
        so.suggest(people(), plan, k=5)


# ---- single cells


def test_cells_are_blanked_and_nothing_becomes_another_value(tmp_path: Path) -> None:
    people = {
        "age": [20, 20, 20, 30, 30, 30, 40, 41],
        "sex": ["f", "f", "f", "m", "m", "m", "f", "f"],
    }
    found = so.suggest(people, quasi_identifiers=["age", "sex"], k=2, method="cells")
    assert found.reached
    treated = found.apply().to_frame()
    assert treated["age"].to_list() == [20, 20, 20, 30, 30, 30, None, None]
    assert treated["sex"].to_list() == people["sex"]
    assert found.best.treatment.blanked == pytest.approx(2 / 16)
    file = tmp_path / "treated.csv"
    found.apply().write(file)
    assert so.anonymity_sets(file, ["age", "sex"]).k == found.after.k == 2


def test_more_blank_cells_than_are_accepted_are_told() -> None:
    people = {"age": list(range(12)), "sex": ["f", "m"] * 6}
    asked = {"quasi_identifiers": ["age", "sex"], "k": 3, "method": "cells"}
    assert so.suggest(people, **asked).reached
    few = so.suggest(people, **asked, max_cells=0.1)
    assert not few.reached
    assert few.unmet == ("50.0% of the cells would be blanked, which is more than is accepted.",)


@pytest.mark.parametrize(
    ("method", "option"),
    [
        ("cells", {"fixed": ["sex"]}),
        ("cells", {"highest": {"sex": 0}}),
        ("cells", {"max_suppressed": 0.1}),
        ("cells", {"hierarchies": {"sex": [["f", "*"], ["m", "*"]]}}),
        ("local", {"max_cells": 0.1}),
        ("local", {"metric": "entropy"}),
    ],
)
def test_options_that_a_method_would_ignore_are_refused(
    method: str, option: dict[str, Any]
) -> None:
    people = {"age": [1, 2, 3], "sex": ["f", "m", "f"]}
    name = next(iter(option))
    with pytest.raises(so.SingleoutError, match=f"{name} has no meaning for the method {method}"):
        so.suggest(people, quasi_identifiers=["age", "sex"], k=2, method=method, **option)


def test_the_loss_of_a_suggestion_is_that_of_the_treated_table_where_values_are_missing() -> None:
    data = {"a": [2, None, 2, 2, None, 1, None, 1], "b": list("xxzxxxzx")}
    asked: dict[str, Any] = {"quasi_identifiers": ["a", "b"], "k": 2}
    for method in ("full-domain", "local", "cells"):
        more = {} if method == "cells" else {"max_suppressed": 0.4}
        found = so.suggest(data, method=method, **asked, **more)
        treated = found.apply()
        assert found.loss == pytest.approx(treated.loss.loss)
        assert found.suppressed == treated.loss.suppressed
    # two records of eight are suppressed, and what was missing in others tells what it did
    found = so.suggest(data, method="full-domain", max_suppressed=0.4, **asked)
    assert found.loss_by_column == pytest.approx({"a": 0.25, "b": 0.25})
    third = 1 / 3
    shares = found.apply().shares("a").tolist()
    assert shares == pytest.approx([third, third, 1, third, third, third, 1, third])


def test_names_of_columns_that_are_no_text_or_empty_are_dealt_with_in_one_sentence() -> None:
    unnamed = pl.DataFrame({"a": [1, 1, 2, 3], "": [1, 2, 3, 4]})
    with pytest.raises(BadChoice, match=r"^A column without a name cannot be treated; rename"):
        so.suggest(unnamed, quasi_identifiers=["a", ""], k=2)
    pairs = pd.DataFrame({("x", "a"): [1, 1, 2, 2], ("x", "b"): [1, 2, 3, 4]})
    with pytest.raises(
        UnknownColumns, match=r"^Columns not found: \[\('x', 'a'\)\]\. .*Did you mean"
    ):
        so.read(pairs, columns=[("x", "a")])
    numbered = pd.DataFrame({1: [1, 1, 2, 2, 9], 2: [1, 2, 3, 4, 5]})
    found = so.suggest(numbered, quasi_identifiers=[1, 2], k=2, highest={1: 1}, importance={2: 2})
    assert found.columns == ("1", "2")


def test_columns_that_look_like_names_and_that_nobody_spoke_of_are_noted() -> None:
    data = {
        "name": [f"Ann Smith {number}" for number in range(20)],
        "ssn": [f"{123456789 + 7919 * number}" for number in range(20)],
        "age": list(range(20, 40)),
    }
    found = so.suggest(data, quasi_identifiers=["age"], k=5)
    assert found.apply().table.columns == ("name", "ssn", "age")
    told = "'name', 'ssn' look like direct identifiers and stay in the data; drop them, or name "
    assert [note for note in found.notes if note.startswith(told)]
    plan: dict[str, Any] = {
        "columns": {"age": {"role": "quasi-identifier"}, "name": {"role": "direct-identifier"}}
    }
    found = so.suggest(data, plan, k=5)
    assert found.apply().table.columns == ("ssn", "age")
    told = "'ssn' looks like a direct identifier and stays in the data; drop it, or name it in "
    assert [note for note in found.notes if note.startswith(told)]
    plan["columns"]["ssn"] = {"role": "other"}
    assert not [note for note in so.suggest(data, plan, k=5).notes if "looks like" in note]
    guessed = so.suggest(data, k=5)
    assert guessed.apply().table.columns == ("age",)
    assert not [note for note in guessed.notes if "look" in note]


def test_levels_of_proposed_hierarchies_are_rules_where_these_publish_the_same() -> None:
    rng = np.random.default_rng(4)
    days = [date(1940, 1, 1) + timedelta(days=int(day)) for day in rng.integers(0, 25_000, 400)]
    frame = pl.DataFrame(
        {
            "age": [None if age < 20 else int(age) for age in rng.integers(18, 90, 400)],
            "born": days,
            "income": rng.integers(-40_000, 90_000, 400),
            "job": rng.choice(["baker", "nurse", "clerk"], 400),
        }
    )
    for column in so.read(frame):
        hierarchy = propose(column)
        for level in range(1, hierarchy.fit(column).levels):
            rows = Recode(recode=column.name, hierarchy=hierarchy, level=level)
            rule = rule_of(column, hierarchy, level)
            if rule is None:
                continue
            assert not rule.holds_values
            long, short = so.treat(frame, [rows]), so.treat(frame, [rule])
            assert short.loss.loss == pytest.approx(long.loss.loss)
            names = [[str(v) for v in one.to_frame()[column.name]] for one in (long, short)]
            assert names[0] == names[1]
    found = so.suggest(frame, quasi_identifiers=["born"], k=3, method="full-domain")
    assert found.reached
    assert found.steps.to_dict()["steps"] == [{"recode": "born", "date": "decade"}]
    assert found.loss == pytest.approx(found.apply().loss.loss)
    assert not any(str(day) in found.steps.to_yaml() for day in days)


def test_one_level_a_column_also_where_values_are_spelled_alike() -> None:
    import pandas as pd

    columns = {"a": [1, "1", 2, "2", 3, "3", 1, "1"], "b": list("xyzwvutx")}
    data = pd.DataFrame(columns, dtype=object)
    found = so.suggest(data, quasi_identifiers=["a", "b"], k=2, method="full-domain")
    published = found.apply().to_frame()
    assert found.after.k >= 2
    assert published.groupby(["a", "b"]).size().min() >= 2  # of pandas, as the data
    fixed = so.suggest(
        data, quasi_identifiers=["a", "b"], k=2, method="full-domain", highest={"a": 0}
    )
    assert fixed.apply().table["a"].values == so.read(data)["a"].values


def test_who_asks_to_stop_gets_the_best_so_far() -> None:
    class Asking(Measuring):
        """Asks to stop while the first treatment is measured."""

        def __call__(self, table: Table, rows: NDArray[Any] | None = None) -> State:
            ask_to_stop()
            return super().__call__(table, rows)

    whole = so.suggest(people(), PLAN, qar=0.0001)
    search = whole._search
    again = Search(
        whole.goal,
        search.dilutions,
        search.way,
        Asking(whole.plan, frozenset(whole.goal.limits)),
        whole.before,
        search.records,
    )
    with stoppable():
        best = again.run()
    assert again.stopped
    assert len(again.trials) == 1 < len(search.trials)
    assert best is next(iter(again.trials.values()))


def test_a_request_to_stop_ends_with_the_search_that_it_was_for() -> None:
    ask_to_stop()  # nothing is running
    assert not stop_asked()
    with stoppable():
        ask_to_stop()
        assert stop_asked()
    assert not stop_asked()
