"""Paths as users write them; whoever reads the file reports what is wrong with one."""

from __future__ import annotations

import os
from pathlib import Path

from singleout.core.text import whole_characters
from singleout.errors import UnreadableFile

__all__ = ["as_bytes", "check_name", "expanded", "real"]


def expanded(given: str | os.PathLike[str]) -> Path:
    """Return a path with ``~`` as the home folder; with a user that is not known it stays as it is.

    >>> str(expanded("~nosuchuser/people.csv"))
    '~nosuchuser/people.csv'
    """
    return Path(os.path.expanduser(given))  # noqa: PTH111 - pathlib raises where there is no home


def real(path: str | os.PathLike[str]) -> Path:
    """Return a path without symbolic links; those that lead back to themselves stay as they are."""
    return Path(os.path.realpath(path))


def check_name(text: str) -> None:
    """Refuse a file name that no file can have, or that only some programs could open."""
    if "\0" in text:
        raise UnreadableFile(f"{text!r} is not a file name: it has a zero byte in it.")
    if whole_characters(text) != text:
        raise UnreadableFile(
            f"'{as_bytes(text)}' is no file name in UTF-8; rename the file, and give the new name."
        )


def as_bytes(text: str) -> str:
    r"""Return a text for a message, with bytes that are no UTF-8 as numbers.

    >>> import os
    >>> print(as_bytes(os.fsdecode(b"x\xff.csv")))
    x\xff.csv
    """
    try:
        raw = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a half of a character that stands for no byte
        raw = text.encode("utf-8", "backslashreplace")
    return raw.decode("utf-8", "backslashreplace")
