"""Which values a coarser column takes together, in words that can be carried out.

Values that only few records have are not named: a proposal is read by people who may not see them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from singleout.core.table import Column
from singleout.core.wording import composed
from singleout.report.say import say

__all__ = ["NAMED_FROM", "how_exactly", "partner_of"]

NAMED_FROM = 3  # a value that fewer records have is not named
_MOST_BOUNDS = 15
_BELOW = {"from": "below", "above": "up_to"}  # what the interval below a bound is called


def how_exactly(before: Column, after: Column) -> str:
    """Return where the intervals of a coarser column start; nothing where there are none.

    A bound that too few records have is given by the value below it, if enough have that.

    >>> ages = Column("age", np.repeat(np.arange(6, dtype=np.uint8), 3), [20, 21, 25, 30, 31, 40])
    >>> tens = Column("age", np.repeat(np.uint8([0, 0, 0, 1, 1, 2]), 3), [0, 1, 2])
    >>> how_exactly(ages, tens)
    ' (below 30, from 30, from 40)'
    """
    groups = _groups(before, after)
    order = list(groups.values())
    if sorted(order) != order or len(set(order)) < 2 or not _are_numbers(before):
        return ""
    steps = [pair for pair in pairwise(groups) if groups[pair[0]] != groups[pair[1]]]
    if len(steps) > _MOST_BOUNDS:
        largest = max(Counter(order).values())
        return say("advice.pairs") if largest <= 2 else ""
    bounds = [bound for bound in (_bound(before, *pair) for pair in steps) if bound is not None]
    if len(bounds) < len(steps):
        return ""
    side, value = bounds[0]
    ends = [(_BELOW[side], value), *bounds]
    said = [say(f"advice.bounds.{side}", value=value) for side, value in ends]
    return composed(_in_brackets, said)


def partner_of(before: Column, after: Column, code: int, *, ordered: bool) -> str:
    """Return with which value the value of a code is merged, in words."""
    groups = _groups(before, after)
    sizes = before.sizes
    partners = [
        other
        for other, group in groups.items()
        if group == groups[code] and other != code and sizes[other] >= NAMED_FROM
    ]
    if partners:
        return repr(before.label(before.value(partners[0])))
    return say("advice.values.neighbour" if ordered else "advice.values.as_rare")


def _groups(before: Column, after: Column) -> dict[int, int]:
    """Return for the code of each value that occurs, in order, the code of the coarser value."""
    codes, first = np.unique(before.codes, return_index=True)
    pairs = zip(codes.tolist(), after.codes[first].tolist(), strict=True)
    return {code: merged for code, merged in pairs if code < len(before.values)}


def _are_numbers(column: Column) -> bool:
    """Whether the values are numbers, rather than codes such as 0123."""
    texts = [value for value in column.values if isinstance(value, str)]
    if any(text.startswith("0") and text.isdigit() and len(text) > 1 for text in texts):
        return False
    try:
        return bool(np.isfinite([float(value) for value in column.values]).all())
    except (TypeError, ValueError):
        return False


def _bound(column: Column, below: int, above: int) -> tuple[str, str] | None:
    """Return where an interval starts, from or above a value; None if too few records have it."""
    sizes = column.sizes
    if sizes[above] >= NAMED_FROM:
        return "from", column.label(column.value(above))
    if sizes[below] >= NAMED_FROM:
        return "above", column.label(column.value(below))
    return None


def _in_brackets(parts: Sequence[str]) -> str:
    return f" ({', '.join(parts)})"
