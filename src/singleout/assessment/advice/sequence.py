"""A short sequence of changes that reaches the policy, found by giving up as little as possible.

Columns are made coarser step by step, or left out, where that brings most for what is lost; a few
records that are left over are taken out. Nothing is estimated: the changed table is rated like the
table itself. The work is limited by counting it, so that the same table has the same advice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from singleout.assessment.advice.as_steps import steps_between
from singleout.assessment.advice.effect import Effect
from singleout.assessment.advice.gauge import Gauge
from singleout.assessment.advice.rungs import Rungs
from singleout.assessment.advice.search import RemedySearch, is_kept
from singleout.assessment.plan.parts import ReleasePolicy
from singleout.assessment.rating.question import RatingQuestion
from singleout.assessment.rating.rows import Row
from singleout.core.arrays import I64
from singleout.core.progress import working_on
from singleout.core.results import ResultPart
from singleout.core.table import Column, Table
from singleout.core.wording import percent
from singleout.methods.levels import level_name
from singleout.report.say import say
from singleout.treatment.steps.steps import Steps

__all__ = ["Remedy", "find_remedy"]

_GOAL = ReleasePolicy(highest_risk=2)  # where there is no policy


@dataclass(frozen=True)
class Remedy(ResultPart):
    """Changes that together reach a policy, or come nearest to it.

    Parameters
    ----------
    sentences
        What to do, one sentence each, in this order.
    steps
        The same as steps that can be applied; see `so.treat`.
    reached
        Whether the policy is kept after all of them.
    before, after
        The state of the table without and with them.
    loss
        The share of the information in the quasi-identifiers that is given up.
    removed
        How many records are taken out.
    table
        The columns that were rated, changed, and the weights if there are any.
    """

    sentences: tuple[str, ...]
    steps: Steps = field(repr=False, compare=False)
    reached: bool
    before: Effect
    after: Effect
    loss: float
    removed: int
    table: Table = field(repr=False, compare=False)

    def __str__(self) -> str:
        key = "advice.reached" if self.reached else "advice.nearest"
        if self.after.of_people:
            key = "advice.reached_people" if self.reached else "advice.nearest_people"
        return say(
            key,
            n=len(self.sentences),
            before=_in_words(self.before),
            after=_in_words(self.after),
            loss=percent(self.loss),
            at_risk=self.after.at_risk,
            k=self.after.k,
            unique=percent(self.after.unique_share),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the sequence as plain values that JSON can hold."""
        return {
            "steps": list(self.sentences),
            "reached": self.reached,
            "loss": self.loss,
            "removed": self.removed,
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
        }


def _in_words(effect: Effect) -> str:
    return f"{effect.level} {level_name('risk', effect.level)}"


def find_remedy(
    question: RatingQuestion,
    policy: ReleasePolicy,
    before: Effect,
    rows: Sequence[Row],
    gauge: Gauge,
    ordinal: frozenset[str],
    record: I64,
    weights: Column | None = None,
) -> Remedy | None:
    """Return changes that reach a policy; None if it is kept already.

    Parameters
    ----------
    question
        The table and what to rate on it.
    policy
        What is accepted; the level 2 if it asks for nothing.
    before
        The state of the table.
    rows
        Its rows, of which those of single columns tell where to begin.
    gauge
        What rates changed tables.
    ordinal
        Columns whose values have an order.
    record
        The number of each record in the data, from 1.
    weights
        The column that says how many people each record stands for, to go with the table.
    """
    goal = policy.through_unique_share if policy.limits else _GOAL
    if is_kept(goal, before):
        return None
    working_on(say("progress.remedy"))
    rungs = Rungs(question, ordinal)
    whole = rungs.total
    found = RemedySearch(question, rungs, goal, gauge).run(rows)
    steps = list(rungs.sentences())
    if found.removed:
        share = found.removed / question.table.rows
        steps.append(say("advice.take_out", n=found.removed, share=percent(share)))
    table = _with(found.question.table, weights)
    gone = () if found.kept is None else record[~found.kept]
    return Remedy(
        tuple(steps),
        Steps.of(steps_between(question.table, found.question.table, gone)),
        is_kept(goal, found.effect),
        before,
        found.effect,
        (whole - rungs.total) / whole if whole else 0.0,
        found.removed,
        table if found.kept is None else table.take(found.kept),
    )


def _with(table: Table, weights: Column | None) -> Table:
    """Return a table with the column of weights, unless it has one of that name."""
    if weights is None or weights.name in table.columns:
        return table
    return Table([*table, weights], missing=table.missing, source=table.source, notes=table.notes)
