"""An attacker who knows everybody else, and the gate, but not the key: how often she is right.

She weighs two tables that differ in one person by the exact probability that each gives the record
that she sees. Nobody who sees the same can do better, so her success is what a record reveals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from singleout.core.arrays import F64
from singleout.repository.gate.gate import (
    LEAST_CAP,
    WORTH_PUBLISHING,
    Released,
    blurred,
    cost_of,
    deviations,
)
from singleout.repository.gate.noise import cap_below, grid_above, grid_below
from singleout.repository.gate.numbers import CellNumbers
from singleout.repository.gate.tiers import LARGEST_ERROR, SHARES, Tier

__all__ = ["Success", "likelihood", "success"]

_NORMAL = NormalDist()
_IMPOSSIBLE = 1e-300


@dataclass(frozen=True)
class Success:
    """How often the attacker is right if all worlds are as likely, from simulated records.

    Parameters
    ----------
    chance
        The mean chance that she decides rightly.
    error
        Its standard error.
    """

    chance: float
    error: float


def success(
    tables: Sequence[Sequence[CellNumbers]],
    cells: int,
    tier: Tier,
    rng: np.random.Generator,
    *,
    draws: int = 200,
    price: float | None = None,
) -> Success:
    """Return how often an attacker tells worlds apart by all the records made in them.

    Parameters
    ----------
    tables
        For each record, the table that it is made of in each world.
    cells
        How many cells are possible.
    tier
        The tier of the records.
    rng
        The random numbers that stand for the holder's keys.
    draws
        How many times records are made in each world.
    price
        The price of each record, if not the tier's.
    """
    paid = tier.price if price is None else price
    chances = []
    for world in range(len(tables[0])):
        for _ in range(draws):
            weights = sum(_weighed(worlds, world, cells, tier, paid, rng) for worlds in tables)
            # who is right with this chance need not be drawn: fewer draws do
            chances.append(1 / float(np.exp(weights - np.max(weights)).sum()))
    drawn = np.array(chances)
    return Success(float(drawn.mean()), float(drawn.std() / math.sqrt(len(drawn))))


def _weighed(
    worlds: Sequence[CellNumbers],
    world: int,
    cells: int,
    tier: Tier,
    price: float,
    rng: np.random.Generator,
) -> F64:
    """Return the log likelihoods of all worlds for a record made in one of them."""
    drawn = dict(zip(SHARES, rng.standard_normal(len(SHARES)).tolist(), strict=True))
    record = blurred(worlds[world], cells, tier, drawn.__getitem__, price)
    if not isinstance(record, Released):
        return np.zeros(len(worlds))  # nothing is published
    return np.array([likelihood(record, numbers) for numbers in worlds])


def likelihood(record: Released, numbers: CellNumbers) -> float:
    """Return the log probability that a table gives exactly this record."""
    sd = deviations(record.people, record.largest, record.price, record.cells)
    cap = record.largest
    people_sd = 1 / math.sqrt(SHARES["people"] * cost_of(numbers.people, record.price))
    half = grid_above(4 * people_sd) / 2
    s2 = numbers.power_sum(2, cap)
    parts = (
        _between(record.people - half, record.people + half, numbers.people, people_sd),
        _capped(record, numbers.largest, sd["largest"]),
        _support(record, numbers.support, sd["support"]),
        _rounded(record.kappa, numbers.kappa(record.cells, cap), sd["kappa"], record.log_cells),
        _rounded(record.s2, s2, sd["s2"], 1.0, least=sd["s2"] / LARGEST_ERROR),
        _rounded(record.s3, numbers.power_sum(3, cap), sd["s3"], 1.0),
        _rounded(record.small, numbers.small / record.people, sd["small"], 1.0),
    )
    return math.fsum(math.log(max(part, _IMPOSSIBLE)) for part in parts)


def _between(low: float, high: float, mean: float, sd: float) -> float:
    return max(_NORMAL.cdf((high - mean) / sd) - _NORMAL.cdf((low - mean) / sd), 0.0)


def _rounded(seen: float, mean: float, sd: float, most: float, least: float = -math.inf) -> float:
    """Return the chance of a number that was kept between 0 and ``most``, and rounded."""
    half = grid_below(sd) / 2
    low = -math.inf if seen - half <= 0 else seen - half
    high = math.inf if seen + half >= most else seen + half
    return _between(max(low, least), high, mean, sd)


def _capped(record: Released, largest: int, sd: float) -> float:
    cap = record.largest
    low = -math.inf if cap <= LEAST_CAP else cap_below(cap)
    high = math.inf if cap == record.people else cap
    return _between(low, high, largest + 2 * sd, sd)


def _support(record: Released, support: int, sd: float) -> float:
    least, grid = WORTH_PUBLISHING * sd, grid_below(sd)
    if record.support is None:
        return _between(-math.inf, least, support, sd)
    if record.support == record.cells:
        low, high = math.ceil(record.cells / grid) * grid - grid / 2, math.inf
    else:
        low, high = record.support - grid / 2, record.support + grid / 2
    return _between(max(low, least), high, support, sd)
