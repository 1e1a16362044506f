"""`singleout assess` as a user and a pipeline meet it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from singleout.assessment.report.json import report_schema
from singleout.cli import main
from singleout.io.fingerprint import fingerprint

PEOPLE = """age,gender,country,disease
2*,M,Africa,Colds
2*,M,Africa,Colds
2*,M,Africa,Flu
3*,F,Europe,Colds
3*,F,Europe,Flu
3*,F,Europe,HIV
"""
PLAN = """data: people.csv
columns:
  age: {role: quasi-identifier, exposure: EE}
  gender: {role: quasi-identifier, exposure: EE}
  country: {role: quasi-identifier, exposure: ER}
  disease: {role: sensitive, moral: 4, values: {Colds: 1, Flu: 1}}
"""


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run the command within this process, in a folder with data and a plan."""
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "plan.yaml").write_text(PLAN)
    monkeypatch.chdir(tmp_path)

    def singleout(*words: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["singleout", *map(str, words)])
        code = main._run()
        said = capsys.readouterr()
        return Done(code, said.out, said.err)

    return singleout


def refused(done: Done) -> str:
    """Return the one sentence of a refusal."""
    assert done.code == 2
    assert done.out == ""
    lines = done.err.strip().splitlines()
    assert len(lines) == 1
    return lines[0]


# ---- what it answers


def test_it_says_the_verdict_the_worst_and_what_to_do_first(run: Run) -> None:
    done = run("assess", "people.csv", "--plan", "plan.yaml")
    assert (done.code, done.err) == (0, "")
    assert "people.csv: 6 records, 4 columns" in done.out
    assert "Critical risk (4 of 4) if somebody knows that a person is in the file." in done.out
    assert "Worst of what could be known" in done.out
    (worst,) = [line for line in done.out.splitlines() if line.startswith(" age, gender  ")]
    # one in three of each class: the record with the worst disease is found so often
    assert worst.split()[2:6] == ["EE", "disease", "0.333", "16.7%"]
    assert "What to do first" in done.out
    assert "(k = 3)" in done.out
    assert "The policy" not in done.out  # there is none
    assert "No policy is set" in done.out


def test_the_plan_can_name_the_data(run: Run) -> None:
    done = run("assess", "--plan", "plan.yaml", "--top", "1")
    assert done.code == 0
    assert "people.csv: 6 records" in done.out
    assert done.out.count("4-Maximum") == 1
    assert "4-Maximum" not in run("assess", "--plan", "plan.yaml", "--top", "0").out


def test_without_a_plan_it_guesses_and_says_so(run: Run) -> None:
    done = run("assess", "people.csv", "--output", "report.html")
    assert done.code == 0
    assert "There was no plan" in done.out
    assert "Written: report.html" in done.out


def test_all_outputs_are_written(run: Run, tmp_path: Path) -> None:
    done = run(
        "assess", "people.csv", "--plan", "plan.yaml", "-o", "report.html", "--pia", "pia.json",
        "--report-json", "report.json", "--plot", "matrix.svg",
    )  # fmt: skip
    assert done.code == 0
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.lower().startswith("<!doctype html>")
    assert str(fingerprint(tmp_path / "people.csv")) in page
    pia = json.loads((tmp_path / "pia.json").read_text(encoding="utf-8"))
    assert {answer["reference_to"] for answer in pia["answers"]} >= {325, 326}
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    Draft202012Validator(report_schema()).validate(report)
    assert report["table"]["sha256"] == fingerprint(tmp_path / "people.csv")
    assert (tmp_path / "matrix.svg").read_text(encoding="utf-8").startswith("<svg")
    for name in ("report.html", "pia.json", "report.json", "matrix.svg"):
        assert f"Written: {name}" in done.out
    assert "Worst of what could be known" not in done.out  # the report has it


def test_json_is_the_report_and_nothing_else(run: Run) -> None:
    done = run("assess", "people.csv", "--plan", "plan.yaml", "--json")
    report = json.loads(done.out)
    Draft202012Validator(report_schema()).validate(report)
    assert report["level"] == 4
    assert done.err == ""


def test_records_are_in_the_report_only_if_asked_for(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(PEOPLE.replace("Europe,HIV", "Atlantis,HIV"))
    asked = ["assess", "x.csv", "--plan", "plan.yaml", "-o", "report.html", "--force"]
    assert run(*asked).code == 0
    assert "Atlantis" not in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert run(*asked, "--show-records").code == 0
    assert "Atlantis" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_file_is_read_as_it_is_said(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(PEOPLE.replace(",", "|").replace("HIV", "NA"))
    done = run("assess", "x.csv", "--plan", "plan.yaml", "--delimiter", "|", "--na", "NA", "--json")
    assert json.loads(done.out)["table"]["columns"] == ["age", "gender", "country", "disease"]
    assert json.loads(done.out)["records"]["by_severity"]["Maximum"] == 0


def test_how_the_file_was_read_is_written_down(run: Run, tmp_path: Path) -> None:
    asked = ["assess", "people.csv", "--plan", "plan.yaml"]
    plain = json.loads(run(*asked, "--json").out)
    assert plain["table"]["reading"] == {}
    done = run(*asked, "--na", "Flu", "--na", "M", "--delimiter", ",", "--json")
    assert json.loads(done.out)["table"]["reading"] == {"--na": "Flu, M", "--delimiter": ","}
    assert run(*asked, "--na", "Flu", "-o", "report.html").code == 0
    assert "--na: Flu" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_what_must_not_be_missed_is_said_beside_a_report(run: Run, tmp_path: Path) -> None:
    asked = ["assess", "people.csv", "--plan", "plan.yaml", "--rating", "paper"]
    done = run(*asked, "-o", "report.html")
    assert "Note: In the paper's reading the discrimination rate is at least 1 - 1/c" in done.out
    assert "mutual information" in done.out
    (tmp_path / "gaps.csv").write_text(PEOPLE + ",M,Africa,Colds\n")
    (tmp_path / "drop.yaml").write_text(
        PLAN + "missing: drop\npolicy: {k: 1, unique_share: 0.99}\n"
    )
    done = run("assess", "gaps.csv", "--plan", "drop.yaml", "-o", "gaps.html")
    assert done.code == 1
    assert "Warning: 1 of 7 records lack a value" in done.out
    assert "were left out" in done.out.splitlines()[-1]


def test_rows_on_the_screen_show_the_mutual_information(run: Run) -> None:
    done = run("assess", "people.csv", "--plan", "plan.yaml", "--rating", "paper")
    (worst,) = [line for line in done.out.splitlines() if line.startswith(" age, gender  ")]
    # H = 1.459 bits; the two groups give 1 - 0.918 / 2H and 1 - 1.585 / 2H, 0.571 on average
    # 1 - (0.918 / 2 + 1.585 / 2) / 1.459
    assert worst.split()[4:6] == ["0.571", "0.142"]


def test_one_quasi_identifier_is_one_row_and_in_the_singular(run: Run, tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text(
        "columns:\n  age: {role: quasi-identifier}\n  disease: {role: sensitive, moral: 2}\n"
    )
    out = run("assess", "people.csv", "--plan", "one.yaml").out
    assert "unique in the only quasi-identifier" in out
    assert len([line for line in out.splitlines() if line.startswith(" age  ")]) == 1


def test_hostile_names_reach_no_terminal(run: Run, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("\x1b[31mage,[bold]disease[/bold]\n1,a\n2,b\n2,a\n")
    (tmp_path / "x.yaml").write_text(
        'columns:\n  "\\x1b[31mage": {role: quasi-identifier, exposure: EE}\n'
        '  "[bold]disease[/bold]": {role: sensitive, moral: 3}\n'
    )
    done = run("assess", "x.csv", "--plan", "x.yaml", "-o", "x.html")
    assert done.code == 0
    assert "\x1b" not in done.out
    assert "[bold]disease[/bold]" in done.out
    assert "\x1b" not in (tmp_path / "x.html").read_text(encoding="utf-8")


# ---- the gate


def policy(folder: Path, text: str) -> Path:
    path = folder / "policy.yaml"
    path.write_text(text)
    return path


def test_a_policy_that_is_not_met_is_one_line_and_1(run: Run, tmp_path: Path) -> None:
    path = policy(tmp_path, "k: 4\n")
    done = run("assess", "people.csv", "--plan", "plan.yaml", "--policy", path)
    assert (done.code, done.err) == (1, "")
    assert done.out.splitlines()[-1].startswith("The policy is not met: k is 3:")
    assert done.out.count("The policy is not met: ") == 1


def test_a_policy_that_is_met_is_one_line_and_0(run: Run, tmp_path: Path) -> None:
    path = policy(tmp_path, "k: 3\nunique_share: 0\n")
    done = run("assess", "people.csv", "--plan", "plan.yaml", "--policy", path)
    assert done.code == 0
    assert done.out.splitlines()[-1] == (
        "The policy is met: k is 3 and at least 3 is asked for; 0% of the records are unique and "
        "at most 0% are accepted; 1 of 6 records (16.7%) is at severe or critical risk, which the "
        "policy does not limit."
    )


def test_the_policy_of_the_plan_counts_unless_another_is_given(run: Run, tmp_path: Path) -> None:
    (tmp_path / "strict.yaml").write_text(PLAN + "policy: {highest_risk: 1}\n")
    assert run("assess", "--plan", "strict.yaml").code == 1
    lenient = policy(tmp_path, "highest_risk: 4\nunique_share: 0.99\n")
    assert run("assess", "--plan", "strict.yaml", "--policy", lenient).code == 0


def test_the_outputs_are_there_when_the_policy_is_not_met(run: Run, tmp_path: Path) -> None:
    path = policy(tmp_path, "highest_risk: 1\n")
    done = run("assess", "--plan", "plan.yaml", "--policy", path, "-o", "r.html", "--json")
    assert done.code == 1
    assert json.loads(done.out)["met"] is False
    assert done.err.startswith("The policy is not met: The risk is 4")
    assert len(done.err.splitlines()) == 1
    assert (tmp_path / "r.html").exists()


def test_a_pipeline_sees_the_exit_code_of_a_real_process(run: Run, tmp_path: Path) -> None:
    assert run("columns", "people.csv").code == 0  # the folder is made
    policy(tmp_path, "k: 4\n")
    words = ["assess", "--plan", "plan.yaml", "--policy", "policy.yaml", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "singleout", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout)["met"] is False


# ---- what it refuses


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "There is nothing to assess: give a data file, or a plan that names one"),
        (["people.csv", "-o", "report.pdf"], "end the name in .html"),
        (["people.csv", "--plot", "matrix.bmp"], "end the name in one of .html"),
        (["peple.csv"], "Did you mean 'people.csv'?"),
        (["people.csv", "--plan", "none.yaml"], "'none.yaml' cannot be read"),
        (["people.csv", "--policy", "plan.yaml"], "plan.yaml, line"),
        (["people.csv", "-o", "no/report.html"], "There is no folder"),
        (["people.csv", "--pia", "people.csv", "--force"], "is the data itself"),
        (["people.csv", "--plan", "plan.yaml", "--pia", "plan.yaml", "--force"], "is read here"),
        (["people.csv", "--pia", "x.json", "--report-json", "x.json"], "asked for twice"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_a_sentence(
    run: Run, words: list[str], sentence: str
) -> None:
    assert sentence in refused(run("assess", *words))


def test_a_plan_for_another_table_is_refused_with_the_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text(PLAN.replace("gender:", "gendre:"))
    sentence = refused(run("assess", "people.csv", "--plan", "other.yaml"))
    assert "other.yaml, line 4" in sentence
    assert "did you mean 'gender'" in sentence


def test_files_that_exist_are_kept_unless_forced_and_nothing_is_written_beside(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "report.json").write_text("precious")
    asked = ["assess", "people.csv", "-o", "report.html", "--report-json", "report.json"]
    assert "exists already" in refused(run(*asked))
    assert (tmp_path / "report.json").read_text() == "precious"
    assert not (tmp_path / "report.html").exists()
    assert run(*asked, "--force").code == 0
    assert (tmp_path / "report.json").read_text() != "precious"


def test_all_outputs_are_written_or_none(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("singleout.assessment.report.pia.pia_text", fail)
    asked = ["assess", "people.csv", "-o", "report.html", "--pia", "pia.json"]
    done = run(*asked)
    assert (done.code, done.out) == (74, "")
    assert done.err == "'pia.json' cannot be written: No space left on device.\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "plan.yaml"]
