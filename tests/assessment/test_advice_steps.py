"""Advice as steps: applying them gives exactly the effect that was measured."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import singleout as so
from singleout.assessment.advice.actions import Action, ActionKind
from singleout.assessment.advice.as_steps import _groups
from singleout.assessment.advice.effect import Effect
from singleout.assessment.plan.demo import demo_plan
from singleout.errors import UndefinedMeasure
from singleout.treatment.hierarchies.merging import set_label
from suggest_cases import PLAN, people

MEASURES = ("qar", "suda", "contributions", "attackers", "attributes", "individual", "diversity")
SMALL = PLAN | {"policy": {"k": 3, "highest_risk": 2}}


def adult_plan() -> dict[str, Any]:
    known = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]
    return {
        "columns": {
            **{name: {"role": "quasi-identifier", "exposure": "EE"} for name in known},
            "salary-class": {"role": "sensitive", "material": 3},
        }
    }


class Case:
    """A table, its plan, and the assessment of both."""

    def __init__(self, data: Any, plan: Any) -> None:
        self.data, self.plan = data, so.Plan.of(plan)
        self.found = so.assess(data, self.plan)

    def effect(self, steps: so.Steps) -> dict[str, float]:
        """Return what an assessment says after some steps, as the effect of an action has it."""
        treated = so.treat(self.data, steps, plan=self.plan)
        assert isinstance(treated, so.Treated)
        names = [name for name in self.found.direct_identifiers if name in treated.table.columns]
        if names:  # the effect is that without them
            treated = so.treat(treated.table, [{"drop": names}])
            assert isinstance(treated, so.Treated)
        plan = self.plan.within(treated.table.columns).to_dict()
        off = {name: {"enabled": False} for name in MEASURES}  # they do not change the verdict
        plan["methods"] = {**plan.get("methods", {}), **off}
        again = so.assess(treated.table, plan, advice=False)
        risks = again.record_risks
        return Effect(
            treated.table.rows,
            again.level,
            risks.at_risk,
            float(risks.rate.mean()),
            again.anonymity.unique_share,
            again.anonymity.k,
        ).to_dict()


CASES = {
    "small": lambda data: Case(people(), SMALL),  # noqa: ARG005
    "demo": lambda data: Case(so.demo(), demo_plan()),  # noqa: ARG005
    "adult": lambda data: Case(so.read(data / "adult.csv"), adult_plan()),
}


@pytest.fixture(scope="module", params=list(CASES))
def case(request: pytest.FixtureRequest, real_data: Path) -> Case:
    found: Case = CASES[request.param](real_data)
    return found


def test_every_action_has_the_effect_that_it_says(case: Case) -> None:
    measured = [action for action in case.found.actions if action.after is not None]
    assert len(measured) >= 3
    for action in measured:
        assert action.after is not None
        assert len(action.steps), action.what
        assert case.effect(action.steps) == pytest.approx(action.after.to_dict()), action.what


def test_the_remedy_has_the_effect_that_it_says(case: Case) -> None:
    remedy = case.found.remedy
    assert remedy is not None
    assert case.effect(remedy.steps) == pytest.approx(remedy.after.to_dict())
    assert case.effect(case.found.steps) == pytest.approx(remedy.after.to_dict())


def test_steps_of_advice_are_the_same_from_a_file(case: Case) -> None:
    steps = case.found.steps
    again = so.Steps.of(steps.to_dict())
    assert again.sentences == steps.sentences
    assert so.Steps.of([*again]).to_yaml() == steps.to_yaml()


def test_who_knows_a_combination_knows_what_is_left_of_it() -> None:
    plan = so.Plan.of({**SMALL, "combinations": {"A neighbour": ["age", "sex"], "Work": ["job"]}})
    left = plan.within(["age", "region", "illness"])
    assert left.combinations == {"A neighbour": ["age"]}
    assert left.quasi_identifiers == ("age", "region")
    assert plan.within(people().columns).combinations == plan.combinations


@pytest.fixture(scope="module")
def small() -> Case:
    return Case(people(), SMALL)


def test_direct_identifiers_are_left_out_first(small: Case) -> None:
    first: Action = small.found.actions[0]
    assert first.kind == ActionKind.REMOVE_IDENTIFIER
    assert first.steps.to_dict()["steps"] == [{"drop": ["name"]}]
    assert small.found.steps.to_dict()["steps"][0] == {"drop": ["name"]}


def test_applied_advice_is_the_remedy_without_names(small: Case) -> None:
    treated = small.found.apply()
    remedy = small.found.remedy
    assert remedy is not None
    assert "name" not in treated.table.columns
    assert treated.table.rows == people().height - remedy.removed
    known = [name for name in remedy.table.columns if name in treated.table.columns]
    sets = so.anonymity_sets(treated.table, list(treated.known))
    assert (sets.k, sets.unique_share) == (remedy.after.k, remedy.after.unique_share)
    assert known
    assert treated.to_frame()["income"].to_list() == [
        people()["income"][row] for row in treated.applied.rows.tolist()
    ]


@pytest.mark.parametrize("extension", ["csv", "parquet"])
def test_advice_on_a_file_is_written_in_its_format(extension: str, tmp_path: Path) -> None:
    file = tmp_path / f"people.{extension}"
    frame = people().with_columns(pl.col("income").cast(pl.Int16))
    if extension == "csv":
        frame.write_csv(file, separator=";")
    else:
        frame.write_parquet(file)
    found = so.assess(file, SMALL)
    treated = found.apply()
    out = treated.write(tmp_path / f"out.{extension}")
    if extension == "csv":
        assert ";" in out.read_text().splitlines()[0]
    else:
        assert pl.read_parquet(out).schema["income"] == pl.Int16
    plan = so.Plan.of(SMALL).within(so.read(out).columns)
    again = so.assess(out, plan, advice=False)
    assert found.remedy is not None
    assert (again.level, again.anonymity.k) == (found.remedy.after.level, found.remedy.after.k)


def test_a_condition_selects_the_records_that_advice_is_applied_to(tmp_path: Path) -> None:
    file = tmp_path / "people.parquet"
    people().write_parquet(file)
    found = so.assess(file, SMALL, where="sex = 'f'")
    treated = found.apply()
    assert found.remedy is not None
    assert treated.original.rows == people().filter(pl.col("sex") == "f").height
    assert treated.table.rows == treated.original.rows - found.remedy.removed


def test_data_that_is_counted_elsewhere_is_not_treated_from_here(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    file = tmp_path / "people.duckdb"
    source = tmp_path / "people.parquet"
    people().write_parquet(source)
    with duckdb.connect(str(file)) as connection:
        connection.execute(f"CREATE TABLE people AS SELECT * FROM read_parquet('{source}')")
    found = so.assess(f"duckdb:///{file}#people", SMALL)
    assert found.counted
    with pytest.raises(UndefinedMeasure, match='engine="local", which fetches them'):
        found.apply()


def spelled_alike() -> Any:
    import pandas as pd

    columns = {"a": [1, "1", 2, "2", 3, "3", 1, "1"], "b": list("xyzwvutx")}
    return pd.DataFrame(columns, dtype=object)


@pytest.mark.parametrize(
    "data",
    [
        spelled_alike(),
        pl.DataFrame({"a": pl.Series(range(8)).cast(pl.Time), "b": list("xyzwvutx")}),
    ],
)
def test_values_that_are_spelled_alike_keep_nobody_from_an_assessment(data: Any) -> None:
    known = {"role": "quasi-identifier"}
    found = so.assess(data, {"columns": {"a": known, "b": known}})
    assert found.actions
    assert any(action.steps for action in found.actions)


def test_advice_that_no_step_can_say_has_no_steps() -> None:
    before = so.read(spelled_alike())
    codes = {(type(value), value): code for code, value in enumerate(before["a"].values)}
    groups = [0] * len(codes)
    for value in ("1", "2", "3"):
        groups[codes[str, value]] = 1  # the texts, and not the numbers
    column = before["a"]
    assert _groups(column, np.array(groups)) is None
    whole = np.zeros(len(codes), dtype=np.int64)
    assert _groups(column, whole) == {set_label(column, range(6)): ["1", "2", "3"]}
