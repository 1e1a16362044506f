"""Slow twins of the funnel, of combined questions and of plans: everything is listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import comb


def sizes_left(population: int, shares: Sequence[Fraction]) -> list[Fraction]:
    """Koot (2012), appendix B: the set after each answer, the answers being independent."""
    left, found = Fraction(population), []
    for share in shares:
        left *= share
        found.append(left)
    return found


def frechet(shares: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """Return the least and largest share of people who give all answers."""
    return max(Fraction(0), sum(shares) - (len(shares) - 1)), min(shares)


def count_all(people: Sequence[Sequence[bool]], answers: Sequence[int]) -> int:
    """Return how many people of a population give all these answers."""
    return sum(all(person[answer] for answer in answers) for person in people)


def all_three(shares: Sequence[float], pairs: Sequence[float]) -> float:
    """Return the share of people who give all of three answers, by the largest entropy.

    ``shares`` are of a, b, c and ``pairs`` of ab, ac, bc. With the share t of abc all eight ways
    follow. The entropy is largest where its slope is 0, that is where the product of the ways with
    an odd number of answers is that of the ways with an even number: found by halving.
    """
    (a, b, c), (ab, ac, bc) = shares, pairs
    low = max(0.0, ab + ac - a, ab + bc - b, ac + bc - c)
    high = min(ab, ac, bc, 1 - a - b - c + ab + ac + bc)

    def slope_is_up(t: float) -> bool:
        even = (ab - t) * (ac - t) * (bc - t) * (1 - a - b - c + ab + ac + bc - t)
        return even > t * (a - ab - ac + t) * (b - ab - bc + t) * (c - ac - bc + t)

    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if slope_is_up(middle) else (low, middle)
    return (low + high) / 2


def cells_of(questions: Sequence[Sequence[float]]) -> list[float]:
    """Return the probability of each combination of independent answers."""
    found = []
    for combination in product(*questions):
        likely = 1.0
        for share in combination:
            likely *= share
        found.append(likely)
    return found


def share_in_sets(cells: Sequence[float], people: int, size: int) -> float:
    """Return the share of people expected in sets of exactly this size: (6.1)."""
    return sum(
        p * comb(people - 1, size - 1) * p ** (size - 1) * (1 - p) ** (people - size)
        for p in cells
        if p > 0
    )


def share_below(cells: Sequence[float], people: int, size: int) -> float:
    """Return the share of people expected in sets of fewer than this size."""
    return sum(share_in_sets(cells, people, j) for j in range(1, min(size - 1, people) + 1))


def best_plan(
    codings: Mapping[str, Sequence[Sequence[float]]],
    worths: Mapping[str, Sequence[float]],
    people: int,
    unique: float,
    size: int,
    share: float,
    never_drop: Sequence[str] = (),
) -> float:
    """Return what the best of all choices is worth; not to ask is a coding as well."""
    best = -1.0
    options = [
        [*range(len(codings[name])), *([] if name in never_drop else [None])] for name in codings
    ]
    for choice in product(*options):
        asked = [
            codings[name][level]
            for name, level in zip(codings, choice, strict=True)
            if level is not None
        ]
        cells = cells_of(asked)
        if share_below(cells, people, 2) > unique:
            continue
        if 1 - share_below(cells, people, size) < share:
            continue
        worth = sum(
            worths[name][level]
            for name, level in zip(codings, choice, strict=True)
            if level is not None
        )
        best = max(best, worth)
    return best
