"""Remove records one after the other and follow the risk. Béra et al. (2023), section 3.

Which record goes first is decided by a criterion, computed once or anew after every so many
removals. Tables of groups make a removal cheap, so that even the proper backward elimination by
exact contribution, which fits the tail anew for each remaining record at each step, is quick.

Removing S records lowers a distinct count by S at most. So a combination whose count is more than S
below the threshold can never matter for the risk, and is not followed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arrays import F64, I64
from singleout.core.memory import require_memory
from singleout.core.progress import track
from singleout.kernels.distinct.prepared import prepare
from singleout.kernels.distinct.uniqueness import unique_sums
from singleout.kernels.removal.elimination import GroupTables, table_bytes
from singleout.kernels.removal.leave_one_out import Question
from singleout.kernels.removal.risks import RemovalRisks
from singleout.methods.qar.measure import ones_for_certainty, position, risk_of
from singleout.methods.qar.pareto import Estimator
from singleout.treatment.bounds import Bounds

__all__ = ["TOP_SHARE", "Course", "Criterion", "Problem", "Scores", "remove_records"]

TOP_SHARE = 10  # one in so many combinations, those with the largest counts, makes top-uniqueness
_POINTS = 25  # of the curve where the criterion is computed once, as in the paper's figures

Scores = Callable[[I64], F64]


class Criterion(StrEnum):
    """What decides which record is removed next: the one with the largest."""

    TOP_UNIQUENESS = "top-uniqueness"  # combinations in the top tenth it is unique in
    CONTRIBUTION = "contribution"  # risk less risk without it
    UNIQUENESS_PLUS = "uniqueness-plus"  # sum of theta over the combinations it is unique in
    UNIQUENESS_STAR = "uniqueness-star"  # sum of 1 - theta over them
    ENTROPY = "entropy"
    PLS = "pls"

    @property
    def from_outside(self) -> bool:
        """Whether it takes the whole measure to compute, not the tables of groups alone."""
        return self in (Criterion.ENTROPY, Criterion.PLS)


@dataclass(frozen=True, eq=False)
class Problem:
    """A table and how its risk is measured.

    Parameters
    ----------
    columns
        One array of codes for each column.
    levels
        For each column a number above its largest code.
    size
        How many columns a combination has.
    distinct
        How many distinct values each combination takes.
    alpha, tail, estimator
        How the risk is estimated.
    """

    columns: Sequence[NDArray[Any]]
    levels: Sequence[int]
    size: int
    distinct: I64
    alpha: float
    tail: float
    estimator: Estimator

    @property
    def records(self) -> int:
        """How many records there are."""
        return len(self.columns[0])

    def risk(self, distinct: I64, records: int) -> float:
        """Return the risk for other counts."""
        return risk_of(distinct, records, self.alpha, self.tail, self.estimator)

    @cached_property
    def question(self) -> Question:
        """What is asked of the tail."""
        sets = len(self.distinct)
        k, g = position(sets, self.tail)
        certain = ones_for_certainty(sets, self.alpha)
        unbiased = self.estimator == Estimator.UNBIASED
        return Question(k, g, sets, certain, self.alpha, self.tail, unbiased=unbiased)


@dataclass(frozen=True, eq=False)
class Course:
    """What was removed, and what became of the risk.

    Parameters
    ----------
    order
        The records in the order of their removal.
    removed
        How many were gone at each point of the curve; 0 at the first.
    risk
        The risk at each point.
    bound
        By what share of the risk it can be lower at each point, whichever records are removed.
    bound_top
        The same for the mean theta of the combinations that were above the threshold.
    achieved_top
        By what share that mean theta is lower at each point.
    """

    order: I64
    removed: I64
    risk: F64
    bound: F64
    bound_top: F64
    achieved_top: F64


def remove_records(
    problem: Problem,
    records: int,
    criterion: Criterion,
    every: int | None,
    scores: Scores | None = None,
) -> Course:
    """Remove records by a criterion.

    Parameters
    ----------
    problem
        The table and how its risk is measured.
    records
        How many to remove; fewer than there are.
    criterion
        What decides.
    every
        After how many removals the criterion is computed anew; None for never.
    scores
        For a criterion from outside: gives the scores of the records that remain, by their numbers.
    """
    state = _Remaining(problem, records, criterion, every, scores)
    removed = _points(records, every)
    bounds = Bounds(state.tables, problem.distinct, problem.question, problem.records)
    bound, bound_top = bounds.risk(removed), bounds.top(removed)
    risk, top = [state.risk()], [bounds.mean_top(state.tables.distinct, problem.records)]
    order: list[I64] = []
    plan = None if every else state.best(records)
    for begin, end in track(list(pairwise(removed.tolist())), "Removing records"):
        some = state.best(end - begin) if plan is None else plan[begin:end]
        state.remove(some)
        order.append(some)
        risk.append(state.risk())
        top.append(bounds.mean_top(state.tables.distinct, state.left))
    return Course(
        np.concatenate(order),
        removed,
        np.array(risk),
        bound=np.maximum(1 - bound / risk[0], 0) * (removed > 0),
        bound_top=1 - bound_top / top[0],
        achieved_top=1 - np.array(top) / top[0],
    )


def _points(records: int, every: int | None) -> I64:
    """Return the points of the curve: how many records are gone."""
    step = max(1, records // _POINTS) if every is None else every
    return np.append(np.arange(0, records, step, dtype=np.int64), records)


class _Remaining:
    """The records that are still there, their distinct counts and their scores."""

    def __init__(
        self,
        problem: Problem,
        records: int,
        criterion: Criterion,
        every: int | None,
        scores: Scores | None,
    ) -> None:
        self._problem = problem
        self._criterion = criterion
        self._once = every is None
        self._scores = scores
        self.alive = np.ones(problem.records, dtype=np.bool_)
        self.left = problem.records
        # those not followed keep their first count, which stays below all that matters
        self.distinct: I64 = problem.distinct.copy()
        self._risks: F64 | None = None  # without each record, where the criterion asked for it
        self._risk: float | None = None
        self.tables = _tables(problem, self._followed(records))

    def _followed(self, records: int) -> I64:
        """Return the combinations that can matter for the risk or the criterion."""
        distinct, once = self._problem.distinct, self._once
        uniqueness = (Criterion.UNIQUENESS_PLUS, Criterion.UNIQUENESS_STAR)
        if self._criterion in uniqueness and not once:
            return np.arange(len(distinct))
        least = np.partition(distinct, self._problem.question.k - 1)[self._problem.question.k - 1]
        least -= records
        if self._criterion == Criterion.TOP_UNIQUENESS:
            least = min(least, _top_cut(distinct) - (0 if once else records))
        return np.flatnonzero(distinct >= least)

    def remove(self, records: I64) -> None:
        """Take records out."""
        self._risk = None
        if self._risks is not None and len(records) == 1:
            self._risk = float(self._risks[records[0]])  # known before it came true
        self._risks = None
        self.tables.remove(records)
        self.alive[records] = False
        self.left -= len(records)
        self.distinct[self.tables.followed] = self.tables.distinct

    def risk(self) -> float:
        """Return the risk of what remains."""
        if self._risk is None:
            self._risk = self._problem.risk(self.distinct, self.left)
        return self._risk

    def best(self, many: int) -> I64:
        """Return the records to remove next, best first; ties by number."""
        numbers = np.flatnonzero(self.alive)
        return numbers[_largest(self._score(numbers), many)]

    def _score(self, numbers: I64) -> NDArray[Any]:
        """Return the score of each record that remains: whole numbers where they can be."""
        if self._scores is not None:
            return self._scores(numbers)
        if self._criterion == Criterion.CONTRIBUTION:
            self._risks = self._risks_without()
            return -self._risks[numbers]
        weights = self._weights()
        if len(self.tables.followed) < len(self.distinct) and weights[self._unfollowed].any():
            # only at the start, when nothing has been removed
            table = prepare(self._problem.columns, self._problem.levels)
            return unique_sums(table, self._problem.size, weights)[0]
        return self.tables.scores(weights[self.tables.followed])[numbers]

    @cached_property
    def _finder(self) -> RemovalRisks:
        return RemovalRisks(self._problem.records)

    @cached_property
    def _unfollowed(self) -> NDArray[np.bool_]:
        mask = np.ones(len(self.distinct), dtype=np.bool_)
        mask[self.tables.followed] = False
        return mask

    def _weights(self) -> I64:
        """Return what it counts to be unique in each combination, times the number of records."""
        if self._criterion == Criterion.UNIQUENESS_PLUS:
            return self.distinct
        if self._criterion == Criterion.UNIQUENESS_STAR:
            return self.left - self.distinct
        return (self.distinct >= _top_cut(self.distinct)).astype(np.int64)

    def _risks_without(self) -> F64:
        problem, left = self._problem, self.left - 1

        def refit(lowered: I64) -> float:
            others = np.zeros(len(self.distinct) - len(lowered), dtype=np.int64)
            return problem.risk(np.concatenate([others, lowered]), left)

        tables = self.tables
        return self._finder.without_each(
            tables.bits, tables.distinct, self.alive, problem.question, refit
        )


def _tables(problem: Problem, followed: I64) -> GroupTables:
    distinct = problem.distinct[followed]
    require_memory(
        table_bytes(problem.records, distinct),
        f"Following {len(followed):,} combinations of {problem.size} columns on "
        f"{problem.records:,} records",
    )
    return GroupTables(problem.columns, problem.levels, problem.size, followed, distinct)


def _top_cut(distinct: I64) -> int:
    """Return the smallest count in the top tenth; what is tied with it belongs to it as well."""
    rank = len(distinct) - -(-len(distinct) // TOP_SHARE)
    return int(np.partition(distinct, rank)[rank])


def _largest(scores: NDArray[Any], many: int) -> I64:
    """Return the places of the largest scores, descending; ties by place."""
    if many == 1:
        return np.array([scores.argmax()])
    least = np.partition(scores, len(scores) - many)[len(scores) - many]
    above = np.flatnonzero(scores > least)
    some = np.concatenate([above, np.flatnonzero(scores == least)[: many - len(above)]])
    return some[np.lexsort((some, -scores[some]))]
