"""Slow, obvious twins of the predictions: every outcome is written down, in exact fractions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb, factorial, prod

Law = list[Fraction]


def law_by_outcomes(probabilities: Sequence[Fraction], people: int) -> Law:
    """The law of the number of unique people: all ways to put people into cells."""
    law = [Fraction(0)] * (people + 1)
    for cells in product(range(len(probabilities)), repeat=people):
        chance = prod((probabilities[cell] for cell in cells), start=Fraction(1))
        law[sum(times == 1 for times in Counter(cells).values())] += chance
    return law


def law_by_samples(counts: Sequence[int], people: int) -> Law:
    """The same if nobody is drawn twice: all samples of so many people."""
    population = [cell for cell, count in enumerate(counts) for _ in range(count)]
    samples = list(combinations(population, people))
    found = Counter(sum(n == 1 for n in Counter(sample).values()) for sample in samples)
    return [Fraction(found[unique], len(samples)) for unique in range(people + 1)]


def law_by_cells(probabilities: Sequence[Fraction], people: int) -> Law:
    """The law one cell after the other: ways[k][s] is for k people so far, s of them alone."""
    ways = [[Fraction(0)] * (people + 1) for _ in range(people + 1)]
    ways[0][0] = Fraction(1)
    for p in probabilities:
        after = [[Fraction(0)] * (people + 1) for _ in range(people + 1)]
        for k in range(people + 1):
            for here in range(k + 1):
                weight = p**here / factorial(here)
                for unique in range(k - here + 1):
                    before = ways[k - here][unique]
                    if before:
                        after[k][unique + (here == 1)] += weight * before
        ways = after
    return [factorial(people) * way for way in ways[people]]


def all_unique(probabilities: Sequence[Fraction], people: int) -> Fraction:
    """k! times the elementary symmetric polynomial, by its recursion: O(N k)."""
    sums = [Fraction(1)] + [Fraction(0)] * people
    for p in probabilities:
        for k in range(people, 0, -1):
            sums[k] += p * sums[k - 1]
    return factorial(people) * sums[people]


def mean(law: Law) -> Fraction:
    return sum((unique * chance for unique, chance in enumerate(law)), start=Fraction(0))


def variance(law: Law) -> Fraction:
    return (
        sum((unique**2 * chance for unique, chance in enumerate(law)), Fraction(0)) - mean(law) ** 2
    )


@cache
def zeta(people: int, cells: int) -> Fraction:
    """No singletons among equally likely cells: the recursion of Koot's 5.4.1."""
    if people == 0:
        return Fraction(1)
    if people == 1 or cells == 0:
        return Fraction(0)
    if cells == 1:
        return Fraction(1)
    p = Fraction(1, cells)
    return sum(
        (
            comb(people - 1, j)
            * p**j
            * (1 - p) ** (people - 1 - j)
            * zeta(people - 1 - j, cells - 1)
            for j in range(1, people)
        ),
        start=Fraction(0),
    )


def uniform_law(people: int, cells: int) -> Law:
    """The law for equally likely cells: Koot's 5.4.2, where 0^0 is 1."""
    law = []
    for unique in range(people + 1):
        if unique > cells:
            law.append(Fraction(0))
            continue
        left = Fraction(cells - unique, cells) ** (people - unique)
        ways = comb(cells, unique) * (factorial(people) // factorial(people - unique))
        law.append(
            ways * Fraction(1, cells) ** unique * left * zeta(people - unique, cells - unique)
        )
    return law
