import subprocess
import sys
from pathlib import Path

import pytest
from numba import config

from singleout.kernels import compiling
from singleout.kernels.distinct import pair_loops, unique_loops

PROGRAM = """
import singleout as so
from singleout.core.progress import listening

heard = []
with listening(lambda what, done, total: heard.append(what)):
    so.anonymity_sets({"a": [1, 2, 2], "b": ["x", "y", "y"]}, ["a", "b"])
print("Compiling, first run only" in heard)
"""


@pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")
def test_only_the_first_run_on_a_machine_says_that_it_compiles(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    outputs = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
        ).stdout.strip()
        for _ in range(2)
    ]
    assert outputs == ["True", "False"]


@pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")
def test_what_was_compiled_is_not_taken_once_a_shared_file_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    package = tmp_path / "singleout_copy"
    package.mkdir()
    for name, text in {
        "__init__.py": "",
        "shared.py": "from numba import njit\n\n\n@njit\ndef number():\n    return 1\n",
        "loop.py": "from singleout_copy.shared import number\n\n\n"
        "def loop():\n    return number()\n",
    }.items():
        (package / name).write_text(text)
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from pathlib import Path\n"
        "from singleout.kernels import compiling\n"
        f"compiling._SHARED = ({str(package / 'shared.py')!r},)\n"
        "from singleout_copy.loop import loop\n"
        "print(compiling.kernel(loop)())"
    )

    def answer() -> str:
        return subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        ).stdout.strip()

    assert answer() == "1"
    shared = package / "shared.py"
    shared.write_text(shared.read_text().replace("return 1", "return 22"))
    assert answer() == "22"


def test_kernels_of_other_files_are_compiled_anew_with_the_shared_ones() -> None:
    for loop in (pair_loops.count_pairs, unique_loops.flag_pairs):
        kept = getattr(getattr(loop, "_cache", None), "_cache_file", None)
        assert kept is None or kept._source_stamp[1] == compiling._shared_stamp()
