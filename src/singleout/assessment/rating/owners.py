"""Whose record it is, where a person has several: visits, spells, waves of a panel.

A class has as many members as different people have a record in it. A person is rated by the worst
of their records; and since the records of a person belong together, who finds one has found all of
them, so that being found counts with the most severe value of any (docs/decisions/0017).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64
from singleout.core.table import Table
from singleout.errors import BadChoice
from singleout.kernels.grouping.group import Groups, group_records
from singleout.methods.units import require_units, without_unit

__all__ = ["Owners", "owners_of", "weights_of_people"]


@dataclass(frozen=True, eq=False)
class Owners:
    """The person of each record.

    Parameters
    ----------
    unit
        The column that says which records are of one person.
    person
        The person of each record, as an index.
    people
        How many different people there are.
    """

    unit: str
    person: I64 = field(repr=False)
    people: int

    def take(self, kept: NDArray[Any]) -> Owners:
        """Return the same for some records only."""
        found, person = np.unique(self.person[kept], return_inverse=True)
        return replace(self, person=person.astype(np.int64), people=len(found))

    def pairs(self, groups: Groups) -> I64:
        """Return one record of each person in each group that has one of theirs."""
        pairs = group_records([groups.ids, self.person], [len(groups.sizes), self.people])
        return pairs.first.astype(np.int64)

    def counted(self, groups: Groups) -> Groups:
        """Return groups of records with the number of different people in each."""
        sizes = np.bincount(groups.ids[self.pairs(groups)], minlength=len(groups.sizes))
        return replace(groups, sizes=sizes.astype(np.int64))

    def sums(self, groups: Groups, values: F64) -> F64:
        """Return the sum over the people of each group, each of whom counts once."""
        once = self.pairs(groups)
        sums = np.bincount(groups.ids[once], values[once], minlength=len(groups.sizes))
        return sums.astype(np.float64)

    def with_code(self, codes: NDArray[Any], levels: int) -> I64:
        """Return how many people have each code in any record."""
        held = group_records([codes, self.person], [levels, self.people])
        return np.bincount(codes[held.first], minlength=levels).astype(np.int64)

    def highest(self, of_record: NDArray[Any]) -> NDArray[Any]:
        """Return the largest number that any record of each person has."""
        found = np.full(self.people, of_record.min(), dtype=of_record.dtype)
        np.maximum.at(found, self.person, of_record)
        return found

    def first_with(self, of_record: NDArray[Any], wanted: NDArray[Any]) -> I64:
        """Return the first record of each person that has the number wanted of that person."""
        rows = np.flatnonzero(of_record == wanted[self.person])[::-1]
        found = np.zeros(self.people, dtype=np.int64)
        found[self.person[rows]] = rows  # of several the last one written stays: the first record
        return found

    def rarest(self, sizes: I64) -> I64:
        """Return for each person the record whose set is the smallest, the first of several."""
        return self.first_with(sizes, -self.highest(-sizes))


def owners_of(table: Table, unit: str | None, known: tuple[str, ...]) -> Owners | None:
    """Return whose records they are; None without a unit, or where the table has lost it."""
    if unit is None or unit not in table.columns:
        return None
    require_units(unit, known, table.missing)
    column = table[unit]
    if column.has_missing and (column.codes == len(column.values)).any():
        raise without_unit(unit)
    found, person = np.unique(column.codes, return_inverse=True)
    return Owners(unit, person.astype(np.int64), len(found))


def weights_of_people(owners: Owners, weights: F64) -> F64:
    """Return the weights of records, refused where those of one person differ."""
    if (owners.highest(weights) != -owners.highest(-weights)).any():
        raise BadChoice(
            f"Records of one person by {owners.unit!r} have different weights, and people are "
            "counted; give each person one weight, or leave unit out to count records."
        )
    return weights
