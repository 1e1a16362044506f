"""Remove the records that make a table risky, and say what any removal could achieve."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, overload

import numpy as np

from singleout.core import arguments
from singleout.core.arrays import F64, I64
from singleout.core.choices import choose
from singleout.errors import BadChoice
from singleout.kernels.distinct.count import distinct_counts
from singleout.methods.qar.contributions import contributions
from singleout.methods.qar.question import RecordQuestion, check_shares, record_question
from singleout.treatment.backward import Criterion, Problem, Scores, remove_records
from singleout.treatment.result import Elimination

__all__ = ["eliminate"]

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
    engine: Any = None,
    where: Any = None,
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
    engine: Any = None,
    where: Any = None,
) -> list[Elimination]: ...
def eliminate(
    data: Any,
    records: int | None = None,
    share: float | None = None,
    criterion: str | Sequence[str] = "top-uniqueness",
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
    engine: Any = None,
    where: Any = None,
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
        it), ``uniqueness-plus``, ``uniqueness-star``, ``entropy`` or ``pls``; ties by the number of
        the record. A list of these gives a list of results.
    every
        After how many removals the criterion is computed anew; None computes it once. With
        ``contribution`` and 1 this is the proper backward elimination.
    columns, size, alpha, tail, estimator, missing
        How the risk is measured; see `qar`.
    ordinal
        For ``entropy`` and ``pls``, the columns whose values have an order; if not given, all
        columns that are combined.
    rng
        For ``pls``, the source of chance or a seed; if not given, the same for every call.
    engine
        What fetches data that is elsewhere: ``database``, ``spark``, a `Database` or a `Spark`;
        chosen by the data if not given. The columns are fetched: to have the table
        without the removed records afterwards, fetch it first with `read`, and give that.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.

    Returns
    -------
    Elimination or list of Elimination
        One result for one criterion, a list for a list of them.

    Examples
    --------
    >>> import singleout as so
    >>> from singleout import eliminate
    >>> columns = ["PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "EDU"]
    >>> result = eliminate(so.demo(), records=400, columns=columns, tail=0.2)
    >>> result.table(so.demo()).rows
    7234
    """
    as_list = not isinstance(criterion, str)
    words = [criterion] if isinstance(criterion, str) else list(criterion)
    chosen = [choose(Criterion, word, "criterion") for word in words]
    if not chosen:
        raise BadChoice("No criterion was given; give one, or several.")
    _refuse_idle(chosen, ordinal, rng)
    step = _step(every, chosen)
    alpha = check_shares(alpha, tail)
    question = record_question(
        data, columns=columns, size=size, tail=tail, estimator=estimator, missing=missing,
        engine=engine, where=where,
    )  # fmt: skip
    count = _how_many(records, share, question.records)
    problem = Problem(
        question.codes,
        question.levels,
        question.size,
        distinct_counts(question.codes, question.levels, question.size),
        alpha,
        question.tail,
        question.estimator,
    )
    results = []
    for each in chosen:
        scores = _scores(question, each, alpha, ordinal, rng) if each.from_outside else None
        results.append(_eliminated(question, problem, count, each, step, scores))
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
        np.flatnonzero(question.kept)[course.order] + 1,
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
        missing=question.missing,
        notes=question.notes,
    )


def _scores(
    question: RecordQuestion,
    criterion: Criterion,
    alpha: float,
    ordinal: Sequence[str] | str | None,
    rng: np.random.Generator | int | None,
) -> Scores:
    """Return a function that gives the entropies or predictions of the remaining records."""
    entropy = criterion == Criterion.ENTROPY
    ordered = question.columns if entropy and ordinal is None else ordinal

    def scores(numbers: I64) -> F64:
        result = contributions(
            question.table.take(numbers),
            question.columns,
            question.size,
            alpha=alpha,
            tail=question.tail,
            estimator=question.estimator,
            missing="value",
            ordinal=ordered,
            pls=None if entropy else "linear",
            rng=rng,
        )
        score = result.pls.score if result.pls is not None else result.entropy
        assert score is not None  # it was asked for
        return score

    return scores


def _step(every: int | None, chosen: Sequence[Criterion]) -> int | None:
    """Return after how many removals a criterion is computed anew; None for never."""
    if every is None:
        return None
    step = arguments.whole(
        every, "every", of="removals", instead="None to compute the criterion once"
    )
    slow = [one for one in chosen if one.from_outside]
    if slow and step < _SELDOM:
        raise BadChoice(
            f"every is {step}, but {slow[0]} takes the whole table to compute: let every be "
            f"{_SELDOM} or more, or None (--every 0) to compute it once."
        )
    return step


def _refuse_idle(
    chosen: Sequence[Criterion],
    ordinal: Sequence[str] | str | None,
    rng: np.random.Generator | int | None,
) -> None:
    """Refuse options that no chosen criterion uses: none is accepted and ignored."""
    if ordinal is not None and not any(one.from_outside for one in chosen):
        raise BadChoice(f"ordinal has a meaning for entropy and pls only, not for {chosen[0]}.")
    if rng is not None and Criterion.PLS not in chosen:
        raise BadChoice(f"rng has a meaning for pls only: nothing is random in {chosen[0]}.")


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
