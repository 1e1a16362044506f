"""How many people of the population share the values of each class."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64, sums
from singleout.core.choices import MissingPolicy
from singleout.core.table import Column, Table, smallest_codes
from singleout.engines.local import counting as local
from singleout.errors import BadChoice
from singleout.kernels.grouping.group import group_records
from singleout.kernels.grouping.match import matching
from singleout.methods.sampling import Population
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.methods.classes import Classes
    from singleout.methods.rows import Rows

__all__ = ["PeopleOfClasses", "counted_population", "matched_people"]


@dataclass(frozen=True, eq=False)
class PeopleOfClasses:
    """How many people of the population share the values of each class, F."""

    population: Population
    fraction: float | None = None  # the share of the population that the records are
    notes: tuple[str, ...] = ()
    _table: Table | None = field(default=None, repr=False)
    _people: F64 | None = field(default=None, repr=False)

    @classmethod
    def stated(
        cls, population: Population, records: int, columns: Sequence[str]
    ) -> PeopleOfClasses:
        """Return what a population says of a table of so many records, counted by ``columns``."""
        if population.sampling_fraction is not None:
            return cls(population, population.sampling_fraction)
        if population.size is not None:
            if population.size < records:
                note = say("methods.small_population", people=population.size, rows=records)
                return cls(Population(), None, (note,))
            return cls(population, records / population.size)
        if population.table is not None:
            table, people = counted_population(population.table, columns)
            return cls(population, None, (), table, people)
        return cls(population)

    def totals(self, names: Sequence[str]) -> tuple[float, int] | None:
        """Return how many people a table counts, and how many are alone in ``names``.

        None if the population is not stated as a table.
        """
        if self._table is None or self._people is None:
            return None
        groups = local.group(self._table, names)
        people = sums(groups.ids, self._people, len(groups.sizes))
        return float(people.sum()), int((people == 1).sum())

    def of(
        self, rows: Rows, classes: Classes, columns: Sequence[str], policy: MissingPolicy
    ) -> F64 | None:
        """Return F of each class as stated; None if nothing is."""
        if self.fraction is not None:
            return np.maximum(classes.matches / self.fraction, classes.matches)
        if self._table is not None and self._people is not None:
            first = rows.table.select(columns).take(classes.first)
            return matched_people(first, self._table, columns, self._people, policy)
        if self.population.weights is not None:
            assert classes.weights is not None
            return classes.weights
        return None


# ---- a table of the population


def counted_population(
    data: Any, columns: Sequence[str], others: Collection[str] = ()
) -> tuple[Table, F64]:
    """Return a table of the population, and how many people have the values of each row.

    It must have the ``columns``, may have ``others``, and one more with the number of people.
    """
    from singleout.engines.reading import read

    table = read(data)
    absent = [name for name in columns if name not in table.columns]
    if absent:
        raise BadChoice(
            f"The table of the population has no column {absent[0]!r}; it must count people by all "
            f"of {list(columns)}."
        )
    numbers = [name for name in table.columns if name not in columns and name not in others]
    if len(numbers) != 1:
        raise BadChoice(
            f"The table of the population must have one column besides {list(columns)} that says "
            f"how many people have the values of a row, not {len(numbers)}: {numbers}."
        )
    return table, local.weights(table, numbers[0])


def matched_people(
    first: Table, population: Table, columns: Sequence[str], people: F64, policy: MissingPolicy
) -> F64:
    """Return how many people have the values of each of some rows."""
    shared = [_together(first[name], population[name]) for name in columns]
    codes = [both for both, _, _ in shared]
    levels = [many for _, many, _ in shared]
    groups = group_records(codes, levels)
    amounts = np.zeros(first.rows + population.rows)
    amounts[first.rows :] = people
    totals = sums(groups.ids, amounts, len(groups.sizes))
    if policy == MissingPolicy.WILDCARD:
        missing = [code for _, _, code in shared]
        totals = matching([column[groups.first] for column in codes], levels, missing, totals)
    answer: F64 = totals[groups.ids[: first.rows]]
    return answer


def _together(one: Column, other: Column) -> tuple[NDArray[Any], int, int | None]:
    """Return codes that both columns share, how many, and that of missing; values match as text."""
    shared: dict[str | None, int] = {}
    codes: list[I64] = []
    for column in (one, other):
        texts = [column.label(value) for value in column.values]
        book = [shared.setdefault(text, len(shared)) for text in texts]
        if column.has_missing:
            book.append(shared.setdefault(None, len(shared)))
        codes.append(np.array(book, dtype=np.int64)[column.codes])
    together = smallest_codes(np.concatenate(codes), len(shared))
    return together, len(shared), shared.get(None)
