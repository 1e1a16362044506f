"""Remove records one after the other and follow the risk. Béra et al. (2023), section 3.

Which record goes first is decided by a criterion, computed once or anew after every so many
removals. Tables of groups make a removal cheap, so that even the proper backward elimination by
exact contribution, which fits the tail anew for each remaining record at each step, is quick.

Removing S records lowers a distinct count by S at most. So a combination whose count is more than S
below the threshold can never matter for the risk, and is not followed.

A row of a table of counts stands for several people who are alike. They have the same score, so
they go one after the other; the next row follows when nobody of it is left, or when the criterion
is computed anew.
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

from singleout.core.arrays import F64, I64, Flags
from singleout.core.memory import require_memory
from singleout.core.progress import track
from singleout.kernels.distinct.prepared import prepare
from singleout.kernels.distinct.uniqueness import unique_sums
from singleout.kernels.removal.elimination import GroupTables, table_bytes
from singleout.kernels.removal.leave_one_out import LeaveOneOut, TailSettings
from singleout.methods.qar.copies import copies_of
from singleout.methods.qar.measure import ones_for_certainty, position, risk_of
from singleout.methods.qar.pareto import Estimator
from singleout.report.say import say
from singleout.treatment.bounds import Bounds

__all__ = ["Course", "Criterion", "Problem", "Scores", "remove_records"]

_TOP_SHARE = 10  # one in so many combinations, those with the largest counts, makes top-uniqueness
_POINTS = 25  # of the curve where the criterion is computed once, as in the paper's figures

Scores = Callable[[I64, I64 | None], F64]  # of rows, and how many people are left of each


class Criterion(StrEnum):
    """What decides which record is removed next: the one with the largest."""

    TOP_UNIQUENESS = "top-uniqueness"  # combinations in the top tenth it is unique in
    CONTRIBUTION = "contribution"  # risk less risk without it
    UNIQUENESS_PLUS = "uniqueness-plus"  # sum of theta over the combinations it is unique in
    UNIQUENESS_STAR = "uniqueness-star"  # sum of 1 - theta over them
    ENTROPY = "entropy"
    PLS = "pls"  # predicted from the values that its removal lowers the risk
    PLS_QUADRATIC = "pls-quadratic"  # also from squares and products of them
    FILTERED_ENTROPY = "filtered-entropy"  # entropy, 0 where pls predicts that the risk grows
    SCORE = "score"  # given by the user

    @property
    def from_outside(self) -> bool:
        """Whether it is computed by another measure, not from the tables of groups."""
        return self.predicts or self in (Criterion.ENTROPY, Criterion.SCORE)

    @property
    def predicts(self) -> bool:
        """Whether partial least squares is part of it."""
        return self in (Criterion.PLS, Criterion.PLS_QUADRATIC, Criterion.FILTERED_ENTROPY)

    @property
    def takes_the_table(self) -> bool:
        """Whether the whole table is measured for it each time."""
        return self.from_outside and self != Criterion.SCORE


@dataclass(frozen=True, eq=False)
class Problem:
    """A table and how its risk is measured."""

    columns: Sequence[NDArray[Any]]  # the codes of each column
    levels: Sequence[int]  # for each column a number above its largest code
    size: int  # columns of a combination
    distinct: I64  # how many distinct values each combination takes
    alpha: float
    tail: float
    estimator: Estimator
    people: I64 | None = None  # how many each row stands for; None if each is one record

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.columns[0])

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.rows if self.people is None else int(self.people.sum())

    def risk(self, distinct: I64, records: int) -> float:
        """Return the risk for other counts."""
        return risk_of(distinct, records, self.alpha, self.tail, self.estimator)

    @cached_property
    def settings(self) -> TailSettings:
        """How the risk is estimated from the tail."""
        sets = len(self.distinct)
        k, g = position(sets, self.tail)
        certain = ones_for_certainty(sets, self.alpha)
        unbiased = self.estimator == Estimator.UNBIASED
        return TailSettings(k, g, sets, certain, self.alpha, self.tail, unbiased=unbiased)


@dataclass(frozen=True, eq=False)
class Course:
    """The records removed, and the risk at each point of the curve."""

    order: I64  # the rows in the order of their removal
    times: I64 | None  # how many people of each were removed at once; None if each is one record
    removed: I64  # how many were removed at each point; 0 at the first
    risk: F64
    bound: F64  # by what share the risk can fall at most, whichever records are removed
    bound_top: F64  # the same for the mean theta of combinations that were above the threshold
    achieved_top: F64  # by what share that mean theta fell


def remove_records(
    problem: Problem,
    records: int,
    criterion: Criterion,
    every: int | None,
    scores: Scores | None = None,
) -> Course:
    """Remove records by a criterion, computed anew after ``every`` removals; None for never.

    For a criterion from outside, ``scores`` gives the scores of the remaining records by number.
    """
    state = _Remaining(problem, records, criterion, every, scores)
    removed = _points(records, every)
    bounds = Bounds(
        state.tables, problem.distinct, problem.settings, problem.records, problem.people
    )
    bound, bound_top = bounds.risk(removed), bounds.top(removed)
    risk, top = [state.risk()], [bounds.mean_top(state.tables.distinct, problem.records)]
    order: list[_Block] = []
    ranking = None if every else state.best(records)
    for begin, end in track(list(pairwise(removed.tolist())), say("progress.removing")):
        block = state.best(end - begin) if ranking is None else ranking.part(begin, end)
        state.remove(block)
        order.append(block)
        risk.append(state.risk())
        top.append(bounds.mean_top(state.tables.distinct, state.left))
    return Course(
        np.concatenate([block.rows for block in order]),
        _joined([block.times for block in order]),
        removed,
        np.array(risk),
        bound=np.maximum(1 - bound / risk[0], 0) * (removed > 0),
        bound_top=1 - bound_top / top[0],
        achieved_top=1 - np.array(top) / top[0],
    )


def _points(records: int, every: int | None) -> I64:
    """Return the points of the curve: numbers of removed records."""
    step = max(1, records // _POINTS) if every is None else every
    return np.append(np.arange(0, records, step, dtype=np.int64), records)


@dataclass(frozen=True, eq=False)
class _Block:
    """Rows to remove, best first, and how many people of each; None if each is one record."""

    rows: I64
    times: I64 | None = None

    @property
    def single(self) -> bool:
        """Whether this is one record."""
        return len(self.rows) == 1 and (self.times is None or self.times[0] == 1)

    @property
    def records(self) -> int:
        """How many records these are."""
        return len(self.rows) if self.times is None else int(self.times.sum())

    def part(self, begin: int, end: int) -> _Block:
        """Return some of the records, by their indexes in the order."""
        if self.times is None:
            return _Block(self.rows[begin:end])
        after = np.cumsum(self.times)
        times = np.minimum(after, end) - np.maximum(after - self.times, begin)
        return _Block(self.rows[times > 0], times[times > 0])


def _joined(times: Sequence[I64 | None]) -> I64 | None:
    parts = [one for one in times if one is not None]
    return np.concatenate(parts) if parts else None


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
        self.alive = np.ones(problem.rows, dtype=np.bool_)
        self.left = problem.records
        self._people = None if problem.people is None else problem.people.copy()
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
        rank = self._problem.settings.k - 1
        least = np.partition(distinct, rank)[rank] - records
        if self._criterion == Criterion.TOP_UNIQUENESS:
            least = min(least, _top_cut(distinct) - (0 if once else records))
        return np.flatnonzero(distinct >= least)

    def remove(self, block: _Block) -> None:
        """Remove records."""
        self._risk = None
        if self._risks is not None and block.single:
            self._risk = float(self._risks[block.rows[0]])  # computed as a contribution before
        self._risks = None
        self.tables.remove(block.rows, block.times)
        if self._people is None or block.times is None:
            self.alive[block.rows] = False
        else:
            self._people[block.rows] -= block.times
            self.alive[block.rows] = self._people[block.rows] > 0
        self.left -= block.records
        self.distinct[self.tables.followed] = self.tables.distinct

    def risk(self) -> float:
        """Return the risk of what remains."""
        if self._risk is None:
            self._risk = self._problem.risk(self.distinct, self.left)
        return self._risk

    def best(self, count: int) -> _Block:
        """Return the records to remove next, best first; ties by number."""
        numbers = np.flatnonzero(self.alive)
        scores = self._score(numbers)
        if self._people is None:
            return _Block(numbers[_largest(scores, count)])
        rows = numbers[np.lexsort((numbers, -scores))]
        return _Block(rows, self._people[rows]).part(0, count)

    def _score(self, numbers: I64) -> NDArray[Any]:
        """Return the score of each record that remains: whole numbers where they can be."""
        if self._scores is not None:
            return self._scores(numbers, None if self._people is None else self._people[numbers])
        if self._criterion == Criterion.CONTRIBUTION:
            self._risks = self._risks_without()
            return -self._risks[numbers]
        weights = self._weights()
        if len(self.tables.followed) < len(self.distinct) and weights[self._unfollowed].any():
            # only at the start, when nothing has been removed
            copies = copies_of(self._problem.columns, self._problem.people)
            table = prepare(copies.codes, self._problem.levels)
            return copies.of_rows(unique_sums(table, self._problem.size, weights)[0])
        return self.tables.scores(weights[self.tables.followed])[numbers]

    @cached_property
    def _leave_one_out(self) -> LeaveOneOut:
        return LeaveOneOut(self._problem.rows)

    @cached_property
    def _unfollowed(self) -> Flags:
        mask = np.ones(len(self.distinct), dtype=np.bool_)
        mask[self.tables.followed] = False
        return mask

    def _weights(self) -> I64:
        """Return the weight of being unique in each combination, times the number of records."""
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
        return self._leave_one_out.remaining_risks(
            tables.bits, tables.distinct, self.alive, problem.settings, refit, self.left
        )


def _tables(problem: Problem, followed: I64) -> GroupTables:
    distinct = problem.distinct[followed]
    require_memory(
        table_bytes(problem.rows, distinct),
        f"Following {len(followed):,} combinations of {problem.size} columns on "
        f"{problem.rows:,} records",
    )
    return GroupTables(
        problem.columns, problem.levels, problem.size, followed, distinct, problem.people
    )


def _top_cut(distinct: I64) -> int:
    """Return the smallest count in the top tenth, which includes ties."""
    rank = len(distinct) - -(-len(distinct) // _TOP_SHARE)
    return int(np.partition(distinct, rank)[rank])


def _largest(scores: NDArray[Any], count: int) -> I64:
    """Return the indices of the largest scores, descending; ties by index."""
    if count == 1:
        return np.array([scores.argmax()])
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    above = np.flatnonzero(scores > least)
    chosen = np.concatenate([above, np.flatnonzero(scores == least)[: count - len(above)]])
    return chosen[np.lexsort((chosen, -scores[chosen]))]
