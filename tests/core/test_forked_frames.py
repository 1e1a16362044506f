"""A process that is forked off gets an answer or a sentence, and never waits for lost threads."""

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import singleout as so
from singleout.core import frames

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork"),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]

DATA = {"a": [1, 2, 2, 3] * 50, "b": ["x", "y", "y", "z"] * 50}
TABLE = so.read(DATA)
SETS = so.anonymity_sets(TABLE, ["a", "b"])


def _in_a_fork(work: Callable[[], Any]) -> Any:
    with multiprocessing.get_context("fork").Pool(1) as child:
        return child.apply_async(work).get(timeout=60)


def _counted() -> int:
    return so.anonymity_sets(TABLE, ["a", "b"]).sets


def _searched() -> int:
    return so.suda(TABLE, ["a", "b"]).with_uniques


def _read() -> int:
    return so.read(DATA).rows


def _framed() -> int:
    return SETS.to_frame().height


@pytest.mark.parametrize(("work", "answer"), [(_counted, 3), (_searched, 0)])
def test_a_table_that_is_read_already_is_counted_in_a_fork(
    work: Callable[[], int], answer: int
) -> None:
    assert _in_a_fork(work) == answer


@pytest.mark.parametrize("work", [_read, _framed])
def test_what_needs_the_lost_threads_is_refused_and_spawn_is_named(work: Callable[[], int]) -> None:
    frames.pl.DataFrame({"a": [1, 2]}).lazy().filter(frames.pl.col("a") > 1).collect()
    with pytest.raises(so.SingleoutError, match=r"forked off .* spawn"):
        _in_a_fork(work)
    assert work() > 0  # here nothing is lost


def test_a_fork_of_a_process_that_has_read_nothing_can_read() -> None:
    program = (
        "import multiprocessing, singleout as so\n"
        "def work():\n"
        "    return so.anonymity_sets({'a': [1, 2, 2]}, ['a']).to_frame().height\n"
        "with multiprocessing.get_context('fork').Pool(1) as child:\n"
        "    print(child.apply_async(work).get(timeout=60))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        check=True,
        timeout=90,
    )
    assert done.stdout.strip() == "1"


def test_where_the_system_does_not_say_loaded_threads_count_as_started(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "_TASKS", tmp_path / "absent")
    assert frames._has_threads()
