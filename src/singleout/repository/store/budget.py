"""The ledger of a store: what a new record would cost its people, and whom it would leave out.

Only records whose population can overlap count. Where a few do, they are weighed one by one. Where
thousands do, as for a country after all its cities, those of one shape with different values are
taken together: nobody is in two of them, so each rank costs what its dearest record does.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from sqlalchemy import Connection, Select, and_, bindparam, select

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
from singleout.repository.store.determined import determined
from singleout.repository.store.entries import BudgetCharge
from singleout.repository.store.ledger_tables import EXPOSED
from singleout.repository.store.lookup import Shape, single_values
from singleout.repository.store.reading import shapes
from singleout.repository.store.statements import Prepared

__all__ = [
    "COSTS_AT",
    "PARTS",
    "SIZES_AT",
    "WEIGHED",
    "charged",
    "costs_with",
    "largest_with",
    "ledger",
    "numbered",
    "refusal",
]

Entry = LedgerEntry[DeclaredPopulation]

WEIGHED = 150  # records that are compared pair by pair
PARTS = 800  # of a whole: with more, the noise of their sizes hides a group that is too small
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
    return charge((population, cost), pairs, determined(connection).disjoint)


def refusal(
    connection: Connection, new: BudgetCharge, population: DeclaredPopulation
) -> Refusal | None:
    """Return why a record may not be published: a spent budget, or too small a difference."""
    entry = LedgerEntry(population, new.cost, new.tier, int(new.people), new.sd)
    disjoint = determined(connection).disjoint
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


def _contains(outer: DeclaredPopulation, inner: DeclaredPopulation) -> bool:
    return set(outer.root) <= set(inner.root) and outer.contains(inner)


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
    weighed = [_entry(row[:-1]) for row in rows]
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


def numbered(terms: dict[str, str]) -> dict[str, str]:
    """Return terms as parameters of such questions."""
    given = {}
    for number, (name, value) in enumerate(terms.items()):
        given[f"name{number}"], given[f"value{number}"] = name, value
    return given


def _with_terms(wanted: Select[Any], count: int) -> Select[Any]:
    """Return a question about populations that have this many terms."""
    for number in range(count):
        has = select(_terms.c.population).where(
            _terms.c.attribute == bindparam(f"name{number}"),
            _terms.c.value == bindparam(f"value{number}"),
        )
        wanted = wanted.where(_populations.c.population.in_(has))
    return wanted


_SIZE = tuple(_populations.c[name] for name in ("terms", "tier", "people", "sd"))
_COSTS = (
    select(*_SIZE, _charges.c.cost, _charges.c["index"])
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
SIZES_AT = Prepared(
    select(*_SIZE)
    .where(_populations.c.shape == bindparam("shape"), _populations.c.equal == bindparam("equal"))
    .limit(bindparam("most"))
)


@cache
def costs_with(count: int) -> Prepared:
    """Return the question for costs of populations that have this many terms."""
    return Prepared(_with_terms(_COSTS, count))


@cache
def largest_with(count: int) -> Prepared:
    """Return the question for the largest populations that have this many terms."""
    largest = select(*_SIZE).order_by(_populations.c.people.desc()).limit(bindparam("most"))
    return Prepared(_with_terms(largest, count))


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
    found = []
    for shape in shapes(connection, _populations):
        if set(shape.single) <= set(single) and set(shape.several) <= set(sets):
            place = {"shape": str(shape), "equal": shape.values_key(single), "most": PARTS}
            found += [_entry(row) for row in SIZES_AT.rows(connection, **place)]
    return [
        one
        for one in found
        if one.population != population and _contains(one.population, population)
    ]


def _parts(connection: Connection, population: DeclaredPopulation) -> list[Entry]:
    """Return the largest parts of a population, no more than can matter."""
    single, _ = single_values(population)
    rows = largest_with(len(single)).rows(connection, most=PARTS, **numbered(single))
    return [
        one
        for one in map(_entry, rows)
        if one.population != population and _contains(population, one.population)
    ]


def _entry(row: Sequence[Any]) -> Entry:
    terms, tier, people, sd, *cost = row
    return LedgerEntry(_population(terms), cost[0] if cost else 0.0, tier, int(people), sd)


@lru_cache(maxsize=20_000)
def _population(terms: str) -> DeclaredPopulation:
    return DeclaredPopulation.of(json.loads(terms))
