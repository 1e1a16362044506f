"""Records are found by index exactly where every population is tested, and nearest first."""

from __future__ import annotations

import re
import sqlite3
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from store_cases import ALICE, Place, body, record, send

from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.submission import Submission
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.repository.store.kept.lookup import (
    Shape,
    address_of,
    keys_of_supersets,
    single_values,
)
from singleout.repository.store.kept.statements import Prepared
from singleout.repository.store.kept.stored import Receipt

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


_LARGE = "entries|records|nonces|states|charges|populations|population_terms"


def test_no_statement_reads_a_large_table_whole(
    file_place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = file_place.create()
    seen: dict[str, int] = {}
    before = Prepared._text

    def noted(self: Prepared, dialect: Any) -> Any:
        found = before(self, dialect)
        seen[found[0]] = len(found[1] or ())
        return found

    monkeypatch.setattr(Prepared, "_text", noted)
    adults = {"City": "Urk", "age": {"from": 18, "to": 64}}
    for where, size in (({}, 9_000), ({"City": "Urk"}, 20), (adults, 10)):
        send(store, record(where, size=size))
    cities = [Submission.sign(record({"City": f"c{n}"}), ALICE) for n in range(4)]
    assert {type(one) for one in store.append_all(cities)} == {Receipt}
    store.records_for(record({}).qid_key, {"City": "Urk", "age": 30})
    store.charge({"City": "Urk"}, 0.1)
    store.ledger({"Region": "N"})
    assert len(seen) > 25
    with sqlite3.connect(file_place.target) as raw:
        for statement, parameters in seen.items():
            plan = raw.execute(f"EXPLAIN QUERY PLAN {statement}", [None] * parameters).fetchall()
            steps = [step for *_, step in plan]
            whole = [one for one in steps if re.match(rf"SCAN ({_LARGE})\b(?!.*INDEX)", one)]
            assert not whole, (statement, steps)
    raw.close()
