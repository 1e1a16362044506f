"""Ranges of numbers in a plan: ``>= 50000``, ``< 18``, ``20 to 30``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

__all__ = ["in_range", "is_range"]

_NUMBER = r"(-?\d+(?:\.\d+)?)"
_COMPARED = re.compile(rf"\s*(<=|>=|<|>|≤|≥)\s*{_NUMBER}\s*")
_BETWEEN = re.compile(rf"\s*{_NUMBER}\s+to\s+{_NUMBER}\s*")
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "≤": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "≥": operator.ge,
}


def is_range(words: str) -> bool:
    """Whether words are a range of numbers.

    >>> is_range(">= 50000"), is_range("20 to 30"), is_range("HIV")
    (True, True, False)
    """
    return bool(_COMPARED.fullmatch(words) or _BETWEEN.fullmatch(words))


def in_range(words: str, value: str) -> bool:
    """Whether a value, as text, is a number within a range; both ends belong to it.

    >>> in_range(">= 50000", "50000"), in_range("20 to 30", "31"), in_range("< 5", "few")
    (True, False, False)
    """
    compared, between = _COMPARED.fullmatch(words), _BETWEEN.fullmatch(words)
    if compared is None and between is None:
        return False
    try:
        number = float(value)
    except ValueError:
        return False
    if compared is not None:
        return _OPERATORS[compared[1]](number, float(compared[2]))
    assert between is not None
    return float(between[1]) <= number <= float(between[2])
