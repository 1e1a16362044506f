"""What went wrong in a database, as one sentence of our own.

What drivers say may hold hosts, users, passwords or values of cells, so none of it is passed on;
which sentence fits is told by the kind of the error and its code.
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
_REFUSED_LOGIN = {"28000", "28P01", "1044", "1045", "1698"}
_NO_DATABASE = {"3D000", "1049"}
_NOT_ALLOWED = {"42501", "1142", "1143", "1370"}
_NO_TABLE = {"42P01", "3F000", "1146"}
_NO_ROOM = {"53100", "53200", "1021", "1037", "1038", "1041", "1114", "3", "28"}
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
    """A statement that was stopped because its time was over."""


class UnheldValue(UnusableColumn):
    """A column holds a value that Python has no like of, such as an infinite date."""


def needed(package: str, what: str) -> None:
    """Say what to install if a package is not there."""
    try:
        found = find_spec(package)
    except (ImportError, ValueError):
        found = None
    if found is None:
        raise MissingDependency(
            f"{what} needs the package {package!r}, which is not installed; run: {_INSTALL}"
        )


def answered(
    work: Callable[[], _Answer], source: str, *, opening: bool = False, timeout: float | None = None
) -> _Answer:
    """Run something in a database; whatever fails there becomes one sentence about ``source``.

    The driver's own error is not kept as a cause or a context: its text may hold credentials.
    """
    try:
        with warnings.catch_warnings():
            # what ibis and the drivers have to say to each other
            warnings.simplefilter("ignore", DeprecationWarning)
            warnings.simplefilter("ignore", FutureWarning)
            return work()
    except (SingleoutError, AttributeError, NameError, AssertionError) as error:
        failure: Exception = error  # ours: said already, or a mistake in the code
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
    for sign in _SIGNS:
        if sign.fits(error, name, code):
            return sign.sentence(source)
    if isinstance(error, InterruptedByTimer) or code in _TIMED_OUT or "Interrupt" in name:
        return _out_of_time(source, timeout)
    if opening:
        return UnreachableData(
            f"{_start(source)} cannot be opened: nothing answers there, or it refuses the "
            "connection; check the address, and that the server is running."
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
    state = getattr(error, "sqlstate", None)
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


def _refused_login(source: str) -> SingleoutError:
    return UnreachableData(
        f"{_start(source)} refused the login; check the user name and the password of the address."
    )


def _no_host(source: str) -> SingleoutError:
    return UnreachableData(
        f"{_start(source)} cannot be opened: no host of that name is known here; check the address."
    )


def _no_database(source: str) -> SingleoutError:
    return UnreachableData(f"{_start(source)} does not exist; check the name after the host.")


def _not_allowed(source: str) -> SingleoutError:
    return UnreachableData(
        f"{_start(source)} may not be read by this user; ask for the right to SELECT from it."
    )


def _no_table(source: str) -> SingleoutError:
    return UnreachableData(f"{_start(source)} is not there, or no longer.")


def _no_memory(source: str) -> SingleoutError:
    return UnusableTable(
        f"Counting {source} needs more room than there is; give more with --memory or in Python "
        "Database(memory=...), more space in the temporary folder, or fewer columns."
    )


def _not_a_database(source: str) -> SingleoutError:
    return UnreadableFile(f"{_start(source)} is no database file, or it is damaged or encrypted.")


def _locked(source: str) -> SingleoutError:
    return UnreachableData(
        f"{_start(source)} is in use by another program that has locked it; close that one first."
    )


def _damaged(source: str) -> SingleoutError:
    return UnreadableFile(
        f"{_start(source)} cannot be read: a file is cut off, damaged or of another kind."
    )


def _not_text(source: str) -> SingleoutError:
    return UnusableColumn(
        f"{_start(source)} holds text that is not UTF-8; correct it in the database, or leave out "
        "the column that holds it."
    )


def _not_held(source: str) -> SingleoutError:
    return UnheldValue(f"{_start(source)} holds a value that Python cannot hold.")


@dataclass(frozen=True)
class _Sign:
    """How to tell one thing that can go wrong: by its code, or else by its name and its words."""

    sentence: Callable[[str], SingleoutError]
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


_OPERATIONAL = frozenset(("OperationalError",))
_SIGNS = (
    _Sign(_not_text, words="could not decode to utf-?8|codec can't decode"),
    # libpq gives no codes while a connection is opened
    _Sign(
        _refused_login,
        _REFUSED_LOGIN,
        _OPERATIONAL,
        "authentication failed|no password supplied",
    ),
    _Sign(
        _no_host,
        words="resolve host|name or service not known|nodename nor servname|getaddrinfo",
    ),
    _Sign(_no_database, _NO_DATABASE, _OPERATIONAL, 'database ".*" does not exist'),
    _Sign(_not_allowed, _NOT_ALLOWED, frozenset(("InsufficientPrivilege",))),
    _Sign(_no_table, _NO_TABLE, frozenset(("UndefinedTable",))),
    _Sign(_no_memory, _NO_ROOM, frozenset(("OutOfMemoryException", "DiskFull"))),
    _Sign(
        _not_a_database,
        words="is not a database|disk image is malformed|not a valid DuckDB database file",
    ),
    # from psycopg, after the server has answered
    _Sign(_not_held, names=frozenset(("DataError",)), words="too (large|small)|Python|hour|time"),
    _Sign(_locked, words="could not set lock|database is locked"),
    _Sign(
        _damaged,
        names=frozenset(("IOException", "InvalidInputException", "SerializationException")),
    ),
)


def _start(source: str) -> str:
    """Return a source as the beginning of a sentence; the name of a file stays as it is."""
    words = source.startswith(("the ", "table ", "an "))
    return source[:1].upper() + source[1:] if words else source
