"""How many threads singleout may use; it looks at its environment variable at each call."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["run_on_one_thread", "single", "threads"]

VARIABLE = "SINGLEOUT_THREADS"
OF_POLARS = "POLARS_MAX_THREADS"  # read once, when polars is first imported


def single() -> bool:
    """Whether everybody was asked to use one thread."""
    return os.environ.get(OF_POLARS) == "1"


def run_on_one_thread() -> None:
    """Start the command anew with one thread for everybody, unless that is so already."""
    if not single():
        os.environ |= {OF_POLARS: "1", VARIABLE: "1"}
        os.execv(sys.executable, [sys.executable, "-m", "bench", *sys.argv[1:]])


@contextmanager
def threads(number: int | None) -> Iterator[None]:
    """Let singleout use so many threads inside, or all cores for None."""
    before = os.environ.pop(VARIABLE, None)
    number = 1 if single() else number
    if number is not None:
        os.environ[VARIABLE] = str(number)
    try:
        yield
    finally:
        os.environ.pop(VARIABLE, None)
        if before is not None:
            os.environ[VARIABLE] = before
