"""Contributions and elimination on a table of counts are those of the table laid out."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import singleout as so
from singleout.errors import SingleoutError
from singleout.methods.qar import weighted
from singleout.methods.qar.pls import Model, Response, Terms
from singleout.methods.qar.prediction import _Drawn, _learnt
from singleout.methods.qar.roc import area_under_curve, explained, roc_curve
from singleout.treatment.eliminate import eliminate

COLUMNS = ["a", "b", "c", "d"]

cells = st.lists(
    st.tuples(*[st.integers(0, 2)] * 4, st.integers(0, 4)), min_size=1, max_size=12
).filter(lambda rows: sum(row[-1] for row in rows) > 1)
HOW: dict[str, Any] = {"columns": COLUMNS, "tail": 0.6, "alpha": 0.3}


def frame_of(rows: list[tuple[int, ...]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=[*COLUMNS, "n"], orient="row")


def laid_out(frame: pl.DataFrame) -> tuple[pl.DataFrame, np.ndarray]:
    """Return a row for each person, and the row of the table that each comes from, from 1."""
    which = np.repeat(np.arange(frame.height), frame["n"].to_numpy())
    return frame.drop("n")[which], which + 1


@settings(max_examples=60, deadline=None)
@given(rows=cells, size=st.integers(1, 4))
def test_each_row_has_what_any_one_of_its_people_would_have(
    rows: list[tuple[int, ...]], size: int
) -> None:
    frame = frame_of(rows)
    people, row = laid_out(frame)
    asked = HOW | {"size": size, "ordinal": COLUMNS}
    found = so.contributions(frame, count="n", **asked)
    expected = so.contributions(people, **asked)
    assert found.to_frame().columns == ["record", "people", *expected.to_frame().columns[1:]]
    index = np.searchsorted(found.record, row)
    assert found.record[index].tolist() == row.tolist()
    for name in ("contribution", "uniqueness_plus", "uniqueness_star", "unique_in", "cluster"):
        assert getattr(found, name)[index].tolist() == pytest.approx(
            getattr(expected, name).tolist(), rel=1e-9, abs=1e-12
        ), name
    assert found.entropy is not None
    assert expected.entropy is not None
    assert found.entropy[index].tolist() == expected.entropy.tolist()
    for name in ("risk", "records", "lowering", "unique_in_none", "in_cluster", "entropy_bins"):
        assert found.to_dict()[name] == pytest.approx(expected.to_dict()[name]), name


@settings(max_examples=60, deadline=None)
@given(rows=cells, size=st.integers(2, 3), data=st.data())
def test_people_are_removed_as_from_the_table_laid_out(
    rows: list[tuple[int, ...]], size: int, data: st.DataObject
) -> None:
    frame = frame_of(rows)
    people, row = laid_out(frame)
    criterion = data.draw(
        st.sampled_from(["top-uniqueness", "uniqueness-plus", "uniqueness-star", "score"])
    )
    asked = HOW | {
        "size": size,
        "criterion": criterion,
        "every": data.draw(st.sampled_from([None, 1, 2, 5])),
        "records": data.draw(st.integers(1, len(row) - 1)),
    }
    score = np.arange(frame.height) % 3 if criterion == "score" else None
    found = eliminate(frame, count="n", score=score, **asked)
    expected = eliminate(people, score=None if score is None else score[row - 1], **asked)
    assert found.times is not None
    assert np.repeat(found.order, found.times).tolist() == row[expected.order - 1].tolist()
    for name in ("removed", "risk", "bound", "bound_top", "achieved_top"):
        assert getattr(found, name).tolist() == pytest.approx(getattr(expected, name).tolist())
    assert (found.gone, found.records, found.share) == (
        expected.gone, expected.records, expected.share,
    )  # fmt: skip
    some = data.draw(st.integers(0, found.gone))
    left = so.count(found.table(frame, some), COLUMNS, count="n")
    assert dict(left) == dict(so.count(expected.table(people, some), COLUMNS))


@settings(max_examples=25, deadline=None)
@given(rows=cells, criterion=st.sampled_from(["contribution", "entropy"]))
def test_what_is_computed_from_the_whole_table_is_computed_from_what_is_left(
    rows: list[tuple[int, ...]], criterion: str
) -> None:
    frame = frame_of(rows)
    people, row = laid_out(frame)
    every = 1 if criterion == "contribution" else 100
    asked = HOW | {"size": 2, "criterion": criterion, "every": every, "records": len(row) - 1}
    found, expected = eliminate(frame, count="n", **asked), eliminate(people, **asked)
    # contributions that differ by rounding alone may go in another order: the risk tells
    assert found.risk[:2].tolist() == pytest.approx(expected.risk[:2].tolist())
    assert found.removed.tolist() == expected.removed.tolist()
    if criterion == "entropy":
        assert np.repeat(found.order, found.times).tolist() == row[expected.order - 1].tolist()


numbers = st.lists(
    st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(1, 5)), min_size=2, max_size=12
)


@settings(max_examples=80, deadline=None)
@given(rows=numbers)
def test_statistics_of_people_are_those_of_the_table_laid_out(
    rows: list[tuple[int, int, int]],
) -> None:
    from scipy.stats import kendalltau

    one, other, people = (np.array(each) for each in zip(*rows, strict=True))
    first, second = np.repeat(one, people) * 1.0, np.repeat(other, people) * 1.0
    one, other = one * 1.0, other * 1.0
    assert weighted.mean(one, people) == pytest.approx(first.mean())
    assert weighted.spread(one, people) == pytest.approx(first.std())
    shares = [0, 0.25, 0.5, 0.75, 1]
    assert weighted.quantiles(one, people, shares) == pytest.approx(np.quantile(first, shares))
    if np.ptp(one) and np.ptp(other):
        assert weighted.pearson(one, other, people) == pytest.approx(
            np.corrcoef(first, second)[0, 1], abs=1e-9
        )
        assert weighted.kendall(one, other, people) == pytest.approx(
            kendalltau(first, second).statistic, abs=1e-9
        )
    most = len(first) // 2
    top, some = weighted.largest(one, people, most)
    assert np.repeat(one[top], some).tolist() == np.sort(first)[::-1][:most].tolist()
    positive, each = other > 0, second > 0
    assert explained(one, other, people) == pytest.approx(explained(first, second))
    assert area_under_curve(one, positive, people) == pytest.approx(area_under_curve(first, each))
    curve, expected = roc_curve(one, positive, people), roc_curve(first, each)
    assert (curve is None) == (expected is None)
    if curve is not None and expected is not None:
        assert np.concatenate(curve).tolist() == pytest.approx(np.concatenate(expected).tolist())


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 9999),
    terms=st.sampled_from(list(Terms)),
    response=st.sampled_from(list(Response)),
)
def test_a_prediction_learns_what_scikit_learn_learns_from_the_same_people(
    seed: int, terms: Terms, response: Response
) -> None:
    # values of their own: where nothing is left to learn, scikit-learn fits what rounding left
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(20, 40))
    columns = list(rng.integers(0, 50, (3, rows)))
    contribution, people = rng.integers(-2, 3, rows), rng.integers(1, 5, rows)
    contribution = contribution * 0.25
    many = int(people.sum())
    train = np.sort(rng.permutation(many)[: many // 2])
    which = np.repeat(np.arange(len(people)), people)
    trained = np.bincount(which[train], minlength=len(people))
    model = Model(terms, response, factors=2)
    found = _learnt(
        columns, contribution, model,
        _Drawn(np.flatnonzero(trained), np.flatnonzero(people > trained), people, trained),
    )  # fmt: skip
    expected = _learnt(
        [column[which] for column in columns], contribution[which], model,
        _Drawn(train, np.setdiff1d(np.arange(many), train)),
    )  # fmt: skip
    assert found.score[which].tolist() == pytest.approx(expected.score.tolist(), abs=1e-7)
    assert found.factors == expected.factors
    assert found.cutoff == pytest.approx(expected.cutoff)
    assert (found.trained, found.to_dict()["records_tested"]) == (len(train), many - len(train))


def test_the_people_who_train_are_as_many_as_asked_for() -> None:
    frame = pl.DataFrame(
        {"a": [1, 2, 3, 1, 2], "b": [1, 1, 2, 2, 3], "c": [2, 1, 1, 2, 2], "n": [4, 1, 1, 3, 1]}
    )
    found = so.contributions(
        frame, ["a", "b", "c"], 2, tail=0.9, alpha=0.5, pls="linear", train=0.5, count="n"
    )
    assert found.pls is not None
    assert (found.pls.trained, found.pls.to_dict()["records_tested"]) == (5, 5)


def test_many_people_cost_what_their_rows_cost() -> None:
    frame = pl.DataFrame({"a": [1, 2, 3], "b": [1, 1, 2], "c": [1, 2, 2], "n": [10**12, 1, 2]})
    found = so.contributions(frame, ["a", "b", "c"], 2, tail=0.9, alpha=0.5, count="n")
    assert found.records == 10**12 + 3
    assert found.to_frame()["people"].to_list() == [10**12, 1, 2]
    assert found.unique_in.tolist() == [0, 3, 0]
    with pytest.raises(SingleoutError, match=r"counts 1,000,000,000,003 people, and fewer than"):
        eliminate(frame, 1, columns=["a", "b", "c"], size=2, tail=0.9, alpha=0.5, count="n")
    with pytest.raises(SingleoutError, match=r"cannot be drawn from 1,000,000,000,003, only from"):
        so.contributions(frame, ["a", "b", "c"], 2, tail=0.9, alpha=0.5, count="n", pls="linear")


def test_a_score_has_a_number_for_each_row_empty_ones_included() -> None:
    frame = pl.DataFrame({"a": [1, 2, 3], "b": [1, 1, 2], "c": [1, 2, 2], "n": [3, 0, 1]})
    asked: dict[str, Any] = {"size": 2, "tail": 0.9, "alpha": 0.5, "count": "n"}
    found = so.contributions(frame, ["a", "b", "c"], score=[7.0, np.nan, 9.0], **asked)
    assert (found.record.tolist(), found.to_frame()["score"].to_list()) == ([1, 3], [7.0, 9.0])
    with pytest.raises(SingleoutError, match=r"the data have 3 rows; give one number for each row"):
        so.contributions(frame, ["a", "b", "c"], score=[7.0, 9.0], **asked)


def test_the_pictures_count_people() -> None:
    frame = pl.DataFrame({"a": [1, 2, 3], "b": [1, 1, 2], "c": [1, 2, 2], "n": [300, 1, 2]})
    picture = (
        so.contributions(frame, ["a", "b", "c"], 2, tail=0.9, alpha=0.5, count="n").plot().to_json()
    )
    assert "all 303 records" in picture
    assert "250 with the largest U+" in picture


def test_a_prediction_stops_where_nothing_is_left_to_learn() -> None:
    columns = [np.array([0, 1, 2, 3]), np.array([0, 2, 4, 6])]
    people = np.array([3, 1, 2, 2])
    everybody = _Drawn(np.arange(4), np.arange(0), people, people)
    response = np.array([1.0, 2.0, 3.0, 4.0])
    found = _learnt(columns, response, Model(response=Response.CONTRIBUTION), everybody)
    assert found.score.tolist() == pytest.approx(response.tolist())
    assert found.r2_train == pytest.approx(1)
