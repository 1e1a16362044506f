"""The ledger over all holders, dates and corrections, at any number of records."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from store_cases import ALICE, BOB, Place, body, record, send

from singleout.errors import NotPublishable
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.gate.ledger import charge
from singleout.repository.store.admitted import budget
from singleout.repository.store.admitted.determined import Determined
from singleout.repository.store.derived.ledger_tables import LedgerTables
from singleout.repository.store.kept import tables
from singleout.repository.store.kept.entries import BudgetCharge
from singleout.repository.store.store import Store

QIDS = [("age",), ("sex",), ("age", "sex"), ("age", "sex", "PC4"), ("PC4",), ("income",)]


def test_the_fourth_record_is_accepted_and_the_fifth_refused(place: Place) -> None:
    """repository-gate.md: the fourth at .25 is accepted (1.0), the fifth refused (1.25)."""
    store = place.create()
    for number, qid in enumerate(QIDS[:4]):
        assert store.charge({"City": "Urk"}, 0.25) == pytest.approx(0.25 * (number + 1))
        send(store, record({"City": "Urk"}, qid))
    assert store.charge({"City": "Urk"}, 0.25) == pytest.approx(1.25)
    with pytest.raises(NotPublishable, match=r"budget is spent \(1\.25 of 1\)"):
        send(store, record({"City": "Urk"}, QIDS[4]))
    assert store.charge({"City": "Ede"}, 0.25) == 0.25  # another city
    send(store, record({"City": "Ede"}))
    store.verify()


def test_other_holders_dates_and_corrections_are_charged_too(file_place: Place) -> None:
    store = file_place.create()
    first = record({"City": "Urk"})
    send(store, first)
    send(store, record({"City": "Urk"}, holder=BOB), BOB)
    send(store, record({"City": "Urk"}, day=date(2027, 1, 1)))
    send(store, record({"City": "Urk"}, supersedes=first.id, software="2"))
    assert store.charge({"City": "Urk"}) == 1.0
    with pytest.raises(NotPublishable, match="budget is spent"):
        send(store, record({"City": "Urk"}, day=date(2028, 1, 1)))


def test_the_registered_tier_has_its_own_total_which_includes_the_public(file_place: Place) -> None:
    store = file_place.create()
    for qid in QIDS[:4]:
        send(store, record({"City": "Urk"}, qid))
    send(store, record({"City": "Urk"}, QIDS[4], tier="registered"))
    send(store, record({"City": "Urk"}, QIDS[5], tier="registered"))
    assert store.charge({"City": "Urk"}, tier="public") == 1.0
    assert store.charge({"City": "Urk"}, tier="registered") == 2.0
    with pytest.raises(NotPublishable, match="budget is spent"):
        send(store, record({"City": "Urk"}, ("x",), tier="registered"))


def test_the_country_after_many_cities_costs_one_city(file_place: Place) -> None:
    store = file_place.create()
    for number in range(12):
        send(store, record({"City": f"c{number}"}))
    assert store.charge({}, 0.0) == 0.25
    assert store.charge({"sex": "F"}, 0.25) == 0.5
    assert store.charge({"City": {"in": ["c1", "c2"]}}) == 0.25


def test_a_cheaper_record_leaves_more(file_place: Place) -> None:
    store = file_place.create()
    for qid in QIDS[:3]:
        send(store, record({"City": "Urk"}, qid))
    for number in range(4):
        send(store, record({"City": "Urk"}, (f"x{number}",), price=0.0625))
    assert store.charge({"City": "Urk"}) == 1.0


def test_too_small_a_difference_is_refused(place: Place) -> None:
    store = place.create()
    send(store, record({"City": "Urk"}, size=20))
    with pytest.raises(NotPublishable, match="too few people"):
        send(store, record({"City": "Urk", "sex": "F"}, ("PC4",), size=15))
    send(store, record({"City": "Urk", "sex": "F"}, ("PC4",), size=10))


def test_the_last_part_of_a_whole_is_refused_if_it_leaves_few(file_place: Place) -> None:
    store = file_place.create()
    send(store, record({"City": "Urk"}, size=62))
    for part in ("N", "E"):
        send(store, record({"City": "Urk", "Quarter": part}, ("PC4",), size=20))
    with pytest.raises(NotPublishable, match="too few people"):
        send(store, record({"City": "Urk", "Quarter": "S"}, ("PC4",), size=17))


cities = st.sampled_from(["A", "B", "C"])
people = st.fixed_dictionaries({}, optional={"City": cities, "sex": st.sampled_from("FM")})


@settings(max_examples=15)
@given(st.lists(st.tuples(people, st.sampled_from([0.25, 0.125, 0.0625])), max_size=12), people)
def test_the_charge_is_that_of_all_records_weighed_one_by_one(
    file_place: Place, published: list[tuple[dict[str, Any], float]], asked: dict[str, Any]
) -> None:
    store = _empty(file_place)
    _publish(store, published)
    pairs = [(DeclaredPopulation.of(where), cost) for where, cost in published]
    expected = charge((DeclaredPopulation.of(asked), 0.1), pairs, Determined().disjoint)
    assert store.charge(asked, 0.1) == pytest.approx(expected)


@settings(max_examples=15)
@given(st.lists(st.tuples(people, st.sampled_from([0.25, 0.125])), min_size=3, max_size=12), people)
def test_where_many_overlap_the_charge_is_never_too_low(
    file_place: Place, published: list[tuple[dict[str, Any], float]], asked: dict[str, Any]
) -> None:
    store = _empty(file_place)
    _publish(store, published)
    pairs = [(DeclaredPopulation.of(where), cost) for where, cost in published]
    exact = charge((DeclaredPopulation.of(asked), 0.1), pairs, Determined().disjoint)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(budget, "WEIGHED", 2)
        bound = store.charge(asked, 0.1)
    assert exact - 1e-9 <= bound


_stores: dict[str, Store] = {}


def _empty(place: Place) -> Store:
    """The store of a test, without anything in its ledger."""
    name = str(place.target)
    if name not in _stores:
        _stores.clear()
        _stores[name] = place.create(personal=True)
    store = _stores[name]
    with store._engine.begin() as connection:
        for table in (
            tables.charges,
            tables.populations,
            tables.population_terms,
            tables.exposures,
        ):
            connection.execute(table.delete())
    return store


def _publish(store: Store, published: list[tuple[dict[str, Any], float]]) -> None:
    with store._engine.begin() as connection:
        ledger = LedgerTables(connection)
        for index, (where, cost) in enumerate(published):
            new = BudgetCharge(tier="public", cost=cost, people=2000, population=where)
            ledger.charge(index, new)


def test_a_personal_repository_keeps_no_ledger(file_place: Place) -> None:
    store = file_place.create(personal=True, owner=ALICE)
    for number in range(8):
        send(store, record({"me": 1}, (f"x{number}",), holder=None, tier="none"))
    assert store.charge({"me": 1}) == 0.0


def test_a_withdrawal_gives_nothing_back(file_place: Place) -> None:
    store = file_place.create()
    sent = record({"City": "Urk"})
    send(store, sent)
    send(store, body("withdrawal", record=sent.id, reason="sorry"))
    assert store.charge({"City": "Urk"}) == 0.25
    assert len(store.ledger({"City": "Urk"})) >= 1
