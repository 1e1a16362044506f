"""The intervals that numbers are recoded to, exact in decimals; their names are labels."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal
from functools import cache
from itertools import pairwise

from singleout.errors import BadChoice
from singleout.treatment.hierarchies.intervals import band

__all__ = ["exact", "of_cuts", "of_width"]

_LOWEST, _HIGHEST = Decimal("-Infinity"), Decimal("Infinity")
_FINEST = Decimal("1e-25")  # of a number: decimals have 28 figures


def exact(number: float | Decimal) -> Decimal:
    """Return a number with the decimals that it is written with."""
    return number if isinstance(number, Decimal) else Decimal(repr(number))


def of_cuts(numbers: Sequence[Decimal], cuts: Sequence[Decimal]) -> list[str]:
    """Return the name of the interval of each number; a new one starts at each cut."""
    whole = _all_whole([*numbers, *cuts])
    ends = [_LOWEST, *cuts, _HIGHEST]
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
    lowest = _LOWEST if bottom is None else bottom
    highest = _HIGHEST if top is None else top

    @cache
    def between(low: Decimal) -> str:
        return band(max(low, lowest), min(low + width, highest), whole=whole)

    def name(number: Decimal) -> str:
        if number < lowest:
            return band(_LOWEST, lowest, whole=whole)
        if number >= highest:
            return band(highest, _HIGHEST, whole=whole)
        return between(_floor(number, width, offset))

    return [name(number) for number in numbers]


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
