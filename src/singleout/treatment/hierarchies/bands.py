"""Hierarchies of numbers: intervals by width or by cuts, wider and wider."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np

from singleout.core.arguments import whole as whole_number
from singleout.core.arrays import F64, I64
from singleout.core.table import Column
from singleout.errors import BadChoice, UnusableColumn
from singleout.treatment.hierarchies.hierarchy import Hierarchy
from singleout.treatment.hierarchies.intervals import band
from singleout.treatment.hierarchies.levels import (
    MOST_LEVELS,
    Level,
    assembled,
    merged,
    up_to_one,
    with_values_apart,
)
from singleout.treatment.hierarchies.order import exact_number, numbers_of

__all__ = ["all_whole", "banded", "from_intervals", "multiples"]

_MOST_BANDS = 1_000_000


def from_intervals(
    column: Column,
    *,
    width: float | Sequence[float] | None = None,
    offset: float = 0,
    levels: int | None = None,
    cuts: Sequence[float] | Sequence[Sequence[float]] | None = None,
    bottom: float | None = None,
    top: float | None = None,
) -> Hierarchy:
    """Return the hierarchy of numbers by intervals; a few values that are no numbers stay apart.

    Parameters
    ----------
    column
        The column of numbers, or of text that reads as numbers.
    width
        How wide the intervals of the first level are, those of each further level twice as wide;
        or a width for each level, a multiple of the one before.
    offset
        Where an interval starts, and so all of them.
    levels
        How many levels of intervals there are at most.
    cuts
        Instead of a width: where the intervals of the first level start, every second cut being
        left out on each further level; or a list of such lists, one for each level.
    bottom, top
        With a width: all numbers below ``bottom``, and all from ``top``, are one interval.

    Examples
    --------
    >>> import singleout as so
    >>> age = so.read({"age": [17, 34, 36, 90]})["age"]
    >>> from_intervals(age, width=5, levels=2).rows[1]
    [34, '30-34', '30-39', '*']
    >>> from_intervals(age, cuts=[18, 65]).rows[0]
    [17, '<18', '<65', '*']
    """
    numbers = numbers_of(column)
    if numbers is None:
        raise UnusableColumn(
            f"Intervals need numbers, but {column.name!r} has values such as "
            f"{next(iter(column.values), None)!r}; merge its values instead."
        )
    if (width is None) == (cuts is None):
        raise BadChoice("Intervals are given either by a width or by cuts; give one of the two.")
    limit = MOST_LEVELS - 2 if levels is None else whole_number(levels, "levels")
    if cuts is not None:
        by_level = _given_cuts(cuts, limit)
    else:
        by_level = _by_width(numbers, _widths(width, limit), offset, (bottom, top))
    built = banded(column, numbers, by_level)
    return assembled(column, up_to_one(built))


def banded(column: Column, numbers: F64, by_level: Sequence[F64]) -> list[Level]:
    """Return the levels of a column whose intervals start at the cuts of each level."""
    ranked = np.flatnonzero(np.isfinite(numbers))
    known = numbers[ranked]
    whole = all_whole(known) and all(map(all_whole, by_level))
    answer = []
    for cuts in by_level:
        edges = np.concatenate([[-np.inf], cuts, [np.inf]])

        def label(i: int, edges: F64 = edges) -> str:
            return band(float(edges[i]), float(edges[i + 1]), whole=whole)

        level = merged(_places_of(column, ranked, known, cuts), label)
        answer.append(with_values_apart(column, ranked, level))
    return answer


def _places_of(column: Column, ranked: I64, known: F64, cuts: F64) -> I64:
    """Return the interval of each number: how many cuts are at or below it."""
    places = np.searchsorted(cuts, known, side="right")
    before = np.searchsorted(cuts, known, side="left")
    for place in np.flatnonzero(before < places).tolist():  # a large number may be rounded up
        cut, value = float(known[place]), column.values[int(ranked[place])]
        if exact_number(value, cut) < cut:
            places[place] -= 1
    return places.astype(np.int64)


def all_whole(numbers: F64) -> bool:
    """Whether all are whole numbers."""
    return bool((numbers == np.floor(numbers)).all())


# ---- by width


def _widths(width: Any, limit: int) -> list[float]:
    given: list[Any] = [width] if np.isscalar(width) else list(width)
    if not given or not all(_is_positive(each) for each in given):
        raise BadChoice(f"A width is a number above 0, not {width!r}.")
    for lower, upper in pairwise(given):
        if Decimal(str(upper)) % Decimal(str(lower)) or upper <= lower:
            raise BadChoice(
                f"Each width must be a multiple of the one before, but {upper!r} is none of "
                f"{lower!r}."
            )
    if len(given) > 1:
        return given[:limit]
    return [given[0] * 2**i for i in range(limit)]


def _is_positive(width: Any) -> bool:
    number = isinstance(width, int | float | np.number) and not isinstance(width, bool)
    return number and 0 < float(width) < np.inf


def _by_width(
    numbers: F64, widths: Sequence[float], offset: float, ends: tuple[float | None, float | None]
) -> list[F64]:
    low, high = float(np.nanmin(numbers)), float(np.nanmax(numbers))
    bottom, top = ends
    answer = []
    for width in widths:
        cuts = multiples(width, low - width, high + 2 * width, offset)
        if bottom is not None:
            cuts = cuts[cuts >= bottom]
        if top is not None:
            cuts = cuts[cuts <= top]
        answer.append(cuts)
    return answer


def multiples(width: float, low: float, high: float, offset: float = 0) -> F64:
    """Return the multiples of a width from one number to another, free of rounding errors.

    >>> multiples(0.1, 0.1, 0.35).tolist()
    [0.1, 0.2, 0.3]
    """
    first, last = np.ceil((low - offset) / width), np.floor((high - offset) / width)
    if last - first >= _MOST_BANDS:
        raise BadChoice(
            f"Intervals of {width!r} between {low!r} and {high!r} would be more than "
            f"{_MOST_BANDS:,}; give a larger width."
        )
    places = max(_places(width), _places(offset))
    cuts = offset + np.arange(first, last + 1) * width
    return np.asarray(cuts if places > 15 else np.round(cuts, places), dtype=np.float64)


def _places(number: float) -> int:
    """Return how many decimals a number is written with."""
    exponent = Decimal(str(number)).normalize().as_tuple().exponent
    return max(0, -int(exponent))


# ---- by cuts


def _given_cuts(cuts: Sequence[Any], limit: int) -> list[F64]:
    several = len(cuts) > 0 and not np.isscalar(cuts[0])
    by_level = [_checked_cuts(each) for each in (cuts if several else [cuts])]
    for lower, upper in pairwise(by_level):
        lacking = np.setdiff1d(upper, lower)
        if len(lacking):
            raise BadChoice(
                f"A level cuts at {lacking[0]:g}, where the level below does not; each level can "
                "only leave out cuts of the one below."
            )
    while not several and len(by_level) < limit and len(by_level[-1]) > 1:
        by_level.append(by_level[-1][1::2])
    return by_level[:limit]


def _checked_cuts(cuts: Any) -> F64:
    try:
        numbers = np.array(list(cuts), dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if not len(numbers) or not np.isfinite(numbers).all() or (np.diff(numbers) <= 0).any():
        raise BadChoice(f"Cuts are numbers from small to large, each once, not {cuts!r}.")
    return numbers
