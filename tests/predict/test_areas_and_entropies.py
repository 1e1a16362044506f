"""How large an area must be, and how uncertain an attacker is."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_areas as naive
from run_command import refused, singleout
from singleout.errors import BadChoice, UndefinedMeasure
from singleout.predict import Distribution, attacker_entropy, people_for

WEIGHTS = st.lists(st.integers(0, 9), min_size=2, max_size=9).filter(any)


def shares_of(weights):
    return [weight / sum(weights) for weight in weights]


# ---- entropies of an attacker (2.2)


@given(WEIGHTS, st.sampled_from([0, 0.3, 0.5, 2, 3.7, 20]), st.floats(0.01, 1))
def test_every_entropy_is_that_of_its_formula(weights, order, part):
    shares = shares_of(weights)
    for found in (attacker_entropy(shares), attacker_entropy(Distribution.from_counts(weights))):
        assert found.entropy == pytest.approx(naive.shannon(shares), abs=1e-12)
        assert found.renyi(order) == pytest.approx(naive.renyi(shares, order), abs=1e-9)
        assert found.bits_for(part) == pytest.approx(naive.bits_for(shares, part), abs=1e-9)
        assert found.degree == pytest.approx(naive.shannon(shares) / math.log2(len(shares)))


def test_the_example_of_the_thesis_and_its_erratum():
    """2.2.1: with p4 = .5 H is 2.585 and d .778; ten times as likely is .5263 (E2)."""
    printed = attacker_entropy([0.5] + [0.5 / 9] * 9)
    assert (printed.entropy, printed.degree) == pytest.approx((2.585, 0.778), abs=5e-4)
    assert printed.most == pytest.approx(3.32, abs=0.005)
    ten_times = attacker_entropy(Distribution.from_counts([10] + [1] * 9))
    assert ten_times.distribution.largest == pytest.approx(0.5263, abs=5e-5)
    assert (ten_times.entropy, ten_times.degree) == pytest.approx((2.4995, 0.7524), abs=5e-5)


def test_orders_go_from_the_possible_to_the_likeliest():
    found = attacker_entropy([0.5, 0.25, 0.25, 0.0])
    assert found.renyi(0) == pytest.approx(math.log2(3))  # E3: the possible, not the equally likely
    assert found.renyi(1) == found.entropy == 1.5
    assert found.renyi(math.inf) == found.least == 1
    assert found.renyi(1e6) == pytest.approx(1, abs=1e-5)
    assert (found.people, found.possible) == (4, 3)


def test_ten_bits_for_ninety_percent():
    """The sentence of 2.2.2: a few who are likely do not count."""
    shares = np.array([0.1] * 3 + [0.7 / 997] * 997)
    found = attacker_entropy(shares)
    assert found.bits_for(0.9) == pytest.approx(math.log2(997 / 0.7))
    assert found.bits_for(0.9) > 10 > found.entropy
    assert found.bits_for(1) == found.least == pytest.approx(math.log2(10))


def test_certainty_has_no_entropy():
    found = attacker_entropy([1.0])
    assert (found.entropy, found.degree, found.least, found.bits_for(1)) == (0, 0, 0, 0)
    assert json.loads(found.to_json())["renyi"][0] == {"order": 0.0, "bits": 0.0}


@pytest.mark.parametrize("order", [-1, math.nan, "two", True])
def test_an_order_is_a_number_from_0_on(order):
    with pytest.raises(BadChoice, match="order of an entropy"):
        attacker_entropy([0.5, 0.5]).renyi(order)


def test_entropies_on_the_command_line(tmp_path):
    done = singleout(
        "predict", "attacker-entropy", "--odds", "10,1x9", "--plot", tmp_path / "e.svg"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "Degree of anonymity: 0.752 of 1; 10 of 10 people are possible." in done.stdout
    assert "How many bits" in (tmp_path / "e.svg").read_text()
    shares = "0.5" + ",0.0555555556" * 9
    found = json.loads(
        singleout("predict", "attacker-entropy", "--shares", shares, "--json").stdout
    )
    assert found["degree"] == pytest.approx(0.778, abs=5e-4)
    for wrong in ((), ("--odds", "1,x"), ("--odds", "1x0"), ("--odds", "0,0"), ("--shares", "a")):
        assert refused(singleout("predict", "attacker-entropy", *wrong))


# ---- how large an area must be (Example 5.6)


@given(WEIGHTS, st.floats(0.02, 0.9))
def test_the_least_number_of_people_is_found(weights, unique):
    shares = shares_of(weights)
    if naive.unique_share(shares, 3000) > unique:
        return
    found = people_for(shares, unique)
    assert found.people == naive.people_for(shares, unique)
    assert found.unique_share == pytest.approx(naive.unique_share(shares, found.people))


@given(st.lists(st.integers(1, 9), min_size=2, max_size=9), st.floats(0.1, 20))
def test_the_best_size_at_a_cost_is_the_best_of_all(weights, cost):
    shares = shares_of(weights)
    best = naive.best_size(shares, cost, 4000)
    most = naive.unique_share(shares, best) - cost / best
    if most <= 1e-6:
        with pytest.raises(UndefinedMeasure, match="no size is best"):
            people_for(shares, cost=cost)
        return
    found = people_for(shares, cost=cost)
    assert naive.unique_share(shares, found.people) - cost / found.people >= most - 1e-9


def test_example_5_6():
    """10 people for C = 1; for C = 10 the limit gives 38, and the exact expression 37."""
    ages = np.full(95, 1 / 95)
    assert [people_for(ages, cost=cost).people for cost in (1, 10)] == [10, 37]
    assert [naive.best_size_printed(95, cost, 1000) for cost in (1, 10)] == [10, 38]


def test_what_is_not_one_question_is_refused():
    for arguments in ({}, {"unique": 0.1, "cost": 1}):
        with pytest.raises(BadChoice, match="one of them"):
            people_for([0.5, 0.5], **arguments)
    with pytest.raises(BadChoice, match="above 0"):
        people_for([0.5, 0.5], cost=-1)
    with pytest.raises(BadChoice, match="unique must"):
        people_for([0.5, 0.5], 1.5)
    with pytest.raises(UndefinedMeasure, match="too many cells"):
        people_for(Distribution(np.array([1e-20]), np.array([1e20]), 1e20), 0.05)


def test_areas_on_the_command_line(tmp_path):
    done = singleout(
        "predict", "people-for", "--cells", 95, "--unique", "5%", "--plot", tmp_path / "a.svg"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "At least 285 people must share an area for at most 5% of them" in done.stdout
    assert "285" in (tmp_path / "a.svg").read_text()
    best = singleout("predict", "people-for", "--cells", 95, "--cost", 10, "--json").stdout
    assert json.loads(best)["people"] == 37
    path = tmp_path / "ages.csv"
    path.write_text("age,n\n1,30\n2,50\n3,20\n")
    asked = ("--data", path, "--qi", "age", "--count", "n", "--unique", "0.05", "--json")
    counted = json.loads(singleout("predict", "people-for", *asked).stdout)
    assert counted["people"] == naive.people_for([0.3, 0.5, 0.2], 0.05)
    assert (
        "differ"
        in singleout("predict", "people-for", "--cells", 95, "--kl", 0.1, "--unique", "5%").stdout
    )
    for wrong in (
        ("--cells", 95),
        ("--unique", "5%"),
        ("--cells", 95, "--unique", "five"),
        ("--cells", 95, "--qi", "age", "--unique", "5%"),
        ("--shares", "1", "--kl", 1, "--unique", "5%"),
        ("--data", path, "--unique", "5%"),
    ):
        assert refused(singleout("predict", "people-for", *wrong))


def test_the_reference_shows_which_arguments_are_by_keyword_only():
    reference = Path(__file__).resolve().parents[2] / "docs" / "reference" / "predict.md"
    assert "`from_summary(*, cells, kl=None, power_sums=None)`" in reference.read_text("utf-8")
    with pytest.raises(TypeError):
        Distribution.from_summary(95, 0.1)
