"""How far to search where nobody says: all sizes of sets where that is cheap, estimated before.

DIS-SUDA spreads the risk of a file over the records that have a score, so it is understated for all
of them as long as some unique record has none: the larger M, the better (Merrett et al. 2004).
"""

from __future__ import annotations

from math import comb

from singleout.core.arguments import whole
from singleout.report.say import say

__all__ = ["AUTO", "all_sets", "largest_cheap", "limit_note", "size_asked"]

AUTO = "auto"
# Sets of columns times different records: from a fraction of a second to three seconds on one core.
# It depends on the table alone, so that M is the same on every machine.
_CHEAP = 500_000_000
_LEAST = 3  # smaller sets alone would call hardly anybody special


def size_asked(max_size: int | str | None) -> int | str | None:
    """Check what a user says: a whole number, ``auto``, or None for all sizes."""
    if max_size is None or (isinstance(max_size, str) and max_size == AUTO):
        return max_size
    return whole(
        max_size,
        "max_size",
        of="columns",
        instead="None for all sizes, or 'auto' for what is quick",
    )


def largest_cheap(columns: int, different: int) -> int:
    """Return M: all sizes of sets where that is cheap, otherwise the largest that is, at least 3.

    ``different`` is how many different records there are.

    >>> largest_cheap(7, 6_000), largest_cheap(15, 100_000), largest_cheap(34, 290_000)
    (7, 5, 3)
    """
    sets = 0
    # no minimal unique is larger: each of its columns tells another record apart
    for size in range(1, min(columns, max(1, different - 1)) + 1):
        sets += comb(columns, size)
        if sets * different > _CHEAP:
            return max(min(_LEAST, columns), size - 1)
    return columns


def all_sets(columns: int) -> int:
    """Return how many sets of columns there are."""
    return int(2**columns - 1)


def limit_note(size: int, columns: int, different: int) -> str:
    """Return the note on a search that was limited because all sizes would take long."""
    return say("suda.limited", size=size, columns=columns, sets=all_sets(columns), n=different)
