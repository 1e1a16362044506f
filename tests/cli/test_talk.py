"""What commands say beside their answer, and that all that read data have the same flags for it."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from run_command import singleout
from singleout.cli.main import app

READING = ("--where", "--count", "--engine", "--na", "--encoding", "--quiet", "-v")


def commands(command: Any, name: str = "") -> Iterator[tuple[str, set[str]]]:
    """Yield every command by its name, with its options."""
    for word, one in getattr(command, "commands", {}).items():
        yield from commands(one, f"{name} {word}".strip())
    if name:
        yield name, {flag for parameter in command.params for flag in parameter.opts}


COMMANDS = dict(commands(typer.main.get_command(app)))
READERS = [name for name, flags in COMMANDS.items() if "--where" in flags]


@pytest.mark.parametrize("name", READERS)
def test_every_command_that_reads_data_has_the_same_flags_for_it(name: str) -> None:
    missing = [flag for flag in READING if flag not in COMMANDS[name]]
    assert not missing


def test_commands_that_read_data_are_found() -> None:
    assert {"sets", "suda", "qar", "assess", "publish", "predict", "treat"} <= set(READERS)


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n30,f\n30,\n41,m\n")
    return path


def test_notes_are_left_out_with_quiet(people: Path) -> None:
    words = ("sets", people, "--qi", "age,sex")
    loud, quiet = singleout(*words), singleout(*words, "--quiet")
    assert "Note: A missing value" in loud.stdout
    assert "Note:" not in quiet.stdout
    assert quiet.stdout.splitlines() == loud.stdout.splitlines()[: len(quiet.stdout.splitlines())]


def test_a_log_says_what_was_opened_without_values(people: Path) -> None:
    words = ("sets", people, "--qi", "age,sex")
    assert singleout(*words).stderr == ""
    once = singleout(*words, "-v").stderr
    assert "INFO singleout.engines: engine local chosen" in once
    assert "read people.csv: 3 rows, 2 columns" in once
    twice = singleout(*words, "--engine", "database", "-vv").stderr
    assert "DEBUG singleout.engines: a statement of" in twice
    assert "41" not in once


def test_the_package_logs_nothing_by_itself() -> None:
    handlers = logging.getLogger("singleout").handlers
    assert any(isinstance(handler, logging.NullHandler) for handler in handlers)
