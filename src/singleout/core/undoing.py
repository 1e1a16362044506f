"""Clean-up for a process that must end at once: temporary files, a hidden cursor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

__all__ = ["undo_all", "undone_at_the_end"]

_pending: dict[object, Callable[[], object]] = {}


@contextmanager
def undone_at_the_end(undo: Callable[[], object]) -> Iterator[None]:
    """Run ``undo`` if the process must end at once inside; in an orderly end, the caller does."""
    key = object()
    _pending[key] = undo
    try:
        yield
    finally:
        _pending.pop(key, None)


def undo_all() -> None:
    """Undo everything that is pending; an error does not stop the rest."""
    for undo in list(_pending.values()):
        with suppress(Exception):
            undo()
