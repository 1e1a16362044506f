"""Set sizes from the number of cells and the distance to uniform: Koot (2012), 5.2 and 6.2.2.

Three formulas for the same question. ``kl`` is the thesis's own, (5.4) to (5.6): for many cells,
to first order in the Kullback-Leibler distance. ``kl-finite`` is its form for any number of cells.
``gamma`` takes the cells to follow a gamma law, which makes set sizes negative binomial and keeps
every share between 0 and 1. The error of each is the largest that any distribution with the same
number of cells and the same distance has, by proven limits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats

from singleout.core.arrays import F64, I64
from singleout.core.choices import choose
from singleout.core.results import ResultPart
from singleout.errors import UndefinedMeasure
from singleout.predict.distribution.distribution import check_people
from singleout.predict.distribution.people import readable
from singleout.predict.distribution.surrogate import check_cells, check_kl, variance_at
from singleout.predict.singletons.bounds import singleton_range
from singleout.report.say import say

__all__ = [
    "Approximation",
    "Formula",
    "approximate_set_shares",
    "approximate_singletons",
    "largest_error",
    "nearest_possible",
    "shares_of_cells",
]

_ROUNDING = 1e-6
_REFUSE_KL = 0.5
_REFUSE_KL_IF_CROWDED = 0.1
_CROWDED = 2.0  # people per cell
_WORTH_A_WARNING = 0.1


class Formula(StrEnum):
    """Which approximation to take."""

    KL = "kl"
    KL_FINITE = "kl-finite"
    GAMMA = "gamma"


@dataclass(frozen=True)
class Approximation(ResultPart):
    """A number from the number of cells and one distance, and how far to trust it.

    Parameters
    ----------
    value
        The approximation: what the formula gives, or the nearest possible number.
    low, high
        Proven limits: no distribution with the same number of cells and the same distance has less
        or more. This is the error of knowing no more.
    error
        The largest relative error that these limits leave; None where the lower one is 0.
    cells, kl, people
        What it was computed from.
    formula
        Which approximation.
    warnings
        Why it may not be trusted, one sentence each.
    formula_value
        What the formula itself gives, where that was computed; it can be impossible.
    """

    value: float
    low: float
    high: float
    error: float | None
    cells: float
    kl: float
    people: int
    formula: str
    warnings: tuple[str, ...] = ()
    formula_value: float | None = None

    @property
    def share(self) -> float:
        """The value / the people."""
        return self.value / self.people

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold; None where unknown."""
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "error": self.error,
            "cells": self.cells,
            "kl_nats": self.kl,
            "people": self.people,
            "formula": self.formula,
            "formula_value": self.formula_value,
            "warnings": list(self.warnings),
        }

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        numbers = {
            "value": readable(self.value),
            "formula": self.formula,
            "low": self.low,
            "high": self.high,
        }
        if self.error is None:
            return say("predict.singletons.approximation", **numbers)
        return say("predict.singletons.approximation_with_error", error=self.error, **numbers)


def approximate_singletons(
    cells: float, kl: float, people: int, formula: str = "kl-finite"
) -> Approximation:
    """Approximate how many people will be unique, where only a distance is known.

    Parameters
    ----------
    cells
        N: how many cells are possible.
    kl
        The Kullback-Leibler distance to the uniform distribution over them, in nats.
    people
        k: how many people there will be.
    formula
        ``kl`` is (5.4) of the thesis, ``kl-finite`` the same for any number of cells, ``gamma``
        takes the cells to follow a gamma law.

    Returns
    -------
    Approximation
        The expected number of unique people; refused (`UndefinedMeasure`) where the formula says
        nothing: for the first two above 0.5 nats, or above 0.1 with more than 2 people per cell.

    Examples
    --------
    >>> from singleout.predict import approximate_singletons
    >>> found = approximate_singletons(95, 0.1, people=50)
    >>> round(found.value, 2), round(found.error, 3), round(found.low, 1), round(found.high, 1)
    (27.49, 0.033, 27.5, 28.4)
    """
    sets = approximate_set_shares(cells, kl, people, up_to=1, formula=formula)
    said = float(sets.shares[1]) * float(cells)
    value, error, warnings = nearest_possible(sets, said)
    name = str(choose(Formula, formula, "formula"))
    numbers = float(cells), float(kl), int(people)
    return Approximation(value, sets.low, sets.high, error, *numbers, name, warnings, said)


def nearest_possible(sets: SetShares, said: float) -> tuple[float, float | None, tuple[str, ...]]:
    """Return the possible number of unique people nearest to what a formula says.

    With it come its largest error and warnings. What a formula says can lie outside the limits
    that are proven.
    """
    value = min(max(said, sets.low), sets.high)
    if sets.low * (1 - _ROUNDING) <= said <= sets.high * (1 + _ROUNDING):
        return value, sets.error, sets.warnings
    key = "too_few" if said < sets.low else "too_many"
    error, doubts = largest_error(value, sets.low, sets.high)
    return value, error, (*doubts, say(f"predict.singletons.{key}", said=readable(said)))


# ---- shares of cells by the number of people in them


class SetShares(NamedTuple):
    """The shares of cells with 0, 1, 2, … people; limits and error of those with one."""

    shares: F64
    low: float
    high: float
    error: float | None
    warnings: tuple[str, ...]


def approximate_set_shares(
    cells: float, kl: float, people: int, up_to: int, formula: str = "kl-finite"
) -> SetShares:
    """Approximate which share of the cells has 0, 1, 2, … up to ``up_to`` people: (5.5)."""
    possible = check_cells(cells)
    distance = check_kl(possible, kl)
    number = check_people(people, least=1)
    chosen = choose(Formula, formula, "formula")
    _refuse_far(chosen, distance, number / possible)
    sizes = np.arange(up_to + 1)
    shares = shares_of_cells(chosen, possible, distance, number, sizes)
    by_people = shares * sizes * possible / number
    odd = (shares < 0) | (shares > 1) | (by_people > 1)
    warnings: tuple[str, ...] = ()
    if odd.any():
        which = ", ".join(str(size) for size in sizes[odd][:5])
        key = "clipped_and_more" if odd.sum() > 5 else "clipped"
        warnings = (say(f"predict.singletons.{key}", sizes=which),)
        highest = np.minimum(1.0, number / np.maximum(1, sizes) / possible)
        shares = np.clip(shares, 0.0, np.where(sizes > 0, highest, 1.0))
    low, high = singleton_range(possible, distance, number)
    alone = float(shares[1]) * possible
    error, doubts = largest_error(alone, low, high)
    return SetShares(shares, low, high, error, (*warnings, *doubts))


def shares_of_cells(
    formula: Formula, cells: float, distance: float, people: int, sizes: I64
) -> F64:
    """Return a formula's shares of cells with so many people, as they are: also where it is far."""
    return _SHARES[formula](cells, distance, people, sizes)


def _many_cells(cells: float, distance: float, people: int, sizes: I64) -> F64:
    """Return (5.5): the Poisson law and its first-order change."""
    crowd = people / cells
    change = crowd**2 + sizes * (sizes - 1) - 2 * sizes * crowd
    answer: F64 = stats.poisson.pmf(sizes, crowd) * (1 + change * distance)
    return answer


def _any_cells(cells: float, distance: float, people: int, sizes: I64) -> F64:
    """Return the same for the binomial law: twice the distance instead of the variance."""
    if cells == 1:
        return np.asarray(sizes == people, dtype=np.float64)
    others = people - sizes
    empty = 1 - 1 / cells
    change = (
        sizes * (sizes - 1)
        - 2 * sizes * others / (cells * empty)
        + others * (others - 1) / (cells * empty) ** 2
    )
    answer: F64 = stats.binom.pmf(sizes, people, 1 / cells) * (1 + change * distance)
    return answer


def _gamma_law(cells: float, distance: float, people: int, sizes: I64) -> F64:
    """Return the negative binomial law of set sizes if the cells follow a gamma law."""
    crowd = people / cells
    variance = variance_at(distance)
    if variance < 1e-9:
        return np.asarray(stats.poisson.pmf(sizes, crowd))
    shape, odds = 1 / variance, crowd * variance
    logarithm = (
        special.gammaln(shape + sizes)
        - special.gammaln(shape)
        - special.gammaln(sizes + 1)
        - (shape + sizes) * np.log1p(odds)
        + sizes * np.log(odds)
    )
    return np.asarray(np.exp(logarithm))


_SHARES: dict[Formula, Callable[[float, float, int, I64], F64]] = {
    Formula.KL: _many_cells,
    Formula.KL_FINITE: _any_cells,
    Formula.GAMMA: _gamma_law,
}


# ---- how far an approximation can be off


def _refuse_far(formula: Formula, distance: float, crowd: float) -> None:
    """Refuse a first-order formula at a large distance; ``crowd`` is people per cell."""
    far = distance > _REFUSE_KL or (crowd > _CROWDED and distance > _REFUSE_KL_IF_CROWDED)
    if formula is not Formula.GAMMA and far:
        raise UndefinedMeasure(
            f"At {distance:.3g} nats and {crowd:.3g} people per cell a first-order formula means "
            "nothing; use method 'exact' with the distribution or with Distribution.from_summary, "
            "or formula 'gamma'."
        )


def largest_error(
    value: float, low: float, high: float, *, prefix: str = ""
) -> tuple[float | None, tuple[str, ...]]:
    """Return the largest relative error of a value if the truth lies between limits, and warnings.

    Examples
    --------
    >>> largest_error(10.0, 9.8, 10.4)
    (0.03846153846153855, ())
    """
    limits = {"low": readable(low), "high": readable(high)}
    if low <= 0:
        return None, (say(f"predict.singletons.{prefix}any_factor", **limits),)
    error = max(value / low - 1, 1 - value / high, 0.0)
    if error <= _WORTH_A_WARNING:
        return error, ()
    return error, (say(f"predict.singletons.{prefix}factor", error=error, **limits),)
