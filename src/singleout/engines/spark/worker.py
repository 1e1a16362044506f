"""What runs on the workers of a Spark cluster: tasks over something that each holds once."""

from __future__ import annotations

import os
import pickle
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

from singleout.errors import MissingDependency, SingleoutError

__all__ = ["ANSWERS", "Batch", "Broadcast", "Held", "SentFile", "require_version", "unpacked"]

ANSWERS = "task long, answer binary, seconds double"

# What was sent as a file, by its name: a worker that is used again does not read it again.
_read: dict[str, Any] = {}


class Held(Protocol):
    """What all tasks need, as it arrives at a worker."""

    def value(self) -> Any:
        """Return it."""


@dataclass(frozen=True)
class Broadcast:
    """Something that Spark broadcast."""

    variable: Any

    def value(self) -> Any:
        """Return it; each worker keeps what it has read."""
        return self.variable.value


@dataclass(frozen=True)
class SentFile:
    """Something that was sent along as a file, since Spark Connect has no broadcasts."""

    name: str

    def value(self) -> Any:
        """Return it; each worker keeps the last one that it has read."""
        from pyspark import SparkFiles

        if self.name not in _read:
            content = Path(SparkFiles.get(self.name)).read_bytes()
            _read.clear()
            _read[self.name] = pickle.loads(content)
        return _read[self.name]


@dataclass(frozen=True)
class Batch:
    """The tasks of one Spark job: each row of a frame of numbers stands for one of them.

    Parameters
    ----------
    work
        What to do with ``(shared, task)``.
    shared
        What all tasks need.
    tasks
        The tasks, by number.
    version
        The version of this package that asks; the worker's must be the same.
    threads
        How many threads a task may use.
    """

    work: Callable[[Any, Any], Any]
    shared: Held
    tasks: Sequence[Any]
    version: str
    threads: int = 1

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield a record batch with the answer of each task."""
        import pyarrow as pa

        # the slots of a machine together use all its cores
        os.environ["SINGLEOUT_THREADS"] = str(self.threads)
        for batch in batches:
            for number in batch.column(0).to_pylist():
                begun = monotonic()
                answer = zlib.compress(pickle.dumps(self._answer(number)), 1)
                columns = [
                    pa.array([number], pa.int64()),
                    pa.array([answer], pa.binary()),
                    pa.array([monotonic() - begun], pa.float64()),
                ]
                yield pa.RecordBatch.from_arrays(columns, ["task", "answer", "seconds"])

    def _answer(self, number: int) -> Any:
        """Return the answer, or the error that says what is wrong; others are for Spark to see."""
        try:
            require_version(self.version)
            return (self.work(self.shared.value(), self.tasks[number]),)
        except SingleoutError as error:
            return error


def require_version(asking: str) -> None:
    """Say so if this worker has another version of the package than the program that asks."""
    from singleout import __version__

    if asking != __version__:
        raise MissingDependency(
            f"The workers of the Spark cluster have singleout {__version__}, and {asking} asks; "
            "install the same version everywhere."
        )


def unpacked(answer: bytes) -> Any:
    """Return the answer of a task, or raise the error that it ended in."""
    found = pickle.loads(zlib.decompress(answer))
    if isinstance(found, SingleoutError):
        raise found
    return found[0]
