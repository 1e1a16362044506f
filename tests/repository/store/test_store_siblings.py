"""A record that is unusual beside its siblings counts, and is said to be unusual."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from store_cases import ALICE, BOB, Place, record, send

import naive_siblings
from singleout.repository.answering.query import find
from singleout.repository.documents.record import Record
from singleout.repository.store.admitted.siblings import Sibling, differing_attribute, unusual

_PLACES = st.fixed_dictionaries({"City": st.integers(0, 14), "sex": st.sampled_from("FM")})
_OTHERS = st.one_of(_PLACES, st.fixed_dictionaries({"City": st.integers(0, 14)}))
# none is exactly six spreads from others, where rounding decides
_DISTANCES = st.integers(0, 40).map(lambda number: number / 97)


@settings(max_examples=150)
@given(_PLACES, _DISTANCES, st.sampled_from([0.0, 0.02]), st.lists(st.tuples(_OTHERS, _DISTANCES)))
def test_what_is_unusual_is_so_by_definition(
    place: dict[str, Any], kappa: float, sd: float, others: list[tuple[dict[str, Any], float]]
) -> None:
    others += [({**place, "City": 100 + number}, 0.1) for number in range(8)]
    numbers = {"kappa": kappa, "sd": {"kappa": sd} if sd else {}}
    made = Record.of(
        {"quasi_identifier": [{"attribute": "age"}], "population": place, "numbers": numbers}
    )
    said = unusual(made, [Sibling(where, distance, False) for where, distance in others])
    names = naive_siblings.unusual_in(place, kappa, sd, others)
    assert len(said) == len(names)
    for name, sentence in zip(names, said, strict=True):
        assert f"differ in {name} only" in sentence


def test_populations_differ_in_one_attribute_or_are_no_siblings() -> None:
    delft = {"City": "Delft", "sex": "F"}
    assert differing_attribute(delft, {"City": "Ede", "sex": "F"}) == "City"
    assert differing_attribute(delft, {"City": "Ede", "sex": "M"}) is None
    assert differing_attribute(delft, delft) is None
    assert differing_attribute(delft, {"City": "Ede"}) is None


def _of(city: Any, kappa: float, **fields: Any) -> Record:
    where = {"City": city} if isinstance(city, str) else {"age": city}
    numbers = {"kappa": kappa, "s2": 0.0185, "s3": 0.00036}
    return record(where, qid=("sex",), numbers=numbers, **fields)


def test_an_unusual_record_counts_and_answers_say_it(place: Place) -> None:
    store = place.create()
    for number in range(10):
        assert send(store, _of(f"City {number}", 0.2 + number / 100)).reasons == ()
    usual = send(store, _of("Delft", 0.3))
    assert (usual.state, usual.reasons) == ("valid", ())
    receipt = send(store, _of("Urk", 0.55))
    assert receipt.state == "valid"
    assert "0.55 nats is unusual beside 11 records" in receipt.reasons[0]
    assert "differ in City only: their median is 0.25" in receipt.reasons[0]
    answer = find(store, ["sex"], {"City": "Urk"})
    assert receipt.reasons[0] in answer.notes
    assert receipt.reasons[0] in answer.predict(people=30).notes
    assert not find(store, ["sex"], {"City": "Delft"}).notes
    store.verify()


def test_few_siblings_other_cells_and_records_set_apart_prove_nothing(file_place: Place) -> None:
    store = file_place.create()
    for number in range(9):
        send(store, _of(f"City {number}", 0.2))
    set_apart = send(store, _of("Wrong", -0.9))
    assert set_apart.state == "quarantined"
    other = _of("City 9", 0.2).model_copy(
        update={"quasi_identifier": record(qid=["age"]).quasi_identifier}
    )
    send(store, other)
    send(store, _of("City 0", 0.2, holder=BOB), by=BOB)  # a city counts once
    assert send(store, _of("Urk", 0.55)).reasons == ()
    assert len(send(store, _of("Laren", 0.55)).reasons) == 1


def test_populations_by_ranges_are_siblings_too(file_place: Place) -> None:
    store = file_place.create(personal=True, owner=ALICE)
    for low in range(0, 100, 10):
        send(store, _of({"from": low, "to": low + 9}, 0.2, tier="none", holder=None))
    odd = _of({"from": 100, "to": 120}, 0.5, tier="none", holder=None)
    assert "differ in age only" in send(store, odd).reasons[0]


def test_of_many_siblings_some_are_enough(file_place: Place) -> None:
    store = file_place.create(personal=True, owner=ALICE)
    for number in range(80):
        send(store, _of(f"City {number}", 0.2 + number % 5 / 100, tier="none", holder=None))
    receipt = send(store, _of("Urk", 0.55, tier="none", holder=None))
    number = re.search(r"beside (\d+) records", receipt.reasons[0])
    assert number is not None
    assert 16 <= int(number[1]) <= 32
