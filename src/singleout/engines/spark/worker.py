"""The code that runs on the workers of a Spark cluster: tasks over data that is sent once."""

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

__all__ = ["ANSWERS", "Batch", "Sent", "SentFile", "require_version", "unpacked"]

ANSWERS = "task long, answer binary, seconds double"

# The last file that this worker has read, by its name.
_cache: dict[str, Any] = {}


class Sent(Protocol):
    """Data that all tasks share, as it is sent to a worker."""

    @property
    def value(self) -> Any:
        """The data."""


@dataclass(frozen=True)
class SentFile:
    """Data that is sent as a file, since Spark Connect has no broadcasts."""

    name: str

    @property
    def value(self) -> Any:
        """The data; each worker caches what it has read last."""
        from pyspark import SparkFiles

        if self.name not in _cache:
            content = Path(SparkFiles.get(self.name)).read_bytes()
            _cache.clear()
            _cache[self.name] = pickle.loads(content)
        return _cache[self.name]


@dataclass(frozen=True)
class Batch:
    """The tasks of one Spark job, ``work(shared, task)``, by their numbers in a frame."""

    work: Callable[[Any, Any], Any]
    shared: Sent
    tasks: Sequence[Any]
    version: str  # of the package on the driver, which the worker must have as well
    threads: int = 1  # that a task may use

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
        """Return the answer in a tuple, or our own error; other errors are raised to Spark."""
        try:
            require_version(self.version)
            return (self.work(self.shared.value, self.tasks[number]),)
        except SingleoutError as error:
            return error


def require_version(asking: str) -> None:
    """Raise an error if this worker has another version of the package than the driver."""
    from singleout import __version__

    if asking != __version__:
        raise MissingDependency(
            f"The workers of the Spark cluster have singleout {__version__}, and {asking} asks; "
            "install the same version everywhere."
        )


def unpacked(answer: bytes) -> Any:
    """Return the answer of a task, or raise its error."""
    result = pickle.loads(zlib.decompress(answer))
    if isinstance(result, SingleoutError):
        raise result
    return result[0]
