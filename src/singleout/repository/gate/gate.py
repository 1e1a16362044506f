"""Release the numbers of a population, blurred so that no single person shows; or refuse to.

Every number has Gaussian noise of (largest influence of one person) / sqrt(share of the cost). A
record is then sqrt(cost)-Gaussian differentially private: who knows everybody else answers a yes/no
question about one person rightly with a chance of at most Phi(sqrt(cost) / 2). Scales and refusals
depend on blurred numbers only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

from singleout.core.arguments import whole
from singleout.core.counts import SizeProfile
from singleout.repository.gate.influence import influences
from singleout.repository.gate.noise import (
    Noise,
    cap_above,
    grid_above,
    grid_below,
    keyed_noise,
    on_grid,
    two_digits,
)
from singleout.repository.gate.numbers import CellNumbers
from singleout.repository.gate.refusal import Refusal
from singleout.repository.gate.tiers import (
    FULL_PRICE_PEOPLE,
    LARGEST_ERROR,
    SHARES,
    Tier,
    price_of,
    tier_of,
)

__all__ = [
    "LEAST_CAP",
    "WORTH_PUBLISHING",
    "Released",
    "blurred",
    "cost_of",
    "deviations",
    "largest_chance",
    "release",
]

WORTH_PUBLISHING = 10  # standard deviations: with fewer cells, their number is mostly noise
LEAST_CAP = 10
_FEWEST = 3.0  # people that s3 exists for
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Released:
    """Numbers that may become public.

    Parameters
    ----------
    people
        About how many people there are.
    cells
        How many cells are possible, which the data does not decide.
    support
        About how many cells hold anybody; None where the noise is too large.
    largest
        The cap at which larger cells were clipped, in place of the largest cell.
    kappa
        The Kullback-Leibler distance from uniform, in nats.
    s2, s3
        The chance that two, or three, different people share a cell.
    small
        The share of people in cells of fewer than 10.
    sd
        The standard deviation of the noise of each number, in its unit.
    tier, price, cost
        Who may read it, the price of a record, and what it costs each of its people.
    """

    people: int
    cells: int
    support: int | None
    largest: int
    kappa: float
    s2: float
    s3: float
    small: float
    tier: str
    price: float
    cost: float
    sd: dict[str, float] = field(default_factory=dict)

    @property
    def log_cells(self) -> float:
        """The largest that kappa can be."""
        return math.log(self.cells)


def release(
    profile: SizeProfile, cells: int, *, tier: Any = "public", key: bytes, price: Any = None
) -> Released | Refusal:
    """Return the numbers of counts of counts as they would become public, or why not.

    Parameters
    ----------
    profile
        How many cells of the population hold each number of people.
    cells
        How many cells are possible in the population; a fact about the columns, not the data.
    tier
        ``public`` or ``registered``.
    key
        The holder's secret, which decides the noise.
    price
        What the record costs each of its people; the tier's price if not given.
    """
    numbers, chosen = CellNumbers.of(profile), tier_of(tier)
    cells = whole(cells, "cells", of="possible cells")
    paid = price_of(chosen, price)
    found = _keyed(numbers, cells, chosen, paid, key)
    if isinstance(found, Released) or chosen.name != "public":
        return found
    registered = tier_of("registered")
    nearest = _keyed(numbers, cells, registered, registered.price, key)
    return found.beside(nearest.sd, nearest.s2) if isinstance(nearest, Released) else found


def _keyed(
    numbers: CellNumbers, cells: int, tier: Tier, price: float, key: bytes
) -> Released | Refusal:
    # the tier's own price has no name of its own, or it could be drawn twice
    named = None if price == tier.price else price
    return blurred(numbers, cells, tier, keyed_noise(key, numbers, tier.name, named), price)


def blurred(
    numbers: CellNumbers, cells: int, tier: Tier, noise: Noise, price: float | None = None
) -> Released | Refusal:
    """Return the numbers with this noise: standard normal deviates by the name of the number."""
    paid = tier.price if price is None else price
    people = _blurred_people(numbers, paid, noise)
    if people < tier.least_people:
        return Refusal("people", tier.name, {"people": people, "least": tier.least_people})
    sd = deviations(people, None, paid, cells)
    cap = min(
        cap_above(max(LEAST_CAP, numbers.largest + sd["largest"] * (noise("largest") + 2))),
        people,
    )
    sd = deviations(people, cap, paid, cells)
    s2 = numbers.power_sum(2, cap) + sd["s2"] * noise("s2")
    if sd["s2"] > LARGEST_ERROR * s2:
        seen = {
            "people": people,
            "largest": cap,
            "s2": on_grid(s2, grid_below(sd["s2"])),
            "sd": two_digits(sd["s2"]),
            "sd_kappa": two_digits(sd["kappa"]),
        }
        return Refusal("coincidences", tier.name, seen)
    s3 = numbers.power_sum(3, cap) + sd["s3"] * noise("s3")
    kappa = numbers.kappa(cells, cap) + sd["kappa"] * noise("kappa")
    small_grid = grid_below(sd["small"])
    small = on_grid(numbers.small / people + sd["small"] * noise("small"), small_grid)
    return Released(
        people=people,
        cells=cells,
        support=_blurred_support(numbers, cells, sd["support"], noise),
        largest=cap,
        kappa=on_grid(_within(kappa, math.log(cells)), grid_below(sd["kappa"])),
        s2=on_grid(_within(s2), grid_below(sd["s2"])),
        s3=on_grid(_within(s3), grid_below(sd["s3"])),
        small=_within(small),
        tier=tier.name,
        price=paid,
        cost=round(cost_of(people, paid, cells), 6),
        sd={name: two_digits(value) for name, value in sd.items()},
    )


def cost_of(people: float, price: float, cells: float = 0) -> float:
    """Return what a record costs each of its people.

    The more people, the less one of them counts; but not where cells outnumber people.

    >>> cost_of(1200, 0.25), cost_of(200_000, 0.25, 4000), cost_of(200_000, 0.25, 10**6)
    (0.25, 0.0025000000000000005, 0.25)
    """
    return price if cells > people else price * min(1.0, FULL_PRICE_PEOPLE / people) ** 2


def deviations(people: int, cap: int | None, price: float, cells: int) -> dict[str, float]:
    """Return the standard deviation of the noise of each number, from published numbers only.

    Without a cap only of those that need none. That of ``small`` is one of a share of people.
    """
    cost = cost_of(people, price, cells)
    of_people = 1 / math.sqrt(SHARES["people"] * cost_of(people, price))
    # the least that the number of people can be, so that nothing gets less noise than it needs
    least = max(people - 3 * of_people - grid_above(4 * of_people) / 2, _FEWEST)
    # only the bounds of kappa, s2 and s3 depend on the cap
    without_cap = ("people", "support", "largest", "small")
    bounds = influences(least, 1 if cap is None else cap)
    bounds["small"] /= people
    sd = {
        name: bound / math.sqrt(SHARES[name] * cost)
        for name, bound in bounds.items()
        if cap is not None or name in without_cap
    }
    return {**sd, "people": of_people}


def largest_chance(cost: float) -> float:
    """Return how often who knows everybody else can be right about one person, at even odds.

    >>> [round(largest_chance(cost), 3) for cost in (0.25, 0.5, 1, 2)]
    [0.599, 0.638, 0.691, 0.76]
    """
    return _NORMAL.cdf(math.sqrt(cost) / 2)


def _blurred_people(numbers: CellNumbers, price: float, noise: Noise) -> int:
    sd = 1 / math.sqrt(SHARES["people"] * cost_of(max(numbers.people, 1), price))
    return max(1, int(on_grid(numbers.people + sd * noise("people"), grid_above(4 * sd))))


def _blurred_support(numbers: CellNumbers, cells: int, sd: float, noise: Noise) -> int | None:
    """Return how many cells hold anybody, unless that would be mostly noise."""
    support = numbers.support + sd * noise("support")
    if support < WORTH_PUBLISHING * sd:
        return None
    return int(min(on_grid(support, grid_below(sd)), cells))


def _within(value: float, most: float = 1.0) -> float:
    return min(max(value, 0.0), most)
