"""What the number of cells and one distance say about set sizes: Koot (2012), 5.2, 5.3.2 and 6.2.2.

Three formulas for the same question. ``kl`` is the thesis's own, (5.4) to (5.6): for many cells,
to first order in the Kullback-Leibler distance. ``kl-finite`` is its form for any number of cells.
``gamma`` takes the cells to follow a gamma law, which makes set sizes negative binomial and keeps
every share between 0 and 1. Each says how far off it can be: by the proven limits of what
distributions with the same number of cells and the same distance have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from singleout.core.arrays import F64
from singleout.core.choices import choose
from singleout.core.results import ResultPart
from singleout.errors import UndefinedMeasure
from singleout.predict.distribution.distribution import check_people
from singleout.predict.distribution.people import readable
from singleout.predict.distribution.surrogate import check_cells, check_kl, variance_at
from singleout.predict.singletons.bounds import singleton_range
from singleout.predict.singletons.domains import Formula, largest_error, refuse_far
from singleout.predict.singletons.variance_bounds import variance_range

__all__ = [
    "Approximation",
    "Formula",
    "approximate_set_shares",
    "approximate_singletons",
    "approximate_variance",
]


_ROUNDING = 1e-6


@dataclass(frozen=True)
class Approximation(ResultPart):
    """A number from the number of cells and one distance, and how far to trust it.

    Parameters
    ----------
    value
        The approximation itself.
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
            "warnings": list(self.warnings),
        }

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        known = "" if self.error is None else f", off by at most {self.error:.1%}"
        among = f"at this distance it lies between {self.low:,.2f} and {self.high:,.2f}"
        return f"{readable(self.value)} ({self.formula}{known}); {among}"


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
    (27.46, 0.034, 27.5, 28.4)
    """
    found = approximate_set_shares(cells, kl, people, up_to=1, formula=formula)
    value, low, high = float(found.shares[1]) * float(cells), found.low, found.high
    warnings = found.warnings
    if not low * (1 - _ROUNDING) <= value <= high * (1 + _ROUNDING):
        few = "few" if value < low else "many"
        warnings += (f"No distribution at this distance has so {few} unique people on average.",)
    name = str(choose(Formula, formula, "formula"))
    return Approximation(
        value, low, high, found.error, float(cells), float(kl), int(people), name, warnings
    )


def approximate_variance(cells: float, kl: float, people: int) -> Approximation:
    """Approximate the variance of the number of unique people, where only a distance is known.

    The variance for equally likely cells is exact; to it the corrected first-order term of 5.3.2
    is added. The thesis's own formula is wrong, see the errata.

    Parameters
    ----------
    cells
        N: how many cells are possible.
    kl
        The Kullback-Leibler distance to the uniform distribution over them, in nats.
    people
        k: how many people there will be.

    Returns
    -------
    Approximation
        The variance; refused (`UndefinedMeasure`) above 0.1 nats and below 0.1 people per cell.

    Examples
    --------
    >>> from singleout.predict import approximate_variance
    >>> round(approximate_variance(1000, 0.02, people=100).value, 2)
    16.36
    """
    possible = check_cells(cells)
    distance = check_kl(possible, kl)
    number = check_people(people, least=1)
    crowd = number / possible
    if crowd < 0.1 or distance > 0.1:
        raise UndefinedMeasure(
            f"With {distance:.3g} nats and {crowd:.3g} people per cell the variance cannot be told "
            "from a distance; give the distribution, or Distribution.from_summary with power_sums."
        )
    value = _variance_if_uniform(possible, number) + possible * distance * _variance_slope(crowd)
    warnings: tuple[str, ...] = ()
    if value < 0:
        value, warnings = 0.0, ("The variance came out negative and was set to 0.",)
    low, high = variance_range(possible, distance, number)
    error, more = largest_error(value, low, high, "as the variance of the number of unique people")
    return Approximation(
        value,
        low,
        high,
        error,
        possible,
        distance,
        number,
        str(Formula.KL_FINITE),
        (*warnings, *more),
    )


def _variance_if_uniform(cells: float, people: int) -> float:
    """Return Var S for equally likely cells: 5.3.1 with the exponent 2k - 2."""
    if people == 1 or cells == 1:
        return 0.0
    alone = people * (1 - 1 / cells) ** (people - 1)
    both = people * (people - 1) * (cells - 1) / cells * (1 - 2 / cells) ** (people - 2)
    return max(0.0, alone + both - alone**2)


def _variance_slope(crowd: float) -> float:
    """Return by how much Var S / N grows with the distance: 5.3.2, corrected."""
    once, twice = np.exp(-crowd), np.exp(-2 * crowd)
    return float(
        crowd**2 * (crowd - 2) * once
        - 2 * crowd**2 * (1 - 4 * crowd + 2 * crowd**2) * twice
        + 2 * crowd**2 * (4 - crowd) * (1 - crowd) ** 2 * twice
    )


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
    """Approximate which share of the cells has 0, 1, 2, … people: (5.5).

    Parameters
    ----------
    cells, kl, people, formula
        As for `approximate_singletons`.
    up_to
        The largest number of people in a cell to give a share for.

    Returns
    -------
    SetShares
        The shares, and how far to trust that of the unique people.
    """
    possible = check_cells(cells)
    distance = check_kl(possible, kl)
    number = check_people(people, least=1)
    chosen = choose(Formula, formula, "formula")
    refuse_far(chosen, distance, number / possible)
    sizes = np.arange(up_to + 1)
    shares = _SHARES[chosen](possible, distance, number, sizes)
    by_people = shares * sizes * possible / number
    odd = (shares < 0) | (shares > 1) | (by_people > 1)
    warnings: tuple[str, ...] = ()
    if odd.any():
        which = ", ".join(str(size) for size in sizes[odd][:5])
        more = " and more" if odd.sum() > 5 else ""
        warnings = (f"Shares of sets of size {which}{more} fell outside 0 to 1 and were clipped.",)
        highest = np.minimum(1.0, number / np.maximum(1, sizes) / possible)
        shares = np.clip(shares, 0.0, np.where(sizes > 0, highest, 1.0))
    low, high = singleton_range(possible, distance, number)
    alone = float(shares[1]) * possible
    error, doubts = largest_error(alone, low, high, "unique people on average")
    return SetShares(shares, low, high, error, (*warnings, *doubts))


def _many_cells(cells: float, distance: float, people: int, sizes: NDArray[np.int64]) -> F64:
    """Return (5.5): the Poisson law and its first-order change."""
    crowd = people / cells
    change = crowd**2 + sizes * (sizes - 1) - 2 * sizes * crowd
    answer: F64 = stats.poisson.pmf(sizes, crowd) * (1 + change * distance)
    return answer


def _any_cells(cells: float, distance: float, people: int, sizes: NDArray[np.int64]) -> F64:
    """Return the same for the binomial law: twice the distance in place of the variance."""
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


def _gamma_law(cells: float, distance: float, people: int, sizes: NDArray[np.int64]) -> F64:
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


_SHARES: dict[Formula, Callable[[float, float, int, NDArray[np.int64]], F64]] = {
    Formula.KL: _many_cells,
    Formula.KL_FINITE: _any_cells,
    Formula.GAMMA: _gamma_law,
}
