"""The result of planning a collection: the codings to ask, and the effect of each step to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.planning.policy import Policy
from singleout.report.say import say

if TYPE_CHECKING:
    import os
    from pathlib import Path

    import altair as alt

    from singleout.report.content import Report

__all__ = ["CollectionPlan", "PlanStep"]

_SAME_WORTH = 1e-9


@dataclass(frozen=True)
class PlanStep:
    """A coding made coarser, and what that buys.

    Parameters
    ----------
    attribute, before, after
        Whose coding changes, from which to which.
    unique_before, unique
        The people expected to be unique / all people, before and after the step.
    in_sets_before, in_sets
        The people expected in sets that are large enough / all people; None if the policy does not
        ask for it.
    bits_lost
        What the attribute tells less on average.
    kept
        Whether the policy is kept after it.
    """

    attribute: str
    before: str
    after: str
    unique_before: float
    unique: float
    in_sets_before: float | None
    in_sets: float | None
    bits_lost: float
    kept: bool


@dataclass(frozen=True, eq=False)
class CollectionPlan(Result):
    """The most detailed way to ask that keeps a policy.

    Parameters
    ----------
    people
        How many people answer.
    policy
        What must hold among them.
    codings
        How to ask for each attribute; ``drop`` means not to.
    unique
        The people expected to be unique / all people.
    in_sets
        The people expected in sets as large as the policy says / all people; None if it does not.
    bits
        What the attributes tell on average in these codings: the sum of their entropies.
    most_bits
        The same for the most detailed codings.
    prefer
        What made one way to ask better than another: ``bits`` or ``balance``.
    worth, bound
        What the plan is worth by that, and what no other way to ask that keeps the policy can be
        worth more than: the same if the search was finished.
    steps
        The way from the most detailed codings to the plan, the best buy first.
    distribution
        How people spread over the combinations of the answers: for further predictions.
    tried
        How many ways to ask were evaluated.
    never_drop
        The attributes that had to be asked.
    notes, warnings
        What a reader should know, and why not to rely on it: one sentence each.
    """

    people: int
    policy: Policy
    codings: Mapping[str, str]
    unique: float
    in_sets: float | None
    bits: float
    most_bits: float
    prefer: str
    worth: float
    bound: float
    steps: tuple[PlanStep, ...]
    distribution: Distribution = field(repr=False)
    tried: int = 0
    never_drop: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "codings", MappingProxyType(dict(self.codings)))

    # a mapping proxy cannot be pickled
    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "codings": dict(self.codings)}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state)
        object.__setattr__(self, "codings", MappingProxyType(state["codings"]))

    @property
    def optimal(self) -> bool:
        """Whether no other way to ask that keeps the policy is worth more."""
        return self.bound <= self.worth + _SAME_WORTH

    @property
    def unique_before(self) -> float:
        """The people expected to be unique with the most detailed codings / all people."""
        return self.steps[0].unique_before if self.steps else self.unique

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        return {
            "people": self.people,
            "policy": self.policy.to_dict(),
            "codings": dict(self.codings),
            "unique": self.unique,
            "unique_before": self.unique_before,
            "in_sets": self.in_sets,
            "bits": self.bits,
            "most_bits": self.most_bits,
            "prefer": self.prefer,
            "worth": self.worth,
            "bound": self.bound,
            "optimal": self.optimal,
            "tried": self.tried,
            "never_drop": list(self.never_drop),
            "steps": [asdict(step) for step in self.steps],
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }

    def to_frame(self) -> Frame:
        """Return the steps in order, as a polars frame."""
        from singleout.core.frames import pl

        schema = {
            "attribute": pl.String,
            "before": pl.String,
            "after": pl.String,
            "unique_before": pl.Float64,
            "unique": pl.Float64,
            "in_sets_before": pl.Float64,
            "in_sets": pl.Float64,
            "bits_lost": pl.Float64,
            "kept": pl.Boolean,
        }
        return pl.DataFrame([asdict(step) for step in self.steps], schema=schema)

    def plot(self) -> alt.LayerChart | alt.FacetChart:
        """Return the picture: how the share of the unique falls while detail is given up."""
        from singleout.predict.funnel.chart import PlanPoint, falling

        points = [PlanPoint(self.most_bits, self.unique_before, say("predict.plan.most_detailed"))]
        left = self.most_bits
        for step in self.steps:
            left -= step.bits_lost
            name = f"{step.attribute}: {step.before} → {step.after}"
            points.append(PlanPoint(left, step.unique, name))
        return falling(points, self.policy.unique, self.people)

    def report_content(self, source: str = "") -> Report:
        """Return the content of the report.

        Parameters
        ----------
        source
            What the numbers are from, for the line below the title.
        """
        from singleout.predict.funnel.page import plan_page

        return plan_page(self, source)

    def to_html(self, path: str | os.PathLike[str]) -> Path:
        """Write the report: one HTML file that fetches nothing.

        Parameters
        ----------
        path
            The file, whose name ends in ``.html``.
        """
        from singleout.report.files import HTML, checked_path, write_text
        from singleout.report.page import page

        return write_text(checked_path(path, HTML), page(self.report_content()))

    def __str__(self) -> str:
        return say(
            "predict.plan.optimal" if self.optimal else "predict.plan.unproven",
            codings=", ".join(f"{name}: {coding}" for name, coding in self.codings.items()),
            policy=self.policy,
            unique=self.unique,
            people=self.people,
            before=self.unique_before,
            bits=self.bits,
            most=self.most_bits,
        )
