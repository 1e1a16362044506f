"""How many threads singleout may use; it looks at its environment variable at each call."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["threads"]

VARIABLE = "SINGLEOUT_THREADS"


@contextmanager
def threads(number: int | None) -> Iterator[None]:
    """Let singleout use so many threads inside, or all cores for None."""
    before = os.environ.pop(VARIABLE, None)
    if number is not None:
        os.environ[VARIABLE] = str(number)
    try:
        yield
    finally:
        os.environ.pop(VARIABLE, None)
        if before is not None:
            os.environ[VARIABLE] = before
