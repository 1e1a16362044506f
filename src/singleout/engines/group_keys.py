"""Keys of groups that Python tells apart, so that no group takes the place of another.

To Python 1, 1.0 and True are one key, though not one value, and moments that differ by less than a
microsecond are the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["different_keys"]


def different_keys(keys: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return keys with each that equals an earlier one written out, numbered if need be.

    Examples
    --------
    >>> different_keys([(1,), (1.0,), (True,), (True,)])
    [(1,), ('1.0',), ('True',), ('True (2)',)]
    """
    found: dict[tuple[Any, ...], None] = {}
    for key in keys:
        chosen, number = key, 1
        while chosen in found:
            end = f" ({number})" if number > 1 else ""
            chosen, number = tuple(f"{value!r}{end}" for value in key), number + 1
        found[chosen] = None
    return list(found)
