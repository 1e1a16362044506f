"""Text from strangers, made safe to show: names and values are hostile input."""

from __future__ import annotations

import re

__all__ = ["printable", "spreadsheet_safe"]

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?$")
# A spreadsheet runs a cell that starts with one of these as a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def printable(text: object) -> str:
    """Return text with control characters made visible, so that it cannot steer a terminal."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "backslashreplace").decode()
        for char in str(text)
    )


def spreadsheet_safe(value: object) -> object:
    """Return a cell that no spreadsheet takes for a formula; numbers stay as they are."""
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS) and not _NUMBER.match(value):
        return f"'{value}"
    return value
