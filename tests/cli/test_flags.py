"""Every flag on every command that reads a table: it works, or the table below says why not.

Commands and their options are taken from the command line itself, so a new command fails here until
it has a row, and a new flag until its row no longer says that it has no meaning.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from csv import DictReader
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from run_command import refused, singleout
from singleout.cli.main import app

FLAGS = (
    "--qi",
    "--csv",
    "--id",
    "--by",
    "--where",
    "--weights",
    "--plot",
    "--json",
    "--quiet",
    "-v",
    "--unit",
)

# how each command is called, without the flags; and what differs from USUAL
CALLS: dict[str, str] = {
    "assess": "people.csv --no-advice --plan plan.yaml",
    "compare": "people.csv after.csv --plan plan.yaml",
    "columns": "people.csv",
    "plan": "people.csv -o guessed.yaml --force",
    "sets": "people.csv --qi age,sex",
    "qar": "people.csv --qi age,sex,town,ill --size 2 --tail 0.5",
    "contributions": "people.csv --qi age,sex,town,ill --size 2 --tail 0.5",
    "eliminate": "people.csv --qi age,sex,town,ill --size 2 --tail 0.5 --records 3",
    "suggest": "people.csv --qi age,sex --k 2",
    "treat": "people.csv steps.yaml -o treated.csv --force",
    "utility": "people.csv after.csv --columns age,sex,income",
    "covered": "people.csv after.csv --qi age,sex",
    "hierarchies": "people.csv --columns age,sex",
    "suda": "people.csv --qi age,sex,town,ill",
    "discriminate": "people.csv --qi age,sex --sensitive ill",
    "attacker-risk": "people.csv --qi age,sex",
    "attribute-risk": "people.csv --qi age,sex,town",
    "hipaa": "people.csv",
    "individual-risk": "people.csv --qi age,sex --weights weight",
    "diversity": "people.csv --qi age,sex --sensitive ill",
    "population-uniqueness": "people.csv --qi age,sex --sampling-fraction 0.1",
    "person": "--data people.csv --cell age=31,sex=f",
    "publish": "many.csv --qi age,sex --population State=MA --repository r.db --dry-run",
    "predict validate": "people.csv --qi age --within town",
    "predict qq": "people.csv --qi income",
    "predict errors": "people.csv --qi age,sex --repeats 2",
    "predict granularity": "--data people.csv --qi age --width 1,5 -k 5",
    "predict width-for": "--data people.csv --qi income --unique 20% -k 5",
    "predict people-for": "--data people.csv --qi age,sex --unique 50%",
}
USUAL = {
    "--qi": "age,sex,town",
    "--by": "town",
    "--where": "age < 34",
    "--weights": "weight",
    "--unit": "whose",
}
OTHERWISE = {
    ("qar", "--qi"): "age,sex,town",
    ("attribute-risk", "--qi"): "age,sex",
    ("individual-risk", "--weights"): "income",
    ("predict validate", "--qi"): "age,sex",
    ("predict qq", "--qi"): "age",
    ("predict granularity", "--qi"): "income",
    ("predict width-for", "--qi"): "age",
}

# an option that the flag takes the place of
IN_PLACE_OF = {("population-uniqueness", "--weights"): "--sampling-fraction"}

_NOT_RECORDS = "what it lists are no records"
_PLAN_SAYS = "the plan states it, for all methods at once"
_ONE_TABLE = "it is about one table as a whole; --where gives it for a group"
_BY_RECORDS = "fewer records have a higher risk, so groups do not compare; --where measures one"
_ROWS = "it looks at the rows that are there, not at the people whom they stand for"
NO_MEANING: dict[str, dict[str, str]] = {
    "--qi": {
        "assess": _PLAN_SAYS,
        "compare": _PLAN_SAYS,
        "columns": "it lists every column by itself",
        "plan": "it guesses which columns others could know",
        "treat": "the steps name their columns",
        "utility": "--columns are compared, whoever knows them",
        "hierarchies": "--columns are recoded one by one",
        "hipaa": "--columns are examined one by one",
        "person": "the columns are those of --cell",
    },
    "--csv": {
        "treat": "-o writes the records, and --log what was changed",
        "hierarchies": "-o writes a CSV file for each column",
        "predict width-for": "the answer is one number",
    },
    "--id": {
        "treat": "-o writes the records whole",
        "suggest": "--apply writes the records whole",
        "eliminate": "-o writes the records that are left, whole",
        "person": "there is one person, who gives their own values",
    }
    | dict.fromkeys(
        [
            *("compare", "columns", "plan", "utility", "hierarchies", "qar", "discriminate"),
            *("attribute-risk", "hipaa", "population-uniqueness", "publish", "predict validate"),
            *("predict qq", "predict errors", "predict granularity", "predict width-for"),
            "predict people-for",
        ],
        _NOT_RECORDS,
    ),
    "--by": {
        "covered": "a row may be that of a record of any group; --csv has the count of each record",
        "treat": "the steps are applied to all records",
        "suggest": "one treatment is sought for all records",
        "hierarchies": "one hierarchy is proposed for all records",
        "plan": "a column means the same in every group",
        "person": "one person is compared with all others",
        "publish": "a record of a repository is about one population; --where chooses another",
    }
    | dict.fromkeys(
        [
            *("compare", "columns", "utility", "predict qq"),
            *("predict errors", "predict width-for", "predict people-for"),
        ],
        _ONE_TABLE,
    )
    | dict.fromkeys(["qar", "contributions", "eliminate"], _BY_RECORDS),
    "--weights": {
        "assess": _PLAN_SAYS,
        "compare": _PLAN_SAYS,
        "suggest": _PLAN_SAYS,
    }
    | dict.fromkeys(
        [
            *("columns", "plan", "qar", "contributions", "eliminate", "treat", "covered"),
            *("hierarchies", "discriminate", "attribute-risk", "hipaa", "diversity", "person"),
            *("publish", "predict validate", "predict qq", "predict errors"),
            *("predict granularity", "predict width-for", "predict people-for"),
        ],
        _ROWS,
    ),
    "--unit": dict.fromkeys(
        ["columns", "plan", "hierarchies", "hipaa", "predict qq"], "it looks at columns one by one"
    )
    | dict.fromkeys(
        [
            *("qar", "contributions", "eliminate", "suda", "discriminate", "attribute-risk"),
            *("utility", "covered", "treat"),
        ],
        "it compares or changes single records",
    )
    | dict.fromkeys(
        ["individual-risk", "population-uniqueness", "publish"],
        "it takes each record for a person who was drawn once",
    )
    | dict.fromkeys(
        [
            *("person", "predict validate", "predict errors", "predict granularity"),
            *("predict width-for", "predict people-for"),
        ],
        "it predicts from a distribution over people, of whom each has one record",
    ),
    "--plot": {
        "columns": "a list of columns, neither a curve nor a comparison",
        "plan": "a text to edit",
        "hierarchies": "files to edit",
        "publish": "it sends counts to a repository",
        "predict width-for": "the answer is one number",
    },
}

SAYS_NO_NOTES = {"publish"}  # what becomes public, and nothing beside it

_REPOSITORY = "it asks or keeps a repository"
_QUESTIONS = "it reads a questionnaire"
_NUMBERS = "it computes with numbers that are given"
READS_NO_TABLE = {
    "funnel": _QUESTIONS,
    "predict plan": _QUESTIONS,
    "predict correlated": _NUMBERS,
    "predict for-person": _NUMBERS,
    "predict attacker-entropy": _NUMBERS,
    "query": _REPOSITORY,
    "decide": _REPOSITORY,
    "demo": "it shows the data that come with singleout",
    "doctor": "it looks at the machine",
    "serve": "it opens pages, where the data are chosen",
    "warm": "it compiles",
}


@cache
def commands() -> dict[str, Any]:
    """Return every command of the command line by its name."""
    return dict(_commands(typer.main.get_command(app)))


def _commands(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    for word, one in getattr(command, "commands", {}).items():
        yield from _commands(one, f"{name} {word}".strip())
    if not hasattr(command, "commands"):
        yield name, command


def flags_of(command: Any) -> set[str]:
    return {
        word for one in command.params if not getattr(one, "hidden", False) for word in one.opts
    }


PAIRS = [(name, flag) for name in CALLS for flag in FLAGS]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the people that every command is asked about."""
    folder = tmp_path_factory.mktemp("flags")
    rows = [
        f"p{n:02},{30 + n % 5},{'fm'[n % 2]},{['Ely', 'Ham'][n % 3 == 0]},"
        f"{['flu', 'HIV'][n % 4 == 0]},{1000 + 37 * n},{1 + n % 3},w{n % 10}"
        for n in range(24)
    ]
    head = "id,age,sex,town,ill,income,weight,whose"
    # the line above the header is left out with a note, which --quiet leaves out
    (folder / "people.csv").write_text("\n".join(["People of 2024", "", head, *rows, ""]))
    (folder / "many.csv").write_text("\n".join(["People of 2024", "", head, *rows * 200, ""]))
    (folder / "after.csv").write_text("\n".join([head, *rows[:20], ""]))
    (folder / "steps.yaml").write_text("steps:\n  - drop: [id]\n  - recode: age\n    width: 10\n")
    (folder / "plan.yaml").write_text(
        "columns:\n  id: {role: direct-identifier}\n  age: {role: quasi-identifier}\n"
        "  sex: {role: quasi-identifier}\n  ill: {role: sensitive}\n"
    )
    assert singleout("repository", "init", folder / "r.db").returncode == 0
    return folder


def asked(folder: Path, words: list[str]) -> Any:
    done = singleout(*words, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done


@cache
def usual(folder: Path, name: str, *more: str) -> Any:
    """Return what a command prints without further flags."""
    return asked(folder, [*name.split(), *CALLS[name].split(), *more])


def words_with(name: str, flag: str, value: str) -> list[str]:
    """Return the words of a command in which an option has another value."""
    words = CALLS[name].split()
    replaced = IN_PLACE_OF.get((name, flag))
    if replaced is not None:
        place = words.index(replaced)
        del words[place : place + 2]
    if flag in words:
        words[words.index(flag) + 1] = value
    else:
        words += [flag, value]
    return [*name.split(), *words]


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(DictReader(file))


@pytest.mark.parametrize(("name", "flag"), PAIRS, ids=lambda one: one.replace(" ", "-"))
def test_every_flag_works_on_every_command(
    name: str, flag: str, folder: Path, tmp_path: Path
) -> None:
    reason = NO_MEANING.get(flag, {}).get(name)
    if flag not in flags_of(commands()[name]):
        assert reason, f"{name} has no {flag}, and no reason is given"
        return
    assert reason is None, f"{name} has {flag}; take the reason away"
    CHECKS.get(flag, answer_changes)(name, flag, folder, tmp_path)


def answer_changes(name: str, flag: str, folder: Path, _: Path) -> None:
    value = OTHERWISE.get((name, flag), USUAL.get(flag, ""))
    changed = asked(folder, [*words_with(name, flag, value), "--json"])
    assert json.loads(changed.stdout) != json.loads(usual(folder, name, "--json").stdout)
    if flag == "--by":
        assert "Ely" in changed.stdout
        assert "Ham" in changed.stdout


def rows_are_written(name: str, flag: str, folder: Path, out: Path) -> None:
    asked(folder, words_with(name, flag, str(out / "out.csv")))
    assert rows_of(out / "out.csv")


def records_are_named(name: str, flag: str, folder: Path, out: Path) -> None:
    file = "--records" if name == "sets" else "--csv"
    asked(folder, [*words_with(name, flag, "id"), file, str(out / "out.csv")])
    rows = rows_of(out / "out.csv")
    assert next(iter(rows[0])) == "id"
    assert {row["id"] for row in rows} == {f"p{n:02}" for n in range(24)}


def a_picture_is_drawn(name: str, flag: str, folder: Path, out: Path) -> None:
    asked(folder, words_with(name, flag, str(out / "out.json")))
    assert "vega-lite" in json.loads((out / "out.json").read_text())["$schema"]


def json_is_printed(name: str, _: str, folder: Path, __: Path) -> None:
    assert isinstance(json.loads(usual(folder, name, "--json").stdout), dict)


def notes_are_left_out(name: str, _: str, folder: Path, __: Path) -> None:
    loud, quiet = usual(folder, name), usual(folder, name, "--quiet")
    kept = [line for line in loud.stdout.splitlines() if not line.startswith("Note: ")]
    assert quiet.stdout.splitlines() == kept
    assert (kept == loud.stdout.splitlines()) == (name in SAYS_NO_NOTES)


def a_log_is_written(name: str, _: str, folder: Path, __: Path) -> None:
    loud = usual(folder, name, "-v")
    assert "INFO singleout.engines: engine local chosen" in loud.stderr
    assert loud.stdout == usual(folder, name).stdout


CHECKS = {
    "--csv": rows_are_written,
    "--id": records_are_named,
    "--plot": a_picture_is_drawn,
    "--json": json_is_printed,
    "--quiet": notes_are_left_out,
    "-v": a_log_is_written,
}


# ---- nothing is forgotten


def test_every_command_reads_a_table_or_does_not() -> None:
    known = {*CALLS, *READS_NO_TABLE}
    for name, command in commands().items():
        if command.hidden:  # another name of a command that is shown
            assert any(flags_of(command) == flags_of(commands()[other]) for other in CALLS)
        else:
            assert name in known or name.startswith("repository "), f"{name} has no row"
            assert (name in CALLS) == ("--where" in flags_of(command)), name


def test_reasons_are_for_commands_and_flags_that_there_are() -> None:
    assert set(NO_MEANING) <= set(FLAGS)
    for reasons in NO_MEANING.values():
        assert set(reasons) <= set(CALLS)


# ---- older spellings


OLDER = {
    ("qar", "--columns"): "--qi",
    ("contributions", "--columns"): "--qi",
    ("eliminate", "--columns"): "--qi",
    ("suda", "--columns"): "--qi",
    ("attribute-risk", "--columns"): "--qi",
    ("predict qq", "--column"): "--qi",
    ("sets", "--weight"): "--weights",
}


def test_all_older_spellings_are_known_here() -> None:
    found = {
        (name, one.opts[0])
        for name, command in commands().items()
        for one in command.params
        if getattr(one, "hidden", False) and name in CALLS
    }
    assert found == set(OLDER)


@pytest.mark.parametrize(("name", "old"), OLDER, ids=lambda one: one.replace(" ", "-"))
def test_an_older_spelling_works_and_says_the_new_one_once(
    name: str, old: str, folder: Path
) -> None:
    new = OLDER[name, old]
    value = OTHERWISE.get((name, new), USUAL[new])
    words = [*words_with(name, new, value), "--json"]
    older = [old if word == new else word for word in words]
    said = asked(folder, older)
    assert said.stdout == asked(folder, words).stdout
    assert said.stderr == f"{old} is now spelled {new}; the old spelling still works.\n"
    assert asked(folder, [*older, "--quiet"]).stderr == ""
    assert f"older spelling of {new}" in refused(singleout(*words, old, value, cwd=folder))


def test_a_plus_within_a_name_needs_no_escape_in_the_older_spelling(tmp_path: Path) -> None:
    path = tmp_path / "plus.csv"
    path.write_text("a+b,c,d\n1,2,3\n1,3,3\n2,2,4\n")
    more = ("--size", 1, "--tail", 0.5, "--json", "--quiet")
    for words in (("--columns", "a+b,c"), ("--qi", r"a\+b,c")):
        found = json.loads(singleout("qar", path, *words, *more).stdout)
        assert found["results"][0]["columns"] == ["a+b", "c"]


def test_an_older_spelling_works_in_a_file_of_options(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "singleout.toml").write_text('[sets]\nweight = "weight"\n')
    done = singleout("sets", folder / "people.csv", "--qi", "age", cwd=tmp_path)
    assert "By the weights" in done.stdout


def test_records_of_sets_are_named_only_in_a_file(folder: Path) -> None:
    said = refused(singleout("sets", "people.csv", "--qi", "age", "--id", "id", cwd=folder))
    assert said == "--id names the records of a file that --records writes; add --records OUT."


def test_the_log_counts_statements(folder: Path) -> None:
    words = ["sets", "after.csv", "--qi", "age", "--engine", "database", "-v"]
    assert re.search(
        r"INFO singleout.engines: [1-9]\d* statements sent to", asked(folder, words).stderr
    )
