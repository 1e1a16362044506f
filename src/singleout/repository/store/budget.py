"""The ledger of a store: what a new record would cost its people, and what it would leave out.

Only records whose population can overlap count. Those that cannot are left out by the index before
the exact test.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlalchemy import Connection, or_, select

from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.gate.ledger import (
    LedgerEntry,
    charge,
    check_budget,
    check_differences,
    noise_hides,
)
from singleout.repository.gate.refusal import Refusal
from singleout.repository.gate.tiers import TIERS
from singleout.repository.store import tables
from singleout.repository.store.entries import BudgetCharge
from singleout.repository.store.lookup import single_values
from singleout.repository.store.reading import shapes

if TYPE_CHECKING:
    from sqlalchemy import Row

__all__ = ["charged", "ledger", "refusal"]

_charges = tables.charges


def charged(
    connection: Connection, population: DeclaredPopulation, cost: float, tier: str | None = None
) -> float:
    """Return what a person would have to bear, a new record of this cost included."""
    total = TIERS[tier].total if tier is not None else max(one.total for one in TIERS.values())
    readable = [one for one in _overlapping(connection, population) if _total(one) <= total]
    pairs = [(one.population, one.cost) for one in readable]
    return charge((population, cost), pairs, _disjoint)


def _total(entry: LedgerEntry[DeclaredPopulation]) -> float:
    return TIERS[entry.tier].total


def refusal(connection: Connection, new: BudgetCharge) -> Refusal | None:
    """Return why a record may not be published: a spent budget, or too small a difference."""
    population = DeclaredPopulation.of(new.population)
    entry = LedgerEntry(population, new.cost, new.tier, int(new.people), new.sd)
    published = ledger(connection, population)
    return check_budget(entry, published, _disjoint) or check_differences(
        entry,
        _one_each(published),
        contains=lambda outer, inner: outer.contains(inner),
        disjoint=_disjoint,
    )


def ledger(
    connection: Connection, population: DeclaredPopulation
) -> list[LedgerEntry[DeclaredPopulation]]:
    """Return the records that share people with a population, and those beside it in a larger one.

    What is left of a larger population without all of them may be too few people. Where its own
    noise hides that, nothing beside it is looked for.
    """
    near = list(_overlapping(connection, population))
    larger = {
        one.population
        for one in near
        if not noise_hides([one], TIERS["public"])
        and one.population.contains(population)
        and not population.contains(one.population)
    }
    beside = {
        one
        for whole in larger
        for one in _overlapping(connection, whole)
        if _disjoint(one.population, population)
    }
    return [*near, *beside]


def _disjoint(one: DeclaredPopulation, other: DeclaredPopulation) -> bool:
    mine, theirs = one.root, other.root
    for name, term in mine.items():
        if name in theirs:
            apart = theirs[name]
            if not isinstance(term, dict) and not isinstance(apart, dict) and term != apart:
                return True
    return one.is_disjoint(other)


def _one_each(
    published: Sequence[LedgerEntry[DeclaredPopulation]],
) -> list[LedgerEntry[DeclaredPopulation]]:
    """Return the best known size of each population and tier."""
    best: dict[tuple[str, str], LedgerEntry[DeclaredPopulation]] = {}
    for entry in published:
        place = entry.population.key, entry.tier
        if place not in best or entry.sd < best[place].sd:
            best[place] = entry
    return list(best.values())


def _overlapping(
    connection: Connection, population: DeclaredPopulation
) -> Iterator[LedgerEntry[DeclaredPopulation]]:
    single, _ = single_values(population)
    conditions = []
    for shape in shapes(connection, _charges):
        where = _charges.c.shape == str(shape)
        if set(shape.single) <= set(single):
            where &= _charges.c.equal == shape.values_key(single)
        conditions.append(where)
    if not conditions:
        return
    for row in connection.execute(select(_charges).where(or_(*conditions))):
        entry = _entry(row)
        if not _disjoint(entry.population, population):
            yield entry


def _entry(row: Row[tuple[object, ...]]) -> LedgerEntry[DeclaredPopulation]:
    fields = row._mapping
    return LedgerEntry(
        _population(fields["terms"]),
        fields["cost"],
        fields["tier"],
        int(fields["people"]),
        fields["sd"],
    )


@lru_cache(maxsize=10_000)
def _population(terms: str) -> DeclaredPopulation:
    return DeclaredPopulation.of(json.loads(terms))
