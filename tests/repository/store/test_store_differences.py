"""A postcode and its city are of nearly the same people: the difference test knows it."""

from __future__ import annotations

from itertools import chain, combinations, product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from store_cases import ADMINISTRATOR, Place, body, record, send

from singleout.errors import NotPublishable
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.repository.store.admitted import differences
from singleout.repository.store.admitted.budget import refusal
from singleout.repository.store.admitted.determined import Determined
from singleout.repository.store.derived.ledger_tables import LedgerTables
from singleout.repository.store.kept import tables
from singleout.repository.store.kept.entries import BudgetCharge
from singleout.repository.store.store import Store

MAPPINGS = {
    "PC4": {"City": {"1012": "Amsterdam", "1013": "Amsterdam", "8321": "Urk"}},
    "City": {"Province": {"Amsterdam": "NH", "Urk": "FL"}},
    "Province": {},
}
WORDS = {
    "name": "places",
    "version": "1",
    "attributes": {name: {"determines": rules} for name, rules in MAPPINGS.items()},
}
RULES = Vocabulary.of(WORDS).rules
LEAST = 1_000
VALUES = {"PC4": [1012, 1013, 8321, 9999], "City": ["Amsterdam", "Urk"], "Province": ["NH", "FL"]}
# nobody names these: a complement always holds a value that is not listed
_OTHERS = {"PC4": 7777, "City": "Ede", "Province": "G"}


def _possible(person: dict[str, Any]) -> bool:
    return all(
        mapping.get(str(person[name]), person[other]) == person[other]
        for name, rules in MAPPINGS.items()
        for other, mapping in rules.items()
    )


PEOPLE = [
    person
    for each in product(*([*VALUES[name], _OTHERS[name]] for name in VALUES))
    if _possible(person := dict(zip(VALUES, each, strict=True)))
]


def _members(population: DeclaredPopulation) -> frozenset[int]:
    return frozenset(number for number, person in enumerate(PEOPLE) if population.contains(person))


def _terms(values: list[Any]) -> st.SearchStrategy[Any]:
    few = st.lists(st.sampled_from(values), min_size=1, max_size=2, unique=True)
    ranges = st.just({"from": 1012, "to": 1013}) if 1012 in values else st.nothing()
    return st.one_of(
        st.sampled_from(values),
        few.map(lambda some: {"in": some}),
        few.map(lambda some: {"not_in": some}),
        ranges,
    )


_POPULATIONS = st.fixed_dictionaries(
    {}, optional={name: _terms(values) for name, values in VALUES.items()}
).map(DeclaredPopulation.of)

# of one attribute each: most pairs are in no relation without a vocabulary
_SIMPLE = st.one_of(
    [_terms(values).map(lambda term, n=name: {n: term}) for name, values in VALUES.items()]
).map(DeclaredPopulation.of)


@settings(max_examples=150)
@given(_POPULATIONS, _POPULATIONS)
def test_a_part_is_known_exactly(outer: DeclaredPopulation, inner: DeclaredPopulation) -> None:
    assume(_members(inner))
    assert Determined(RULES).contains(outer, inner) == (_members(inner) <= _members(outer))


@settings(max_examples=60)
@given(st.data())
def test_too_few_people_are_left_as_by_enumeration(file_place: Place, data: st.DataObject) -> None:
    """Each pair that differs by too few is refused, and nothing without any such difference."""
    sizes = data.draw(st.lists(st.sampled_from([10, 100, 400, 2000]), min_size=30, max_size=30))
    where = data.draw(
        st.lists(_SIMPLE | _POPULATIONS, min_size=2, max_size=5, unique_by=lambda p: p.key)
    )
    weights = dict(enumerate(sizes[: len(PEOPLE)] + [2000] * len(PEOPLE)))
    populations = [(one, _members(one)) for one in where]
    assume(all(members for _, members in populations))
    people = {one.key: sum(weights[who] for who in members) for one, members in populations}
    (new, mine), *published = populations
    store = _ledger_of(file_place, [(one, people[one.key]) for one, _ in published])
    after = _is_refused(store, new, people[new.key], Determined(RULES))
    if _is_refused(store, new, people[new.key], Determined()):
        assert after  # what vocabularies say never allows more
        return
    for _, theirs in published:
        small, large = sorted((mine, theirs), key=len)
        if small < large and sum(weights[who] for who in large - small) < LEAST:
            assert after
    if after:
        assert _some_difference_is_small(mine, [theirs for _, theirs in published], weights)


def _some_difference_is_small(
    new: frozenset[int], published: list[frozenset[int]], weights: dict[int, int]
) -> bool:
    every = [new, *published]
    for whole in every:
        parts = [part for part in every if part < whole]
        chosen = chain.from_iterable(
            combinations(parts, count) for count in range(1, len(parts) + 1)
        )
        for some in chosen:
            apart = sum(map(len, some)) == len(frozenset().union(*some))
            left = sum(weights[who] for who in whole.difference(*some))
            if apart and left < LEAST:
                return True
    return False


_stores: dict[str, Store] = {}


def _ledger_of(place: Place, published: list[tuple[DeclaredPopulation, int]]) -> Store:
    name = str(place.target)
    if name not in _stores:
        _stores.clear()
        _stores[name] = place.create(personal=True)
    store = _stores[name]
    with store._engine.begin() as connection:
        for table in ("charges", "populations", "population_terms", "exposures"):
            connection.execute(getattr(tables, table).delete())
        ledger = LedgerTables(connection)
        for index, (where, people) in enumerate(published):
            ledger.charge(index, _charge(where, people))
    return store


def _charge(where: DeclaredPopulation, people: int) -> BudgetCharge:
    return BudgetCharge(tier="public", cost=0.01, people=people, population=where.root)


def _is_refused(store: Store, new: DeclaredPopulation, people: int, known: Determined) -> bool:
    with pytest.MonkeyPatch.context() as patch, store._engine.connect() as connection:
        patch.setattr(differences, "determined", lambda _connection: known)
        return refusal(connection, _charge(new, people), new) is not None


URK = {"City": "Urk"}
MOST_OF_URK = [
    {"PC4": 8321},
    {"PC4": {"in": [8321, 8322]}},
    {"PC4": {"from": 8321, "to": 8322}},
    {"PC4": 8321, "City": {"in": ["Amsterdam", "Urk"]}},
    {"PC4": 8321, "Province": "FL"},
]


@pytest.mark.parametrize("most", MOST_OF_URK, ids=str)
@pytest.mark.parametrize("city_first", [True, False])
def test_nearly_all_of_a_city_is_refused_beside_it(
    file_place: Place, most: dict[str, Any], city_first: bool
) -> None:
    store = file_place.create()
    codes = {"1012": "Amsterdam", "8321": "Urk", "8322": "Urk"}
    rules = {**MAPPINGS, "PC4": {"City": codes}}
    words = {**WORDS, "attributes": {name: {"determines": some} for name, some in rules.items()}}
    send(store, body("vocabulary", vocabulary=words), ADMINISTRATOR)
    published, new = (URK, most) if city_first else (most, URK)
    send(store, record(published, size=40 if city_first else 35))
    with pytest.raises(NotPublishable, match="too few people"):
        send(store, record(new, ("income",), size=35 if city_first else 40))
    send(store, record(new, ("income",), size=20 if city_first else 60))


def test_the_last_postcode_of_a_city_is_refused_if_it_leaves_few(place: Place) -> None:
    store = place.create()
    send(store, record({"City": "Amsterdam"}, size=42))
    send(store, record({"PC4": 1012}, ("income",), size=20))
    send(store, body("vocabulary", vocabulary=WORDS))  # a holder's word is not enough
    words = {**WORDS, "version": "2"}
    send(store, body("vocabulary", vocabulary=words), ADMINISTRATOR)
    with pytest.raises(NotPublishable, match="too few people"):
        send(store, record({"PC4": 1013}, ("income",), size=17))
    send(store, record({"PC4": 8321}, ("income",), size=17))
    store.verify()
