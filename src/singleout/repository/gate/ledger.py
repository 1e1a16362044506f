"""What all records together cost one person, and whether two populations differ by too few.

Costs add up over all holders, dates and corrections. Records of populations that exclude each other
cost together as much as the dearest of them, since nobody is in two. The functions are pure: who
keeps the records gives them, with a test of whether two populations are disjoint.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from singleout.repository.gate.noise import grid_above
from singleout.repository.gate.refusal import Refusal
from singleout.repository.gate.tiers import TIERS, Tier, tier_of

__all__ = [
    "ROUNDING",
    "LedgerEntry",
    "charge",
    "check_budget",
    "check_differences",
    "families",
    "noise_hides",
    "over_budget",
    "readable_by",
    "readers_of",
]

PopulationT = TypeVar("PopulationT")

_SURE = 2  # standard deviations
ROUNDING = 1e-9  # of sums of costs


@dataclass(frozen=True)
class LedgerEntry(Generic[PopulationT]):
    """A record as far as the ledger is concerned: nothing of its contents.

    Parameters
    ----------
    population
        Whom it is about.
    cost
        What it costs each of them.
    tier
        Who may read it.
    people
        About how many they are, as published.
    sd
        The standard deviation of the noise of that number.
    """

    population: PopulationT
    cost: float
    tier: str
    people: int
    sd: float = 0.0

    @property
    def variance(self) -> float:
        """The variance of the published number of people: of its noise and of its rounding."""
        grid = grid_above(4 * self.sd) if self.sd > 0 else 0.0
        return self.sd**2 + grid**2 / 12


# ---- costs


def families(
    records: Iterable[tuple[PopulationT, float]],
    disjoint: Callable[[PopulationT, PopulationT], bool],
) -> list[list[tuple[PopulationT, float]]]:
    """Return records in families of mutually disjoint populations, the dearest first."""
    found: list[list[tuple[PopulationT, float]]] = []
    for record in sorted(records, key=lambda record: -record[1]):
        for family in found:
            if all(disjoint(record[0], other) for other, _ in family):
                family.append(record)
                break
        else:
            found.append([record])
    return found


def charge(
    new: tuple[PopulationT, float],
    published: Iterable[tuple[PopulationT, float]],
    disjoint: Callable[[PopulationT, PopulationT], bool],
) -> float:
    """Return at most what a person has to bear, the new record included.

    Records are pairs of a population and a cost.

    >>> cities = [("Delft", 0.25), ("Delft", 0.25), ("Ede", 0.25)]
    >>> def different(one, other):
    ...     return one != other and "everywhere" not in (one, other)
    >>> charge(("Delft", 0.25), cities, different), charge(("everywhere", 0.1), cities, different)
    (0.75, 0.6)
    """
    touched = [record for record in published if not disjoint(record[0], new[0])]
    return math.fsum([new[1], *(family[0][1] for family in families(touched, disjoint))])


def check_budget(
    new: LedgerEntry[PopulationT],
    published: Iterable[LedgerEntry[PopulationT]],
    disjoint: Callable[[PopulationT, PopulationT], bool],
) -> Refusal | None:
    """Return a refusal if the budget of these people is spent in any tier that can read it.

    A public record is read by everybody: it counts for the public budget and for the registered.
    """
    every = list(published)
    for tier in readers_of(new):
        readable = [(e.population, e.cost) for e in readable_by(every, tier)]
        spent = charge((new.population, new.cost), readable, disjoint)
        if spent > tier.total + ROUNDING:
            return over_budget(new, spent, tier)
    return None


def over_budget(new: LedgerEntry[Any], spent: float, tier: Tier) -> Refusal:
    """Return the refusal of a record with which more would be spent than a tier allows."""
    left = max(0.0, tier.total - (spent - new.cost))
    seen = {"spent": spent, "total": tier.total, "left": left, "cost": new.cost}
    return Refusal("budget", new.tier, seen)


def readers_of(entry: LedgerEntry[Any]) -> list[Tier]:
    """Return the tiers whose readers see a record."""
    return [tier for tier in TIERS.values() if tier.total >= tier_of(entry.tier).total]


def readable_by(
    entries: Iterable[LedgerEntry[PopulationT]], tier: Tier
) -> list[LedgerEntry[PopulationT]]:
    """Return the records that readers of a tier see."""
    return [e for e in entries if tier_of(e.tier).total <= tier.total]


# ---- differences


def check_differences(
    new: LedgerEntry[PopulationT],
    published: Iterable[LedgerEntry[PopulationT]],
    *,
    contains: Callable[[PopulationT, PopulationT], bool],
    disjoint: Callable[[PopulationT, PopulationT], bool],
    covered: Callable[[PopulationT, Sequence[PopulationT]], bool] = lambda _whole, _parts: False,
) -> Refusal | None:
    """Return a refusal if a population less published parts of it leaves too few people.

    Parameters
    ----------
    new
        The record to publish.
    published
        What is published already.
    contains
        Whether the first population contains all of the second.
    disjoint
        Whether nobody can be in both.
    covered
        Whether parts are all of a population, so that nobody is left.
    """
    every = list(published)
    for tier in readers_of(new):
        entries = readable_by(every, tier)
        wholes = [e for e in entries if _is_part(new, e, contains)]
        for whole_ in (new, *wholes):
            parts = [e for e in entries if _is_part(e, whole_, contains)]
            for subtracted in _subtractions(whole_, parts, new, disjoint, tier):
                left = _left(whole_, subtracted, tier)
                if left is not None and not covered(
                    whole_.population, [e.population for e in subtracted]
                ):
                    seen = {"people": left, "least": tier.least_people}
                    return Refusal("difference", new.tier, seen)
    return None


def _is_part(
    part: LedgerEntry[PopulationT],
    whole_: LedgerEntry[PopulationT],
    contains: Callable[[PopulationT, PopulationT], bool],
) -> bool:
    """Return whether a population is part of another, and not the same."""
    return contains(whole_.population, part.population) and not contains(
        part.population, whole_.population
    )


def _subtractions(
    whole_: LedgerEntry[PopulationT],
    parts: Sequence[LedgerEntry[PopulationT]],
    new: LedgerEntry[PopulationT],
    disjoint: Callable[[PopulationT, PopulationT], bool],
    tier: Tier,
) -> Iterator[list[LedgerEntry[PopulationT]]]:
    """Yield what the new record allows to subtract: single parts, and disjoint ones together."""
    largest_first = sorted(parts, key=lambda e: -e.people)
    taken = [] if whole_ is new else [new]
    yield from ([part] for part in largest_first if whole_ is new)
    if taken:
        yield list(taken)
    for part in largest_first:
        if noise_hides([whole_, *taken], tier):
            return
        if all(disjoint(part.population, other.population) for other in taken):
            taken.append(part)
            yield list(taken)


def _left(
    whole_: LedgerEntry[PopulationT], parts: Sequence[LedgerEntry[PopulationT]], tier: Tier
) -> int | None:
    """Return how many people are left, if these are too few as far as blurred numbers can tell.

    One part leaves somebody, or it would be the whole. Several parts may well leave nobody: women
    and men, or all cities of a country.
    """
    if noise_hides([whole_, *parts], tier):
        return None
    left = whole_.people - sum(e.people for e in parts)
    unsure = _unsure([whole_, *parts])
    least = -unsure if len(parts) == 1 else unsure
    return max(1, left) if least <= left < tier.least_people else None


def noise_hides(entries: Sequence[LedgerEntry[Any]], tier: Tier) -> bool:
    """Return whether the noise of published numbers hides a group that is too small."""
    return _unsure(entries) >= tier.least_people


def _unsure(entries: Sequence[LedgerEntry[Any]]) -> float:
    """Return how far a sum of published numbers of people can be off."""
    return _SURE * math.sqrt(sum(e.variance for e in entries))
