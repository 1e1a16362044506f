"""Risks by attacker as a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.core.choices import MissingPolicy
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result, records_not_held
from singleout.core.text import names_in_text
from singleout.core.wording import percent
from singleout.methods.attackers.measure import Attacker, above, attackers_of
from singleout.methods.groups import Grouped
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

__all__ = ["AttackerRisk", "ClassSizes"]

_THRESHOLDS = 201  # of a curve


@dataclass(frozen=True, eq=False)
class ClassSizes:
    """The classes that attackers meet; each array has an entry for each class."""

    records: I64  # none where all people of a class are found by a rarer one of theirs
    matches: I64  # f: records that match
    people: F64 | None  # F: people of the population that match; None if nothing is stated


@dataclass(frozen=True, eq=False)
class AttackerRisk(Grouped, Result):
    """How likely three attackers are to find the right person for a record.

    Parameters
    ----------
    quasi_identifiers
        The columns that an attacker knows.
    classes
        How many records, and people of the population, share the values of each class.
    threshold
        A record is at risk if the chance to find its person is above this.
    population
        How the population is stated: ``size``, ``sampling_fraction``, ``weights`` or ``table``;
        None if nothing is stated, so that the three attackers have the same chances.
    missing
        What a missing value meant.
    dropped
        Records left out because a value is missing (policy ``drop``).
    by
        The columns of the groups.
    groups
        The same for the records of each group, by its value.
    unit
        The column that says which records are of one person, where people are counted in place of
        records; None if records are.
    notes
        What a reader should know, one sentence each.
    """

    quasi_identifiers: tuple[str, ...]
    classes: ClassSizes = field(repr=False)
    threshold: float = 0.2
    population: str | None = None
    missing: MissingPolicy = MissingPolicy.VALUE
    dropped: int = 0
    by: tuple[str, ...] = ()
    groups: Mapping[Any, AttackerRisk] = field(default_factory=dict, repr=False)
    group_labels: Mapping[Any, str] = field(default_factory=dict, repr=False)
    unit: str | None = None
    notes: tuple[str, ...] = ()
    _per_row: Callable[[F64], F64] | None = field(default=None, repr=False)

    @cached_property
    def _attackers(self) -> tuple[Attacker, Attacker, Attacker]:
        sizes = self.classes
        return attackers_of(sizes.records, sizes.matches, self._people, self.threshold)

    @cached_property
    def _people(self) -> F64:
        """F of each class; without a population those in the file."""
        people = self.classes.people
        return self.classes.matches.astype(np.float64) if people is None else people

    @property
    def prosecutor(self) -> Attacker:
        """Somebody who knows that the person is in the file."""
        return self._attackers[0]

    @property
    def journalist(self) -> Attacker:
        """Somebody who does not know whether the person is in the file."""
        return self._attackers[1]

    @property
    def marketer(self) -> Attacker:
        """Somebody who wants to match as many records as possible; some may be wrong."""
        return self._attackers[2]

    @property
    def records(self) -> int:
        """How many records were counted, or people; those dropped are not among them."""
        return int(self.classes.records.sum())

    @cached_property
    def per_record(self) -> pl.DataFrame:
        """For each record its risk from a prosecutor and a journalist; null for one left out."""
        from singleout.core.frames import pl

        if self._per_row is None:
            raise records_not_held("The risk of each record")
        risks = {
            "prosecutor": self._per_row(1 / self.classes.matches),
            "journalist": self._per_row(1 / self._people),
        }
        return pl.DataFrame(risks, nan_to_null=True)

    # ---- ways to look at it

    @property
    def attackers(self) -> dict[str, Attacker]:
        """The three by their names."""
        return dict(zip(("prosecutor", "journalist", "marketer"), self._attackers, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold; None where undefined."""
        answer: dict[str, Any] = {
            "quasi_identifiers": list(self.quasi_identifiers),
            "records": self.records,
            "dropped": self.dropped,
            "missing": str(self.missing),
            "unit": self.unit,
            "classes": len(self.classes.records),
            "threshold": self.threshold,
            "population": self.population,
            **{name: asdict(attacker) for name, attacker in self.attackers.items()},
            "notes": list(self.notes),
        }
        return self._with_groups(answer)

    def to_frame(self) -> Frame:
        """Return a row for each attacker, and for those of each group."""
        from singleout.core.frames import pl

        rows = [
            {**group, "attacker": name, **asdict(attacker)}
            for group, part in self._parts()
            for name, attacker in part.attackers.items()
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def plot(self) -> alt.LayerChart | alt.FacetChart:
        """Return the picture: which share of the records has a risk above each threshold."""
        from singleout.methods.attackers.chart import risk_curves

        thresholds = np.linspace(0, 1, _THRESHOLDS)
        sizes = self.classes
        curves = {"prosecutor": above(sizes.records, sizes.matches, thresholds)}
        if sizes.people is not None:
            curves["journalist"] = above(sizes.records, sizes.people, thresholds)
        return risk_curves(
            {name: curve.tolist() for name, curve in curves.items()},
            thresholds.tolist(),
            threshold=self.threshold,
        )

    def __str__(self) -> str:
        key = "attackers.summary" if self.population else "attackers.summary_alone"
        return say(
            key if self.unit is None else f"{key}_people",
            known=names_in_text(self.quasi_identifiers),
            prosecutor=percent(self.prosecutor.at_risk or 0.0),
            journalist=percent(self.journalist.at_risk or 0.0),
            marketer=percent(self.marketer.success),
            threshold=percent(self.threshold),
        )
