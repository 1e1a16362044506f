"""The ledger: what all records together cost one person."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_gate
from singleout.repository.gate.ledger import LedgerEntry, charge, check_budget, families

PEOPLE = st.frozensets(st.integers(0, 9), min_size=1)
RECORDS = st.lists(st.tuples(PEOPLE, st.sampled_from([0.05, 0.1, 0.25])), max_size=8)


def elsewhere(one: str, other: str) -> bool:
    return one != other and "country" not in (one, other)


def test_the_fourth_record_is_accepted_and_the_fifth_refused() -> None:
    published: list[tuple[str, float]] = []
    charges = []
    for _ in range(5):
        charges.append(charge(("Delft", 0.25), published, elsewhere))
        published.append(("Delft", 0.25))
    assert charges == [0.25, 0.5, 0.75, 1.0, 1.25]


def test_another_city_has_its_own_budget() -> None:
    assert charge(("Ede", 0.25), [("Delft", 0.25)] * 4, elsewhere) == 0.25


def test_the_country_after_a_hundred_cities_costs_their_dearest_and_its_own() -> None:
    cities = [(f"city {number}", 0.25) for number in range(100)]
    # the country's own discounted cost is what is new: the cities are one family
    assert charge(("country", 0.0), cities, elsewhere) == 0.25
    assert len(families(cities, elsewhere)) == 1
    assert charge(("city 5", 0.25), [*cities[:5], *cities[6:]], elsewhere) == 0.25


@given(RECORDS, PEOPLE)
def test_nobody_bears_more_than_the_charge(
    published: list[tuple[frozenset[int], float]], new: frozenset[int]
) -> None:
    total = charge((new, 0.25), published, frozenset.isdisjoint)
    populations = [people for people, _ in published] + [new]
    costs = [cost for _, cost in published] + [0.25]
    worst = max(naive_gate.dearest_total(populations, costs, person) for person in new)
    assert worst <= total + 1e-12


@given(RECORDS)
def test_members_of_a_family_exclude_each_other(
    published: list[tuple[frozenset[int], float]],
) -> None:
    grouped = families(published, frozenset.isdisjoint)
    assert sum(map(len, grouped)) == len(published)
    for family in grouped:
        assert sum(len(people) for people, _ in family) == len(
            frozenset().union(*(people for people, _ in family))
        )


def entries(count: int, tier: str, cost: float) -> list[LedgerEntry[str]]:
    return [LedgerEntry("Delft", cost, tier, 2000)] * count


def test_registered_readers_have_a_budget_of_two_public_records_included() -> None:
    public, registered = entries(4, "public", 0.25), entries(2, "registered", 0.5)
    assert check_budget(registered[0], [*public, registered[0]], elsewhere) is None
    refusal = check_budget(registered[0], [*public, *registered], elsewhere)
    assert refusal is not None
    assert (refusal.seen["spent"], refusal.seen["total"]) == (2.5, 2.0)
    # registered records do not spend the public budget, but public ones count for both
    assert check_budget(public[0], entries(3, "registered", 0.5), elsewhere) is None
    assert check_budget(public[0], entries(4, "registered", 0.5), elsewhere) is not None


def test_a_spent_budget_says_what_is_left() -> None:
    refusal = check_budget(
        LedgerEntry("Delft", 0.25, "public", 2000), entries(15, "public", 0.0625), elsewhere
    )
    assert refusal is not None
    assert refusal.seen["left"] == pytest.approx(0.0625)
    assert refusal.would_pass == ("At a cost of 0.062 it would pass, with 2.0 times the noise.")
