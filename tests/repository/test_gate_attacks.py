"""Attackers against the gate, each simulated: none is right more often than the bound allows."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import pytest

import naive_gate
from singleout.core.counts import SizeProfile
from singleout.repository.gate.attacker import likelihood, success
from singleout.repository.gate.gate import Released, blurred, largest_chance, release
from singleout.repository.gate.ledger import LedgerEntry, check_budget, check_differences
from singleout.repository.gate.numbers import CellNumbers
from singleout.repository.gate.refusal import Refusal
from singleout.repository.gate.tiers import TIERS, Tier

KEY = bytes(range(32))
PUBLIC, REGISTERED = TIERS["public"], TIERS["registered"]
T1200 = [1 + 7 * i % 23 + (7 if i == 0 else 0) for i in range(100)]
ALONE, TYPICAL = T1200.index(1), T1200.index(12)
CELLS = 120
WITHOUT = naive_gate.changed(T1200, (ALONE, -1))  # everybody but the person in question


def numbers(cells: list[int]) -> CellNumbers:
    return CellNumbers.of(SizeProfile.of(np.array(cells)))


PERSON_ALONE = numbers(T1200)
PERSON_TYPICAL = numbers(naive_gate.changed(WITHOUT, (TYPICAL, 1)))
PERSON_ABSENT = numbers(WITHOUT)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20_261_118)


def stays_below(pairs: list[tuple[CellNumbers, CellNumbers]], cost: float, tier: Tier) -> float:
    """Check an attack against the bound, and return how often it succeeds."""
    rng = np.random.default_rng(20_261_118)
    found = success(pairs, CELLS, tier, rng, draws=120)
    assert found.chance <= largest_chance(cost) + 3 * found.error, found
    return found.chance


# ---- one record


@pytest.mark.parametrize("tier", [PUBLIC, REGISTERED], ids=["public", "registered"])
def test_whether_a_known_person_is_alone_or_typical_stays_hidden(tier: Tier) -> None:
    assert 0.5 <= stays_below([(PERSON_ALONE, PERSON_TYPICAL)], tier.price, tier) < 0.62


@pytest.mark.parametrize("tier", [PUBLIC, REGISTERED], ids=["public", "registered"])
def test_whether_an_outlier_is_a_member_stays_hidden(tier: Tier) -> None:
    assert stays_below([(PERSON_ALONE, PERSON_ABSENT)], tier.price, tier) < 0.62


def test_without_the_gate_both_are_certain() -> None:
    assert PERSON_ALONE.support != PERSON_TYPICAL.support
    assert PERSON_ALONE.kappa(CELLS) != PERSON_ABSENT.kappa(CELLS)


def test_the_attacker_weighs_records_by_their_true_chances(rng: np.random.Generator) -> None:
    # how often she is right is how often she says that she is
    worlds = (PERSON_ALONE, numbers(naive_gate.changed(T1200, (TYPICAL, 22))))
    right, said = 0, 0.0
    for turn in range(600):
        drawn = dict(zip(KEYS, rng.standard_normal(7).tolist(), strict=True))
        record = blurred(worlds[turn % 2], CELLS, REGISTERED, drawn.__getitem__)
        assert isinstance(record, Released)
        one, other = (likelihood(record, world) for world in worlds)
        right += (one < other) == turn % 2
        said += 1 / (1 + math.exp(-abs(one - other)))
    assert 0.7 < said / 600 < 0.999
    assert abs(right - said) < 4 * math.sqrt(600) / 2


KEYS = ("people", "support", "largest", "kappa", "s2", "s3", "small")


def random_table(rng: np.random.Generator) -> list[int]:
    """Return cells of a skewed population, some of them empty."""
    size = int(rng.integers(2, 150))
    shares = rng.dirichlet(np.full(size, rng.choice([0.2, 1, 5])))
    return [*rng.multinomial(int(rng.integers(1_000, 30_000)), shares).tolist(), 0]


@pytest.mark.parametrize("seed", range(8))
def test_no_question_about_one_person_of_any_population_is_answered_too_often(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = random_table(rng)
    here, there = rng.choice(len(cells), 2, replace=False).tolist()
    worlds = [naive_gate.changed(cells, (here, 1)), naive_gate.changed(cells, (there, 1)), cells]
    for pair in ((0, 1), (0, 2)):
        one, other = (numbers(worlds[index]) for index in pair)
        found = success([(one, other)], len(cells), PUBLIC, rng, draws=40)
        assert found.chance <= largest_chance(PUBLIC.price) + 3 * found.error, (cells, pair)


def test_the_largest_cell_and_the_only_cell_are_people_too() -> None:
    rng = np.random.default_rng(4)
    for cells in ([2000, 1], [1500], [1000, 500, 3]):
        one, other = numbers([*cells, 1]), numbers([cells[0] + 1, *cells[1:]])
        found = success([(one, other)], len(cells) + 1, PUBLIC, rng, draws=60)
        assert found.chance <= largest_chance(PUBLIC.price) + 3 * found.error, cells


def test_groups_are_protected_less_as_the_manual_says() -> None:
    rng = np.random.default_rng(4)
    ten_alone = numbers([*WITHOUT, *[1] * 10])
    ten_typical = numbers(naive_gate.changed(WITHOUT, *((12 + i, 1) for i in range(10))))
    found = success([(ten_alone, ten_typical)], CELLS, PUBLIC, rng, draws=60)
    assert found.chance > largest_chance(PUBLIC.price)
    assert found.chance <= largest_chance(100 * PUBLIC.price)


# ---- differences of several records


def test_a_population_less_one_person_tells_no_more_than_its_own_record() -> None:
    # the record without the person is the same in both worlds
    pairs = [(PERSON_ALONE, PERSON_TYPICAL), (PERSON_ABSENT, PERSON_ABSENT)]
    stays_below(pairs, PUBLIC.price, PUBLIC)


def test_a_population_less_a_few_people_is_refused() -> None:
    whole_, part = (frozenset(range(n)) for n in (1200, 1150))
    published = [LedgerEntry(part, 0.25, "public", 1150, 10.0)]
    refusal = differences(LedgerEntry(whole_, 0.25, "public", 1200, 10.0), published)
    assert refusal is not None
    assert refusal.sentence.startswith(
        "The difference would itself be a record of too few people: about 50 people"
    )


def test_the_same_population_at_two_dates_costs_twice() -> None:
    pairs = [(PERSON_ALONE, PERSON_TYPICAL), (PERSON_ALONE, PERSON_ABSENT)]
    stays_below(pairs, 2 * PUBLIC.price, PUBLIC)


def test_two_holders_of_the_same_data_cost_twice() -> None:
    stays_below([(PERSON_ALONE, PERSON_TYPICAL)] * 2, 2 * PUBLIC.price, PUBLIC)


def test_a_correction_tells_no_more_than_two_records() -> None:
    before, after = numbers(T1200), (PERSON_ABSENT, numbers(one_typical_less()))
    stays_below([(before, before), after], 2 * PUBLIC.price, PUBLIC)
    # the noise is new with the data; otherwise the difference would be exact
    first = release(SizeProfile.of(np.array(T1200)), CELLS, key=KEY)
    second = release(SizeProfile.of(np.array(WITHOUT)), CELLS, key=KEY)
    assert isinstance(first, Released)
    assert isinstance(second, Released)
    exact = before.kappa(CELLS) - PERSON_ABSENT.kappa(CELLS)
    assert abs((first.kappa - second.kappa) - exact) > 0.005


def one_typical_less() -> list[int]:
    return naive_gate.changed(T1200, (TYPICAL, -1))


def test_several_quasi_identifiers_of_the_same_people_spend_the_budget_and_no_more() -> None:
    coarser = [(numbers(merged(T1200, by)), numbers(merged(typical(), by))) for by in (1, 2, 4, 5)]
    chance = stays_below(coarser, PUBLIC.total, PUBLIC)
    assert chance < 0.66
    everybody = frozenset(range(1200))
    records = [LedgerEntry(everybody, 0.25, "public", 1200, 10.0)] * 4
    refusal = check_budget(records[0], records, frozenset.isdisjoint)
    assert refusal is not None
    assert refusal.sentence == (
        "These people's budget is spent (1.25 of 1). A quarter of the price has twice the noise."
    )


def typical() -> list[int]:
    return naive_gate.changed(WITHOUT, (TYPICAL, 1))


def merged(cells: list[int], by: int) -> list[int]:
    return [sum(cells[start : start + by]) for start in range(0, len(cells), by)]


def test_without_a_ledger_twenty_records_would_tell() -> None:
    rng = np.random.default_rng(1)
    pairs = [(PERSON_ALONE, PERSON_TYPICAL)] * 20
    assert success(pairs, CELLS, PUBLIC, rng, draws=40).chance > largest_chance(PUBLIC.price)


# ---- reconstruction of small tables


def partitions(people: int, cells: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    """Yield every multiset of cells that holds so many people."""
    top = people if most is None else min(people, most)
    if people == 0:
        yield ()
    elif cells:
        for first in range(top, 0, -1):
            for rest in partitions(people - first, cells - 1, first):
                yield (first, *rest)


@pytest.mark.parametrize(("people", "cells", "pinned"), [(10, 5, 0.9), (20, 10, 0.5)])
def test_exact_kappa_pins_small_tables_and_the_gate_publishes_none(
    people: int, cells: int, pinned: float
) -> None:
    tables = list(partitions(people, cells))
    by_kappa = defaultdict(list)
    for table in tables:
        by_kappa[round(numbers(list(table)).kappa(cells), 12)].append(table)
    alone = sum(len(same) for same in by_kappa.values() if len(same) == 1)
    assert alone / len(tables) > pinned
    for tier in ("public", "registered"):
        for table in tables[:: max(1, len(tables) // 40)]:
            found = release(SizeProfile.of(np.array(table)), cells, tier=tier, key=KEY)
            assert isinstance(found, Refusal)
            assert found.registered is None


def test_even_without_a_minimum_no_record_pins_a_small_table(rng: np.random.Generator) -> None:
    anybody = Tier("registered", 1, 0.5, 2.0)
    tables = [numbers(list(table)) for table in partitions(300, 2)]
    seen = []
    for table in tables[::10]:
        drawn = dict(zip(KEYS, rng.standard_normal(7).tolist(), strict=True))
        record = blurred(table, 2, anybody, drawn.__getitem__)
        if isinstance(record, Released):
            weights = np.array([likelihood(record, other) for other in tables])
            posterior = np.exp(weights - weights.max())
            seen.append(posterior.max() / posterior.sum())
    assert len(seen) >= 5
    assert max(seen) < 0.5


# ---- the difference test


def differences(
    new: LedgerEntry[frozenset[int]], published: list[LedgerEntry[frozenset[int]]]
) -> Refusal | None:
    return check_differences(
        new,
        published,
        contains=lambda whole_, part: part <= whole_,
        disjoint=frozenset.isdisjoint,
        covered=lambda whole_, parts: whole_ == frozenset().union(*parts),
    )


def entry(
    start: int, end: int, tier: str = "public", sd: float = 10.0
) -> LedgerEntry[frozenset[int]]:
    people = end - start
    return LedgerEntry(frozenset(range(start, end)), 0.25, tier, 50 * round(people / 50), sd)


def test_disjoint_parts_together_may_not_leave_a_few_people_either() -> None:
    parts = [entry(0, 2000), entry(2000, 4000)]
    assert differences(entry(0, 4300), parts) is not None
    assert differences(entry(0, 5300), parts) is None
    # the last part is as telling as the whole
    assert differences(entry(2000, 4000), [entry(0, 2000), entry(0, 4300)]) is not None


def test_parts_that_are_the_whole_leave_nobody() -> None:
    parts = [entry(0, 2000), entry(2000, 4000)]
    assert differences(entry(0, 4000), parts) is None
    # nor do those that may be the whole, as far as blurred numbers can tell
    assert differences(entry(0, 4010), parts) is None
    # but one part is never the whole
    assert differences(entry(0, 4010), [entry(0, 4000)]) is not None


def test_a_cohort_published_year_by_year_cannot_leave_a_few_people() -> None:
    years = [entry(1500 * year, 1500 * (year + 1)) for year in range(5)]
    whole_ = entry(0, 6 * 1500 + 400)
    last = entry(5 * 1500, 6 * 1500)
    assert differences(last, [whole_, *years]) is not None
    assert differences(last, [entry(0, 6 * 1500), *years]) is None


def test_the_same_population_again_is_no_difference() -> None:
    assert differences(entry(0, 4000), [entry(0, 4000), entry(0, 2000)]) is None


def test_populations_that_overlap_or_exclude_each_other_are_no_difference() -> None:
    assert differences(entry(0, 4000), [entry(3000, 7000), entry(9000, 9900)]) is None


def test_registered_readers_see_smaller_differences_and_public_records_too() -> None:
    assert differences(entry(0, 1500, "registered"), [entry(0, 1100, "registered")]) is None
    assert differences(entry(0, 1500, "registered"), [entry(0, 1350)]) is not None
    assert differences(entry(0, 1500), [entry(0, 1100)]) is not None
    assert differences(entry(0, 1500), [entry(0, 1100, "registered")]) is None


def test_where_the_noise_hides_such_a_group_nothing_is_refused() -> None:
    assert differences(entry(0, 4300, sd=900.0), [entry(0, 4000, sd=900.0)]) is None
