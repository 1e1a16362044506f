"""A suggestion: steps that meet a policy, what they cost, and what else could be had."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.assessment.suggest.goal import Goal
from singleout.assessment.suggest.search import Search, Trial
from singleout.assessment.suggest.state import State
from singleout.core.frame_kinds import Frame, framed
from singleout.core.progress import track
from singleout.core.results import Result
from singleout.core.wording import percent
from singleout.methods.levels import level_name
from singleout.report.say import say
from singleout.treatment.steps.apply import apply_steps
from singleout.treatment.steps.steps import Steps

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from singleout.assessment.plan.plan import Plan
    from singleout.assessment.treated.treated import Treated
    from singleout.core.table import Table
    from singleout.engines.counter import Records

__all__ = ["Suggestion", "WhatIf"]

_SIZES = (2, 3, 5, 10, 20, 50)  # of classes, on a frontier


@dataclass(frozen=True)
class WhatIf:
    """What one more step would do: the state of the table, and the loss of the columns."""

    sentence: str
    state: State
    loss: float


@dataclass(frozen=True, eq=False)
class Suggestion(Result):
    """Steps that meet a policy with the least loss that was found.

    Parameters
    ----------
    best
        The treatment that is suggested, and the state of the table after it.
    before
        The state of the table as it is.
    goal
        What was to be reached.
    plan
        What the columns mean.
    columns
        The quasi-identifiers, which are treated.
    blocked
        What keeps every treatment from the policy, where it was not reached, one sentence each.
    complete
        Whether the search came to its end; otherwise this is the best that it had found.
    notes
        What a reader should know, one sentence each.
    """

    best: Trial = field(repr=False)
    before: State
    goal: Goal
    plan: Plan = field(repr=False)
    columns: tuple[str, ...]
    blocked: tuple[str, ...] = ()
    complete: bool = True
    notes: tuple[str, ...] = ()
    _data: Any = field(kw_only=True, repr=False)  # as it was given: a path, a frame
    _records: Records = field(kw_only=True, repr=False)
    _search: Search = field(kw_only=True, repr=False)

    @property
    def _table(self) -> Table:
        return self._records.table

    @property
    def steps(self) -> Steps:
        """The steps, in their order."""
        return self.best.treatment.steps

    @property
    def after(self) -> State:
        """The state of the table after the steps."""
        return self.best.state

    @property
    def reached(self) -> bool:
        """Whether the policy is met after the steps."""
        return self.best.kept

    @property
    def loss(self) -> float:
        """The mean loss of the quasi-identifiers: 0 if everything is published, 1 if nothing is."""
        return self.best.treatment.loss

    @property
    def loss_by_column(self) -> dict[str, float]:
        """The loss of each quasi-identifier."""
        return dict(self.best.treatment.by_column)

    @property
    def levels(self) -> dict[str, int]:
        """The level of each column, where one is chosen for each (``full-domain``)."""
        return dict(self.best.treatment.levels)

    @property
    def suppressed(self) -> int:
        """How many records are blanked in all quasi-identifiers, or removed."""
        return self.best.treatment.suppressed

    @property
    def unmet(self) -> tuple[str, ...]:
        """What is not reached, and how near it comes, one sentence each."""
        return tuple(self._sentence(name) for name in self.best.unmet)

    def _sentence(self, name: str) -> str:
        spent = {
            "suppressed": self.suppressed / self.before.records,
            "cells": self.best.treatment.blanked,
        }
        if name in spent:
            return say(f"suggest.limit.{name}", value=percent(spent[name]))
        return self.goal.sentence(name, self.after)

    # ---- what to do with it

    @framed
    def apply(self) -> Treated:
        """Return the table after the steps, with a log of every change."""
        from singleout.assessment.treated.treat import treat_records

        applied = self.best.treatment.applied
        return treat_records(self._data, self._records, self.steps, self.plan, applied)

    def report(self, path: str | os.PathLike[str], *, when: datetime | None = None) -> Path:
        """Write a report on the table after the steps, with the frontier.

        Parameters
        ----------
        path
            The file, whose name ends in .html; one that exists is written over.
        when
            The time to put on the report, as for `Assessment.report`.
        """
        return self.apply().report(path, suggestion=self, when=when)

    def what_if(self, step: Any) -> WhatIf:
        """Return what one more step would do, after those that are suggested.

        Parameters
        ----------
        step
            A step, or its entries as a file has them: ``{"recode": "age", "width": 10}``.
        """
        more = Steps.of([step])
        before = self.best.treatment.applied
        after = apply_steps(before.table, more)
        state = self._search.measuring(after.table)
        loss = self._search.way.loss_after(before, after)
        return WhatIf(more.sentences[0], state, loss)

    # ---- what else could be had

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """All treatments that were tried, and those of other sizes of classes, by their loss."""
        if self.complete:  # who stopped the search does not want another
            with suppress(KeyboardInterrupt):
                list(track(list(self._search.widened(_SIZES)), say("progress.frontier")))
        return tuple(
            sorted(self._search.trials.values(), key=lambda trial: (trial.treatment.loss, trial.k))
        )

    @property
    def frontier(self) -> pl.DataFrame:
        """Risk against loss: one row for each treatment that was tried, the least loss first."""
        from singleout.core.frames import pl

        rows = [trial.to_dict() for trial in self.trials]
        frame = pl.DataFrame(rows, infer_schema_length=None)
        chosen = [trial is self.best for trial in self.trials]
        return frame.with_columns(pl.Series("suggested", chosen))

    @cached_property
    def explained(self) -> pl.DataFrame:
        """Each step, and the state of the table after it: what it buys, and what it costs."""
        from singleout.core.frames import pl

        rows = []
        state, loss = self.before, 0.0
        for index, step in enumerate(self.steps, start=1):
            found = self._after(index)
            rows.append(
                {
                    "step": index,
                    "what": step.sentence,
                    "loss": found.loss - loss,
                    "k_before": state.k,
                    "k_after": found.state.k,
                    "level_before": state.highest_risk,
                    "level_after": found.state.highest_risk,
                    "unique_before": state.unique_share,
                    "unique_after": found.state.unique_share,
                    "at_risk_before": state.records_at_risk,
                    "at_risk_after": found.state.records_at_risk,
                }
            )
            state, loss = found.state, found.loss
        return pl.DataFrame(rows)

    def _after(self, steps: int) -> WhatIf:
        if steps == len(self.steps):
            return WhatIf("", self.after, self.loss)
        some = Steps.of(list(self.steps)[:steps])
        treatment = self._search.way.treated(some)
        return WhatIf("", self._search.measuring(treatment.applied.table), treatment.loss)

    def to_frame(self) -> Frame:
        """Return the frontier."""
        return self.frontier

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold, without any record.

        Of hierarchies in steps it has how many values and levels they have; `Steps.to_dict` has
        their rows.
        """
        return {
            "reached": self.reached,
            "goal": self.goal.limits,
            "steps": self.steps.outline(),
            "sentences": list(self.steps.sentences),
            "loss": self.loss,
            "loss_by_column": self.loss_by_column,
            "levels": self.levels,
            "suppressed": self.suppressed,
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "unmet": list(self.unmet),
            "blocked": list(self.blocked),
            "complete": self.complete,
            "frontier": self.frontier.to_dicts(),
            "notes": list(self.notes),
        }

    def plot(self) -> alt.LayerChart | alt.FacetChart:
        """Return the picture of the frontier: the risk that is left against the loss."""
        from singleout.assessment.suggest.chart import frontier

        return frontier(self.trials, self.best)

    def __str__(self) -> str:
        key = "suggest.reached" if self.reached else "suggest.nearest"
        if self.reached and not len(self.steps):
            key = "suggest.kept_already"
        return say(
            key,
            n=len(self.steps),
            loss=percent(self.loss),
            suppressed=self.suppressed,
            k=self.after.k,
            level=_level(self.after),
            level_before=_level(self.before),
            k_before=self.before.k,
            unmet=" ".join(self.unmet),
        )


def _level(state: State) -> str:
    return f"{state.highest_risk} {level_name('risk', state.highest_risk)}"
