"""How dates, postcodes, numbers, codes and names of people are written."""

from __future__ import annotations

import re

__all__ = ["CODE", "FIVE_DIGITS", "ICD", "POSTCODE", "is_date", "is_full_name", "is_number"]

_DATE = re.compile(
    r"(?:1[6-9]|20)\d\d([-/.])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])(?:[T ]\d\d?:\d\d.*)?"
    r"|(?:0?[1-9]|[12]\d|3[01])([-/.])(?:0?[1-9]|[12]\d|3[01])\2(?:(?:1[6-9]|20)\d\d|\d\d)"
    r"|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
    r"|(?:0?[1-9]|[12]\d|3[01])[ -][A-Za-zéûä]{3,10}\.?[ -](?:1[6-9]|20)?\d\d"
)
POSTCODE = re.compile(
    r"[1-9]\d{3} ?[A-Z]{2}"  # Netherlands
    r"|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}"  # United Kingdom
    r"|[A-CEGHJ-NPRSTVXY]\d[A-Z] ?\d[A-Z]\d"  # Canada
    r"|\d{5}-\d{4}"  # United States
    r"|(?:F|D|B|A|CH|L|E)-\d{4,5}"
)
FIVE_DIGITS = re.compile(r"\d{5}", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
CODE = re.compile(r"(?=.*\d)[A-Za-z0-9][A-Za-z0-9_\-/.:]{4,63}", re.ASCII)
ICD = re.compile(r"[A-TV-Z]\d{2}(?:\.\d{1,2})?", re.ASCII)
_FULL_NAME = re.compile(r"(?:[^\W\d_][\w'’.\-]*,? ){1,4}[^\W\d_][\w'’.\-]*")


def is_date(text: str) -> bool:
    """Whether a text is a date, in one of the usual ways to write it."""
    return bool(_DATE.fullmatch(text))


def is_number(text: str) -> bool:
    """Whether a text is a number, with a point or a comma for its decimals."""
    return bool(_NUMBER.fullmatch(text))


def is_full_name(text: str) -> bool:
    """Whether a text is two to five words, as the names of people are."""
    return bool(_FULL_NAME.fullmatch(text))
