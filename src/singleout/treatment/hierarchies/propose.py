"""Hierarchies nobody wrote: what the values of a column look like decides how they are coarsened.

Dates become periods, values that are ranges wider ranges, codes lose their last characters, numbers
become intervals, and of all others the rarest are merged until each set has a wanted share.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import time, timedelta
from enum import StrEnum
from typing import Any

import numpy as np

from singleout.core.arrays import I64
from singleout.core.table import Column
from singleout.report.say import say
from singleout.treatment.hierarchies.bands import banded
from singleout.treatment.hierarchies.codes import code_length, proposed_prefixes
from singleout.treatment.hierarchies.cuts import proposed_cuts
from singleout.treatment.hierarchies.hierarchy import EVERYTHING, Hierarchy, spelling
from singleout.treatment.hierarchies.levels import Level, assembled, finer
from singleout.treatment.hierarchies.merging import rarest_merged
from singleout.treatment.hierarchies.order import is_labelled, numbers_of
from singleout.treatment.hierarchies.periods import days_of, proposed_periods
from singleout.treatment.hierarchies.ranges import codes_in_order, neighbours_merged, range_order

__all__ = ["Kind", "Proposal", "proposal", "propose"]

_FEW = 2  # so many values are published, or not
_SHARES = (0.01, 0.05, 0.2)  # of the records, that each set of a level has at least
_SHARES_OF_MANY = (0.001, 0.01, 0.05)
_MANY = 500


class Kind(StrEnum):
    """How a hierarchy was made."""

    DATES = "dates"
    ORDER = "order"
    PREFIXES = "prefixes"
    INTERVALS = "intervals"
    MERGING = "merging"
    FLAT = "flat"


@dataclass(frozen=True, eq=False)
class Proposal:
    """A hierarchy that nobody wrote, and how it was made.

    Parameters
    ----------
    hierarchy
        The hierarchy.
    kind
        How it was made.
    sentence
        The same in words.
    """

    hierarchy: Hierarchy = field(repr=False)
    kind: Kind
    sentence: str = field(repr=False)

    @property
    def example(self) -> str:
        """What becomes of a value in the middle, from itself to ``*``."""
        return " → ".join(map(spelling, _path(self.hierarchy)))


def _path(hierarchy: Hierarchy) -> list[Any]:
    values = len(hierarchy.labels[0])
    if not values:
        return [None, EVERYTHING]
    levels = range(hierarchy.levels)
    return [hierarchy.labels[level][hierarchy.maps[level, values // 2]] for level in levels]


def propose(column: Column, ordered: bool | None = None) -> Hierarchy:
    """Return a hierarchy for a column, by what its values look like.

    Parameters
    ----------
    column
        The column.
    ordered
        Whether its values have an order; if not given, dates, ranges, and numbers that are no codes
        and stand for no words have one.

    Examples
    --------
    >>> import singleout as so
    >>> propose(so.demo()["AGEP"]).rows[0]
    ['0', '<5', '<10', '<20', '<40', '*']
    """
    return proposal(column, ordered).hierarchy


def proposal(column: Column, ordered: bool | None = None) -> Proposal:
    """Return a hierarchy for a column, and how it was made."""
    kind, levels = _levels(column, ordered)
    levels = finer(levels, len(column.values))
    hierarchy = assembled(column, levels)
    kind = kind if levels else Kind.FLAT
    return Proposal(hierarchy, kind, _sentence(hierarchy, kind))


def _sentence(hierarchy: Hierarchy, kind: Kind) -> str:
    values = len(hierarchy.labels[0])
    path = " → ".join(map(spelling, _path(hierarchy)))
    return say(f"hierarchies.made.{kind}", column=repr(hierarchy.column), n=values, path=path)


def _levels(column: Column, ordered: bool | None) -> tuple[Kind, list[Level]]:
    """Return how to coarsen a column: the first way that its values look like."""
    if len(column.values) <= _FEW:
        return Kind.FLAT, []
    for kind, way in _WAYS:
        levels = way(column, ordered)
        if levels is not None:
            return kind, levels
    shares = _SHARES if len(column.values) <= _MANY else _SHARES_OF_MANY
    return Kind.MERGING, rarest_merged(column, shares)


def _dates(column: Column, ordered: bool | None) -> list[Level] | None:
    del ordered  # the order of dates is always used
    days = days_of(column)
    return None if days is None else proposed_periods(column, days)


def _ranges(column: Column, ordered: bool | None) -> list[Level] | None:
    codes = None if ordered is False else range_order(column)
    return None if codes is None else neighbours_merged(column, codes)


def _codes(column: Column, ordered: bool | None) -> list[Level] | None:
    if ordered or is_labelled(column):
        return None
    length = code_length(column, nominal=ordered is False)
    return None if length is None else proposed_prefixes(column, length)


def _numbers(column: Column, ordered: bool | None) -> list[Level] | None:
    if ordered is False or is_labelled(column):  # numbers that stand for words
        return None
    numbers = numbers_of(column)
    if numbers is None:
        return None
    known = np.isfinite(numbers)
    sizes = column.sizes[: len(column.values)][known]
    return banded(column, numbers, proposed_cuts(numbers[known], sizes))


def _in_order(column: Column, ordered: bool | None) -> list[Level] | None:
    codes: I64 | None = None
    if ordered:
        codes = codes_in_order(column)
    elif ordered is None and all(isinstance(value, time | timedelta) for value in column.values):
        codes = np.arange(len(column.values))  # the codebook is sorted
    return None if codes is None else neighbours_merged(column, codes)


_WAYS: tuple[tuple[Kind, Callable[[Column, bool | None], list[Level] | None]], ...] = (
    (Kind.DATES, _dates),
    (Kind.ORDER, _ranges),
    (Kind.PREFIXES, _codes),
    (Kind.INTERVALS, _numbers),
    (Kind.ORDER, _in_order),
)
