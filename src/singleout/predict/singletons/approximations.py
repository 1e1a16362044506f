"""What the number of cells and one distance say about set sizes: Koot (2012), 5.2, 5.3.2 and 6.2.2.

Three formulas for the same question. ``kl`` is the thesis's own, (5.4) to (5.6): for many cells,
to first order in the Kullback-Leibler distance. ``kl-finite`` is its form for any number of cells.
``gamma`` takes the cells to follow a gamma law, which makes set sizes negative binomial and keeps
every share between 0 and 1. Each knows where it holds: how far off it was on a grid of 982
distributions, where it needs a warning, and where it says nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from singleout.core.choices import choose
from singleout.errors import UndefinedMeasure
from singleout.predict.distribution.distribution import check_people
from singleout.predict.distribution.people import readable
from singleout.predict.distribution.surrogate import check_cells, check_kl, variance_at
from singleout.predict.singletons.bounds import singleton_range
from singleout.predict.singletons.domains import CROWDED, Formula, beyond, domain

__all__ = [
    "Approximation",
    "Formula",
    "approximate_set_shares",
    "approximate_singletons",
    "approximate_variance",
]

Floats = NDArray[np.float64]

_ROUNDING = 1e-6


@dataclass(frozen=True)
class Approximation:
    """A number from the number of cells and one distance, and how far to trust it.

    Parameters
    ----------
    value
        The approximation itself.
    low, high
        The least and the most among all distributions with the same number of cells and the same
        distance, as far as known: the error of knowing no more. None where there is no such range.
    error
        The relative error that was not exceeded on a grid of distributions; None if not known.
    cells, kl, people
        What it was computed from.
    formula
        Which approximation.
    warnings
        Why it may not be trusted, one sentence each.
    """

    value: float
    low: float | None
    high: float | None
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
        known = "" if self.error is None else f", within {self.error:.0%} where it was tried"
        among = ""
        if self.low is not None and self.high is not None:
            among = f"; at this distance {self.low:,.2f} to {self.high:,.2f} are possible"
        return f"{readable(self.value)} ({self.formula}{known}){among}"


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
    >>> round(found.value, 2), found.error, round(found.low, 1), round(found.high, 1)
    (27.46, 0.1, 27.5, 28.4)
    """
    shares, error, warnings = approximate_set_shares(cells, kl, people, up_to=1, formula=formula)
    value = float(shares[1]) * float(cells)
    low, high = singleton_range(cells, kl, people)
    if not low * (1 - _ROUNDING) <= value <= high * (1 + _ROUNDING):
        few = "few" if value < low else "many"
        warnings += (f"No distribution at this distance has so {few} unique people on average.",)
    name = str(choose(Formula, formula, "formula"))
    return Approximation(
        value, low, high, error, float(cells), float(kl), int(people), name, warnings
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
    inside = distance <= 0.05 and crowd <= CROWDED
    value = _variance_if_uniform(possible, number) + possible * distance * _variance_slope(crowd)
    warnings = () if inside else (beyond(distance, crowd, "4%"),)
    if value < 0:
        value, warnings = 0.0, (*warnings, "The variance came out negative and was set to 0.")
    return Approximation(
        value,
        None,
        None,
        0.04 if inside else None,
        possible,
        distance,
        number,
        str(Formula.KL_FINITE),
        warnings,
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


def approximate_set_shares(
    cells: float, kl: float, people: int, up_to: int, formula: str = "kl-finite"
) -> tuple[Floats, float | None, tuple[str, ...]]:
    """Approximate which share of the cells has 0, 1, 2, … people: (5.5).

    Parameters
    ----------
    cells, kl, people, formula
        As for `approximate_singletons`.
    up_to
        The largest number of people in a cell to give a share for.

    Returns
    -------
    tuple
        The shares; the relative error of the singletons that was not exceeded on a grid of
        distributions, or None; and warnings.
    """
    possible = check_cells(cells)
    distance = check_kl(possible, kl)
    number = check_people(people, least=1)
    chosen = choose(Formula, formula, "formula")
    error, warnings = domain(chosen, possible, distance, number / possible)
    sizes = np.arange(up_to + 1)
    shares = _SHARES[chosen](possible, distance, number, sizes)
    by_people = shares * sizes * possible / number
    odd = (shares < 0) | (shares > 1) | (by_people > 1)
    if odd.any():
        which = ", ".join(str(size) for size in sizes[odd][:5])
        more = " and more" if odd.sum() > 5 else ""
        warnings += (f"Shares of sets of size {which}{more} fell outside 0 to 1 and were clipped.",)
        highest = np.minimum(1.0, number / np.maximum(1, sizes) / possible)
        shares = np.clip(shares, 0.0, np.where(sizes > 0, highest, 1.0))
    return shares, error, warnings


def _many_cells(cells: float, distance: float, people: int, sizes: NDArray[np.int64]) -> Floats:
    """Return (5.5): the Poisson law and its first-order change."""
    crowd = people / cells
    change = crowd**2 + sizes * (sizes - 1) - 2 * sizes * crowd
    answer: Floats = stats.poisson.pmf(sizes, crowd) * (1 + change * distance)
    return answer


def _any_cells(cells: float, distance: float, people: int, sizes: NDArray[np.int64]) -> Floats:
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
    answer: Floats = stats.binom.pmf(sizes, people, 1 / cells) * (1 + change * distance)
    return answer


def _gamma_law(cells: float, distance: float, people: int, sizes: NDArray[np.int64]) -> Floats:
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


_SHARES: dict[Formula, Callable[[float, float, int, NDArray[np.int64]], Floats]] = {
    Formula.KL: _many_cells,
    Formula.KL_FINITE: _any_cells,
    Formula.GAMMA: _gamma_law,
}
