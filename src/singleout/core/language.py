"""The language that people are spoken to in, chosen once for a run.

A context (`speaking`) comes first, then what the process was told (`language`), then the
environment: ``SINGLEOUT_LANGUAGE``, then the locale of messages. Threads that the work starts have
no context of their own and speak the language of the process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from singleout.errors import BadChoice

__all__ = [
    "LANGUAGES",
    "checked_language",
    "chosen_language",
    "language",
    "language_of_process",
    "prefer",
    "preferring",
    "speaking",
    "spoken",
]

LANGUAGES = ("en", "fr")

_OF_LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")  # the first that is set decides, as in POSIX
_FRENCH_ON_WINDOWS = 0x0C  # the primary language of a Windows language identifier

_here: ContextVar[str | None] = ContextVar("language", default=None)
_of_process: list[str] = []


def language(code: str | None = None) -> str:
    """Choose the language of results, reports, charts and plans; return the one that is spoken.

    Choose it before you measure: the notes of a result are written when it is made. Keys of JSON
    and names of columns are the same in every language.

    Parameters
    ----------
    code
        ``en`` or ``fr``; if not given, nothing changes.

    Examples
    --------
    >>> import singleout as so
    >>> with so.speaking("fr"):
    ...     so.language()
    'fr'
    """
    if code is not None:
        _of_process[:] = [checked_language(code)]
    return spoken()


@contextmanager
def speaking(code: str | None) -> Iterator[None]:
    """Speak a language for a while, in this thread only; None changes nothing.

    Parameters
    ----------
    code
        ``en`` or ``fr``.
    """
    if code is None:
        yield
        return
    token = _here.set(checked_language(code))
    try:
        yield
    finally:
        _here.reset(token)


@contextmanager
def preferring(code: str | None) -> Iterator[None]:
    """Speak the language of a plan for a while, unless another is spoken in this context."""
    with speaking(code if _here.get() is None else None):
        yield


def prefer(code: str | None) -> None:
    """Speak the language of a plan in this process, unless another is spoken in this context."""
    if code is not None and _here.get() is None:
        language(code)


@contextmanager
def language_of_process(code: str | None) -> Iterator[None]:
    """Let a command choose the language of its process: threads have no other."""
    before = list(_of_process)
    try:
        if code is not None:
            language(code)
        yield
    finally:
        _of_process[:] = before


def spoken() -> str:
    """Return the code of the language that is spoken now."""
    here = _here.get()
    if here is not None:
        return here
    return _of_process[0] if _of_process else _of_environment()


def chosen_language() -> str | None:
    """Return the language that this process or this context was told; None if it was not."""
    here = _here.get()
    return here if here is not None else next(iter(_of_process), None)


def checked_language(code: str, what: str = "The language") -> str:
    """Return the code of a language that there is; ``fr_FR`` and ``FR`` are ``fr``."""
    short = str(code).strip().lower().replace("-", "_").partition("_")[0]
    if short not in LANGUAGES:
        raise BadChoice(f"{what} is {code!r}; there are {' and '.join(LANGUAGES)}.")
    return short


def _of_environment() -> str:
    told = os.environ.get("SINGLEOUT_LANGUAGE")
    if told:
        return checked_language(told, "SINGLEOUT_LANGUAGE")
    locale = next(filter(None, map(os.environ.get, _OF_LOCALE)), None)
    if locale is None:
        return _of_windows()
    code = locale.lower().partition(".")[0].partition("_")[0]
    return code if code in LANGUAGES else LANGUAGES[0]


def _of_windows() -> str:
    """Return the language of the user on Windows, which has no such variables."""
    if sys.platform != "win32":
        return LANGUAGES[0]
    import ctypes

    identifier = ctypes.windll.kernel32.GetUserDefaultUILanguage()
    return "fr" if identifier & 0x3FF == _FRENCH_ON_WINDOWS else LANGUAGES[0]
