"""Population uniqueness as a result: every estimate, and the one to believe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from singleout.core.choices import MissingPolicy
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.core.text import names_in_text
from singleout.core.wording import percent
from singleout.methods.groups import Grouped
from singleout.methods.population.loglinear import LogLinear
from singleout.methods.population.measure import Estimate, Estimates
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt

__all__ = ["PopulationUniqueness"]


@dataclass(frozen=True, eq=False)
class PopulationUniqueness(Grouped, Result):
    """How many people of the population are alone in what an attacker knows, from a sample.

    Parameters
    ----------
    quasi_identifiers
        The columns that an attacker knows.
    found
        The estimates, and which of them to believe.
    records
        How many records were counted; those dropped are not among them.
    people
        How many people the population has.
    sample_unique
        How many records are unique in the sample.
    population
        How the population is stated: ``size``, ``sampling_fraction``, ``weights`` or ``table``.
    missing
        What a missing value meant.
    dropped
        Records left out because a value is missing (policy ``drop``).
    by
        The columns of the groups.
    groups
        The same for the records of each group, by its value.
    notes
        What a reader should know, one sentence each.
    """

    quasi_identifiers: tuple[str, ...]
    found: Estimates = field(repr=False)
    records: int
    people: float
    sample_unique: int
    population: str | None = None
    missing: MissingPolicy = MissingPolicy.VALUE
    dropped: int = 0
    by: tuple[str, ...] = ()
    groups: Mapping[Any, PopulationUniqueness] = field(default_factory=dict, repr=False)
    group_labels: Mapping[Any, str] = field(default_factory=dict, repr=False)
    notes: tuple[str, ...] = ()

    @property
    def estimates(self) -> Mapping[str, Estimate]:
        """Every estimate by the name of its estimator."""
        return self.found.estimates

    @property
    def best(self) -> Estimate:
        """The estimate to believe; one without a share, which says why, if none applies."""
        if self.found.best is None:
            return Estimate("none", None, reasons=("none_applies",))
        return self.found.estimates[self.found.best]

    @property
    def sampling_fraction(self) -> float:
        """The share of the population that is in the sample."""
        return self.records / self.people

    @property
    def model(self) -> LogLinear | None:
        """The log-linear models that were tried, and the one chosen; None if none was fitted."""
        return self.found.model

    @property
    def model_search(self) -> list[dict[str, Any]]:
        """The log-linear models in the order of the search, with the test of each."""
        if self.model is None:
            return []
        names = self.quasi_identifiers
        return [
            {
                "pairs": [[names[a], names[b]] for a, b in step.pairs],
                "tau1": step.tau1,
                "tau2": step.tau2,
                "test": step.test,
                "chosen": step is self.model.step,
            }
            for step in self.model.search
        ]

    # ---- ways to look at it

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold; None where undefined."""
        answer: dict[str, Any] = {
            "quasi_identifiers": list(self.quasi_identifiers),
            "records": self.records,
            "dropped": self.dropped,
            "missing": str(self.missing),
            "population": self.population,
            "people": self.people,
            "sampling_fraction": self.sampling_fraction,
            "sample_unique": self.sample_unique,
            "best": self.found.best,
            "estimates": {name: one.to_dict() for name, one in self.estimates.items()},
            "model_search": self.model_search,
            "notes": list(self.notes),
        }
        return self._with_groups(answer)

    def to_frame(self) -> Frame:
        """Return a row for each estimate, and for those of each group."""
        from singleout.core.frames import pl

        rows = [
            {
                **group,
                "estimator": name,
                "share": one.share,
                "count": one.count,
                "low": one.low,
                "high": one.high,
                "converged": one.converged,
                "best": name == part.found.best,
            }
            for group, part in self._parts()
            for name, one in part.estimates.items()
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def plot(self) -> alt.LayerChart | alt.FacetChart:
        """Return the picture: every estimate with its interval."""
        from singleout.methods.population.chart import intervals

        rows = [
            {"estimator": name, "share": one.share, "low": one.low, "high": one.high}
            for name, one in self.estimates.items()
            if one.share is not None
        ]
        return intervals(rows, best=self.found.best, sample=self.sample_unique / self.records)

    def __str__(self) -> str:
        known = names_in_text(self.quasi_identifiers)
        best, sample = self.best, percent(self.sample_unique / self.records)
        if best.share is None:
            return say("population.summary_none", known=known, sample=sample)
        if best.low is None or best.high is None:
            return say(
                "population.summary_alone",
                known=known,
                sample=sample,
                share=percent(best.share),
                name=best.name,
            )
        return say(
            "population.summary",
            known=known,
            sample=sample,
            share=percent(best.share),
            low=percent(best.low),
            high=percent(best.high),
            name=best.name,
        )
