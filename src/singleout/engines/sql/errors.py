"""Errors of databases as one sentence of our own.

Messages of drivers may hold hosts, users, passwords or values of cells, so none of them is passed
on; the class and the code of an error decide which sentence fits.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Set
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TypeVar

from singleout.errors import (
    MissingDependency,
    SingleoutError,
    UnreachableData,
    UnreadableFile,
    UnusableColumn,
    UnusableTable,
)

__all__ = ["InterruptedByTimer", "UnheldValue", "answered", "needed"]

_Answer = TypeVar("_Answer")

_INSTALL = 'pip install "singleout[database]"'

# SQLSTATE of PostgreSQL and others, error numbers of MySQL and MariaDB
_TIMED_OUT = {"57014", "1969", "3024", "1317"}
_GONE = {
    "1053",
    "1077",
    "1079",
    "1080",
    "1152",
    "1184",
    "1927",
    "2002",
    "2003",
    "2006",
    "2013",
    "0",
}


class InterruptedByTimer(Exception):
    """A statement was stopped at its timeout."""


class UnheldValue(UnusableColumn):
    """A column contains a value that Python cannot represent, such as an infinite date."""


def needed(package: str, what: str) -> None:
    """Raise an error that names what to install if a package is missing."""
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        raise MissingDependency(
            f"{what} needs the package {package!r}, which is not installed; run: {_INSTALL}"
        )


def answered(
    work: Callable[[], _Answer], source: str, *, opening: bool = False, timeout: float | None = None
) -> _Answer:
    """Run work in a database; its failure becomes one sentence about ``source``.

    The error of the driver is not kept as cause or context: its text may hold credentials.
    """
    try:
        with warnings.catch_warnings():
            # ibis calls old functions of the drivers
            warnings.simplefilter("ignore", DeprecationWarning)
            warnings.simplefilter("ignore", FutureWarning)
            return work()
    except (SingleoutError, AttributeError, NameError, AssertionError) as error:
        failure: Exception = error  # ours: a sentence already, or a bug
        failure.__context__ = None
    except Exception as error:  # noqa: BLE001 - each driver has exceptions of its own
        failure = _failure(error, source, opening=opening, timeout=timeout)
    # out of the except clause, so that the driver's error is not its context
    raise failure


def _failure(
    error: Exception, source: str, *, opening: bool, timeout: float | None
) -> SingleoutError:
    code = _code(error)
    name = type(error).__name__
    for failure in _FAILURES:
        if failure.fits(error, name, code):
            sentence = failure.sentence.format(source=source, Source=_start(source))
            return failure.error(sentence)
    if isinstance(error, InterruptedByTimer) or code in _TIMED_OUT or "Interrupt" in name:
        return _out_of_time(source, timeout)
    if opening:
        return UnreachableData(
            f"{_start(source)} cannot be opened: nothing answers there, or it refuses the "
            "connection; check the URL, and that the server is running."
        )
    if _is_gone(error, name, code):
        return UnreachableData(
            f"{_start(source)} no longer answers: the connection was lost before the question was "
            "answered, so there is no result; try again when the server is back."
        )
    shown = f" ({name}{f' {code}' if code else ''})"
    return UnreachableData(f"{_start(source)} refused the question{shown}.")


def _code(error: Exception) -> str:
    """Return the code that a driver gives an error; empty if none."""
    state = getattr(error, "sqlstate", None)  # of psycopg
    if isinstance(error, OSError) and error.errno is not None:
        return str(error.errno)
    if type(error).__module__.partition(".")[0] in ("pymysql", "MySQLdb") and error.args:
        return str(error.args[0]) if isinstance(error.args[0], int) else ""
    return state if isinstance(state, str) else ""


def _is_gone(error: Exception, name: str, code: str) -> bool:
    if isinstance(error, OSError | EOFError):
        return True
    if code:
        return code in _GONE or code.startswith(("08", "57P"))
    return name in ("OperationalError", "InterfaceError")


def _out_of_time(source: str, timeout: float | None) -> UnreachableData:
    if timeout is None:
        return UnreachableData(
            f"{_start(source)} stopped the question before it was answered: it allows no more "
            "time, or somebody cancelled it."
        )
    return UnreachableData(
        f"{_start(source)} did not answer within {timeout:g} seconds; give a longer timeout, "
        f"--timeout {timeout * 10:g} or in Python Database(timeout={timeout * 10:g}), or fewer "
        "columns."
    )


@dataclass(frozen=True)
class _Failure:
    """One way to fail: its error and sentence, recognised by codes, or by class names and words."""

    error: type[SingleoutError]
    sentence: str
    codes: Set[str] = frozenset()
    names: Set[str] = frozenset()
    words: str = ""

    def fits(self, error: Exception, name: str, code: str) -> bool:
        """Whether an error is of this kind."""
        if code in self.codes:
            return True
        if self.names and name not in self.names:
            return False
        if not self.words:
            return bool(self.names)
        return re.search(self.words, str(error), re.IGNORECASE) is not None


_FAILURES = (
    _Failure(
        UnusableColumn,
        "{Source} holds text that is not UTF-8; correct it in the database, or leave out the "
        "column that holds it.",
        words="could not decode to utf-?8|codec can't decode",
    ),
    _Failure(  # libpq gives no codes while a connection is opened
        UnreachableData,
        "{Source} refused the login; check the user name and the password of the URL.",
        {"28000", "28P01", "1044", "1045", "1698"},
        {"OperationalError"},
        "authentication failed|no password supplied",
    ),
    _Failure(
        UnreachableData,
        "{Source} cannot be opened: no host of that name is known here; check the URL.",
        words="resolve host|name or service not known|nodename nor servname|getaddrinfo",
    ),
    _Failure(
        UnreachableData,
        "{Source} does not exist; check the name after the host.",
        {"3D000", "1049"},
        {"OperationalError"},
        'database ".*" does not exist',
    ),
    _Failure(
        UnreachableData,
        "{Source} may not be read by this user; ask for the right to SELECT from it.",
        {"42501", "1142", "1143", "1370"},
        {"InsufficientPrivilege"},
    ),
    _Failure(
        UnreachableData,
        "{Source} is not there, or no longer.",
        {"42P01", "3F000", "1146"},
        {"UndefinedTable"},
    ),
    _Failure(
        UnusableTable,
        "Counting {source} needs more room than there is; give more with --memory or in Python "
        "Database(memory=...), more space in the temporary folder, or fewer columns.",
        {"53100", "53200", "1021", "1037", "1038", "1041", "1114", "3", "28"},
        {"OutOfMemoryException", "DiskFull"},
    ),
    _Failure(
        UnreadableFile,
        "{Source} is no database file, or it is damaged or encrypted.",
        words="is not a database|disk image is malformed|not a valid DuckDB database file",
    ),
    _Failure(  # from psycopg, after the server has answered
        UnheldValue,
        "{Source} holds a value that Python cannot represent.",
        names={"DataError"},
        words="too (large|small)|Python|hour|time",
    ),
    _Failure(
        UnreachableData,
        "{Source} is in use by another program that has locked it; close that one first.",
        words="could not set lock|database is locked",
    ),
    _Failure(
        UnreadableFile,
        "{Source} cannot be read: a file is cut off, damaged or of another kind.",
        names={"IOException", "InvalidInputException", "SerializationException"},
    ),
)


def _start(source: str) -> str:
    """Return a source as the beginning of a sentence; the name of a file stays as it is."""
    words = source.startswith(("the ", "table ", "an "))
    return source[:1].upper() + source[1:] if words else source
