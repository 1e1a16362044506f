"""How right the scores are where the population is known. Elliot, Manning et al. (2005), section 2.

A unique record of a sample has a class in the population: F people with its values. A match with
it is right with probability 1 / F, if the values of the intruder and of the file never diverge.
Special uniques should be unique in the population more often than random ones, and DIS-SUDA should
be about 1 / F.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.core.wording import percent
from singleout.methods.suda.status import Kind
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

__all__ = ["Validation", "correlation"]

_EDGES = np.arange(11) / 10


@dataclass(frozen=True, eq=False)
class Validation(Result):
    """The unique records of one sample, or of several, against the population.

    Parameters
    ----------
    samples
        How many samples there were.
    simulated
        Whether they were drawn here, or are the data itself.
    fraction
        f: the share of the population that is in a sample.
    people
        How many people are in the population.
    kind
        The kind of each unique record.
    predicted
        Its DIS-SUDA; NaN where it is not known.
    people_alike
        F: how many people of the population have its values; 0 if there is none.
    """

    samples: int
    simulated: bool
    fraction: float
    people: int
    kind: NDArray[Any]
    predicted: F64
    people_alike: I64

    @property
    def records(self) -> int:
        """How many unique records there were, over all samples."""
        return len(self.kind)

    @property
    def not_found(self) -> int:
        """Unique records that nobody in the population is like: the values diverge."""
        return int((self.people_alike == 0).sum())

    @cached_property
    def _right(self) -> F64:
        """The probability that a match with each record is right: 1 / F, 0 if F is 0."""
        return np.where(self.people_alike > 0, 1 / np.maximum(self.people_alike, 1), 0.0)

    @property
    def by_kind(self) -> pl.DataFrame:
        """For each kind of unique how many are unique in the population, and matches are right.

        ``population_unique`` is the share of the records that are alone in the population,
        ``right`` the mean of 1 / F, and ``predicted`` the mean of DIS-SUDA.
        """
        from singleout.core.frames import pl

        rows = []
        for kind in (*Kind, None):
            chosen = self.kind == kind if kind else np.ones(self.records, dtype=np.bool_)
            if chosen.any():
                name = say("suda.validation.all") if kind is None else str(kind)
                rows.append((name, *self._figures(chosen)))
        schema = {"kind": pl.String, "records": pl.Int64} | dict.fromkeys(
            ("population_unique", "right", "predicted"), pl.Float64
        )
        return pl.DataFrame(rows, schema=schema, orient="row")

    def _figures(self, chosen: NDArray[np.bool_]) -> tuple[int, float, float, float | None]:
        """Return records, share of population uniques, mean of 1 / F and of DIS-SUDA."""
        known = self.predicted[chosen]
        known = known[~np.isnan(known)]
        return (
            int(chosen.sum()),
            float((self.people_alike[chosen] == 1).mean()),
            float(self._right[chosen].mean()),
            float(known.mean()) if len(known) else None,
        )

    @property
    def calibration(self) -> pl.DataFrame:
        """For each interval of DIS-SUDA its mean, and how often a match would be right.

        ``sd`` is the standard deviation of ``right`` by chance, if the records of an interval were
        independent.
        """
        from singleout.core.frames import pl

        rows = []
        bins = np.searchsorted(_EDGES, self.predicted)
        for number in range(len(_EDGES)):
            chosen = (bins == number) & ~np.isnan(self.predicted)
            if chosen.any():
                low, high = _EDGES[max(0, number - 1)], _EDGES[number]
                records, unique, right, predicted = self._figures(chosen)
                error = float(self._right[chosen].std() / np.sqrt(records))
                rows.append((float(low), float(high), records, predicted, right, error, unique))
        names = ("from", "to", "records", "predicted", "right", "sd", "population_unique")
        schema: dict[str, Any] = dict.fromkeys(names, pl.Float64)
        return pl.DataFrame(rows, schema=schema | {"records": pl.Int64}, orient="row")

    @property
    def correlation(self) -> dict[str, float | None]:
        """How DIS-SUDA goes with 1 / F: Pearson's correlation, and Spearman's of the ranks."""
        known = ~np.isnan(self.predicted)
        ours, true = self.predicted[known], self._right[known]
        return {
            "pearson": correlation(ours, true),
            "spearman": correlation(_ranks(ours), _ranks(true)),
        }

    def to_frame(self) -> Frame:
        """Return the calibration: a row for each interval of DIS-SUDA."""
        return self.calibration

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {
            "samples": self.samples,
            "simulated": self.simulated,
            "sampling_fraction": self.fraction,
            "people": self.people,
            "unique_records": self.records,
            "not_in_population": self.not_found,
            "by_kind": self.by_kind.to_dicts(),
            "calibration": self.calibration.to_dicts(),
            "correlation_with_reciprocal": self.correlation,
            "assumption": say("suda.validation.assumption"),
        }

    def plot(self) -> alt.VConcatChart:
        """Return the pictures: population uniques by kind, and predicted against true."""
        from singleout.methods.suda.validation_chart import pictures

        return pictures(self)

    def __str__(self) -> str:
        if not self.records:
            return say("suda.validation.nobody")
        unique = float((self.people_alike == 1).mean())
        pearson = self.correlation["pearson"]
        sentence = say(
            "suda.validation.says",
            n=self.records,
            samples=self.samples,
            unique=percent(unique),
            right=percent(float(self._right.mean())),
        )
        if pearson is not None:
            sentence += say("suda.validation.correlates", value=pearson)
        return sentence


def correlation(one: Sequence[float] | F64, other: Sequence[float] | F64) -> float | None:
    """Return Pearson's correlation; None where one of the two does not vary.

    >>> correlation([1, 2, 3], [2, 4, 6])
    1.0
    """
    a, b = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return None
    return float(np.clip(np.corrcoef(a, b)[0, 1], -1, 1))


def _ranks(values: F64) -> F64:
    """Return the rank of each value, equal ones sharing the mean."""
    if not len(values):
        return values
    _, index, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return ((last - counts + 1 + last) / 2)[index]
