"""Where to cut numbers that nobody has cut: at numbers people use, finer to coarser.

Numbers that are spread evenly are cut by width: 5, 10, 20, 40. Others are cut where they divide the
records into 2, 4, 8 … parts, each cut moved to the roundest number near it. The bands at both ends
are open.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from singleout.core.arrays import F64, I64, sums
from singleout.treatment.hierarchies.bands import all_whole, multiples
from singleout.treatment.hierarchies.levels import MOST_LEVELS

__all__ = ["proposed_cuts", "roundest"]

_SMALL = 20  # up to so many different numbers are cut one by one
_MANY = 200  # more different numbers than this get a finer first level
_BANDS, _FINE_BANDS = 20, 64  # of equal width
_DEPTH, _FINE_DEPTH = 4, 6  # how often records are halved
_END = 0.01  # an open band has at least this share of the records
_MOST = 0.8  # a level is of no use where one band has more than this share
_SKEWED = 3.0  # how much longer one half of the numbers may be than the other
_MOVED = 0.25  # how far a cut is moved, of the way to the next one


@dataclass(frozen=True, eq=False)
class _Spread:
    """Different numbers in their order, and which share of the records has at most each."""

    numbers: F64
    up_to: F64

    def at(self, share: float) -> float:
        """Return the number that this share of the records has at most."""
        index = int(np.searchsorted(self.up_to, share))
        return float(self.numbers[min(index, len(self.numbers) - 1)])

    def below(self, cuts: F64) -> F64:
        """Return which share of the records is below each cut."""
        places = np.searchsorted(self.numbers, cuts, side="left")
        return np.asarray(np.concatenate([[0.0], self.up_to])[places])


def proposed_cuts(numbers: F64, sizes: I64) -> list[F64]:
    """Return the cuts of each level, from many to few; each level leaves out some of the one below.

    >>> ages = np.arange(17, 91)
    >>> [level.tolist() for level in proposed_cuts(ages.astype(float), np.ones(74, int))][-3:]
    [[20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0], [20.0, 40.0, 60.0, 80.0], [40.0, 80.0]]
    """
    distinct, index = np.unique(numbers, return_inverse=True)
    weights = sums(index, sizes, len(distinct))
    if not weights.sum():
        weights = np.ones(len(distinct))
    spread = _Spread(distinct, np.cumsum(weights) / weights.sum())
    if len(distinct) > _SMALL and _is_even(spread):
        return _by_width(spread)
    return _by_parts(spread)


def _is_even(spread: _Spread) -> bool:
    low, middle, high = (spread.at(share) for share in (0.05, 0.5, 0.95))
    if not low < middle < high:
        return False
    return 1 / _SKEWED <= (high - middle) / (middle - low) <= _SKEWED


# ---- by width


def _by_width(spread: _Spread) -> list[F64]:
    low, high = spread.at(_END), spread.at(1 - _END)
    bands = _BANDS if len(spread.numbers) <= _MANY else _FINE_BANDS
    # a width of 1 takes no whole numbers together
    least = max((high - low) / bands, 2.0 if all_whole(spread.numbers) else 0.0)
    answer: list[F64] = []
    for width in _widths(least):
        cuts = multiples(width, float(spread.numbers[0]), float(spread.numbers[-1]))
        below = spread.below(cuts)
        cuts = cuts[(below >= _END) & (below <= 1 - _END)]
        shares = np.diff(spread.below(cuts), prepend=0.0, append=1.0)
        if shares.max() > _MOST:
            break
        answer.append(cuts)
    return answer


def _widths(least: float) -> list[float]:
    """Return widths that people use, each a multiple of the one before, as 5, 10, 20, 40."""
    power = math.floor(math.log10(least))
    options = [float(f"{digit}e{power}") for digit in (1, 2, 5, 10)]
    width = next(option for option in options if option >= least)
    if width != options[2]:  # from 1 and 2 to 5 and 10, which are doubled
        step = 5 * width
        return [width, *(step * 2**i for i in range(MOST_LEVELS - 3))]
    return [width * 2**i for i in range(MOST_LEVELS - 2)]


# ---- by parts


def _by_parts(spread: _Spread) -> list[F64]:
    """Return cuts into 2, 4, 8 … parts of about the same number of records, coarsest last."""
    count = len(spread.numbers)
    if count < 2:
        return []
    depth = min(_FINE_DEPTH if count > _MANY else _DEPTH, (count - 1).bit_length())
    parts = 2**depth
    raw = [_boundary(spread, i / parts) for i in range(1, parts)]
    coarseness: dict[float, int] = {}
    for i, place in enumerate(raw, start=1):
        cut = _rounded(spread, place, raw)
        trailing = (i & -i).bit_length() - 1
        coarseness[cut] = max(trailing, coarseness.get(cut, 0))
    return [
        np.array(sorted(cut for cut, level in coarseness.items() if level >= step))
        for step in range(depth)
    ]


def _boundary(spread: _Spread, share: float) -> int:
    """Return the index of the first number above the cut that is nearest to a share."""
    after = int(np.searchsorted(spread.up_to, share)) + 1
    options = [place for place in (after - 1, after) if 1 <= place < len(spread.numbers)]
    if not options:
        return 1 if after < 1 else len(spread.numbers) - 1
    return min(options, key=lambda place: abs(float(spread.up_to[place - 1]) - share))


def _rounded(spread: _Spread, place: int, places: list[int]) -> float:
    """Return the roundest number that divides the records about there."""
    numbers = spread.numbers
    cut = float(numbers[place])
    others = [float(numbers[other]) for other in places if other != place]
    room = min((abs(cut - other) for other in others), default=0.0) * _MOVED
    if len(numbers) <= _SMALL:  # each of a few numbers counts
        room = 0.0
    low, high = min(float(numbers[place - 1]), cut - room), min(cut + room, float(numbers[-1]))
    if all_whole(numbers):
        return roundest(low, math.floor(high))
    return roundest(low, high)


def roundest(low: float, high: float) -> float:
    """Return the roundest number above one and at most another.

    >>> roundest(32650, 35750), roundest(2, 3), roundest(-1, 4), roundest(0.12, 0.138)
    (35000.0, 3.0, 0.0, 0.13)
    """
    if low < 0 <= high:
        return 0.0
    power = math.floor(math.log10(max(abs(low), abs(high))))
    for exponent in range(power, power - 17, -1):
        for digit in (5, 2, 1):
            step = float(f"{digit}e{exponent}")
            number = float(f"{math.floor(high / step) * step:.15g}")
            if low < number <= high:
                return number
    return high
