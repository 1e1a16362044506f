"""Names and values that would steer a terminal, in every place where a command shows them."""

import json
from pathlib import Path

import polars as pl
import pytest

from run_command import singleout

# ESC colours text, CSI is ESC [ in one character, RLO turns the direction of writing; the others
# end a line in some places and not in others
HOSTILE = "\x1b[31m\x9b1m\u202e\u2028\x85\x7f\u2066"
RAW = [char for char in HOSTILE if not char.isprintable()]
NAME = f"x{HOSTILE}y"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / f"{NAME}.parquet"
    values = [f"{NAME}{n % 5}" for n in range(30)]
    pl.DataFrame(
        {
            NAME: values,
            f"{NAME}2": [n % 3 for n in range(30)],
            "c": [n % 7 for n in range(30)],
            "d": [n % 2 for n in range(30)],
        }
    ).write_parquet(file)
    return file


COMMANDS = {
    "columns": ["columns"],
    "sets": ["sets", "--qi", f"{NAME}+c", "--by", NAME],
    "qar": ["qar", "--size", "2", "--tail", "0.5"],
    "records": ["records", "--size", "2", "--tail", "0.5", "--id", NAME],
    "suda": ["suda", "--id", NAME],
    "eliminate": ["eliminate", "--records", "2", "--size", "2", "--tail", "0.5"],
    "plan": ["plan"],
    "assess": ["assess"],
}


def harmless(text: str) -> bool:
    return not any(char in text for char in RAW)


@pytest.mark.parametrize("command", COMMANDS)
def test_no_control_character_reaches_the_screen_or_json(data: Path, command: str) -> None:
    first, *rest = COMMANDS[command]
    shown = singleout(first, data, *rest)
    assert shown.returncode == 0, shown.stderr
    assert harmless(shown.stdout + shown.stderr)
    printed = singleout(first, data, *rest, "--json")
    assert harmless(printed.stdout + printed.stderr)
    assert NAME in json.dumps(json.loads(printed.stdout), ensure_ascii=False).replace(
        "\\u001b", "\x1b"
    )


@pytest.mark.parametrize("command", ["sets", "qar", "records", "suda", "eliminate", "assess"])
def test_no_control_character_reaches_a_picture(data: Path, command: str) -> None:
    first, *rest = COMMANDS[command]
    for ending in ("svg", "json"):
        done = singleout(first, data, *rest, "--plot", f"picture.{ending}")
        assert done.returncode == 0, done.stderr
        assert harmless(Path(f"picture.{ending}").read_text(encoding="utf-8"))


def test_no_control_character_reaches_a_file_of_results(data: Path) -> None:
    for command, option in (
        ("columns", "--csv"),
        ("sets", "--csv"),
        ("sets", "--records"),
        ("qar", "--csv"),
        ("records", "--csv"),
        ("suda", "--output"),
        ("plan", "--output"),
        ("assess", "--output"),
        ("assess", "--report-json"),
        ("assess", "--pia"),
    ):
        first, *rest = COMMANDS[command]
        name = "out.html" if (command, option) == ("assess", "--output") else "out.csv"
        done = singleout(first, data, *rest, option, name, "--force")
        assert done.returncode == 0, done.stderr
        for file in Path().glob("out*"):
            assert harmless(file.read_text(encoding="utf-8")), (command, option, file)


def test_json_reads_as_the_same_text() -> None:
    from singleout.core.text import json_text

    every = "".join(map(chr, [*range(0x2100), 0xD800, 0xFEFF, 0x1F600, 0xE0001, 0x10FFFF]))
    text = json_text({every: [every, 1.5, None]})
    assert json.loads(text) == {every: [every, 1.5, None]}
    assert all(char.isprintable() or char == "\n" for char in text)
    assert "é" in text  # what can be read stays readable


def test_a_cell_for_a_spreadsheet_keeps_its_lines_and_marks_that_letters_need() -> None:
    from singleout.core.text import spreadsheet_safe

    assert spreadsheet_safe("a\nb\tc\u200cd\xa0e") == "a\nb\tc\u200cd\xa0e"
    assert spreadsheet_safe("a\x1b[0m\u202eb\x9b") == "a\\x1b[0m\\u202eb\\x9b"
    assert spreadsheet_safe("=1\x07") == "'=1\\x07"
    assert spreadsheet_safe(-3) == -3
