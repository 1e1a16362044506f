"""Text from strangers, made safe to show: names and values are hostile input."""

from __future__ import annotations

import re

__all__ = ["ended", "in_figures", "printable", "spreadsheet_safe", "whole_characters"]

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?$")
_POWER = re.compile(r"e([+-])0*(\d+)$")
# A spreadsheet runs a cell that starts with one of these as a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def ended(sentence: str) -> str:
    """Return a sentence with one mark at its end.

    >>> ended("No such file"), ended("Not here.."), ended("Did you mean 'sets'?.")
    ('No such file.', 'Not here.', "Did you mean 'sets'?")
    """
    text = sentence.rstrip(" .")
    return text if text.endswith(("?", "!")) else f"{text}."


def in_figures(value: float, digits: int = 4, *, sign: str = "") -> str:
    """Return a number as people read it, very large and very small ones as a power of ten.

    ``digits`` are those that matter of a number with decimals; ``sign`` is ``+`` to have it shown.

    >>> in_figures(40320.0), in_figures(2.75), in_figures(3.4e49), in_figures(-0.0000312)
    ('40,320', '2.75', '3.4 × 10^49', '-3.12 × 10^-5')
    """
    size = abs(value)
    if size >= 1e12 or 0 < size < 1e-4:
        text = f"{value:{sign}.{digits}g}"
        return _POWER.sub(lambda found: f" × 10^{found[1].strip('+')}{found[2]}", text)
    if size >= 10**digits or size == round(size):
        return f"{value:{sign},.0f}"
    return f"{value:{sign},.{digits}g}"


def printable(text: object) -> str:
    """Return text with control characters made visible, so that it cannot steer a terminal."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "backslashreplace").decode()
        for char in str(text)
    )


def whole_characters(text: str) -> str | None:
    r"""Return text with halves of characters joined to whole ones; None if a half is left over.

    JSON writes a character beyond the first 65,536 as an escape of two halves, and YAML reads each
    of them for a character. A half alone is none, and no file or screen can hold it.

    >>> whole_characters("\ud83d\ude00") == "\N{GRINNING FACE}", whole_characters("\ud83d")
    (True, None)
    """
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        return None


def spreadsheet_safe(value: object) -> object:
    """Return a cell that no spreadsheet takes for a formula; numbers stay as they are."""
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS) and not _NUMBER.match(value):
        return f"'{value}"
    return value
