"""Many uneven tasks on Spark: small jobs, a few of them at a time, answers as they are ready.

A job has about as many tasks as the cluster has slots. Spark schedules them, repeats those of a
lost worker, and runs slow ones twice where speculation is on. While the last tasks of one job run,
those of the next take the free slots, so a long task delays no other.
"""

from __future__ import annotations

import pickle
import shutil
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from singleout.core.progress import working_on
from singleout.core.undoing import undone_at_the_end
from singleout.engines.checkpoint import Checkpoint, fingerprint
from singleout.engines.counter import AnswerT, TaskT
from singleout.engines.resumed import KeptTasks, Resumed
from singleout.engines.spark.session import ends_in_a_sentence, is_connect, slots
from singleout.engines.spark.worker import ANSWERS, Batch, Sent, SentFile, unpacked
from singleout.errors import UnreachableData

__all__ = ["run_tasks"]

_IN_FLIGHT = 3  # jobs at a time
_MOST_PARTITIONS = 256  # of a job: its answers come to the driver together
_MOST_AT_ONCE = 64  # tasks that one slot takes in a row
_AIM = 1.0  # seconds of work for a slot in one job: the overhead is about a tenth of that


def run_tasks(
    session: Any,
    work: Callable[[Any, TaskT], AnswerT],
    shared: Any,
    tasks: Sequence[TaskT],
    *,
    name: str,
    what: str,
    checkpoint: Checkpoint | None = None,
) -> Iterator[AnswerT]:
    """Yield ``work(shared, task)`` for each task, in any order, as they are done.

    Answers in the checkpoint come first, and new ones are saved there. A task that was begun before
    and not finished is answered by its halves, if it has some.
    """
    done, total = 0, len(tasks)
    working_on(what, done, total)
    kept = _kept(checkpoint, work, shared, name) if checkpoint else None
    todo: list[TaskT] = []
    for task in tasks:
        resumed = kept.resume(task) if kept else Resumed(left=[task])
        todo += resumed.left
        total += len(resumed.answers) + len(resumed.left) - 1
        for answer in resumed.answers:
            done += 1
            working_on(what, done, total)
            yield answer
    if not todo:
        return
    begun = kept.begin if kept else None
    with _sent(session, shared) as sent:
        jobs = _Jobs(session, work, sent, todo, what, begun)
        for number, answer in jobs.answers(deque(range(len(todo)))):
            if kept:
                kept.keep(todo[number], answer)
            done += 1
            working_on(what, done, total)
            yield answer


def _kept(checkpoint: Checkpoint, work: Any, shared: Any, name: str) -> KeptTasks[Any]:
    """Return the answers in a checkpoint, by the data, the question and the task."""
    from singleout import __version__

    # an answer of another version may have been wrong
    question = fingerprint(__version__, work.__module__, work.__qualname__, name, shared)
    return KeptTasks(checkpoint, partial(fingerprint, question))


@contextmanager
def _sent(session: Any, shared: Any) -> Iterator[Sent]:
    """Send the data that all tasks share to the workers, once."""
    if not is_connect(session):
        with ends_in_a_sentence():
            variable = session.sparkContext.broadcast(shared)
        try:
            yield variable
        finally:
            variable.destroy(blocking=False)
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        undone_at_the_end(partial(shutil.rmtree, folder)),
        ends_in_a_sentence(),
    ):
        file = Path(folder) / f"singleout-{uuid4().hex}"
        file.write_bytes(pickle.dumps(shared, protocol=pickle.HIGHEST_PROTOCOL))
        session.addArtifacts(str(file), file=True)
    yield SentFile(file.name)


class _Jobs:
    """The jobs that tasks are sent in."""

    def __init__(
        self,
        session: Any,
        work: Any,
        shared: Sent,
        tasks: Sequence[Any],
        what: str,
        begun: Callable[[Any], None] | None,
    ) -> None:
        from singleout import __version__

        self._session, self._work, self._shared, self._tasks = session, work, shared, tasks
        self._what, self._version, self._begun = what, __version__, begun
        self._tag = f"singleout-{uuid4().hex}"  # to cancel these jobs and no others
        self._at_once = 1  # how many tasks a slot takes in a row
        with ends_in_a_sentence():
            self._slots = min(slots(session), _MOST_PARTITIONS)
            self._threads = int(session.conf.get("spark.task.cpus", "1") or 1)

    def answers(self, todo: deque[int]) -> Iterator[tuple[int, Any]]:
        """Yield the number and the answer of each task; closing the generator ends the jobs."""
        pool = ThreadPoolExecutor(_IN_FLIGHT, thread_name_prefix="singleout-spark")
        running: set[Future[list[tuple[int, bytes]]]] = set()
        try:
            while todo or running:
                while todo and len(running) < _IN_FLIGHT:
                    running.add(pool.submit(self._job, self._next(todo)))
                finished, running = wait(running, return_when=FIRST_COMPLETED)
                for job in finished:
                    for number, answer in job.result():
                        yield number, unpacked(answer)
        finally:
            if running:
                self._cancel()
            pool.shutdown(cancel_futures=True)

    def _next(self, todo: deque[int]) -> list[int]:
        """Take the tasks of the next job, ordered so that each slot has long and short ones."""
        many = min(len(todo), self._slots * self._at_once)
        taken = [todo.popleft() for _ in range(many)]
        if self._begun is not None:
            for number in taken:
                self._begun(self._tasks[number])
        width = min(self._slots, many)
        return [number for slot in range(width) for number in taken[slot::width]]

    def _job(self, numbers: list[int]) -> list[tuple[int, bytes]]:
        """Run one job and return its answers; on a thread of its own."""
        session, width = self._session, min(self._slots, len(numbers))
        tasks = [self._tasks[number] for number in numbers]
        batch = Batch(self._work, self._shared, tasks, self._version, self._threads)
        with ends_in_a_sentence():
            session.addTag(self._tag)
            if not is_connect(session):
                session.sparkContext.setLocalProperty("spark.job.description", self._what)
            rows = session.range(0, len(tasks), 1, width).mapInArrow(batch, ANSWERS).toArrow()
        indexes, answers, seconds = (column.to_pylist() for column in rows.columns)
        # a slot takes several tasks that are shorter than the overhead of a job
        self._at_once = max(1, min(_MOST_AT_ONCE, int(_AIM * len(tasks) / max(sum(seconds), 1e-6))))
        return [(numbers[index], answer) for index, answer in zip(indexes, answers, strict=True)]

    def _cancel(self) -> None:
        with suppress(UnreachableData), ends_in_a_sentence():  # a lost cluster runs nothing
            self._session.interruptTag(self._tag)
