"""The risk of one person, by the probability of the person's own cell.

With p the probability of the cell, each of the k - 1 others is in it with chance p, so that the
person's set has 1 + Bin(k - 1, p) members and is a single one with chance (1 - p)^(k-1). Whether
somebody unique in a sample is unique in the population as well follows from the same law.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats

from singleout.core.arrays import F64, I64
from singleout.core.frame_kinds import Frame, framed
from singleout.core.results import Result
from singleout.errors import BadChoice
from singleout.predict.distribution.distribution import (
    Distribution,
    as_distribution,
    check_people,
    draws_without_replacement,
)
from singleout.predict.set_sizes.shares import (
    binomial,
    hypergeometric,
    log_missed,
    log_missed_drawn,
)
from singleout.predict.uniqueness.own_cell import OneCell, cell_members, cell_probability
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt

__all__ = ["PersonRisk", "for_person"]


_LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
_BARS = 40
_DEVIATIONS = 40.0  # beyond so many standard deviations a probability is 0 in floats
_ROUNDING = 1e-13  # of sums of probabilities


@dataclass(frozen=True)
class PersonRisk(Result):
    """What one person can expect.

    Parameters
    ----------
    probability
        p: how likely the person's cell is.
    people
        k: how many people there are, the person included; the population if there is a sample.
    unique
        The chance to be alone in the cell among them.
    expected_set
        How many people to expect in the cell, the person included.
    expected_match
        The chance that somebody who knows this person's values, and picks one of the people who
        have them, picks the right one: the mean of 1 / (people in the cell).
    members
        How many people of the population are in the cell, if counted and nobody drawn twice.
    population
        How many people the counts hold; None unless nobody is drawn twice.
    sample
        How many people the sample holds, the person included; None without one.
    unique_in_sample
        The chance to be alone in the cell within the sample; None without one.
    unique_if_unique_in_sample
        The chance that this person, alone in the sample, is alone among all people.
    share_unique_if_unique_in_sample
        The same for a person of whom only this is known: people unique in both / people unique in
        the sample.
    notes
        What a reader should know, one sentence each.
    """

    probability: float
    people: int
    unique: float
    expected_set: float
    expected_match: float
    members: int | None = None
    population: int | None = None
    sample: int | None = None
    unique_in_sample: float | None = None
    unique_if_unique_in_sample: float | None = None
    share_unique_if_unique_in_sample: float | None = None
    notes: tuple[str, ...] = ()

    def quantile(self, level: float | Sequence[float]) -> Any:
        """Return the size that the person's set does not exceed with this probability.

        Parameters
        ----------
        level
            One probability or several, between 0 and 1.
        """
        levels = np.asarray(level, dtype=np.float64)
        if not ((levels >= 0) & (levels <= 1)).all():
            raise BadChoice(f"A quantile is asked for at a level between 0 and 1, not {level!r}.")
        sizes = 1 + self._others_at(levels)
        return int(sizes) if sizes.ndim == 0 else sizes

    def chance(self, size: int) -> float:
        """Return how likely the person's set is of exactly this size, the person included."""
        if self.members is not None and self.population is not None:
            others = np.array([self.members - 1])
            return float(hypergeometric(size - 1, self.population - 1, others, self.people - 1)[0])
        return float(binomial(size - 1, self.people - 1, np.array([self.probability]))[0])

    def _others_at(self, levels: F64) -> I64:
        """Return how many others the cell has at each level of probability."""
        if self.members is None or self.population is None:
            # at level 0 scipy returns -1, one less than the smallest number of others
            others_at = stats.binom.ppf(levels, self.people - 1, self.probability)
            return np.asarray(np.maximum(others_at, 0)).astype(np.int64)
        others, draws, population = self.members - 1, self.people - 1, self.population - 1
        least, most = max(0, draws + others - population), min(others, draws)
        middle = self.expected_set - 1
        reach = _DEVIATIONS * np.sqrt(middle) + _DEVIATIONS
        first = max(least, int(middle - reach))
        numbers = np.arange(first, min(most, int(middle + reach)) + 1)
        upto = np.cumsum(hypergeometric(numbers, population, np.array([others]), draws))
        index = np.searchsorted(upto, levels - _ROUNDING)
        last = np.where(levels == 1, most, numbers[np.minimum(index, len(numbers) - 1)])
        return np.where(levels == 0, least, last).astype(np.int64)

    # ---- output

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold; None where there is no sample."""
        quantiles = self.quantile(_LEVELS)
        return {
            **self._row(),
            "quantiles": {str(at): int(size) for at, size in zip(_LEVELS, quantiles, strict=True)},
            "notes": list(self.notes),
        }

    def to_frame(self) -> Frame:
        """Return the numbers as a polars frame of one row."""
        from singleout.core.frames import pl

        low, median, high = (int(size) for size in self.quantile([0.05, 0.5, 0.95]))
        sizes = {"set_low": low, "set_median": median, "set_high": high}
        return pl.DataFrame([self._row() | sizes])

    def _row(self) -> dict[str, Any]:
        left_out = ("members", "population", "notes")
        return {name: value for name, value in vars(self).items() if name not in left_out}

    def plot(self) -> alt.LayerChart | alt.FacetChart:
        """Return the picture: how likely each size of the person's set is."""
        from singleout.predict.set_sizes.chart import set_of_person

        low, high = (int(size) for size in self.quantile([0.001, 0.999]))
        step = max(1, -(-(high - low + 1) // _BARS))
        chances = [(size, self.chance(size)) for size in range(low, high + 1, step)]
        return set_of_person(chances, self.expected_set)

    def __str__(self) -> str:
        others = self.expected_set - 1
        says = say("predict.person.says", people=self.people, unique=self.unique, others=others)
        if self.sample is None or self.unique_if_unique_in_sample is None:
            return says
        also = self.unique_if_unique_in_sample
        return say("predict.person.says_sample", says=says, sample=self.sample, unique=also)


@framed
def for_person(
    distribution: Any,
    cell: Any,
    people: int,
    sample: int | None = None,
    without_replacement: bool | None = None,
) -> PersonRisk:
    """Predict for one person: the chance to be unique, and how many share the person's values.

    Parameters
    ----------
    distribution
        How people spread over the cells: a `Distribution`, the probabilities of the cells, or a
        `Table` whose quasi-identifiers make the cells, its `Counts` or its `AnonymitySets`.
    cell
        The person's cell: its name (a value, or a tuple of values), or where the cells have none
        its index in the list of probabilities (a whole number), or its probability (a number with
        a decimal point).
    people
        k: how many people there are, the person included. With a sample, the population it is from.
    sample
        How many of them are in a sample, the person included.
    without_replacement
        Whether the people are drawn from the counted population and nobody twice; by default
        where they are more than 1 % of it.

    Examples
    --------
    >>> from singleout.predict import for_person
    >>> mine = for_person([0.7, 0.2, 0.1], 0.1, people=20)
    >>> round(mine.unique, 4), round(mine.expected_set, 2), mine.quantile(0.5)
    (0.1351, 2.9, 3)
    """
    spread = as_distribution(distribution)
    number = check_people(people, least=1)
    drawn, notes = draws_without_replacement(spread, number, without_replacement)
    likely = cell_probability(distribution, spread, cell)
    here = OneCell(likely)
    if drawn:
        here = OneCell(likely, cell_members(spread, likely), spread.population)
    answer = PersonRisk(
        likely,
        number,
        here.alone(number),
        here.expected(number),
        here.match(number),
        here.members,
        here.population,
        notes=(*spread.notes, *notes),
    )
    if sample is None:
        return answer
    return replace(answer, **_in_sample(spread, here, number, _checked_sample(sample, number)))


def _in_sample(spread: Distribution, here: OneCell, people: int, sample: int) -> dict[str, Any]:
    """Return the fields of `PersonRisk` for a simple random sample of the people.

    Whoever is unique among all is unique in the sample, so that the chance of the first given the
    second is a ratio; for a person in an unknown cell, a ratio of sums over the cells.
    """
    in_sample = here.alone(sample)
    if here.members is None:  # a closed form, since both chances may be too small for floats
        conditional = float(np.exp(log_missed(np.array([here.probability]), people - sample)[0]))
    else:
        conditional = here.alone(people) / in_sample if in_sample > 0 else 0.0
    drawn = here.members is not None
    alone = _log_alone(spread, people, drawn)
    alone_in_sample = _log_alone(spread, sample, drawn)
    share = spread.multiplicity * spread.probabilities
    unique = float((share * np.exp(alone_in_sample)).sum())
    return {
        "sample": sample,
        "unique_in_sample": in_sample,
        "unique_if_unique_in_sample": conditional,
        "share_unique_if_unique_in_sample": (
            float((share * np.exp(alone)).sum()) / unique if unique > 0 else None
        ),
    }


def _log_alone(spread: Distribution, people: int, drawn: bool) -> F64:
    """Return for each group of cells the log chance that a person in one is alone there."""
    if not drawn or spread.counts is None or spread.population is None:
        return log_missed(spread.probabilities, people - 1)
    return log_missed_drawn(spread.counts - 1, people - 1, spread.population - 1)


def _checked_sample(sample: int, people: int) -> int:
    number = check_people(sample, least=1, what="sample")
    if number > people:
        raise BadChoice(
            f"A sample of {number:,} cannot come from {people:,} people; people is the population "
            "and sample a part of it."
        )
    return number
