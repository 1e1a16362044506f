"""What vocabularies say of populations in the ledger: a postcode determines its city.

Only to find that nobody is in two populations, which lowers a charge, so that it must never be
wrong: vocabularies count that a moderator or an administrator registered, where they agree, and for
values that they map one by one. A value that they do not list may be anybody's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, select

from singleout.repository.documents.closure import Determination
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.values import Scalar, ValueSet, text_of
from singleout.repository.store import reading, tables
from singleout.repository.store.statements import Prepared

__all__ = ["REGISTERED", "Determined", "determined"]

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
        for rule in rules:
            known = self._rules.setdefault((rule.name, rule.other), {})
            for key, value in rule.mapping.items():
                agrees = text_of(value) == _text(known.get(key, value))
                known[key] = value if agrees else None  # None: they do not agree
        self._implied: dict[str, DeclaredPopulation] = {}

    def implied(self, population: DeclaredPopulation) -> DeclaredPopulation:
        """Return a population with the values that its single values determine.

        One whose terms contradict the mappings is returned as it is.
        """
        if not self._rules:
            return population
        if population.key not in self._implied:
            if len(self._implied) >= 10_000:
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
