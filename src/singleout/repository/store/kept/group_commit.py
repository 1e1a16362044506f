"""Commit together what was appended at the same time: one write to disk for many callers.

Whoever comes while nobody commits takes all that wait, and commits them as one. All of them are
woken once that is on disk, and one of those who came meanwhile is next. Where several came the last
time, they are given a moment to come again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from time import sleep
from typing import Any, Generic, TypeVar

from singleout.errors import SingleoutError

__all__ = ["GroupCommit", "Job"]

AskedT = TypeVar("AskedT")
AnswerT = TypeVar("AnswerT")

_MOST = 256  # jobs in one commit
_MOMENT = 0.0005  # seconds


class Job(Generic[AskedT, AnswerT]):
    """Something to commit, and its answer or its error afterwards."""

    def __init__(self, asked: AskedT) -> None:
        self.asked = asked
        self.answer: AnswerT | None = None
        self.error: BaseException | None = None

    @property
    def is_done(self) -> bool:
        """Whether there is an answer or an error."""
        return self.answer is not None or self.error is not None

    def result(self) -> AnswerT:
        """Return the answer, or raise the error."""
        if self.error is not None:
            raise self.error
        assert self.answer is not None
        return self.answer


class _Caller:
    """A thread that waits for its jobs."""

    def __init__(self, jobs: Sequence[Job[Any, Any]]) -> None:
        self.jobs = jobs
        self.woken = Lock()
        self.woken.acquire()

    @property
    def is_done(self) -> bool:
        return all(job.is_done for job in self.jobs)


class GroupCommit(Generic[AskedT, AnswerT]):
    """Let threads share commits.

    Parameters
    ----------
    commit
        Does jobs in one transaction: it sets the error of each that is refused, and returns the
        answers of the others once they are on disk. If it raises, nothing was written.
    """

    def __init__(
        self,
        commit: Callable[[Sequence[Job[AskedT, AnswerT]]], Sequence[AnswerT]],
    ) -> None:
        self._commit = commit
        self._door = Lock()
        self._waiting: list[Job[AskedT, AnswerT]] = []
        self._callers: list[_Caller] = []
        self._is_led = False
        self._last = 1  # jobs in the last commit

    def do(self, asked: AskedT) -> AnswerT:
        """Return the answer once it is on disk."""
        job: Job[AskedT, AnswerT] = Job(asked)
        self._finish([job])
        return job.result()

    def do_all(self, asked: Iterable[AskedT]) -> list[AnswerT | SingleoutError]:
        """Return the answer or the refusal of each, once all are on disk."""
        jobs: list[Job[AskedT, AnswerT]] = [Job(one) for one in asked]
        self._finish(jobs)
        return [
            job.error if isinstance(job.error, SingleoutError) else job.result() for job in jobs
        ]

    def _finish(self, jobs: Sequence[Job[AskedT, AnswerT]]) -> None:
        """Wait until jobs are done, and lead if it is their turn."""
        caller = _Caller(jobs)
        with self._door:
            self._waiting += jobs
            self._callers.append(caller)
            leads, self._is_led = not self._is_led, True
        if not leads:
            caller.woken.acquire()
        if leads or not caller.is_done:
            try:
                while not caller.is_done:
                    if len(self._waiting) < self._last:
                        sleep(_MOMENT)
                    self._lead()
            finally:
                self._hand_over(caller)

    def _hand_over(self, leader: _Caller) -> None:
        """Wake those whose jobs are done, and the next one to lead."""
        with self._door:
            others = [one for one in self._callers if one is not leader]
            left = {id(job) for job in leader.jobs}  # of a leader who was interrupted
            self._waiting = [job for job in self._waiting if id(job) not in left]
            self._callers = [one for one in others if not one.is_done]
            self._is_led = bool(self._callers)
            woken = [one for one in others if one.is_done] + self._callers[:1]
        for one in woken:
            one.woken.release()

    def _lead(self) -> None:
        with self._door:
            group, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
        self._last = len(group)
        try:
            self._attempt(group)
        except SingleoutError as error:
            if len(group) == 1:
                group[0].error = error
                return
            for job in group:  # one of them may be what the database refuses
                self._alone(job)
        except BaseException as error:
            for job in group:
                job.error = error
            raise

    def _alone(self, job: Job[AskedT, AnswerT]) -> None:
        job.error = None
        try:
            self._attempt([job])
        except SingleoutError as error:
            job.error = error

    def _attempt(self, group: Sequence[Job[AskedT, AnswerT]]) -> None:
        answers = self._commit(group)
        taken = [job for job in group if job.error is None]
        for job, answer in zip(taken, answers, strict=True):
            job.answer = answer
