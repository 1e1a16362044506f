"""A prediction from a record: expected singletons, with the noise of the record and its limits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special

from singleout.core.arguments import share as checked_share
from singleout.core.arrays import F64, I64
from singleout.core.wording import figure
from singleout.errors import UndefinedMeasure
from singleout.predict.distribution.distribution import check_people
from singleout.predict.set_sizes.group_sizes import group_sizes
from singleout.predict.set_sizes.result import GroupSizes
from singleout.predict.set_sizes.shares import (
    binomial_below,
    hypergeometric_below,
    log_missed,
    log_missed_drawn,
    share_below,
)
from singleout.predict.singletons.approximate_laws import best_law
from singleout.predict.singletons.none import log_none
from singleout.predict.singletons.singletons import Singletons
from singleout.predict.uniqueness.uniqueness import UniquenessProbability, uniqueness_probability
from singleout.report.say import say
from singleout.repository.answering.evidence import (
    cells_of,
    evidence_of,
    is_counted,
    kappa_deviation,
    stand_in,
)
from singleout.repository.answering.limits import Evidence, Share
from singleout.repository.answering.steps import PathStep

if TYPE_CHECKING:
    from singleout.repository.documents.record import Record

__all__ = ["RepositoryPrediction", "predict_from"]

_BOUNDS = 4.0  # standard deviations: one noise in 15,000 is larger
_WORTH_SAYING = 1.01  # a factor on the chance that all are unique
_GROUPS = 10
_MOST_EXACT = 10**7  # people: more take longer than an answer should


@dataclass(frozen=True, eq=False)
class RepositoryPrediction(Singletons):
    """How many people would be unique, predicted from a published record.

    Parameters
    ----------
    record
        What was predicted from.
    path
        How the record was found, with what each step does to this prediction.
    range
        The least and the most expected unique people over the records of all holders; None if there
        is only one.
    cells
        N as given by the user, where the record has none.
    """

    record: Record = field(kw_only=True)
    path: tuple[PathStep, ...] = field(default=(), kw_only=True)
    range: tuple[float, float] | None = field(default=None, kw_only=True)
    cells: int | None = field(default=None, kw_only=True)

    # ---- limits

    @cached_property
    def _evidence(self) -> tuple[Evidence, ...]:
        return evidence_of(self.record, self.people, self.cells)

    @cached_property
    def _found_limits(self) -> dict[tuple[int, float], tuple[float, float]]:
        return {}

    def _share_limits(self, size: int, deviations: float) -> tuple[float, float]:
        """Return the least and the largest expected share of people in sets below ``size``."""
        key = size, deviations
        if key not in self._found_limits:
            self._found_limits[key] = self._new_limits(size, deviations)
        return self._found_limits[key]

    def _new_limits(self, size: int, deviations: float) -> tuple[float, float]:
        if self.people < 2:
            return 1.0, 1.0
        found = [
            each.limits(share_function(size, self.people, each.population), deviations)
            for each in self._evidence
        ]
        here = self._share_below(size)
        ends = [end for limits in found if limits is not None for end in limits]
        if not ends or None in found:
            ends += [0.0, 1.0]
        return max(0.0, min(*ends, here)), min(1.0, max(*ends, here))

    def _share_below(self, size: int) -> float:
        if size == 2:
            return self.share
        drawn = self.without_replacement
        return share_below(self.distribution, self.people, size, without_replacement=drawn)

    def mean_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return where the expected number lies, the noise of the record and its gaps included.

        Every population whose numbers are within the noise of the published ones has an expected
        number in the interval; it holds the exact one with at least this probability.

        Parameters
        ----------
        level
            Between 0 and 1.
        """
        low, high = self._share_limits(2, _deviations(level))
        return self.people * low, self.people * high

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """The least and the most that the mean can be: proven for noise below 4 deviations.

        For what was asked: the record of a finer quasi-identifier bounds it from above only, that
        of a coarser one from below only, and that of a larger population not at all.
        """
        low, high = self._share_limits(2, _BOUNDS)
        for step in self.path:
            if step.kind in ("finer", "super-population"):
                low = 0.0
            if step.kind in ("coarser", "super-population"):
                high = 1.0
        return self.people * low, self.people * high

    @property
    def _limits(self) -> tuple[float | None, float | None]:
        return self.bounds

    def interval(self, level: float = 0.95) -> tuple[int, int]:
        """Return the interval of the number of unique people: by chance, and by the noise.

        Parameters
        ----------
        level
            Between 0 and 1.
        """
        low, high = self.mean_interval(level)
        if self.sd == 0 or self.people < 2:
            return math.floor(low), math.ceil(high)
        tail = (1 - level) / 2
        return self._law_at(low).quantile(tail), self._law_at(high).quantile(1 - tail)

    def _law_at(self, mean: float) -> Any:
        return best_law(
            self.distribution,
            self.people,
            self.without_replacement,
            mean,
            self.people - mean,
            self.sd,
        )

    def below(self, size: int, level: float = 0.95) -> tuple[float, float, float]:
        """Return the expected share of people in sets of fewer than ``size``, and its interval.

        Parameters
        ----------
        size
            From 2 on: with 2, the share of unique people.
        level
            Of the interval, between 0 and 1.
        """
        number = check_people(size, least=2, what="size")
        return (self._share_below(number), *self._share_limits(number, _deviations(level)))

    # ---- ordinary results

    @cached_property
    def group_sizes(self) -> GroupSizes:
        """How many sets of each size there will be."""
        known = replace(self.distribution, summary=None)  # its limits are those of the record
        sizes = group_sizes(
            known,
            max(self.people, 1),
            up_to=_GROUPS,
            without_replacement=self.without_replacement or None,
        )
        low, high = self.bounds
        return replace(sizes, low=low, high=high, error=None, warnings=self.warnings)

    @cached_property
    def uniqueness(self) -> UniquenessProbability:
        """The chance that everybody is unique."""
        found = uniqueness_probability(
            self.distribution, self.people, without_replacement=self.without_replacement or None
        )
        return replace(found, notes=(*found.notes, *self._kappa_note()))

    def _kappa_note(self) -> tuple[str, ...]:
        """Return the sentence on what noise or rounding of κ does to that chance (C4)."""
        off = 2 * kappa_deviation(self.record)
        possible = cells_of(self.record, self.cells)
        power = off * self.people**2 / possible
        if power <= math.log(_WORTH_SAYING):
            return ()
        factor = figure(math.exp(power), ".3g") if power < 20 else f"10^{power / math.log(10):.0f}"
        return (say("repository.answering.kappa_cost", off=off, factor=factor),)

    @cached_property
    def probability_any(self) -> float:
        """The chance that anybody is unique; not above the expected number of them."""
        if self.people < 2:
            return float(self.people)
        if self.sd == 0:
            return float(self.mean > 0)
        return min(1.0, self.mean, 1 - float(self._law_at(self.mean).cdf(0)))

    @cached_property
    def log_probability_none(self) -> float:
        """The natural logarithm of the probability that nobody is unique; -inf if impossible."""
        if self.people > _MOST_EXACT:
            raise UndefinedMeasure(
                f"That nobody is unique is computed for at most {_MOST_EXACT:,} people here; use "
                "probability_any, or mean."
            )
        self._check_whole_cells()
        return log_none(self.distribution, self.people, self.without_replacement)

    @cached_property
    def _law(self) -> F64:
        if self.distribution.has_whole_cells:
            return super()._law
        cumulative = self._law_at(self.mean).cdf(np.arange(self.people + 1))
        chances = np.diff(cumulative, prepend=0.0)
        chances.flags.writeable = False
        return np.asarray(chances)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        uniqueness = self.uniqueness.to_dict()
        sizes = self.group_sizes.to_dict()
        return super().to_dict() | {
            "interval": list(self.interval()),
            "mean_interval": list(self.mean_interval()),
            "bounds": list(self.bounds),
            "probability_any": self.probability_any,
            "uniqueness": {name: uniqueness[name] for name in ("probability", "log_probability")},
            "group_sizes": sizes["sizes"],
            "range": None if self.range is None else list(self.range),
            "record": self.record.id,
            "path": [step.to_dict() for step in self.path],
        }

    def __str__(self) -> str:
        low, high = self.mean_interval()
        return say(
            "repository.answering.predicted",
            people=self.people,
            mean=self.mean,
            share=self.share,
            low=low,
            high=high,
        )


@lru_cache(maxsize=1_000)  # the same function for the same question, whose values are kept
def share_function(size: int, people: int, population: int | None) -> Share:
    """Return the share of people in sets below ``size``, by the size or probability of the cell."""
    others = people - 1
    if population is None:
        if size == 2:
            return lambda likely: np.exp(log_missed(likely, others))
        return lambda likely: binomial_below(size - 1, others, likely)
    rest = population - 1
    if size == 2:
        return lambda sizes: np.exp(log_missed_drawn(_whole(sizes - 1), others, rest))
    return lambda sizes: hypergeometric_below(size - 1, rest, _whole(sizes - 1), others)


def _whole(sizes: F64) -> I64:
    return np.asarray(sizes, np.int64)


def _deviations(level: float) -> float:
    checked_share(level, "level")
    return float(special.ndtri((1 + level) / 2))


def predict_from(
    record: Record, people: int, *, cells: int | None = None, path: Sequence[PathStep] = ()
) -> RepositoryPrediction:
    """Predict how many of ``people`` would be unique, from one record.

    Parameters
    ----------
    record
        A published record.
    people
        k: how many people there will be.
    cells
        N: how many cells are possible, where the record does not say so.
    path
        How the record was found.
    """
    number = check_people(people)
    counted = is_counted(record, number)
    population = record.numbers.people if counted else None
    share = share_function(2, max(number, 2), population)
    spread, drawn = stand_in(record, number, share, cells)
    notes = [*spread.notes]
    if record.legacy:
        notes.append(say("repository.answering.legacy"))
    if record.numbers.people is not None and not counted and record.coverage.kind != "sample":
        notes.append(say("repository.answering.more_people", counted=record.numbers.people))
    prediction = RepositoryPrediction(
        spread, number, drawn, tuple(notes), record=record, path=tuple(path), cells=cells
    )
    return replace(prediction, notes=(*notes, *prediction._kappa_note()))
