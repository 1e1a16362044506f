"""Runs a command, within the process of the tests or in its own, and returns what it printed."""

import contextlib
import io
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from singleout.cli.main import run


def singleout(*words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command within this process: a new one each time loads every module again."""
    command = ["singleout", *map(str, words)]
    out, err = io.StringIO(), io.StringIO()
    code = _run(command, cwd, out, err)
    return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue())


def as_shown(words: list[str], cwd: Path) -> tuple[int, str]:
    """Run the command within this process; return its exit code and what a terminal would show."""
    screen = io.StringIO()
    return _run(words, cwd, screen, screen), screen.getvalue()


def _run(command: list[str], cwd: Path | None, out: io.StringIO, err: io.StringIO) -> int:
    with (
        contextlib.nullcontext() if cwd is None else contextlib.chdir(cwd),
        patch.object(sys, "argv", command),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as end,
    ):
        run()
    code = end.value.code
    assert isinstance(code, int)
    return code


def in_a_process(*words: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the command as a user does: with an interpreter, streams and an end of its own."""
    command = [sys.executable, "-m", "singleout", *map(str, words)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """Return the one sentence of a refusal."""
    assert done.returncode == 2
    assert done.stdout == ""
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1
    return lines[0]
