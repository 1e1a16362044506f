"""Runs a command, within the process of the tests or in its own, and returns what it printed."""

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator
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


# the command, which also writes to a pipe what it is working on, once each
_REPORTING = """
import os, sys
from singleout.core import progress

pipe, reported, shown = int(sys.argv.pop(1)), set(), progress.working_on

def working_on(what, done=0, total=0):
    if what not in reported:
        os.write(pipe, what.encode() + b"\\n")
    reported.add(what)
    shown(what, done, total)

progress.working_on = working_on
from singleout.__main__ import run
run()
"""


@contextlib.contextmanager
def working_on(step: str, *words: object, cwd: Path) -> Iterator[subprocess.Popen[str]]:
    """Give a command in a process of its own, when it reports this step as what it works on."""
    reading, writing = os.pipe()
    with (
        os.fdopen(reading) as steps,
        subprocess.Popen(
            [sys.executable, "-c", _REPORTING, str(writing), *map(str, words)],
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            pass_fds=[writing],
        ) as process,
    ):
        os.close(writing)
        try:
            assert any(line.startswith(step) for line in steps), "the work ended before this step"
            yield process
        finally:
            process.kill()


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """Return the one sentence of a refusal."""
    assert done.returncode == 2
    assert done.stdout == ""
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1
    return lines[0]
