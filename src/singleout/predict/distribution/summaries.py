"""Summaries of a distribution: what they leave open, and their estimates from records.

Many distributions have the same summary, and where only that is published, predictions are those of
one of them, a stand-in. They give the least and the most unique people that any of them has.

The distance to uniform of n observed records is on average larger than that of the distribution
they come from, by about (M - 1) / (2n) for M cells: chance alone makes counts uneven (Miller 1955).
Sums of powers have estimators without such a bias.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from singleout.core.arguments import whole
from singleout.core.choices import choose
from singleout.core.results import ResultPart
from singleout.errors import BadChoice, UndefinedMeasure
from singleout.predict.distribution.distribution import Distribution
from singleout.report.say import say

__all__ = ["EstimatedDistance", "Summary", "estimate_kl", "estimate_power_sum"]

_RECORDS_PER_CELL = 10  # with fewer, the bias is as large as what is estimated


class _Correction(StrEnum):
    """How to take the bias out of a distance."""

    MILLER_MADOW = "miller-madow"


@dataclass(frozen=True)
class Summary(ResultPart):
    """What a stand-in was made from.

    Parameters
    ----------
    cells
        N: how many cells are possible.
    kl
        The Kullback-Leibler distance to the uniform distribution over them, in nats; None if not
        given.
    power_sums
        The sums of the squares, cubes and so on of the probabilities; None if not given.
    """

    cells: float
    kl: float | None = None
    power_sums: tuple[float, ...] | None = None

    def unique_people(self, people: int) -> tuple[float, float]:
        """Return the least and the most unique people on average, over all that have the summary.

        Parameters
        ----------
        people
            k: how many people there will be.

        Examples
        --------
        >>> [round(end, 1) for end in Summary(95, kl=0.1).unique_people(95)]
        [31.1, 34.7]
        """
        from singleout.predict.singletons.bounds import singleton_bounds, singleton_range

        if people < 1:
            return 0.0, 0.0
        if self.power_sums is None:
            return singleton_range(self.cells, self.kl or 0.0, people)
        by_sums = singleton_bounds(self.cells, self.power_sums, people)
        if self.kl is None:
            return by_sums
        by_distance = singleton_range(self.cells, self.kl, people)
        low, high = max(by_sums[0], by_distance[0]), min(by_sums[1], by_distance[1])
        return min(low, high), max(low, high)  # they cross by rounding only

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        sums = None if self.power_sums is None else list(self.power_sums)
        return {"cells": self.cells, "kl_nats": self.kl, "power_sums": sums}


@dataclass(frozen=True)
class EstimatedDistance(ResultPart):
    """The Kullback-Leibler distance to uniform, estimated from records.

    Parameters
    ----------
    value
        The estimate in nats, corrected if asked for; never below 0.
    observed
        The distance of the counts themselves.
    bias
        By how much the observed distance is too large on average: (M - 1) / (2n).
    records
        n: how many records were counted.
    observed_cells
        M: how many cells have a record.
    cells
        N: how many cells are possible.
    notes, warnings
        What a reader should know, and why the number may not be trusted; one sentence each.
    """

    value: float
    observed: float
    bias: float
    records: int
    observed_cells: int
    cells: float
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        return vars(self) | {"notes": list(self.notes), "warnings": list(self.warnings)}

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return say("predict.distribution.distance", **vars(self))


def estimate_kl(
    counts: Any, cells: float | None = None, correction: str | None = "miller-madow"
) -> EstimatedDistance:
    """Estimate the Kullback-Leibler distance to uniform of the distribution behind counts.

    Parameters
    ----------
    counts
        How many records each cell has.
    cells
        How many cells are possible; by default as many as have a number.
    correction
        ``miller-madow`` takes the mean of what chance adds off; None leaves it in, and is refused
        for fewer than 10 records per observed cell.

    Examples
    --------
    >>> from singleout.predict import estimate_kl
    >>> distance = estimate_kl([30, 22, 28, 20])
    >>> round(distance.observed, 4), distance.bias, round(distance.value, 4)
    (0.0137, 0.015, 0.0)
    """
    chosen = None if correction is None else choose(_Correction, correction, "correction")
    spread = Distribution.from_counts(counts, cells)
    records, support = int(spread.population or 0), int(spread.support)
    if not math.isfinite(spread.cells):
        raise BadChoice("A distance to uniform needs a finite number of cells.")
    bias = (support - 1) / (2 * records)
    few = records < _RECORDS_PER_CELL * support
    if few and chosen is None:
        raise UndefinedMeasure(
            f"{records:,} records over {support:,} cells are fewer than {_RECORDS_PER_CELL} per "
            f"cell: chance alone adds about {bias:.3g} nats to the {spread.kl:.3g} observed; give "
            "correction='miller-madow', or more records."
        )
    value = spread.kl if chosen is None else max(0.0, spread.kl - bias)
    numbers = {"records": records, "cells": support, "least": _RECORDS_PER_CELL}
    warnings = (say("predict.distribution.few_records", **numbers),) if few else ()
    key = "predict.distribution.bias" if chosen is None else "predict.distribution.bias_corrected"
    notes = (say(key, bias=bias),)
    return EstimatedDistance(
        value, spread.kl, bias, records, support, spread.cells, notes, warnings
    )


def estimate_power_sum(counts: Any, order: int) -> float:
    """Estimate the sum of a power of the probabilities behind counts, without bias.

    The share of ordered choices of so many different records that are all in one cell.

    Parameters
    ----------
    counts
        How many records each cell has.
    order
        The power, a whole number from 2; there must be as many records.

    Examples
    --------
    >>> from singleout.predict import estimate_power_sum
    >>> estimate_power_sum([3, 2, 0], 2)
    0.4
    """
    order = whole(order, "The order of a sum of powers", at_least=2)
    spread = Distribution.from_counts(counts)
    records = int(spread.population or 0)
    if records < order:
        raise UndefinedMeasure(
            f"The sum of powers of order {order} needs {order} records, and there are {records}."
        )
    sizes = np.rint(spread.probabilities * records)
    share_of_choices = np.ones(len(sizes))
    for taken in range(order):
        share_of_choices *= np.maximum(sizes - taken, 0) / (records - taken)
    return float((spread.multiplicity * share_of_choices).sum())
