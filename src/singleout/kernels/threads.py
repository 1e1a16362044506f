"""Threads for kernels: they release the interpreter's lock, so plain threads use all cores."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from singleout.core.progress import track
from singleout.errors import BadChoice

__all__ = ["as_they_finish", "in_parallel", "slices", "thread_count"]

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")


def thread_count() -> int:
    """Return how many threads to use: SINGLEOUT_THREADS, or the cores this process may use."""
    asked = os.environ.get("SINGLEOUT_THREADS", "")
    if not asked:
        has_affinity = hasattr(os, "sched_getaffinity")  # not on macOS and Windows
        return len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1
    if not asked.isdecimal() or int(asked) == 0:
        raise BadChoice(
            f"SINGLEOUT_THREADS is {asked!r}; give a whole number of threads, 1 or more."
        )
    return int(asked)


def slices(length: int, at_least: int) -> list[slice]:
    """Cut ``range(length)`` into one piece per thread, none smaller than ``at_least``."""
    pieces = max(1, min(thread_count(), length // at_least))
    edges = [length * piece // pieces for piece in range(pieces + 1)]
    return [slice(a, b) for a, b in pairwise(edges)]


def in_parallel(
    work: Callable[[_Task], _Result],
    tasks: Iterable[_Task],
    what: str | None = None,
    halt: NDArray[np.bool_] | None = None,
) -> list[_Result]:
    """Return ``work(task)`` for each task in order; the first error or Ctrl-C ends the rest.

    ``what`` names the work in the progress. The one element of ``halt`` becomes true when the rest
    is to end, for long tasks, which must look at it now and then.
    """
    todo = list(tasks)
    threads = min(thread_count(), len(todo))
    if threads <= 1 and halt is None:
        return _collected(map(work, todo), len(todo), what)
    with _pool() as pool:
        try:
            return _collected(pool.map(work, todo), len(todo), what)
        except BaseException:
            if halt is not None:
                halt[0] = True
            raise


@contextmanager
def _pool() -> Iterator[ThreadPoolExecutor]:
    """Give idle threads that were started before, if there are any: starting them takes a while.

    Nobody else uses them meanwhile, so work in a thread may itself use threads. No more are started
    than there are tasks.
    """
    threads = thread_count()
    try:
        pool = _idle[threads].pop()
    except IndexError:
        pool = ThreadPoolExecutor(threads)
    try:
        yield pool
    except BaseException:
        pool.shutdown(cancel_futures=True)
        raise
    if _idle[threads]:
        pool.shutdown(wait=False)
    else:
        _idle[threads].append(pool)


_idle: defaultdict[int, list[ThreadPoolExecutor]] = defaultdict(list)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # a fork has none of the threads


def as_they_finish(
    work: Callable[[_Task], _Result], tasks: Sequence[_Task], what: str
) -> Iterator[_Result]:
    """Yield ``work(task)`` for each task in any order, each as soon as it is done.

    The progress is shown under the name ``what``.
    """
    with _pool() as pool:
        done = as_completed([pool.submit(work, task) for task in tasks])
        for _ in track(range(len(tasks)), what):
            yield next(done).result()


def _collected(results: Iterable[_Result], total: int, what: str | None) -> list[_Result]:
    return list(results if what is None else track(results, what, total))
