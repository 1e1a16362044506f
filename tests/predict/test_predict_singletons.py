"""How many people would be unique: Koot (2012), chapter 5."""

from __future__ import annotations

import json
import math
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

import naive_singletons as naive
from singleout.core import memory
from singleout.core.progress import listening
from singleout.errors import BadChoice, UndefinedMeasure, UnusableTable
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.singletons.singletons import Singletons, singletons
from singleout.predict.uniqueness.uniqueness import uniqueness_probability

WEIGHTS = st.lists(st.integers(0, 9), min_size=1, max_size=7).filter(any)
Floats = np.ndarray[Any, np.dtype[np.float64]]


def fractions(weights: list[int]) -> list[Fraction]:
    return [Fraction(weight, sum(weights)) for weight in weights if weight]


def shares(weights: Any) -> Floats:
    return np.array(weights) / sum(weights)


def even(cells: int) -> Floats:
    return np.full(cells, 1 / cells)


def mixed(cells: int, evenness: float = 1.0, seed: int = 1) -> Floats:
    return np.random.default_rng(seed).dirichlet(np.full(cells, evenness))


def assert_same_law(found: Singletons, law: naive.Law) -> None:
    assert found.pmf() == pytest.approx([float(chance) for chance in law], abs=1e-13)
    assert found.mean == pytest.approx(float(naive.mean(law)), rel=1e-13, abs=1e-13)
    assert found.variance == pytest.approx(float(naive.variance(law)), rel=1e-12, abs=1e-13)
    assert found.probability_none == pytest.approx(float(law[0]), rel=1e-12, abs=0)


# ---- against all outcomes


@given(WEIGHTS, st.integers(0, 4))
def test_everything_equals_that_over_all_outcomes(weights: list[int], people: int) -> None:
    law = naive.law_by_outcomes(fractions(weights), people)
    assert_same_law(singletons(shares(weights), people), law)


@given(st.lists(st.integers(1, 50), min_size=1, max_size=9), st.integers(0, 14))
@settings(max_examples=30)
def test_everything_equals_the_sum_over_splits_of_people(weights: list[int], people: int) -> None:
    law = naive.law_by_cells(fractions(weights), people)
    assert_same_law(singletons(shares(weights), people), law)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6), st.data())
def test_without_replacement_everything_equals_that_over_all_samples(
    counts: list[int], data: st.DataObject
) -> None:
    people = data.draw(st.integers(0, sum(counts)))
    if math.comb(sum(counts), people) > 20_000:
        people = min(people, 4)
    law = naive.law_by_samples(counts, people)
    assert_same_law(singletons(Distribution.from_counts(counts), people, True), law)


@pytest.mark.parametrize(("people", "cells"), [(5, 3), (12, 12), (20, 6), (9, 30)])
def test_equally_likely_cells_have_the_law_of_section_5_4_2(people: int, cells: int) -> None:
    assert_same_law(singletons(even(cells), people), naive.uniform_law(people, cells))


# ---- verified and printed numbers


def test_it_equals_the_verified_values(golden: Path) -> None:
    laws = 0
    for case in json.loads((golden / "predict-golden.json").read_text())["discrete"]:
        found = singletons(shares(case["weights"]), case["k"])
        assert_equals_case(found, case)
        laws += "pmf_S" in case
    assert laws >= 10


def test_it_equals_the_verified_values_for_equally_likely_cells(golden: Path) -> None:
    for case in json.loads((golden / "predict-golden.json").read_text())["uniform"]:
        found = singletons(even(case["N"]), case["k"])
        assert_equals_case(found, case)
        some = 1 - found.probability_none
        assert some == pytest.approx(case["P_at_least_one"], rel=1e-12)


def test_it_equals_the_verified_values_without_replacement(golden: Path) -> None:
    for case in json.loads((golden / "predict-golden.json").read_text())["hypergeometric"]:
        town = Distribution.from_counts(case["counts"])
        assert_equals_case(singletons(town, case["k"], without_replacement=True), case)


def assert_equals_case(found: Singletons, case: dict[str, Any]) -> None:
    assert found.mean == pytest.approx(case["ES"], rel=1e-12)
    assert found.variance == pytest.approx(case["VarS"], rel=1e-11, abs=1e-13)
    assert found.probability_none == pytest.approx(case["P_S0"], rel=1e-11, abs=0)
    if case.get("pmf_S"):
        assert found.pmf() == pytest.approx(case["pmf_S"], abs=1e-13)


def test_the_table_of_no_singletons_is_table_a_1_recomputed(golden: Path) -> None:
    table = json.loads((golden / "predict-golden.json").read_text())["zeta_table_A1"]
    for cells, row in table.items():
        found = [singletons(even(int(cells)), k).probability_none for k in range(1, len(row) + 1)]
        assert found == pytest.approx(row, rel=1e-12, abs=0)
    assert [len(row) for row in table.values()] == [50] * 20


@pytest.mark.parametrize("cells", [1, 2, 3, 10, 95, 1000])
def test_no_singletons_has_the_closed_forms_of_section_5_4_1(cells: int) -> None:
    n = Fraction(cells)
    zeta = {
        2: 1 / n,
        3: 1 / n**2,
        4: (3 * n - 2) / n**3,
        5: (10 * n - 9) / n**4,
        6: (15 * n**2 - 20 * n + 6) / n**5,
        7: (105 * n**2 - 259 * n + 155) / n**6,
    }
    for people, expected in zeta.items():
        found = singletons(even(cells), people).probability_none
        assert found == pytest.approx(float(expected), rel=1e-12)


@given(st.integers(3, 60))
def test_no_singletons_among_two_cells_has_a_closed_form(people: int) -> None:
    found = singletons([0.5, 0.5], people).probability_none
    assert found == pytest.approx(1 - people / 2 ** (people - 1), rel=1e-12)


def test_no_singletons_equals_the_recursion_of_section_5_4_1() -> None:
    for cells in (4, 9):
        for people in range(12):
            expected = float(naive.zeta(people, cells))
            found = singletons(even(cells), people).probability_none
            assert found == pytest.approx(expected, rel=1e-12, abs=0)


def test_365_people_have_134_unique_birthdays_the_most_there_can_be() -> None:
    means = {people: singletons(even(365), people).mean for people in range(300, 430)}
    assert round(means[365]) == 134
    # at the maximum two neighbours are the same: 364 people have as many
    assert max(means.values()) == pytest.approx(means[365], rel=1e-12)


@pytest.mark.parametrize(("cost", "people", "exact"), [(1, 10, 10), (10, 38, 37)])
def test_a_postal_code_should_hold_as_many_people_as_in_example_5_6(
    cost: int, people: int, exact: int
) -> None:
    def best(gain: Any) -> int:
        return max(range(1, 96), key=lambda k: gain(k) - cost / k)

    assert best(lambda k: math.exp(-k / 95)) == people
    assert best(lambda k: singletons(even(95), k).share) == exact


# ---- how exact


def test_the_means_keep_their_digits_where_they_are_tiny() -> None:
    cells = 10**12
    rare = Distribution.from_counts([1, cells - 1])
    assert singletons(rare, 3, without_replacement=False).mean == pytest.approx(3e-12, rel=1e-9)
    wide = Distribution(np.array([1e-12]), np.array([cells]), cells)
    assert singletons(wide, 3).shared == pytest.approx(6e-12, rel=1e-9)
    assert singletons(wide, 3).variance == pytest.approx(12e-12, rel=1e-9)


@pytest.mark.parametrize(
    ("cells", "people"), [(1000, 30), (1000, 1000), (200, 1500), (3, 40), (12, 7)]
)
@pytest.mark.parametrize("evenness", [0.05, 1.0, 30.0])
def test_the_variance_keeps_its_digits(cells: int, people: int, evenness: float) -> None:
    weights = np.ceil(1e6 * mixed(cells, evenness))
    found = singletons(shares(weights), people)
    values, times = np.unique(weights, return_counts=True)
    if len(values) > 60:  # pairs in many digits are slow
        values, times = values[-60:], times[-60:]
        weights = np.repeat(values, times)
        found = singletons(shares(weights), people)
    with mpmath.workdps(50):
        p = [mpmath.mpf(int(v)) / int(weights.sum()) for v in values]
        mean = people * sum(
            int(m) * x * (1 - x) ** (people - 1) for x, m in zip(p, times, strict=True)
        )
        pairs = mpmath.mpf(0)
        for i, x in enumerate(p):
            for j, y in enumerate(p):
                both = int(times[i]) * (int(times[j]) - (i == j))
                pairs += both * x * y * (1 - x - y) ** (people - 2) if both else 0
        expected = mean + people * (people - 1) * pairs - mean**2
        assert found.mean == pytest.approx(float(mean), rel=1e-12)
        assert found.variance == pytest.approx(float(expected), rel=5e-12)


def test_the_law_has_the_mean_the_variance_and_the_ends_computed_apart() -> None:
    for cells, people in [(3000, 300), (3000, 3000), (500, 2500)]:
        found = singletons(mixed(cells), people)
        law, numbers = found.pmf(), np.arange(people + 1)
        assert law.sum() == pytest.approx(1, abs=1e-12)
        assert law @ numbers == pytest.approx(found.mean, rel=1e-11)
        assert law @ (numbers - found.mean) ** 2 == pytest.approx(found.variance, rel=1e-9)
        assert law[0] == pytest.approx(found.probability_none, abs=1e-13)
        assert law[-2] == 0


def test_a_huge_table_without_replacement_agrees_with_its_moments() -> None:
    counts = np.random.default_rng(3).zipf(1.9, 5000)
    town = Distribution.from_counts(counts[counts < 5000])
    found = singletons(town, int(0.2 * (town.population or 0)))
    law, numbers = found.pmf(), np.arange(found.people + 1)
    assert found.without_replacement
    assert law @ numbers == pytest.approx(found.mean, rel=1e-10)
    assert law @ (numbers - found.mean) ** 2 == pytest.approx(found.variance, rel=1e-8)


def test_the_chance_of_none_keeps_its_digits_where_it_is_next_to_nothing() -> None:
    # two kinds of cells: the coefficients of two powers, here in 60 digits
    few, many, people = 10_000, 90_000, 1000
    p, q = Fraction(4, 100_000), Fraction(1, 150_000)
    with mpmath.workdps(60):
        first, second = _no_single(few, p, people), _no_single(many, q, people)
        total = mpmath.fsum(first[k] * second[people - k] for k in range(people + 1))
        expected = mpmath.log(total * mpmath.factorial(people))
        found = singletons(np.repeat([float(p), float(q)], [few, many]), people)
        assert abs(mpmath.mpf(found.log_probability_none) - expected) < 1e-11
    assert found.log_probability_none < -2000


def _no_single(cells: int, p: Fraction, people: int) -> list[mpmath.mpf]:
    """The coefficients of (exp(p x) - p x)^cells, by Miller's recurrence for powers of a series."""
    share = mpmath.mpf(p.numerator) / p.denominator
    reach = 40  # larger groups change nothing in so many digits
    one = [share**j / mpmath.factorial(j) if j != 1 else mpmath.mpf(0) for j in range(reach + 1)]
    power = [mpmath.mpf(1)]
    for k in range(1, people + 1):
        terms = range(2, min(k, reach) + 1)
        power.append(mpmath.fsum((j * (cells + 1) - k) * one[j] * power[k - j] for j in terms) / k)
    return power


def test_a_simulation_agrees() -> None:
    rng = np.random.default_rng(8)
    weights = mixed(30, 0.7)
    drawn = rng.multinomial(25, weights, size=20_000)
    unique = (drawn == 1).sum(axis=1)
    found = singletons(weights, 25)
    assert unique.mean() == pytest.approx(found.mean, abs=4 * found.sd / math.sqrt(20_000))
    seen = np.bincount(unique, minlength=26) / 20_000
    assert np.abs(np.cumsum(seen) - found.cdf()).max() < 1.95 / math.sqrt(20_000)


def test_a_simulation_without_replacement_agrees() -> None:
    rng = np.random.default_rng(8)
    counts = [40, 20, 10, 5, 5, 5, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1]
    drawn = rng.multivariate_hypergeometric(counts, 30, size=20_000)
    unique = (drawn == 1).sum(axis=1)
    found = singletons(Distribution.from_counts(counts), 30)
    seen = np.bincount(unique, minlength=31) / 20_000
    assert np.abs(np.cumsum(seen) - found.cdf()).max() < 1.95 / math.sqrt(20_000)


# ---- what must hold


@given(WEIGHTS, st.integers(1, 30))
def test_equally_likely_cells_make_most_people_unique_up_to_as_many_as_cells(
    weights: list[int], people: int
) -> None:
    people = min(people, len(weights))
    most = singletons(even(len(weights)), people).mean
    assert singletons(shares(weights), people).mean <= most + 1e-12


def test_with_more_people_than_cells_a_heavy_cell_can_make_more_unique() -> None:
    heavy = shares([51, *[1] * 99])  # erratum E17
    assert singletons(even(100), 150).mean == pytest.approx(33.55, abs=0.005)
    assert singletons(heavy, 150).mean == pytest.approx(36.54, abs=0.005)


@given(WEIGHTS.filter(lambda weights: len(weights) > 1), st.integers(1, 30))
def test_merging_cells_never_makes_more_people_unique(weights: list[int], people: int) -> None:
    merged = [weights[0] + weights[1], *weights[2:]]
    apart = singletons(shares(weights), people).mean
    assert singletons(shares(merged), people).mean <= apart + 1e-12


@given(WEIGHTS, st.integers(2, 12))
def test_all_unique_is_the_chance_of_chapter_4(weights: list[int], people: int) -> None:
    last = singletons(shares(weights), people).pmf()[-1]
    expected = uniqueness_probability(shares(weights), people).probability
    assert last == pytest.approx(expected, abs=1e-13)


def test_never_all_but_one_are_unique() -> None:
    assert singletons(mixed(50), 20).pmf()[19] == 0


# ---- quantiles and approximations


def test_quantiles_are_the_least_numbers_that_are_not_exceeded() -> None:
    found = singletons([0.4, 0.3, 0.2, 0.1], 2)  # 0 with 0.3, 2 with 0.7
    assert [found.quantile(q) for q in (0, 0.1, 0.3, 0.31, 1)] == [0, 0, 0, 2, 2]
    assert found.interval() == (0, 2)
    assert found.cdf() == pytest.approx([0.3, 0.3, 1.0])


@pytest.mark.parametrize("probability", [-0.1, 1.1, math.nan, "half", None, True])
def test_what_is_no_probability_is_refused(probability: Any) -> None:
    with pytest.raises(BadChoice, match="probability"):
        singletons([0.5, 0.5], 3).quantile(probability)


@given(
    st.sampled_from(["even", "mixed", "heavy", "steep"]),
    st.integers(3, 3000),
    st.integers(2, 400),
    st.integers(0, 50),
)
@example("even", 200, 20, 0)
@example("even", 230, 23, 0)
@example("even", 800, 40, 0)
@example("even", 140, 28, 0)
@example("even", 40, 20, 0)
@example("heavy", 3, 144, 0)
@settings(max_examples=80)
def test_approximations_are_as_good_as_they_say(
    kind: str, cells: int, people: int, seed: int
) -> None:
    weights = {
        "even": even(cells),
        "mixed": mixed(min(cells, 500), 0.1 + seed / 10, seed),
        "heavy": shares([0.3 * cells, *[1.0] * cells]),
        "steep": shares(0.8 ** np.arange(min(cells, 60))),
    }[kind]
    found = singletons(weights, people)
    if found.sd == 0:
        return
    numbers = np.arange(people + 1)
    for law in (found.normal(), found.approximation()):
        assert np.abs(law.cdf(numbers) - found.cdf()).max() <= law.error
        assert law.cdf(-1) == 0
        assert law.cdf(people) == 1


def test_each_regime_has_its_own_approximation() -> None:
    assert singletons(even(100_000), 100).approximation().kind == "compound Poisson"
    assert singletons(even(100), 900).approximation().kind == "Poisson"
    normal = singletons(even(2000), 1500).approximation()
    assert normal.kind == "normal"
    assert normal.warnings == ()
    assert normal.error < 0.02
    town = Distribution.from_counts(np.full(2000, 3))
    assert singletons(town, 61).approximation().kind == "compound Poisson"


def test_the_continuity_correction_makes_the_normal_law_better() -> None:
    found = singletons(even(300), 200)
    numbers = np.arange(201)
    corrected = np.abs(found.normal().cdf(numbers) - found.cdf()).max()
    plain = np.abs(stats.norm.cdf(numbers, found.mean, found.sd) - found.cdf()).max()
    assert plain > 8 * corrected


def test_the_normal_law_warns_where_it_is_not_to_be_trusted() -> None:
    assert "not nearly normal" in singletons(even(100_000), 100).normal().warnings[0]
    assert "can be off by" in singletons(even(20), 10).normal().warnings[0]
    with pytest.raises(UndefinedMeasure, match="nothing to approximate"):
        singletons([1.0], 5).normal()


def test_an_approximation_has_quantiles_and_an_interval() -> None:
    found = singletons(even(2000), 1500)
    normal = found.normal()
    assert normal.interval() == pytest.approx(found.interval(), abs=1)
    assert normal.quantile(0.5) == round(found.mean)
    assert normal.quantile(0) == 0
    assert normal.to_dict()["kind"] == "normal"
    assert str(normal).startswith("normal with mean 708.")
    with pytest.raises(BadChoice):
        normal.interval(1.5)


# ---- edges, and as a result


def test_nobody_and_one_person() -> None:
    nobody, one = singletons([0.5, 0.5], 0), singletons([0.5, 0.5], 1)
    assert (nobody.mean, nobody.share, nobody.probability_none) == (0, 0, 1)
    assert nobody.pmf().tolist() == [1]
    assert (one.mean, one.variance, one.probability_none) == (1, 0, 0)
    assert one.pmf().tolist() == [0, 1]


def test_a_single_cell_hides_everybody() -> None:
    found = singletons([1.0], 5)
    assert (found.mean, found.variance) == (0, 0)
    assert found.probability_none == pytest.approx(1)
    assert found.pmf() == pytest.approx([1, 0, 0, 0, 0, 0], abs=1e-13)


def test_a_whole_population_leaves_nothing_to_chance() -> None:
    found = singletons(Distribution.from_counts([5, 4, 1, 1]), 11)
    assert (found.mean, found.variance, found.probability_none) == (pytest.approx(2), 0, 0)
    assert found.pmf()[2] == 1


def test_people_who_are_alone_in_the_population_cannot_share() -> None:
    town = Distribution.from_counts([3, 2, 1, 1])
    assert singletons(town, 6).probability_none == 0
    only_way = singletons(town, 5).probability_none
    assert only_way == pytest.approx(1 / math.comb(7, 5))


def test_stand_ins_with_broken_numbers_of_cells_are_close_to_the_truth() -> None:
    real = Distribution.from_counts(np.arange(1, 96))
    sums = [real.power_sum(order) for order in (2, 3, 4, 5)]
    stand_in = singletons(Distribution.from_summary(cells=95, power_sums=sums), 60)
    truth = singletons(real, 60, without_replacement=False)
    assert stand_in.mean == pytest.approx(truth.mean, rel=1e-3)
    assert stand_in.variance == pytest.approx(truth.variance, rel=1e-2)
    assert stand_in.pmf() == pytest.approx(truth.pmf(), abs=1e-2)
    close = uniqueness_probability(stand_in.distribution, 20).log_probability
    assert close == pytest.approx(uniqueness_probability(real, 20).log_probability, abs=1e-2)


def test_the_law_says_how_far_it_is_and_can_be_interrupted() -> None:
    heard: list[tuple[str, int, int]] = []

    def stop(what: str, done: int, total: int) -> None:
        heard.append((what, done, total))
        if done == 3:
            raise KeyboardInterrupt

    with listening(stop), pytest.raises(KeyboardInterrupt):
        singletons(mixed(500), 200).pmf()
    assert heard[-1][0] == "Law of the number of unique people"
    assert heard[-1][2] > 100


def test_a_law_too_large_for_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 1000)
    with pytest.raises(UnusableTable, match="The law of 500 people"):
        singletons(even(10), 500).pmf()


def test_only_what_is_looked_at_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    # by its name in sys.modules: in the package the function has the same name
    monkeypatch.setattr(sys.modules[Singletons.__module__], "law", None)
    found = singletons(even(365), 100)
    assert found.mean > 70
    assert found.to_dict()["people"] == 100
    with pytest.raises(TypeError):
        found.pmf()


def test_it_shows_itself() -> None:
    found = singletons([0.4, 0.3, 0.2, 0.1], 2)
    assert str(found) == (
        "Of 2 people 1.4 (70.0%) are unique on average, with a standard deviation of 0.917"
    )
    assert found.to_frame()["probability"].to_list() == pytest.approx([0.3, 0, 0.7])
    assert "<table" in found._repr_html_()
    json.dumps(singletons([0.5, 0.5], 1).to_dict(), allow_nan=False)
    drawn = singletons(even(365), 365).plot().to_dict()
    assert "134.5 on average" in drawn["title"]["subtitle"]
    bars = drawn["datasets"][drawn["layer"][0]["data"]["name"]]
    assert sum(bar["probability"] for bar in bars) == pytest.approx(1, abs=1e-3)


def test_a_wide_law_is_drawn_with_several_numbers_to_a_bar() -> None:
    drawn = singletons(even(20_000), 20_000).plot().to_dict()
    bars = drawn["datasets"][drawn["layer"][0]["data"]["name"]]
    assert len(bars) <= 120
    assert bars[0]["to"] > bars[0]["from"]


def test_large_samples_are_drawn_without_replacement_with_a_note() -> None:
    found = singletons(Distribution.from_counts([30, 20, 10]), 3)
    assert found.without_replacement
    assert "nobody is drawn twice" in found.notes[0]
