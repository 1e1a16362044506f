"""What sizes of sets to expect: the result of `group_sizes`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.errors import BadChoice
from singleout.predict.distribution.people import readable_cells, whole_number
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt

__all__ = ["GroupMethod", "GroupSizes"]


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
    nearest
        For an approximation, the possible number of unique people nearest to what its formula
        gives, which can be impossible; None if exact. The sets are as the formula gives them.
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
    nearest: float | None = None
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.sets.flags.writeable = False

    @property
    def sizes(self) -> I64:
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
        """How many people to expect who are alone in their cell; a possible number."""
        return float(self.sets[1]) if self.nearest is None else self.nearest

    @property
    def formula_value(self) -> float | None:
        """How many the formula of an approximation gives, possible or not; None if exact."""
        return None if self.nearest is None else float(self.sets[1])

    @property
    def unique_share(self) -> float:
        """People who are alone in their cell / all people."""
        return self.unique / self.people

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
            "formula_value": self.formula_value,
            "low": self.low,
            "high": self.high,
            "unique_share": self.unique_share,
            "sizes": self._polars_frame().to_dicts(),
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }

    def to_frame(self) -> Frame:
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
        unique = self.unique_share
        if largest < 2:
            return say("predict.set_sizes.unique", people=self.people, unique=unique)
        return say(
            "predict.set_sizes.unique_and_small",
            people=self.people,
            unique=unique,
            small=self.at_most(largest),
            size=largest,
        )
