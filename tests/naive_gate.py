"""The gate's numbers as its specification writes them, cell by cell, and every neighbouring table.

Nothing here uses the package: cells are a list of how many people each holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log, prod, sqrt


def falling(value: float, steps: int) -> float:
    return prod(value - step for step in range(steps))


def kappa(cells: list[int], possible: int, cap: float) -> float:
    n = sum(cells)
    return log(possible) - log(n) + sum(c * log(min(c, cap)) for c in cells if c) / n


def power_sum(cells: list[int], order: int, cap: float) -> float:
    n = sum(cells)
    shares = (c / n * max(0.0, falling(min(c, cap) - 1, order - 1)) for c in cells if c)
    return sum(shares) / falling(n - 1, order - 1)


def people_in_small_cells(cells: list[int]) -> int:
    return sum(c for c in cells if c < 10)


def numbers(cells: list[int], possible: int, cap: float) -> dict[str, float]:
    return {
        "people": sum(cells),
        "support": sum(1 for c in cells if c),
        "largest": max(cells),
        "kappa": kappa(cells, possible, cap),
        "s2": power_sum(cells, 2, cap),
        "s3": power_sum(cells, 3, cap),
        "small": people_in_small_cells(cells),
    }


def bounds(n: int, cap: float) -> dict[str, float]:
    return {
        "people": 1,
        "support": 1,
        "largest": 1,
        "kappa": (1 + log(cap + 1)) / n,
        "s2": 2 * cap / (n * (n - 1)),
        "s3": 3 * cap * (cap - 1) / (n * (n - 1) * (n - 2)),
        "small": 10,
    }


def neighbours(cells: list[int]) -> Iterator[list[int]]:
    """Yield every table with one person more, one person less, or one person in another cell."""
    different = sorted({(c, cells.index(c)) for c in cells})
    for _, there in different:
        yield changed(cells, (there, 1))
    for size, there in different:
        if size:
            yield changed(cells, (there, -1))
            for other, here in different:
                if here != there:
                    yield changed(cells, (there, -1), (here, 1))
                elif cells.count(other) > 1:
                    again = cells.index(other, here + 1)
                    yield changed(cells, (there, -1), (again, 1))


def changed(cells: list[int], *changes: tuple[int, int]) -> list[int]:
    new = list(cells)
    for index, by in changes:
        new[index] += by
    return new


def deviation(bound: float, share: float, cost: float) -> float:
    return bound / sqrt(share * cost)


def dearest_total(populations: list[set[int]], costs: list[float], person: int) -> float:
    """The cost that one person really bears."""
    return sum(cost for people, cost in zip(populations, costs, strict=True) if person in people)
