"""Microaggregation by Mdav, against its description."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_mdav
from singleout.treatment.steps.mdav import group_means, mdav


def partition(groups: list[int]) -> set[frozenset[int]]:
    found: dict[int, set[int]] = {}
    for record, group in enumerate(groups):
        found.setdefault(group, set()).add(record)
    return {frozenset(members) for members in found.values()}


def standardised(rows: np.ndarray) -> np.ndarray:
    deviation = rows.std(axis=0)
    return (rows - rows.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0)


@given(
    st.integers(2, 5),
    st.integers(1, 3).flatmap(
        lambda width: st.lists(
            st.lists(st.integers(-20, 20), min_size=width, max_size=width), min_size=5, max_size=40
        )
    ),
)
def test_groups_are_those_of_the_description(k: int, rows: list[list[int]]) -> None:
    numbers = np.array(rows, dtype=np.float64)
    expected = naive_mdav.mdav(standardised(numbers).tolist(), k)
    assert mdav(numbers, k).tolist() == expected


@given(st.integers(2, 6), st.integers(6, 80), st.integers(0, 2**32))
def test_every_group_has_k_to_2k_minus_1_records(k: int, records: int, seed: int) -> None:
    numbers = np.random.default_rng(seed).normal(size=(records, 2))
    sizes = np.bincount(mdav(numbers, k))
    assert sizes.sum() == records
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


def test_means_are_those_of_the_groups_and_keep_the_total() -> None:
    numbers = np.array([[1.0], [2.0], [3.0], [100.0], [101.0], [102.0]])
    assert group_means(numbers, 3).ravel().tolist() == [2.0, 2.0, 2.0, 101.0, 101.0, 101.0]


def test_work_that_is_cut_into_pieces_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.random.default_rng(3).normal(size=(300, 3))
    whole = mdav(numbers, 3)
    monkeypatch.setattr("singleout.treatment.steps.mdav._AT_ONCE", 1)
    assert mdav(numbers, 3).tolist() == whole.tolist()
    assert len(partition(whole.tolist())) == 100
