"""What to do first: every proposal is tried out on the table, and its effect is measured.

Candidates are to leave out or to coarsen one attribute, to coarsen all of one exposure level, to
merge a value that holds many records at risk, and to take out the riskiest records. Each changes
the table, which is then rated like the table itself; nothing is estimated.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from singleout.assessment.advice.action import Action, ActionKind
from singleout.assessment.advice.as_steps import steps_between
from singleout.assessment.advice.coarsen import Coarser, coarser, merged_with_neighbour
from singleout.assessment.advice.effect import Effect
from singleout.assessment.advice.gauge import Gauge
from singleout.assessment.advice.merged_values import NAMED_FROM, how_exactly, partner_of
from singleout.assessment.rating.attackers import Kind
from singleout.assessment.rating.question import RatingQuestion
from singleout.assessment.rating.records import AT_RISK, RecordRisks
from singleout.assessment.rating.rows import Row
from singleout.assessment.rating.scales import Exposure
from singleout.core.arrays import I64
from singleout.core.choices import MissingPolicy
from singleout.core.progress import track
from singleout.core.table import Column
from singleout.core.wording import capital
from singleout.engines.local import counting as local
from singleout.methods.effort import information
from singleout.report.say import in_a_row, say
from singleout.treatment.steps.models import Drop
from singleout.treatment.steps.steps import Steps

__all__ = ["find_actions"]

_MOST_COLUMNS = 10  # attributes that are tried out
_CELLS = 300_000_000  # cells that are looked at, in all
_MATCHING = 100  # how much longer records are compared where missing values match everything
_RECORDS_TO_LOOK_AT = 20_000  # to see which attributes matter
_WORST_VALUES = 3
_RARE_VALUE = 0.05  # a value that more of the records have is not what sets people apart
_SHARE_OF_RECORDS = 0.01
_FEW_TIMES = 10  # as many records at the highest risk as may be taken out
_LISTED = 12
_FEWEST = 2  # candidates, however large the table is
_AT_RISK = 3  # the level from which records count as at risk
_SMALLEST_CHANGE = 5e-4  # of shares, below which nothing has changed
_LEAST_LOSS = 0.005  # of information: what costs less is not better for it


@dataclass(frozen=True, eq=False)
class _Candidate:
    kind: ActionKind
    what: str
    column: str | None
    question: RatingQuestion = field(repr=False)
    loss: float
    kept: NDArray[np.bool_] | None = field(default=None, repr=False)


def find_actions(
    question: RatingQuestion,
    before: Effect,
    records: RecordRisks,
    gauge: Gauge,
    *,
    rows: Sequence[Row],
    personal: Sequence[str],
    ordinal: Sequence[str],
) -> tuple[list[Action], list[str]]:
    """Return what to do, best first, and notes on what was not tried.

    ``personal`` are the columns that identify people directly, ``ordinal`` those with an order. Of
    the rows those of single columns tell what to try first.
    """
    chosen = _columns(question, rows)
    notes = []
    if len(chosen) < len(question.known):
        notes.append(say("advice.tried_some", n=len(chosen), of=len(question.known)))
    every = _candidates(question, records, chosen, frozenset(ordinal))
    candidates = list(islice(every, max(_FEWEST, _CELLS // _cost(question))))
    tried: list[Action] = []
    changed: dict[Action, _Candidate] = {}
    for candidate in track(candidates, say("progress.actions")):
        after = gauge(candidate.question, candidate.kept).effect
        if _is_better(before, after):
            tried.append(
                Action(
                    candidate.kind,
                    candidate.what,
                    candidate.column,
                    before,
                    after,
                    candidate.loss,
                )
            )
            changed[tried[-1]] = candidate
    ranked = _ranked(tried)
    if candidates and not ranked:
        notes.append(say("advice.nothing_helps"))
    elif ranked and before.level > 1 and all(action.same_level for action in ranked):
        notes.append(say("advice.level_stays"))
    first = [
        Action(
            ActionKind.REMOVE_IDENTIFIER,
            say("advice.remove_identifier", name=repr(name)),
            name,
            steps=Steps.of([Drop(drop=[name])]),
        )
        for name in personal
    ]
    listed = [
        replace(action, steps=_steps(question, changed[action], records))
        for action in _listed(ranked)
    ]
    return [*first, *listed], notes


def _steps(question: RatingQuestion, candidate: _Candidate, records: RecordRisks) -> Steps:
    removed = () if candidate.kept is None else records.record[~candidate.kept]
    return Steps.of(steps_between(question.table, candidate.question.table, removed))


def _is_better(before: Effect, after: Effect) -> bool:
    """Whether nothing gets worse that people look at first, and something gets better."""
    if after.level > before.level or after.at_risk > before.at_risk:
        return False
    removed = before.risk_removed(after)
    return removed >= _SMALLEST_CHANGE or after.at_risk < before.at_risk or after.k > before.k


def _ranked(actions: Sequence[Action]) -> list[Action]:
    """Return the actions by what they bring for what is lost, the best first.

    A column is not left out before it is made coarser, if that helps as well.
    """
    worth = {action: _worth(action) for action in actions}
    coarse = {  # of each column the best, which comes last
        action.column: worth[action]
        for action in sorted(actions, key=worth.__getitem__)
        if action.kind == ActionKind.COARSEN
    }
    for action in actions:
        if action.kind == ActionKind.DROP and action.column in coarse:
            worth[action] = min(worth[action], coarse[action.column] * (1 - 1e-9))
    return sorted(actions, key=lambda action: (-worth[action], action.loss or 0.0))


def _worth(action: Action) -> float:
    assert action.before is not None  # only what was tried is ranked
    assert action.after is not None
    return action.before.risk_removed(action.after) / max(action.loss or 0.0, _LEAST_LOSS)


def _listed(ranked: Sequence[Action]) -> list[Action]:
    """Return the first actions; which records to look at is always among them."""
    late = [action for action in ranked[_LISTED:] if action.kind == ActionKind.REMOVE_RECORDS]
    return [*ranked[: _LISTED - len(late)], *late]


def _cost(question: RatingQuestion) -> int:
    """Return how many cells are looked at to rate a table with all attackers and targets."""
    attackers = 1 + len(set(question.exposures.values())) + len(question.named)
    cells = question.table.rows * attackers * (len(question.known) + 6 * len(question.targets))
    return cells * _MATCHING if question.table.missing == MissingPolicy.WILDCARD else cells


def _columns(question: RatingQuestion, rows: Sequence[Row]) -> list[str]:
    """Return the attributes worth trying: all, or those that matter most.

    That is first what alone puts many records at risk, then what makes many unique.
    """
    names = question.known
    affordable = _CELLS // (3 * _cost(question))  # an attribute is tried about three times
    most = max(1, min(_MOST_COLUMNS, affordable))
    if len(names) <= most:
        return list(names)
    alone = dict.fromkeys(names, 0)
    for row in rows:
        name = row.combination.name
        if row.combination.kind == Kind.ATTRIBUTE:
            alone[name] = max(alone[name], row.reaching(AT_RISK))
    few = _SHARE_OF_RECORDS * question.table.rows
    unique = {}
    some = question.table.select(names).take(_evenly(question.table.rows))
    for name in names:
        sizes = local.profile(some, [other for other in names if other != name])
        unique[name] = int(sizes.sets[sizes.sizes == 1].sum())

    def order(name: str) -> tuple[float, int, float]:
        # where none matters by itself, the most telling ones come first
        telling = -alone[name] if alone[name] > few else 0
        return telling, unique[name], -information(question.table[name])

    worth = sorted(names, key=order)
    return [name for name in names if name in set(worth[:most])]


def _evenly(rows: int) -> I64:
    """Return every n-th record, about as many as are looked at to compare attributes."""
    return np.arange(0, rows, max(1, rows // _RECORDS_TO_LOOK_AT))


def _candidates(
    question: RatingQuestion, records: RecordRisks, chosen: Sequence[str], ordinal: frozenset[str]
) -> Iterator[_Candidate]:
    loss = _Loss(question)
    worst = int((records.counted.risk == records.risk.max()).sum())
    few = worst <= _FEW_TIMES * _SHARE_OF_RECORDS * records.rated
    if few:
        yield from _riskiest_records(question, records)
    strongest: dict[str, Coarser] = {}
    for name in chosen:
        column = question.table[name]
        if len(question.known) > 1:
            yield _Candidate(
                ActionKind.DROP,
                say("advice.drop", name=repr(name)),
                name,
                question.without(name),
                loss(name, None),
            )
        for way in coarser(column, ordered=name in ordinal):
            yield _Candidate(
                ActionKind.COARSEN,
                say("report.sentence", text=capital(_step(column, way))),
                name,
                question.with_column(way.column),
                loss(name, way.column),
            )
            strongest[name] = way
    yield from _coarse_levels(question, strongest, loss)
    yield from _worst_values(question, records, chosen, ordinal, loss)
    if not few:  # to take out some of very many changes little
        yield from _riskiest_records(question, records)


def _step(column: Column, way: Coarser) -> str:
    exactly = how_exactly(column, way.column)
    return say("advice.step", how=way.how, column=repr(column.name), exactly=exactly)


class _Loss:
    """The share of the information in all quasi-identifiers that is given up."""

    def __init__(self, question: RatingQuestion) -> None:
        self._bits = {name: information(question.table[name]) for name in question.known}
        self._all = sum(self._bits.values())

    def __call__(self, name: str, after: Column | None) -> float:
        """Return what is lost where a column becomes another, or is left out."""
        left = 0.0 if after is None else information(after)
        return (self._bits[name] - left) / self._all if self._all else 0.0


def _coarse_levels(
    question: RatingQuestion, strongest: Mapping[str, Coarser], loss: _Loss
) -> Iterator[_Candidate]:
    """Yield for each exposure level the table with all of its columns coarsened."""
    for level in sorted(set(question.exposures.values()), reverse=True):
        names = [name for name in strongest if question.exposures[name] == level]
        if len(names) < 2:
            continue
        coarse = question
        for name in names:
            coarse = coarse.with_column(strongest[name].column)
        steps = in_a_row([_step(question.table[name], strongest[name]) for name in names])
        losses = [loss(name, strongest[name].column) for name in names]
        yield _Candidate(
            ActionKind.COARSEN_LEVEL,
            say("advice.coarsen_level", exposure=Exposure(level).name, steps=steps),
            None,
            coarse,
            float(np.sum(losses)),
        )


# ---- one value


def _worst_values(
    question: RatingQuestion,
    records: RecordRisks,
    chosen: Sequence[str],
    ordinal: frozenset[str],
    loss: _Loss,
) -> Iterator[_Candidate]:
    """Yield the values that hold most of the records with the highest risk."""
    worst = records.risk == records.risk.max()
    if worst.all():  # no value tells them from the others: the smallest sets do
        worst = records.set_size == records.set_size.min()
    found = [
        (score, name, code)
        for name in chosen
        for score, code in _telling_values(question.table[name], worst)
    ]
    for _, name, code in sorted(found, key=lambda hit: -hit[0])[:_WORST_VALUES]:
        column = question.table[name]
        held = int((column.codes == code).sum())
        merged = merged_with_neighbour(column, code, ordered=name in ordinal)
        value = say("advice.values.named", value=repr(column.label(column.value(code))))
        if held < NAMED_FROM:
            value = say("advice.values.rare", n=held)
        partner = partner_of(column, merged, code, ordered=name in ordinal)
        yield _Candidate(
            ActionKind.MERGE_VALUE,
            say("advice.merge", value=value, column=repr(name), records=held, partner=partner),
            name,
            question.with_column(merged),
            loss(name, merged),
        )


def _telling_values(column: Column, worst: NDArray[np.bool_]) -> list[tuple[float, int]]:
    values = len(column.values)
    held = column.sizes[:values]
    at_risk = np.bincount(column.codes[worst], minlength=column.levels)[:values]
    if (held > 0).sum() < 3:
        return []
    telling = (at_risk > 0) & (held <= _RARE_VALUE * len(column))
    # many records at risk, and few others
    scores = at_risk**2 / np.maximum(held, 1)
    return [(float(scores[code]), code) for code in np.flatnonzero(telling).tolist()]


# ---- some records


def _riskiest_records(question: RatingQuestion, records: RecordRisks) -> Iterator[_Candidate]:
    """Yield the riskiest records, at most one in a hundred."""
    rows = records.rated
    highest = int(records.risk.max())
    with_highest = int((records.counted.risk == highest).sum())
    count = min(with_highest, max(1, int(rows * _SHARE_OF_RECORDS)))
    # a few of many that are alike and not at risk would be left out for nothing
    needless = highest < _AT_RISK and count < with_highest
    if highest == 1 or count >= rows or needless:
        return
    kept = records.all_but(records.worst(count))
    yield _Candidate(
        ActionKind.REMOVE_RECORDS,
        say("advice.riskiest" if records.owners is None else "advice.riskiest_people", n=count),
        None,
        question,
        count / rows,
        kept,
    )
