"""Populations that differ from a new one by too few people: wholes, parts, and parts beside it.

A vocabulary tells that one population is part of another which names other attributes: a postcode
of its city. The test is made without that first, and then with it, so that what vocabularies say
can only lead to more refusals.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from sqlalchemy import Connection, Select, bindparam, select

from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.values import ValueSet
from singleout.repository.gate.ledger import LedgerEntry, check_differences, noise_hides
from singleout.repository.gate.refusal import Refusal
from singleout.repository.gate.tiers import TIERS
from singleout.repository.store.admitted.determined import Determined, determined
from singleout.repository.store.kept import tables
from singleout.repository.store.kept.lookup import single_in, single_values
from singleout.repository.store.kept.reading import shapes
from singleout.repository.store.kept.statements import Prepared, is_among, listed

__all__ = [
    "PARTS",
    "SIZE",
    "SIZES_AT",
    "Entry",
    "entry",
    "largest_with",
    "numbered",
    "related",
    "too_small",
    "with_terms",
]

Entry = LedgerEntry[DeclaredPopulation]

PARTS = 800  # of a whole: with more, the noise of their sizes hides a group that is too small
_LEAST = max(tier.least_people for tier in TIERS.values())
_populations, _terms = tables.populations, tables.population_terms
SIZE = tuple(_populations.c[name] for name in ("terms", "tier", "people", "sd"))


def too_small(connection: Connection, new: Entry) -> Refusal | None:
    """Return a refusal if a new record leaves too few people of a published population."""
    known = determined(connection)
    plain = _Differences(connection, Determined())
    found = check_differences(new, plain.related(new), contains=_contains, disjoint=known.disjoint)
    if found is not None or not known.says_of(new.population):
        return found
    return check_differences(
        new,
        _Differences(connection, known).related(new),
        contains=known.contains,
        disjoint=known.disjoint,
    )


def related(connection: Connection, new: Entry) -> list[Entry]:
    """Return the populations that contain the new one, are part of it, or are parts beside it."""
    return _Differences(connection, determined(connection)).related(new)


def _contains(outer: DeclaredPopulation, inner: DeclaredPopulation) -> bool:
    return set(outer.root) <= set(inner.root) and outer.contains(inner)


class _Differences:
    """Wholes and parts, as far as vocabularies tell what follows from what."""

    def __init__(self, connection: Connection, known: Determined) -> None:
        self._connection = connection
        self._known = known

    def related(self, new: Entry) -> list[Entry]:
        """Return wholes and parts.

        Parts are left out where all of them together leave enough people of the whole anyway.
        """
        wholes = [
            one for one in self._wholes(new.population) if not noise_hides([one], TIERS["public"])
        ]
        found = {(one.population.key, one.tier): one for one in wholes}
        for whole in (new, *wholes):
            parts = self._parts(whole.population)
            covered = sum(one.people for one in parts) + (0 if whole is new else new.people)
            slack = 4 * sum(one.variance for one in (whole, new, *parts)) ** 0.5
            if whole is new or covered + slack > whole.people - _LEAST:
                found.update({(one.population.key, one.tier): one for one in parts})
        return list(found.values())

    def _contains(self, outer: DeclaredPopulation, inner: DeclaredPopulation) -> bool:
        return _contains(outer, inner) or (
            self._known.says_of(outer) and self._known.contains(outer, inner)
        )

    def _wholes(self, population: DeclaredPopulation) -> list[Entry]:
        sets: Mapping[str, ValueSet] = population.sets
        if self._known.says_of(population):
            sets = {**sets, **self._known.left(population)}
        single = single_in(sets)
        found = []
        for shape in shapes(self._connection, _populations):
            if set(shape.single) <= set(single) and set(shape.several) <= set(sets):
                place = {"shape": str(shape), "equal": shape.values_key(single), "most": PARTS}
                found += [entry(row) for row in SIZES_AT.rows(self._connection, **place)]
        return [
            one
            for one in found
            if one.population != population and self._contains(one.population, population)
        ]

    def _parts(self, population: DeclaredPopulation) -> list[Entry]:
        """Return the largest parts of a population, no more than can matter."""
        single, _ = single_values(population)
        rows = largest_with(len(single)).rows(self._connection, most=PARTS, **numbered(single))
        found = {}
        for one in map(entry, [*rows, *self._determined(population, single)]):
            if one.population != population and self._contains(population, one.population):
                found[one.population.key, one.tier] = one
        return list(found.values())

    def _determined(
        self, population: DeclaredPopulation, single: Mapping[str, str]
    ) -> list[Sequence[Any]]:
        """Return the largest populations with a value that can determine a term."""
        known = self._known
        if known.following.isdisjoint(population.root):
            return []
        given = {name: value for name, value in single.items() if name not in known.following}
        place = {"most": PARTS, **numbered(given)}
        rows: list[Sequence[Any]] = []
        for name in sorted(known.determining):
            codes = listed(known.codes(name, population))
            among = _largest_among(len(given))
            rows += among.rows(self._connection, **place, attribute=name, codes=codes)
        for shape in shapes(self._connection, _populations):
            if not known.determining.isdisjoint(shape.several):
                rows += _largest_of(len(given)).rows(self._connection, **place, shape=str(shape))
        return rows


# ---- statements


def numbered(terms: dict[str, str]) -> dict[str, str]:
    """Return terms as parameters of such questions."""
    given = {}
    for number, (name, value) in enumerate(terms.items()):
        given[f"name{number}"], given[f"value{number}"] = name, value
    return given


def with_terms(wanted: Select[Any], count: int) -> Select[Any]:
    """Return a question about populations that have this many terms."""
    for number in range(count):
        has = select(_terms.c.population).where(
            _terms.c.attribute == bindparam(f"name{number}"),
            _terms.c.value == bindparam(f"value{number}"),
        )
        wanted = wanted.where(_populations.c.population.in_(has))
    return wanted


SIZES_AT = Prepared(
    select(*SIZE)
    .where(_populations.c.shape == bindparam("shape"), _populations.c.equal == bindparam("equal"))
    .limit(bindparam("most"))
)
_LARGEST = select(*SIZE).order_by(_populations.c.people.desc()).limit(bindparam("most"))


@cache
def largest_with(count: int) -> Prepared:
    """Return the question for the largest populations that have this many terms."""
    return Prepared(with_terms(_LARGEST, count))


@cache
def _largest_among(count: int) -> Prepared:
    has = select(_terms.c.population).where(
        _terms.c.attribute == bindparam("attribute"), is_among(_terms.c.value, "codes")
    )
    return Prepared(with_terms(_LARGEST.where(_populations.c.population.in_(has)), count))


@cache
def _largest_of(count: int) -> Prepared:
    return Prepared(with_terms(_LARGEST.where(_populations.c.shape == bindparam("shape")), count))


def entry(row: Sequence[Any]) -> Entry:
    """Return the entry of a row of sizes, with its cost if there is one."""
    terms, tier, people, sd, *cost = row
    return LedgerEntry(_population(terms), cost[0] if cost else 0.0, tier, int(people), sd)


@lru_cache(maxsize=20_000)
def _population(terms: str) -> DeclaredPopulation:
    return DeclaredPopulation.of(json.loads(terms))
