"""Slow twins of interval width and correlation, written from Koot (2012), chapter 6: never fast."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product
from typing import Any

import mpmath as mp
import numpy as np


def phi(probabilities: Iterable[Any], people: int, size: int) -> Any:
    """(6.1): the share of people in sets of a size."""
    if size > people:
        return 0
    choose = math.comb(people - 1, size - 1)
    return choose * sum(p**size * (1 - p) ** (people - size) for p in probabilities)


def phi_drawn(counts: Sequence[int], people: int, size: int) -> Fraction:
    """The share of people in sets of a size, over all choices of people, nobody twice."""
    everybody = [cell for cell, count in enumerate(counts) for _ in range(count)]
    found, choices = 0, 0
    for chosen in combinations(everybody, people):
        choices += 1
        found += sum(n for n in Counter(chosen).values() if n == size)
    return Fraction(found, choices * people)


def variance(probabilities: Sequence[Any], people: int) -> Any:
    """Var S from all pairs of cells."""
    k = people
    mean = sum(k * p * (1 - p) ** (k - 1) for p in probabilities)
    pairs = sum(
        k * (k - 1) * p * q * (1 - p - q) ** (k - 2)
        for i, p in enumerate(probabilities)
        for j, q in enumerate(probabilities)
        if i != j
    )
    return mean + pairs - mean**2


# ---- intervals


def normal_cells(sigma: float, width: float, offset: float) -> list[Any]:
    """P(X in [offset + i D, offset + (i + 1) D)) for a centred normal X, in 30 digits."""
    with mp.workdps(30):
        first = math.floor((-12 * sigma - offset) / width)
        last = math.ceil((12 * sigma - offset) / width)
        edges = [(mp.mpf(offset) + i * mp.mpf(width)) / sigma for i in range(first, last + 1)]
        return [mp.ncdf(b) - mp.ncdf(a) for a, b in pairwise(edges)]


def uniform_singletons(people: int, length: float, width: float) -> float:
    """The thesis's k (1 - D/A)^(k-1), right only where D divides A."""
    return people * max(0.0, 1 - width / length) ** (people - 1)


def exponential_finite_sum(people: int, rate: float, width: float, digits: int = 60) -> float:
    """The finite sum of 6.3.1, which cancels: in 60 digits right, in 15 not."""
    if digits < 20:
        step = math.exp(-rate * width)
        return people * math.fsum(
            (-1) ** j * math.comb(people - 1, j) * (1 - step) ** (j + 1) / (1 - step ** (j + 1))
            for j in range(people)
        )
    with mp.workdps(digits):
        step = mp.exp(-mp.mpf(rate) * mp.mpf(width))
        total = mp.fsum(
            (-1) ** j * math.comb(people - 1, j) * (1 - step) ** (j + 1) / (1 - step ** (j + 1))
            for j in range(people)
        )
        return float(people * total)


def normal_smooth(people: int, sigma: float, width: float) -> float:
    """K int f (1 - D f)^(k-1), the first step to the closed form."""

    def inside(x: Any) -> Any:
        density = mp.npdf(x, 0, sigma)
        return density * (1 - width * density) ** (people - 1)

    return float(2 * people * mp.quad(inside, mp.linspace(0, 12 * sigma, 13)))


def observed_cells(values: Sequence[Fraction], width: Fraction, offset: Fraction) -> list[int]:
    """How many of the values are in each interval."""
    return list(Counter(math.floor((value - offset) / width) for value in values).values())


def observed_average(
    values: Sequence[Fraction], width: Fraction, share: Callable[[list[int]], Fraction]
) -> Fraction:
    """The mean of a share over all offsets: it is constant between the places where values lie."""
    breaks = sorted({value % width for value in values} | {Fraction(0), width})
    total = Fraction(0)
    for low, high in pairwise(breaks):
        middle = (low + high) / 2
        total += (high - low) / width * share(observed_cells(values, width, middle))
    return total


# ---- correlation


def simulated_shares(cells: np.ndarray, sizes: int = 3) -> np.ndarray:
    """The shares of people in sets of 1, 2, … for each row of cells."""
    rows = []
    for row in cells:
        _, counts = np.unique(row, return_counts=True)
        rows.append([size * int((counts == size).sum()) / len(row) for size in range(1, sizes + 1)])
    return np.array(rows)


def proportional_fit(
    sizes: Mapping[str, int], margins: Mapping[tuple[str, ...], np.ndarray], rounds: int
) -> dict[tuple[int, ...], float]:
    """Scale a uniform table to each margin in turn, cell by cell."""
    names = list(sizes)
    cells = list(product(*(range(size) for size in sizes.values())))
    joint = {cell: 1 / len(cells) for cell in cells}
    for _ in range(rounds):
        for key, table in margins.items():
            at = [names.index(name) for name in key]
            found: Counter[tuple[int, ...]] = Counter()
            for cell, share in joint.items():
                found[tuple(cell[axis] for axis in at)] += share
            for cell in cells:
                inner = tuple(cell[axis] for axis in at)
                joint[cell] *= table[inner] / found[inner] if found[inner] else 0.0
    return joint


def information(joint: np.ndarray) -> float:
    """I(A; B) of a table with two axes, in nats."""
    rows, columns = joint.sum(axis=1), joint.sum(axis=0)
    return sum(
        float(joint[i, j] * math.log(joint[i, j] / (rows[i] * columns[j])))
        for i in range(len(rows))
        for j in range(len(columns))
        if joint[i, j] > 0
    )
