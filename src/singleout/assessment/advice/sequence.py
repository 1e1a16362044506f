"""A short sequence of changes that reaches the policy, found by giving up as little as possible.

Columns are made coarser step by step, or left out, where that brings most for what is lost; a few
records that are left over are taken out. Nothing is estimated: the changed table is rated like the
table itself. The work is limited by counting it, so that the same table has the same advice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from singleout.assessment.advice.coarsen import Coarser, ladder
from singleout.assessment.advice.effect import Effect, effect_and_risks
from singleout.assessment.advice.merged_values import how_exactly
from singleout.assessment.plan.parts import Policy
from singleout.assessment.rating.question import Question
from singleout.assessment.rating.records import RecordRisks
from singleout.assessment.rating.rows import Meter, sizes_of_records
from singleout.assessment.rating.scales import RISKS
from singleout.core.arrays import I64
from singleout.core.progress import working_on
from singleout.core.results import ResultPart
from singleout.core.table import Column, Table
from singleout.core.wording import percent
from singleout.kernels.grouping.group import group_records
from singleout.methods.effort import information
from singleout.report.say import say

__all__ = ["Remedy", "find_remedy"]

_REMOVABLE = 0.02  # share of the records that may be taken out
_MOST_STEPS = 40
_CELLS = 400_000_000  # records x columns that are looked at
_AT_ONCE = 6  # columns that are compared before one is chosen
_GOAL = Policy(highest_risk=2)  # where there is no policy


@dataclass(frozen=True)
class Remedy(ResultPart):
    """Changes that together reach a policy, or come nearest to it.

    Parameters
    ----------
    steps
        What to do, one sentence each, in this order.
    reached
        Whether the policy is kept after all of them.
    before, after
        The state of the table without and with them.
    loss
        The share of the information in the quasi-identifiers that is given up.
    removed
        How many records are taken out.
    table
        The columns that were rated, changed.
    """

    steps: tuple[str, ...]
    reached: bool
    before: Effect
    after: Effect
    loss: float
    removed: int
    table: Table = field(repr=False, compare=False)

    def __str__(self) -> str:
        key = "advice.reached" if self.reached else "advice.nearest"
        return say(
            key,
            n=len(self.steps),
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
            "steps": list(self.steps),
            "reached": self.reached,
            "loss": self.loss,
            "removed": self.removed,
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
        }


def _in_words(effect: Effect) -> str:
    return f"{effect.level} {RISKS[effect.level - 1]}"


def find_remedy(
    question: Question, policy: Policy, before: Effect, meter: Meter, ordinal: frozenset[str]
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
    meter
        What measures.
    ordinal
        Columns whose values have an order.
    """
    goal = policy if policy.limits else _GOAL
    if _kept(goal, before):
        return None
    working_on(say("progress.remedy"))
    return _Search(question, goal, before, meter, ordinal).run()


def _kept(goal: Policy, effect: Effect) -> bool:
    """Whether a state of the table is accepted."""
    return (
        (goal.highest_risk is None or effect.level <= goal.highest_risk)
        and (goal.k is None or effect.k >= goal.k)
        and (goal.unique_share is None or effect.unique_share <= goal.unique_share)
        and (
            goal.records_at_risk is None
            or effect.at_risk <= goal.records_at_risk * max(1, effect.records)
        )
    )


class _Search:
    """The table as it is changed, column by column."""

    def __init__(
        self,
        question: Question,
        goal: Policy,
        before: Effect,
        meter: Meter,
        ordinal: frozenset[str],
    ) -> None:
        self._start, self._goal, self._before = question, goal, before
        self._meter, self._ordinal = meter, ordinal
        self._rungs = dict.fromkeys(question.known, 0)  # 0 as it is; beyond the ladder: left out
        self._ladders: dict[str, list[Coarser]] = {}
        self._changed: dict[str, None] = {}  # in the order in which columns were changed
        self._removed = 0
        self._left = _CELLS // 2  # the other half is for lowering the risk
        # of the last state that was rated: the table, its effect and the risk of its records
        self._question, self._effect = question, before
        self._risks: RecordRisks | None = None

    def run(self) -> Remedy:
        """Make sets large enough, then bring the level down."""
        self._enlarge_sets()
        self._left += _CELLS // 2
        self._rate()
        for _ in range(_MOST_STEPS):
            if _kept(self._goal, self._effect) or self._take_out() or not self._lower_risk():
                break
        if not self._removed and _kept(self._goal, self._effect):
            self._give_back()
        return self._remedy()

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
        counted = _Counted.of(self._start.table, self._start.known)
        share = counted.small(self._wanted)
        while share > self._tolerable and self._left > 0:
            best = self._best_step(counted, share)
            if best is None:
                return
            name, share, counted = best
            self._rungs[name] += 1
            self._changed.setdefault(name)

    @property
    def _tolerable(self) -> float:
        return _REMOVABLE / 2 if self._goal.k is not None else self._goal.unique_share or 0.0

    def _best_step(self, counted: _Counted, share: float) -> tuple[str, float, _Counted] | None:
        """Return the column to coarsen next, and what is left then."""
        names = [name for name in self._rungs if self._can_step(name)]
        # most information first: it is what tells most people apart
        names.sort(key=lambda name: -self._bits(name, self._rungs[name]))
        cells = max(1, len(counted.sizes) * len(counted.codes))
        steps = sum(len(self._ladder(name)) + 1 - self._rungs[name] for name in names)
        many = self._left // (cells * max(1, steps // 2))
        found: list[tuple[float, str, float, _Counted]] = []
        for name in names[: max(1, min(_AT_ONCE, many))]:
            changed = counted.with_codes(name, self._column(name, self._rungs[name] + 1))
            self._left -= cells
            left = changed.small(self._wanted)
            lost = self._bits(name, self._rungs[name]) - self._bits(name, self._rungs[name] + 1)
            found.append(((share - left) / max(lost, 1e-9), name, left, changed))
        if not found:
            return None
        _, name, left, changed = max(found, key=lambda one: (one[0], self._bits(one[1], 0)))
        return name, left, changed

    # ---- columns

    def _ladder(self, name: str) -> list[Coarser]:
        if name not in self._ladders:
            column = self._start.table[name]
            self._ladders[name] = ladder(column, ordered=name in self._ordinal)
        return self._ladders[name]

    def _can_step(self, name: str) -> bool:
        """Whether a column can be made coarser or left out; one must stay."""
        if self._rungs[name] < len(self._ladder(name)):
            return True
        kept = [other for other in self._rungs if not self._is_out(other)]
        return not self._is_out(name) and len(kept) > 1

    def _is_out(self, name: str) -> bool:
        return self._rungs[name] > len(self._ladder(name))

    def _column(self, name: str, rung: int) -> Column | None:
        """Return a column at a rung of its ladder; None where it is left out."""
        if rung == 0:
            return self._start.table[name]
        ways = self._ladder(name)
        return ways[rung - 1].column if rung <= len(ways) else None

    def _bits(self, name: str, rung: int) -> float:
        column = self._column(name, rung)
        return 0.0 if column is None else information(column)

    def _changed_question(self) -> Question:
        question = self._start
        for name, rung in self._rungs.items():
            column = self._column(name, rung)
            if column is None:
                question = question.without(name)
            elif rung:
                question = question.with_column(column)
        return question

    # ---- the level

    def _rate(self) -> None:
        self._question = self._changed_question()
        self._effect, self._risks = effect_and_risks(self._question, self._meter)
        self._left -= self._cost

    @property
    def _cost(self) -> int:
        """What a rating looks at."""
        question = self._question
        return question.table.rows * (len(question.known) + 2 * len(question.targets))

    def _lower_risk(self) -> bool:
        """Coarsen the column that lowers the risk most for what is lost; False if none does."""
        names = [name for name in self._rungs if self._can_step(name)]
        names.sort(key=lambda name: -self._bits(name, self._rungs[name]))
        many = max(0, min(_AT_ONCE, self._left // self._cost))
        best: tuple[float, str] | None = None
        for name in names[:many]:
            self._rungs[name] += 1
            effect, _ = effect_and_risks(self._changed_question(), self._meter)
            self._rungs[name] -= 1
            self._left -= self._cost
            lost = self._bits(name, self._rungs[name]) - self._bits(name, self._rungs[name] + 1)
            gained = self._effect.total - effect.total
            if best is None or gained / max(lost, 1e-9) > best[0]:
                best = gained / max(lost, 1e-9), name
        if best is None:
            return False
        self._rungs[best[1]] += 1
        self._changed.setdefault(best[1])
        self._rate()
        return True

    def _take_out(self) -> bool:
        """Take out the few records that are left over; whether the policy is kept then."""
        assert self._risks is not None
        sizes = sizes_of_records(self._question.table, self._question.known)
        over = sizes < self._wanted
        if self._goal.highest_risk is not None:
            over |= self._risks.risk > self._goal.highest_risk
        if self._goal.records_at_risk is not None:
            over |= self._risks.at_risk_mask
        if not 0 < over.sum() <= _REMOVABLE * len(over):
            return False
        reduced = self._question.of_records(~over)
        effect, risks = effect_and_risks(reduced, self._meter)
        self._left -= self._cost
        if not _kept(self._goal, effect):
            return False
        self._removed = int(over.sum())
        self._question, self._effect, self._risks = reduced, effect, risks
        return True

    def _give_back(self) -> None:
        """Undo steps that turn out not to be needed, the last ones first."""
        for name in reversed(list(self._changed)):
            while self._rungs[name] and self._left > self._cost:
                self._rungs[name] -= 1
                question = self._changed_question()
                effect, risks = effect_and_risks(question, self._meter)
                self._left -= self._cost
                if not _kept(self._goal, effect):
                    self._rungs[name] += 1
                    break
                self._question, self._effect, self._risks = question, effect, risks

    # ---- in words

    def _remedy(self) -> Remedy:
        before = sum(self._bits(name, 0) for name in self._rungs)
        after = sum(self._bits(name, rung) for name, rung in self._rungs.items())
        return Remedy(
            tuple(self._sentences()),
            _kept(self._goal, self._effect),
            self._before,
            self._effect,
            (before - after) / before if before else 0.0,
            self._removed,
            self._question.table,
        )

    def _sentences(self) -> Iterator[str]:
        out = [name for name in self._changed if self._is_out(name)]
        for name in self._changed:
            rung = self._rungs[name]
            if not rung or name in out:
                continue
            way = self._ladder(name)[rung - 1]
            how = f"{way.how[:1].upper()}{way.how[1:]}"
            exactly = how_exactly(self._start.table[name], way.column)
            yield f"{say('advice.step', how=how, column=repr(name), exactly=exactly)}."
        if out:
            yield say("advice.leave_out", columns=", ".join(map(repr, out)), n=len(out))
        if self._removed:
            share = self._removed / self._start.table.rows
            yield say("advice.take_out", n=self._removed, share=percent(share))


@dataclass(frozen=True, eq=False)
class _Counted:
    """Different combinations of the quasi-identifiers, and how many records have each."""

    first: I64  # a record of each
    codes: dict[str, NDArray[Any]]
    levels: dict[str, int]
    sizes: I64

    @classmethod
    def of(cls, table: Table, names: Sequence[str]) -> _Counted:
        """Return the combinations of a table."""
        codes = {name: table[name].codes for name in names}
        levels = {name: table[name].levels for name in names}
        groups = group_records(list(codes.values()), list(levels.values()))
        first = groups.first.astype(np.int64)
        at_first = {name: column[first] for name, column in codes.items()}
        return cls(first, at_first, levels, groups.sizes)

    def with_codes(self, name: str, column: Column | None) -> _Counted:
        """Return the combinations where a column is coarser, or left out if it is None."""
        codes = {other: values for other, values in self.codes.items() if other != name}
        levels = {other: count for other, count in self.levels.items() if other != name}
        if column is not None:
            codes[name], levels[name] = column.codes[self.first], column.levels
        groups = group_records(list(codes.values()), list(levels.values()))
        # sums of whole numbers below 2**53 are exact
        sizes = np.bincount(groups.ids, self.sizes).astype(np.int64)
        at = groups.first
        kept = {other: values[at] for other, values in codes.items()}
        return _Counted(self.first[at], kept, levels, sizes)

    def small(self, wanted: int) -> float:
        """Return the share of the records in sets smaller than wanted."""
        return float(self.sizes[self.sizes < wanted].sum() / self.sizes.sum())
