"""Whether records contradict each other does not depend on which came first."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from store_cases import ALICE, BOB, Place, exact, record, send

from singleout.repository.documents.record import Record
from singleout.repository.store.admitted.agreement import contradictions

_AGE, _SEX = {"attribute": "age"}, {"attribute": "sex"}
_COUNTS = st.lists(st.integers(1, 40), min_size=4, max_size=4)


def _verdict(new: Record, before: list[Record]) -> list[str]:
    """What a store would say of a record after others, all of one day."""
    same = [one for one in before if one.population == new.population]
    cells = [one for one in before if one.qid_key == new.qid_key and one not in same]
    return contradictions(
        new,
        [one for one in same if one.qid_key != new.qid_key],
        [one for one in cells if one.population.contains(new.population)],
        [one for one in cells if new.population.contains(one.population)],
    )


def _is_accepted(records: tuple[Record, ...]) -> bool:
    return not any(_verdict(one, list(records[:index])) for index, one in enumerate(records))


@st.composite
def _published(draw: st.DrawFn) -> list[Record]:
    """A whole, two parts of it and a coarser record; some of them not of the same people."""
    north, south = draw(_COUNTS), draw(_COUNTS)
    whole = [a + b for a, b in zip(north, south, strict=True)]
    coarse = [whole[0] + whole[1], whole[2] + whole[3]]
    lie = draw(st.sampled_from(["none", "whole", "part", "coarse"]))
    other = draw(_COUNTS)
    tables: list[tuple[str, list[int], list[dict[str, str]], dict[str, str]]] = [
        ("whole", whole, [_AGE, _SEX], {}),
        ("part", north, [_AGE, _SEX], {"side": "north"}),
        ("other part", south, [_AGE, _SEX], {"side": "south"}),
        ("coarse", coarse, [_AGE], {}),
    ]
    return [
        exact(
            other[: len(counts)] if name == lie else counts,
            len(counts),
            quasi_identifier=qid,
            population=where,
        )
        for name, counts, qid, where in tables
    ]


@settings(max_examples=120)
@given(_published())
def test_records_are_accepted_in_every_order_or_in_none(records: list[Record]) -> None:
    assert len({_is_accepted(order) for order in permutations(records)}) == 1


@given(_COUNTS, _COUNTS)
def test_the_records_of_one_table_never_contradict_each_other(
    north: list[int], south: list[int]
) -> None:
    whole = exact([a + b for a, b in zip(north, south, strict=True)], 4)
    part = exact(north, 4, population={"side": "north"})
    assert contradictions(part, [], [whole]) == contradictions(whole, [], [], [part]) == []


def test_a_whole_with_less_entropy_than_its_part_allows_contradicts_it() -> None:
    part = exact([20] * 40, 40, population={"side": "north"})
    whole = exact([700, 300], 40)
    found = contradictions(whole, [], [], [part])
    assert len(found) == 1
    assert part.id in found[0]
    assert "more entropy than the whole" in found[0]
    assert 0.8 * math.log(40) > math.log(2)  # share and entropy of the part, at most that of two


def _city(people: int, where: dict[str, Any], **fields: Any) -> Record:
    return record(where, size=people // 100, **fields)


def test_a_whole_that_comes_after_its_part_is_compared_with_it(place: Place) -> None:
    store = place.create()
    assert send(store, _city(9_000, {"City": "Urk", "sex": "F"})).state == "valid"
    assert send(store, _city(9_000, {"City": "Ede", "sex": "F"})).state == "valid"
    small = _city(4_000, {"City": "Urk"})
    receipt = send(store, small)
    assert receipt.state == "quarantined"
    assert "more people than the whole" in receipt.reasons[0]
    right = _city(18_000, {"City": "Urk"}, supersedes=small.id)
    assert send(store, right).state == "valid"
    country = _city(6_000, {}, holder=BOB)
    assert send(store, country, by=BOB).state == "quarantined"
    store.verify()


def test_so_it_is_in_a_personal_file_and_by_ranges(file_place: Place) -> None:
    store = file_place.create(personal=True, owner=ALICE)
    young = {"age": {"from": 0, "to": 29}}
    send(store, _city(9_000, {**young, "City": "Urk"}, qid=("sex",), tier="none", holder=None))
    receipt = send(store, _city(4_000, {"City": "Urk"}, qid=("sex",), tier="none", holder=None))
    assert receipt.state == "quarantined"
    send(store, _city(900, young, qid=("sex",), tier="none", holder=None))
    later = {"age": {"from": 0, "to": 40}}
    smaller = send(store, _city(800, later, qid=("sex",), tier="none", holder=None))
    assert smaller.state == "quarantined"
