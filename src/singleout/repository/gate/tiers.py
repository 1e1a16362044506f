"""What a record may cost, and the least it needs, in each tier."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real
from typing import Any

from singleout.errors import BadChoice

__all__ = ["FULL_PRICE_PEOPLE", "LARGEST_ERROR", "SHARES", "TIERS", "Tier", "price_of", "tier_of"]

# how the cost of a record is divided over its numbers
SHARES = {
    "people": 0.04,
    "support": 0.04,
    "largest": 0.14,
    "kappa": 0.30,
    "s2": 0.22,
    "s3": 0.16,
    "small": 0.10,
}
FULL_PRICE_PEOPLE = 20_000  # from here on one person costs less: the square of 20,000/n
LARGEST_ERROR = 0.10  # of s2, one standard deviation: with more, it would be mostly noise


@dataclass(frozen=True)
class Tier:
    """Who may read a record, and what that allows.

    Parameters
    ----------
    name
        ``public`` or ``registered``.
    least_people
        The smallest population.
    price
        What a record costs each of its people, and the most it may cost.
    total
        What all records of this tier and of those below may cost a person, ever.
    """

    name: str
    least_people: int
    price: float
    total: float


TIERS = {
    "public": Tier("public", 1_000, 0.25, 1.0),
    "registered": Tier("registered", 250, 0.5, 2.0),
}


def tier_of(name: Any) -> Tier:
    """Return a tier by its name."""
    if name not in TIERS:
        raise BadChoice(f"{name!r} is no tier; choose one of {', '.join(TIERS)}.")
    return TIERS[name]


def price_of(tier: Tier, price: Any) -> float:
    """Return the price of a record: the tier's, or less.

    >>> price_of(TIERS["public"], None), price_of(TIERS["public"], 0.0625)
    (0.25, 0.0625)
    """
    if price is None:
        return tier.price
    number = float(price) if isinstance(price, Real) and not isinstance(price, bool) else math.nan
    if not 0 < number <= tier.price:
        raise BadChoice(
            f"price must be a number above 0 and at most {tier.price} for a {tier.name} record, "
            f"not {price!r}."
        )
    return number
