"""Standard input and output as ``-``: data that is piped in, and results that are piped on.

Data is read more than once, so that what is piped in goes to a file in a private folder first. It
is removed at the end, also where a signal ends the command.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from singleout.core.progress import working_on
from singleout.core.undoing import undone_at_the_end
from singleout.errors import BadChoice, UnwritableOutput

__all__ = ["STANDARD_INPUT", "is_standard_input", "screen_beside", "with_standard_input"]

STANDARD_INPUT = "-"

_NAME = "standard input"  # as results show it
_DATA = ("data", "before", "after")  # parameters of commands
_AT_A_TIME = 1 << 20  # bytes
_folder: list[Path] = []


@contextmanager
def with_standard_input(given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the parameters of a command, with the path of a file in place of ``-``."""
    asked = [name for name in _DATA for one in _each(given.get(name)) if one == STANDARD_INPUT]
    if not asked:
        yield dict(given)
        return
    if len(asked) > 1:
        raise BadChoice("The standard input can be read once only; give a file for the other '-'.")
    if sys.stdin is None or sys.stdin.isatty():
        raise BadChoice("'-' reads what is piped in, and nothing is: give a file, or pipe one.")
    folder = Path(tempfile.mkdtemp(prefix="singleout-"))
    _folder.append(folder)

    def remove() -> None:
        shutil.rmtree(folder, ignore_errors=True)

    with undone_at_the_end(remove):
        try:
            yield {**given, asked[0]: _with_path(given[asked[0]], str(_spooled(folder / _NAME)))}
        finally:
            _folder.remove(folder)
            remove()


def _each(value: Any) -> list[Any]:
    """Return the data of a parameter: a command may take several files."""
    return value if isinstance(value, list) else [value]


def _with_path(value: Any, path: str) -> Any:
    if not isinstance(value, list):
        return path
    return [path if one == STANDARD_INPUT else one for one in value]


def _spooled(path: Path) -> Path:
    working_on("Reading the standard input")
    try:
        with path.open("wb") as file:
            while part := _piped():
                file.write(part)
    except OSError as error:
        raise UnwritableOutput(
            f"The standard input cannot be kept in {str(path.parent)!r}: {error.strerror}."
        ) from None
    return path


def _piped() -> bytes:
    try:
        return sys.stdin.buffer.read(_AT_A_TIME)
    except OSError as error:
        reason = error.strerror or "it is closed"
        raise BadChoice(f"'-' reads the standard input, which fails: {reason}.") from None


def is_standard_input(data: str) -> bool:
    """Whether this is the file in which the standard input is kept."""
    return Path(data).parent in _folder


def screen_beside() -> None:
    """Print everything for people to the error stream: the standard output holds a result."""
    sys.stdout.flush()
    sys.stdout = sys.stderr
