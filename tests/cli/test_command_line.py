"""The command line as a user meets it: its output, its exit code.

Each kind of answer and of refusal once comes from a real process, as does all that depends on one.
"""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from rich.console import Console

from run_command import in_a_process, refused, singleout, working_on
from singleout import __version__
from singleout.cli.shared import progress

PEOPLE = """PC4,gender,YoB,municipality
1011,f,1980,Amsterdam
1011,f,1980,Amsterdam
1011,m,1975,Amsterdam
9000,f,1980,Terschelling
9000,m,,Terschelling
"""


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(PEOPLE)
    return path


# ---- what it answers


def test_sets_shows_tables_for_several_quasi_identifiers_and_groups(people: Path) -> None:
    done = singleout(
        "sets", people, "--qi", "PC4+gender+YoB", "--qi", "PC4+gender", "--by", "municipality"
    )
    assert done.returncode == 0
    assert done.stderr == ""
    for words in (
        "PC4+gender+YoB",
        "PC4+gender, all records",
        "Amsterdam",
        "Terschelling",
        "1st qu.",
    ):
        assert words in done.stdout
    assert "PC4+gender+YoB: 3 of 5 records (60.0%) can be singled out (k = 1)." in done.stdout


def test_json_is_the_result_and_nothing_else(people: Path) -> None:
    done = in_a_process("sets", people, "--qi", "PC4+gender", "--by", "municipality", "--json")
    answer = json.loads(done.stdout)
    assert answer["singleout"] == __version__
    (result,) = answer["results"]
    assert result["quasi_identifiers"] == ["PC4", "gender"]
    assert result["unique"] == 3
    assert result["histogram"] == {"1": 3, "2": 1}
    assert [group["group"] for group in result["groups"]] == ["Amsterdam", "Terschelling"]


def test_csv_has_a_row_for_each_quasi_identifier_and_group(people: Path) -> None:
    out = people.parent / "out.csv"
    by = ["--by", "municipality"]
    assert singleout("sets", people, "--qi", "PC4", *by, "--csv", out).returncode == 0
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [row["group"] for row in rows] == ["", "Amsterdam", "Terschelling"]
    assert [int(row["records"]) for row in rows] == [5, 3, 2]


def test_records_has_the_set_size_of_each_record(people: Path) -> None:
    out = people.parent / "records.csv"
    singleout("sets", people, "--qi", "PC4+gender", "--qi", "PC4", "--records", out)
    rows = list(csv.reader(io.StringIO(out.read_text())))
    assert rows[0] == ["record", "size on PC4+gender", "size on PC4"]
    assert rows[1:3] == [["1", "2", "3"], ["2", "2", "3"]]
    assert len(rows) == 6


@pytest.mark.parametrize("kind", ["svg", "png", "pdf", "html", "json"])
def test_pictures_are_written_in_the_format_of_their_name(kind: str, people: Path) -> None:
    out = people.parent / f"picture.{kind}"
    assert singleout("sets", people, "--qi", "PC4", "--plot", out).returncode == 0
    start = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!DOCTYPE", "json": b"{"}
    assert out.read_bytes().startswith(start[kind])
    if kind == "html":
        assert b'src="http' not in out.read_bytes()  # it opens without a network


def test_missing_values_can_be_listed_and_treated(people: Path) -> None:
    asked = ["sets", people, "--qi", "gender+YoB", "--json"]
    as_value = json.loads(singleout(*asked).stdout)["results"][0]
    dropped = json.loads(singleout(*asked, "--missing", "drop").stdout)["results"][0]
    listed = singleout(*asked, "--missing", "drop", "--na", "1975").stdout
    assert (as_value["records"], dropped["records"], dropped["dropped"]) == (5, 4, 1)
    assert json.loads(listed)["results"][0]["dropped"] == 2
    wild = singleout("sets", people, "--qi", "gender+YoB", "--missing", "wildcard")
    assert wild.returncode == 0
    assert "–" in wild.stdout  # what is undefined has a dash
    assert "can be singled out" in wild.stdout


def test_a_plus_sign_within_a_name_is_escaped(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a+b,c\n1,2\n")
    answer = json.loads(singleout("sets", path, "--qi", r"a\+b+c", "--json").stdout)
    assert answer["results"][0]["quasi_identifiers"] == ["a+b", "c"]


def test_hostile_names_and_values_reach_no_terminal_spreadsheet_or_shell(tmp_path: Path) -> None:
    path, out = tmp_path / "x.csv", tmp_path / "out.csv"
    path.write_text("=cmd(),\x1b[31mred\n[bold]x[/bold],\x1b]0;title\x07\n=1+1,y\n")
    done = singleout("sets", path, "--qi", "=cmd()+\x1b[31mred", "--by", "=cmd()", "--csv", out)
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "\x07" not in done.stdout
    assert "[bold]x[/bold]" in done.stdout
    cells = [cell for row in csv.reader(io.StringIO(out.read_text())) for cell in row]
    assert any("=1+1" in cell for cell in cells)
    assert not any(cell.startswith("=") for cell in cells)


def test_demo_shows_its_table_and_can_save_it(tmp_path: Path) -> None:
    done = singleout("demo", "--save", "demo.csv", cwd=tmp_path)
    assert done.returncode == 0
    assert "PUMA+SEX+AGEP: 23 of 7,634 records (0.30%) can be singled out" in done.stdout
    again = singleout("sets", "demo.csv", "--qi", "PUMA+SEX+AGEP", "--json", cwd=tmp_path)
    assert json.loads(again.stdout)["results"][0]["unique"] == 23
    in_json = singleout("demo", "--json")
    assert len(json.loads(in_json.stdout)["results"]) == 5


def test_the_version_is_printed() -> None:
    assert in_a_process("--version").stdout == f"singleout {__version__}\n"


def test_help_waits_for_no_compiler_and_no_data_frame() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; sys.argv = ['singleout', '--help']\n"
            "from singleout.cli.main import app\n"
            "try: app()\n"
            "except SystemExit: pass\n"
            "heavy = {'numba', 'polars', 'numpy', 'pandas', 'altair'} & set(sys.modules)\n"
            "print('heavy:', sorted(heavy))",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "sets" in done.stdout
    assert done.stdout.endswith("heavy: []\n")


# ---- what it refuses


def test_unknown_columns_are_refused_with_the_nearest_name(people: Path) -> None:
    sentence = refused(singleout("sets", people, "--qi", "PC4+gendr"))
    assert "['gendr']" in sentence
    assert "Did you mean 'gender' for 'gendr'?" in sentence


def test_a_missing_file_is_refused_with_the_nearest_name(people: Path) -> None:
    sentence = refused(singleout("sets", "peple.csv", "--qi", "PC4", cwd=people.parent))
    assert sentence == "No file 'peple.csv'. Did you mean 'people.csv'?"


def test_no_quasi_identifier_is_refused_with_the_columns_there_are(people: Path) -> None:
    sentence = refused(singleout("sets", people))
    assert "Say with --qi which columns" in sentence
    assert "'municipality'" in sentence


def test_an_empty_name_is_refused(people: Path) -> None:
    assert "empty column name" in refused(singleout("sets", people, "--qi", "PC4++YoB"))


def test_a_picture_of_an_unknown_kind_is_refused(people: Path) -> None:
    asked = singleout("sets", people, "--qi", "PC4", "--plot", "x.bmp", cwd=people.parent)
    assert "end the name in one of .html" in refused(asked)


def test_a_picture_of_wildcards_is_refused(people: Path) -> None:
    options = ["--missing", "wildcard", "--plot", people.parent / "x.svg"]
    assert "not transitive" in refused(singleout("sets", people, "--qi", "YoB", *options))


@pytest.mark.parametrize("option", ["--csv", "--plot", "--records"])
def test_files_that_exist_are_not_overwritten_unless_forced(option: str, people: Path) -> None:
    out = people.parent / "out.svg"
    out.write_text("precious")
    asked = ["sets", people, "--qi", "PC4", option, out]
    assert "exists already" in refused(singleout(*asked))
    assert out.read_text() == "precious"
    assert singleout(*asked, "--force").returncode == 0
    assert out.read_text() != "precious"


def test_a_folder_that_does_not_exist_is_refused(people: Path) -> None:
    asked = singleout("sets", people, "--qi", "PC4", "--csv", people.parent / "no" / "x.csv")
    assert "There is no folder" in refused(asked)


def test_a_wrong_option_is_refused_with_2(people: Path) -> None:
    done = singleout("sets", people, "--qu", "PC4")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_what_should_not_happen_is_one_sentence_too(
    people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("singleout.methods.anonymity.function.anonymity_sets", fail)
    done = singleout("sets", people, "--qi", "PC4")
    assert done.returncode == 70
    assert "RuntimeError: boom" in done.stderr
    assert "Traceback" not in done.stderr


# ---- interruption and progress


def test_ctrl_c_ends_long_work_with_130_and_writes_nothing(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    cells = rng.integers(0, 5, (60_000, 12)).astype(str)
    cells[rng.random(cells.shape) < 0.1] = ""
    names = [f"c{place}" for place in range(12)]
    pl.DataFrame(cells, schema=names).write_csv(tmp_path / "x.csv", quote_style="never")
    asked = ["sets", "x.csv", "--qi", "+".join(names), "--missing", "wildcard", "--csv", "out.csv"]
    with working_on("Matching records with missing values", *asked, cwd=tmp_path) as process:
        time.sleep(0.3)  # until it is within the step
        assert process.poll() is None, "the work ended before it could be interrupted"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert err == "Interrupted: what was not finished was not written.\n"
    assert [file.name for file in tmp_path.iterdir()] == ["x.csv"]


def test_a_pipe_that_closes_early_is_no_error(people: Path) -> None:
    command = f"{sys.executable} -m singleout sets {people} --qi PC4 | true"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=False, env=os.environ
    )
    assert done.stderr == ""


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def _shown(seconds: float, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what a terminal shows while work of some length goes on."""
    screen = _Terminal()
    monkeypatch.setattr(progress, "PATIENCE", 0.2)
    monkeypatch.setattr(
        progress, "Console", lambda **_: Console(file=screen, force_terminal=True, width=100)
    )
    with progress.shown_if_slow():
        from singleout.core.progress import working_on

        working_on("Counting \x1b[31m", 3, 7)
        time.sleep(seconds)
    return screen.getvalue()


def test_long_work_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = _shown(1.0, monkeypatch)
    assert "Counting \\x1b[31m" in shown
    assert "3/7" in shown


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _shown(0.0, monkeypatch) == ""


# ---- columns, weights, files


def test_columns_lists_names_and_counts_but_no_values(people: Path) -> None:
    done = singleout("columns", people)
    assert done.returncode == 0
    assert "people.csv: 5 records, 4 columns" in done.stdout
    assert "Terschelling" not in done.stdout
    rows = json.loads(singleout("columns", people, "--json").stdout)["columns"]
    assert [row["column"] for row in rows] == ["PC4", "gender", "YoB", "municipality"]
    assert [row["different_values"] for row in rows] == [2, 2, 2, 2]
    assert [row["missing"] for row in rows] == [0, 0, 1, 0]


def test_weights_are_used_in_every_form_of_the_answer(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("a,w\nx,10\nx,20\ny,7\n")
    asked = ["sets", path, "--qi", "a", "--weights", "w"]
    stands_for = "the rarest combination stands for 7 of 37 people"
    assert stands_for in singleout(*asked).stdout
    result = json.loads(singleout(*asked, "--json").stdout)["results"][0]
    assert (result["weighted_minimum"], result["weighted_total"]) == (7.0, 37.0)


def test_the_missing_value_policy_is_said_with_the_answer(people: Path) -> None:
    asked = ["sets", people, "--qi", "YoB", "--missing"]
    assert "counts as a value like another (--missing value)" in singleout(*asked, "value").stdout
    assert "matches everything (--missing wildcard)" in singleout(*asked, "wildcard").stdout
    assert "1 of 5 records lack a quasi-identifier" in singleout(*asked, "drop").stdout
    assert "Note" not in singleout("sets", people, "--qi", "PC4").stdout  # nothing is missing


def test_nothing_is_written_if_one_of_the_outputs_is_impossible(people: Path) -> None:
    out = people.parent / "r.csv"
    options = ["--missing", "wildcard", "--records", out, "--plot", people.parent / "z.svg"]
    refused(singleout("sets", people, "--qi", "YoB", *options))
    assert not out.exists()


def test_output_files_have_the_usual_rights(people: Path) -> None:
    out = people.parent / "out.csv"
    usual = people.parent / "usual"
    usual.touch()
    singleout("sets", people, "--qi", "PC4", "--csv", out)
    assert out.stat().st_mode == usual.stat().st_mode


def test_shares_are_never_rounded_to_nothing_or_to_everything() -> None:
    from singleout.cli.shared.output import share_of

    assert share_of(0, 10) == "0%"
    assert share_of(1, 6_514) == "0.015%"
    assert share_of(99_999, 100_000) == "99.999%"
    assert share_of(1, 2) == "50.0%"
    assert share_of(10, 10) == "100%"
    assert share_of(0, 0) == "–"


def test_the_data_is_never_overwritten_and_no_output_twice(people: Path) -> None:
    before = people.read_text()
    for option in ("--csv", "--records", "--plot"):
        asked = singleout("sets", people, "--qi", "PC4", option, people, "--force")
        assert "is the data itself" in refused(asked)
    for command in (["qar"], ["records"], ["eliminate", "--records", "1"]):
        for option in ("--csv", "--plot"):
            asked = singleout(command[0], people, *command[1:], option, people, "--force")
            assert "is the data itself" in refused(asked)
    same = people.parent / "same.csv"
    asked = singleout("sets", people, "--qi", "PC4", "--csv", same, "--records", same)
    assert "asked for twice" in refused(asked)
    assert people.read_text() == before


def test_without_arguments_the_commands_are_listed() -> None:
    done = singleout()
    assert done.returncode == 0
    assert "assess" in done.stdout + done.stderr


@pytest.mark.parametrize(
    "words", [["sets"], ["sets", "x.csv", "--qi"], ["sets", "x.csv", "--missing", "foo"], ["foo"]]
)
def test_mistakes_in_the_command_are_one_sentence(words: list[str]) -> None:
    assert refused(singleout(*words)).endswith(" --help.")


def test_a_terminal_that_knows_few_characters_gets_an_answer(
    people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = in_a_process("sets", people, "--qi", "PC4")
    assert done.returncode == 0
    assert "PC4" in done.stdout


def test_an_answer_that_cannot_be_written_is_one_sentence(people: Path) -> None:
    assert "is a folder" in refused(singleout("sets", people, "--qi", "PC4", "--csv", "."))
    command = f"{sys.executable} -m singleout sets {people} --qi PC4 > /dev/full"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 74
    assert done.stderr == "The answer could not be written: No space left on device.\n"


def test_many_groups_are_cut_with_a_word(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("g,a\n" + "".join(f"{n},1\n" for n in range(500)))
    done = singleout("sets", path, "--qi", "a", "--by", "g")
    assert "441 more rows are not shown" in done.stdout
    assert len(done.stdout.splitlines()) < 150
