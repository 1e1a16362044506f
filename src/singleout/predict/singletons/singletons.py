"""Singletons: how many people would be unique. Koot (2012), chapter 5, with exact algorithms."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arguments import share
from singleout.core.arrays import F64
from singleout.core.frame_kinds import Frame, framed
from singleout.core.results import Result
from singleout.errors import UndefinedMeasure
from singleout.predict.distribution.distribution import (
    Distribution,
    as_distribution,
    check_people,
    draws_without_replacement,
)
from singleout.predict.distribution.people import readable
from singleout.predict.singletons.approximate_laws import (
    ApproximateLaw,
    best_law,
    normal_law,
)
from singleout.predict.singletons.law import law
from singleout.predict.singletons.moments import (
    mean_alone,
    mean_shared,
    variance,
    variance_without_replacement,
)
from singleout.predict.singletons.none import log_none
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

__all__ = ["Singletons", "singletons"]


_ROUNDING = 1e-12  # of sums of probabilities


@dataclass(frozen=True, eq=False)
class Singletons(Result):
    """How many of the people would be alone in their cell. Each part is computed when looked at.

    Parameters
    ----------
    distribution
        How people spread over cells.
    people
        k: how many people there are.
    without_replacement
        Whether nobody can be drawn twice from the population.
    notes
        What a reader should know, one sentence each.
    """

    distribution: Distribution
    people: int
    without_replacement: bool = False
    notes: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why the numbers may not be trusted; none where the distribution itself is known."""
        return () if self.distribution.summary is None else (say("predict.stand_in"),)

    @cached_property
    def _limits(self) -> tuple[float | None, float | None]:
        summary = self.distribution.summary
        return (None, None) if summary is None else summary.unique_people(self.people)

    @property
    def low(self) -> float | None:
        """The least that the mean can be if only a summary is known; None otherwise."""
        return self._limits[0]

    @property
    def high(self) -> float | None:
        """The most that the mean can be if only a summary is known; None otherwise."""
        return self._limits[1]

    @cached_property
    def mean(self) -> float:
        """How many are unique on average."""
        if self.people < 2:
            return float(self.people)
        return mean_alone(self.distribution, self.people, self.without_replacement)

    @cached_property
    def shared(self) -> float:
        """How many share their cell on average: people - mean, exact even where it is tiny."""
        if self.people < 2:
            return 0.0
        return mean_shared(self.distribution, self.people, self.without_replacement)

    @property
    def share(self) -> float:
        """Unique people on average / people."""
        return self.mean / self.people if self.people else 0.0

    @cached_property
    def variance(self) -> float:
        """The variance of the number of unique people."""
        if self.without_replacement:
            return max(0.0, variance_without_replacement(self.distribution, self.people))
        return max(0.0, variance(self.distribution, self.people))

    @property
    def sd(self) -> float:
        """The standard deviation of the number of unique people."""
        return math.sqrt(self.variance)

    @cached_property
    def log_probability_none(self) -> float:
        """The natural logarithm of the probability that nobody is unique; -inf if impossible."""
        self._check_whole_cells()
        return log_none(self.distribution, self.people, self.without_replacement)

    @property
    def probability_none(self) -> float:
        """The probability that nobody is unique: zeta(k, N) of Koot's 5.4."""
        return min(1.0, math.exp(self.log_probability_none))

    def _check_whole_cells(self) -> None:
        if not self.distribution.has_whole_cells:
            raise UndefinedMeasure(
                "This stand-in has groups with part of a cell, for which only averages have a "
                "meaning; use mean, variance or approximation(), or give fewer sums of powers."
            )

    @cached_property
    def _law(self) -> F64:
        self._check_whole_cells()
        chances = law(self.distribution, self.people, self.without_replacement, self.mean, self.sd)
        chances.flags.writeable = False
        return chances

    def pmf(self) -> F64:
        """Return the probability of each number of unique people, from 0 to all.

        The absolute error is below 1e-12, however many people a cell has; where nobody or everybody
        is unique with a smaller probability, see `probability_none` and `uniqueness_probability`.
        """
        return self._law

    def cdf(self) -> F64:
        """Return the probability of at most so many unique people, from 0 to all."""
        return np.minimum(np.cumsum(self._law), 1.0)

    def quantile(self, probability: float) -> int:
        """Return a quantile: the least number that is not exceeded with this probability.

        Parameters
        ----------
        probability
            Between 0 and 1.
        """
        probability = share(probability, "probability", zero=True, one=True)
        number = int(np.searchsorted(np.cumsum(self._law), probability - _ROUNDING))
        return min(number, self.people)

    def interval(self, level: float = 0.95) -> tuple[int, int]:
        """Return the central interval that holds this probability, the rest at both ends.

        Parameters
        ----------
        level
            Between 0 and 1.
        """
        level = share(level, "level", zero=True, one=True)
        return self.quantile((1 - level) / 2), self.quantile((1 + level) / 2)

    def normal(self) -> ApproximateLaw:
        """Return the normal approximation, with its largest error."""
        return normal_law(self.people, self.mean, self.sd)

    def approximation(self) -> ApproximateLaw:
        """Return what fits best without the exact law: normal, Poisson or compound Poisson."""
        return best_law(
            self.distribution,
            self.people,
            self.without_replacement,
            self.mean,
            self.shared,
            self.sd,
        )

    # ---- ways to look at it

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as plain values that JSON can hold; None where infinite or undefined.

        That nobody is unique has no probability if a stand-in has parts of cells, or if it is too
        unlikely to compute.
        """
        log: float | None = None
        with suppress(UndefinedMeasure):
            log = self.log_probability_none
        return {
            "people": self.people,
            "mean": self.mean,
            "low": self.low,
            "high": self.high,
            "share": self.share,
            "variance": self.variance,
            "sd": self.sd,
            "probability_none": None if log is None else min(1.0, math.exp(log)),
            "log_probability_none": None if log == -math.inf else log,
            "without_replacement": self.without_replacement,
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }

    def to_frame(self) -> Frame:
        """Return the law as a polars frame: unique people, and the probability of so many."""
        from singleout.core.frames import pl

        return pl.DataFrame({"unique": np.arange(self.people + 1), "probability": self.pmf()})

    def plot(self) -> alt.LayerChart | alt.FacetChart:
        """Return the law, with its mean and the middle 95 %."""
        from singleout.predict.uniqueness.chart import singleton_law

        return singleton_law(self.pmf(), self.mean, self.interval())

    def __str__(self) -> str:
        return say(
            "predict.singletons.unique",
            people=self.people,
            mean=readable(self.mean),
            share=self.share,
            deviation=readable(self.sd, 3),
        )

    def _shown(self) -> pl.DataFrame:
        from singleout.core.frames import pl

        left_out = ("notes", "warnings", "log_probability_none")
        return pl.DataFrame([self.to_dict()]).drop(left_out)


@framed
def singletons(
    distribution: Any, people: int, without_replacement: bool | None = None
) -> Singletons:
    """Predict how many people would be unique: alone in their cell.

    Parameters
    ----------
    distribution
        How people spread over the cells: a `Distribution`, or the probabilities of the cells.
    people
        k: how many people there will be.
    without_replacement
        Whether nobody can be drawn twice: for a sample from a population that was counted. If not
        given, so where people are more than 1 % of it.

    Returns
    -------
    Singletons
        Mean, variance, the chance of none, the whole law, and approximations.

    Examples
    --------
    >>> from singleout.predict import singletons
    >>> found = singletons([1 / 365] * 365, people=365)
    >>> round(found.mean), found.interval()
    (134, (117, 153))
    """
    spread = as_distribution(distribution)
    number = check_people(people)
    without, notes = draws_without_replacement(spread, number, without_replacement)
    return Singletons(spread, number, without, (*spread.notes, *notes))
