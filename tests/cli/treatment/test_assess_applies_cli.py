"""What assess advises can be applied: it ends with the commands, and they work."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import singleout as so
from run_command import singleout
from suggest_cases import KNOWN, PLAN, people


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with data and a plan, both with a blank in the name."""
    people().write_csv(tmp_path / "some people.csv")
    plan = so.Plan.of(PLAN | {"policy": {"k": 3, "highest_risk": 2}})
    (tmp_path / "my plan.yaml").write_text(plan.to_yaml(), encoding="utf-8")
    return tmp_path


def test_assess_ends_with_the_commands_that_apply_its_advice(folder: Path) -> None:
    done = singleout("assess", "some people.csv", "--plan", "my plan.yaml", cwd=folder)
    flat = " ".join((done.stdout + done.stderr).split())
    first = "singleout assess 'some people.csv' --plan 'my plan.yaml' --steps steps.yaml"
    second = "singleout treat 'some people.csv' steps.yaml -o OUT"
    assert f"{first}; {second}" in flat
    assert "singleout suggest 'some people.csv' --plan 'my plan.yaml'" in flat


def test_the_commands_do_what_the_advice_says(folder: Path) -> None:
    words = ["some people.csv", "--plan", "my plan.yaml"]
    singleout("assess", *words, "--steps", "steps.yaml", cwd=folder)
    found = so.assess(folder / "some people.csv", folder / "my plan.yaml")
    steps = so.Steps.of(folder / "steps.yaml")
    assert steps.sentences == found.steps.sentences
    done = singleout("treat", "some people.csv", "steps.yaml", "-o", "out.csv", cwd=folder)
    assert done.returncode == 0
    assert found.remedy is not None
    written = so.read(folder / "out.csv")
    left = [name for name in KNOWN if name in written.columns]
    assert so.anonymity_sets(written, left).k == found.remedy.after.k
    assert "name" not in written.columns
    assert written.rows == people().height - found.remedy.removed


def test_the_steps_are_not_written_over(folder: Path) -> None:
    (folder / "steps.yaml").write_text("mine")
    words = ["some people.csv", "--plan", "my plan.yaml", "--steps", "steps.yaml"]
    done = singleout("assess", *words, cwd=folder)
    assert done.returncode == 2
    assert (folder / "steps.yaml").read_text() == "mine"


def test_a_table_that_is_fine_needs_no_command(tmp_path: Path) -> None:
    frame = pl.DataFrame({"sex": ["f", "m"] * 100, "illness": ["a", "a", "b", "b"] * 50})
    frame.write_csv(tmp_path / "fine.csv")
    plan = so.Plan.of(
        {
            "columns": {
                "sex": {"role": "quasi-identifier", "exposure": "EE"},
                "illness": {"role": "sensitive", "moral": 2},
            },
            "policy": {"k": 5},
        }
    )
    (tmp_path / "plan.yaml").write_text(plan.to_yaml(), encoding="utf-8")
    done = singleout("assess", "fine.csv", "--plan", "plan.yaml", cwd=tmp_path)
    assert done.returncode == 0
    assert "singleout treat" not in done.stdout + done.stderr
