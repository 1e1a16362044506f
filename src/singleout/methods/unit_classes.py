"""Classes of people who have several records each: each counts once in every class of theirs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from singleout.core.arrays import F64, I64, sums
from singleout.errors import BadChoice
from singleout.kernels.grouping.group import group_records
from singleout.methods.classes import Classes
from singleout.methods.rows import Rows
from singleout.methods.units import without_unit

__all__ = ["ClassedPeople", "people_of_rows", "refuse_counts_of_people"]


def refuse_counts_of_people(unit: str | None, count: str | None) -> None:
    """Refuse a unit in a table of counts, whose rows stand for several people."""
    if unit is not None and count is not None:
        raise BadChoice(
            f"unit counts people by {unit!r}, and a row of a table of counts stands for several "
            f"people, as {count!r} says; leave one of them out."
        )


def people_of_rows(rows: Rows, unit: str) -> I64:
    """Return the person of each row, as an index; a record of nobody is refused."""
    column = rows.table[unit]
    if column.is_missing.any():
        raise without_unit(unit)
    return np.unique(column.codes, return_inverse=True)[1].astype(np.int64)


@dataclass(frozen=True, eq=False)
class ClassedPeople:
    """The people of each class.

    Parameters
    ----------
    unit
        The column that says which records are of one person.
    classes
        The classes; what matches each of them is a number of people.
    person, of_class
        The person and the class of each pair of a class and one of its people.
    first
        A row of each pair, among those that were counted.
    row_person
        The person of each row that was counted.
    """

    unit: str
    classes: Classes
    person: I64
    of_class: I64
    first: I64
    row_person: I64

    @classmethod
    def of(cls, rows: Rows, classes: Classes, unit: str) -> ClassedPeople:
        """Return the people of the classes of some rows."""
        person = people_of_rows(rows, unit)
        weights = rows.weights
        if rows.sizes is not None and weights is not None:
            weights = weights / rows.sizes  # of one record
        if classes.counted is not None:
            person = person[classes.counted]
            weights = None if weights is None else weights[classes.counted]
        many = len(classes.records)
        pairs = group_records([classes.ids, person], [many, int(person.max()) + 1])
        first = pairs.first.astype(np.int64)
        of_class = classes.ids[first].astype(np.int64)
        people = np.bincount(of_class, minlength=many).astype(np.int64)
        held = (
            None
            if weights is None
            else sums(of_class, _one_each(weights, person, unit)[first], many)
        )
        counted = replace(classes, records=people, matches=people, weights=held)
        return cls(unit, counted, person[first], of_class, first, person)

    @property
    def everybody(self) -> int:
        """How many different people there are."""
        return len(np.unique(self.person))

    def rarest(self, of_classes: F64) -> I64:
        """Return the class of each person where a number is the smallest, by the person's index."""
        order = np.lexsort((of_classes[self.of_class], self.person))
        heads = np.flatnonzero(np.diff(self.person[order], prepend=-1))
        found = np.zeros(int(self.person.max()) + 1, dtype=np.int64)
        found[self.person[order][heads]] = self.of_class[order][heads]
        return found


def _one_each(weights: F64, person: I64, unit: str) -> F64:
    """Return the weights of rows, refused where those of one person differ."""
    low, high = np.full(int(person.max()) + 1, np.inf), np.zeros(int(person.max()) + 1)
    np.minimum.at(low, person, weights)
    np.maximum.at(high, person, weights)
    if (high > low * (1 + 1e-9)).any():
        raise BadChoice(
            f"Records of one person by {unit!r} have different weights, and people are counted; "
            "give each person one weight, or leave unit out to count records."
        )
    return weights
