"""The ledger of a store: what a new record would cost its people, and whom it would leave out.

Only records whose population can overlap count. Where a few do, they are weighed one by one. Where
thousands do, as for a country after all its cities, those of one shape with different values are
taken together: nobody is in two of them, so each rank costs what its dearest record does.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Select, and_, or_, select

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
from singleout.repository.store.lookup import Shape, single_values
from singleout.repository.store.reading import shapes

__all__ = ["charged", "ledger", "refusal"]

Entry = LedgerEntry[DeclaredPopulation]

_WEIGHED = 150  # records that are compared pair by pair
_PARTS = 800  # of a whole: with more, the noise of their sizes hides a group that is too small
_EVERYBODY = 10**12  # more than there are
_LEAST = max(tier.least_people for tier in TIERS.values())
_charges, _populations, _terms = tables.charges, tables.populations, tables.population_terms


def charged(
    connection: Connection, population: DeclaredPopulation, cost: float, tier: str | None = None
) -> float:
    """Return what a person would have to bear, a new record of this cost included."""
    most = max(one.total for one in TIERS.values()) if tier is None else TIERS[tier].total
    published = _published(connection, population)
    pairs = [(one.population, one.cost) for one in published if TIERS[one.tier].total <= most]
    return charge((population, cost), pairs, disjoint)


def refusal(connection: Connection, new: BudgetCharge) -> Refusal | None:
    """Return why a record may not be published: a spent budget, or too small a difference."""
    population = DeclaredPopulation.of(new.population)
    entry = LedgerEntry(population, new.cost, new.tier, int(new.people), new.sd)
    return check_budget(entry, _published(connection, population), disjoint) or check_differences(
        entry, _related(connection, entry), contains=_contains, disjoint=disjoint
    )


def ledger(connection: Connection, population: DeclaredPopulation) -> list[Entry]:
    """Return what decides whether more may be published about a population.

    That is what the records which share people with it cost, and the sizes of populations that
    contain it, are part of it, or stand beside it in a larger one.
    """
    unknown = LedgerEntry(population, 0.0, "public", _EVERYBODY)
    return [*_published(connection, population), *_related(connection, unknown)]


def disjoint(one: DeclaredPopulation, other: DeclaredPopulation) -> bool:
    """Return whether nobody can be in both; different single values decide at once."""
    theirs = other.root
    for name, term in one.root.items():
        apart = theirs.get(name, term)
        if apart != term and not isinstance(term, dict) and not isinstance(apart, dict):
            return True
    return one.is_disjoint(other)


def _contains(outer: DeclaredPopulation, inner: DeclaredPopulation) -> bool:
    return set(outer.root) <= set(inner.root) and outer.contains(inner)


# ---- costs


def _published(connection: Connection, population: DeclaredPopulation) -> list[Entry]:
    """Return the records that overlap a population, or what stands for them."""
    single, _ = single_values(population)
    found: list[Entry] = []
    for shape in shapes(connection, _populations):
        rows = connection.execute(_overlapping(shape, single).limit(_WEIGHED + 1)).all()
        if len(rows) <= _WEIGHED:
            entries = [_entry(row) for row in rows]
            found += [one for one in entries if not disjoint(one.population, population)]
        else:
            found += _together(connection, shape, population)
    return found if len(found) <= _WEIGHED else _ranked(found, population)


def _overlapping(shape: Shape, single: dict[str, str]) -> Select[Any]:
    """Select the records of a shape whose single values are not those of other people."""
    wanted = (
        select(_charges.c.cost, _populations)
        .join(
            _populations,
            and_(
                _populations.c.population == _charges.c.population,
                _populations.c.tier == _charges.c.tier,
            ),
        )
        .where(_populations.c.shape == str(shape))
    )
    shared = [name for name in shape.single if name in single]
    if len(shared) == len(shape.single):
        return wanted.where(_populations.c.equal == shape.values_key(single))
    for name in shared:
        wanted = wanted.where(
            _populations.c.population.in_(
                select(_terms.c.population).where(
                    _terms.c.attribute == name, _terms.c.value == single[name]
                )
            )
        )
    return wanted


def _together(connection: Connection, shape: Shape, population: DeclaredPopulation) -> list[Entry]:
    """Return what all records of a shape cost anybody at most, rank by rank."""
    table = tables.exposures
    rows = connection.execute(select(table).where(table.c.shape == str(shape))).all()
    costs = {(row.readers, row.rank): row.cost for row in rows}
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


# ---- differences


def _related(connection: Connection, new: Entry) -> list[Entry]:
    """Return the populations that contain the new one, are part of it, or are parts beside it.

    Parts are left out where all of them together leave enough people of the whole anyway.
    """
    wholes = [
        one
        for one in _wholes(connection, new.population)
        if not noise_hides([one], TIERS["public"])
    ]
    found = {(one.population.key, one.tier): one for one in wholes}
    for whole in (new, *wholes):
        parts = _parts(connection, whole.population)
        covered = sum(one.people for one in parts) + (0 if whole is new else new.people)
        slack = 4 * sum(one.variance for one in (whole, new, *parts)) ** 0.5
        if whole is new or covered + slack > whole.people - _LEAST:
            found.update({(one.population.key, one.tier): one for one in parts})
    return list(found.values())


def _wholes(connection: Connection, population: DeclaredPopulation) -> list[Entry]:
    single, sets = single_values(population)
    keys = [
        and_(_populations.c.shape == str(shape), _populations.c.equal == shape.values_key(single))
        for shape in shapes(connection, _populations)
        if set(shape.single) <= set(single) and set(shape.several) <= set(sets)
    ]
    if not keys:
        return []
    rows = connection.execute(select(_populations).where(or_(*keys)).limit(_PARTS))
    return [
        one
        for one in map(_entry, rows)
        if one.population != population and _contains(one.population, population)
    ]


def _parts(connection: Connection, population: DeclaredPopulation) -> list[Entry]:
    """Return the largest parts of a population, no more than can matter."""
    wanted = select(_populations).order_by(_populations.c.people.desc()).limit(_PARTS)
    for name, value in single_values(population)[0].items():
        wanted = wanted.where(
            _populations.c.population.in_(
                select(_terms.c.population).where(
                    _terms.c.attribute == name, _terms.c.value == value
                )
            )
        )
    return [
        one
        for one in map(_entry, connection.execute(wanted))
        if one.population != population and _contains(population, one.population)
    ]


def _entry(row: Any) -> Entry:
    fields = row._mapping
    return LedgerEntry(
        _population(fields["terms"]),
        fields.get("cost", 0.0),
        fields["tier"],
        int(fields["people"]),
        fields["sd"],
    )


@lru_cache(maxsize=20_000)
def _population(terms: str) -> DeclaredPopulation:
    return DeclaredPopulation.of(json.loads(terms))
