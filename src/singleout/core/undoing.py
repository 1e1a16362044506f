"""What has to be undone if the process must end at once: temporary files, a hidden cursor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

__all__ = ["undo_all", "undone_at_the_end"]

_pending: dict[object, Callable[[], object]] = {}


@contextmanager
def undone_at_the_end(undo: Callable[[], object]) -> Iterator[None]:
    """Have something undone if the process must end at once while this is open.

    In an orderly end whoever opens this undoes it.
    """
    key = object()
    _pending[key] = undo
    try:
        yield
    finally:
        _pending.pop(key, None)


def undo_all() -> None:
    """Undo everything that is pending, each as far as it goes."""
    for undo in list(_pending.values()):
        with suppress(Exception):
            undo()
