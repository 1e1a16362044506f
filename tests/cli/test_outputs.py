"""What a command leaves behind: exit codes, streams, and who may read the files."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from run_command import singleout
from singleout.cli import main
from singleout.cli.main import EXIT_CODES


def in_shell(command: str, **options: str) -> subprocess.CompletedProcess[str]:
    words = command.format(singleout=f"{sys.executable} -m singleout", **options)
    return subprocess.run(["bash", "-c", words], capture_output=True, text=True, check=False)


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    frame = {name: [n % (3 + at) for n in range(40)] for at, name in enumerate("abcde")}
    pl.DataFrame(frame).write_csv("people.csv")
    return tmp_path / "people.csv"


# ---- outputs that cannot be written


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("{singleout} --version >&-", "the standard output is closed"),
        ("{singleout} --version >/dev/full", "No space left on device"),
        ("{singleout} --version 1</dev/null", "Bad file descriptor"),
    ],
)
def test_an_answer_that_cannot_be_written_is_one_sentence_and_74(
    command: str, sentence: str
) -> None:
    done = in_shell(command)
    assert done.returncode == 74
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_errors_that_nobody_hears_are_not_printed_among_the_answers() -> None:
    done = in_shell("{singleout} sets nowhere.csv --qi a 2>&-")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


def test_a_file_that_cannot_be_made_is_74(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    done = singleout("columns", people, "--csv", "out.csv")
    assert (done.returncode, done.stdout) == (74, "")
    assert done.stderr == "'out.csv' cannot be written: Permission denied.\n"


def test_an_error_of_the_system_that_is_none_of_writing_is_not_said_to_be_one(
    people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: object) -> None:
        raise FileNotFoundError(2, "No such file or directory", "something")

    monkeypatch.setattr("singleout.cli.columns._rows", lost)
    done = singleout("columns", people)
    assert done.returncode == 70
    assert "This should not happen: FileNotFoundError" in done.stderr


def test_every_exit_code_has_a_meaning_and_the_help_names_it() -> None:
    assert list(EXIT_CODES) == [0, 1, 2, 70, 74, 129, 130, 143]
    assert main.app.info.epilog is not None
    assert all(str(code) in main.app.info.epilog for code in EXIT_CODES)


# ---- streams


def test_outputs_can_go_to_standard_output_and_other_open_files(people: Path) -> None:
    done = in_shell(
        "{singleout} sets {people} --qi a --json --csv /dev/stdout --records /dev/fd/3 "
        ">all.txt 3>three.txt",
        people=str(people),
    )
    assert (done.returncode, done.stderr) == (0, "")
    both = Path("all.txt").read_text().splitlines()
    assert both[0].startswith("quasi_identifier,")
    assert both[-1] == "}"  # what is printed comes after it, in the same file
    assert Path("three.txt").read_text().splitlines()[0] == "record,size on a"


@pytest.fixture
def null(tmp_path: Path) -> Path:
    """A device of our own: a mistake must not replace the one that everybody uses."""
    device = tmp_path / "null"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root may make devices")
    return device


def test_a_report_can_go_to_a_stream_of_any_name(people: Path, null: Path) -> None:
    done = singleout("assess", people, "-o", null)
    assert done.returncode == 0, done.stderr
    assert stat.S_ISCHR(null.stat().st_mode)


def test_a_stream_can_be_given_twice(people: Path, null: Path) -> None:
    asked = ["sets", people, "--qi", "a", "--csv", null, "--records", null]
    for words in (asked, [*asked, "--force"]):
        assert singleout(*words).returncode == 0
        assert stat.S_ISCHR(null.stat().st_mode)


# ---- who may read it


def test_files_that_hold_records_are_for_their_owner_only(people: Path) -> None:
    small = ["--size", "2", "--tail", "0.5"]
    before = os.umask(0o022)
    try:
        for words in (
            ["sets", people, "--qi", "a+b", "--records", "private1.csv", "--csv", "open1.csv"],
            ["records", people, *small, "--csv", "private2.csv"],
            ["suda", people, "-o", "private3.csv"],
            ["eliminate", people, *small, "--records", "2", "--out", "private4.csv"],
            ["assess", people, "-o", "private5.html", "--show-records", "--pia", "open2.json"],
            ["assess", people, "-o", "open3.html"],
            ["columns", people, "--csv", "open4.csv"],
        ):
            done = singleout(*words)
            assert done.returncode == 0, done.stderr
    finally:
        os.umask(before)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in people.parent.iterdir()}
    private = {name: mode for name, mode in modes.items() if name.startswith("private")}
    opened = {name: mode for name, mode in modes.items() if name.startswith("open")}
    assert len(private) == 9
    assert set(private.values()) == {0o600}
    assert len(opened) == 4
    assert set(opened.values()) == {0o644}
