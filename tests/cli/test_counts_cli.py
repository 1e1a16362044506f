"""Tables of counts on the command line: counted with --count, noticed without."""

import json
from pathlib import Path

import pytest

from run_command import singleout

TABLE = """town,age,sex,n
north,0-19,f,12
north,0-19,m,1
north,20+,f,31
north,20+,m,30
south,0-19,f,0
south,0-19,m,2
south,20+,f,9
south,20+,m,5
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "counts.csv"
    path.write_text(TABLE)
    return path


KNOWN = ("--qi", "town,age")
COMMANDS = {
    "sets": KNOWN,
    "qar": ("--qi", "town,age,sex", "--size", "2"),
    "contributions": ("--qi", "town,age,sex", "--size", "2"),
    "eliminate": ("--qi", "town,age,sex", "--size", "2", "--records", "2"),
    "suda": ("--qi", "town,age,sex"),
    "attacker-risk": KNOWN,
    "attribute-risk": (),
    "diversity": (*KNOWN, "--sensitive", "sex"),
    "discriminate": (*KNOWN, "--sensitive", "sex"),
    "population-uniqueness": (*KNOWN, "--population", "1000"),
    "hipaa": (),
    "assess": ("--no-advice",),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_people_are_counted(command: str, table: Path) -> None:
    done = singleout(command, table, *COMMANDS[command], "--count", "n", "--json")
    assert done.returncode == 0, done.stderr
    assert _records(json.loads(done.stdout)) == 90


def _records(found: object) -> object:
    """Return the first number of records in an answer."""
    if isinstance(found, dict):
        if "records" in found and isinstance(found["records"], int):
            return found["records"]
        found = list(found.values())
    parts = found if isinstance(found, list) else []
    return next((one for one in map(_records, parts) if one is not None), None)


@pytest.mark.parametrize("command", [c for c in COMMANDS if c != "assess"])
def test_a_table_of_counts_that_nobody_calls_one_is_noticed(command: str, table: Path) -> None:
    done = singleout(command, table, *COMMANDS[command])
    assert "Say --count n (count='n' in Python) to count people." in " ".join(done.stdout.split())


def test_a_condition_hides_no_table_of_counts(table: Path) -> None:
    done = singleout("sets", table, "--qi", "town", "--where", "age = '20+'")
    assert "Say --count n (count='n' in Python)" in " ".join(done.stdout.split())


def test_a_column_that_was_asked_about_counts_nobody(table: Path) -> None:
    done = singleout("sets", table, "--qi", "town,n")
    assert done.returncode == 0
    assert "--count" not in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("contributions", "--qi", "town,age", "--size", "2", "--id", "sex"),
        ("attacker-risk", "--qi", "town", "--csv", "out.csv"),
        ("sets", "--qi", "town", "--records", "out.csv"),
        ("suda", "--qi", "town,age", "--id", "sex"),
        ("suggest", "--qi", "town,age", "--k", "2"),
        ("treat", "steps.yaml", "-o", "out.csv"),
        ("treat", "steps.yaml", "--print-sql"),
    ],
)
def test_what_looks_at_records_says_that_there_are_none(
    words: tuple[str, ...], table: Path
) -> None:
    (table.parent / "steps.yaml").write_text("steps:\n- drop: [sex]\n")
    done = singleout(words[0], table, *words[1:], "--count", "n", cwd=table.parent)
    assert done.returncode == 2
    assert "a table of counts has none" in done.stderr
    assert not (table.parent / "out.csv").exists()


def test_people_are_taken_out_of_the_rows_of_a_file(table: Path) -> None:
    here = table.parent
    words = ("--qi", "town,age,sex", "--size", "3", "--tail", "0.9", "--records", "3")
    done = singleout("eliminate", table, *words, "--count", "n", "-o", "less.csv", cwd=here)
    assert done.returncode == 0, done.stderr
    assert "Written: less.csv, 87 records." in done.stdout
    # the only unique person goes first, then by number; the empty cell has nobody
    left = TABLE.replace("f,12", "f,10").replace("north,0-19,m,1\n", "")
    assert (here / "less.csv").read_text() == left.replace("south,0-19,f,0\n", "")
    found = singleout("eliminate", table, *words, "--count", "n", "--json", cwd=here)
    (one,) = json.loads(found.stdout)["results"]
    assert (one["order"], one["times"]) == ([2, 1], [1, 2])


def test_a_row_of_contributions_says_how_many_people_it_stands_for(table: Path) -> None:
    words = ("--qi", "town,age,sex", "--size", "3", "--tail", "0.9", "--count", "n")
    done = singleout("contributions", table, *words, "--csv", "out.csv", cwd=table.parent)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[4].split()[:2] == ["record", "people"]
    head, *rows = (table.parent / "out.csv").read_text().splitlines()
    assert head.startswith("record,people,cluster,contribution")
    assert [row.split(",")[:2] for row in rows][:2] == [["1", "12"], ["2", "1"]]


def test_a_plan_says_which_column_counts(table: Path) -> None:
    here, plan = table.parent, "plan.yaml"
    assert singleout("plan", table.name, "-o", plan, cwd=here).returncode == 0
    found = json.loads(singleout("assess", "--plan", plan, "--json", cwd=here).stdout)
    assert _records(found) == 90
    said = singleout("plan", table.name, "--count", "n", cwd=here).stdout
    assert "  n:\n    role: count\n" in said
    done = singleout("compare", table.name, table.name, "--plan", plan, cwd=here)
    assert "Before: counts.csv, 90 records" in done.stdout
    assert "the rows are counts of people, who cannot be matched" in " ".join(done.stdout.split())
    (here / "steps.yaml").write_text("steps:\n- drop: [sex]\n")
    for words in (("suggest", table.name, "--k", "2"), ("treat", table.name, "steps.yaml")):
        done = singleout(*words, "--plan", plan, cwd=here)
        assert (done.returncode, done.stdout) == (2, "")
        assert "a table of counts has none" in done.stderr


@pytest.mark.parametrize(
    ("role", "sentence"),
    [
        ("count\n  age: {role: count}", "'n' says already how many people a row stands for"),
        ("count", "a row stands for, 'age' and 'n'; name one of them"),
        ("other\n  age: {role: sensitive}", "but its role in the plan is sensitive"),
    ],
)
def test_a_plan_that_disagrees_is_refused(role: str, sentence: str, table: Path) -> None:
    table.write_text(TABLE.replace("0-19", "7").replace("20+", "8"))
    plan = table.parent / "plan.yaml"
    plan.write_text(f"columns:\n  town: {{role: quasi-identifier}}\n  n:\n    role: {role}\n")
    done = singleout("assess", table, "--plan", plan, "--count", "age")
    assert done.returncode == 2
    assert sentence in done.stderr


def test_predictions_add_up_cells_that_repeat(table: Path) -> None:
    words = ("--data", table, "--qi", "town", "--count", "n", "--people", "10", "--json")
    done = singleout("predict", *words)
    assert done.returncode == 0, done.stderr
    assert "8 rows make 2 cells" in done.stdout
