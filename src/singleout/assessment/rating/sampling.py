"""How many people of the population are in each class of records, by what the plan says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64
from singleout.core.table import Column, Table, smallest_codes
from singleout.engines.local import counting as local
from singleout.errors import BadChoice
from singleout.kernels.grouping.group import Groups, group_records
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
            return np.maximum(groups.sizes, _matching(first, self.table, columns, self.people))
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
        return _of_file(plan, columns)
    if plan.weights is not None:
        return Sampling(weights=local.weights(table, plan.weights))
    return Sampling()


# ---- a table of the population


def _of_file(plan: Plan, columns: Sequence[str]) -> Sampling:
    from singleout.engines.reading import read

    counted = read(plan.population_file)
    absent = [name for name in columns if name not in counted.columns]
    if absent:
        raise BadChoice(
            f"The table of the population has no column {absent[0]!r}; it must count people by all "
            f"quasi-identifiers of the plan: {list(columns)}."
        )
    others = [name for name in counted.columns if name not in plan.columns]
    if len(others) != 1:
        raise BadChoice(
            "The table of the population must have one column, besides those of the plan, that "
            f"says how many people have the values of a row; it has {others or 'no other column'}."
        )
    return Sampling(table=counted, people=local.weights(counted, others[0]))


def _matching(first: Table, population: Table, columns: Sequence[str], people: F64) -> F64:
    """Return how many people have the values of each of some records."""
    codes = [_together(first[name], population[name]) for name in columns]
    groups = group_records([both for both, _ in codes], [levels for _, levels in codes])
    counted = np.zeros(first.rows + population.rows)
    counted[first.rows :] = people
    totals = np.bincount(groups.ids, counted).astype(np.float64, copy=False)
    return totals[groups.ids[: first.rows]]


def _together(one: Column, other: Column) -> tuple[NDArray[Any], int]:
    """Encode two columns by one codebook, concatenated; values compare as text."""
    shared: dict[str | None, int] = {}
    codes: list[I64] = []
    for column in (one, other):
        texts = [column.label(value) for value in column.values]
        book = [shared.setdefault(text, len(shared)) for text in texts]
        if column.has_missing:
            book.append(shared.setdefault(None, len(shared)))
        codes.append(np.array(book, dtype=np.int64)[column.codes])
    return smallest_codes(np.concatenate(codes), len(shared)), len(shared)
