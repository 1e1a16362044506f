"""Checks of arguments, each once and at the door: a whole number, a share.

Words that are chosen from a few are checked by `singleout.core.choices.choose`, and names of
columns by `singleout.io.names.pick`.
"""

from __future__ import annotations

import operator
from numbers import Real
from typing import Any

from singleout.core.text import printable
from singleout.errors import BadChoice

__all__ = ["share", "whole"]

# whether 0 and 1 are shares: what is said of what is no number, and of another number
_RANGES = {
    (False, False): ("be a number between 0 and 1", "lie between 0 and 1, both excluded"),
    (False, True): ("be a number above 0 and at most 1", "lie above 0 and be at most 1"),
    (True, True): ("be a share from 0 to 1", "be a share from 0 to 1"),
}


def whole(given: Any, name: str, *, at_least: int = 1, of: str = "", instead: str = "") -> int:
    """Return a whole number, or say what would be one.

    Parameters
    ----------
    given, name
        What the user gave, and for which argument.
    at_least
        The smallest that has a meaning.
    of
        What is counted, in the plural.
    instead
        What else would work, as ``None for all sizes``.

    Examples
    --------
    >>> whole(3, "size")
    3
    >>> whole(True, "size", of="columns")
    Traceback (most recent call last):
    singleout.errors.BadChoice: size must be a whole number of columns, 1 or more, not True.
    """
    try:
        number = operator.index(given)
    except TypeError:
        number = at_least - 1
    if isinstance(given, bool) or number < at_least:
        kind = f" of {of}" if of else ""
        other = f", or {instead}" if instead else ""
        raise BadChoice(
            f"{name} must be a whole number{kind}, {at_least} or more{other}, not {_shown(given)}."
        )
    return number


def share(
    given: Any, name: str, *, zero: bool = False, one: bool = False, meaning: str = ""
) -> float:
    """Return a share, or say where it must lie.

    Parameters
    ----------
    given, name
        What the user gave, and for which argument.
    zero, one
        Whether these two are shares as well.
    meaning
        What it is a share of, for who gave another number.

    Examples
    --------
    >>> share(0.05, "alpha")
    0.05
    >>> share(5, "alpha")
    Traceback (most recent call last):
    singleout.errors.BadChoice: alpha must lie between 0 and 1, both excluded, not 5.
    """
    kind, where = _RANGES[zero, one]
    if isinstance(given, bool) or not isinstance(given, Real):
        raise BadChoice(f"{name} must {kind}, not {_shown(given)}.")
    number = float(given)
    if not 0 <= number <= 1 or (number == 0 and not zero) or (number == 1 and not one):
        more = f": {meaning}" if meaning else ""
        raise BadChoice(f"{name} must {where}, not {given}{more}.")
    return number


def _shown(given: Any) -> str:
    return printable(repr(given))
