"""Whatever is read, asked or written: the right answer or one sentence, and nothing is lost."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hostile_case import Case
from hostile_corpus import CASES

from run_command import singleout

LONGEST = 20.0  # seconds of work
GIVE_UP = 60.0  # seconds on the clock, where others work on the same machine
MOST_MEMORY = 1 << 30  # bytes more than before, in a case
COMMAND = [sys.executable, "-c", "from singleout.cli.main import run; run()"]
# what steers a terminal, or turns the direction of text; a line end and a tab do not
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True)
class Ended:
    """What came of a command."""

    code: int
    out: str
    err: str
    seconds: float
    memory: int


@pytest.fixture(scope="module", autouse=True)
def compiled(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Compile the kernels beforehand: the first run of all takes the time that no case may."""
    data = tmp_path_factory.mktemp("compiled") / "people.csv"
    data.write_text("a,b\n1,x\n1,x\n2,y\n3,\n")
    for words in (["sets", "--qi", "a+b"], ["suda"], ["records", "--size", "2"]):
        assert singleout(words[0], data, *words[1:]).returncode == 0


# ---- in this process


def run_here(words: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Ended:
    monkeypatch.chdir(folder)
    before = _memory("VmRSS")
    _forget_the_peak()
    start = time.process_time()
    with _at_most(GIVE_UP):
        done = singleout(*words)
    seconds = time.process_time() - start
    memory = max(0, _memory("VmHWM") - before)
    return Ended(done.returncode, done.stdout, done.stderr, seconds, memory)


def _memory(kind: str, process: int | str = "self") -> int:
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except FileNotFoundError:  # not Linux
        return 0
    found = re.search(rf"{kind}:\s+(\d+)", status)
    return 1024 * int(found[1]) if found else 0  # a process that has ended has no memory


def _forget_the_peak() -> None:
    if os.access("/proc/self/clear_refs", os.W_OK):
        Path("/proc/self/clear_refs").write_text("5")


class _at_most:  # noqa: N801 - reads as a sentence
    """Ends what takes longer, if it is Python that waits."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __enter__(self) -> None:
        self.before = signal.signal(signal.SIGALRM, self._late)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(self, *_error: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.before)

    def _late(self, _number: int, _frame: object) -> None:
        pytest.fail(f"did not end within {self.seconds} seconds")


# ---- in a process of its own


def run_alone(words: list[str], folder: Path, settings: dict[str, Any]) -> Ended:
    """Run a command in a new process, which may be given

    - ``stdout``: the file that replaces its output;
    - ``closed``: the number of a stream that is closed;
    - ``largest_file``: how many bytes it may write into a file;
    - ``powerless``: that the rights of files hold for it even if the tests run as root.
    """
    streams = {1: Path(settings.get("stdout", folder.parent / "out")), 2: folder.parent / "err"}
    with streams[1].open("wb") as out, streams[2].open("wb") as err:
        process = subprocess.Popen(
            [*COMMAND, *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            preexec_fn=_prepared(settings),  # noqa: PLW1509 - no other thread runs
        )
        code, usage, memory = _waited_for(process)
    texts = [
        path.read_text("utf-8", "surrogateescape") if path.is_file() else ""
        for path in streams.values()
    ]
    return Ended(code, *texts, usage.ru_utime + usage.ru_stime, memory)


def _waited_for(process: subprocess.Popen[bytes]) -> tuple[int, resource.struct_rusage, int]:
    """Return the exit code, what it took, and its memory at most.

    ``ru_maxrss`` also counts the memory of this process, which it had until it became another.
    """
    end, memory = time.monotonic() + GIVE_UP, 0
    while time.monotonic() < end:
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage, min(memory, 1024 * usage.ru_maxrss)
        memory = max(memory, _memory("VmHWM", process.pid))
        time.sleep(0.02)
    process.kill()
    process.wait()
    pytest.fail(f"did not end within {GIVE_UP} seconds")


def _prepared(settings: dict[str, Any]) -> Callable[[], None]:
    def prepare() -> None:
        if "closed" in settings:
            os.close(settings["closed"])
        if "largest_file" in settings:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (settings["largest_file"],) * 2)
        if settings.get("powerless") and os.getuid() == 0:
            for power in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
                ctypes.CDLL(None).prctl(24, power, 0, 0, 0)  # PR_CAPBSET_DROP

    return prepare


# ---- what must hold


def _contents(folder: Path) -> dict[str, str]:
    """Return what is in a folder: the content of each file, or what it is otherwise."""
    contents = {}
    for path in sorted(folder.rglob("*")):
        name = os.fsencode(path.relative_to(folder)).decode("utf-8", "backslashreplace")
        if path.is_symlink():
            contents[name] = f"link to {path.readlink()}"
        elif path.is_file():
            contents[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        else:
            contents[name] = oct(path.stat().st_mode)
    return contents


def _one_sentence(case: Case, ended: Ended) -> None:
    assert ended.out == ""
    lines = ended.err.splitlines()
    assert len(lines) == 1, ended.err
    assert len(lines[0]) < 2000, lines[0][:200]
    assert lines[0].endswith((".", "?", "!"))
    for part in case.says:
        assert part.casefold() in lines[0].casefold()


def _right(case: Case, ended: Ended) -> None:
    for part in case.says:
        assert part in ended.out
    if case.answer:
        answer = json.loads(ended.out)
        for path, expected in case.answer.items():
            value = answer
            for step in path.split("."):
                value = value[int(step)] if step.isdigit() else value[step]
            assert value == expected, path
    elif "--json" in case.words:
        assert "NaN" not in ended.out
        assert "Infinity" not in ended.out


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_hostile_input_is_refused_in_one_sentence_or_answered_right(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "case"
    folder.mkdir()
    case.make(folder)
    before = _contents(folder)
    words = [
        word.replace("{folder}", str(folder)).replace("{name}", folder.name) for word in case.words
    ]
    if case.alone:
        ended = run_alone(words, folder, dict(case.settings))
    else:
        ended = run_here(words, folder, monkeypatch)

    output = ended.out + ended.err
    assert "Traceback" not in output
    assert "This should not happen" not in output
    assert STEERING.search(output) is None, ascii(output)
    if case.may_refuse and ended.code == 2:
        _one_sentence(Case(case.name, case.words), ended)
    else:
        assert ended.code == case.code, ended.err
        if case.code == 0:
            _right(case, ended)
        else:
            _one_sentence(case, ended)

    after = _contents(folder)
    written = {name: content for name, content in after.items() if before.get(name) != content}
    lost = set(before) - set(after)
    allowed = {os.fsencode(name).decode("utf-8", "backslashreplace") for name in case.writes}
    assert not lost
    assert set(written) <= allowed, "no other file may be changed or left behind"
    if ended.code == 0:
        for name, part in case.writes.items():
            assert part in (folder / name).read_text("utf-8")
    assert ended.seconds < LONGEST
    assert ended.memory < MOST_MEMORY


def test_the_corpus_is_large_and_every_case_has_a_name_of_its_own() -> None:
    names = [case.name for case in CASES]
    assert len(names) >= 150
    assert len(set(names)) == len(names)
