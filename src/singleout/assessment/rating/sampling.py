"""How many people of the population are in each class of records, by what the plan says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64
from singleout.core.choices import MissingPolicy
from singleout.core.table import Table
from singleout.engines.local import counting as local
from singleout.kernels.grouping.group import Groups
from singleout.methods.people import counted_population, matched_people
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.assessment.plan.plan import Plan

__all__ = ["Sampling", "sampling_of"]


@dataclass(frozen=True, eq=False)
class Sampling:
    """How the records were drawn from a population; nothing is stated by default.

    Parameters
    ----------
    fraction
        The share of the population that is in the file.
    weights
        For each record how many people it stands for.
    table
        The population itself: its combinations of quasi-identifiers.
    people
        How many people have each combination of the table.
    """

    fraction: Fraction | None = None
    weights: F64 | None = field(default=None, repr=False)
    table: Table | None = field(default=None, repr=False)
    people: F64 | None = field(default=None, repr=False)

    @property
    def stated(self) -> bool:
        """Whether anything is known of a population."""
        return self.fraction is not None or self.weights is not None or self.table is not None

    def of_classes(self, table: Table, columns: Sequence[str], groups: Groups) -> F64 | None:
        """Return how many people each class has, at least as many as records.

        None if nothing is stated: then it is known that the person is in the file.
        """
        if self.fraction is not None:
            return groups.sizes / float(self.fraction)
        if self.table is not None:
            assert self.people is not None
            first = table.select(columns).take(groups.first)
            return np.maximum(
                groups.sizes,
                matched_people(first, self.table, columns, self.people, MissingPolicy.VALUE),
            )
        if self.weights is not None:
            sums = np.bincount(groups.ids, self.weights, minlength=len(groups.sizes))
            return np.maximum(groups.sizes, sums)
        return None

    def take(self, kept: NDArray[Any]) -> Sampling:
        """Return the same for some records only."""
        return self if self.weights is None else replace(self, weights=self.weights[kept])

    def without_table(self, table: Table, columns: Sequence[str]) -> Sampling:
        """Return the same where values are recoded, which the population's own table is not.

        Each record then stands for its part of the people with its values. People whose values
        nobody in the file has are left out, so that classes count no more people than they have.
        """
        if self.table is None:
            return self
        groups = local.group(table, columns)
        people = self.of_classes(table, columns, groups)
        assert people is not None
        return Sampling(weights=(people / groups.sizes)[groups.ids])


def sampling_of(table: Table, plan: Plan, columns: Sequence[str], notes: list[str]) -> Sampling:
    """Return what a plan says of the population."""
    stated = plan.population
    if stated.sampling_fraction is not None:
        return Sampling(Fraction(str(stated.sampling_fraction)))
    if stated.size is not None:
        if stated.size < table.rows:
            notes.append(say("methods.small_population", people=stated.size, rows=table.rows))
            return Sampling()
        return Sampling(Fraction(table.rows, stated.size))
    if plan.population_file is not None:
        counted, people = counted_population(plan.population_file, columns, plan.columns)
        return Sampling(table=counted, people=people)
    if plan.weights is not None:
        return Sampling(weights=local.weights(table, plan.weights))
    return Sampling()
