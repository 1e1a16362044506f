"""`singleout compare` as a user meets it."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from singleout.cli import main
from singleout.io.fingerprint import fingerprint

BEFORE = """age,gender,country,disease
21,M,France,Colds
24,M,France,Flu
33,F,Italy,HIV
35,F,Italy,Cancer
"""
AFTER = """age,gender,disease
2*,M,Colds
2*,M,Flu
3*,F,HIV
3*,,Cancer
"""
PLAN = """columns:
  age: {role: quasi-identifier, exposure: EE}
  gender: {role: quasi-identifier, exposure: EE}
  country: {role: quasi-identifier, exposure: ER}
  disease: {role: sensitive, moral: 4}
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    for name, text in (("before.csv", BEFORE), ("after.csv", AFTER), ("plan.yaml", PLAN)):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)

    def singleout(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["singleout", *map(str, words)])
        code = main._run()
        said = capsys.readouterr()
        return code, said.out, said.err

    return singleout


def test_it_shows_both_versions_side_by_side(run: Any) -> None:
    code, out, err = run("compare", "before.csv", "after.csv", "--plan", "plan.yaml")
    assert (code, err) == (0, "")
    assert "Before: before.csv, 4 records, 4 columns" in out
    assert "After: after.csv, 4 records, 3 columns" in out
    assert "1 column and 1 value lost, 4 values changed." in out
    lines = {line.strip().split("  ")[0]: line.split() for line in out.splitlines() if line.strip()}
    assert lines["Share of unique records"][-4:] == ["1.0000", "0.5000", "−0.5000", "better"]
    assert lines["Records in the smallest set (k)"][-3:] == ["1", "1", "0"]
    assert lines["Cells that lost their value"][-3:] == ["0", "1", "+1"]
    assert lines["Discrimination rate of all of ER"][-2:] == ["–", "–"]
    assert "Note: Only the table before has country." in out
    assert "policy" not in out


def test_a_count_that_falls_with_the_records_is_shown_and_not_called_better(
    run: Any, tmp_path: Path
) -> None:
    lines = BEFORE.splitlines(keepends=True)
    (tmp_path / "fewer.csv").write_text("".join(lines[:3]))
    code, out, _ = run("compare", "before.csv", "fewer.csv", "--plan", "plan.yaml")
    assert code == 0
    rows = {line.strip().split("  ")[0]: line.split() for line in out.splitlines() if line.strip()}
    assert rows["Unique records"][-3:] == ["4", "2", "−2"]
    assert rows["Share of unique records"][-3:] == ["1.0000", "1.0000", "0"]
    assert "better" not in rows["Risk of the table by QaR (T)"]
    assert "Note: Not comparable: Risk of the table by QaR (T) depends on the number" in out
    assert "2 records (50.0%) lost." in out


def test_the_policy_is_said_for_the_version_after(run: Any, tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN + "policy: {k: 2}\n")
    code, out, _ = run("compare", "before.csv", "after.csv", "--plan", "plan.yaml")
    assert code == 0
    assert "After: The policy is not met: k is 1" in out


def test_json_and_files_hold_the_same(run: Any, tmp_path: Path) -> None:
    asked = ["compare", "before.csv", "after.csv", "--plan", "plan.yaml", "-o", "report.html"]
    code, out, _ = run(*asked, "--csv", "out.csv", "--plot", "out.svg", "--json")
    assert code == 0
    answer = json.loads(out)
    assert answer["after"]["table"]["sha256"] == fingerprint(tmp_path / "after.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text())))
    assert [row["measure"] for row in rows] == [row["measure"] for row in answer["measures"]]
    assert (tmp_path / "out.svg").read_text().startswith("<svg")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Before and after" in page
    assert "before.csv" in page
    code, out, err = run(*asked)
    assert (code, out) == (2, "")
    assert "exists already" in err


def test_without_a_plan_it_is_guessed(run: Any) -> None:
    code, out, _ = run("compare", "before.csv", "after.csv")
    assert code == 0
    assert "was guessed from the names and values of the first table" in out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["before.csv", "aftr.csv"], "Did you mean 'after.csv'?"),
        (["before.csv", "after.csv", "-o", "x.pdf"], "end the name in .html"),
        (["before.csv", "after.csv", "--csv", "after.csv", "--force"], "is the data itself"),
        (["before.csv", "after.csv", "--plot", "x.bmp"], "end the name in one of"),
        (["before.csv"], "Try singleout compare --help."),
    ],
)
def test_what_cannot_be_compared_is_refused_in_a_sentence(
    run: Any, words: list[str], sentence: str
) -> None:
    code, out, err = run("compare", *words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert len(err.splitlines()) == 1


def test_the_help_says_that_a_policy_does_not_change_the_exit_code(run: Any) -> None:
    code, out, _ = run("compare", "--help")
    assert code == 0
    assert "the exit code is 0 also where AFTER does not meet it" in " ".join(
        out.replace("│", " ").split()
    )


def test_a_column_of_names_that_is_gone_counts_as_a_gain(run: Any, tmp_path: Path) -> None:
    named = [f"Person {place} Xy,{line}" for place, line in enumerate(BEFORE.splitlines()[1:])]
    (tmp_path / "named.csv").write_text("\n".join(["name,age,gender,country,disease", *named]))
    (tmp_path / "plan.yaml").write_text(PLAN + "  name: {role: direct-identifier}\n")
    _, out, _ = run("compare", "named.csv", "before.csv", "--plan", "plan.yaml")
    (line,) = [line for line in out.splitlines() if "Columns that identify people" in line]
    assert line.split()[-4:] == ["1", "0", "−1", "better"]
    assert "Person" not in out
