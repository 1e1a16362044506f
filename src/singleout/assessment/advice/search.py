"""The search for changes that reach a policy, giving up as little information as possible.

First come columns that tell a sensitive value by themselves, then those that make sets too small,
then whatever lowers the risk most for what is lost; a few records that are left over are taken out.
What turns out not to be needed is given back. The work is limited by counting it, so that the same
table has the same advice; where the limit is reached, columns are left out without a comparison, so
that the policy is reached if one column alone reaches it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from singleout.assessment.advice.combined import Combined
from singleout.assessment.advice.effect import Effect
from singleout.assessment.advice.gauge import Gauge, Gauged
from singleout.assessment.advice.rungs import Rungs
from singleout.assessment.plan.parts import ReleasePolicy
from singleout.assessment.rating.attackers import Kind, combinations_of, decides
from singleout.assessment.rating.question import RatingQuestion
from singleout.assessment.rating.records import AT_RISK
from singleout.assessment.rating.rows import Row

__all__ = ["RemedySearch", "is_kept"]

_REMOVABLE = 0.02  # share of the records that may be taken out
_CELLS = 120_000_000  # records x columns that are looked at
_AT_ONCE = 6  # columns that are compared before one is chosen
_LEAST = 1e-9  # bits


class Outcome(NamedTuple):
    """A state of the table that was rated."""

    question: RatingQuestion
    effect: Effect
    removed: int = 0
    kept: NDArray[np.bool_] | None = None  # which records, if some are taken out


def is_kept(goal: ReleasePolicy, effect: Effect) -> bool:
    """Whether a state of the table is accepted."""
    return not any(_beyond(goal, effect))


def _beyond(goal: ReleasePolicy, effect: Effect) -> tuple[float, float, float, float]:
    """Return how far a state is from what is accepted: level, records at risk, unique, k."""
    at_risk = effect.at_risk / max(1, effect.records)
    return (
        0.0 if goal.highest_risk is None else max(0.0, effect.level - goal.highest_risk),
        0.0 if goal.records_at_risk is None else max(0.0, at_risk - goal.records_at_risk),
        0.0 if goal.unique_share is None else max(0.0, effect.unique_share - goal.unique_share),
        0.0 if goal.k is None else max(0.0, 1 - effect.k / goal.k),
    )


class RemedySearch:
    """The table as it is changed, column by column.

    Parameters
    ----------
    question
        The table and what to rate on it.
    rungs
        Its columns on their ladders; changed by the search.
    goal
        What is accepted.
    gauge
        What rates changed tables.
    """

    def __init__(
        self, question: RatingQuestion, rungs: Rungs, goal: ReleasePolicy, gauge: Gauge
    ) -> None:
        self._start, self._rungs, self._goal, self._gauge = question, rungs, goal, gauge
        self._left = 0  # what may still be looked at
        self._tells: dict[str, float] = {}  # how far each column alone tells a sensitive value
        self._nearest: tuple[tuple[float, ...], dict[str, int], Outcome] | None = None

    def run(self, rows: Sequence[Row]) -> Outcome:
        """Return the state that reaches the policy, or the nearest; the rungs are those of it."""
        for row in rows:
            if row.combination.kind == Kind.ATTRIBUTE and row.gain is not None:
                name = row.combination.name
                self._tells[name] = max(self._tells.get(name, 0.0), row.gain)
        self._left = _CELLS // 4
        self._quieten(rows)
        self._left = _CELLS
        self._enlarge_sets()
        self._left = _CELLS
        if self._lower_risk() or self._keep_one():
            self._left = _CELLS
            self._give_back()
        assert self._nearest is not None  # something was rated
        _, state, found = self._nearest
        self._rungs.restore(state)
        return found

    # ---- columns that tell a sensitive value by themselves

    def _quieten(self, rows: Sequence[Row]) -> None:
        """Coarsen each column that alone puts more records at risk than are accepted."""
        level = self._goal.highest_risk
        if level is None:
            level = None if self._goal.records_at_risk is None else AT_RISK - 1
        if level is None:
            return
        for row in rows:
            name = row.combination.name
            if row.combination.kind != Kind.ATTRIBUTE or self._rungs.is_out(name):
                continue
            if self._too_many(row.reaching(level + 1)):
                self._quieten_one(name, level)

    def _too_many(self, records: int) -> bool:
        """Whether more records, or people, exceed the level than are tolerated."""
        share, everybody = self._start.tolerated, self._start.rated
        if self._goal.records_at_risk is not None:
            return records > self._goal.records_at_risk * everybody
        return records > 0 and records >= share * everybody

    def _quieten_one(self, name: str, level: int) -> None:
        while len(self._rungs.kept) > 1 and not self._rungs.is_out(name):
            self._rungs.move(name, 1)
            column = self._rungs.column(name)
            if column is None:
                return
            alone = replace(
                self._start.with_column(column),
                exposures={name: self._start.exposures[name]},
                named={},
            )
            self._left -= _cost(alone)
            if self._left <= 0:  # no more comparisons
                self._rungs.leave_out(name)
                return
            gauged = self._gauge(alone)
            if not self._too_many(gauged.holders(gauged.risk > level)):
                return

    # ---- sets that are too small

    @cached_property
    def _wanted(self) -> int:
        """How many records must share a combination."""
        if self._goal.k is not None:
            return max(2, self._goal.k)
        return 1 if self._goal.unique_share is None else 2

    def _enlarge_sets(self) -> None:
        """Coarsen what brings most, until few records are left in sets that are too small."""
        if self._wanted < 2:
            return
        enough = _REMOVABLE / 2 if self._goal.k is not None else self._goal.unique_share or 0.0
        question = self._rungs.question()
        counted = Combined.of(question.table, question.known)
        share = counted.small(self._wanted)
        while share > enough:
            best = self._best_step(counted, share)
            if best is None:
                return
            name, share, counted = best
            self._rungs.move(name, 1)

    def _best_step(self, counted: Combined, share: float) -> tuple[str, float, Combined] | None:
        """Return the column to coarsen next, and what is left then."""
        names = self._rungs.movable
        cells = max(1, len(counted.sizes) * len(counted.codes))
        steps = sum(map(self._rungs.steps_left, names))
        many = self._left // (cells * max(1, steps // 2))
        found: list[tuple[float, float, str, float, Combined]] = []
        for name in names[: max(1, min(_AT_ONCE, many))]:
            changed = counted.with_codes(name, self._rungs.column(name, 1))
            self._left -= cells
            left = changed.small(self._wanted)
            bits = self._rungs.bits(name)
            lost = max(bits - self._rungs.bits(name, 1), _LEAST)
            found.append(((share - left) / lost, bits, name, left, changed))
        if not found:
            return None
        _, _, name, left, changed = max(found, key=lambda one: one[:2])
        return name, left, changed

    # ---- the level

    def _lower_risk(self) -> bool:
        """Coarsen what lowers the risk most for what is lost; whether the policy is reached."""
        try:
            while True:
                # no step is undone here
                self._gauge.narrow(self._rungs.question(), list(self._rungs.to_come()))
                found = self._rated()
                if is_kept(self._goal, found.effect):
                    return True
                if not self._step(found):
                    return False
        finally:
            self._gauge.widen()

    def _rated(self) -> Outcome:
        """Return the state of the table, without a few records if it is accepted then."""
        question = self._rungs.question()
        gauged = self._gauge(question)
        self._left -= _cost(question)
        found = Outcome(question, gauged.effect)
        if not is_kept(self._goal, gauged.effect):
            found = self._without_few(question, gauged) or found
        how_far = _beyond(self._goal, found.effect)
        # of states that are as near the later one, which gives back what is not needed
        if self._nearest is None or how_far <= self._nearest[0]:
            self._nearest = how_far, self._rungs.state, found
        return found

    def _without_few(self, question: RatingQuestion, gauged: Gauged) -> Outcome | None:
        """Return the table without the few records that are left over, if it is accepted then."""
        over = gauged.sizes < self._wanted
        if self._goal.highest_risk is not None:
            over |= gauged.risk > self._goal.highest_risk
        if self._goal.records_at_risk is not None:
            over |= gauged.risk >= AT_RISK
        removed = gauged.records(over)
        if not 0 < removed <= _REMOVABLE * question.table.rows:
            return None
        kept = ~gauged.mask(over)
        self._left -= _cost(question)
        effect = self._gauge(question, kept).effect
        return Outcome(question, effect, removed, kept) if is_kept(self._goal, effect) else None

    def _step(self, found: Outcome) -> bool:
        """Coarsen or leave out a column; False if none is left to change."""
        names = self._rungs.movable
        if not names:
            return False
        if found.effect.level > (self._goal.highest_risk or found.effect.level):
            names.sort(key=lambda name: -self._tells.get(name, 0.0))
        many = min(_AT_ONCE, self._left // _cost(found.question))
        if many < 2:  # no more comparisons: the worse half goes
            for name in names[: max(1, len(names) // 2)]:
                self._leave_out(name)
            return True
        best: tuple[float, str] | None = None
        for name in names[:many]:
            lost = max(self._rungs.bits(name) - self._rungs.bits(name, 1), _LEAST)
            self._rungs.move(name, 1)
            question = self._rungs.question()
            self._left -= _cost(question)
            worth = (found.effect.total - self._gauge(question).effect.total) / lost
            self._rungs.move(name, -1)
            if best is None or worth > best[0]:
                best = worth, name
        assert best is not None
        if best[0] > 0:
            self._rungs.move(best[1], 1)
        else:  # no single step helps
            self._leave_out(best[1])
        return True

    def _leave_out(self, name: str) -> None:
        """Leave a column out; the last one becomes as coarse as it can be."""
        last = len(self._rungs.kept) == 1
        self._rungs.move(name, self._rungs.steps_left(name) - last)

    def _keep_one(self) -> bool:
        """Try each column alone; whether one reaches the policy."""
        names = sorted(self._start.known, key=lambda name: -self._rungs.bits(name))
        for name in names:
            *_, coarsest = self._rungs.alone(name)
            self._rungs.restore(coarsest)
            if is_kept(self._goal, self._rated().effect):
                return True
        return False

    # ---- what was not needed

    def _give_back(self) -> None:
        """Undo steps that turn out not to be needed, those that cost most information first."""
        open_names = set(self._rungs.changed)
        while open_names:
            name = max(sorted(open_names), key=self._gain_of_undoing)
            before = self._rungs.state
            # a rung with more values may hold less information
            if self._left < _cost(self._start) or self._gain_of_undoing(name) <= 0:
                return
            self._rungs.move(name, -1)
            if not is_kept(self._goal, self._rated().effect):
                self._rungs.restore(before)
                open_names.discard(name)
            elif name not in self._rungs.changed:
                open_names.discard(name)

    def _gain_of_undoing(self, name: str) -> float:
        return self._rungs.bits(name, -1) - self._rungs.bits(name)


def _cost(question: RatingQuestion) -> int:
    """Return how many cells are looked at to rate a table with all attackers and targets."""
    attackers = sum(decides(one, question) for one in combinations_of(question))
    return question.table.rows * attackers * (len(question.known) + 6 * len(question.targets))
