"""A command that is told to end obeys within two seconds, whatever it is doing."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from run_command import working_on

SENTENCE = "Interrupted: what was not finished was not written.\n"
SOON = 5.0  # seconds: two, and some for a machine that has other work

# one step of many minutes for Python's main thread, which no signal enters
STUCK = """
import hashlib, sys
from pathlib import Path
from singleout.cli import main
from singleout.core.undoing import undone_at_the_end

def stuck():
    part = Path("part")
    part.write_text("a copy of the data")
    with undone_at_the_end(part.unlink):
        try:
            print("busy", flush=True)
            hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)
        finally:
            part.unlink()

main.command = lambda: lambda **_: stuck()
main.run()
"""


def _started(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _ended(process: subprocess.Popen[str], number: int) -> str:
    """Send a signal; return what was said on the errors' stream."""
    start = time.monotonic()
    process.send_signal(number)
    try:
        said = process.communicate(timeout=60)[1]
    finally:
        process.kill()
    assert time.monotonic() - start < SOON
    assert process.returncode == 128 + number
    return said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_work_that_no_signal_enters_is_ended_and_leaves_no_temporary_file(
    tmp_path: Path, number: int
) -> None:
    with _started(tmp_path, "-c", STUCK) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "busy\n"
        time.sleep(0.3)  # until it is within the step
        assert _ended(process, number) == SENTENCE
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "words", "step"),
    [
        (signal.SIGTERM, "records data.csv --size 5 --csv out.csv", "Finding unique records"),
        (signal.SIGINT, "suda data.csv --max-size 9", "Searching"),
    ],
    ids=["records", "suda"],
)
def test_a_command_in_the_middle_of_its_loops_obeys(
    tmp_path: Path, number: int, words: str, step: str
) -> None:
    rng = np.random.default_rng(5)
    codes = {f"c{n}": rng.integers(0, 3 + 5 * (n % 4), 60_000) for n in range(18)}
    pl.DataFrame(codes).write_csv(tmp_path / "data.csv")
    with working_on(step, *words.split(), cwd=tmp_path) as process:
        time.sleep(0.5)  # until it is within the loops
        assert process.poll() is None, "the work ended before it could be interrupted"
        assert _ended(process, number).endswith(SENTENCE)
    assert [file.name for file in tmp_path.iterdir()] == ["data.csv"]


def test_ctrl_c_while_modules_are_loaded_shows_no_traceback() -> None:
    program = (
        "import os, signal, sys\n"
        "class Loading:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'singleout.cli.main':\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Loading())\n"
        "from singleout.__main__ import run\n"
        "run()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == -signal.SIGINT
    assert done.stderr == ""
