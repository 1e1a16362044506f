"""How many people of the population are in each class of records, by what the plan says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.assessment.rating.owners import Owners, weights_of_people
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

    def of_classes(
        self, table: Table, columns: Sequence[str], groups: Groups, owners: Owners | None = None
    ) -> F64 | None:
        """Return how many people each class has, at least as many as records.

        None if nothing is stated: then it is known that the person is in the file. With the owners
        of records the sizes of the groups are people, and each counts once with their weight.
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
            if owners is not None:
                return np.maximum(groups.sizes, owners.sums(groups, self.weights))
            sums = np.bincount(groups.ids, self.weights, minlength=len(groups.sizes))
            return np.maximum(groups.sizes, sums)
        return None

    def take(self, kept: NDArray[Any]) -> Sampling:
        """Return the same for some records only."""
        return self if self.weights is None else replace(self, weights=self.weights[kept])

    def without_table(
        self, table: Table, columns: Sequence[str], owners: Owners | None = None
    ) -> Sampling:
        """Return the same where values are recoded, which the population's own table is not.

        Each record then stands for its part of the people with its values. People whose values
        nobody in the file has are left out, so that classes count no more people than they have.
        """
        if self.table is None:
            return self
        groups = local.group(table, columns)
        if owners is not None:
            groups = owners.counted(groups)
        people = self.of_classes(table, columns, groups)
        assert people is not None
        weights = (people / groups.sizes)[groups.ids]
        if owners is not None:  # a person stands for as many as their rarest record does
            weights = -owners.highest(-weights)[owners.person]
        return Sampling(weights=weights)


def sampling_of(
    table: Table,
    plan: Plan,
    columns: Sequence[str],
    notes: list[str],
    owners: Owners | None = None,
) -> Sampling:
    """Return what a plan says of the population."""
    stated = plan.population
    drawn = table.rows if owners is None else owners.people
    if stated.sampling_fraction is not None:
        return Sampling(Fraction(str(stated.sampling_fraction)))
    if stated.size is not None:
        if stated.size < drawn:
            notes.append(say("methods.small_population", people=stated.size, rows=drawn))
            return Sampling()
        return Sampling(Fraction(drawn, stated.size))
    if plan.population_file is not None:
        counted, people = counted_population(plan.population_file, columns, plan.columns)
        return Sampling(table=counted, people=people)
    if plan.weights is not None:
        weights = local.weights(table, plan.weights)
        return Sampling(weights=weights if owners is None else weights_of_people(owners, weights))
    return Sampling()
