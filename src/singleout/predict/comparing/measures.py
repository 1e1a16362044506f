"""What is predicted for one distribution and one number of people, exactly and from the distance.

The exact numbers need the cells. The others need no more than the number of cells N and the
Kullback-Leibler distance kappa: 4.3.2 for the chance that all are unique, (5.4) for the number of
unique people, 5.3.2 as corrected for its variance, and (6.2) for the shares of people in sets.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any

import numpy as np

from singleout.core.results import ResultPart
from singleout.errors import UndefinedMeasure
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.set_sizes.group_sizes import group_sizes
from singleout.predict.singletons.approximations import Formula, shares_of_cells
from singleout.predict.singletons.singletons import singletons
from singleout.predict.singletons.variance import first_order_variance
from singleout.predict.uniqueness.factorials import log_all_different
from singleout.predict.uniqueness.uniqueness import uniqueness_probability

__all__ = ["SIZES", "Measure", "Prediction", "approximated", "predicted"]

SIZES = (1, 2, 3)  # of the sets whose shares of people the thesis calls phi


class Measure(StrEnum):
    """What to compare."""

    ALL_UNIQUE = "all-unique"  # the natural logarithm of the chance that everybody is
    NONE_UNIQUE = "none-unique"  # the chance that nobody is: zeta of 5.4
    UNIQUE = "unique"  # how many people are unique on average
    VARIANCE = "variance"  # of the number of unique people
    PHI1 = "phi1"  # people who are alone / all people
    PHI2 = "phi2"  # people in pairs / all people
    PHI3 = "phi3"  # people in sets of three / all people


@dataclass(frozen=True)
class Prediction(ResultPart):
    """The prediction for one distribution and one number of people.

    Parameters
    ----------
    place
        What the distribution is of.
    population
        How many people it was counted from; None if it was not.
    cells
        N: how many cells are possible; None if infinitely many.
    kl
        The Kullback-Leibler distance to equally likely cells, in nats: kappa; None if there are
        infinitely many.
    people
        k: how many people there will be.
    log_all_unique
        The natural logarithm of the chance that all are unique; None where they cannot be.
    none_unique
        The chance that nobody is unique; None where it is too small to compute.
    unique, sd
        How many are unique on average, and the standard deviation.
    phi
        People in sets of 1, 2 and 3 / all people.
    """

    place: str
    population: int | None
    cells: float | None
    kl: float | None
    people: int
    log_all_unique: float | None
    none_unique: float | None
    unique: float
    sd: float
    phi: tuple[float, float, float]

    @property
    def all_unique(self) -> float:
        """The chance that all are unique."""
        return 0.0 if self.log_all_unique is None else min(1.0, math.exp(self.log_all_unique))

    def value(self, measure: Measure) -> float | None:
        """Return one of the measures."""
        return _VALUES[measure](self)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold; None where unknown."""
        return {
            "place": self.place,
            "population": self.population,
            "cells": self.cells,
            "kl_nats": self.kl,
            "people": self.people,
            "all_unique": self.all_unique,
            "log_all_unique": self.log_all_unique,
            "none_unique": self.none_unique,
            "unique": self.unique,
            "sd": self.sd,
            "low": max(0.0, self.unique - 2 * self.sd),
            "high": min(float(self.people), self.unique + 2 * self.sd),
            **{f"phi{size}": share for size, share in zip(SIZES, self.phi, strict=True)},
        }


_VALUES: dict[Measure, Callable[[Prediction], float | None]] = {
    Measure.ALL_UNIQUE: lambda found: found.log_all_unique,
    Measure.NONE_UNIQUE: lambda found: found.none_unique,
    Measure.UNIQUE: lambda found: found.unique,
    Measure.VARIANCE: lambda found: found.sd**2,
    Measure.PHI1: lambda found: found.phi[0],
    Measure.PHI2: lambda found: found.phi[1],
    Measure.PHI3: lambda found: found.phi[2],
}


def predicted(
    place: str, spread: Distribution, people: int, without_replacement: bool | None = False
) -> Prediction:
    """Predict exactly for one distribution and one number of people."""
    alone = singletons(spread, people, without_replacement)
    everybody = uniqueness_probability(spread, people, without_replacement=without_replacement)
    sizes = group_sizes(spread, people, max(SIZES), without_replacement=without_replacement)
    shares = np.zeros(max(SIZES) + 1)
    shares[: len(sizes.sets)] = sizes.share_of_people
    log = everybody.log_probability
    finite = math.isfinite(spread.cells)
    nobody = None
    with suppress(UndefinedMeasure):
        nobody = alone.probability_none
    return Prediction(
        place,
        spread.population,
        spread.cells if finite else None,
        spread.kl if finite else None,
        people,
        log if math.isfinite(log) else None,
        nobody,
        alone.mean,
        alone.sd,
        (float(shares[1]), float(shares[2]), float(shares[3])),
    )


# ---- from the number of cells and the distance alone


def approximated(
    measure: Measure, cells: float, people: int, formula: Formula
) -> Callable[[float], float] | None:
    """Return the thesis's approximation as a function of the distance; None if there is none."""
    if measure in _PHI:
        return partial(_share, _PHI[measure], cells, people, formula)
    if measure is Measure.UNIQUE:
        return lambda distance: people * _share(1, cells, people, formula, distance)
    if measure is Measure.VARIANCE:
        return partial(first_order_variance, cells, people=people)
    if measure is Measure.ALL_UNIQUE and people <= cells:
        uniform = float(log_all_different(people, cells))
        return lambda distance: uniform - people * (people / cells) * distance
    return None


_PHI = {Measure.PHI1: 1, Measure.PHI2: 2, Measure.PHI3: 3}


def _share(size: int, cells: float, people: int, formula: Formula, distance: float) -> float:
    """Return (6.2): the share of people in sets of a size."""
    shares = shares_of_cells(formula, cells, distance, people, np.array([size]))
    return float(shares[0]) * size * cells / people
