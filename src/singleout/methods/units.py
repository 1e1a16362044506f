"""People who have several records each: what a unit may be, and who is counted.

The unit is the column that says which records are of one person (docs/decisions/0017).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64
from singleout.core.choices import MissingPolicy
from singleout.errors import BadChoice, UnusableColumn
from singleout.kernels.grouping.group import group_records

if TYPE_CHECKING:
    from singleout.core.counts import Counts

__all__ = ["PeopleOfSets", "people_of_sets", "require_units", "without_unit"]


def require_units(unit: str, known: Sequence[str], missing: MissingPolicy) -> None:
    """Refuse a unit that others know people by, or beside a wildcard."""
    if unit in known:
        raise BadChoice(
            f"{unit!r} says which records are of one person, so it cannot be a quasi-identifier "
            "too; leave it out of one of them."
        )
    if missing == MissingPolicy.WILDCARD:
        raise BadChoice(
            "With unit a missing value is a value like another or a reason to drop the record; a "
            "wildcard is not defined there."
        )


def without_unit(unit: str) -> UnusableColumn:
    """Return the error for records of nobody."""
    return UnusableColumn(
        f"Column {unit!r} is missing in some records, so that nobody knows whose they are; "
        f'leave them out with where, as in "{unit} is not missing".'
    )


@dataclass(frozen=True, eq=False)
class PeopleOfSets:
    """The different people of each set of records that share a combination.

    Parameters
    ----------
    sizes
        How many people each set has.
    of_pair, person
        The set and the person of each pair of a set and one of its people.
    people
        How many different people there are.
    dropped
        People left out because every record of theirs lacks a value.
    first
        For each set one of its combinations, as an index into the counts.
    """

    sizes: I64
    of_pair: I64 = field(repr=False)
    person: I64 = field(repr=False)
    people: int
    dropped: int
    first: I64 = field(repr=False)

    def smallest(self, of_sets: NDArray[Any]) -> NDArray[Any]:
        """Return for each person the smallest number that any set of theirs has."""
        order = np.argsort(self.person, kind="stable")
        first = np.flatnonzero(np.diff(self.person[order], prepend=-1))
        return np.asarray(np.minimum.reduceat(of_sets[self.of_pair][order], first))

    def largest(self, of_sets: F64) -> F64:
        """Return for each person the largest number that any set of theirs has."""
        return np.asarray(-self.smallest(-of_sets), dtype=np.float64)

    @property
    def rarest(self) -> I64:
        """How many people share the rarest combination of each person."""
        if not self.people:
            return np.empty(0, dtype=np.int64)
        return self.smallest(self.sizes).astype(np.int64)


def people_of_sets(counts: Counts, *, drop: bool) -> PeopleOfSets:
    """Return the people of each set, of distinct pairs of a combination and a person.

    The person is the last column of the counts. With ``drop`` what lacks a value is left out.
    """
    who = np.asarray(counts.codes[-1], dtype=np.int64)
    if (who == len(counts.values[-1])).any():
        raise without_unit(counts.columns[-1])
    known, levels = counts.codes[:-1], [len(values) + 1 for values in counts.values[:-1]]
    kept = np.ones(len(who), dtype=np.bool_)
    if drop:
        for codes, size in zip(known, levels, strict=True):
            kept &= codes != size - 1
    everybody = len(np.unique(who))
    rows = np.flatnonzero(kept)
    if not len(rows):
        none = np.empty(0, dtype=np.int64)
        return PeopleOfSets(none, none, none, 0, everybody, none)
    people, person = np.unique(who[rows], return_inverse=True)
    groups = group_records([codes[rows] for codes in known], levels)
    return PeopleOfSets(
        groups.sizes,
        groups.ids.astype(np.int64),
        person.astype(np.int64),
        len(people),
        everybody - len(people),
        rows[groups.first],
    )
