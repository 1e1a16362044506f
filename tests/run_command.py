"""Runs a command within the process of the tests, and returns what it printed."""

import contextlib
import io
import subprocess
import sys
from unittest.mock import patch

import pytest

from singleout.cli.main import run


def singleout(*words: object) -> subprocess.CompletedProcess[str]:
    """Run the command within this process: a new one each time would take a minute."""
    command = ["singleout", *map(str, words)]
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.object(sys, "argv", command),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as end,
    ):
        run()
    code = end.value.code
    assert isinstance(code, int)
    return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue())


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """Return the one sentence of a refusal."""
    assert done.returncode == 2
    assert done.stdout == ""
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1
    return lines[0]
