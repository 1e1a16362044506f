"""Untrusted text made safe to show: names and values are hostile input."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

__all__ = [
    "ended",
    "json_text",
    "names_in_text",
    "printable",
    "spreadsheet_safe",
    "whole_characters",
]

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?$")
_BEYOND_ASCII = re.compile(r"[\x7f-\U0010ffff]")
# control characters but for tabs and line ends, other line separators, and marks that change the
# direction of writing: they do not belong in a table, and a terminal obeys them
_STEERING = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_NO_BREAK = "\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}"  # French puts them before : and %
# A spreadsheet runs a cell that starts with one of these as a formula.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def ended(sentence: str) -> str:
    """Return a sentence with exactly one punctuation mark at its end.

    >>> ended("No such file"), ended("Not here.."), ended("Did you mean 'sets'?.")
    ('No such file.', 'Not here.', "Did you mean 'sets'?")
    """
    text = sentence.rstrip(" .")
    return text if text.endswith(("?", "!")) else f"{text}."


def printable(text: object) -> str:
    """Return text with control characters escaped, so that it cannot control a terminal."""
    return "".join(
        char
        if char.isprintable() or char in _NO_BREAK
        else char.encode("unicode_escape", "backslashreplace").decode()
        for char in str(text)
    )


def json_text(answer: Any) -> str:
    r"""Return plain values as the text of a JSON file, which cannot control a terminal.

    Characters that cannot be printed are escaped.

    >>> print(json_text({"a": "é\u202e"}), end="")
    {
      "a": "é\u202e"
    }
    """
    text = json.dumps(answer, ensure_ascii=False, indent=2, allow_nan=False)
    return _BEYOND_ASCII.sub(_escaped, text) + "\n"


def _escaped(match: re.Match[str]) -> str:
    return match[0] if match[0].isprintable() else json.dumps(match[0])[1:-1]


def whole_characters(text: str) -> str | None:
    r"""Return text with surrogate pairs joined to characters; None if a lone surrogate is left.

    JSON escapes a character beyond the first 65,536 as a surrogate pair, and YAML reads it as two
    characters. A lone surrogate cannot be encoded.

    >>> whole_characters("\ud83d\ude00") == "\N{GRINNING FACE}", whole_characters("\ud83d")
    (True, None)
    """
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError:
        return None


def spreadsheet_safe(value: object) -> object:
    """Return a cell that no spreadsheet takes for a formula, with control characters escaped.

    Numbers stay as they are.
    """
    if not isinstance(value, str):
        return value
    if value.startswith(_FORMULA_STARTS) and not _NUMBER.match(value):
        value = f"'{value}"
    return _STEERING.sub(lambda match: printable(match[0]), value)


def names_in_text(names: Iterable[str]) -> str:
    """Return names of columns for a sentence, in their order.

    >>> names_in_text(["age", "sex"])
    'age, sex'
    """
    return ", ".join(map(printable, names))
