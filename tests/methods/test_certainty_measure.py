"""Identity and gain of classes, against the naive twin and the worked examples of the rating."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_certainty as naive
from singleout.methods.certainty.measure import ClassedValues, certainty, correlations

PAPER_CLASSES = [1, 1, 1, 2, 2, 2, 3, 3, 3]
PAPER_SECRETS = ["Colds"] * 3 + ["Colds", "Flu", "HIV"] + ["Diabetes", "Cancer", "HIV"]
PAPER_SEVERITY = {"Colds": 1, "Flu": 1, "Diabetes": 3, "HIV": 4, "Cancer": 4}
TWO_CLASSES = ["n"] * 5 + ["s"] * 15
TWO_SECRETS = ["HIV"] * 5 + ["none"] * 14 + ["HIV"]
TWO_SEVERITY = {"none": 1, "HIV": 4}


def classes_of(
    known: list[Any],
    secret: list[Any],
    people: dict[Any, Fraction] | None = None,
    fraction: Fraction | None = None,
) -> tuple[ClassedValues, np.ndarray[Any, Any]]:
    """The classes of a small table, and the pair of each record."""
    ys, of_class = np.unique(known, return_inverse=True)
    xs, of_value = np.unique(secret, return_inverse=True)
    pairs, of_pair = np.unique(of_class * len(xs) + of_value, return_inverse=True)
    counts = np.bincount(of_class)
    everybody = None
    if fraction is not None:
        everybody = counts / float(fraction)
    elif people is not None:
        everybody = np.maximum(counts, [float(people[y]) for y in ys.tolist()])
    return (
        ClassedValues(
            counts,
            np.bincount(of_pair),
            pairs // len(xs),
            pairs % len(xs),
            np.bincount(of_value),
            everybody,
            fraction,
        ),
        of_pair,
    )


def of_records(
    known: list[Any], secret: list[Any], **population: Any
) -> list[tuple[float, float, int]]:
    classes, of_pair = classes_of(known, secret, **population)
    found = certainty(classes)
    return [(found.identity[i], found.gain[i], int(found.inference[i])) for i in of_pair]


def sampled(known: list[Any], fraction: Fraction) -> dict[Any, Fraction]:
    return {y: known.count(y) / fraction for y in set(known)}


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=25),
    st.sampled_from([None, Fraction(1), Fraction(1, 2), Fraction(1, 10), Fraction(3, 4)]),
)
def test_identity_gain_and_level_are_those_of_the_naive_twin(
    records: list[tuple[int, int]], fraction: Fraction | None
) -> None:
    known, secret = [y for y, _ in records], [x for _, x in records]
    people = None if fraction is None else sampled(known, fraction)
    wanted = naive.rate(known, secret, dict.fromkeys(range(4), 1), people=people)
    for (identity, gain, inference), right in zip(
        of_records(known, secret, fraction=fraction), wanted, strict=True
    ):
        assert identity == pytest.approx(float(right.identity), abs=1e-12)
        assert gain == pytest.approx(float(right.gain), abs=1e-9)
        assert inference == right.inference


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=15),
    st.lists(st.integers(0, 40), min_size=3, max_size=3),
)
def test_people_by_class_may_differ_between_classes(
    records: list[tuple[int, int]], more: list[int]
) -> None:
    known, secret = [y for y, _ in records], [x for _, x in records]
    people = {y: Fraction(known.count(y) + more[y]) for y in set(known)}
    wanted = naive.rate(known, secret, dict.fromkeys(range(4), 1), people=people)
    found = of_records(known, secret, people=people)
    assert [level for _, _, level in found] == [right.inference for right in wanted]
    assert [gain for _, gain, _ in found] == pytest.approx([float(r.gain) for r in wanted])


# ---- worked examples


def test_the_nine_patients_where_it_is_known_that_they_are_in_the_file() -> None:
    found = of_records(PAPER_CLASSES, PAPER_SECRETS)
    assert [identity for identity, _, _ in found] == [pytest.approx(1 / 3)] * 9
    assert [gain for _, gain, _ in found] == pytest.approx(
        [5 / 9, 5 / 9, 5 / 9, 0, 2 / 9, 1 / 9, 2 / 9, 2 / 9, 1 / 9]
    )
    assert [inference for _, _, inference in found] == [3, 3, 3, 2, 2, 2, 2, 2, 2]


def test_the_nine_patients_as_a_sample_of_one_in_ten() -> None:
    found = of_records(PAPER_CLASSES, PAPER_SECRETS, fraction=Fraction(1, 10))
    assert [identity for identity, _, _ in found] == [pytest.approx(1 / 30)] * 9
    assert [gain for _, gain, _ in found] == pytest.approx(
        [0.4556, 0.4556, 0.4556, 0, 0.0222, 0.0111, 0.0222, 0.0222, 0.0111], abs=5e-5
    )
    classes, _ = classes_of(PAPER_CLASSES, PAPER_SECRETS)
    rho = dict(zip(sorted(set(PAPER_SECRETS)), correlations(classes), strict=True))
    assert rho.pop("Colds") == pytest.approx(2 / 3)
    assert set(rho.values()) == {0.0}


def test_risks_of_the_nine_patients() -> None:
    rated = naive.rate(PAPER_CLASSES, PAPER_SECRETS, PAPER_SEVERITY)
    assert [one.risk for one in rated] == [2, 2, 2, 2, 2, 4, 3, 4, 4]
    assert [one.exploitability for one in rated] == [4, 4, 4, 3, 3, 3, 3, 3, 3]
    people = sampled(PAPER_CLASSES, Fraction(1, 10))
    sample = naive.rate(PAPER_CLASSES, PAPER_SECRETS, PAPER_SEVERITY, people=people)
    assert [one.risk for one in sample] == [2, 2, 2, 1, 1, 2, 2, 2, 2]


def test_a_class_with_one_disease_and_one_that_is_healthy() -> None:
    classes, _ = classes_of(TWO_CLASSES, TWO_SECRETS)
    assert correlations(classes) == pytest.approx([124 / 139] * 2)
    found = of_records(TWO_CLASSES, TWO_SECRETS)
    assert found[0][1] == pytest.approx(0.7)
    assert found[0][2] == 3
    assert found[5][1:] == (pytest.approx(0.2333, abs=5e-5), 1)
    assert found[-1][:2] == (pytest.approx(0.0667, abs=5e-5), 0)
    risks = [one.risk for one in naive.rate(TWO_CLASSES, TWO_SECRETS, TWO_SEVERITY)]
    assert (risks[0], risks[5], risks[-1]) == (4, 1, 2)
    sample = of_records(TWO_CLASSES, TWO_SECRETS, fraction=Fraction(1, 10))
    assert sample[0][1] == pytest.approx(0.6815, abs=5e-5)
    assert sample[5][1] == pytest.approx(0.2273, abs=5e-5)
    people = sampled(TWO_CLASSES, Fraction(1, 10))
    risks = [one.risk for one in naive.rate(TWO_CLASSES, TWO_SECRETS, TWO_SEVERITY, people=people)]
    assert (risks[0], risks[5], risks[-1]) == (4, 1, 2)


# ---- properties


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=25),
    st.fractions(Fraction(1, 50), 1),
    st.fractions(Fraction(1, 50), 1),
)
def test_rates_grow_with_the_sampling_fraction(
    records: list[tuple[int, int]], one: Fraction, other: Fraction
) -> None:
    known, secret = [y for y, _ in records], [x for _, x in records]
    less, more = sorted((one, other))
    few = of_records(known, secret, fraction=less)
    many = of_records(known, secret, fraction=more)
    for (identity, gain, level), (larger, more_gain, higher) in zip(few, many, strict=True):
        assert larger >= identity
        assert more_gain >= gain - 1e-12
        assert higher >= level


def test_knowing_more_can_make_an_attacker_less_sure_of_the_truth() -> None:
    # of four people of a class three are ill; who also knows the sex finds one ill of two
    coarse, fine = ["a"] * 4 + ["b"] * 4, ["am", "am", "aw", "aw"] + ["b"] * 4
    secret = ["ill", "well", "ill", "ill"] + ["well"] * 4
    assert of_records(fine, secret)[0][1] < of_records(coarse, secret)[0][1]


def test_rates_on_a_bound_are_on_it_for_every_size() -> None:
    for size in range(4, 400, 4):
        # three in four of a class have the value, and a quarter less of the whole
        known = ["a"] * size + ["b"] * size
        secret = ["x"] * (3 * size // 4) + ["z"] * (size // 4) + ["x"] * (size // 4)
        secret += ["z"] * (size - size // 4)
        assert of_records(known, secret)[0] == (1 / size, pytest.approx(0.25), 2)


def test_a_shuffled_value_tells_nothing_to_a_stranger() -> None:
    rng = np.random.default_rng(7)
    known = rng.integers(0, 3000, 10_000)
    secret = rng.permutation(np.repeat([0, 1], [7600, 2400]))
    found = of_records(known.tolist(), secret.tolist(), fraction=Fraction(1, 100))
    assert np.mean([level >= 2 for _, _, level in found]) < 0.005
