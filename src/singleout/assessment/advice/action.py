"""What could be done about the risk, and what it was measured to bring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from singleout.assessment.advice.effect import Effect
from singleout.core.results import ResultPart
from singleout.core.wording import percent
from singleout.report.say import say
from singleout.treatment.steps.steps import Steps

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Action", "ActionKind", "actions_frame"]

_COMPARED = ("level", "at_risk", "rate", "unique_share", "k")


class ActionKind(StrEnum):
    """What is done."""

    REMOVE_IDENTIFIER = "remove-identifier"
    DROP = "drop"
    COARSEN = "coarsen"
    COARSEN_LEVEL = "coarsen-level"
    MERGE_VALUE = "merge-value"
    REMOVE_RECORDS = "remove-records"


@dataclass(frozen=True)
class Action(ResultPart):
    """A proposal and its measured effect.

    Parameters
    ----------
    kind
        What is done.
    what
        The same as a sentence.
    column
        The column it is done to; None if it is done to records.
    before, after
        The state of the table as it is, and as it would be, without the columns that identify
        people directly; None where nothing was measured.
    loss
        The share of the information in all quasi-identifiers, or of the records, that is given up.
    steps
        The same as steps that can be applied; see `so.treat`.
    """

    kind: ActionKind
    what: str
    column: str | None
    before: Effect | None = None
    after: Effect | None = None
    loss: float | None = None
    steps: Steps = field(default_factory=Steps, repr=False, compare=False)

    @property
    def same_level(self) -> bool:
        """Whether the level of risk was measured and stays as it is."""
        one, other = self.before, self.after
        return one is not None and other is not None and one.level == other.level

    @property
    def effect(self) -> str:
        """The effect in words."""
        if self.before is None or self.after is None:
            return say("advice.effect_of_removal")
        before, after = self.before.unique_share, self.after.unique_share
        return say(
            "advice.effect_people" if self.after.of_people else "advice.effect",
            **self._states,
            unique_before=percent(before),
            unique_after=percent(after),
        )

    @property
    def _states(self) -> dict[str, Any]:
        """Each number that is compared, before and after."""
        states = {"before": self.before, "after": self.after}
        return {
            f"{name}_{when}": None if state is None else getattr(state, name)
            for name in _COMPARED
            for when, state in states.items()
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the action as plain values that JSON can hold."""
        return {
            "kind": str(self.kind),
            "what": self.what,
            "column": self.column,
            "effect": self.effect,
            "computed": self.after is not None,
            "loss": self.loss,
            **self._states,
        }


def actions_frame(actions: Sequence[Action]) -> pl.DataFrame:
    """Return the actions as a polars frame, the first to do first."""
    from singleout.core.frames import pl

    kinds: dict[str, Any] = {
        "kind": pl.String,
        "what": pl.String,
        "column": pl.String,
        "effect": pl.String,
        "computed": pl.Boolean,
        "loss": pl.Float64,
    }
    for name in _COMPARED:
        whole = name in ("level", "at_risk", "k")
        for when in ("before", "after"):
            kinds[f"{name}_{when}"] = pl.Int64 if whole else pl.Float64
    return pl.DataFrame([action.to_dict() for action in actions], schema=kinds)
