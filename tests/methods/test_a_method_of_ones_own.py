"""A method in one file: once registered, it is in plans, assessments, reports and their schemas."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from pydantic import Field

import singleout as so
from singleout.assessment.plan.plan import Plan, plan_schema_text
from singleout.assessment.report.json import report_schema
from singleout.cli.screens.assess import show
from singleout.errors import BadChoice
from singleout.methods.method import Context, Measured, Method, Number
from singleout.methods.options import Count, Part
from singleout.methods.registry import added, methods
from singleout.report.content import Paragraph, Section
from singleout.report.schema import COUNT, or_none, record

# ---- the method


@dataclass(frozen=True)
class Commonplace:
    """Records of which all values are the most frequent of their columns."""

    records: int
    commonplace: int

    def to_dict(self) -> dict[str, Any]:
        return {"records": self.records, "commonplace": self.commonplace}

    def __str__(self) -> str:
        return f"{self.commonplace} of {self.records} records are commonplace"


class CommonplacePlan(Part):
    """How commonplace records are counted."""

    enabled: bool = Field(default=True, description="Whether to count them.")
    columns: Count = Field(default=2, description="How many columns to look at, at most.")


class CountCommonplace(Method):
    name = "commonplace"
    title = "Commonplace"
    options = CommonplacePlan
    about = "Records with nothing but the most frequent values."
    example = "{columns: 2}"
    schema = or_none(record({"records": COUNT, "commonplace": COUNT}), "Null if not counted.")

    def measure(self, context: Context) -> Measured:
        asked: CommonplacePlan = context.options[self.name]
        if not asked.enabled:
            return Measured()
        columns = [context.table[name] for name in context.known[: asked.columns]]
        common = [column.codes == np.bincount(column.codes).argmax() for column in columns]
        notes = (f"Commonplace looked at {len(columns)} columns.",)
        found = int(np.logical_and.reduce(common).sum())
        return Measured(Commonplace(context.table.rows, found), notes)

    def section(self, measured: Measured, options: Any) -> Section:
        if measured.result is None:
            return Section(self.name, self.title, (self.nothing(measured, options),))
        words = Paragraph(f"{measured.result}. {' '.join(measured.notes)}")
        return Section(self.name, self.title, (words,))

    def headline(self, result: Commonplace) -> tuple[tuple[str, str], ...]:
        return (("Commonplace records", str(result.commonplace)),)

    def terms(self) -> tuple[tuple[str, str], ...]:
        return (("Commonplace", "A record that looks like most others."),)

    def sources(self) -> tuple[str, ...]:
        return ("Anon. On the Commonplace.",)

    def sentences(self, result: Commonplace) -> tuple[str, ...]:
        return (f"{result}.",)

    def numbers(self, result: Commonplace) -> tuple[Number, ...]:
        return (Number("commonplace", "Commonplace records", "count", result.commonplace, None),)


# ---- what follows from its registration

DATA = {"age": [30, 30, 30, 41], "town": list("aaab"), "ill": ["flu", "flu", "HIV", "flu"]}
PLAN: dict[str, Any] = {
    "columns": {
        "age": {"role": "quasi-identifier", "exposure": "EE"},
        "town": {"role": "quasi-identifier", "exposure": "EE"},
        "ill": {"role": "sensitive", "moral": 4},
    },
    "methods": {"suda": {"enabled": False}},
}


def plan(**options: Any) -> dict[str, Any]:
    return {**PLAN, "methods": {**PLAN["methods"], "commonplace": options}}


@pytest.fixture
def registered() -> Iterator[Method]:
    with added(CountCommonplace()) as method:
        yield method


@pytest.fixture
def found(registered: Method) -> so.Assessment:  # noqa: ARG001
    return so.assess(DATA, PLAN)


@pytest.mark.usefixtures("registered")
def test_its_options_are_read_from_a_plan_checked_and_written_again() -> None:
    given = Plan.of(plan(columns="7"))
    assert given.methods.commonplace == CommonplacePlan(columns=7)
    assert Plan.parse(given.to_yaml()) == given
    assert pickle.loads(pickle.dumps(given)) == given
    assert Plan().methods.commonplace == CommonplacePlan()


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"columns": 0}, r"methods\.commonplace\.columns: 'columns' must be at least 1, not 0"),
        ({"kolumns": 1}, r"'kolumns' is not known here, but enabled, columns are; did you mean"),
    ],
)
def test_wrong_options_are_refused_in_a_sentence(options: dict[str, Any], said: str) -> None:
    with pytest.raises(BadChoice, match=said):
        Plan.of(plan(**options))


@pytest.mark.usefixtures("registered")
def test_it_is_in_the_schema_of_a_plan_and_in_a_guessed_one() -> None:
    schema = json.loads(plan_schema_text())
    assert list(schema["$defs"]["Methods"]["properties"])[-1] == "commonplace"
    check = Draft202012Validator(schema)
    assert check.is_valid(plan(columns=3))
    assert not check.is_valid(plan(columns="two"))
    assert not check.is_valid(plan(kolumns=3))
    assert "#  commonplace: {columns: 2}\n" in so.guessed_plan(so.read(DATA)).to_yaml()


def test_an_assessment_measures_it(found: so.Assessment) -> None:
    assert found.measured["commonplace"].result == Commonplace(4, 3)
    assert found.notes[-1] == "Commonplace looked at 2 columns."
    off = so.assess(DATA, plan(enabled=False))
    assert off.measured["commonplace"] == Measured()


def test_a_report_shows_it_or_says_why_not(found: so.Assessment, tmp_path: Path) -> None:
    text = found.report(tmp_path / "report.html").read_text("utf-8")
    assert 'id="commonplace"' in text
    assert "3 of 4 records are commonplace. Commonplace looked at 2 columns." in text
    assert "Commonplace records" in text  # beside the verdict
    assert "A record that looks like most others." in text
    assert "Anon. On the Commonplace." in text
    off = so.assess(DATA, plan(enabled=False)).report(tmp_path / "off.html").read_text("utf-8")
    assert "Commonplace was not run: the plan switches it off." in off


def test_report_json_holds_it_as_its_schema_says(found: so.Assessment) -> None:
    report = found.report_json()
    assert report["commonplace"] == {"records": 4, "commonplace": 3}
    check = Draft202012Validator(report_schema())
    assert check.is_valid(json.loads(json.dumps(report)))
    assert check.is_valid(so.assess(DATA, plan(enabled=False)).report_json())
    assert not check.is_valid({**report, "commonplace": {"records": -1, "commonplace": 3}})


def test_the_screen_says_it(found: so.Assessment, capsys: pytest.CaptureFixture[str]) -> None:
    show(found, top=0)
    assert "3 of 4 records are commonplace.\n" in capsys.readouterr().out


@pytest.mark.usefixtures("registered")
def test_two_versions_are_compared_by_it() -> None:
    changes = so.compare(DATA, {**DATA, "age": [30, 30, 41, 41]}, PLAN).changes
    (change,) = [change for change in changes if change.measure == "commonplace"]
    assert (change.before, change.after, change.effect) == (3, 2, None)


def test_without_registration_a_plan_does_not_know_it() -> None:
    published = Path(__file__).parents[2] / "docs" / "reference" / "plan.schema.json"
    before = Plan.of(PLAN)
    with added(CountCommonplace()):
        # a plan from before has the defaults
        assert so.assess(DATA, before).measured["commonplace"].result == Commonplace(4, 3)
    assert published.read_text("utf-8") == plan_schema_text()
    assert "commonplace" not in report_schema()["properties"]
    with pytest.raises(BadChoice, match="'commonplace' is not known here, but rating, identity"):
        Plan.of(plan())
    assert "commonplace" not in so.assess(DATA, PLAN).measured


def test_a_name_that_is_taken_is_refused() -> None:
    class Another(CountCommonplace):
        name = "suda"

    names = [method.name for method in methods()]
    with pytest.raises(BadChoice, match="There is a method 'suda' already"), added(Another()):
        pass
    assert [method.name for method in methods()] == names


def test_to_know_all_methods_waits_for_no_compiler() -> None:
    check = (
        "import sys; from singleout.assessment.plan.plan import Plan; Plan();"
        "sys.exit(bool({'numba', 'polars', 'altair', 'jinja2'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0
