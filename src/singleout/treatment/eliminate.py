"""Remove the records that make a table risky, and say what any removal could achieve."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, overload

import numpy as np

from singleout.core import arguments
from singleout.core.arrays import F64, I64
from singleout.core.choices import choose
from singleout.core.frame_kinds import framed
from singleout.engines.local.counted import CountedCounter
from singleout.errors import BadChoice
from singleout.kernels.distinct.count import distinct_counts
from singleout.methods.qar.contributions import contributions
from singleout.methods.qar.question import RecordQuestion, check_shares, record_question
from singleout.methods.qar.score import checked_score
from singleout.treatment.backward import Criterion, Problem, Scores, remove_records
from singleout.treatment.result import Elimination

__all__ = ["eliminate"]

_MOST_PEOPLE = 2**32  # of a table of counts, so that sizes of groups take four bytes
_SELDOM = 100  # a criterion that takes the whole measure is not computed anew more often


@overload
def eliminate(
    data: Any,
    records: int | None = None,
    share: float | None = None,
    criterion: str = "top-uniqueness",
    every: int | None = 100,
    columns: Sequence[str] | str | None = None,
    size: int = 3,
    alpha: float = 0.01,
    tail: float = 0.05,
    estimator: str = "plotting",
    missing: str | None = None,
    ordinal: Sequence[str] | str | None = None,
    rng: np.random.Generator | int | None = None,
    *,
    factors: int | None = None,
    train: float | None = None,
    score: Any = None,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
) -> Elimination: ...
@overload
def eliminate(
    data: Any,
    records: int | None = None,
    share: float | None = None,
    *,
    criterion: Sequence[str],
    every: int | None = 100,
    columns: Sequence[str] | str | None = None,
    size: int = 3,
    alpha: float = 0.01,
    tail: float = 0.05,
    estimator: str = "plotting",
    missing: str | None = None,
    ordinal: Sequence[str] | str | None = None,
    rng: np.random.Generator | int | None = None,
    factors: int | None = None,
    train: float | None = None,
    score: Any = None,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
) -> list[Elimination]: ...
@overload
def eliminate(
    data: Any,
    records: int | None = None,
    share: float | None = None,
    *,
    criterion: str | Sequence[str] = "top-uniqueness",
    every: Sequence[int | None],
    columns: Sequence[str] | str | None = None,
    size: int = 3,
    alpha: float = 0.01,
    tail: float = 0.05,
    estimator: str = "plotting",
    missing: str | None = None,
    ordinal: Sequence[str] | str | None = None,
    rng: np.random.Generator | int | None = None,
    factors: int | None = None,
    train: float | None = None,
    score: Any = None,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
) -> list[Elimination]: ...
@framed
def eliminate(
    data: Any,
    records: int | None = None,
    share: float | None = None,
    criterion: str | Sequence[str] = "top-uniqueness",
    every: int | Sequence[int | None] | None = 100,
    columns: Sequence[str] | str | None = None,
    size: int = 3,
    alpha: float = 0.01,
    tail: float = 0.05,
    estimator: str = "plotting",
    missing: str | None = None,
    ordinal: Sequence[str] | str | None = None,
    rng: np.random.Generator | int | None = None,
    *,
    factors: int | None = None,
    train: float | None = None,
    score: Any = None,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
) -> Elimination | list[Elimination]:
    """Remove the records that add most to the risk of a table, and follow the risk.

    Parameters
    ----------
    data
        A path, a data frame or a `Table`; or data that is elsewhere, see `read`.
    records, share
        How many records to remove, or what share of them; give one of the two.
    criterion
        Which record goes first, the one with the largest: ``top-uniqueness`` (in how many
        combinations of the riskiest tenth it is unique), ``contribution`` (risk less risk without
        it), ``uniqueness-plus``, ``uniqueness-star``, ``entropy``, ``pls`` or ``pls-quadratic``
        (a prediction from the values), ``filtered-entropy`` (entropy, 0 where pls predicts that the
        risk would grow) or ``score``; ties by the number of the record. A list of these gives a
        list of results.
    every
        After how many removals the criterion is computed anew; None computes it once. With
        ``contribution`` and 1 this is the proper backward elimination. A list of these gives a list
        of results, for each criterion all of them.
    columns, size, alpha, tail, estimator, missing
        How the risk is measured; see `qar`.
    ordinal
        For the entropies and predictions, the columns whose values have an order; if not given,
        all columns that are combined.
    rng
        For predictions, the source of chance or a seed; if not given, the same for every call.
    factors, train
        For predictions, how many factors they have and what share of the records trains them; see
        `contributions`.
    score
        For ``score``, a number for each record of the data: the largest go first.
    engine
        What fetches data that is elsewhere: ``database``, ``spark``, a `Database` or a `Spark`;
        chosen by the data if not given. The columns are fetched: to have the table
        without the removed records afterwards, fetch it first with `read`, and give that.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.
    count
        The column that says how many people a row stands for, in a table of counts; if not given,
        each row is one record. People of a row are removed one by one, so that its count falls;
        ``score`` then has a number for each row.

    Returns
    -------
    Elimination or list of Elimination
        One result for one criterion and step, a list where one of them is a list.

    Examples
    --------
    >>> import singleout as so
    >>> from singleout import eliminate
    >>> columns = ["PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "EDU"]
    >>> result = eliminate(so.demo(), records=400, columns=columns, tail=0.2)
    >>> result.table(so.demo()).rows
    7234
    """
    as_list = not isinstance(criterion, str) or _is_list(every)
    words = [criterion] if isinstance(criterion, str) else list(criterion)
    chosen = [choose(Criterion, word, "criterion") for word in words]
    if not chosen:
        raise BadChoice("No criterion was given; give one, or several.")
    _refuse_idle(chosen, ordinal, score, {"rng": rng, "factors": factors, "train": train})
    steps = _steps(every, chosen)
    alpha = check_shares(alpha, tail)
    question = record_question(
        data, columns=columns, size=size, tail=tail, estimator=estimator, missing=missing,
        engine=engine, where=where, count=count,
    )  # fmt: skip
    many = _how_many(records, share, question.records)
    _refuse_too_many(question)
    problem = Problem(
        question.codes,
        question.levels,
        question.size,
        distinct_counts(question.codes, question.levels, question.size),
        alpha,
        question.tail,
        question.estimator,
        question.people,
    )
    own = None if score is None else checked_score(score, question)
    predicted = {"factors": factors, "train": train, "rng": rng}
    results = []
    for each in chosen:
        scores: Scores | None = None
        if each == Criterion.SCORE and own is not None:
            scores = _given(own)
        elif each.from_outside:
            scores = _scores(question, each, alpha, ordinal, predicted)
        results += [_eliminated(question, problem, many, each, step, scores) for step in steps]
    return results if as_list else results[0]


def _eliminated(
    question: RecordQuestion,
    problem: Problem,
    count: int,
    criterion: Criterion,
    every: int | None,
    scores: Scores | None,
) -> Elimination:
    course = remove_records(problem, count, criterion, every, scores)
    return Elimination(
        criterion,
        every,
        question.number[course.order],
        course.removed,
        course.risk,
        bound=course.bound,
        bound_top=course.bound_top,
        achieved_top=course.achieved_top,
        columns=question.columns,
        size=question.size,
        alpha=problem.alpha,
        tail=question.tail,
        estimator=question.estimator,
        records=question.records,
        rows=question.rows,
        lines=question.lines,
        times=course.times,
        count=question.count,
        missing=question.missing,
        notes=question.notes,
    )


def _scores(
    question: RecordQuestion,
    criterion: Criterion,
    alpha: float,
    ordinal: Sequence[str] | str | None,
    predicted: Mapping[str, Any],
) -> Scores:
    """Return a function that gives the entropies or predictions of the remaining records."""
    by_entropy = criterion in (Criterion.ENTROPY, Criterion.FILTERED_ENTROPY)
    ordered = question.columns if by_entropy and ordinal is None else ordinal
    terms = "quadratic" if criterion == Criterion.PLS_QUADRATIC else "linear"
    prediction = {"pls": terms, **predicted} if criterion.predicts else {}

    def scores(numbers: I64, people: I64 | None) -> F64:
        remaining: Any = question.table.take(numbers)
        if people is not None:
            remaining = CountedCounter(remaining, people, question.count or "")
        result = contributions(
            remaining,
            question.columns,
            question.size,
            alpha=alpha,
            tail=question.tail,
            estimator=question.estimator,
            missing="value",
            ordinal=ordered,
            **prediction,
        )
        if criterion == Criterion.FILTERED_ENTROPY:
            score = result.filtered_entropy
        else:
            score = result.entropy if result.pls is None else result.pls.score
        assert score is not None  # it was asked for
        return score

    return scores


def _given(score: F64) -> Scores:
    """Return a function that gives the scores that a user has."""

    def scores(numbers: I64, _: I64 | None) -> F64:
        found: F64 = score[numbers]
        return found

    return scores


def _refuse_too_many(question: RecordQuestion) -> None:
    if question.people is not None and question.records >= _MOST_PEOPLE:
        raise BadChoice(
            f"The table counts {question.records:,} people, and fewer than {_MOST_PEOPLE:,} can be "
            "followed while some are removed; choose fewer with a condition (where)."
        )


def _is_list(every: Any) -> bool:
    """Whether several steps are given; what is no whole number is refused later."""
    return isinstance(every, Iterable) and not isinstance(every, str)


def _steps(every: Any, chosen: Sequence[Criterion]) -> list[int | None]:
    """Return after how many removals a criterion is computed anew; None for never."""
    steps = list(dict.fromkeys(every)) if _is_list(every) else [every]
    if not steps:
        raise BadChoice("every is an empty list; give a number of removals, or None.")
    return [_step(one, chosen) for one in steps]


def _step(every: int | None, chosen: Sequence[Criterion]) -> int | None:
    if every is None:
        return None
    step = arguments.whole(
        every, "every", of="removals", instead="None to compute the criterion once"
    )
    slow = [one for one in chosen if one.takes_the_table]
    if slow and step < _SELDOM:
        raise BadChoice(
            f"every is {step}, but {slow[0]} takes the whole table to compute: let every be "
            f"{_SELDOM} or more, or None (--every 0) to compute it once."
        )
    return step


def _refuse_idle(
    chosen: Sequence[Criterion],
    ordinal: Sequence[str] | str | None,
    score: Any,
    predicted: Mapping[str, Any],
) -> None:
    """Refuse options that no chosen criterion uses: none is accepted and ignored."""
    if ordinal is not None and not any(one.takes_the_table for one in chosen):
        raise BadChoice(f"ordinal has a meaning for entropy and pls only, not for {chosen[0]}.")
    for name, value in predicted.items():
        if value is not None and not any(one.predicts for one in chosen):
            raise BadChoice(
                f"{name} has a meaning for pls only: nothing is predicted by {chosen[0]}."
            )
    if (score is not None) != (Criterion.SCORE in chosen):
        raise BadChoice(
            "The criterion score removes by a number for each record: give both the criterion and "
            "score (--score FILE:COLUMN), or neither."
        )


def _how_many(records: int | None, share: float | None, available: int) -> int:
    """Return how many records to remove, if that leaves any."""
    if (records is None) == (share is None):
        raise BadChoice(
            "Give either how many records to remove (records) or what share of them (share), "
            "and not both."
        )
    count = _share_of(share, available) if records is None else arguments.whole(records, "records")
    if count >= available:
        raise BadChoice(
            f"records is {count:,}, but there are {available:,} of them, and at least one must "
            "remain; remove fewer."
        )
    return count


def _share_of(share: float | None, available: int) -> int:
    # exactly as its decimals say: a tenth of 30 is 3
    count = math.floor(Fraction(str(arguments.share(share, "share"))) * available)
    if count == 0:
        raise BadChoice(
            f"A share of {share} of {available:,} records is less than one record; "
            "give a larger share."
        )
    return count
