"""The gate: its golden cases, one person's influence, its noise, its refusals."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_gate
from singleout.core.counts import SizeProfile
from singleout.errors import BadChoice
from singleout.repository.gate.gate import (
    Released,
    blurred,
    cost_of,
    deviations,
    largest_chance,
    release,
)
from singleout.repository.gate.influence import influences
from singleout.repository.gate.noise import keyed_noise
from singleout.repository.gate.numbers import CellNumbers
from singleout.repository.gate.refusal import Refusal
from singleout.repository.gate.tiers import SHARES, TIERS

KEY = bytes(range(32))
T1200 = [1 + 7 * i % 23 + (7 if i == 0 else 0) for i in range(100)]
SPEC = Path(__file__).resolve().parents[2].parent / "shared" / "spec"
CASES: dict[str, tuple[list[int], int, str]] = {
    "t1200 public": (T1200, 120, "public"),
    "t1200 registered": (T1200, 120, "registered"),
    "900 people": ([10] * 90, 100, "public"),
    "900 people registered": ([10] * 90, 100, "registered"),
    "1200 all different": ([1] * 1200, 10**6, "public"),
    "1200 in 600 pairs": ([2] * 600, 10**6, "public"),
    "200 registered": ([10] * 20, 20, "registered"),
    "5000 binary 3": ([4997, 3], 2, "public"),
    "t1200 without one unique person": (
        [c for i, c in enumerate(T1200) if i != T1200.index(1)], 120, "public",
    ),
}  # fmt: skip
FIELDS = {"n": "people", "M": "support", "C": "largest", "u10": "small"}
REASONS = {"too few people": "people", "too few coincidences": "coincidences"}


def profile(cells: list[int]) -> SizeProfile:
    return SizeProfile.of(np.array(cells))


def released(cells: list[int], possible: int, **options: Any) -> Released:
    found = release(profile(cells), possible, key=KEY, **options)
    assert isinstance(found, Released), found
    return found


def refused(cells: list[int], possible: int, **options: Any) -> Refusal:
    found = release(profile(cells), possible, key=KEY, **options)
    assert isinstance(found, Refusal), found
    return found


# ---- the golden cases


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    path = SPEC / "repository-gate-golden.json"
    if not path.exists():
        pytest.skip("the specifications in ../shared are not beside this checkout")
    return dict(json.loads(path.read_text()))


@pytest.mark.parametrize("name", CASES)
def test_the_golden_cases_are_reproduced_exactly(name: str, golden: dict[str, Any]) -> None:
    cells, possible, tier = CASES[name]
    exact, published = golden[name]["exact"], golden[name]["published"]
    numbers = CellNumbers.of(profile(cells))
    assert (numbers.people, numbers.support, numbers.largest) == (
        exact["n"], exact["M"], exact["cmax"],
    )  # fmt: skip
    assert numbers.kappa(possible) == pytest.approx(exact["kappa"], abs=6e-7)
    assert numbers.power_sum(2) == pytest.approx(exact["s2"], rel=5e-6)
    assert numbers.power_sum(3) == pytest.approx(exact["s3"], rel=5e-6)
    assert numbers.small / numbers.people == pytest.approx(exact["u10"], abs=6e-6)
    found = release(profile(cells), possible, tier=tier, key=KEY)
    if "refused" in published:
        assert isinstance(found, Refusal)
        assert found.reason == REASONS[published.pop("refused")]
        shown = {"n": "people", "C": "largest", "s2_sd": "sd"}
        assert {key: found.seen[shown.get(key, key)] for key in published} == published
        return
    assert isinstance(found, Released)
    sd = published.pop("sd")
    in_people = sd.pop("u10")
    numbers_only = {key: getattr(found, FIELDS.get(key, key)) for key in published if key != "N"}
    assert numbers_only == {key: value for key, value in published.items() if key != "N"}
    assert ("M" in published) == (found.support is not None)
    assert {key: found.sd[FIELDS.get(key, key)] for key in sd} == sd
    exactly = deviations(found.people, found.largest, found.price, possible)["small"]
    assert float(f"{exactly * found.people:.2g}") == in_people


@pytest.mark.parametrize("tier", TIERS)
def test_the_golden_scales_of_a_large_population_follow_from_what_is_published(
    tier: str, golden: dict[str, Any]
) -> None:
    published = golden[f"t314 {tier}"]["published"]
    price = TIERS[tier].price
    assert round(cost_of(published["n"], price, published["N"]), 6) == published["cost"]
    sd = deviations(published["n"], published["C"], price, published["N"])
    sd["small"] *= published["n"]
    expected = published["sd"]
    assert {key: float(f"{sd[FIELDS.get(key, key)]:.2g}") for key in expected} == expected


def test_the_golden_influences_of_the_specification() -> None:
    bounds = influences(1200, 50)
    assert bounds["kappa"] == pytest.approx(0.00410985, rel=2e-6)
    assert bounds["s2"] == pytest.approx(6.95024e-5, rel=2e-6)
    assert bounds["s3"] == pytest.approx(4.26413e-6, rel=2e-6)


def test_the_chances_of_the_specification() -> None:
    chances = [round(largest_chance(cost), 3) for cost in (0.25, 0.5, 1, 2)]
    assert chances == [0.599, 0.638, 0.691, 0.760]


# ---- the influence of one person, by brute force


TABLES = st.lists(st.integers(0, 40), min_size=2, max_size=12).filter(lambda c: sum(c) >= 6)


@settings(max_examples=60, deadline=None)
@given(TABLES, st.integers(2, 60))
def test_no_neighbouring_table_differs_by_more_than_the_bound(cells: list[int], cap: int) -> None:
    check_neighbours(cells, cap)


def test_nor_does_any_in_a_seeded_trial_with_skewed_tables() -> None:
    rng = np.random.default_rng(3)
    worst = 0.0
    for trial in range(150):
        size, n = int(rng.integers(2, 30)), int(rng.integers(6, 200))
        shares = rng.dirichlet(np.full(size, rng.choice([0.05, 0.3, 1, 10])))
        cells = rng.multinomial(n, shares).tolist() if trial % 50 else [n, *[0] * (size - 1)]
        top = max(cells)
        worst = max(worst, check_neighbours(cells, top + 1 if trial % 3 else max(5, top * 3 // 5)))
    assert worst > 0.99  # the bounds are attained: no smaller ones would do


def check_neighbours(cells: list[int], cap: int) -> float:
    possible = len(cells) + 2
    before = CellNumbers.of(profile(cells))
    worst = 0.0
    for other in naive_gate.neighbours(cells):
        if sum(other) < 6:
            continue
        after = CellNumbers.of(profile(other))
        bounds = influences(min(before.people, after.people), cap)
        changes = {
            "people": before.people - after.people,
            "support": before.support - after.support,
            "largest": before.largest - after.largest,
            "kappa": before.kappa(possible, cap) - after.kappa(possible, cap),
            "s2": before.power_sum(2, cap) - after.power_sum(2, cap),
            "s3": before.power_sum(3, cap) - after.power_sum(3, cap),
            "small": before.small - after.small,
        }
        for name, change in changes.items():
            assert abs(change) <= bounds[name] * (1 + 1e-9), (name, cells, other, cap)
            if name in ("kappa", "s2", "s3"):
                worst = max(worst, abs(change) / bounds[name])
    return worst


@settings(max_examples=60, deadline=None)
@given(TABLES, st.integers(2, 60))
def test_numbers_and_bounds_are_those_of_the_specification(cells: list[int], cap: int) -> None:
    possible = len(cells)
    found = CellNumbers.of(profile(cells))
    naive = naive_gate.numbers(cells, possible, cap)
    assert (found.people, found.support, found.largest, found.small) == tuple(
        naive[name] for name in ("people", "support", "largest", "small")
    )
    assert found.kappa(possible, cap) == pytest.approx(naive["kappa"], abs=1e-12)
    assert found.power_sum(2, cap) == pytest.approx(naive["s2"], rel=1e-9, abs=1e-15)
    assert found.power_sum(3, cap) == pytest.approx(naive["s3"], rel=1e-9, abs=1e-15)
    n = sum(cells)
    assert influences(n, cap) == pytest.approx(naive_gate.bounds(n, cap))


# ---- scales


@given(st.integers(1_000, 10**8), st.integers(10, 1_000), st.sampled_from(list(TIERS.values())))
def test_every_number_has_its_share_of_the_cost(people: int, cap: int, tier: Any) -> None:
    cells = 1_000
    sd = deviations(people, cap, tier.price, cells)
    cost = cost_of(people, tier.price, cells)
    # with the real number of people, which is never below what the scales assume
    least = naive_gate.bounds(people, cap)
    least["small"] /= people
    for name, share in SHARES.items():
        assert sd[name] >= naive_gate.deviation(least[name], share, cost) * (1 - 1e-9), name
    assert math.fsum(SHARES.values()) == pytest.approx(1)


def test_large_populations_pay_less_but_not_where_cells_outnumber_people() -> None:
    assert released([500] * 400, 400).cost == pytest.approx(0.25 / 100)
    assert released([500] * 400, 10**6).cost == 0.25


def test_a_quarter_of_the_price_has_twice_the_noise() -> None:
    full, quarter = deviations(50_000, 100, 0.25, 9), deviations(50_000, 100, 0.0625, 9)
    for name in ("people", "support", "largest", "small"):
        assert quarter[name] == pytest.approx(2 * full[name])
    assert quarter["kappa"] == pytest.approx(2 * full["kappa"], rel=0.05)


def test_a_price_that_hides_everything_refuses_and_never_has_less_noise() -> None:
    assert refused(T1200, 120, price=1e-5).reason in ("people", "coincidences")


@pytest.mark.parametrize("price", [0, -1, 0.3, math.nan, "much", True])
def test_a_price_above_the_tiers_or_none_at_all_is_no_price(price: Any) -> None:
    with pytest.raises(BadChoice, match=r"above 0 and at most 0\.25"):
        released(T1200, 120, price=price)


# ---- noise


def test_the_same_data_give_the_same_record_in_any_order_and_under_any_name() -> None:
    again = released([*reversed(T1200), 0, 0], 120)
    assert again == released(T1200, 120)
    assert released(T1200, 120, price=0.25) == again


def test_the_key_the_tier_the_price_and_one_person_change_the_noise() -> None:
    numbers = CellNumbers.of(profile(T1200))
    noise = keyed_noise(KEY, numbers, "public")
    others = [
        keyed_noise(KEY[::-1], numbers, "public"),
        keyed_noise(KEY, numbers, "registered"),
        keyed_noise(KEY, numbers, "public", 0.125),
        keyed_noise(KEY, CellNumbers.of(profile([*T1200, 1])), "public"),
    ]
    for other in others:
        assert all(noise(name) != other(name) for name in SHARES)


def test_noise_is_standard_normal_over_keys() -> None:
    numbers = CellNumbers.of(profile([10] * 100))
    drawn = np.array(
        [keyed_noise(i.to_bytes(32, "big"), numbers, "public")("kappa") for i in range(4000)]
    )
    assert abs(drawn.mean()) < 4 / math.sqrt(4000)
    assert abs(drawn.std() - 1) < 0.05
    assert 0.035 < (abs(drawn) > 1.96).mean() < 0.065


def test_a_short_key_is_no_secret() -> None:
    with pytest.raises(BadChoice, match="16 secret bytes"):
        release(profile(T1200), 120, key=b"secret")


# ---- refusals


def test_a_refusal_says_why_and_what_would_pass() -> None:
    few = refused([10] * 90, 100)
    assert few.sentence == (
        "About 900 people; public records need 1,000. Register it, or publish a larger area."
    )
    assert few.would_pass == (
        "As a registered record it would pass, with kappa known to within 0.012 and s2 to within "
        "1.7%."
    )
    assert refused([10] * 20, 20, tier="registered").sentence == (
        "About 200 people; registered records need 250. Publish a larger area."
    )
    alone = refused([2] * 600, 10**6)
    assert str(alone).startswith(
        "Too few people share a cell; the number would be mostly noise. Coarsen, or widen the "
        "population. A person shares a cell with about 0.96 others on average; from about 1.2 on"
    )
    assert alone.to_dict()["registered"]["s2"] < 0.1


def test_refusals_follow_blurred_numbers_and_not_the_data() -> None:
    # just below the least: with some noise it passes, with other noise 1,001 people do not
    tier = TIERS["public"]
    cells = CellNumbers.of(profile([10] * 95))
    assert isinstance(blurred(cells, 95, tier, lambda _: 2.0), Refusal)
    assert isinstance(blurred(cells, 95, tier, lambda _: 3.1), Released)
    enough = CellNumbers.of(profile([10] * 100))
    assert isinstance(blurred(enough, 100, tier, lambda _: -3.0), Refusal)


def test_a_safe_and_an_unsafe_file_are_told_apart() -> None:
    assert isinstance(release(profile([30] * 60), 60, key=KEY), Released)
    assert refused([1] * 1800, 10**7).reason == "coincidences"


def test_fewer_possible_cells_than_occur_are_a_mistake() -> None:
    with pytest.raises(BadChoice, match="100 different cells occur, and only 99"):
        released(T1200, 99)
