"""Predictions: the exact routines against the recursions and sums they replace.

Cells have probabilities drawn from a Dirichlet distribution, all of them different, which is the
hardest case. The shape is cells and people. Where a peer would take minutes it does a part of the
work and its time is scaled; the name says which part.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bench.case import Contender, Prepared, case
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.singletons.singletons import singletons
from singleout.predict.uniqueness.uniqueness import uniqueness_probability

Floats = NDArray[np.float64]

LARGEST_GROUP = 14  # of the recursion for no singletons; larger ones are next to impossible here


@case("predict-uniqueness/large", "The chance that all people are unique.")
def uniqueness(quick: bool) -> Prepared:
    cells, people = (10_000, 1_000) if quick else (100_000, 10_000)
    spread = _spread(cells)

    def ours(method: str) -> float:
        return uniqueness_probability(spread, people, method).log_probability

    contenders = [
        Contender("singleout, exact", lambda: ours("exact"), ours=True),
        Contender("O(N k) recursion", lambda: _recursion(spread.probabilities, people)),
        Contender("singleout, saddlepoint", lambda: ours("saddlepoint"), ours=True),
    ]
    return Prepared((cells, people), contenders, lambda a: a, _logs_differ)


@case("predict-none/town", "The chance that nobody is unique.")
def none(quick: bool) -> Prepared:
    cells, people = (2_000, 200) if quick else (20_000, 2_000)
    spread = _spread(cells)
    contenders = [
        Contender("singleout", lambda: singletons(spread, people).log_probability_none, ours=True),
        Contender("O(N k) recursion", lambda: _no_single(spread.probabilities, people, cells)),
    ]
    return Prepared((cells, people), contenders, lambda a: a, _logs_differ)


@case("predict-none/large", "The chance that nobody is unique, in a large table.")
def none_large(quick: bool) -> Prepared:
    cells, people = (20_000, 2_000) if quick else (100_000, 10_000)
    spread = _spread(cells)
    part = cells // 50
    contenders = [
        Contender("singleout", lambda: singletons(spread, people).log_probability_none, ours=True),
        Contender(
            "O(N k) recursion, a fiftieth of the cells",
            lambda: (_no_single(spread.probabilities, people, part), None)[1],
            scale=50,
        ),
    ]
    return Prepared((cells, people), contenders, lambda a: a, _logs_differ)


@case("predict-none/thesis", "The chance that nobody is unique, in four groups of ages.")
def thesis(quick: bool) -> Prepared:
    groups, people = ((10, 0.004), (25, 0.014), (40, 0.012), (20, 0.0065)), 20 if quick else 40
    total = sum(cells * share for cells, share in groups)
    shares = np.concatenate([np.full(cells, share / total) for cells, share in groups])
    spread = Distribution.from_probabilities(shares)
    sizes = tuple(cells for cells, _ in groups)
    masses = tuple(cells * share / total for cells, share in groups)
    contenders = [
        Contender("singleout", lambda: singletons(spread, people).log_probability_none, ours=True),
        Contender("the multinomial sum of the thesis", lambda: _thesis(sizes, masses, people)),
    ]
    return Prepared((95, people), contenders, lambda a: a, _logs_differ)


@case("predict-variance/large", "The variance of the number of unique people.")
def variance(quick: bool) -> Prepared:
    cells, people = (10_000, 1_000) if quick else (100_000, 10_000)
    spread = _spread(cells)
    rows = 50

    def pairs() -> None:
        p = spread.probabilities
        for x in p[:rows]:
            (x * p * np.exp((people - 2) * np.log1p(-x - p))).sum()

    contenders = [
        Contender("singleout", lambda: singletons(spread, people).variance, ours=True),
        Contender(f"all pairs of cells, {rows} rows", pairs, scale=cells / rows),
    ]
    return Prepared((cells, people), contenders, lambda a: a, _logs_differ)


@case("predict-law/town", "The law of the number of unique people.")
def law(quick: bool) -> Prepared:
    cells, people = (2_000, 200) if quick else (20_000, 2_000)
    spread = _spread(cells)
    draws, wanted = 200, 10_000

    def simulated() -> Floats:
        rng = np.random.default_rng(5)
        seen = rng.multinomial(people, spread.probabilities / spread.power_sum(1), size=draws)
        unique = (seen == 1).sum(axis=1)
        return np.bincount(unique, minlength=people + 1) / draws

    def differ(answer: Floats, exact: Floats) -> str:
        gap = float(np.abs(np.cumsum(answer) - np.cumsum(exact)).max())
        return "" if gap < 1.95 / math.sqrt(draws) else f"laws differ by {gap:.2f}"

    contenders = [
        Contender("singleout", lambda: singletons(spread, people).pmf(), ours=True),
        Contender(f"simulation, {draws} of {wanted:,} samples", simulated, scale=wanted / draws),
    ]
    return Prepared((cells, people), contenders, lambda a: a, differ)


# ---- what is compared with


@cache
def _spread(cells: int) -> Distribution:
    return Distribution.from_probabilities(np.random.default_rng(1).dirichlet(np.ones(cells)))


def _recursion(p: Floats, people: int) -> float:
    """Cells are taken or not, one after the other: the chance of as many as there are people."""
    odds = people * p
    chance = np.zeros(people + 1)
    chance[0] = 1.0
    for place, taken in enumerate((odds / (1 + odds)).tolist(), start=1):
        top = min(place, people)
        chance[1 : top + 1] += taken * (chance[:top] - chance[1 : top + 1])
        chance[0] *= 1 - taken
    lead = special.gammaln(people + 1) - people * math.log(people) + np.log1p(odds).sum()
    return float(lead + math.log(chance[people]))


def _no_single(p: Floats, people: int, cells: int) -> float:
    """Each cell takes 0, 2, 3, … people: the same recursion, with more terms to a cell."""
    scale = 3.0 * people  # keeps the mean near the number of people, and so within floats
    chance = np.zeros(people + 1)
    chance[0] = 1.0
    log = special.gammaln(people + 1) - people * math.log(scale)
    for share in p[:cells].tolist():
        mean = scale * share
        whole = math.exp(mean) - mean
        after = chance / whole
        term = mean
        for here in range(2, min(people, LARGEST_GROUP + int(4 * mean)) + 1):
            term *= mean / here
            after[here:] += (term / whole) * chance[: people + 1 - here]
        chance = after
        log += math.log(whole)
    return float(log + math.log(max(chance[people], 1e-300)))


def _thesis(sizes: tuple[int, ...], masses: tuple[float, ...], people: int) -> float:
    """Sum over all ways to split the people over groups: 5.4.3, with zeta by its recursion."""
    no_single = {(n, k): _zeta(k, n) for n in sizes for k in range(people + 1)}

    def split(group: int, left: int) -> float:
        if group == len(sizes) - 1:
            return masses[group] ** left * no_single[sizes[group], left] / math.factorial(left)
        return sum(
            masses[group] ** here
            * no_single[sizes[group], here]
            / math.factorial(here)
            * split(group + 1, left - here)
            for here in range(left + 1)
        )

    _zeta.cache_clear()  # its time counts
    return math.log(math.factorial(people) * split(0, people))


@cache
def _zeta(people: int, cells: int) -> float:
    if people == 0 or cells == 0:
        return float(people == 0)
    if people == 1 or cells == 1:
        return float(people > 1)
    p = 1 / cells
    return sum(
        math.comb(people - 1, j)
        * p**j
        * (1 - p) ** (people - 1 - j)
        * _zeta(people - 1 - j, cells - 1)
        for j in range(1, people)
    )


def _logs_differ(answer: Any, ours: float) -> str:
    if answer is None:  # a part of the work, timed beside it
        return ""
    gap = abs(answer - ours)
    return f"logarithms differ by {gap:.1e}" if gap > 1e-7 else ""
