"""Whether numbers are codes: labels for something else, which have no order.

A guess from values alone, for columns whose name says nothing: numbers that stand for words, or few
whole numbers with gaps between them, as 1, 2, 3 and 9 for "unknown". Numbers in equal steps may be
answers on a scale, and nothing is said of them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from singleout.assessment.guess.names import counts_something
from singleout.treatment.hierarchies.order import is_labelled

if TYPE_CHECKING:
    from singleout.assessment.guess.values import Look
    from singleout.core.table import Column

__all__ = ["codes_by"]

_MOST = 25  # different numbers; more are a quantity
_SHARED = 10  # records for each of them; numbers of few records have gaps by chance
_YEARS = (1800, 2100)


def codes_by(column: Column, look: Look) -> str | None:
    """Return why numbers are taken for codes: ``labels`` or ``gaps``; None if they are not.

    Parameters
    ----------
    column
        The column.
    look
        What its values look like.
    """
    if not look.all_numbers or look.distinct < 3:
        return None
    if is_labelled(column):
        return "labels"
    few = look.distinct <= _MOST and look.records >= _SHARED * look.distinct
    if not few or counts_something(column.name):
        return None
    numbers = sorted(float(value) for value in column.values)
    if not all(number.is_integer() for number in numbers):
        return None
    if all(_YEARS[0] <= number <= _YEARS[1] for number in numbers):
        return None
    steps = {after - before for before, after in pairwise(numbers)}
    return "gaps" if len(steps) > 1 and 1.0 in steps else None
