"""Columns on the rungs of their ladders: as they are, coarser and coarser, left out."""

from __future__ import annotations

from collections.abc import Iterator

from singleout.assessment.advice.coarsen import Coarser, ladder
from singleout.assessment.advice.merged_values import how_exactly
from singleout.assessment.rating.question import RatingQuestion
from singleout.core.table import Column
from singleout.core.wording import capital
from singleout.methods.effort import information
from singleout.report.say import say

__all__ = ["Rungs"]


class Rungs:
    """On which rung of its ladder each quasi-identifier is.

    Rung 0 is the column as it is; beyond the ladder it is left out.

    Parameters
    ----------
    question
        The table as it is.
    ordinal
        Columns whose values have an order.
    """

    def __init__(self, question: RatingQuestion, ordinal: frozenset[str]) -> None:
        self._start, self._ordinal = question, ordinal
        self._rung = dict.fromkeys(question.known, 0)
        self._ladders: dict[str, list[Coarser]] = {}
        self._bits: dict[tuple[str, int], float] = {}
        self._order: dict[str, None] = {}  # in which columns were changed first

    # ---- where columns are

    @property
    def state(self) -> dict[str, int]:
        """The rung of each column."""
        return dict(self._rung)

    def restore(self, state: dict[str, int]) -> None:
        """Put all columns on the rungs of a state."""
        self._rung = dict(state)

    def move(self, name: str, by: int) -> None:
        """Move a column up or down its ladder."""
        self._rung[name] += by
        self._order.setdefault(name)

    def leave_out(self, name: str) -> None:
        """Move a column beyond its ladder."""
        self.move(name, self._top(name) + 1 - self._rung[name])

    def is_out(self, name: str) -> bool:
        """Whether a column is left out."""
        return self._rung[name] > self._top(name)

    @property
    def kept(self) -> list[str]:
        """The columns that are not left out."""
        return [name for name in self._rung if not self.is_out(name)]

    @property
    def changed(self) -> list[str]:
        """The columns that are not as they were."""
        return [name for name, rung in self._rung.items() if rung]

    @property
    def movable(self) -> list[str]:
        """The columns that can be coarser or left out, most information first; one must stay."""
        kept = self.kept
        able = [name for name in kept if len(kept) > 1 or self._rung[name] < self._top(name)]
        return sorted(able, key=lambda name: -self.bits(name))

    def steps_left(self, name: str) -> int:
        """Return how many moves there are until a column is left out."""
        return self._top(name) + 1 - self._rung[name]

    def alone(self, name: str) -> Iterator[dict[str, int]]:
        """Yield the states in which nothing but one column is kept, the finest first."""
        out = {other: self._top(other) + 1 for other in self._rung}
        for rung in range(self._top(name) + 1):
            yield out | {name: rung}

    # ---- what they hold

    def bits(self, name: str, by: int = 0) -> float:
        """Return the information in a column, or in what a move would make of it."""
        key = name, self._rung[name] + by
        if key not in self._bits:
            column = self.column(name, by)
            self._bits[key] = 0.0 if column is None else information(column)
        return self._bits[key]

    @property
    def total(self) -> float:
        """The information in all columns, each by itself."""
        return sum(self.bits(name) for name in self._rung)

    def column(self, name: str, by: int = 0) -> Column | None:
        """Return a column, or what a move would make of it; None where it is left out."""
        rung = self._rung[name] + by
        if rung == 0:
            return self._start.table[name]
        ways = self._ladder(name)
        return ways[rung - 1].column if rung <= len(ways) else None

    def to_come(self) -> Iterator[Column]:
        """Yield the columns as they are, and on all rungs above: a rung may split one below it."""
        for name in self.kept:
            for by in range(self.steps_left(name)):
                column = self.column(name, by)
                assert column is not None  # it is not beyond its ladder
                yield column

    def question(self) -> RatingQuestion:
        """Return the changed table and what to rate on it."""
        question = self._start
        for name in self.changed:
            column = self.column(name)
            question = question.without(name) if column is None else question.with_column(column)
        return question

    def _top(self, name: str) -> int:
        return len(self._ladder(name))

    def _ladder(self, name: str) -> list[Coarser]:
        if name not in self._ladders:
            column = self._start.table[name]
            self._ladders[name] = ladder(column, ordered=name in self._ordinal)
        return self._ladders[name]

    # ---- in words

    def sentences(self) -> Iterator[str]:
        """Yield what to do, one sentence each."""
        changed = set(self.changed)
        order = [name for name in self._order if name in changed]
        for name in order:
            if not self.is_out(name):
                way = self._ladder(name)[self._rung[name] - 1]
                how = capital(way.how)
                exactly = how_exactly(self._start.table[name], way.column)
                step = say("advice.step", how=how, column=repr(name), exactly=exactly)
                yield say("report.sentence", text=step)
        out = [name for name in order if self.is_out(name)]
        if out:
            yield say("advice.leave_out", columns=", ".join(map(repr, out)), n=len(out))
