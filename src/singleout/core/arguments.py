"""Checks of arguments: a whole number, a share.

Words that are chosen from a few are checked by `singleout.core.choices.choose`, and names of
columns by `singleout.io.names.pick`.
"""

from __future__ import annotations

import operator
import re
from numbers import Real
from typing import Any

from singleout.core.text import printable
from singleout.errors import BadChoice

__all__ = ["from_percent", "share", "whole"]

_PERCENT = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*%\s*")

# by whether 0 and 1 are allowed: the requirement for something that is no number, and for a number
_RANGES = {
    (False, False): ("be a number between 0 and 1", "lie between 0 and 1, both excluded"),
    (False, True): ("be a number above 0 and at most 1", "lie above 0 and be at most 1"),
    (True, True): ("be a share from 0 to 1", "be a share from 0 to 1"),
}


def whole(value: Any, name: str, *, at_least: int = 1, of: str = "", instead: str = "") -> int:
    """Return the whole number that the argument ``name`` has as its value, or refuse it.

    The error names what is counted (``of``, in the plural) and what else would work (``instead``,
    as ``None for all sizes``).

    >>> whole(3, "size")
    3
    >>> whole(True, "size", of="columns")
    Traceback (most recent call last):
    singleout.errors.BadChoice: size must be a whole number of columns, 1 or more, not True.
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = at_least - 1
    if isinstance(value, bool) or number < at_least:
        kind = f" of {of}" if of else ""
        other = f", or {instead}" if instead else ""
        raise BadChoice(
            f"{name} must be a whole number{kind}, {at_least} or more{other}, not {_shown(value)}."
        )
    return number


def from_percent(value: Any) -> Any:
    """Return a percentage such as ``30 %`` as a share, and anything else as it is.

    >>> from_percent("30 %"), from_percent("2.5%"), from_percent(0.3), from_percent("many")
    (0.3, 0.025, 0.3, 'many')
    """
    percent = _PERCENT.fullmatch(value) if isinstance(value, str) else None
    return float(percent[1]) / 100 if percent else value


def share(
    value: Any, name: str, *, zero: bool = False, one: bool = False, meaning: str = ""
) -> float:
    """Return the share that the argument ``name`` has as its value, or say where it must lie.

    ``zero`` and ``one`` allow these two; ``meaning`` says in the sentence what it is a share of.

    A percentage is a share as well.

    >>> share(0.05, "alpha"), share("5 %", "alpha")
    (0.05, 0.05)
    >>> share(5, "alpha")
    Traceback (most recent call last):
    singleout.errors.BadChoice: alpha must lie between 0 and 1, both excluded, not 5.
    """
    kind, where = _RANGES[zero, one]
    value = from_percent(value)
    if isinstance(value, bool) or not isinstance(value, Real):
        raise BadChoice(f"{name} must {kind}, not {_shown(value)}.")
    number = float(value)
    if not 0 <= number <= 1 or (number == 0 and not zero) or (number == 1 and not one):
        more = f": {meaning}" if meaning else ""
        raise BadChoice(f"{name} must {where}, not {value}{more}.")
    return number


def _shown(value: Any) -> str:
    return printable(repr(value))
