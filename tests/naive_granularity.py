"""People in intervals, one by one."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import floor, inf, log


def cells_of(people, widths, tops):
    return [
        tuple(
            floor(Fraction(value if value < top else top) / Fraction(width))
            for value, width, top in zip(person, widths, tops, strict=True)
        )
        for person in people
    ]


def measured(people, widths, k, tops=None):
    """Possible cells, distance to uniform in nats, and the mean share of the unique over draws."""
    cells = cells_of(people, widths, tops or [inf] * len(widths))
    possible = 1
    for axis in range(len(widths)):
        codes = [cell[axis] for cell in cells]
        possible *= max(codes) - min(codes) + 1
    shares = [Fraction(size, len(cells)) for size in Counter(cells).values()]
    distance = sum(float(share) * log(float(share) * possible) for share in shares)
    draws = list(combinations(cells, k))
    alone = sum(sum(draw.count(cell) == 1 for cell in draw) for draw in draws)
    return possible, distance, Fraction(alone, k * len(draws))
