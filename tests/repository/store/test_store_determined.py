"""The ledger knows that a postcode determines its city, and never charges too little for it."""

from __future__ import annotations

from itertools import product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from store_cases import ADMINISTRATOR, ALICE, Place, body, record, send

from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.repository.gate.ledger import charge
from singleout.repository.store.admitted.determined import Determined

WORDS = {
    "name": "places",
    "version": "1",
    "attributes": {
        "PC4": {"determines": {"City": {"1012": "Amsterdam", "1013": "Amsterdam", "3011": "Ede"}}},
        "City": {"determines": {"Province": {"Amsterdam": "NH", "Ede": "G"}}},
        "Province": {},
    },
}
MOVED = {
    "name": "places",
    "version": "2",
    "attributes": {"PC4": {"determines": {"City": {"1013": "Ede"}}}, "City": {}},
}
RULES = Vocabulary.of(WORDS).rules
_POSTCODES, _CITIES, _PROVINCES = [1012, 1013, 3011, 9999], ["Amsterdam", "Ede", "Urk"], ["NH", "G"]


def _possible(person: dict[str, Any]) -> bool:
    """Whether the mappings allow a person; what they do not list may be anything."""
    attributes: dict[str, Any] = WORDS["attributes"]  # type: ignore[assignment]
    return all(
        mapping.get(str(person[name]), person[other]) == person[other]
        for name, attribute in attributes.items()
        for other, mapping in attribute.get("determines", {}).items()
    )


PEOPLE = [
    person
    for each in product(_POSTCODES, _CITIES, _PROVINCES)
    if _possible(person := dict(zip(("PC4", "City", "Province"), each, strict=True)))
]


def _terms(values: list[Any]) -> st.SearchStrategy[Any]:
    few = st.lists(st.sampled_from(values), min_size=1, max_size=2, unique=True)
    return st.one_of(
        st.sampled_from(values), few.map(lambda v: {"in": v}), few.map(lambda v: {"not_in": v})
    )


_POPULATIONS = st.fixed_dictionaries(
    {},
    optional={
        "PC4": _terms(_POSTCODES),
        "City": _terms(_CITIES),
        "Province": _terms(_PROVINCES),
    },
).map(DeclaredPopulation.of)
_RECORDS = st.tuples(_POPULATIONS, st.sampled_from([0.25, 0.1, 0.05]))


@settings(max_examples=150)
@given(_RECORDS, st.lists(_RECORDS, max_size=6))
def test_nobody_bears_more_than_the_charge(new: Any, published: list[Any]) -> None:
    known = Determined(RULES)
    charged = charge(new, published, known.disjoint)
    assert charged <= charge(new, published, Determined().disjoint) + 1e-9
    for person in PEOPLE:
        if new[0].contains(person):
            borne = new[1] + sum(cost for where, cost in published if where.contains(person))
            assert borne <= charged + 1e-9, (person, borne, charged)


def test_terms_that_follow_are_added_and_doubtful_ones_are_not() -> None:
    known = Determined(RULES)
    amsterdam = {"City": "Amsterdam", "Province": "NH", "PC4": 1012}
    assert known.implied(DeclaredPopulation.of({"PC4": 1012})).to_dict() == amsterdam
    both = DeclaredPopulation.of({"PC4": 1012, "City": "Amsterdam"})
    assert known.implied(both) == known.implied(DeclaredPopulation.of({"PC4": 1012}))
    for other in ({"PC4": 9999}, {"PC4": 1012, "City": "Ede"}, {"PC4": {"in": [1012, 1013]}}):
        assert known.implied(DeclaredPopulation.of(other)) == DeclaredPopulation.of(other)
    moved = Determined([*RULES, *Vocabulary.of(MOVED).rules])
    doubtful = DeclaredPopulation.of({"PC4": 1013})
    assert moved.implied(doubtful) == doubtful
    assert "City" in moved.implied(DeclaredPopulation.of({"PC4": 1012})).to_dict()


def test_a_postcode_does_not_bear_what_another_city_costs(place: Place) -> None:
    store = place.create()
    for number in range(2):
        send(store, record({"City": "Ede"}, qid=(f"a{number}",), size=200))
    assert store.charge({"PC4": 1012}, 0.25) == 0.75
    send(store, body("vocabulary", vocabulary=WORDS))  # a holder's word is not enough
    assert store.charge({"PC4": 1012}, 0.25) == 0.75
    again = {**WORDS, "version": "3"}
    send(store, body("vocabulary", vocabulary=again), ADMINISTRATOR)
    assert store.charge({"PC4": 1012}, 0.25) == 0.25
    assert store.charge({"PC4": 3011}, 0.25) == 0.75
    assert ALICE.id in {one.id for one in store.holders()}
    store.verify()
