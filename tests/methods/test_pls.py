import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from singleout.errors import BadChoice, MissingDependency
from singleout.methods.qar.pls import Model, Response, Terms, chosen_model
from singleout.methods.qar.prediction import partial_least_squares
from singleout.methods.qar.roc import area_under_curve, explained, roc_curve

scores = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=30)


def fitted(columns, contribution, terms=Terms.LINEAR, seed=0, **model):
    asked = Model(terms, **model)
    return partial_least_squares(columns, contribution, asked, np.random.default_rng(seed))


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


@given(scores)
def test_the_roc_curve_has_the_rates_above_each_score(pairs: list[tuple[int, bool]]) -> None:
    score = np.array([float(value) for value, _ in pairs])
    positive = np.array([flag for _, flag in pairs])
    found = roc_curve(score, positive)
    area = area_under_curve(score, positive)
    if area is None:
        assert found is None
        return
    assert found is not None
    cuts = [np.inf, *sorted(set(score.tolist()), reverse=True)]
    naive = [[float((score[some] >= cut).mean()) for cut in cuts] for some in (~positive, positive)]
    assert [rates.tolist() for rates in found] == naive
    assert np.trapezoid(found[1], found[0]) == pytest.approx(area)


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=1, max_size=20))
def test_r_squared_compares_with_the_mean(pairs: list[tuple[int, int]]) -> None:
    score, response = (np.array(side, dtype=float) for side in zip(*pairs, strict=True))
    found = explained(score, response)
    mean = sum(response) / len(response)
    spread = sum((y - mean) ** 2 for y in response)
    if len(set(response.tolist())) == 1:
        assert found is None
    else:
        errors = sum((y - s) ** 2 for s, y in zip(score, response, strict=True))
        assert found == pytest.approx(1 - errors / spread)


def test_the_contribution_itself_is_predicted_with_its_r_squared() -> None:
    rng = np.random.default_rng(8)
    columns = [rng.integers(0, 9, 800) for _ in range(4)]
    contribution = columns[0] - 0.5 * columns[1] - 3.0 + rng.normal(size=800)
    found = fitted(columns, contribution, response=Response.CONTRIBUTION)
    noise = 1 - 1 / contribution.var()  # what the noise of variance 1 leaves to explain
    assert found.r2_train == pytest.approx(noise, abs=0.05)
    assert found.r2_test == pytest.approx(noise, abs=0.05)
    assert found.cutoff == 0
    assert (found.lowers == (found.score > 0)).all()
    least = np.column_stack([np.ones(600), *(column[found.in_training] for column in columns)])
    best, *_ = np.linalg.lstsq(least, contribution[found.in_training])
    # four factors of four columns are ordinary least squares
    whole = fitted(columns, contribution, response=Response.CONTRIBUTION, factors=4)
    assert whole.factors == 4
    assert whole.score[whole.in_training] == pytest.approx(least @ best)


def test_factors_and_the_share_that_trains_are_those_asked_for() -> None:
    rng = np.random.default_rng(9)
    columns = [rng.integers(0, 5, 200) for _ in range(3)]
    found = fitted(columns, rng.normal(size=200), factors=2, train=0.4)
    assert (found.factors, found.trained) == (2, 80)
    assert found.to_dict()["records_tested"] == 120
    more = fitted(columns, rng.normal(size=200), factors=7)
    assert more.factors == 3
    assert "7 factors were asked for, and 3 are all" in more.notes[0]


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"pls": None, "factors": 2}, "factors has a meaning for partial least squares only"),
        ({"pls": None, "train": 0.5}, "train has a meaning"),
        ({"pls": None, "response": "sign"}, "response has a meaning"),
        ({"pls": "linear", "factors": 0}, "factors must be a whole number"),
        ({"pls": "linear", "train": 1.0}, "train must lie between 0 and 1"),
        ({"pls": "linear", "response": "risk"}, "'risk' is not .*response"),
    ],
)
def test_models_that_cannot_be_are_refused(choices: dict[str, object], words: str) -> None:
    with pytest.raises(BadChoice, match=words):
        chosen_model(**choices)


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
