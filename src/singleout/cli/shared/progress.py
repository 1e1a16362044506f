"""A progress bar for work that takes longer than two seconds, and nothing for the rest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from singleout.cli.shared.talk import is_quiet
from singleout.core.progress import listening
from singleout.core.text import printable
from singleout.core.undoing import undone_at_the_end
from singleout.errors import BadChoice
from singleout.report.translation import translated

__all__ = ["shown_if_slow"]

PATIENCE = 2.0  # seconds


class _SlowBar:
    """A bar that appears on its own after a while."""

    def __init__(self, console: Console) -> None:
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("Working", total=None)
        self._lock = Lock()
        self._over = False
        self._timer = Timer(PATIENCE, self._appear)
        self._timer.daemon = True

    def start(self) -> None:
        self._timer.start()

    def update(self, what: str, done: int, total: int) -> None:
        """Show how far the work is."""
        self._bar.update(
            self._task, description=printable(translated(what)), completed=done, total=total or None
        )

    def _appear(self) -> None:
        with self._lock:
            if not self._over:
                self._bar.start()

    def stop(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._over = True
            self._bar.stop()


@contextmanager
def shown_if_slow(less: str = "") -> Iterator[None]:
    """Show the progress of everything inside on a terminal, if it takes a while.

    ``less`` is what to ask for less of where memory runs out.
    """
    console = Console(stderr=True)
    try:
        if is_quiet() or not console.is_terminal:
            yield
            return
        bar = _SlowBar(console)
        bar.start()
        try:
            with listening(bar.update), undone_at_the_end(console.show_cursor):
                yield
        finally:
            bar.stop()
    except MemoryError:
        if not less:
            raise
        raise BadChoice(f"There is not enough memory; {less}.") from None
