"""What is asked for in vain is counted in the store, by all processes that serve it."""

from __future__ import annotations

import pytest
from store_cases import Place

from singleout.errors import UnreadableFile
from singleout.repository.service.demand import DemandCounts
from singleout.repository.store.kept import demand as kept_demand


def test_processes_that_serve_one_store_count_together(place: Place) -> None:
    """None has counted enough by itself, and one ends before the others are asked."""
    first, second, third = (place.create(), place.open(), place.open())
    wanted = (("age", "sex"), ("City",))
    ended, waiting, asked = DemandCounts(first), DemandCounts(second), DemandCounts(third)
    for counts in (ended, ended, waiting, waiting, asked):
        counts.add(wanted, {"age", "sex", "City"})
    ended.flush()
    first.close()
    assert asked.to_dict()["combinations"] == []
    waiting.flush()
    assert [each["asked"] for each in asked.to_dict()["combinations"]] == [5]
    asked.flush()
    asked.flush()  # nothing is added twice
    assert second.demand_counts() == {wanted: 5}
    second.verify()
    second.close()
    third.close()


def test_what_is_counted_is_bounded(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_demand, "MOST_COMBINATIONS", 3)
    with place.create() as store:
        store.add_demand({((f"a{number}",), ()): 5 for number in range(5)})
        store.add_demand({((f"a{number}",), ()): 2 for number in range(5)})
        assert sorted(store.demand_counts().values()) == [7, 7, 7]


def test_a_store_that_cannot_be_written_now_gets_the_counts_later(place: Place) -> None:
    store = place.create()
    counts = DemandCounts(store)
    for _ in range(5):
        counts.add((("sex",), ()), {"sex"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "add_demand", refuse)
        counts.flush()
    assert store.demand_counts() == {}
    assert [each["asked"] for each in counts.to_dict()["combinations"]] == [5]
    counts.flush()
    assert store.demand_counts() == {(("sex",), ()): 5}
    store.close()


def refuse(_: object) -> None:
    raise UnreadableFile("The disk is full.")
