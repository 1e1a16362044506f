import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from singleout.errors import MissingDependency
from singleout.methods.qar.pls import Terms, area_under_curve, partial_least_squares

scores = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=30)


def fitted(columns, contribution, terms=Terms.LINEAR, seed=0):
    return partial_least_squares(columns, contribution, terms, np.random.default_rng(seed))


@given(scores)
def test_the_area_is_how_often_a_positive_record_scores_more(
    pairs: list[tuple[int, bool]],
) -> None:
    score = np.array([float(value) for value, _ in pairs])
    positive = np.array([flag for _, flag in pairs])
    duels = [np.sign(a - b) for a in score[positive] for b in score[~positive]]
    found = area_under_curve(score, positive)
    if not duels:
        assert found is None
    else:
        assert found == pytest.approx(np.mean((np.array(duels) + 1) / 2))


def test_a_linear_response_is_learnt() -> None:
    rng = np.random.default_rng(1)
    columns = [rng.integers(0, 9, 800).astype(np.uint8) for _ in range(5)]
    contribution = columns[0] + columns[1] - 8.0 + rng.normal(size=800)
    found = fitted(columns, contribution)
    assert found.factors == 3
    assert found.trained == 600
    assert found.auc_train is not None
    assert found.auc_test is not None
    assert 0.9 < found.auc_test <= 1
    assert abs(found.auc_train - found.auc_test) < 0.1


def test_a_product_of_columns_is_learnt_by_quadratic_terms_only() -> None:
    rng = np.random.default_rng(2)
    columns = [rng.integers(0, 9, 2_000).astype(np.uint8) for _ in range(3)]
    contribution = (columns[0] - 4.0) * (columns[1] - 4.0)
    linear, quadratic = (fitted(columns, contribution, terms) for terms in Terms)
    assert linear.auc_test is not None
    assert quadratic.auc_test is not None
    assert linear.auc_test < 0.65
    assert quadratic.auc_test > 0.9


def test_the_same_seed_gives_the_same_answer_and_another_splits_otherwise() -> None:
    rng = np.random.default_rng(3)
    columns = [rng.integers(0, 4, 300) for _ in range(4)]
    contribution = columns[0] - 1.5 + rng.normal(size=300)
    first, again, other = (fitted(columns, contribution, seed=seed) for seed in (5, 5, 6))
    assert np.array_equal(first.score, again.score)
    assert not np.array_equal(first.score, other.score)


@pytest.mark.parametrize("value", [-1.0, 0.0, 1.0])
def test_a_response_that_does_not_vary_is_said_not_raised(value: float) -> None:
    found = fitted([np.arange(20), np.arange(20)[::-1]], np.full(20, value))
    assert (found.factors, found.auc_train, found.auc_test) == (0, None, None)
    assert found.score.tolist() == [float(value > 0)] * 20
    assert "nothing to learn" in found.notes[0]


def test_columns_that_do_not_vary_teach_nothing() -> None:
    contribution = np.array([1.0, -1.0] * 20)
    found = fitted([np.zeros(40, dtype=np.uint8)] * 3, contribution)
    assert found.factors == 0
    assert "all alike in the columns" in found.notes[0]


def test_there_are_no_more_factors_than_columns_that_vary() -> None:
    contribution = np.array([1.0, -1.0] * 20)
    found = fitted([np.arange(40) % 2, np.zeros(40, dtype=np.int64)], contribution)
    assert found.factors == 1
    assert found.auc_test == 1.0


@pytest.mark.parametrize("records", [1, 2, 3])
def test_a_few_records_are_enough_not_to_fail(records: int) -> None:
    contribution = np.arange(records) - 0.5
    found = fitted([np.arange(records)] * 4, contribution, Terms.QUADRATIC)
    assert np.isfinite(found.score).all()


def test_copies_of_one_column_are_no_trouble() -> None:
    column = np.arange(60) % 5
    found = fitted([column] * 5, column - 2.0)
    assert found.auc_train == 1.0


def test_without_scikit_learn_the_command_to_install_it_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.cross_decomposition", None)
    with pytest.raises(MissingDependency, match=r"pip install 'singleout\[pls\]'"):
        fitted([np.arange(4)], np.arange(4.0))
