"""The ledger of a store: what a new record would cost its people.

Only records whose population can overlap count. Where a few do, they are weighed one by one. Where
thousands do, as for a country after all its cities, those of one shape with different values are
taken together: nobody is in two of them, so each rank costs what its dearest record does.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, and_, bindparam, select

from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.gate.ledger import (
    LedgerEntry,
    charge,
    check_budget,
)
from singleout.repository.gate.refusal import Refusal
from singleout.repository.gate.tiers import TIERS
from singleout.repository.store.admitted.determined import determined
from singleout.repository.store.admitted.differences import (
    SIZE,
    Entry,
    entry,
    numbered,
    related,
    too_small,
    with_terms,
)
from singleout.repository.store.derived.ledger_tables import EXPOSED
from singleout.repository.store.kept import tables
from singleout.repository.store.kept.entries import BudgetCharge
from singleout.repository.store.kept.lookup import Shape, single_values
from singleout.repository.store.kept.pending import is_alone
from singleout.repository.store.kept.reading import shapes
from singleout.repository.store.kept.statements import Prepared

__all__ = [
    "COSTS_AT",
    "WEIGHED",
    "charged",
    "costs_with",
    "ledger",
    "refusal",
]

WEIGHED = 150  # records that are compared pair by pair
_EVERYBODY = 10**12  # more than there are
_charges, _populations = tables.charges, tables.populations


def charged(
    connection: Connection, population: DeclaredPopulation, cost: float, tier: str | None = None
) -> float:
    """Return what a person would have to bear, a new record of this cost included."""
    most = max(one.total for one in TIERS.values()) if tier is None else TIERS[tier].total
    published = _published(connection, population)
    pairs = [(one.population, one.cost) for one in published if TIERS[one.tier].total <= most]
    return charge((population, cost), pairs, determined(connection).disjoint)


def refusal(
    connection: Connection, new: BudgetCharge, population: DeclaredPopulation
) -> Refusal | None:
    """Return why a record may not be published: a spent budget, or too small a difference."""
    made = LedgerEntry(population, new.cost, new.tier, int(new.people), new.sd)
    known = determined(connection)
    if is_alone(connection, population.key) and not known.says_of(population):
        return check_budget(made, (), known.disjoint)
    published = _published(connection, population)
    return check_budget(made, published, known.disjoint) or too_small(connection, made)


def ledger(connection: Connection, population: DeclaredPopulation) -> list[Entry]:
    """Return what decides whether more may be published about a population.

    That is what the records which share people with it cost, and the sizes of populations that
    contain it, are part of it, or stand beside it in a larger one.
    """
    unknown = LedgerEntry(population, 0.0, "public", _EVERYBODY)
    return [*_published(connection, population), *related(connection, unknown)]


# ---- costs


def _published(connection: Connection, population: DeclaredPopulation) -> list[Entry]:
    """Return the records that overlap a population, or what stands for them."""
    disjoint = determined(connection).disjoint
    single, _ = single_values(population)
    rows: list[Any] = []
    found: list[Entry] = []
    for shape in shapes(connection, _populations):
        some = _overlapping(connection, shape, single)
        if len(some) <= WEIGHED:
            rows += some
        else:
            found += _together(connection, shape, population)
    rows.sort(key=lambda row: row[-1])  # the oldest first
    weighed = [entry(row[:-1]) for row in rows]
    found += [one for one in weighed if not disjoint(one.population, population)]
    return found if len(found) <= WEIGHED else _ranked(found, population)


def _overlapping(connection: Connection, shape: Shape, single: dict[str, str]) -> list[Any]:
    """Return the records of a shape whose single values are not those of other people."""
    shared = [name for name in shape.single if name in single]
    most = {"shape": str(shape), "most": WEIGHED + 1}
    if len(shared) == len(shape.single):
        return COSTS_AT.rows(connection, **most, equal=shape.values_key(single))
    given = {name: single[name] for name in shared}
    return costs_with(len(given)).rows(connection, **most, **numbered(given))


_COSTS = (
    select(*SIZE, _charges.c.cost, _charges.c["index"])
    .join(
        _populations,
        and_(
            _populations.c.population == _charges.c.population,
            _populations.c.tier == _charges.c.tier,
        ),
    )
    .where(_populations.c.shape == bindparam("shape"))
    .limit(bindparam("most"))
)
COSTS_AT = Prepared(_COSTS.where(_populations.c.equal == bindparam("equal")))


@cache
def costs_with(count: int) -> Prepared:
    """Return the question for costs of populations that have this many terms."""
    return Prepared(with_terms(_COSTS, count))


def _together(connection: Connection, shape: Shape, population: DeclaredPopulation) -> list[Entry]:
    """Return what all records of a shape cost anybody at most, rank by rank."""
    rows = EXPOSED.rows(connection, shape=str(shape))
    costs = {(readers, rank): cost for readers, rank, cost in rows}
    found = []
    for (readers, rank), cost in costs.items():
        # readers of the registered tier see the public records too
        more = cost - costs.get(("public", rank), 0.0) if readers != "public" else cost
        if more > 0:
            found.append(LedgerEntry(population, more, readers, 0))
    return found


def _ranked(found: Sequence[Entry], population: DeclaredPopulation) -> list[Entry]:
    """Return fewer entries that cost at least as much: one for each shape, tier and rank."""
    groups: dict[tuple[str, str, str], list[float]] = {}
    for one in found:
        singles = {
            name: term for name, term in one.population.root.items() if type(term) is not dict
        }
        shape = json.dumps(list(one.population.root))
        groups.setdefault((shape, one.tier, json.dumps(singles)), []).append(one.cost)
    ranked: dict[tuple[str, str, int], float] = {}
    for (shape, tier, _), costs in groups.items():
        for rank, cost in enumerate(sorted(costs, reverse=True)):
            place = shape, tier, rank
            ranked[place] = max(ranked.get(place, 0.0), cost)
    return [LedgerEntry(population, cost, tier, 0) for (_, tier, _), cost in ranked.items()]
