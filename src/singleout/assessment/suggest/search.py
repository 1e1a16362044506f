"""The search for the treatment that meets a goal with the least loss.

A treatment is strengthened by what it fails at: the level of the verdict by diluting sensitive
values more, everything else by larger classes. Classes grow by doubling and are then narrowed down,
so that they are no larger than needed. Every treatment that was tried is a point of the frontier.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from singleout.assessment.suggest.dilution import Dilution
from singleout.assessment.suggest.goal import BY_RATING, Goal
from singleout.assessment.suggest.state import Measuring, State
from singleout.core.progress import stop_asked, working_on
from singleout.core.results import ResultPart
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.treatment.steps.apply import Applied
    from singleout.treatment.steps.steps import Steps

__all__ = ["Search", "Treatment", "Trial", "Way"]

_NARROWED = 4  # how often the size of classes is narrowed down
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Treatment:
    """Steps, the table that they make, and what they cost."""

    steps: Steps
    applied: Applied = field(repr=False)
    loss: float
    by_column: dict[str, float]
    suppressed: int
    blanked: float = 0.0  # cells of the quasi-identifiers that are blank now / all
    levels: dict[str, int] = field(default_factory=dict)
    complete: bool = True  # whether nothing better was left out for want of time
    checked: int = 0  # nodes of the lattice that were looked at
    interrupted: bool = False  # whether somebody did not want to wait


class Way(Protocol):
    """A way to treat a table: local recoding, or a level for each column."""

    def __call__(self, k: int, dilution: Dilution) -> Treatment:
        """Return the treatment whose classes have k records and keep the dilution."""

    def everything(self) -> Treatment:
        """Return the strongest treatment there is."""

    def nothing(self) -> Treatment:
        """Return the treatment that leaves the quasi-identifiers as they are."""

    def treated(self, steps: Steps) -> Treatment:
        """Return what steps make of the table."""

    def loss_after(self, before: Applied, after: Applied) -> float:
        """Return the loss after more steps, applied to what some have made of the table."""


@dataclass(frozen=True, eq=False)
class Trial(ResultPart):
    """A treatment that was tried out, and the state of the table after it."""

    k: int
    dilution: int  # its number, from the weakest
    treatment: Treatment = field(repr=False)
    state: State
    unmet: dict[str, float]

    @property
    def kept(self) -> bool:
        """Whether the goal is met."""
        return not self.unmet

    def kind(self, best: Trial) -> str:
        """Return what the trial is beside the best one: suggested, met or not_met."""
        return "suggested" if self is best else "met" if self.kept else "not_met"

    @property
    def rank(self) -> tuple[float, ...]:
        """What tells the better of two trials: what is not met, then the loss; the lower."""
        return len(self.unmet), sum(self.unmet.values()), self.treatment.loss

    def to_dict(self) -> dict[str, Any]:
        """Return the trial as plain values that JSON can hold."""
        return {
            "classes_of": self.k,
            "dilution": self.dilution,
            "loss": self.treatment.loss,
            "suppressed": self.treatment.suppressed,
            **self.state.to_dict(),
            "met": self.kept,
        }


@dataclass(eq=False)
class Search:
    """Tries treatments out until one meets the goal.

    Parameters
    ----------
    goal
        What must be kept.
    dilutions
        What classes may have to keep, the weakest demand first.
    way
        How the table is treated.
    measuring
        What measures treated tables.
    before
        The state of the table as it is.
    records
        How many records there are.
    max_suppressed
        The share of them that may be suppressed.
    max_cells
        The share of the cells of the quasi-identifiers that may be blanked.
    """

    goal: Goal
    dilutions: list[Dilution]
    way: Way
    measuring: Measuring
    before: State
    records: int
    max_suppressed: float = 0.0
    max_cells: float = 1.0
    trials: dict[tuple[int, int], Trial] = field(default_factory=dict)
    stopped: bool = False

    def run(self) -> Trial:
        """Return the trial that meets the goal with the least loss, or the nearest one.

        If somebody interrupts it, the best so far; nothing is lost but time.
        """
        try:
            self._strengthen()
        except KeyboardInterrupt:
            if not self.trials:
                raise
            self.stopped = True
        return min(self.trials.values(), key=lambda trial: trial.rank)

    def tried(self, k: int, dilution: int) -> Trial:
        """Return what a treatment does, measured once."""
        key = k, dilution
        if key not in self.trials:
            if self.trials and stop_asked():
                raise KeyboardInterrupt
            working_on(say("progress.suggest", k=k, n=len(self.trials) + 1))
            treatment = self.way(k, self.dilutions[dilution])
            self.trials[key] = self._trial(*key, treatment)
            if treatment.interrupted:
                raise KeyboardInterrupt
        return self.trials[key]

    def _trial(self, k: int, dilution: int, treatment: Treatment) -> Trial:
        state = self.measuring(treatment.applied.table, treatment.applied.rows)
        unmet = self.goal.beyond(state)
        over = treatment.suppressed / self.records - self.max_suppressed
        if over > _ROUNDING:
            unmet["suppressed"] = over
        if treatment.blanked > self.max_cells + _ROUNDING:
            unmet["cells"] = treatment.blanked - self.max_cells
        return Trial(k, dilution, treatment, state, unmet)

    def _strengthen(self) -> None:
        if not self.goal.beyond(self.before):
            self._as_it_is()
            return
        k, dilution, failed = self.goal.least_k, 0, 0
        while True:
            k = min(max(k, self.dilutions[dilution].k), self.records)
            trial = self.tried(k, dilution)
            if trial.kept:
                self._narrow(failed or self.goal.least_k - 1, k, dilution)
                return
            if set(trial.unmet) & BY_RATING and dilution + 1 < len(self.dilutions):
                dilution += 1
            elif 2 * k <= self.records:
                failed, k = k, 2 * k
            else:
                break
        self.trials[self.records, dilution] = self._trial(
            self.records, dilution, self.way.everything()
        )
        self._as_it_is()  # what cannot be reached may be no nearer after any treatment

    def _as_it_is(self) -> None:
        treatment = self.way.nothing()
        self.trials[1, 0] = Trial(1, 0, treatment, self.before, self.goal.beyond(self.before))

    def _narrow(self, failed: int, kept: int, dilution: int) -> None:
        """Find smaller classes that meet the goal, between some that fail and some that do."""
        for _ in range(_NARROWED):
            middle = (failed + kept) // 2
            if middle in (failed, kept):
                return
            if self.tried(middle, dilution).kept:
                kept = middle
            else:
                failed = middle

    def widened(self, sizes: Iterable[int]) -> Iterator[Trial]:
        """Yield trials of other sizes of classes as well, for a frontier."""
        best = min(self.trials.values(), key=lambda trial: trial.rank)
        for k in sizes:
            if k <= self.records:
                yield self.tried(k, best.dilution)
