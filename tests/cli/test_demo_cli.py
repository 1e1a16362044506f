"""`singleout demo`: the first thing that anybody sees."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from singleout.assessment.assess import assess
from singleout.assessment.plan.demo import demo_plan
from singleout.assessment.plan.plan import Plan
from singleout.cli import main
from singleout.cli.demo import REPORT
from singleout.core.choices import Role
from singleout.io.demo import demo


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    monkeypatch.chdir(tmp_path)

    def singleout(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["singleout", *map(str, words)])
        code = main._run()
        said = capsys.readouterr()
        return code, said.out, said.err

    return singleout


def test_it_measures_assesses_and_says_where_the_report_is(run: Any, tmp_path: Path) -> None:
    code, out, err = run("demo")
    assert (code, err) == (0, "")
    assert "PUMA+SEX+AGEP: 23 of 7,634 records (0.30%) can be singled out" in out
    assert "Severe risk (3 of 4) for a person of the population" in out
    assert "Critical (4 of 4) if somebody knows that the person is in it" in out
    assert "What to do first" in out
    assert f"The report is {REPORT}: open it in a browser." in out
    page = (tmp_path / REPORT).read_text(encoding="utf-8")
    assert "Five areas of Massachusetts" in page
    assert len(page) < 3_000_000


def test_a_report_that_is_there_is_kept_unless_forced(run: Any, tmp_path: Path) -> None:
    (tmp_path / REPORT).write_text("precious")
    code, out, _ = run("demo")
    assert code == 0
    assert "exists already in this folder and was left as it is" in out
    assert (tmp_path / REPORT).read_text() == "precious"
    assert run("demo", "--force")[0] == 0
    assert (tmp_path / REPORT).read_text(encoding="utf-8") != "precious"


def test_a_folder_that_cannot_be_written_to_does_not_stop_the_demo(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    code, out, _ = run("demo")
    assert code == 0
    assert "The report was not written: 'singleout-demo-report.html' cannot be written" in out
    code, out, err = run("demo", "--output", "x.html")  # here it was asked for
    assert (code, out) == (74, "")
    assert "Permission denied" in err


def test_json_comes_alone_and_writes_nothing_that_was_not_asked_for(
    run: Any, tmp_path: Path
) -> None:
    code, out, err = run("demo", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert len(answer["results"]) == 5
    assert answer["assessment"]["level"] == 3
    assert list(tmp_path.iterdir()) == []


def test_the_table_and_the_plan_can_be_saved_and_give_the_same(run: Any, tmp_path: Path) -> None:
    assert run("demo", "--save", "d.csv", "--save-plan", "p.yaml", "-o", "r.html")[0] == 0
    assert (tmp_path / "p.yaml").read_text(encoding="utf-8").startswith("# The plan of the demo")
    assert Plan.read(tmp_path / "p.yaml") == demo_plan()
    code, out, _ = run("assess", "d.csv", "--plan", "p.yaml", "--json")
    assert code == 1  # the policy of the demo is not met
    again = json.loads(out)
    assert again["level"] == 3
    assert again["anonymity"]["unique"] == assess(demo(), demo_plan()).anonymity.unique


@pytest.mark.parametrize("option", ["--output", "--save", "--save-plan", "--csv"])
def test_what_is_asked_for_is_written_over_nothing(run: Any, tmp_path: Path, option: str) -> None:
    (tmp_path / "x.html").write_text("precious")
    code, out, err = run("demo", option, "x.html")
    assert (code, out) == (2, "")
    assert "exists already" in err
    assert (tmp_path / "x.html").read_text() == "precious"


def test_the_plan_of_the_demo_speaks_of_every_column_and_agrees_with_the_dictionary() -> None:
    table, plan = demo(), demo_plan()
    assert plan.check(table) == ()
    assert set(plan.columns) == set(table.columns)
    known = {Role.QUASI_IDENTIFIER, Role.SENSITIVE}
    for column in table:
        role = plan.columns[column.name].role
        # a column has the role of the dictionary, or is one that adds nothing to another
        assert role == column.role or Role.OTHER in (role, column.role), column.name
        assert role not in known or plan.columns[column.name].severity or role != Role.SENSITIVE
