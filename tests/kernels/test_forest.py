"""Models without circles: draws, fitted counts and tables as their naive twins have them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_population as naive
from singleout.kernels import forest as kernels
from singleout.methods.population.forest import Cells, Forest

PAIRS = ([], [(0, 1)], [(0, 2), (1, 2)])


@st.composite
def models(draw: st.DrawFn) -> tuple[np.ndarray, Forest, np.random.Generator]:
    """Records of three columns, with values that are rare or do not occur, and a model of them."""
    levels = draw(st.tuples(*[st.sampled_from([1, 2, 3, 40])] * 3))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    columns = [(rng.random(60) ** 3 * count).astype(np.int64) for count in levels]
    records = np.column_stack(columns)
    combinations, sizes = np.unique(records, axis=0, return_counts=True)
    cells = Cells(tuple(combinations.T), levels, sizes * 1.0)
    return records, Forest(cells, draw(st.sampled_from(PAIRS))), rng


@settings(max_examples=40, deadline=None)
@given(models(), st.integers(0, 10**6))
def test_records_are_drawn_as_the_naive_twin_draws_them(
    model: tuple[np.ndarray, Forest, np.random.Generator], seed: int
) -> None:
    _, forest, _ = model
    found = forest.sample(50, np.random.default_rng(seed))
    rng = np.random.default_rng(seed)
    for column, before, chances in forest.steps:
        points = rng.random(50).tolist()
        parents = [0] * 50 if before is None else found.codes[before].tolist()
        assert found.codes[column].tolist() == [
            naive.drawn(chances.tolist(), parent, point)
            for parent, point in zip(parents, points, strict=True)
        ]
    assert found.fitted.tolist() == forest.expected(found.codes).tolist()


@settings(max_examples=40, deadline=None)
@given(models())
def test_chances_are_shares_among_the_records_and_fitted_counts_their_products(
    model: tuple[np.ndarray, Forest, np.random.Generator],
) -> None:
    records, forest, _ = model
    expected = np.full(len(records), float(len(records)))
    for column, before, _ in forest.steps:
        for index, record in enumerate(records):
            same = (
                np.ones(len(records), bool)
                if before is None
                else (records[:, before] == record[before])
            )
            expected[index] *= (records[same, column] == record[column]).mean()
    codes = [column.astype(np.int32) for column in records.T]
    assert forest.expected(codes) == pytest.approx(expected)


@settings(max_examples=40, deadline=None)
@given(models())
def test_records_alone_are_those_of_the_naive_twin_and_a_model_is_fitted_anew(
    model: tuple[np.ndarray, Forest, np.random.Generator],
) -> None:
    _, forest, rng = model
    drawn = forest.sample(80, rng)
    marks = [rng.integers(0, 2**63, levels, dtype=np.int64) for levels in forest.levels]
    records = list(zip(*(code.tolist() for code in drawn.codes), strict=True))
    assert set(drawn.alone(marks).tolist()) == naive.alone(records)
    combinations, sizes = np.unique(records, axis=0, return_counts=True)
    cells = Cells(tuple(combinations.T), forest.levels, sizes * 1.0)
    pairs = [(column, before) for column, before, _ in forest.steps if before is not None]
    again = Forest(cells, pairs).expected(drawn.codes)
    assert forest.refitted(drawn).expected(drawn.codes) == pytest.approx(again)


def test_a_point_beyond_the_last_sum_belongs_to_the_last_value() -> None:
    limits = np.array([[0.5, np.inf]])
    starts = np.empty((1, 8), dtype=np.int32)
    kernels.start_searches(limits, starts)
    assert starts.tolist() == [[0, 0, 0, 0, 1, 1, 1, 1]]
    codes, fitted = np.empty(3, dtype=np.int32), np.ones(3)
    points, parents = np.array([0.4999, 0.5, np.nextafter(1, 0)]), np.zeros(3, dtype=np.int32)
    chances = np.array([[0.5, 0.4]])
    kernels.draw_column(points, parents, limits, starts, chances, codes, fitted)
    assert codes.tolist() == [0, 1, 1]
    assert fitted.tolist() == [0.5, 0.4, 0.4]
