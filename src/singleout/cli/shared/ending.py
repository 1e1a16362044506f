"""How a command ends on a signal: orderly if that is quick, and at once if it is not.

Python hears of a signal between two steps of its main thread. A compiled loop, or a reader of large
files, may be one step of minutes. So another thread hears of signals as well, and ends the process
if the main thread does not.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from singleout.core.progress import ask_to_stop, stoppable
from singleout.core.undoing import undo_all
from singleout.report.translation import translated

__all__ = ["ending_on_signals", "say_interrupted", "stopped_by_the_first"]

GRACE = 1.2  # seconds that the main thread has for an orderly end

_SENTENCE = "Interrupted: what was not finished was not written.\n"
_STOPPING = "\nStopping: what was found so far is shown. Press Ctrl-C again to end at once.\n"
_saying = threading.Lock()


class _Searching:
    """Work that Ctrl-C stops the first time, and ends the second.

    A handler in the main thread and a listener in another hear of every signal, in any order. What
    the first of them forgives, the other forgives as well, also if the work has ended meanwhile.
    """

    def __init__(self) -> None:
        self.is_on = False
        self._forgiven = False
        self._owed: set[str] = set()
        self._lock = threading.RLock()  # a handler may interrupt the very thread that holds it

    def start(self) -> None:
        """Forgive the next signal."""
        with self._lock:
            self._forgiven = False
            self._owed.clear()
            self.is_on = True

    def forgives(self, number: int, listener: str) -> bool:
        """Whether a signal only stops the work: the first one that is heard."""
        with self._lock:
            if number != signal.SIGINT:
                return False
            if listener in self._owed:
                self._owed.discard(listener)
                return True
            if not self.is_on or self._forgiven:
                return False
            self._forgiven = True
            ask_to_stop()
            self._owed = {"handler", "thread"} - {listener}
            return True


_searching = _Searching()


@contextmanager
def stopped_by_the_first() -> Iterator[None]:
    """Let the first Ctrl-C be a `KeyboardInterrupt` that the work inside may catch and go on.

    The second one ends the process like everywhere else.
    """
    _searching.start()
    try:
        with stoppable():
            yield
    finally:
        _searching.is_on = False


@contextmanager
def ending_on_signals() -> Iterator[None]:
    """Treat signals to end as an interruption, so that temporary copies of data are removed.

    The process then ends here, with 128 and the number of the signal.
    """
    received: list[int] = []

    def interrupt(number: int, _frame: object) -> None:
        if _searching.forgives(number, "handler"):
            raise KeyboardInterrupt
        received.append(number)
        signal.signal(number, signal.SIG_IGN)  # once: the next would interrupt the clean-up
        raise KeyboardInterrupt

    before = _signals()
    for number in before:
        signal.signal(number, interrupt)
    unwatch = _watch(set(before)) if before else None
    try:
        yield
    finally:
        if received:
            _end(received[0])
        if unwatch is not None:
            unwatch()
        for number, kept in before.items():
            signal.signal(number, kept)


def _signals() -> dict[int, Any]:
    """Return the signals to end that nobody else handles, and what happens at each now."""
    if threading.current_thread() is not threading.main_thread():
        return {}
    # the last is sent where a terminal is closed, and Windows does not know it
    numbers = [getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP")]
    kept = {number: signal.getsignal(number) for number in numbers if number is not None}
    # what is ignored, as under nohup, stays ignored
    untouched = (signal.SIG_DFL, signal.default_int_handler)
    return {number: handler for number, handler in kept.items() if handler in untouched}


def _watch(numbers: set[int]) -> Callable[[], None]:
    """Start a thread that is notified of signals; return the function that stops it."""
    ear, mouth = socket.socketpair()
    mouth.setblocking(False)
    before = signal.set_wakeup_fd(mouth.fileno(), warn_on_full_buffer=False)

    def listen() -> None:
        with ear:
            while heard := ear.recv(1):
                if _searching.forgives(heard[0], "thread"):
                    sys.stderr.write(translated(_STOPPING))
                    sys.stderr.flush()
                elif heard[0] in numbers:
                    _end_at_once(heard[0])

    listener = threading.Thread(target=listen, name="singleout-signals", daemon=True)
    listener.start()

    def unwatch() -> None:
        signal.set_wakeup_fd(before)
        mouth.close()  # which ends the thread
        listener.join()

    return unwatch


def _end_at_once(number: int) -> None:
    """End the process, unless it ends by itself meanwhile."""
    threading.Event().wait(GRACE)
    _end(number)


def _end(number: int) -> None:
    """End without waiting for threads, which may be in the middle of a long loop."""
    undo_all()
    say_interrupted()
    os._exit(128 + number)


def say_interrupted() -> None:
    """Say once that the command was interrupted."""
    if _saying.acquire(blocking=False):
        sys.stderr.write(translated(_SENTENCE))
        sys.stderr.flush()
