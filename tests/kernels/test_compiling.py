import subprocess
import sys
from pathlib import Path

PROGRAM = """
import singleout as so
from singleout.core.progress import listening

heard = []
with listening(lambda what, done, total: heard.append(what)):
    so.anonymity_sets({"a": [1, 2, 2], "b": ["x", "y", "y"]}, ["a", "b"])
print("Compiling, first run only" in heard)
"""


def test_only_the_first_run_on_a_machine_says_that_it_compiles(
    tmp_path: Path,
    monkeypatch: "pytest.MonkeyPatch",  # noqa: F821
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    said = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
        ).stdout.strip()
        for _ in range(2)
    ]
    assert said == ["True", "False"]
