"""Approximations of the law of the number of unique people, each with its largest error.

Koot (2012), 5.3.3, conjectured that the law is nearly normal; Penrose (2009) proved when. Where
nearly everybody is unique, people come in company only in rare groups, and where hardly anybody is
unique, the unique are rare: there compound Poisson and Poisson laws fit instead.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import special

from singleout.core.arguments import share
from singleout.core.arrays import F64
from singleout.core.results import ResultPart
from singleout.errors import UndefinedMeasure
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.distribution.people import readable
from singleout.predict.set_sizes.shares import hypergeometric
from singleout.report.say import say

__all__ = ["ApproximateLaw", "best_law", "normal_law"]


# the largest differences between distribution functions seen on 5,000 distributions of 10 to
# 100,000 cells: even, skewed, with a heavy cell, sparse
_NORMAL_WORST = (
    0.35  # divided by the standard deviation: people share cells in pairs, so steps are of 2
)
_POISSON_ERRORS = ((0.1, 0.006), (0.3, 0.045), (1.0, 0.1))  # by the mean, at most
_MANY_PEOPLE = 20  # for fewer the exact law takes no time, and rare events are not rare
_COMPOUND_BY_LARGEST = ((0.05, 0.02), (0.1, 0.04), (0.2, 0.06), (0.5, 0.14))  # k p of any cell
_COMPOUND_BY_SHARED = ((0.5, 0.03), (1.0, 0.1), (2.0, 0.25))  # mean number in company
_MOST_IN_COMPANY = 50
_RARE = 1e-12  # groups of people that are left out


@dataclass(frozen=True, eq=False)
class ApproximateLaw(ResultPart):
    """An approximation of the law of the number of unique people.

    Parameters
    ----------
    kind
        ``normal``, ``Poisson`` or ``compound Poisson``.
    people
        The largest number there can be.
    mean, deviation
        Of the number of unique people.
    error
        The largest difference to the exact distribution function that was seen.
    warnings
        Why it may not be trusted, one sentence each.
    """

    kind: str
    people: int
    mean: float
    deviation: float
    error: float
    warnings: tuple[str, ...]
    _cumulative: Callable[[F64], F64] = field(repr=False)

    def cdf(self, number: Any) -> Any:
        """Return the probability of at most so many unique people; of a number or an array."""
        whole = np.floor(np.asarray(number, dtype=np.float64))
        inside = np.where(whole < 0, 0.0, self._cumulative(np.clip(whole, 0, self.people)))
        chance = np.where(whole >= self.people, 1.0, inside)
        return float(chance) if chance.ndim == 0 else chance

    def quantile(self, probability: float) -> int:
        """Return a quantile: the least number that is not exceeded with this probability."""
        probability = share(probability, "probability", zero=True, one=True)
        return bisect_left(range(self.people), probability, key=self.cdf)

    def interval(self, level: float = 0.95) -> tuple[int, int]:
        """Return the central interval that holds this probability, the rest at both ends."""
        level = share(level, "level", zero=True, one=True)
        return self.quantile((1 - level) / 2), self.quantile((1 + level) / 2)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        return {
            "kind": self.kind,
            "people": self.people,
            "mean": self.mean,
            "deviation": self.deviation,
            "error": self.error,
            "warnings": list(self.warnings),
        }

    def __str__(self) -> str:
        return say(
            "predict.singletons.law",
            law=say(f"predict.singletons.laws.{self.kind}"),
            mean=readable(self.mean),
            deviation=readable(self.deviation),
            error=self.error,
        )


def normal_law(people: int, mean: float, deviation: float) -> ApproximateLaw:
    """Return the normal law, with the correction for whole numbers that makes it tenfold better."""
    if deviation == 0:
        raise UndefinedMeasure(
            f"The number of unique people is {mean:.6g} for certain, so there is nothing to "
            "approximate."
        )
    error = min(1.0, _NORMAL_WORST / deviation)
    warnings = []
    if mean < 1 or people - mean < 2:
        warnings.append(say("predict.singletons.not_normal", mean=mean, people=people))
    elif deviation <= 3:
        warnings.append(say("predict.singletons.normal_error", deviation=deviation, error=error))
    return ApproximateLaw(
        "normal",
        people,
        mean,
        deviation,
        error,
        tuple(warnings),
        lambda number: special.ndtr((number + 0.5 - mean) / deviation),
    )


def best_law(
    spread: Distribution,
    people: int,
    without_replacement: bool,
    mean: float,
    shared: float,
    deviation: float,
) -> ApproximateLaw:
    """Return the normal, Poisson or compound Poisson law: that with the smallest error.

    The means of the unique (``mean``) and of the others (``shared``) are both passed, since a
    difference to all people has few digits left where it is small.
    """
    normal = normal_law(people, mean, deviation)
    poisson = _first(_POISSON_ERRORS, mean)
    compound = _compound_error(people * spread.largest, shared)
    if people < _MANY_PEOPLE or normal.error <= min(poisson, compound):
        return normal
    if poisson <= compound:
        return ApproximateLaw(
            "Poisson", people, mean, deviation, poisson, (), lambda n: special.pdtr(n, mean)
        )
    rates = _group_rates(spread, people, without_replacement)
    law = _compound_poisson(people, shared, deviation, rates)
    return ApproximateLaw("compound Poisson", people, mean, deviation, compound, (), law)


def _first(errors: tuple[tuple[float, float], ...], value: float) -> float:
    return next((error for most, error in errors if value <= most), 1.0)


def _compound_error(largest: float, shared: float) -> float:
    if shared > _MOST_IN_COMPANY:
        return 1.0
    return min(_first(_COMPOUND_BY_LARGEST, largest), _first(_COMPOUND_BY_SHARED, shared))


def _compound_poisson(
    people: int, shared: float, deviation: float, rates: F64
) -> Callable[[F64], F64]:
    """Return the law where groups of 2, 3, … people appear independently at these rates."""
    most = min(people, math.ceil(shared + 15 * deviation) + 40)
    in_company = _sums_of_groups(most, rates)
    below = np.concatenate([[0.0], np.cumsum(in_company)])

    def cumulative(number: F64) -> F64:
        # at most s are unique if at least k - s are in company
        return 1.0 - below[np.minimum(people - number, len(below) - 1).astype(np.int64)]

    return cumulative


def _sums_of_groups(most: int, rates: F64) -> F64:
    """Return the law of the number of people in company, by Panjer's recursion."""
    chances = np.zeros(most + 1)
    chances[0] = math.exp(-float(rates[2:].sum()))
    sizes = np.arange(len(rates))
    for total in range(2, most + 1):
        reach = np.arange(2, min(total, len(rates) - 1) + 1)
        terms = sizes[reach] * rates[reach] * chances[total - reach]
        chances[total] = float(terms.sum()) / total
    return chances


def _log_binomial(size: int, people: int, p: F64) -> F64:
    # scipy's own overflows where probabilities are tiny
    ways = special.gammaln(people + 1) - special.gammaln([size + 1, people - size + 1]).sum()
    return np.asarray(ways + size * np.log(p) + special.xlog1py(people - size, -p))


def _group_rates(spread: Distribution, people: int, without_replacement: bool) -> F64:
    """Return how many cells hold 0, 1, 2, … people on average, up to sizes that never occur."""
    rates = [0.0, 0.0]  # cells of 0 and 1 hold nobody in company
    for size in range(2, people + 1):
        if without_replacement and spread.counts is not None:
            chance = hypergeometric(size, int(spread.population or 0), spread.counts, people)
        else:
            chance = np.exp(_log_binomial(size, people, spread.probabilities))
        rates.append(float((spread.multiplicity * chance).sum()))
        if rates[-1] < _RARE and size > people * spread.largest:
            break
    return np.array(rates)
