"""Work for Spark's workers, which cannot import the tests: it is sent by value."""

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from singleout.engines.spark.distinct import count_block
from singleout.errors import UnusableTable
from singleout.kernels.uniques.search import run_task


def by_value() -> None:
    """Have the functions of this module sent as they are, not by name."""
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])


def add(shared: int, task: int) -> int:
    return shared + task


def uneven(shared: float, task: int) -> int:
    time.sleep(shared if task == 0 else 0)
    return task


def asleep(shared: float, task: int) -> int:
    time.sleep(shared)
    return task


def refuse(_: Any, task: int) -> int:
    if task == 3:
        raise UnusableTable("Task 3 cannot be done; leave it out.")
    return task


def blunder(_: Any, task: int) -> int:
    return [1, 2][task + 7]


def lack_the_package(_: Any, __: int) -> int:
    raise ModuleNotFoundError("No module named 'singleout'")


def threads(_: Any, __: int) -> str:
    return os.environ["SINGLEOUT_THREADS"]


def length(shared: Any, task: int) -> int:
    return len(shared) * task


# ---- work that leaves a file for each time that it was done


def note(folder: str, task: Any, seconds: float) -> None:
    time.sleep(seconds)
    number = "-".join(map(str, task)) if isinstance(task, tuple) else str(task)
    (Path(folder) / f"{number} {os.getpid()}-{time.time_ns()}").touch()


def noted_add(shared: tuple[str, int], task: int) -> int:
    note(shared[0], task, 0)
    return shared[1] + task


@dataclass(frozen=True)
class Span:
    """Numbers to add up: a task that can be cut in two."""

    begin: int
    end: int

    @property
    def halves(self) -> "tuple[Span, ...]":
        middle = (self.begin + self.end) // 2
        cut = Span(self.begin, middle), Span(middle, self.end)
        return cut if self.end - self.begin > 1 else ()


def noted_span(folder: str, task: Span) -> int:
    note(folder, (task.begin, task.end), 0)
    time.sleep(5 if task.end - task.begin >= 8 else 0)
    return sum(range(task.begin, task.end))


def noted_block(shared: tuple[str, Any], task: Any) -> Any:
    note(shared[0], task[0], 0.4)
    return count_block(shared[1], task)


def noted_search(shared: tuple[str, Any], task: Any) -> Any:
    note(shared[0], (task.lead, task.second, task.stop), 0.4)
    search = shared[1]
    return run_task(search.codes, search.levels, 3, task)
