"""What the estimators know: counts of counts of a sample, and the size of its population.

Every estimator is a function of arrays with one row for each sample, so that the replicates of a
bootstrap are solved together. A single sample is one row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from singleout.core.arrays import F64
from singleout.core.counts import SizeProfile
from singleout.errors import BadChoice

__all__ = ["Fit", "Samples", "samples_of"]


@dataclass(frozen=True, eq=False)
class Samples:
    """Counts of counts of one sample or many from a population of ``people``.

    Parameters
    ----------
    sizes
        The class sizes that occur, ascending.
    sets
        For each sample (row) how many classes have each size.
    records
        The records of a sample, n.
    people
        The size of the population, N.
    """

    sizes: F64
    sets: F64
    records: float
    people: float

    @property
    def fraction(self) -> float:
        """The sampling fraction, n/N."""
        return self.records / self.people

    @property
    def classes(self) -> F64:
        """The number of classes of each sample, u."""
        total: F64 = self.sets.sum(axis=1)
        return total

    def of_size(self, size: int) -> F64:
        """Return how many classes of each sample have a size."""
        at = np.flatnonzero(self.sizes == size)
        count: F64 = self.sets[:, at[0]] if len(at) else np.zeros(len(self.sets))
        return count

    def with_sets(self, sizes: F64, sets: F64) -> Samples:
        """Return other samples of as many records from a population of the same size."""
        return Samples(sizes, sets, self.records, self.people)


@dataclass(frozen=True, eq=False)
class Fit:
    """What an estimator found in each sample: population uniques, parameters, and where it failed.

    Parameters
    ----------
    uniques
        The number of population uniques; NaN where the estimator does not apply.
    parameters
        The parameters of the model, one number for each sample.
    reason
        Why the first sample has no estimate, as a key of the catalogue of sentences; empty if it
        has one.
    """

    uniques: F64
    parameters: Mapping[str, F64] = field(default_factory=dict)
    reason: str = ""

    @property
    def applies(self) -> bool:
        """Whether the first sample has an estimate."""
        return bool(np.isfinite(self.uniques[0]))

    @property
    def first(self) -> dict[str, float]:
        """The parameters of the first sample."""
        return {name: float(values[0]) for name, values in self.parameters.items()}


def samples_of(profile: SizeProfile, people: float) -> Samples:
    """Return one sample as a row, of a population that is not smaller than it."""
    records = profile.records
    if people < records:
        raise BadChoice(
            f"A population of {people:,.0f} is smaller than its sample of {records:,} records; "
            "give the size of the population that the records were drawn from."
        )
    return Samples(
        profile.sizes.astype(np.float64),
        profile.sets.astype(np.float64)[None, :],
        float(records),
        float(people),
    )
