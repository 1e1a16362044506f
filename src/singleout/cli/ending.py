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

from singleout.core.undoing import undo_all

__all__ = ["ending_on_signals", "say_interrupted"]

GRACE = 1.2  # seconds that the main thread has for an orderly end

_SENTENCE = "Interrupted: what was not finished was not written.\n"
_saying = threading.Lock()


@contextmanager
def ending_on_signals() -> Iterator[None]:
    """Treat signals to end as an interruption, so that temporary copies of data are removed.

    The process then ends here, with 128 and the number of the signal.
    """
    received: list[int] = []

    def interrupt(number: int, _frame: object) -> None:
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
                if heard[0] in numbers:
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
        sys.stderr.write(_SENTENCE)
        sys.stderr.flush()
