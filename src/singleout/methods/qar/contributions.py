"""The contribution of every record of any data to its risk: read, count, leave each record out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb
from typing import Any

import numpy as np

from singleout.core.arrays import F64, I64, U64, Flags
from singleout.core.frame_kinds import framed
from singleout.core.memory import require_memory
from singleout.core.progress import working_on
from singleout.core.table import Column
from singleout.kernels.distinct.count import distinct_counts_of
from singleout.kernels.distinct.prepared import Prepared, prepare
from singleout.kernels.distinct.uniqueness import LANES, unique_bits, unique_sums
from singleout.kernels.entropy.record import bin_count, entropy_memory, record_entropy
from singleout.kernels.removal.leave_one_out import TailSettings, risks_without
from singleout.kernels.threads import thread_count
from singleout.methods.qar.contribution_result import (
    RankCombination,
    RecordContributions,
    rank_combination,
)
from singleout.methods.qar.measure import Estimator, ones_for_certainty, position, risk_of
from singleout.methods.qar.ordinal import has_order, ordinal_columns
from singleout.methods.qar.pls import Model, PartialLeastSquares, chosen_model
from singleout.methods.qar.prediction import partial_least_squares
from singleout.methods.qar.question import RecordQuestion, check_shares, record_question
from singleout.methods.qar.result import DatasetRisk
from singleout.methods.qar.score import checked_score
from singleout.report.say import say

__all__ = ["contributions"]


@framed
def contributions(
    data: Any,
    columns: Sequence[str] | str | None = None,
    size: int = 3,
    alpha: float = 0.01,
    tail: float = 0.05,
    estimator: str = "plotting",
    missing: str | None = None,
    ordinal: Sequence[str] | str | None = None,
    pls: str | None = None,
    rng: np.random.Generator | int | None = None,
    *,
    response: str | None = None,
    factors: int | None = None,
    train: float | None = None,
    score: Any = None,
    engine: Any = None,
    where: Any = None,
    count: str | None = None,
) -> RecordContributions:
    """Measure by how much each record adds to the risk of a table.

    The contribution of a record is the risk of the table less its risk without the record, exactly,
    for every record (Béra et al. 2023, section 3).

    Parameters
    ----------
    data
        A path, a data frame or a `Table`; or data that is elsewhere, see `read`.
    columns, size, alpha, tail, estimator, missing
        How the risk is measured; see `qar`.
    ordinal
        Columns whose values have an order: numbers, dates, or categories that are declared to have
        one. If given, record entropy is computed from them.
    pls
        ``linear`` or ``quadratic``: predict from a record's values whether its removal lowers the
        risk, by partial least squares on the ordinal columns, on all columns if none are named.
    rng
        The source of chance, or a seed, that draws the records which train the prediction; if not
        given, the same for every call.
    response
        What the prediction is of: ``sign``, whether the removal lowers the risk (the default), or
        ``contribution``, by how much.
    factors
        How many factors the prediction has; 3 if not given.
    train
        The share of the records that train it, the others test it; 0.75 if not given.
    score
        A number for each record, from elsewhere, to compare with its contribution; for each row
        of a table of counts.
    engine
        What fetches data that is elsewhere: ``database``, ``spark``, a `Database` or a `Spark`;
        chosen by the data if not given. Every record is left out in turn, so the
        columns are fetched.
    where
        The condition that records must meet, as text: ``"age >= 18 and region = 'north'"``.
    count
        The column that says how many people a row stands for, in a table of counts; if not given,
        each row is one record. The contribution is then that of any one person of a row.

    Returns
    -------
    RecordContributions
        The contribution of each record, and measures that may stand in for it.

    Examples
    --------
    >>> import singleout as so
    >>> columns = ["PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "EDU"]
    >>> found = so.contributions(so.demo(), columns, size=2, tail=0.2)
    >>> found.lowering, found.records
    (185, 7634)
    >>> found.top(1)["unique_for"].item()
    'AGEP+EDU, AGEP+HISP'
    """
    alpha = check_shares(alpha, tail)
    model = chosen_model(pls, response, factors, train)
    question = record_question(
        data, columns=columns, size=size, tail=tail, estimator=estimator, missing=missing,
        engine=engine, where=where, count=count,
    )  # fmt: skip
    ordered = ordinal_columns(question, ordinal)
    own = None if score is None else checked_score(score, question)
    copies = question.copies
    table = prepare(copies.codes, question.levels)
    dataset = question.answer(distinct_counts_of(table, question.size), alpha)
    top = _Top(question, dataset, copies.records)
    plus, times = map(copies.of_rows, unique_sums(table, question.size, dataset.distinct))
    bits = top.bits(table)
    contribution = dataset.risk - copies.of_rows(top.risks_without(bits))
    rank = rank_combination(dataset.distinct, top.k, top.g)
    notes = [*question.notes, *_notes(question, ordered, rank)]
    prediction = None
    if model is not None:
        prediction = _prediction(question, ordered, contribution, model, rng)
        notes += [*_unordered(question, ordered), *prediction.notes]
    return RecordContributions(
        dataset,
        question.number,
        contribution,
        uniqueness_plus=plus / question.records,
        # whole numbers until the last step, so that U+ and U* add up to the count
        uniqueness_star=(times * question.records - plus) / question.records,
        unique_in=times,
        cluster=copies.of_rows(top.cluster(bits, rank)),
        rank=rank,
        ordinal=tuple(column.name for column in ordered),
        entropy=_entropy(ordered, question) if ordered else None,
        pls=prediction,
        score=own,
        people=question.people,
        notes=tuple(notes),
        _codes=question.codes,
    )


class _Top:
    """The combinations from the threshold on: the only ones that matter for the risk."""

    def __init__(self, question: RecordQuestion, dataset: DatasetRisk, rows: int) -> None:
        self._size = question.size
        self._rows = rows  # that are looked at; of a table of counts fewer than there are people
        self._dataset = dataset
        distinct = dataset.distinct
        self.k, self.g = position(len(distinct), dataset.tail)
        order = np.argsort(distinct, kind="stable")
        begin = int(np.searchsorted(distinct[order], distinct[order[self.k - 1]]))
        self._below = distinct[order[:begin]]
        self._wanted = order[begin:]
        self._counts = distinct[self._wanted]
        # one bit for each combination, sums for each thread, a few numbers at the end
        each = len(self._wanted) / 8 + 8 * (1 + LANES) * thread_count() + 64
        require_memory(
            int(each * rows),
            f"Finding which of {rows:,} records are unique in {len(self._wanted):,} combinations",
        )

    def bits(self, table: Prepared) -> U64:
        """Return for each combination which records are unique in it."""
        return unique_bits(table, self._size, self._wanted)

    def risks_without(self, bits: U64) -> F64:
        """Return the risk of the table without each record; as it is if there is only one."""
        whole = self._dataset
        if whole.records == 1:
            return np.array([whole.risk])
        working_on(say("progress.leaving_out"))
        asked = TailSettings(
            self.k,
            self.g,
            whole.combinations,
            ones_for_certainty(whole.combinations, whole.alpha),
            whole.alpha,
            whole.tail,
            unbiased=whole.estimator == Estimator.UNBIASED,
        )
        refit = self._refit()
        return risks_without(bits, self._counts, whole.records, asked, refit, self._rows)

    def _refit(self) -> Callable[[I64], float]:
        whole, below = self._dataset, self._below

        def refit(counts: I64) -> float:
            lowered = np.concatenate([below, counts])
            return risk_of(lowered, whole.records - 1, whole.alpha, whole.tail, whole.estimator)

        return refit

    def cluster(self, bits: U64, rank: RankCombination | None) -> Flags:
        """Return which records lower the distinct count at a rank when they are removed."""
        records = self._rows
        if rank is None:
            return np.zeros(records, dtype=np.bool_)
        times = np.zeros(records, dtype=np.uint32)
        for row in bits[self._counts == self._dataset.distinct[rank.number]]:
            times += np.unpackbits(row.view(np.uint8), count=records, bitorder="little")
        return times >= rank.needed


def _entropy(columns: list[Column], question: RecordQuestion) -> F64:
    records, size = len(columns[0]), question.size
    require_memory(
        entropy_memory(records, [column.levels for column in columns], size),
        f"The entropy of {records:,} records",
    )
    return record_entropy([column.codes for column in columns], size, question.people)


def _prediction(
    question: RecordQuestion,
    ordered: list[Column],
    contribution: F64,
    model: Model,
    rng: np.random.Generator | int | None,
) -> PartialLeastSquares:
    working_on(say("progress.predicting"))
    codes = [column.codes for column in ordered] or question.codes
    source = np.random.default_rng(0 if rng is None else rng)
    return partial_least_squares(codes, contribution, model, source, question.people)


# ---- what a reader should know


def _notes(
    question: RecordQuestion, ordered: list[Column], rank: RankCombination | None
) -> list[str]:
    notes = []
    if question.records == 1:
        notes.append(say("contributions.notes.one_record"))
    if rank is not None and rank.ties > 1:
        notes.append(say("contributions.notes.ties", ties=rank.ties, needed=rank.needed))
    if ordered and len(ordered) < len(question.columns):
        columns = len(question.columns)
        notes.append(say("contributions.notes.entropy_columns", used=len(ordered), columns=columns))
    if ordered:
        sets = comb(len(ordered), question.size)
        words = {"n": sets, "size": question.size, "bins": bin_count(sets)}
        notes.append(say("contributions.notes.entropy_bins", **words))
    gaps = [column.name for column in ordered if column.has_missing]
    if gaps:
        notes.append(say("contributions.notes.missing_rank", columns=", ".join(gaps)))
    return notes


def _unordered(question: RecordQuestion, ordered: list[Column]) -> list[str]:
    """Say which columns a prediction took in an order that means nothing."""
    if ordered:
        return []
    names = [column.name for column in question.table if not has_order(column)]
    if not names:
        return []
    return [say("contributions.notes.alphabet", columns=", ".join(names))]
