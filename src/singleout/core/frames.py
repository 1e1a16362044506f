"""polars, for whoever makes data frames; refused in forked processes, where it would deadlock.

polars has a pool of threads. A forked process has none of them, and waits for them forever.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.errors import BadChoice

if TYPE_CHECKING:
    import polars as pl

__all__ = ["pl", "refuse_lost_threads"]

_TASKS = Path("/proc/self/task")


class _Threads:
    """Whether polars had threads when this process was forked, which are lost in the child."""

    lost = False
    running = False

    def look(self) -> None:
        self.running = "polars" in sys.modules and _has_threads()

    def forked(self) -> None:
        self.lost = self.lost or self.running


def _has_threads() -> bool:
    """Whether polars has started its threads; True if the system does not say."""
    try:
        names = [(task / "comm").read_text(errors="replace") for task in _TASKS.iterdir()]
    except OSError:
        return True
    return any(name.startswith("polars") for name in names)


_threads = _Threads()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_threads.look, after_in_child=_threads.forked)


def refuse_lost_threads() -> None:
    """Refuse work of polars in a process that was forked after polars had started threads."""
    if _threads.lost:
        raise BadChoice(
            "This process was forked off one that had read data, and the threads which read data "
            "or make data frames were lost on the way; start it with the method spawn or "
            "forkserver, as multiprocessing.get_context('spawn') does, or give it a Table and take "
            "numbers and arrays."
        )


def __getattr__(name: str) -> Any:
    """Return polars for ``pl``, checked at each access."""
    if name != "pl":
        raise AttributeError(name)
    refuse_lost_threads()
    return import_module("polars")
