"""Commit together what was appended at the same time: one write to disk for many callers.

Whoever gets the turn takes all that wait, and commits them as one. The others find their answer
when their turn comes. Nobody is answered before the commit is on disk.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Generic, TypeVar

from singleout.errors import SingleoutError

__all__ = ["GroupCommit", "Job"]

AskedT = TypeVar("AskedT")
AnswerT = TypeVar("AnswerT")

_MOST = 256  # jobs in one commit


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
        self._turn = Lock()
        self._door = Lock()
        self._waiting: list[Job[AskedT, AnswerT]] = []

    def do(self, asked: AskedT) -> AnswerT:
        """Return the answer once it is on disk."""
        job: Job[AskedT, AnswerT] = Job(asked)
        with self._door:
            self._waiting.append(job)
        while not job.is_done:
            with self._turn:
                if not job.is_done:
                    self._lead()
        return job.result()

    def _lead(self) -> None:
        with self._door:
            group, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
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
