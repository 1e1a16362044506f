"""Tasks on Spark: each is done, errors are sentences, nothing is left running."""

import os
import signal
import time
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
import pytest
import spark_work

import singleout
from singleout.core.progress import listening
from singleout.engines.checkpoint import Checkpoint
from singleout.engines.spark.session import ends_in_a_sentence
from singleout.engines.spark.tasks import run_tasks
from singleout.errors import MissingDependency, UnreachableData, UnusableTable

NAMES = {"name": "question", "what": "Testing"}


@pytest.fixture(autouse=True, scope="module")
def _work() -> None:
    pytest.importorskip("pyspark")
    spark_work.by_value()


def nothing_runs(spark: Any) -> bool:
    """Whether Spark has no job left, after a few seconds."""
    tracker = spark.sparkContext.statusTracker()
    for _ in range(50):
        if not tracker.getActiveJobsIds():
            return True
        time.sleep(0.1)
    return False


def test_every_task_is_done_once_and_progress_is_told(spark: Any) -> None:
    heard: list[tuple[str, int, int]] = []
    with listening(lambda *update: heard.append(update)):
        found = list(run_tasks(spark, spark_work.add, 100, range(300), **NAMES))
    assert sorted(found) == list(range(100, 400))
    assert [done for _, done, _ in heard] == list(range(301))
    assert {(what, total) for what, _, total in heard} == {("Testing", 300)}


def test_no_tasks_are_no_work(spark: Any) -> None:
    assert list(run_tasks(spark, spark_work.add, 1, [], **NAMES)) == []


def test_a_long_task_holds_up_nobody(spark: Any) -> None:
    found = list(run_tasks(spark, spark_work.uneven, 3.0, range(8), **NAMES))
    assert sorted(found) == list(range(8))
    # jobs that start after the one with the long task end before it
    assert found.index(0) >= 4


def test_a_task_uses_the_threads_of_its_slot(spark: Any) -> None:
    assert set(run_tasks(spark, spark_work.threads, None, [1, 2], **NAMES)) == {"1"}


def test_large_things_are_shared(spark: Any) -> None:
    shared = np.arange(3_000_000)
    assert list(run_tasks(spark, spark_work.length, shared, [1], **NAMES)) == [3_000_000]


def test_an_error_on_a_worker_comes_as_the_same_sentence(spark: Any) -> None:
    with pytest.raises(UnusableTable, match=r"^Task 3 cannot be done; leave it out\.$"):
        list(run_tasks(spark, spark_work.refuse, None, range(6), **NAMES))
    assert nothing_runs(spark)


def test_a_mistake_in_the_program_is_not_hidden(spark: Any) -> None:
    with pytest.raises(Exception, match="IndexError: list index out of range"):
        list(run_tasks(spark, spark_work.blunder, None, range(2), **NAMES))
    assert nothing_runs(spark)


def test_workers_without_the_package_are_told_apart(spark: Any) -> None:
    with pytest.raises(MissingDependency, match="do not have the package singleout"):
        list(run_tasks(spark, spark_work.lack_the_package, None, range(2), **NAMES))


def test_workers_with_another_version_are_told_apart(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(singleout, "__version__", "0.0.0")
    with pytest.raises(MissingDependency, match="install the same version everywhere"):
        list(run_tasks(spark, spark_work.add, 1, range(2), **NAMES))


def test_whoever_stops_listening_ends_the_jobs(spark: Any) -> None:
    answers = run_tasks(spark, spark_work.asleep, 0.3, range(100), **NAMES)
    next(answers)
    answers.close()  # type: ignore[attr-defined]
    assert nothing_runs(spark)


def test_ctrl_c_ends_the_jobs(spark: Any) -> None:
    timer = Timer(2.0, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        list(run_tasks(spark, spark_work.asleep, 30.0, range(8), **NAMES))
    timer.cancel()
    assert time.monotonic() - begun < 20
    assert nothing_runs(spark)


def test_what_is_done_is_not_done_again(spark: Any, tmp_path: Path) -> None:
    kept, marks = Checkpoint.at(tmp_path / "kept"), tmp_path / "marks"
    marks.mkdir()
    shared = (str(marks), 10)

    def answers(shared: Any, tasks: Any, name: str = "question") -> list[int]:
        running = run_tasks(
            spark, spark_work.noted_add, shared, tasks, name=name, what="Testing", checkpoint=kept
        )
        return sorted(running)

    def done() -> int:
        return len(list(marks.iterdir()))

    assert answers(shared, range(6)) == list(range(10, 16))
    assert done() == 6
    assert answers(shared, range(8)) == list(range(10, 18))
    assert done() == 8
    for file in list((tmp_path / "kept").rglob("*.npz"))[:3]:
        file.write_bytes(file.read_bytes()[:40])
    assert answers(shared, range(8)) == list(range(10, 18))
    assert done() == 11
    assert answers(shared, range(8), "another question") == list(range(10, 18))
    assert done() == 19
    assert answers((str(marks), 11), range(8)) == list(range(11, 19))
    assert done() == 27


def test_what_spark_says_becomes_a_sentence_without_its_words() -> None:
    from py4j.protocol import Py4JError, Py4JNetworkError
    from pyspark.errors import AnalysisException, PySparkRuntimeError, SparkRuntimeException

    cases: list[tuple[Exception, str]] = [
        (Py4JNetworkError("host 10.0.0.1 secret"), "does not answer any more"),
        (ConnectionRefusedError("secret"), "does not answer any more"),
        (Py4JError("java.lang.OutOfMemoryError: secret"), "ran out of memory"),
        (Py4JError("ExecutorLostFailure secret"), "lost its executors"),
        (Py4JError("secret"), "gave up on a job"),
        (Py4JError("stopped SparkContext secret"), "does not answer any more"),
        (
            SparkRuntimeException(message="secret", errorClass="FAILED_READ_FILE"),
            "FAILED_READ_FILE",
        ),
        (PySparkRuntimeError("total secret bigger than spark.driver.maxResultSize"), "raise spark"),
    ]
    for error, words in cases:
        with pytest.raises(UnreachableData, match=words) as caught, ends_in_a_sentence():
            raise error
        assert "secret" not in str(caught.value)
        assert caught.value.__context__ is None
    with pytest.raises(AnalysisException), ends_in_a_sentence():
        raise AnalysisException("a statement that is wrong")
    with pytest.raises(ZeroDivisionError), ends_in_a_sentence():
        _ = 1 / 0


def test_a_task_that_was_slow_is_cut_when_the_run_is_resumed(spark: Any, tmp_path: Path) -> None:
    spans = [spark_work.Span(0, 8), *(spark_work.Span(n, n + 2) for n in range(8, 20, 2))]
    checkpoint, done = Checkpoint.at(tmp_path / "kept"), tmp_path / "done"
    done.mkdir()

    def run() -> Any:
        return run_tasks(
            spark, spark_work.noted_span, str(done), spans, checkpoint=checkpoint, **NAMES
        )

    begun = run()
    first = [next(begun) for _ in range(3)]  # while the long one sleeps
    begun.close()
    assert nothing_runs(spark)
    heard: list[tuple[str, int, int]] = []
    with listening(lambda *update: heard.append(update)):
        again = list(run())
    assert sum(again) == sum(range(20))
    assert set(first) <= set(again)
    ran = [path.name.split()[0] for path in done.iterdir()]
    assert ran.count("0-8") == 1  # by the first run
    assert ran.count("0-4") == ran.count("4-8") == 1
    assert heard[-1][1] == heard[-1][2] == len(again)
    assert sum(run()) == sum(range(20))
    assert len(list(done.iterdir())) == len(ran)  # all is kept by now
