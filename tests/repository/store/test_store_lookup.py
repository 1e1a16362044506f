"""Records are found by index exactly where every population is tested, and nearest first."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from store_cases import ALICE, Place, body, record, send

from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.repository.store.lookup import Shape, address_of, keys_of_supersets, single_values

WORDS = Vocabulary.of(
    {
        "name": "places",
        "version": "1",
        "attributes": {
            "City": {"values": ["Urk", "Ede"]},
            "PC4": {"determines": {"City": {"1056": "Urk", "1057": "Ede"}}},
            "age": {"kind": "integer", "values": {"from": 0, "to": 120}},
        },
    }
)
numbers = st.integers(0, 6)
terms = st.one_of(
    numbers,
    st.sampled_from(["N", "S", "2020-01-01"]),
    st.tuples(numbers, numbers).map(lambda ends: {"from": min(ends), "to": max(ends)}),
    st.tuples(numbers, numbers).map(lambda ends: {"above": min(ends) - 1, "below": max(ends) + 1}),
    numbers.map(lambda end: {"from": end}),
    st.lists(numbers, min_size=1, max_size=3).map(lambda items: {"in": items}),
    st.lists(numbers, min_size=1, max_size=2).map(lambda items: {"not_in": items}),
)
populations = st.dictionaries(st.sampled_from(["City", "PC4", "age"]), terms, max_size=3)


@settings(max_examples=300)
@given(populations, populations, st.booleans())
def test_the_index_leads_to_every_population_that_contains_another(
    outer: dict[str, Any], inner: dict[str, Any], with_words: bool
) -> None:
    vocabulary = WORDS if with_words else None
    large, small = DeclaredPopulation.of(outer), DeclaredPopulation.of(inner)
    if not large.contains(small, vocabulary) or small.is_empty(vocabulary):
        return
    address = address_of(large)
    keys = keys_of_supersets([Shape.read(address.shape)], *single_values(small, vocabulary))
    assert [(shape, equal) for shape, equal, _, _ in keys] == [(address.shape, address.equal)]
    ((_, _, low, high),) = keys
    if None not in (low, high, address.low, address.high):
        assert address.low <= low + 1  # type: ignore[operator]
        assert address.high >= high - 1  # type: ignore[operator]


def test_the_nearest_super_population_comes_first(place: Place) -> None:
    store = place.create(personal=True, owner=ALICE)
    sent = [
        {},
        {"country": "NL"},
        {"country": "NL", "City": "Urk"},
        {"country": "NL", "City": "Urk", "age": {"from": 18, "to": 64}},
        {"country": "NL", "City": "Ede"},
        {"country": "BE"},
        {"country": "NL", "City": "Urk", "age": {"from": 65}},
        {"country": "NL", "City": {"in": ["Ede", "Urk"]}},
    ]
    for one in sent:
        send(store, record(one, holder=None, tier="none"))
    qid_key = record({}, holder=None).qid_key
    asked = {"country": "NL", "City": "Urk", "age": {"from": 20, "to": 29}, "sex": "F"}
    found = [one.record.population.root for one in store.records_for(qid_key, asked) if one.record]
    assert found == [sent[3], sent[2], sent[7], sent[1], sent[0]]
    assert store.records_for("sha256:" + "0" * 64, asked) == []
    everybody = store.records_for(qid_key)
    assert [one.record.population.root for one in everybody if one.record] == [{}]


def test_what_a_value_determines_counts_with_a_vocabulary(place: Place) -> None:
    store = place.create(personal=True, owner=ALICE)
    send(store, body("vocabulary", vocabulary=WORDS.model_dump(mode="json", exclude_none=True)))
    city = record({"City": "Urk"}, holder=None, tier="none")
    send(store, city)
    assert store.records_for(city.qid_key, {"PC4": 1056}) == []
    found = store.records_for(city.qid_key, {"PC4": 1056}, vocabulary=WORDS)
    assert [one.id for one in found] == [city.id]
    assert store.records_for(city.qid_key, {"PC4": 1057}, vocabulary=WORDS) == []


def test_a_lookup_goes_through_the_index(file_place: Place) -> None:
    store = file_place.create(personal=True)
    question = (
        "EXPLAIN QUERY PLAN SELECT id FROM records"
        " WHERE qid_key = 'a' AND shape = 'b' AND equal = 'c' AND (low IS NULL OR low <= 1)"
    )
    with store._engine.connect() as connection:
        plan = " ".join(row[-1] for row in connection.execute(text(question)))
    assert "records_by_population (qid_key=? AND shape=? AND equal=?" in plan
