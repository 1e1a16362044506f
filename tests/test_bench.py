"""The benchmark harness, run as a user runs it; nothing here depends on how fast anything is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
PEERS = {"polars", "duckdb", "pandas", "Counter of tuples"}


def bench(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bench", *map(str, words)]
    return subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    if not (CHECKOUT.parent / "shared" / "data" / "adult.csv").exists():
        pytest.skip("the data in ../shared is not beside this checkout")
    pytest.importorskip("pycanon", reason="the bench group is not installed")
    path = tmp_path_factory.mktemp("bench") / "out.json"
    done = bench("adult", "--quick", "--repeats", "1", "--json", path)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(path.read_text()))


def test_ours_and_every_peer_give_the_same_answer(written: dict[str, Any]) -> None:
    (case,) = [case for case in written["cases"] if case["name"] == "group-sizes/adult"]
    assert case["shape"] == [30_162, 9]
    contenders = {contender["name"]: contender for contender in case["contenders"]}
    assert contenders["singleout"]["ours"]
    assert set(contenders) >= PEERS
    assert {name: c["wrong"] for name, c in contenders.items() if not c["equal"]} == {}


def test_every_contender_is_timed_once_in_each_round(written: dict[str, Any]) -> None:
    times = [len(c["seconds"]) for case in written["cases"] for c in case["contenders"]]
    assert set(times) == {1}


def test_the_machine_and_the_versions_are_written_without_paths(written: dict[str, Any]) -> None:
    assert written["machine"]["cores"] >= 1
    assert {"polars", "duckdb", "pandas"} <= set(written["machine"]["packages"])
    assert str(CHECKOUT) not in json.dumps(written)


def test_an_unknown_case_is_refused_with_the_names_there_are() -> None:
    done = bench("no-such-case")
    assert done.returncode == 2
    assert "group-sizes/adult" in done.stderr
