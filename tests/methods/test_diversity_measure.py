"""Measures of diversity for each class: against the naive twin, a linear programme and papers."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_diversity as naive
from singleout.methods.diversity import closeness, measure
from singleout.methods.diversity.pairs import Pairs, pairs_of
from singleout.methods.diversity.scales import Scale

ROWS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), min_size=1, max_size=60)


def pairs(rows: list[tuple[Any, Any]]) -> Pairs:
    """Return the pairs of a small table; classes in the order of what is known."""
    known, of_class = np.unique([k for k, _ in rows], return_inverse=True)
    values, of_value = np.unique([v for _, v in rows], return_inverse=True)
    return pairs_of(of_class, of_value, len(known), len(values))


def twins(rows: list[tuple[Any, Any]]) -> tuple[list[list[Any]], list[Any]]:
    """Return the values of each class, in the same order, and of the table."""
    held = naive.classes(rows)
    return [held[key] for key in sorted(held, key=str)], [value for _, value in rows]


@given(ROWS)
def test_l_and_alpha_are_those_of_the_papers(rows: list[tuple[int, int]]) -> None:
    found = pairs(rows)
    classes, _ = twins(rows)
    assert found.class_sizes.tolist() == [len(values) for values in classes]
    assert found.distinct.tolist() == [len(set(values)) for values in classes]
    assert measure.entropy_l(found) == pytest.approx([naive.entropy_l(v) for v in classes])
    assert measure.alphas(found) == pytest.approx([float(naive.alpha(v)) for v in classes])


@given(ROWS, st.sampled_from(["0.5", "1", "1.1", "2", "3", "7.25"]))
def test_recursive_l_is_the_largest_that_the_definition_allows(
    rows: list[tuple[int, int]], c: str
) -> None:
    classes, _ = twins(rows)
    expected = [naive.recursive_l(values, Fraction(c)) for values in classes]
    assert measure.recursive_l(pairs(rows), Fraction(float(c))).tolist() == expected


@given(ROWS, st.integers(1, 7))
def test_recursive_c_is_the_bound_that_c_has_to_exceed(
    rows: list[tuple[int, int]], wanted: int
) -> None:
    classes, _ = twins(rows)
    bounds = [naive.recursive_c(values, wanted) for values in classes]
    found = measure.recursive_c(pairs(rows), wanted)
    assert found == pytest.approx([math.inf if b is None else float(b) for b in bounds])
    for values, bound in zip(classes, bounds, strict=True):
        if bound is not None:
            assert not naive.is_recursive(values, bound, wanted)
            assert naive.is_recursive(values, bound + Fraction(1, 10**9), wanted)


@given(ROWS)
def test_closeness_is_that_of_the_paper(rows: list[tuple[int, int]]) -> None:
    classes, table = twins(rows)
    for scale, twin in ((Scale.NOMINAL, naive.nominal_t), (Scale.ORDINAL, naive.ordered_t)):
        expected = [float(twin(values, table)) for values in classes]
        assert closeness.closeness(pairs(rows), scale) == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), min_size=1, max_size=25))
def test_closeness_is_the_cheapest_transport(rows: list[tuple[int, int]]) -> None:
    classes, table = twins(rows)
    for scale in Scale:
        expected = [
            naive.transported(values, table, ordered=scale == Scale.ORDINAL) for values in classes
        ]
        assert closeness.closeness(pairs(rows), scale) == pytest.approx(expected, abs=1e-8)


@given(ROWS)
def test_beta_and_delta_are_those_of_the_papers(rows: list[tuple[int, int]]) -> None:
    found = pairs(rows)
    classes, table = twins(rows)
    basic = [float(naive.beta(values, table)) for values in classes]
    assert closeness.betas(found) == pytest.approx(basic, abs=1e-12)
    enhanced = [naive.enhanced_beta(values, table) for values in classes]
    assert closeness.enhanced_betas(found) == pytest.approx(enhanced, abs=1e-12)
    delta = [naive.delta(values, table) for values in classes]
    assert closeness.deltas(found) == pytest.approx(delta, abs=1e-12)
    finite = np.isfinite(delta)
    assert closeness.occurring_deltas(found)[finite] == pytest.approx(np.array(delta)[finite])


@given(ROWS, st.data())
def test_rows_that_stand_for_several_records_count_as_such(
    rows: list[tuple[int, int]], data: st.DataObject
) -> None:
    sizes = data.draw(st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows)))
    repeated = [row for row, size in zip(rows, sizes, strict=True) for _ in range(size)]
    ids, codes = (np.array(part) for part in zip(*rows, strict=True))
    _, ids = np.unique(ids, return_inverse=True)
    found = pairs_of(ids, codes, int(ids.max()) + 1, 7, np.array(sizes))
    expected = pairs(repeated)
    for name in ("classes", "values", "sizes", "of_value"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()


def test_pairs_too_many_for_a_table_of_all_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    ids, codes = rng.integers(0, 50, 300), rng.integers(0, 40, 300)
    _, ids = np.unique(ids, return_inverse=True)
    sizes = rng.integers(1, 5, 300)
    count = int(ids.max()) + 1
    for given_sizes in (None, sizes):
        dense = pairs_of(ids, codes, count, 40, given_sizes)
        with monkeypatch.context() as patch:
            patch.setattr("singleout.methods.diversity.pairs._DENSE", 1)
            # a gap of a million values, so that no table of all pairs would be made
            sparse = pairs_of(ids, codes.astype(np.uint32), count, 10**6, given_sizes)
        for name in ("classes", "values", "sizes", "of_value"):
            assert getattr(sparse, name).tolist() == getattr(dense, name).tolist()


def test_sums_too_large_for_whole_numbers_are_the_same_in_floats() -> None:
    rng = np.random.default_rng(3)
    ids, codes = np.repeat(np.arange(5), 8), np.tile(np.arange(8), 5)
    sizes = rng.integers(1, 50, 40)
    times = 10**9  # forty thousand million records
    small, large = (pairs_of(ids, codes, 5, 8, sizes * many) for many in (1, times))
    for scale in Scale:
        expected = closeness.closeness(small, scale)
        assert closeness.closeness(large, scale) == pytest.approx(expected, rel=1e-12)


# ---- numbers printed in papers

SALARIES = [3, 4, 5, 6, 11, 8, 7, 9, 10]  # in thousands, Table 3 of Li et al.
TABLE_3 = [(index // 3, salary) for index, salary in enumerate(SALARIES)]


def test_the_salaries_of_li_et_al_have_the_closeness_that_they_print() -> None:
    """Section 5.1: D[P1, Q] = 0.375 and D[P2, Q] = 0.167, of {3k, 4k, 5k} and {6k, 8k, 11k}."""
    found = closeness.closeness(pairs(TABLE_3), Scale.ORDINAL)
    assert found[:2].tolist() == [0.375, 1 / 6]  # exactly


def test_the_salaries_after_generalisation_are_as_close_as_they_print() -> None:
    """Table 5 of Li et al. has 0.167-closeness with respect to salary."""
    classes = [[3, 5, 9], [6, 11, 8], [4, 7, 10]]
    rows = [(index, salary) for index, members in enumerate(classes) for salary in members]
    assert closeness.closeness(pairs(rows), Scale.ORDINAL).max() == pytest.approx(1 / 6)


def test_a_class_with_one_value_satisfies_no_enhanced_beta() -> None:
    rows = [(0, "flu"), (0, "flu"), (1, "flu"), (1, "cold"), (1, "cold"), (1, "cold")]
    found = closeness.enhanced_betas(pairs(rows))
    assert found[0] == math.inf  # (1 - 1/2) / (1/2) = 1 is above -ln(1/2) = 0.69
    assert found[1] == pytest.approx(0.5)


def test_equal_shares_are_no_gain_and_no_distance_even_in_floats() -> None:
    rows = [(known, value) for known in range(3) for value in [0, 1, 1, 2, 2, 2] * (known + 1)]
    found = pairs(rows)
    assert closeness.betas(found).tolist() == [0.0] * 3
    assert closeness.enhanced_betas(found).tolist() == [0.0] * 3
    assert closeness.deltas(found).tolist() == [0.0] * 3
    assert closeness.closeness(found, Scale.NOMINAL).tolist() == [0.0] * 3


def test_equally_frequent_values_have_a_whole_entropy_l() -> None:
    rows = [(0, value) for value in range(7) for _ in range(3)] + [(1, 0)] * 10
    assert measure.entropy_l(pairs(rows)).tolist() == [7.0, 1.0]
