"""Slow twins of predicted set sizes, and the thesis's formulas as printed and as corrected.

Everything runs over all outcomes or all pairs, in fractions where that is possible.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from math import comb, e, exp, factorial, log, perm

Numbers = Sequence[Fraction] | Sequence[float]


# ---- over all outcomes


def outcomes(shares: Sequence[Fraction], people: int):
    """Yield who is in which cell, and how likely that is."""
    for cells in product(range(len(shares)), repeat=people):
        likely = Fraction(1)
        for cell in cells:
            likely *= shares[cell]
        yield cells, likely


def draws(counts: Sequence[int], people: int):
    """Yield the cells of people drawn from a population, nobody twice."""
    everybody = [cell for cell, count in enumerate(counts) for _ in range(count)]
    ways = comb(len(everybody), people)
    for chosen in combinations(range(len(everybody)), people):
        yield tuple(everybody[person] for person in chosen), Fraction(1, ways)


def expected_sets(laid_out, cells: int, people: int) -> list[Fraction]:
    """The expected number of cells with 0, 1, … people."""
    found = [Fraction(0)] * (people + 1)
    for outcome, likely in laid_out:
        sizes = Counter(outcome)
        for cell in range(cells):
            found[sizes[cell]] += likely
    return found


def set_of_first(laid_out, cell: int, people: int) -> list[Fraction]:
    """How likely each size of the first person's set is, if that person is in this cell."""
    found = [Fraction(0)] * (people + 1)
    for outcome, likely in laid_out:
        if outcome[0] == cell:
            found[outcome.count(cell)] += likely
    total = sum(found)
    return [chance / total for chance in found]


def population_unique_given_sample_unique(shares, people: int, sample: int) -> Fraction:
    """The first person, in a sample of the first ones: unique among all, given unique in it."""
    both = in_sample = Fraction(0)
    for outcome, likely in outcomes(shares, people):
        if outcome[:sample].count(outcome[0]) == 1:
            in_sample += likely
            both += likely * (outcome.count(outcome[0]) == 1)
    return both / in_sample


# ---- sums over cells


def singletons(shares: Numbers, people: int):
    """(5.1): the expected number of unique people."""
    return people * sum(p * (1 - p) ** (people - 1) for p in shares)


def variance(shares: Numbers, people: int):
    """Proposition 5.9 with every cell a group of its own, so that (5.7) has no second term."""
    mean = singletons(shares, people)
    cross = sum(
        p * q * (1 - p - q) ** (people - 2)
        for i, p in enumerate(shares)
        for j, q in enumerate(shares)
        if i != j
    )
    return mean + people * (people - 1) * cross - mean**2


def variance_of_groups(groups, people: int, *, second_factor):
    """Proposition 5.9 for groups of (cells, probability of one), the factor of (5.7) as given."""
    means = [people * many * p * (1 - p) ** (people - 1) for many, p in groups]
    answer = 0
    for (many, p), mean in zip(groups, means, strict=True):
        pairs = people * (people - 1) * second_factor(many)
        answer += mean + pairs * p**2 * (1 - 2 * p) ** (people - 2) - mean**2
    for i, (many, p) in enumerate(groups):
        for j, (others, q) in enumerate(groups):
            if i != j:
                both = people * (people - 1) * many * others * p * q * (1 - p - q) ** (people - 2)
                answer += both - means[i] * means[j]
    return answer


def distance(shares: Numbers) -> float:
    """Kappa, in nats."""
    return sum(float(p) * log(float(p) * len(shares)) for p in shares if p > 0)


def uniqueness(shares: Numbers, people: int) -> float:
    """k! times the elementary symmetric polynomial: everybody is unique."""
    symmetric = [1.0] + [0.0] * people
    for p in shares:
        for size in range(people, 0, -1):
            symmetric[size] += float(p) * symmetric[size - 1]
    return factorial(people) * symmetric[people]


def uniqueness_if_uniform(people: int, cells: int) -> Fraction:
    return Fraction(perm(cells, people), cells**people)


# ---- formulas of the thesis that hold


def singletons_5_4(cells: int, kl: float, people: int) -> float:
    a = people / cells
    return people * exp(-a) * (1 + a * (a - 2) * kl)


def share_of_cells_5_5(cells: int, kl: float, people: int, size: int) -> float:
    a = people / cells
    bracket = 1 + (a * a + size * (size - 1) - 2 * size * a) * kl
    return exp(-a) * a**size / factorial(size) * bracket


def share_of_people_5_6(cells: int, kl: float, people: int, size: int) -> float:
    return share_of_cells_5_5(cells, kl, people, size) * size * cells / people


# ---- 5.3: printed and corrected


def variance_if_uniform(cells: int, people: int, exponent: int) -> float:
    """5.3.1; printed with the exponent 2k - 4, correct with 2k - 2."""
    alone = people * (1 - 1 / cells) ** (people - 1)
    both = people * (people - 1) * (cells - 1) / cells * (1 - 2 / cells) ** (people - 2)
    return alone + both - people**2 * (1 - 1 / cells) ** exponent


def variance_5_3_2_printed(cells: int, kl: float, people: int) -> float:
    a = people / cells
    first = people * exp(-a) * (1 - a * (a - 2) * kl)
    return first - people**3 / cells**2 * exp(-2 * a) * (1 + (4 - 6 * a) * kl)


def variance_5_3_2_corrected(cells: int, kl: float, people: int) -> float:
    a = people / cells
    return cells * (
        a * exp(-a) * (1 + a * (a - 2) * kl)
        - a**2 * exp(-2 * a) * (1 + 2 * (1 - 4 * a + 2 * a * a) * kl)
        - a * (1 - a) ** 2 * exp(-2 * a) * (1 - 2 * a * (4 - a) * kl)
    )


def variance_limit_printed(a: float, alphas: Sequence[float], parts: Sequence[float]) -> float:
    """The last line of Proposition 5.10."""
    groups = list(zip(alphas, parts, strict=True))
    first = sum(alpha * f * exp(-alpha * a) for alpha, f in groups)
    second = sum(alpha**2 * f * exp(-alpha * a) for alpha, f in groups)
    return a * first - a**3 * second**2


def variance_limit_corrected(a: float, alphas: Sequence[float], parts: Sequence[float]) -> float:
    groups = list(zip(alphas, parts, strict=True))
    first = sum(alpha * f * exp(-alpha * a) for alpha, f in groups)
    second = sum(alpha**2 * f * exp(-2 * alpha * a) for alpha, f in groups)
    third = sum(alpha * f * (1 - a * alpha) * exp(-alpha * a) for alpha, f in groups)
    return a * first - a**2 * second - a * third**2


def integral(of, steps: int = 20_000) -> float:
    """The midpoint rule from 0 to 1."""
    return sum(of((step + 0.5) / steps) for step in range(steps)) / steps


EULER = e
