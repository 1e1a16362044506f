from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive_covered
from singleout.kernels.covered import count
from singleout.kernels.covered.count import Compatible, covering


@st.composite
def problems(draw: st.DrawFn) -> tuple[list, list, list]:
    """People, rows and meanings of two columns with three original and three published values."""
    cell = st.integers(0, 2)
    people = draw(st.lists(st.tuples(cell, cell), min_size=1, max_size=20))
    rows = draw(st.lists(st.tuples(cell, cell), min_size=1, max_size=150))
    meaning = st.none() | st.sets(cell)
    meanings = [{p: draw(meaning) for p in range(3)} for _ in range(2)]
    return people, rows, meanings


def flat(meanings: list) -> Compatible:
    sets = [
        [] if meant is None else sorted(v + 3 * column for v in meant)
        for column, by_code in enumerate(meanings)
        for meant in by_code.values()
    ]
    return Compatible(
        np.array([meant is None for by_code in meanings for meant in by_code.values()]),
        np.cumsum([0, *map(len, sets)]).astype(np.int64),
        np.array([v for one in sets for v in one], dtype=np.int32),
        np.array([0, 3, 6]),
    )


@given(problems(), st.sampled_from([64, 128, 4096]))
def test_the_kernel_counts_as_the_definition_does(problem: tuple, block: int) -> None:
    people, rows, meanings = problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(count, "_ROWS", block)
        counts, smallest = covering(
            np.array(people, dtype=np.int32) + np.array([0, 3], dtype=np.int32),
            np.array(rows, dtype=np.int32) + np.array([0, 3], dtype=np.int32),
            np.ones(len(rows), dtype=np.int64),
            flat(meanings),
        )
    expected = naive_covered.covering(people, rows, meanings)
    assert counts.tolist() == expected
    assert smallest.tolist() == [int(covers > 0) for covers in expected]


def test_rows_count_as_often_as_they_were_published() -> None:
    meanings = [{0: {0}, 1: {1}, 2: None}, {0: {0, 1}, 1: {1}, 2: {2}}]
    counts, smallest = covering(
        np.array([[0, 3], [1, 4], [2, 5]], dtype=np.int32),
        np.array([[0, 3], [2, 3], [2, 4]], dtype=np.int32),
        np.array([5, 2, 40]),
        flat(meanings),
    )
    assert counts.tolist() == [7, 42, 0]
    assert smallest.tolist() == [2, 2, 0]
