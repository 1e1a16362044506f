"""Individual risk as a result: of the whole table, of each group, record and household."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from singleout.core.arguments import share
from singleout.core.arrays import F64
from singleout.core.choices import MissingPolicy
from singleout.core.frame_kinds import Frame
from singleout.core.results import Result, records_not_held
from singleout.core.wording import count, in_figures, percent
from singleout.errors import BadChoice
from singleout.methods.groups import Grouped
from singleout.methods.individual.measure import RiskSpread, RiskThreshold
from singleout.methods.individual.records import RiskOfRecords
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

__all__ = ["LEVELS", "IndividualRisk"]

LEVELS = (0.5, 0.2, 0.1, 0.05, 0.01, 0.001)  # risks that records are counted above


@dataclass(frozen=True, eq=False)
class IndividualRisk(Grouped, Result):
    """How likely each record is re-identified, by the model of Benedetti and Franconi.

    Parameters
    ----------
    quasi_identifiers
        The columns that somebody knows.
    weights
        The column of weights.
    spread
        The risks of classes, and how many records have each.
    missing
        What a missing value meant.
    dropped
        Records left out because a quasi-identifier is missing (policy ``drop``).
    household_column
        The column that says which records are of one household; None if there is none.
    household_spread
        The risks of households, and how many records have each; None without households.
    by
        The columns that ``groups`` are by.
    groups
        The same for the records of each group, by its value (a tuple for several columns).
    group_labels
        What values of the grouping column mean in words, for sources that say so.
    notes
        What a reader should know, one sentence each.
    """

    quasi_identifiers: tuple[str, ...]
    weights: str
    spread: RiskSpread = field(repr=False)
    missing: MissingPolicy = MissingPolicy.VALUE
    dropped: int = 0
    household_column: str | None = None
    household_spread: RiskSpread | None = field(default=None, repr=False)
    by: tuple[str, ...] = ()
    groups: Mapping[Any, IndividualRisk] = field(default_factory=dict)
    group_labels: Mapping[Any, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    _records: RiskOfRecords | None = field(default=None, repr=False)

    # ---- the whole table

    @property
    def records(self) -> int:
        """Records counted; those dropped are not among them."""
        return self.spread.total

    @cached_property
    def expected(self) -> float:
        """How many records are expected to be re-identified: the sum of all risks."""
        return self.spread.expected

    @property
    def global_risk(self) -> float:
        """Expected re-identifications / records counted: the mean of all risks."""
        return self.spread.mean

    @property
    def highest(self) -> float:
        """The highest risk of any record."""
        return self.spread.highest

    def above(self, risk: float) -> int:
        """Return how many records have a higher risk."""
        return self.spread.above(risk)

    @property
    def household_expected(self) -> float | None:
        """The sum of the household risks of all records; None without households."""
        return None if self.household_spread is None else self.household_spread.expected

    @property
    def household_global_risk(self) -> float | None:
        """The mean of the household risks of all records; None without households."""
        return None if self.household_spread is None else self.household_spread.mean

    def threshold(self, global_risk: float, *, household: bool = False) -> RiskThreshold:
        """Return the risk above which records must be treated to have a wanted global risk.

        A treated record counts with the threshold itself, which is the most that its risk may be
        then. So the global risk after the treatment is at most the wanted one.

        Parameters
        ----------
        global_risk
            The global risk that is wanted: expected re-identifications / records.
        household
            Whether it is about the risks of households instead of records.
        """
        wanted = share(global_risk, "global_risk", one=True)
        if not household:
            return self.spread.threshold(wanted)
        if self.household_spread is None:
            raise BadChoice(
                "There is no household risk; name the column of households with household= or "
                "give a column that role."
            )
        return self.household_spread.threshold(wanted)

    # ---- each record

    @property
    def _of_records(self) -> RiskOfRecords:
        if self._records is None:
            raise records_not_held("The risk of each record")
        return self._records

    @property
    def risk(self) -> F64:
        """The risk of each record; NaN for a record that was dropped."""
        return self._of_records.risk

    @property
    def household(self) -> F64 | None:
        """For each record the risk that somebody of its household is re-identified.

        NaN for a record that was dropped. None if no column says which records are of one
        household.
        """
        return None if self.household_column is None else self._of_records.household

    @property
    def matches(self) -> NDArray[np.int64]:
        """For each record how many records match it, itself included; 0 if it was dropped."""
        return self._of_records.matches

    @property
    def people(self) -> F64:
        """For each record the sum of the weights of those that match it; 0 if it was dropped."""
        return self._of_records.people

    @cached_property
    def per_record(self) -> pl.DataFrame:
        """For each record its matches, people, risk and household risk; null for one left out."""
        from singleout.core.frames import pl

        known = self._of_records
        columns: dict[str, NDArray[Any]] = {
            "matches": known.matches,
            "people": known.people,
            "risk": known.risk,
        }
        if known.household is not None:
            columns["household_risk"] = known.household
        frame = pl.DataFrame(columns)
        counted = pl.col("risk").is_not_nan()
        return frame.with_columns(pl.when(counted).then(pl.all()).name.keep())

    # ---- ways to look at it

    @property
    def name(self) -> str:
        """The quasi-identifier as it is written on the command line."""
        return "+".join(self.quasi_identifiers)

    def to_dict(self) -> dict[str, Any]:
        """Return what holds of the table and of its groups as plain values that JSON can hold."""
        answer: dict[str, Any] = {
            "quasi_identifiers": list(self.quasi_identifiers),
            "weights": self.weights,
            "missing": str(self.missing),
            "records": self.records,
            "dropped": self.dropped,
            "global_risk": self.global_risk,
            "expected": self.expected,
            "highest": self.highest,
            "above": {str(level): self.above(level) for level in LEVELS},
            "household": self._household_dict(),
            "notes": list(self.notes),
        }
        return self._with_groups(answer)

    def _household_dict(self) -> dict[str, Any] | None:
        spread = self.household_spread
        if spread is None:
            return None
        return {
            "column": self.household_column,
            "global_risk": spread.mean,
            "expected": spread.expected,
            "highest": spread.highest,
            "above": {str(level): spread.above(level) for level in LEVELS},
        }

    def to_frame(self) -> Frame:
        """Return the summary as a polars frame: one row, and one more for each group."""
        from singleout.core.frames import pl

        rows = [{"group": None, **self._row()}]
        rows += [
            {"group": self.group_name(value), **part._row()} for value, part in self.groups.items()
        ]
        frame = pl.DataFrame(rows, infer_schema_length=None)
        return frame if self.by else frame.drop("group")

    def _row(self) -> dict[str, Any]:
        row: dict[str, Any] = {
            "quasi_identifier": self.name,
            "records": self.records,
            "dropped": self.dropped,
            "global_risk": self.global_risk,
            "expected": self.expected,
            "highest": self.highest,
            **{f"above_{level}": self.above(level) for level in LEVELS},
        }
        if self.household_spread is not None:
            row["household_global_risk"] = self.household_spread.mean
            row["household_expected"] = self.household_spread.expected
        return row

    def plot(self) -> alt.VConcatChart:
        """Return the pictures: how many records have which risk, and the same of households."""
        from singleout.methods.individual.chart import risk_bars

        return risk_bars(self.spread, self.household_spread, self.name)

    def __str__(self) -> str:
        return say(
            "individual.summary",
            name=self.name,
            expected=in_figures(self.expected),
            records=count(self.records),
            share=percent(self.global_risk),
            highest=percent(self.highest),
        )
