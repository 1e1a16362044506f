"""Compiled loops are kept where that is possible, and nothing depends on it."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from numba import config

import singleout
from singleout.kernels import compiled_cache, compiling

pytestmark = pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")

LOOP = "def doubled(number):\n    return 2 * number\n"
NOTE = "compiled code could not be kept"
NOBODY = 65534


@pytest.fixture
def loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Any]:
    """What compiles a loop as a new process would, with its files in the folder ``kept``."""
    source = tmp_path / "loop_of_a_test.py"
    source.write_text(LOOP)
    spec = importlib.util.spec_from_file_location("loop_of_a_test", source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "kept"))
    compiled_cache.warn_uncached.cache_clear()
    return lambda: compiling.kernel(module.doubled)


def _was_read(loop: Any) -> bool:
    return sum(loop.stats.cache_hits.values()) == 1


def _flip_a_byte(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda file: file.write_bytes(b""),
        lambda file: file.write_bytes(file.read_bytes()[:-7]),
        lambda file: file.write_bytes(b"\x80garbage" * 99),
        _flip_a_byte,
        lambda file: (file.unlink(), file.mkdir()),
    ],
    ids=["empty", "cut off", "garbage", "one byte", "folder"],
)
def test_a_damaged_file_is_compiled_anew(
    loop: Callable[[], Any], tmp_path: Path, kind: str, damage: Callable[[Path], Any]
) -> None:
    assert loop()(4) == 8
    (file,) = (tmp_path / "kept").rglob(f"*.{kind}")
    damage(file)
    again = loop()
    assert again(4) == 8
    assert not _was_read(again)
    if file.is_file():
        mended = loop()
        assert mended(4) == 8
        assert _was_read(mended)


def test_data_under_the_number_of_another_signature_is_not_taken(
    loop: Callable[[], Any], tmp_path: Path
) -> None:
    both = loop()
    assert (both(4), both(0.5)) == (8, 1.0)
    one, other = sorted((tmp_path / "kept").rglob("*.nbc"))
    shutil.copy(one, other)
    again = loop()
    assert (again(0.25), again(4)) == (0.5, 8)


def test_where_nothing_can_be_written_it_runs_and_says_so_once(
    loop: Callable[[], Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    (tmp_path / "kept").write_text("a file in place of the folder")
    shutil.rmtree(tmp_path / "__pycache__", ignore_errors=True)
    (tmp_path / "__pycache__").write_text("here as well")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
    assert [loop()(4), loop()(5)] == [8, 10]
    (record,) = caplog.records
    assert NOTE in record.getMessage()
    assert "NUMBA_CACHE_DIR" in record.getMessage()


def test_places_that_the_user_allows_and_that_are_not_there_do_no_harm(
    loop: Callable[[], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "kept").write_text("a file in place of the folder")
    monkeypatch.setattr(config, "CACHE_LOCATOR_CLASSES", "UserProvidedCacheLocator")
    compiled = loop()
    assert compiled(4) == 8
    assert compiling._is_compiled(compiled)


def test_two_processes_that_start_at_once_both_get_their_answer(tmp_path: Path) -> None:
    (tmp_path / "loop_of_a_test.py").write_text(LOOP)
    program = (
        "from loop_of_a_test import doubled\n"
        "from singleout.kernels.compiling import kernel\n"
        "loop = kernel(doubled)\n"
        "print(loop(4), loop(0.5), loop(2j))"
    )
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    answers = [process.communicate(timeout=60) for process in started]
    assert answers == [("8 1.0 4j\n", "")] * 2


@pytest.fixture
def site_packages() -> Iterator[Path]:
    """A folder that everybody can read; those of pytest are for its user only."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.mark.skipif(
    shutil.which("setpriv") is None or getattr(os, "getuid", lambda: 1)() != 0,
    reason="needs to become another user",
)
def test_an_ordinary_user_of_a_read_only_installation_gets_an_answer(site_packages: Path) -> None:
    """Nothing is writable: neither the package nor a home; root would ignore the modes."""
    nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    readable = subprocess.run(
        [*nobody, sys.executable, "-c", "import numba"],
        capture_output=True,
        check=False,
    )
    if readable.returncode:
        pytest.skip("another user cannot read this installation")
    shutil.copytree(
        Path(singleout.__file__).parent,
        site_packages / "singleout",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    (site_packages / "data.csv").write_text(
        "a,b\n" + "".join(f"{n % 7},{n % 5}\n" for n in range(90))
    )
    hidden = {"HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR", "TMPDIR"}
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(
        [
            *nobody,
            sys.executable,
            "-m",
            "singleout",
            "sets",
            site_packages / "data.csv",
            "--qi",
            "a+b",
        ],
        env=environment | {"PYTHONPATH": str(site_packages)},
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "35" in done.stdout
    assert done.stderr.count(NOTE) == 1
    assert len(done.stderr.splitlines()) == 1
    assert not [*site_packages.rglob("__pycache__")]
