"""Anonymity sets of people who have several records each: visits, spells, waves of a panel.

The size of a combination is the number of different people who have it. Who has several
combinations is found by the rarest of them: one visit that nobody else made is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from singleout.core.choices import MissingPolicy
from singleout.core.counts import Counts, SizeProfile
from singleout.methods.anonymity.result import AnonymitySets
from singleout.methods.units import people_of_sets, require_units
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = ["sets_of_people"]


def sets_of_people(
    counter: Counter, names: Sequence[str], unit: str, missing: MissingPolicy
) -> AnonymitySets:
    """Return how many people share the rarest combination of each, for one quasi-identifier."""
    require_units(unit, names, missing)
    # ranks in place of values: none leaves the place where the data is
    counts = counter.ranked_counts([*names, unit])
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
    found = people_of_sets(counts, drop=drop)
    return SizeProfile.of(found.rarest), found.dropped
