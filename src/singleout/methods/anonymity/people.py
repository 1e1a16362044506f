"""Anonymity sets of people who have several records each: visits, spells, waves of a panel.

The size of a combination is the number of different people who have it. Who has several
combinations is found by the rarest of them: one visit that nobody else made is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from singleout.core.choices import MissingPolicy
from singleout.core.counts import Counts, SizeProfile
from singleout.errors import BadChoice, UnusableColumn
from singleout.kernels.grouping.group import group_records
from singleout.methods.anonymity.result import AnonymitySets
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = ["sets_of_people"]


def sets_of_people(
    counter: Counter, names: Sequence[str], unit: str, missing: MissingPolicy
) -> AnonymitySets:
    """Return how many people share the rarest combination of each, for one quasi-identifier."""
    if unit in names:
        raise BadChoice(
            f"{unit!r} says which records are of one person, so it cannot be a quasi-identifier "
            "too; leave it out of one of them."
        )
    if missing == MissingPolicy.WILDCARD:
        raise BadChoice(
            "With unit a missing value is a value like another or a reason to drop the record; a "
            "wildcard is not defined there."
        )
    # ranks in place of values: none leaves the place where the data is
    counts = counter.ranked_counts([*names, unit])
    if (counts.codes[-1] == len(counts.values[-1])).any():
        raise UnusableColumn(
            f"Column {unit!r} is missing in some records, so that nobody knows whose they are; "
            f'leave them out with where, as in "{unit} is not missing".'
        )
    profile, dropped = rarest_sets(counts, drop=missing == MissingPolicy.DROP)
    notes = [say("anonymity.people", unit=repr(unit), rows=counter.rows)]
    if dropped:
        notes.append(say("anonymity.people_left_out", n=dropped))
    return AnonymitySets(
        tuple(names),
        profile,
        missing=missing,
        has_sets=False,
        dropped=dropped,
        notes=(*counter.notes, *notes),
        unit=unit,
    )


def rarest_sets(counts: Counts, *, drop: bool) -> tuple[SizeProfile, int]:
    """Return how many people have a rarest set of each size, and how many were dropped.

    ``counts`` are the distinct pairs of a combination and a person, who is the last column.
    """
    people = np.asarray(counts.codes[-1], dtype=np.int64)
    known, levels = counts.codes[:-1], [len(values) + 1 for values in counts.values[:-1]]
    kept = np.ones(len(people), dtype=np.bool_)
    if drop:
        for codes, size in zip(known, levels, strict=True):
            kept &= codes != size - 1
    everybody = len(np.unique(people))
    people = people[kept]
    if not len(people):
        return SizeProfile.of(np.empty(0, dtype=np.int64)), everybody
    groups = group_records([codes[kept] for codes in known], levels)
    sizes = groups.sizes[groups.ids]
    order = np.argsort(people, kind="stable")
    first = np.flatnonzero(np.diff(people[order], prepend=-1))
    rarest = np.minimum.reduceat(sizes[order], first)
    return SizeProfile.of(rarest.astype(np.int64)), everybody - len(rarest)
