"""How large the sets will be that people share a cell with: Koot (2012), 5.2.2 and 6.2.

The number of people in a cell of probability p is binomial, or hypergeometric where they are drawn
from a counted population and nobody twice. Summed over the cells this gives, for each size, how
many sets to expect, which share of the cells they are and which share of the people they hold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arguments import whole
from singleout.core.arrays import F64
from singleout.core.choices import choose
from singleout.core.progress import track
from singleout.core.results import Result
from singleout.errors import BadChoice
from singleout.predict.distribution.distribution import (
    Distribution,
    as_distribution,
    check_people,
    draws_without_replacement,
)
from singleout.predict.distribution.people import readable_cells, whole_number
from singleout.predict.set_sizes.chances import (
    binomial,
    hypergeometric,
    log_missed,
    log_missed_drawn,
)
from singleout.predict.singletons.approximations import approximate_set_shares
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

__all__ = ["GroupMethod", "GroupSizes", "group_sizes", "set_probability"]


_MOST_SIZES = 100_000  # each of its own cost


class GroupMethod(StrEnum):
    """How to compute: exactly, or from the number of cells and the distance alone."""

    EXACT = "exact"
    KL = "kl"
    KL_FINITE = "kl-finite"
    GAMMA = "gamma"


@dataclass(frozen=True, eq=False)
class GroupSizes(Result):
    """What sizes of sets to expect.

    Parameters
    ----------
    people
        k: how many people there will be.
    cells
        N: how many cells are possible.
    sets
        How many cells to expect with 0, 1, 2, … people (eta); the first are empty.
    occupied
        How many cells to expect with at least one person.
    method
        How it was computed.
    without_replacement
        Whether nobody could be drawn twice.
    error
        For an approximation, the largest relative error of the number of unique people that any
        distribution at the same distance has; None if not known. 0 if exact.
    low, high
        The least and the most unique people on average, over all distributions with the same
        summary, if no more is known than that; None otherwise.
    notes
        What a reader should know, one sentence each.
    warnings
        Why the numbers may not be trusted, one sentence each.
    """

    people: int
    cells: float
    sets: F64 = field(repr=False)
    occupied: float
    method: GroupMethod = GroupMethod.EXACT
    without_replacement: bool = False
    error: float | None = 0.0
    low: float | None = None
    high: float | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.sets.flags.writeable = False

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The sizes of sets, from 0 (empty cells) on."""
        return np.arange(len(self.sets))

    @property
    def share_of_cells(self) -> F64:
        """For each size, sets of it / possible cells (gamma); undefined for infinitely many."""
        if not math.isfinite(self.cells):
            return np.full(len(self.sets), np.nan)
        return self.sets / self.cells

    @cached_property
    def share_of_people(self) -> F64:
        """For each size, people in sets of it / all people (phi); 0 for empty cells."""
        shares: F64 = self.sizes * np.where(self.sizes > 0, self.sets, 0.0) / self.people
        shares.flags.writeable = False
        return shares

    @property
    def unique(self) -> float:
        """How many people to expect who are alone in their cell."""
        return float(self.sets[1])

    @property
    def unique_share(self) -> float:
        """People who are alone in their cell / all people."""
        return float(self.share_of_people[1])

    def at_most(self, size: int) -> float:
        """Return the share of the people that are in sets of at most this size.

        Parameters
        ----------
        size
            Up to the largest size that was asked for, or any if that holds everybody.
        """
        number = whole_number(size)
        if number is None or number < 0:
            raise BadChoice(f"The size of a set is a whole number from 0, not {size!r}.")
        largest = len(self.sets) - 1
        if number > largest and largest < self.people:
            raise BadChoice(
                f"Sizes were computed up to {largest:,}, not {number:,}; ask group_sizes for "
                f"up_to={number}."
            )
        return min(1.0, float(self.share_of_people[: number + 1].sum()))

    # ---- ways to look at it

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold; None where undefined."""
        return {
            "people": self.people,
            "cells": self.cells if math.isfinite(self.cells) else None,
            "method": str(self.method),
            "without_replacement": self.without_replacement,
            "error": self.error,
            "occupied": self.occupied,
            "unique": self.unique,
            "low": self.low,
            "high": self.high,
            "unique_share": self.unique_share,
            "sizes": self.to_frame().to_dicts(),
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }

    def to_frame(self) -> pl.DataFrame:
        """Return one row for each size: sets, share of cells, share of people and up to there."""
        from singleout.core.frames import pl

        frame = pl.DataFrame(
            {
                "size": self.sizes,
                "sets": self.sets,
                "share_of_cells": self.share_of_cells,
                "share_of_people": self.share_of_people,
                "share_at_most": np.minimum(1.0, np.cumsum(self.share_of_people)),
            }
        )
        # infinitely many cells have no share: neither JSON nor a reader knows NaN
        shares = ("sets", "share_of_cells")
        return frame.with_columns(
            pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in shares
        )

    def plot(self) -> alt.LayerChart | alt.FacetChart:
        """Return the picture: the share of people in sets of each size, and in larger ones."""
        from singleout.predict.set_sizes.chart import sizes_of_sets

        return sizes_of_sets(self.share_of_people[1:], self.people, readable_cells(self.cells))

    def __str__(self) -> str:
        largest = len(self.sets) - 1
        small = f", {self.at_most(largest):.1%} in sets of at most {largest}" if largest > 1 else ""
        return f"Of {self.people:,} people {self.unique_share:.1%} are unique{small}"


def group_sizes(
    distribution: Any,
    people: int,
    up_to: int = 10,
    method: str = "exact",
    without_replacement: bool | None = None,
) -> GroupSizes:
    """Predict how many sets of each size there will be, and how many people in them.

    Parameters
    ----------
    distribution
        How people spread over the cells: a `Distribution`, the probabilities of the cells, or a
        `Table` whose quasi-identifiers make the cells, its `Counts` or its `AnonymitySets`.
    people
        k: how many people there will be.
    up_to
        The largest size to tell apart.
    method
        ``exact``; or from the number of cells and the Kullback-Leibler distance alone: ``kl`` by
        (5.5) and (5.6) of the thesis, ``kl-finite`` by its form for any number of cells, ``gamma``
        as if the cells followed a gamma law.
    without_replacement
        Whether the people are drawn from the counted population and nobody twice; if not said,
        where they are more than 1 % of it.

    Examples
    --------
    >>> from singleout.predict import group_sizes
    >>> found = group_sizes([0.4, 0.3, 0.2, 0.1], people=2)
    >>> found.share_of_people.round(3).tolist()
    [0.0, 0.7, 0.3]
    >>> print(found)
    Of 2 people 70.0% are unique, 100.0% in sets of at most 2
    """
    spread = as_distribution(distribution)
    number = check_people(people, least=1)
    chosen = choose(GroupMethod, method, "method")
    largest = _checked_size(up_to, number)
    if chosen is not GroupMethod.EXACT:
        return _approximate(spread, number, largest, chosen, without_replacement)
    drawn, notes = draws_without_replacement(spread, number, without_replacement)
    sets = [
        _expected_sets(spread, number, size, drawn)
        for size in track(range(largest + 1), "Adding up sets of each size")
    ]
    low, high = _limits(spread, number)
    known = spread.summary is None
    return GroupSizes(
        number,
        spread.cells,
        np.array(sets),
        _expected_occupied(spread, number, drawn),
        without_replacement=drawn,
        error=0.0 if known else None,
        low=low,
        high=high,
        notes=(*spread.notes, *notes),
        warnings=() if known else (say("predict.stand_in"),),
    )


def _limits(spread: Distribution, people: int) -> tuple[float | None, float | None]:
    return (None, None) if spread.summary is None else spread.summary.unique_people(people)


def _approximate(
    spread: Distribution,
    people: int,
    largest: int,
    method: GroupMethod,
    without_replacement: bool | None,
) -> GroupSizes:
    if without_replacement:
        raise BadChoice(
            f"Method '{method}' knows no population to draw from; without_replacement=True needs "
            "method 'exact'."
        )
    if not math.isfinite(spread.cells):
        raise BadChoice(
            f"Method '{method}' needs a finite number of cells, and this distribution has "
            "infinitely many; use method 'exact'."
        )
    found = approximate_set_shares(spread.cells, spread.kl, people, largest, str(method))
    shares, error, warnings = found.shares, found.error, found.warnings
    if spread.summary is not None and spread.summary.kl is None:
        error, warnings = (
            None,
            (*warnings, say("predict.stand_in")),
        )  # even the distance is that of a stand-in
    low, high = _limits(spread, people)
    return GroupSizes(
        people,
        spread.cells,
        shares * spread.cells,
        max(0.0, float((1 - shares[0]) * spread.cells)),
        method,
        error=error,
        low=low,
        high=high,
        notes=spread.notes,
        warnings=warnings,
    )


def _checked_size(up_to: int, people: int) -> int:
    """Return the largest size to tell apart: no set has more than all people."""
    largest = min(whole(up_to, "up_to", of="people in a set"), people)
    if largest > _MOST_SIZES:
        raise BadChoice(f"up_to must be at most {_MOST_SIZES:,}, not {largest:,}.")
    return largest


def _expected_sets(spread: Distribution, people: int, size: int, drawn: bool) -> float:
    """Return how many cells to expect with so many people."""
    chance = set_probability(spread, people, size, without_replacement=drawn)
    expected = float((spread.multiplicity * chance).sum())
    return expected + float(spread.cells - spread.support) if size == 0 else expected


def _expected_occupied(spread: Distribution, people: int, drawn: bool) -> float:
    """Return how many cells to expect with anybody, by the cells that anybody can be in."""
    if drawn and spread.counts is not None and spread.population is not None:
        empty = log_missed_drawn(spread.counts, people, spread.population)
    else:
        empty = log_missed(spread.probabilities, people)
    return float((spread.multiplicity * -np.expm1(empty)).sum())


def set_probability(
    spread: Distribution, people: int, size: int, *, without_replacement: bool = False
) -> F64:
    """Return the chance of each group of cells that one of its cells has so many people.

    Parameters
    ----------
    spread
        How people spread over the cells.
    people
        How many there are.
    size
        How many of them in the cell.
    without_replacement
        Nobody can be drawn twice; the counts of the distribution must be known.
    """
    if without_replacement and spread.counts is not None and spread.population is not None:
        return hypergeometric(size, spread.population, spread.counts, people)
    return binomial(size, people, spread.probabilities)
