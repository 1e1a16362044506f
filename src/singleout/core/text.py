"""Text from strangers, made safe to show: names and values are hostile input."""

from __future__ import annotations

import json
import re
from typing import Any

__all__ = [
    "ended",
    "json_text",
    "printable",
    "spreadsheet_safe",
    "whole_characters",
]

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?$")
_BEYOND_ASCII = re.compile(r"[\x7f-\U0010ffff]")
# what has no place in a table and steers a terminal: controls but for tabs and line ends, other
# separators of lines, and marks that turn the direction of writing
_STEERING = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
# A spreadsheet runs a cell that starts with one of these as a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def ended(sentence: str) -> str:
    """Return a sentence with one mark at its end.

    >>> ended("No such file"), ended("Not here.."), ended("Did you mean 'sets'?.")
    ('No such file.', 'Not here.', "Did you mean 'sets'?")
    """
    text = sentence.rstrip(" .")
    return text if text.endswith(("?", "!")) else f"{text}."


def printable(text: object) -> str:
    """Return text with control characters made visible, so that it cannot steer a terminal."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "backslashreplace").decode()
        for char in str(text)
    )


def json_text(answer: Any) -> str:
    r"""Return plain values as the text of a JSON file, in which nothing steers a terminal.

    What cannot be printed is written as an escape, which reads as the same character.

    >>> print(json_text({"a": "é\u202e"}), end="")
    {
      "a": "é\u202e"
    }
    """
    text = json.dumps(answer, ensure_ascii=False, indent=2, allow_nan=False)
    return _BEYOND_ASCII.sub(_escaped, text) + "\n"


def _escaped(found: re.Match[str]) -> str:
    return found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1]


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
    """Return a cell that no spreadsheet takes for a formula, with control characters visible.

    Numbers stay as they are.
    """
    if not isinstance(value, str):
        return value
    if value.startswith(_FORMULA_STARTS) and not _NUMBER.match(value):
        value = f"'{value}"
    return _STEERING.sub(lambda found: printable(found[0]), value)
