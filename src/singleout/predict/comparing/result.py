"""Predictions for several places and several numbers of people: the result of `places`, `table`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from singleout.core.choices import choose
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.core.wording import in_figures
from singleout.errors import BadChoice
from singleout.predict.comparing.fits import DistanceFit, fitted
from singleout.predict.comparing.measures import Measure, Prediction, approximated
from singleout.predict.singletons.approximations import Formula
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

__all__ = ["Against", "Predictions"]

_FEW = 6  # numbers of people that have a panel each
_PLACES_OF_A_LINE = 3  # a line through two is no fit


class Against:
    """What a picture has on its horizontal axis."""

    DISTANCE = "distance"
    PEOPLE = "people"


@dataclass(frozen=True, eq=False)
class Predictions(Result):
    """What is predicted for each place and each number of people.

    Parameters
    ----------
    rows
        One prediction for each place and number of people, place by place.
    uniform
        The same if all cells were equally likely, one for each number of people; none where
        places have different numbers of cells.
    formula
        Which approximation from the distance stands beside the exact numbers.
    by
        The columns that the places are the values of, if they came from data.
    notes
        What a reader should know, one sentence each.
    warnings
        Why the numbers may not be trusted, one sentence each.
    """

    rows: tuple[Prediction, ...] = field(repr=False)
    uniform: tuple[Prediction, ...] = field(repr=False)
    formula: Formula = Formula.KL_FINITE
    by: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @cached_property
    def places(self) -> tuple[str, ...]:
        """The names of the places, in their order."""
        return tuple(dict.fromkeys(row.place for row in self.rows))

    @cached_property
    def people(self) -> tuple[int, ...]:
        """The numbers of people, in their order."""
        return tuple(dict.fromkeys(row.people for row in self.rows))

    @property
    def cells(self) -> float | None:
        """N: how many cells are possible; None where places differ in it."""
        numbers = {row.cells for row in self.rows}
        return numbers.pop() if len(numbers) == 1 else None

    def of(self, place: str) -> list[Prediction]:
        """Return the predictions for a place, one for each number of people."""
        if place not in self.places:
            shown = ", ".join(repr(name) for name in self.places[:5])
            more = ", …" if len(self.places) > 5 else ""
            raise BadChoice(f"There is no place {place!r}; the places are: {shown}{more}.")
        return [row for row in self.rows if row.place == place]

    def at(self, people: int) -> list[Prediction]:
        """Return the predictions for a number of people, one for each place."""
        if people not in self.people:
            known = ", ".join(f"{number:,}" for number in self.people[:10])
            raise BadChoice(f"Nothing was predicted for {people!r} people, but for {known}.")
        return [row for row in self.rows if row.people == people]

    # ---- the distance as a predictor

    def approximate(self, measure: str, people: int, distance: float) -> float | None:
        """Return the approximation from the number of cells and a distance; None if there is none.

        Parameters
        ----------
        measure
            As for `fit`.
        people
            k: how many people there will be.
        distance
            The Kullback-Leibler distance, in nats.
        """
        line = self._line(choose(Measure, measure, "measure"), people)
        return None if line is None else line(distance)

    def _line(self, measure: Measure, people: int) -> Any:
        if self.cells is None:
            return None
        return approximated(measure, self.cells, people, self.formula)

    def fit(self, measure: str = "unique", people: int | None = None) -> DistanceFit:
        """Fit a straight line in the distance through the places, by least squares.

        Parameters
        ----------
        measure
            ``all-unique`` (the natural logarithm of that chance), ``none-unique``, ``unique``,
            ``variance``, ``phi1``, ``phi2`` or ``phi3``.
        people
            For how many people; the first number if not given.
        """
        chosen = choose(Measure, measure, "measure")
        number = self.people[0] if people is None else people
        points = self.points(chosen, number)
        return fitted(str(chosen), number, points, self._line(chosen, number))

    def points(self, measure: Measure, people: int) -> list[tuple[float, float]]:
        """Return the distance and the value of each place that has both."""
        pairs = [(row.kl, row.value(measure)) for row in self.at(people)]
        return [(x, y) for x, y in pairs if x is not None and y is not None]

    def fits(self, measure: str = "unique") -> list[DistanceFit]:
        """Return the fit for each number of people; none for one or two places.

        Parameters
        ----------
        measure
            As for `fit`.
        """
        if len(self.places) < _PLACES_OF_A_LINE or self.cells is None:
            return []
        return [self.fit(measure, people) for people in self.people]

    # ---- ways to look at it

    def grid(self, measure: str = "unique") -> pl.DataFrame:
        """Return one measure as a table like the thesis's A.1: people down, places across.

        Parameters
        ----------
        measure
            As for `fit`.
        """
        from singleout.core.frames import pl

        chosen = choose(Measure, measure, "measure")
        columns: dict[str, Sequence[Any]] = {"people": self.people}
        for place in self.places:
            name = place if place != "people" else f"{place} (2)"
            columns[name] = [row.value(chosen) for row in self.of(place)]
        numbers = {name: pl.Float64 for name in columns if name != "people"}
        return pl.DataFrame(columns, schema_overrides=numbers)

    def to_frame(self) -> Frame:
        """Return one row for each place and number of people."""
        from singleout.core.frames import pl

        return pl.DataFrame([row.to_dict() for row in self.rows], infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold; None where undefined."""
        return {
            "by": list(self.by),
            "cells": self.cells,
            "people": list(self.people),
            "formula": str(self.formula),
            "places": [row.to_dict() for row in self.rows],
            "uniform": [row.to_dict() for row in self.uniform],
            "fits": [fit.to_dict() for measure in Measure for fit in self.fits(measure)],
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }

    def plot(self, measure: str = "unique", against: str | None = None) -> alt.TopLevelMixin:
        """Return a picture of one measure: against the distance, or as curves over people.

        Parameters
        ----------
        measure
            As for `fit`.
        against
            ``distance`` for a dot for each place, with the line of least squares and that of the
            approximation; ``people`` for a curve for each place, with that of equally likely
            cells. If not given, the distance where there are at least three places and at most six
            numbers of people.
        """
        from singleout.predict.comparing.chart import against_distance, against_people

        chosen = choose(Measure, measure, "measure")
        if against is None:
            dots = bool(self.fits(chosen)) and len(self.people) <= _FEW
            against = Against.DISTANCE if dots else Against.PEOPLE
        if against not in (Against.DISTANCE, Against.PEOPLE):
            raise BadChoice(f"A picture is against 'distance' or 'people', not {against!r}.")
        if against == Against.PEOPLE:
            return against_people(self, chosen)
        if self.cells is None:
            raise BadChoice(
                "Distances over different numbers of cells cannot be compared; draw it against "
                "'people', or give all places the same number of cells."
            )
        return against_distance(self, chosen)

    def __str__(self) -> str:
        n = len(self.places)
        if len(self.people) > 1:
            key = "predict.places.says_several" if self.by else "predict.places.says_curves"
            return say(key, n=n, least=min(self.people), most=max(self.people))
        shares = [row.unique for row in self.rows]
        return say(
            "predict.places.says" if self.by else "predict.places.says_spreads",
            n=n,
            people=self.people[0],
            least=in_figures(min(shares)),
            most=in_figures(max(shares)),
        )
