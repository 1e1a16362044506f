"""Options from singleout.toml, pyproject.toml and variables, and results through pipes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from run_command import in_a_process, refused, singleout

PEOPLE = "sex,age\nf,1\nf,2\nm,1\nm,1\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(PEOPLE)
    return tmp_path


# ---- configuration


def test_a_file_holds_options_and_what_is_typed_wins(here: Path) -> None:
    (here / "singleout.toml").write_text('missing = "drop"\n[sets]\nqi = ["sex", "sex,age"]\n')
    from_file = singleout("sets", "people.csv")
    assert "sex+age" in from_file.stdout
    assert from_file.stderr == (
        'Options from singleout.toml, unless given: missing = "drop", qi = ["sex", "sex,age"].\n'
    )
    typed = singleout("sets", "people.csv", "--qi", "age")
    assert "sex" not in typed.stdout
    assert singleout("demo", "--help").stderr == ""


def test_a_variable_wins_over_the_file_and_names_another_one(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "singleout.toml").write_text('[sets]\nqi = "sex"\n')
    monkeypatch.setenv("SINGLEOUT_SETS_QI", "age")
    assert "sex" not in singleout("sets", "people.csv").stdout
    monkeypatch.delenv("SINGLEOUT_SETS_QI")
    (here / "other.toml").write_text('[sets]\nqi = "sex,age"\n')
    monkeypatch.setenv("SINGLEOUT_CONFIG", "other.toml")
    assert "sex+age" in singleout("sets", "people.csv").stdout
    monkeypatch.setenv("SINGLEOUT_CONFIG", "")
    assert "--qi" in refused(singleout("sets", "people.csv"))


def test_a_part_of_pyproject_is_read_and_a_broken_one_is_left_alone(here: Path) -> None:
    project = here / "pyproject.toml"
    project.write_text('[project]\nname = "x"\n[tool.singleout.sets]\nqi = "sex"\n')
    assert "sex" in singleout("sets", "people.csv").stdout
    project.write_text("this is no TOML")
    assert singleout("sets", "people.csv", "--qi", "age").returncode == 0


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("plann = 3", "No command has an option 'plann'. Did you mean 'plan'?"),
        ("[assessing]", "There is no command 'assessing'. Did you mean 'assess'?"),
        ("[sets]\npolicy = 'x'", "The command 'sets' has no option 'policy'."),
        ("[sets]\njson = ['x']", "The option 'json' of 'sets' takes one value, not a list."),
        ("[sets.json]", "The option 'json' of 'sets' is a table; give one value."),
        ("[predict.plann]", "There is no command 'plann'. Did you mean 'plan'?"),
        ("x = [", "cannot be read"),
    ],
)
def test_a_mistake_in_the_file_is_one_sentence(here: Path, content: str, sentence: str) -> None:
    (here / "singleout.toml").write_text(content)
    said = refused(singleout("sets", "people.csv", "--qi", "age"))
    assert sentence in said
    assert "'singleout.toml'" in said


# ---- pipes


def piped(text: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "singleout", *words]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def test_data_is_piped_in_and_a_result_is_piped_on() -> None:
    done = piped(PEOPLE, "sets", "-", "--qi", "sex,age", "--csv", "-")
    assert done.returncode == 0
    heads, row = done.stdout.splitlines()
    assert heads.startswith("quasi_identifier,")
    assert row.startswith("sex+age,4,")
    assert "4 records" in done.stderr or "2 of 4 records" in done.stderr


def test_a_treated_table_is_piped_on_as_csv(here: Path) -> None:
    (here / "steps.yaml").write_text("steps:\n- drop: [age]\n")
    done = in_a_process("treat", "people.csv", "steps.yaml", "-o", "-")
    assert done.stdout == "sex\nf\nf\nm\nm\n"
    assert sorted(path.name for path in here.iterdir()) == ["people.csv", "steps.yaml"]


def test_pipes_that_cannot_work_are_refused() -> None:
    assert "is empty" in refused(piped("", "sets", "-", "--qi", "age"))
    assert "read once only" in refused(piped(PEOPLE, "compare", "-", "-"))
    both = singleout("sets", "people.csv", "--qi", "age", "--json", "--csv", "-")
    assert "Only one result" in refused(both)
