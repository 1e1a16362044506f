"""The chance that everybody is unique: a birthday problem with unequal days. Koot (2012), ch. 4.

With cells of probability p and k people it is k! times the k-th elementary symmetric polynomial of
p. The thesis approximates it by the Kullback-Leibler distance; here it is also computed exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.choices import choose
from singleout.core.frame_kinds import Frame, framed
from singleout.core.results import Result
from singleout.core.wording import figure
from singleout.predict.distribution.distribution import (
    Distribution,
    as_distribution,
    check_people,
    draws_without_replacement,
)
from singleout.predict.uniqueness.factorials import log_all_different
from singleout.predict.uniqueness.methods import UniquenessMethod, log_by_method, trust
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt

__all__ = ["UniquenessProbability", "uniqueness_probability"]


@dataclass(frozen=True)
class UniquenessProbability(Result):
    """The chance that no two of the people share a cell.

    Parameters
    ----------
    people
        k: how many people there are.
    log_probability
        The natural logarithm; minus infinity if there are more people than cells for them.
    method
        How it was found.
    error
        How far off the logarithm is at most; None if not known.
    without_replacement
        Whether nobody can be drawn twice from the population.
    notes
        What a reader should know, one sentence each.
    warnings
        Why the probability may not be trusted, one sentence each.
    distribution
        How people spread over cells.
    """

    people: int
    log_probability: float
    method: UniquenessMethod
    error: float | None
    without_replacement: bool
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    distribution: Distribution

    @property
    def probability(self) -> float:
        """The chance itself; 0 where it is smaller than a number of 64 bits can be."""
        return min(1.0, math.exp(self.log_probability))

    def __float__(self) -> float:
        return self.probability

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold; None where infinite or unknown."""
        finite = math.isfinite(self.log_probability)
        return {
            "people": self.people,
            "probability": self.probability,
            "log_probability": self.log_probability if finite else None,
            "method": str(self.method),
            "error": self.error,
            "without_replacement": self.without_replacement,
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }

    def to_frame(self) -> Frame:
        """Return the answer as a polars frame of one row."""
        from singleout.core.frames import pl

        left_out = ("notes", "warnings")
        row = {name: value for name, value in self.to_dict().items() if name not in left_out}
        numbers = pl.col("log_probability", "error").cast(pl.Float64)
        return pl.DataFrame([row]).with_columns(numbers)

    def plot(self) -> alt.LayerChart | alt.FacetChart:
        """Return how the chance falls as people are added."""
        from singleout.predict.uniqueness.chart import uniqueness_curve

        return uniqueness_curve(
            [(people, math.exp(self._at(people))) for people in self._around()],
            self.people,
            self.probability,
        )

    def _around(self) -> list[int]:
        """Return numbers of people from one to where nothing is left of the chance."""
        pairs = self.distribution.power_sum(2)
        end = max(1.5 * self.people, min(4 / math.sqrt(pairs), self.distribution.support)) + 2
        if self.without_replacement and self.distribution.population is not None:
            end = min(end, self.distribution.population)
        return sorted({*np.linspace(1, end, 80).astype(int).tolist(), self.people} - {0})

    def _at(self, people: int) -> float:
        # in a picture it looks the same as the exact one
        quick = self.method == UniquenessMethod.EXACT
        method = UniquenessMethod.SADDLEPOINT if quick else self.method
        log = log_by_method(method, self.distribution, people).log
        if self.without_replacement:
            log += _log_distinct(self.distribution, people)
        return log

    def __str__(self) -> str:
        if self.log_probability == -math.inf:
            return say("predict.uniqueness.impossible", people=self.people)
        probability = figure(self.probability, ".4g")
        if self.probability < 1e-4:
            probability = f"10^{self.log_probability / math.log(10):.1f}"
        return say("predict.uniqueness.says", people=self.people, probability=probability)


@framed
def uniqueness_probability(
    distribution: Any,
    people: int,
    method: str = "exact",
    without_replacement: bool | None = None,
) -> UniquenessProbability:
    """Predict the chance that no two people share a cell, so that everybody is unique.

    Parameters
    ----------
    distribution
        How people spread over the cells: a `Distribution`, or the probabilities of the cells.
    people
        k: how many people there will be.
    method
        ``exact``; ``saddlepoint``, a closed form that is nearly as good; ``kl``, from the number of
        cells and the Kullback-Leibler distance alone (Koot's approximation); ``uniform``, as if all
        cells were equally likely, which is the most it can be.
    without_replacement
        Whether nobody can be drawn twice: for a sample from a population that was counted. If not
        given, so where people are more than 1 % of it.

    Returns
    -------
    UniquenessProbability
        The probability, its logarithm, and how far to trust it.

    Examples
    --------
    >>> from singleout.predict import uniqueness_probability
    >>> ages = [1 / 95] * 95
    >>> round(uniqueness_probability(ages, people=29).probability, 5)
    0.0084
    """
    spread = as_distribution(distribution)
    number = check_people(people)
    chosen = choose(UniquenessMethod, method, "method")
    without, notes = draws_without_replacement(spread, number, without_replacement)
    chance = log_by_method(chosen, spread, number)
    error, warnings = trust(chosen, spread, number, chance)
    log = min(0.0, chance.log + _log_distinct(spread, number)) if without else chance.log
    return UniquenessProbability(
        number,
        log,
        chosen,
        error,
        without,
        (*spread.notes, *notes),
        warnings,
        spread,
    )


def _log_distinct(spread: Distribution, people: int) -> float:
    """Return the term that drawing without replacement adds to the logarithm.

    Drawn with replacement, people in different cells are different people. So that chance is the
    chance of different people times the one wanted.
    """
    return -float(log_all_different(people, spread.population))
