import multiprocessing
import os
import threading
import time

import numpy as np
import pytest

from singleout.core.progress import listening
from singleout.errors import BadChoice
from singleout.kernels.threads import in_parallel, slices, thread_count


def test_slices_cover_everything_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SINGLEOUT_THREADS", "3")
    covered = [row for part in slices(1000, 10) for row in range(part.start, part.stop)]
    assert covered == list(range(1000))


def test_small_work_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SINGLEOUT_THREADS", "8")
    assert slices(99, 100) == [slice(0, 99)]


def test_answers_come_in_the_order_of_the_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SINGLEOUT_THREADS", "4")
    assert in_parallel(lambda n: n * n, range(20)) == [n * n for n in range(20)]


def test_work_runs_on_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SINGLEOUT_THREADS", "2")
    together = threading.Barrier(2, timeout=10)  # passes only if both tasks are under way at once
    assert sorted(in_parallel(lambda n: (together.wait(), n)[1], range(2))) == [0, 1]


def test_an_error_in_a_thread_is_the_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SINGLEOUT_THREADS", "2")
    with pytest.raises(ZeroDivisionError):
        in_parallel(lambda n: 1 // n, [1, 0])


def test_all_allowed_cores_are_used_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SINGLEOUT_THREADS", raising=False)
    assert thread_count() == len(os.sched_getaffinity(0))


@pytest.mark.parametrize("asked", ["0", "-1", "two", "1.5"])
def test_a_number_of_threads_that_makes_no_sense_gets_a_sentence(
    asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SINGLEOUT_THREADS", asked)
    with pytest.raises(BadChoice, match=r"SINGLEOUT_THREADS is .* whole number"):
        thread_count()


def test_tasks_that_look_are_told_when_the_rest_is_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SINGLEOUT_THREADS", "2")
    halt = np.zeros(1, dtype=np.bool_)
    together = threading.Barrier(2, timeout=10)
    ended = []

    def work(task: int) -> None:
        together.wait()
        if task == 0:
            raise ZeroDivisionError
        while not halt[0]:
            time.sleep(0.001)
        ended.append(task)

    with pytest.raises(ZeroDivisionError):
        in_parallel(work, range(2), halt=halt)
    assert ended == [1]


def test_progress_is_said_after_each_task() -> None:
    reports: list[tuple[str, int, int]] = []
    with listening(lambda *words: reports.append(words)):
        assert in_parallel(abs, [-1, -2], "Counting") == [1, 2]
    assert reports == [("Counting", 0, 2), ("Counting", 1, 2), ("Counting", 2, 2)]


def test_shared_work_can_be_shared_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SINGLEOUT_THREADS", "2")
    sums = in_parallel(lambda outer: sum(in_parallel(lambda n: n * outer, range(5))), range(40))
    assert sums == [10 * outer for outer in range(40)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_has_threads_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SINGLEOUT_THREADS", "2")
    assert in_parallel(lambda n: n + 1, range(4)) == [1, 2, 3, 4]
    with multiprocessing.get_context("fork").Pool(1) as child:
        assert child.apply_async(_in_a_fork).get(timeout=60) == [0, 1, 4, 9]


def _in_a_fork() -> list[int]:
    return in_parallel(lambda n: n * n, range(4))


def test_threads_go_on_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SINGLEOUT_THREADS", "2")
    with pytest.raises(ZeroDivisionError):
        in_parallel(lambda n: 1 // n, range(4))
    assert in_parallel(lambda n: n + 1, range(4)) == [1, 2, 3, 4]
