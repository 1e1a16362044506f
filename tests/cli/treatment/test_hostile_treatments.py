"""Names and values with control characters and markup reach no screen, and files keep them."""

from pathlib import Path

import polars as pl
import pytest

import singleout as so
from run_command import singleout

NAME = "a\x1b[31m[bold]b"
VALUES = ["x\x1b[2J", "[red]y", "=cmd()", "<script>"]


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Return a file whose name of a column and values would change a terminal."""
    path = tmp_path / "hostile.csv"
    frame = pl.DataFrame(
        {NAME: [VALUES[row % 4] for row in range(60)], "age": [20 + row % 23 for row in range(60)]}
    )
    frame.write_csv(path)
    return path


def test_no_command_prints_control_characters_or_obeys_markup(hostile: Path) -> None:
    folder = hostile.parent
    known = ["--qi", NAME, "--qi", "age"]
    runs = [
        [
            "suggest",
            hostile,
            *known,
            "--k",
            3,
            "-o",
            folder / "s.yaml",
            "--apply",
            folder / "t.csv",
        ],
        ["treat", hostile, folder / "s.yaml", "-o", folder / "again.csv"],
        ["covered", hostile, folder / "t.csv", *known, "--k", 3],
        ["utility", hostile, folder / "t.csv"],
        ["hierarchies", hostile, "-o", folder / "levels"],
        ["suggest", hostile, *known, "--k", 3, "--hierarchy", f"{NAME}=no.csv"],
        ["treat", hostile, folder / "s.yaml", "-o", folder / "again.csv"],
    ]
    for words in runs:
        done = singleout(*words)
        said = done.stdout + done.stderr
        assert "\x1b" not in said, words[0]
        assert "Traceback" not in said
    told = singleout("treat", hostile, folder / "s.yaml").stdout
    assert r"a\x1b[31m[bold]b, age are generalised" in told
    assert NAME in so.read(folder / "t.csv").columns
    assert (folder / "t.csv").read_bytes() == (folder / "again.csv").read_bytes()


def test_a_log_is_harmless_in_a_spreadsheet(hostile: Path) -> None:
    steps = hostile.parent / "steps.yaml"
    so.Steps.of([{"recode": NAME, "rare": 20, "other": "=other()"}]).write(steps)
    done = singleout("treat", hostile, steps, "-o", hostile.parent / "out.csv")
    assert done.returncode == 0, done.stderr
    log = pl.read_csv(hostile.parent / "out.log.csv")
    assert not any(text.startswith("=") for text in (*log["from"], *log["to"]))
    assert "'=cmd()" in log["from"]
