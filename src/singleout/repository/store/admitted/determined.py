"""What vocabularies say of populations in the ledger: a postcode determines its city.

It tells that nobody is in two populations, which lowers a charge, so that it must never be wrong:
vocabularies count that a moderator or an administrator registered, where they agree, and for values
that they map one by one. A value that they do not list may be anybody's. And it tells that one
population is part of another which names other attributes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, select

from singleout.repository.documents.closure import Determination, closed_under
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.values import EVERYTHING, Scalar, ValueSet, text_of
from singleout.repository.store.kept import reading, tables
from singleout.repository.store.kept.statements import Prepared

__all__ = ["REGISTERED", "Determined", "determined"]

_REMEMBERED = 10_000  # populations
_TRUSTED = {"moderator", "administrator"}
_entries, _vocabularies = tables.entries, tables.vocabularies
REGISTERED = Prepared(
    select(_vocabularies.c.hash, _entries.c.leaf)
    .join(_entries, _entries.c["index"] == _vocabularies.c["index"])
    .order_by(_vocabularies.c["index"])
)


class Determined:
    """Values that follow from others, as far as all mappings agree.

    Parameters
    ----------
    rules
        What determines what, value by value.
    """

    def __init__(self, rules: Iterable[Determination] = ()) -> None:
        self._rules: dict[tuple[str, str], dict[str, Scalar | None]] = {}
        whole: set[str] = set()
        for rule in rules:
            whole |= {rule.name} if rule.whole or rule.mapped.is_whole else set()
            known = self._rules.setdefault((rule.name, rule.other), {})
            for key, value in rule.mapping.items():
                agrees = text_of(value) == _text(known.get(key, value))
                known[key] = value if agrees else None  # None: they do not agree
        self._implied: dict[str, DeclaredPopulation] = {}
        self._left: dict[str, dict[str, ValueSet]] = {}
        self._origins: dict[tuple[str, str], dict[Scalar, list[str]]] = {}
        agreed = {
            place: {key: value for key, value in mapping.items() if value is not None}
            for place, mapping in self._rules.items()
        }
        self._agreed = tuple(
            Determination(name, other, mapping, name in whole)
            for (name, other), mapping in agreed.items()
            if mapping
        )
        self.determining = frozenset(rule.name for rule in self._agreed)
        self.following = frozenset(rule.other for rule in self._agreed)

    def implied(self, population: DeclaredPopulation) -> DeclaredPopulation:
        """Return a population with the values that its single values determine.

        One whose terms contradict the mappings is returned as it is.
        """
        if not self._rules:
            return population
        if population.key not in self._implied:
            if len(self._implied) >= _REMEMBERED:
                self._implied.clear()
            self._implied[population.key] = self._closed(population)
        return self._implied[population.key]

    def _closed(self, population: DeclaredPopulation) -> DeclaredPopulation:
        terms = dict(population.root)
        waiting = True
        while waiting:
            waiting = False
            for (name, other), mapping in self._rules.items():
                term = terms.get(name)
                if term is None or isinstance(term, dict):
                    continue
                value = mapping.get(text_of(term))
                if value is None:
                    continue
                if other not in terms:
                    terms[other] = value
                    waiting = True
                elif value not in ValueSet.of(terms[other], other):
                    return population
        return DeclaredPopulation.of(terms)

    def disjoint(self, one: DeclaredPopulation, other: DeclaredPopulation) -> bool:
        """Whether nobody can be in both."""
        mine, theirs = self.implied(one), self.implied(other)
        for name, term in mine.root.items():
            apart = theirs.root.get(name, term)
            if apart != term and not isinstance(term, dict) and not isinstance(apart, dict):
                return True
        return mine.is_disjoint(theirs)

    # ---- parts

    def says_of(self, population: DeclaredPopulation) -> bool:
        """Whether anything is known of the attributes of a population."""
        return not population.root.keys().isdisjoint(self.determining | self.following)

    def left(self, population: DeclaredPopulation) -> dict[str, ValueSet]:
        """Return the values that are left for each attribute.

        Of a population whose terms contradict the mappings, they are its own.
        """
        found = self._left.get(population.key)
        if found is None:
            found = closed_under(population.sets, {}, self._agreed)
            if any(values.is_empty for values in found.values()):
                found = population.sets
            if len(self._left) >= _REMEMBERED:
                self._left.clear()
            self._left[population.key] = found
        return found

    def contains(self, outer: DeclaredPopulation, inner: DeclaredPopulation) -> bool:
        """Whether everybody of a population is in another."""
        left = self.left(inner)
        return all(
            name in left and _within(left[name], values) for name, values in outer.sets.items()
        )

    def codes(self, name: str, population: DeclaredPopulation) -> list[str]:
        """Return the values of an attribute that determine what a population allows."""
        left = self.left(population)
        return [
            key
            for rule in self._agreed
            if rule.name == name
            for value, keys in self._keys(rule).items()
            if value in left.get(rule.other, EVERYTHING)
            for key in keys
        ]

    def _keys(self, rule: Determination) -> dict[Scalar, list[str]]:
        place = rule.name, rule.other
        if place not in self._origins:
            found: dict[Scalar, list[str]] = {}
            for key, value in rule.mapping.items():
                found.setdefault(value, []).append(key)
            self._origins[place] = found
        return self._origins[place]


def _within(inner: ValueSet, outer: ValueSet) -> bool:
    if inner.negated and not outer.negated:
        return False  # what is not listed is outside
    outside = inner - outer
    return (outside.discrete() if inner.is_whole and outer.is_whole else outside).is_empty


def _text(value: Scalar | None) -> str | None:
    return None if value is None else text_of(value)


def determined(connection: Connection) -> Determined:
    """Return what the vocabularies of a store determine that somebody trusted registered."""
    rows = REGISTERED.rows(connection)
    if not rows:
        return _NOTHING
    roles: Mapping[str, set[str]] = {
        one.id: set(one.roles) if one.active else set() for one in reading.holders(connection)
    }
    trusted = tuple(
        str(wanted)
        for wanted, leaf in rows
        if _TRUSTED & roles.get(json.loads(bytes(leaf))["by"], set())
    )
    if trusted not in _KNOWN:
        if len(_KNOWN) >= 16:
            _KNOWN.clear()
        found = [reading.find_vocabulary(connection, wanted) for wanted in trusted]
        _KNOWN[trusted] = Determined(rule for one in found if one for rule in one.rules)
    return _KNOWN[trusted]


_NOTHING = Determined()
_KNOWN: dict[tuple[str, ...], Determined] = {}
