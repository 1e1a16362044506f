"""Intervals of numbers, and their names: ``20-29``, ``<20``, ``80+``, ``20 to <30``."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal
from functools import cache
from itertools import pairwise

from singleout.errors import BadChoice

__all__ = ["band", "exact", "figure", "of_cuts", "of_width"]

_FINEST = Decimal("1e-25")  # of a number: decimals have 28 figures


def exact(number: float | Decimal) -> Decimal:
    """Return a number with the decimals that it is written with."""
    return number if isinstance(number, Decimal) else Decimal(repr(number))


def figure(number: Decimal) -> str:
    """Return a number as text, whole ones without decimals.

    >>> figure(Decimal("20.0")), figure(Decimal("2.50")), figure(Decimal("1E+3"))
    ('20', '2.5', '1000')
    """
    if number == number.to_integral_value():
        return str(int(number))
    return format(number.normalize(), "f")


def band(low: Decimal | None, high: Decimal | None, *, whole: bool) -> str:
    """Return the name of the numbers from ``low`` to below ``high``; None where it is open.

    >>> band(Decimal(20), Decimal(30), whole=True), band(Decimal(20), Decimal(30), whole=False)
    ('20-29', '20 to <30')
    >>> band(None, Decimal(20), whole=True), band(Decimal(80), None, whole=True)
    ('<20', '80+')
    >>> band(Decimal(7), Decimal(8), whole=True), band(Decimal(-10), Decimal(0), whole=True)
    ('7', '-10 to -1')
    """
    if low is None:
        assert high is not None
        return f"<{figure(high)}"
    if high is None:
        return f"{figure(low)}+"
    if not whole:
        return f"{figure(low)} to <{figure(high)}"
    if high - low == 1:
        return figure(low)
    between = "-" if low >= 0 else " to "
    return f"{figure(low)}{between}{figure(high - 1)}"


def of_cuts(numbers: Sequence[Decimal], cuts: Sequence[Decimal]) -> list[str]:
    """Return the name of the interval of each number; a new one starts at each cut."""
    whole = _all_whole([*numbers, *cuts])
    ends = [None, *cuts, None]
    names = [band(low, high, whole=whole) for low, high in pairwise(ends)]
    return [names[bisect_right(cuts, number)] for number in numbers]


def of_width(
    numbers: Sequence[Decimal],
    width: Decimal,
    offset: Decimal,
    bottom: Decimal | None = None,
    top: Decimal | None = None,
) -> list[str]:
    """Return the name of the equal interval of each number, open below and above the ends."""
    _require_wide(numbers, width, offset)
    ends = [end for end in (bottom, top) if end is not None]
    whole = _all_whole([*numbers, width, offset, *ends])
    below = None if bottom is None else band(None, bottom, whole=whole)
    above = None if top is None else band(top, None, whole=whole)

    @cache
    def between(low: Decimal) -> str:
        start = low if bottom is None else max(low, bottom)
        end = low + width if top is None else min(low + width, top)
        return band(start, end, whole=whole)

    names = []
    for number in numbers:
        if bottom is not None and number < bottom:
            name = below
        elif top is not None and number >= top:
            name = above
        else:
            name = between(_floor(number, width, offset))
        assert name is not None
        names.append(name)
    return names


def _require_wide(numbers: Sequence[Decimal], width: Decimal, offset: Decimal) -> None:
    """Refuse intervals so narrow that both ends would be written alike."""
    farthest = max((abs(number) for number in (*numbers, offset)), default=Decimal(0))
    if width < farthest * _FINEST:
        raise BadChoice(
            f"width is {float(width):g}, too narrow for numbers such as {float(farthest):g}; give "
            f"{float(farthest * _FINEST):.1g} or more."
        )


def _floor(number: Decimal, width: Decimal, offset: Decimal) -> Decimal:
    return offset + width * ((number - offset) / width).to_integral_value(ROUND_FLOOR)


def _all_whole(numbers: Sequence[Decimal]) -> bool:
    return all(number == number.to_integral_value() for number in numbers)
