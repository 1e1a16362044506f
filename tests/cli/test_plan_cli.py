"""`singleout plan` as a user meets it."""

import json
from pathlib import Path

import pytest

from run_command import refused, singleout
from singleout import __version__
from singleout.assessment.plan.plan import Plan

PEOPLE = """name,geb_dat,geslacht,diagnose,x
Jan de Vries,1980-01-02,m,flu,1
Anna Jansen,1975-03-04,v,HIV,2
Piet Bakker,1990-05-06,m,no,1
Maria Visser,1981-07-08,v,flu,2
Hans Smit,1982-09-10,m,flu,1
Eva Meijer,1983-11-12,v,no,2
"""


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


def test_the_plan_is_printed_with_a_reason_for_every_guess(people: Path) -> None:
    done = singleout("plan", "people.csv", cwd=people.parent)
    assert (done.returncode, done.stderr) == (0, "")
    plan = Plan.parse(done.stdout)
    assert plan.data == "people.csv"
    assert plan.with_role("direct-identifier") == ("name",)
    assert plan.quasi_identifiers == ("geb_dat", "geslacht")
    assert plan.sensitive == ("diagnose",)
    assert done.stdout.count("# guess, ") == 5
    assert "Jan" not in done.stdout
    assert "is a GUESS" in done.stdout


def test_a_plan_file_finds_its_data_from_its_own_folder(people: Path) -> None:
    folder = people.parent / "plans"
    folder.mkdir()
    done = singleout("plan", "people.csv", "-o", "plans/plan.yaml", cwd=people.parent)
    assert done.returncode == 0
    assert "5 columns, 1 of the guesses unsure. Check them all" in done.stdout
    plan = Plan.read(folder / "plan.yaml")
    assert plan.data_file is not None
    assert plan.data_file.resolve() == people.resolve()


def test_a_file_that_exists_is_written_over_only_if_forced(people: Path, tmp_path: Path) -> None:
    out = tmp_path / "plan.yaml"
    out.write_text("precious")
    assert "exists already" in refused(singleout("plan", people, "--output", out))
    assert out.read_text() == "precious"
    assert singleout("plan", people, "--output", out, "--force").returncode == 0
    assert Plan.read(out).sensitive == ("diagnose",)
    assert "is the data itself" in refused(singleout("plan", people, "-o", people, "--force"))


def test_json_is_the_guesses_and_nothing_else(people: Path) -> None:
    answer = json.loads(singleout("plan", people, "--json").stdout)
    assert answer["singleout"] == __version__
    assert answer["records"] == 6
    assert [guess["column"] for guess in answer["guesses"]][:2] == ["name", "geb_dat"]
    assert answer["guesses"][3]["severity"] == 4
    assert Plan.of(answer["plan"]).sensitive == ("diagnose",)


def test_hostile_names_do_nothing_to_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text('"\x1b[2J","=cmd()","a: {b","# c"\n1,2,3,4\n2,3,4,5\n', encoding="utf-8")
    done = singleout("plan", path)
    assert "\x1b" not in done.stdout
    assert list(Plan.parse(done.stdout).columns) == ["\x1b[2J", "=cmd()", "a: {b", "# c"]


def test_options_for_reading_are_passed_on(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("sex|income\nf|10\nm|NA\n")
    done = singleout("plan", path, "--delimiter", "|", "--na", "NA")
    assert Plan.parse(done.stdout).sensitive == ("income",)
    assert "scale: ordinal" in done.stdout


def test_what_cannot_be_read_is_refused_in_a_sentence(tmp_path: Path) -> None:
    assert "none.csv" in refused(singleout("plan", tmp_path / "none.csv"))


def test_a_file_without_a_header_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("Anna Smith,0612345678,HIV\nBob Jones,0687654321,flu\n")
    done = singleout("plan", path, "-o", tmp_path / "plan.yaml")
    assert done.returncode == 0
    assert "Note: The names of some columns look like values (names of people, num" in done.stdout
    assert "Anna" not in done.stdout
