"""Records of different attributes together: what follows from independence, and from nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from singleout.errors import BadChoice
from singleout.repository.answering.compose import compose, inconsistencies
from singleout.repository.documents.record import Numbers, Record


def record_of(shares: np.ndarray, name: str) -> Record:
    some = shares[shares > 0]
    numbers = Numbers(
        cells=shares.size,
        kappa=max(0.0, float((some * np.log(shares.size * some)).sum())),
        s2=float((some**2).sum()),
        s3=float((some**3).sum()),
    )
    return Record(quasi_identifier=({"attribute": name},), numbers=numbers)


def expected(shares: np.ndarray, people: int) -> float:
    return people * float((shares * (1 - shares) ** (people - 1)).sum())


_TABLES = st.lists(
    st.lists(st.integers(0, 20), min_size=3, max_size=3), min_size=2, max_size=6
).filter(lambda rows: sum(map(sum, rows)) > 0)


@settings(max_examples=25)
@given(_TABLES, st.integers(2, 60))
def test_distances_add_up_with_the_mutual_information(rows: list[list[int]], people: int) -> None:
    joint = np.array(rows) / np.sum(rows)
    first, second = joint.sum(axis=1), joint.sum(axis=0)
    both = record_of(joint.ravel(), "AB")
    found = compose([record_of(first, "A"), record_of(second, "B")])
    information = both.kappa - found.kappa
    low, high = found.information
    assert low - 1e-9 <= information <= high + 1e-9
    assert found.kappa_range[0] - 1e-9 <= both.kappa <= found.kappa_range[1] + 1e-9
    span = found.predict(people).range
    assert span is not None
    exact = expected(joint.ravel(), people)
    assert span[0] - 1e-6 <= exact <= span[1] + 1e-6
    if 0 <= information <= high:
        stated = compose([record_of(first, "A"), record_of(second, "B")], information=information)
        assert stated.kappa == pytest.approx(both.kappa, abs=1e-9)
        least, most = stated.predict(people).bounds
        assert least - 1e-3 <= exact <= most + 1e-3


@settings(max_examples=20)
@given(st.lists(st.integers(1, 30), min_size=2, max_size=8), st.integers(2, 6))
def test_power_sums_multiply_if_attributes_are_independent(counts: list[int], other: int) -> None:
    first = np.array(counts) / sum(counts)
    second = np.arange(1, other + 1) / np.arange(1, other + 1).sum()
    found = compose([record_of(first, "A"), record_of(second, "B")])
    joint = record_of(np.outer(first, second).ravel(), "AB")
    assert found.record.power_sums == pytest.approx(joint.power_sums)
    assert found.kappa == pytest.approx(joint.kappa, abs=1e-9)
    assert found.record.cells == joint.cells


def test_composing_is_symmetric_and_associative() -> None:
    parts = [record_of(np.array(shares), name) for name, shares in _PARTS.items()]
    one, other = compose(parts), compose(parts[::-1])
    nested = compose([compose(parts[:2]).record, parts[2]])
    assert one.kappa == pytest.approx(other.kappa)
    assert one.kappa == pytest.approx(nested.kappa)
    assert one.record.id == other.record.id or one.record.columns == other.record.columns


_PARTS = {"A": [0.5, 0.3, 0.2], "B": [0.9, 0.1], "C": [0.25, 0.25, 0.25, 0.25]}


def test_noise_of_parts_is_noise_of_the_whole() -> None:
    noisy = Record(
        quasi_identifier=({"attribute": "A"},),
        numbers=Numbers(
            cells=10, kappa=0.1, s2=0.12, s3=0.016, sd={"kappa": 0.03, "s2": 0.006, "s3": 0.001}
        ),
    )
    found = compose([noisy, record_of(np.array(_PARTS["B"]), "B")])
    assert found.record.numbers.sd.kappa == pytest.approx(0.03)
    assert found.record.numbers.sd.s2 == pytest.approx(found.record.numbers.s2 * 0.05)
    assert "whatever their dependence" in str(found)
    assert found.to_dict()["cells"] == 20
    assert found.to_frame().height == 3


def test_what_cannot_be_composed_is_refused() -> None:
    one = record_of(np.array(_PARTS["A"]), "A")
    with pytest.raises(BadChoice, match="2 to 16"):
        compose([one])
    with pytest.raises(BadChoice, match="different attributes"):
        compose([one, one])
    with pytest.raises(BadChoice, match="mutual information"):
        compose([one, record_of(np.array(_PARTS["B"]), "B")], information=5.0)


def test_a_finer_record_with_less_entropy_contradicts_the_coarser() -> None:
    coarse = Record.legacy_tuple(["age:width=5"], {}, 0.05, cells=20)
    fine = Record.legacy_tuple(["age"], {}, 0.1, cells=100)
    wrong = Record.legacy_tuple(["age"], {}, math.log(100) - 1, cells=100)
    assert inconsistencies(fine, coarse) == ()
    assert len(inconsistencies(wrong, coarse)) == 1
    assert inconsistencies(coarse, wrong) == inconsistencies(wrong, coarse)
    elsewhere = Record.legacy_tuple(["age"], {"City": "Urk"}, math.log(100) - 1, cells=100)
    assert inconsistencies(elsewhere, coarse) == ()
