"""Elimination and its bounds against really deleting records."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import naive_elimination
import naive_qar
from singleout.methods.qar.pareto import Estimator
from singleout.treatment.backward import Course, Criterion, Problem, remove_records

Records = list[tuple[int, ...]]

CRITERIA = ["top-uniqueness", "contribution", "uniqueness-plus", "uniqueness-star"]

cell = st.integers(0, 3)
tables = st.integers(2, 6).flatmap(
    lambda width: st.lists(st.tuples(*[cell] * width), min_size=3, max_size=16)
)
blocks = st.sampled_from([1, 2, None])


def problem(records: Records, size: int, **options: Any) -> Problem:
    columns = [np.array(column, dtype=np.uint8) for column in zip(*records, strict=True)]
    return Problem(
        columns,
        [int(column.max()) + 1 for column in columns],
        size,
        np.array(naive_qar.distinct_counts(records, size)),
        options.get("alpha", 0.01),
        options.get("tail", 0.05),
        Estimator(options.get("estimator", "plotting")),
    )


def risk(records: Records, size: int, **options: Any) -> float:
    return naive_qar.dataset_risk(
        naive_qar.distinct_counts(records, size), len(records), **options
    ).risk


def check_curve(records: Records, size: int, course: Course, **options: Any) -> None:
    for point, gone in enumerate(course.removed.tolist()):
        kept = naive_elimination.without(records, course.order[:gone].tolist())
        assert course.risk[point] == pytest.approx(risk(kept, size, **options), abs=1e-10)


def check_bounds(course: Course) -> None:
    reduction = 1 - course.risk / course.risk[0]
    assert (reduction <= course.bound + 1e-12).all()
    assert (course.achieved_top <= course.bound_top + 1e-12).all()
    assert course.bound[0] == course.bound_top[0] == course.achieved_top[0] == 0


@given(
    tables,
    st.sampled_from(["top-uniqueness", "uniqueness-plus", "uniqueness-star"]),
    blocks,
    st.data(),
)
def test_uniqueness_removes_what_brute_force_removes(
    records: Records, criterion: str, every: int | None, data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, min(3, len(records[0]))))
    many = data.draw(st.integers(1, len(records) - 1))
    course = remove_records(problem(records, size), many, Criterion(criterion), every)
    assert course.order.tolist() == naive_elimination.order(records, size, criterion, every, many)
    check_curve(records, size, course)
    check_bounds(course)


@given(tables, blocks, st.sampled_from([0.05, 0.3, 0.7]), st.data())
def test_contribution_removes_what_brute_force_removes(
    records: Records, every: int | None, tail: float, data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, min(3, len(records[0]))))
    many = data.draw(st.integers(1, len(records) - 1))
    course = remove_records(problem(records, size, tail=tail), many, Criterion.CONTRIBUTION, every)
    order = course.order.tolist()
    for begin in range(0, many, every or many):
        block = order[begin : begin + (every or many)]
        left = [i for i in range(len(records)) if i not in order[:begin]]
        scores = naive_elimination.scores(
            [records[i] for i in left], size, "contribution", tail=tail
        )
        score = dict(zip(left, scores, strict=True))
        # floats: records as good as each other may go in either order
        others = [score[i] for i in left if i not in block]
        taken = [score[i] for i in block]
        assert all(a >= b - 1e-9 for a, b in pairwise(taken))
        assert not others or taken[-1] >= max(others) - 1e-9
    check_curve(records, size, course, tail=tail)
    check_bounds(course)


@given(tables, st.data())
def test_the_unbiased_estimator_is_followed_as_well(records: Records, data: st.DataObject) -> None:
    many = data.draw(st.integers(1, len(records) - 1))
    asked = problem(records, 2, tail=0.5, estimator="unbiased")
    course = remove_records(asked, many, Criterion.CONTRIBUTION, 1)
    for point, gone in enumerate(course.removed.tolist()):
        kept = naive_elimination.without(records, course.order[:gone].tolist())
        distinct = np.array(naive_qar.distinct_counts(kept, 2))
        assert course.risk[point] == pytest.approx(asked.risk(distinct, len(kept)), abs=1e-12)


def test_exceedances_that_become_all_equal_have_a_risk_by_either_estimator() -> None:
    # four different counts from the threshold on: the second falls to the first, the fourth to
    # the third
    digits = """000000 000000 000000 000020 002000 002001 011012 020013 033002 100031 101010 102002
    203010 210000 221001 300002"""
    records = [tuple(map(int, record)) for record in digits.split()]
    for estimator in ("plotting", "unbiased"):
        asked = problem(records, 2, tail=0.5, estimator=estimator)
        course = remove_records(asked, 1, Criterion.CONTRIBUTION, 1)
        kept = naive_elimination.without(records, course.order.tolist())
        distinct = np.array(naive_qar.distinct_counts(kept, 2))
        assert course.risk[-1] == pytest.approx(asked.risk(distinct, len(kept)), abs=1e-14)


@given(tables, st.sampled_from([0.05, 0.3, 0.7]), st.data())
def test_no_removal_whatsoever_beats_the_bounds(
    records: Records, tail: float, data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, min(3, len(records[0]))))
    gone = data.draw(
        st.lists(
            st.integers(0, len(records) - 1), unique=True, min_size=1, max_size=len(records) - 1
        )
    )
    asked = problem(records, size, tail=tail)
    course = remove_records(asked, len(gone), Criterion.TOP_UNIQUENESS, None)
    kept = naive_elimination.without(records, gone)
    before, after = risk(records, size, tail=tail), risk(kept, size, tail=tail)
    assert 1 - after / before <= course.bound[-1] + 1e-12
    top = _top(asked)
    mean = np.array(naive_qar.distinct_counts(kept, size))[top].mean() / len(kept)
    assert 1 - mean / (asked.distinct[top].mean() / len(records)) <= course.bound_top[-1] + 1e-12


def _top(asked: Problem) -> np.ndarray:
    threshold = np.sort(asked.distinct)[asked.settings.k - 1]
    above = asked.distinct > threshold
    return above if above.any() else asked.distinct == threshold


def golden() -> Problem:
    return problem(naive_qar.golden_records(), 3)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_combinations_far_below_the_threshold_are_left_out_and_do_not_matter(
    criterion: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = golden()
    pruned = remove_records(asked, 20, Criterion(criterion), 5)
    every = np.arange(len(asked.distinct))
    monkeypatch.setattr("singleout.treatment.backward._Remaining._followed", lambda *_: every)
    whole = remove_records(asked, 20, Criterion(criterion), 5)
    assert (pruned.order == whole.order).all()
    for name in ("risk", "bound", "bound_top", "achieved_top"):
        assert (getattr(pruned, name) == getattr(whole, name)).all()


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_same_records_go_for_any_number_of_threads(
    criterion: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    for threads in ("1", "2", "3"):
        monkeypatch.setenv("SINGLEOUT_THREADS", threads)
        course = remove_records(golden(), 60, Criterion(criterion), 10)
        seen.append((course.order.tolist(), course.risk.tolist(), course.bound_top.tolist()))
    assert seen[0] == seen[1] == seen[2]


def test_column_order_does_not_matter() -> None:
    records = naive_qar.golden_records()
    turned = [tuple(reversed(record)) for record in records]
    for criterion in ("top-uniqueness", "uniqueness-plus"):
        one = remove_records(problem(records, 3), 40, Criterion(criterion), 10)
        other = remove_records(problem(turned, 3), 40, Criterion(criterion), 10)
        assert (one.order == other.order).all()
        assert one.risk == pytest.approx(other.risk, abs=1e-14)


def test_the_curve_has_a_point_for_each_block_and_one_at_the_start() -> None:
    asked = golden()
    assert remove_records(asked, 25, Criterion.TOP_UNIQUENESS, 10).removed.tolist() == [
        0, 10, 20, 25,
    ]  # fmt: skip
    once = remove_records(asked, 50, Criterion.TOP_UNIQUENESS, None)
    assert once.removed.tolist() == list(range(0, 51, 2))


def test_where_all_values_are_shared_equally_nothing_can_be_achieved() -> None:
    records = [(i % 4, i % 4, i % 4) for i in range(40)]
    course = remove_records(problem(records, 2), 4, Criterion.TOP_UNIQUENESS, None)
    assert course.bound_top[-1] == pytest.approx(0)
    assert (course.achieved_top <= 0).all()


@given(tables)
def test_removing_all_but_one_leaves_a_certain_risk(records: Records) -> None:
    assume(len(records) > 2)
    course = remove_records(problem(records, 1), len(records) - 1, Criterion.CONTRIBUTION, 1)
    assert course.risk[-1] == 1
