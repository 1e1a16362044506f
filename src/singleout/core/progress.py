"""Progress of long work: the work reports it, and a listener decides what to show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

__all__ = ["ask_to_stop", "listening", "stop_asked", "stoppable", "track", "working_on"]

# what is being done, how many steps are done, how many there are (0: unknown)
Listener = Callable[[str, int, int], None]

_listener: ContextVar[Listener | None] = ContextVar("progress listener", default=None)
_Step = TypeVar("_Step")


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send the progress of everything that runs inside to ``listener``."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def working_on(what: str, done: int = 0, total: int = 0) -> None:
    """Report what is being done now."""
    listener = _listener.get()
    if listener is not None:
        listener(what, done, total)


def track(steps: Iterable[_Step], what: str, total: int = 0) -> Iterator[_Step]:
    """Yield the steps, and report after each how many are done."""
    total = len(steps) if isinstance(steps, Sized) else total
    working_on(what, 0, total)
    for done, step in enumerate(steps, start=1):
        yield step
        working_on(what, done, total)


# ---- stopping between two steps of a search

_stopping = {"possible": False, "asked": False}


@contextmanager
def stoppable() -> Iterator[None]:
    """Let the search inside be asked to stop; the request ends with it."""
    _stopping.update(possible=True, asked=False)
    try:
        yield
    finally:
        _stopping.update(possible=False, asked=False)


def ask_to_stop() -> None:
    """Ask a search to stop after the step that it is in; nothing happens where none is running.

    An interruption is lost where it is raised while compiled code calls Python; this is not.
    """
    _stopping["asked"] = _stopping["possible"]


def stop_asked() -> bool:
    """Whether a search is to stop."""
    return _stopping["asked"]
