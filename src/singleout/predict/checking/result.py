"""Observed beside predicted shares: the result of `validate`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.frame_kinds import Frame
from singleout.core.results import Result, ResultPart
from singleout.predict.comparing.measures import SIZES
from singleout.predict.singletons.approximations import Formula
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Observed", "Validation"]

_WAYS = ("phi", "approximation", "uniform")


@dataclass(frozen=True)
class Observed(ResultPart):
    """Areas of similar size in a place: what was observed, and what was predicted.

    Parameters
    ----------
    place
        The larger place; everybody if there is one only.
    kl
        Its Kullback-Leibler distance from equally likely cells, in nats.
    people
        The mean number of people of an area, by people.
    areas, population
        How many areas, and how many people they have together.
    psi
        People in sets of 1, 2 and 3 within their area / people of these areas.
    sd
        The standard deviation of each psi; None for one area.
    phi
        The same as predicted from the cells of the place, (6.1).
    approximation
        As predicted from its distance alone, (6.2).
    uniform
        As if all cells were equally likely.
    """

    place: str
    kl: float
    people: float
    areas: int
    population: int
    psi: tuple[float, ...]
    sd: tuple[float, ...] | None
    phi: tuple[float, ...]
    approximation: tuple[float, ...]
    uniform: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold; None where unknown."""
        named = {"psi": self.psi, "sd": self.sd or (None, None, None)}
        named |= {way: getattr(self, way) for way in _WAYS}
        return {
            "place": self.place,
            "kl_nats": self.kl,
            "people": self.people,
            "areas": self.areas,
            "population": self.population,
            **{f"{name}{size}": each[size - 1] for size in SIZES for name, each in named.items()},
        }


@dataclass(frozen=True, eq=False)
class Validation(Result):
    """How predictions compare with what was observed within areas.

    Parameters
    ----------
    rows
        One for each place and size of areas.
    cells
        N: how many cells are possible.
    formula
        Which approximation from the distance was taken.
    notes
        What a reader should know, one sentence each.
    """

    rows: tuple[Observed, ...] = field(repr=False)
    cells: float
    formula: Formula = Formula.KL_FINITE
    notes: tuple[str, ...] = ()

    @cached_property
    def places(self) -> tuple[str, ...]:
        """The names of the places."""
        return tuple(dict.fromkeys(row.place for row in self.rows))

    def error(self, way: str = "phi", size: int = 1) -> float:
        """Return the mean difference of observed and predicted shares over all people.

        Parameters
        ----------
        way
            ``phi``, ``approximation`` or ``uniform``.
        size
            Of the sets: 1, 2 or 3.
        """
        weights = np.array([row.population for row in self.rows], dtype=np.float64)
        gaps = [abs(row.psi[size - 1] - getattr(row, way)[size - 1]) for row in self.rows]
        return float(weights @ np.array(gaps) / weights.sum())

    @property
    def bias(self) -> float:
        """The share of unique people predicted less that observed, over all people."""
        weights = np.array([row.population for row in self.rows], dtype=np.float64)
        gaps = np.array([row.phi[0] - row.psi[0] for row in self.rows])
        return float(weights @ gaps / weights.sum())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold; None where unknown."""
        return {
            "cells": self.cells,
            "formula": str(self.formula),
            "bias": self.bias,
            "errors": {way: [self.error(way, size) for size in SIZES] for way in _WAYS},
            "rows": [row.to_dict() for row in self.rows],
            "notes": list(self.notes),
        }

    def to_frame(self) -> Frame:
        """Return one row for each place and size of areas."""
        from singleout.core.frames import pl

        return pl.DataFrame([row.to_dict() for row in self.rows], infer_schema_length=None)

    def plot(self) -> alt.TopLevelMixin:
        """Return observed shares with ± 2 standard deviations, and the lines predicted."""
        from singleout.predict.checking.chart import observed_and_predicted

        return observed_and_predicted(self)

    def __str__(self) -> str:
        return say(
            "predict.validation.says",
            areas=sum(row.areas for row in self.rows),
            phi=self.error("phi"),
            approximation=self.error("approximation"),
            uniform=self.error("uniform"),
        )
