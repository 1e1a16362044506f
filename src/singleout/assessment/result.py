"""The assessment of a table: how severe, how likely, and what to do first. Sondeck and Laurent.

It holds the ratings of what could be known, the risk of every record, the verdict against a policy
and the other measures that were taken, in one object that can be looked at and written down.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from singleout.assessment.advice.action import Action, actions_frame
from singleout.assessment.advice.sequence import Remedy
from singleout.assessment.facts import TableFacts
from singleout.assessment.findings import Findings, worst_first
from singleout.assessment.plan.plan import Plan
from singleout.assessment.rating.certainty import level_reached
from singleout.assessment.rating.records import RecordRisks
from singleout.assessment.rating.rows import Row, rows_frame
from singleout.assessment.rating.scales import EXPLOITABILITIES, RISKS
from singleout.assessment.words import (
    failures_of,
    failures_of_people,
    verdict_by_certainty,
    verdict_by_paper,
)
from singleout.core.arguments import whole
from singleout.core.frame_kinds import Frame, framed
from singleout.core.language import preferring
from singleout.core.results import Result, records_not_held
from singleout.errors import UndefinedMeasure
from singleout.methods.method import Measured
from singleout.treatment.steps.models import Drop
from singleout.treatment.steps.steps import Steps

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from singleout.assessment.comparison.result import Comparison
    from singleout.assessment.hipaa.result import SafeHarbor
    from singleout.assessment.treated.treated import Treated
    from singleout.core.table import Table
    from singleout.engines.counter import Records
    from singleout.methods.anonymity.result import AnonymitySets
    from singleout.methods.qar.contribution_result import RecordContributions
    from singleout.methods.qar.exposure import RiskExposure
    from singleout.methods.qar.result import DatasetRisk
    from singleout.methods.suda.result import Suda

__all__ = ["Assessment"]

_Method = TypeVar("_Method", bound=Callable[..., Any])


def _as_planned(method: _Method) -> _Method:
    """Let a method of an assessment speak the language of its plan."""

    @wraps(method)
    def spoken(self: Assessment, *args: Any, **options: Any) -> Any:
        with preferring(self.plan.language):
            return method(self, *args, **options)

    return cast("_Method", spoken)


@dataclass(frozen=True, eq=False)
class Assessment(Result):
    """How severe and how likely disclosure is, and what to do first.

    Parameters
    ----------
    ratings
        Each combination of columns rated against each sensitive attribute.
    record_risks
        The risk of every record: with the population where one is stated, and found by name where
        a column identifies people directly.
    actions
        What to do, best first, with the effect that was measured.
    plan
        What the columns mean, how methods ran, what is accepted.
    facts
        What was assessed.
    measured
        What each method found and what is to be known about it, by the name of the method.
    remedy
        Changes that together reach the policy, or come nearest; None if it is kept already.
    guessed
        Whether the plan is a guess.
    unexplained
        Columns whose role nobody has stated.
    advised
        Whether changes were tried out that could lower the risk.
    counted
        Whether the data was counted where it is, so that there are no single records to show.
    by
        The columns of the groups.
    groups
        The records of each group assessed alone, by its value; no changes are tried out there.
    people
        The anonymity sets of people, where the plan or the question names a unit.
    notes, warnings
        What a reader should know, and what is wrong, one sentence each.
    """

    ratings: tuple[Row, ...] = field(repr=False)
    record_risks: RecordRisks = field(repr=False)
    actions: tuple[Action, ...] = field(repr=False)
    plan: Plan = field(repr=False)
    facts: TableFacts
    measured: Mapping[str, Measured] = field(repr=False)
    remedy: Remedy | None = None
    guessed: bool = False
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    unexplained: tuple[str, ...] = ()
    counted: bool = False
    advised: bool = True
    by: tuple[str, ...] = ()
    groups: Mapping[Any, Assessment] = field(default_factory=dict, repr=False)
    group_labels: Mapping[Any, str] = field(default_factory=dict, repr=False)
    people: AnonymitySets | None = field(default=None, repr=False)
    _rated: Table | None = field(default=None, repr=False)
    _compared: Table | None = field(default=None, repr=False)  # the same, also if it was counted
    _read: tuple[Any, Records] | None = field(default=None, repr=False)  # data, and what it holds
    _without_names: tuple[int, ...] = field(default=(), repr=False)
    _of_members: tuple[int, ...] | None = field(default=None, repr=False)
    _possible: tuple[int, ...] | None = field(default=None, repr=False)
    _possible_of_members: tuple[int, ...] | None = field(default=None, repr=False)

    # ---- what the methods found

    def _result(self, method: str) -> Any:
        """Return what a method found; None if there is no result."""
        return self.measured.get(method, Measured()).result

    @property
    def anonymity(self) -> AnonymitySets:
        """How many records share the values of all quasi-identifiers; people with a unit."""
        sets: AnonymitySets = self._result("anonymity")
        return sets

    @property
    def qar(self) -> DatasetRisk | None:
        """The risk of the table by QaR; None if it was not measured."""
        risk: DatasetRisk | None = self._result("qar")
        return risk

    @property
    def contributions(self) -> RecordContributions | None:
        """What each record adds to the risk of the table; None if it was not measured."""
        added: RecordContributions | None = self._result("contributions")
        return added

    @property
    def suda(self) -> Suda | None:
        """Special uniques; None if they were not searched."""
        uniques: Suda | None = self._result("suda")
        return uniques

    # ---- the answer

    @property
    def by_certainty(self) -> bool:
        """Whether records are rated by how sure an attacker can be of them."""
        return bool(self.plan.methods.rating == "certainty")

    @property
    def level(self) -> int:
        """The risk of the table, 1 (Minor) to 4 (Critical).

        The highest level that at least the tolerated share of the records reaches, or of the
        people where the plan names a unit; with the population where one is stated. In the rating
        ``paper`` the highest of all rows.
        """
        if self.by_certainty:
            return self._reached(self.record_risks.by_level)
        highest = max(row.risk for row in self.ratings)
        if not self.direct_identifiers:
            return highest
        very_easy = self.plan.matrices.risk[-1]
        return max(highest, very_easy[self.severity - 1])

    def _reached(self, by_level: tuple[int, ...]) -> int:
        return level_reached(by_level, Fraction(str(self.plan.policy.tolerated)))

    @property
    def if_member(self) -> int:
        """The risk of the table for somebody who knows that the person is in the file.

        The same as ``level`` where no population is stated.
        """
        return self.level if self._of_members is None else self._reached(self._of_members)

    @property
    def highest(self) -> int:
        """The highest risk of any record."""
        return int(self.record_risks.risk.max())

    @property
    def shares(self) -> dict[int, float]:
        """The share of the records at exactly each level of risk, or of the people."""
        by_level = self.record_risks.by_level
        return {level: held / sum(by_level) for level, held in enumerate(by_level, start=1)}

    @property
    def range(self) -> tuple[int, int]:
        """The lowest and the highest level that the columns nobody has explained leave open.

        The lowest if nobody knows them, the highest if insiders do; the same if there are none.
        """
        return self.level, self.findings.highest_level

    @property
    def range_if_member(self) -> tuple[int, int]:
        """The same for somebody who knows that the person is in the file: from ``if_member`` on."""
        return self.if_member, self.findings.highest_if_member

    @property
    def severity(self) -> int:
        """The severity of what the verdict speaks of, 1 (Negligible) to 4 (Maximum)."""
        if self.by_certainty or not self.direct_identifiers:
            return self.worst.severity
        return max(row.severity for row in self.ratings)

    @property
    def exploitability(self) -> int:
        """How easy the attack of the verdict is, 1 (Very difficult) to 4 (Very easy)."""
        return len(EXPLOITABILITIES) if self.direct_identifiers else self.worst.exploitability

    @property
    def level_name(self) -> str:
        """The risk in a word."""
        return RISKS[self.level - 1]

    @property
    def worst(self) -> Row:
        """The row that the verdict speaks of."""
        return worst_first(self.ratings)[0]

    @cached_property
    def findings(self) -> Findings:
        """What the verdict speaks of and the policy looks at."""
        return Findings(
            self.level,
            self.severity,
            self.anonymity.k,
            self.anonymity.unique_share,
            self.record_risks.by_level,
            self.facts.dropped,
            self.direct_identifiers,
            None if self._of_members is None else self.if_member,
            1 if self._possible is None else self._reached(self._possible),
            self.unexplained,
            self._reached(self._without_names) if self._without_names else self.level,
            self._reached(self._possible_of_members) if self._possible_of_members else 1,
            None if self.suda is None else self.suda.special_share,
            None if self.suda is None else self.suda.highest_dis_score,
            self.unit,
            len(self.record_risks.record),
        )

    @property
    def unit(self) -> str | None:
        """The column that tells people apart, if people are counted; None if records are."""
        owners = self.record_risks.owners
        return None if owners is None else owners.unit

    @property
    @_as_planned
    def verdict(self) -> str:
        """The risk, how it comes about and whether it is accepted, in words."""
        if self.by_certainty:
            tolerated = self.plan.policy.tolerated
            return verdict_by_certainty(self.ratings, self.findings, tolerated, self.met)
        return verdict_by_paper(self.ratings, self.findings, self.met)

    @property
    @_as_planned
    def _against_policy(self) -> tuple[bool | None, dict[str, str]]:
        met, failures = failures_of(self.plan.policy, self.findings)
        if met is None or self.people is None or self.unit is not None:
            return met, failures
        failures |= failures_of_people(self.plan.policy, self.people)
        return not failures, failures

    @property
    def met(self) -> bool | None:
        """Whether the policy of the plan is kept; None if it asks for nothing."""
        return self._against_policy[0]

    @property
    def failures(self) -> tuple[str, ...]:
        """Where the policy is not kept, one sentence each."""
        return tuple(self._against_policy[1].values())

    @property
    def broken_limits(self) -> dict[str, str]:
        """The same sentences under the names of the limits, as ``k`` or ``unique_share``."""
        return dict(self._against_policy[1])

    @property
    def direct_identifiers(self) -> tuple[str, ...]:
        """The columns of the data that identify people directly."""
        return self.facts.direct_identifiers

    # ---- what to do about it

    @property
    def steps(self) -> Steps:
        """What is advised, as steps: direct identifiers left out, then what reaches the policy."""
        names = [name for name in self.direct_identifiers if name in self.facts.columns]
        first = [Drop(drop=names)] if names else []
        return Steps.of([*first, *(self.remedy.steps if self.remedy is not None else ())])

    @framed
    def apply(self) -> Treated:
        """Return the data after the advised steps, with a log of every change."""
        from singleout.assessment.treated.treat import treat_records

        if self._read is None:
            raise records_not_held("The data")
        return treat_records(*self._read, self.steps, self.plan)

    # ---- ways to look at it

    @cached_property
    def rows(self) -> pl.DataFrame:
        """One row for each combination of columns and sensitive attribute, with its levels.

        ``kind`` is ``exposure`` (all columns of one exposure level), ``attribute`` (one column),
        ``cumulative`` (all columns of a level or easier to get) or ``named`` (as in the plan).
        """
        return rows_frame(self.ratings)

    @cached_property
    def records(self) -> pl.DataFrame:
        """One row for each record: its levels, and identity, gain and rate at its worst attacker.

        In the rating ``paper`` the discrimination rate of its values by exposure level.
        """
        if self.counted:
            raise UndefinedMeasure(
                "The data was counted where it is, so there are no single records to show; read it "
                "with so.read first, if it fits into memory, and assess that."
            )
        return self.record_risks.to_frame()

    def entries(self) -> pl.DataFrame:
        """Return every record with its values, its severity and its risk, in the order of the data.

        ``severe`` marks those whose value is of severity 3 or 4 (the paper's Table 6). There are no
        values of direct identifiers.
        """
        from singleout.assessment.report.entries import entries_frame

        return entries_frame(self, () if self._rated is None else tuple(self._rated))

    @cached_property
    @framed
    def safe_harbor(self) -> SafeHarbor | None:
        """The identifiers of HIPAA's Safe Harbor; None where the data was counted elsewhere."""
        from singleout.assessment.hipaa.function import hipaa

        return None if self._read is None else hipaa(self._read[1].table)

    def told(self, *, show_records: bool = False) -> pl.DataFrame:
        """Return the values that give someone away, the surest first.

        For each attribute and each attacker: value, records, rate, what is inferred and how severe
        that is. A sensitive number that is guessed in bands is shown in them.

        Parameters
        ----------
        show_records
            Whether values that fewer than three records have are shown; otherwise they are masked,
            and those that tell the same are taken together.
        """
        from singleout.assessment.report.told import told_by_values

        if not show_records:
            return self._told_masked
        return told_by_values(self, self._compared, show_records=True)

    @cached_property
    def _told_masked(self) -> pl.DataFrame:
        from singleout.assessment.report.told import told_by_values

        return told_by_values(self, self._compared, show_records=False)

    @property
    def exposure(self) -> RiskExposure | None:
        """What a disclosure could cost; None unless the plan says what a record costs."""
        asked = self.plan.methods.qar
        if self.qar is None or asked.cost_per_record is None:
            return None
        return self.qar.exposure(asked.cost_per_record, asked.probability)

    def regulators(self) -> pl.DataFrame:
        """Return what was found in the terms of regulators, one row for each of them.

        ``kept`` says whether a stated limit is kept, and is null where there is none.
        """
        from singleout.assessment.report.regulators import regulators_frame

        return regulators_frame(self)

    def riskiest(self, n: int = 10) -> pl.DataFrame:
        """Return the records with the highest risk, the highest first.

        Parameters
        ----------
        n
            How many records.
        """
        many = whole(n, "n", at_least=0, of="records")
        return self.records[self.record_risks.worst(many)]

    def values_of(self, records: Sequence[int]) -> list[dict[str, str]]:
        """Return what records say in the columns that were rated, never in direct identifiers.

        Parameters
        ----------
        records
            The numbers of the records in the data, from 1.
        """
        if self._rated is None:
            return [{} for _ in records]
        personal = set(self.direct_identifiers)
        columns = [column for column in self._rated if column.name not in personal]
        rows = np.searchsorted(self.record_risks.record, records).tolist()
        return [{c.name: c.label(c.value(int(c.codes[row]))) for c in columns} for row in rows]

    def actions_frame(self) -> pl.DataFrame:
        """Return what to do as a polars frame, the first to do first."""
        return actions_frame(self.actions)

    def to_frame(self) -> Frame:
        """Return the rows: the same as ``rows``."""
        return self.rows

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the single records as plain values that JSON can hold."""
        from singleout.assessment.report.plain import plain_values

        return plain_values(self)

    @cached_property
    def groups_frame(self) -> pl.DataFrame:
        """One row for each group: its records, levels, records at risk, k and unique records.

        ``possible_…`` is the level if insiders know the columns that nobody has explained.
        """
        from singleout.assessment.report.plain import group_rows
        from singleout.core.frames import pl

        return pl.DataFrame(group_rows(self))

    @_as_planned
    def report(
        self,
        path: str | os.PathLike[str],
        *,
        show_records: bool = False,
        when: datetime | None = None,
        comparison: Comparison | None = None,
    ) -> Path:
        """Write a report for people: one HTML file that needs nothing else. Return where it is.

        Parameters
        ----------
        path
            The file, whose name ends in .html; one that exists is written over.
        show_records
            Whether to show the riskiest records with their values. The file is then as sensitive
            as the data.
        when
            The time to put on the report. If not given, that of the variable SOURCE_DATE_EPOCH
            (seconds since 1970), otherwise now.
        comparison
            The comparison of a version before with this one, for a section of its own.
        """
        from singleout.assessment.report.written import write_report

        return write_report(self, path, show_records=show_records, when=when, comparison=comparison)

    def report_json(
        self, path: str | os.PathLike[str] | None = None, *, when: datetime | None = None
    ) -> dict[str, Any]:
        """Return the report for programs, as its published schema says; write it if asked to.

        Parameters
        ----------
        path
            The file to write it to, whose name ends in .json; one that exists is written over.
        when
            The time to put on the report, as for `report`.
        """
        from singleout.assessment.report.json import report_json
        from singleout.assessment.report.written import write_json

        return write_json(self, report_json(self, when), path)

    @_as_planned
    def pia(
        self, path: str | os.PathLike[str] | None = None, *, when: datetime | None = None
    ) -> dict[str, Any]:
        """Return the assessment for the PIA software of the CNIL; write it to a file if asked to.

        Parameters
        ----------
        path
            The file to write it to, whose name ends in .json; one that exists is written over.
        when
            The time to put on it, as for `report`.
        """
        from singleout.assessment.report.pia import pia_export
        from singleout.assessment.report.written import write_json

        return write_json(self, pia_export(self, when), path)

    def junit(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return each limit of the policy as a test case, in JUnit's XML; write it if asked to.

        The name of the file ends in .xml; one that exists is written over.
        """
        from singleout.assessment.report.checks import junit_text
        from singleout.assessment.report.written import XML, write_checks

        return write_checks(self, junit_text(self), path, XML)

    def sarif(self, path: str | os.PathLike[str] | None = None, *, file: str | None = None) -> str:
        """Return the limits that are not kept as SARIF 2.1.0; write it if asked to.

        Parameters
        ----------
        path
            The file to write it to, whose name ends in .sarif or .json.
        file
            The path of the data file, as those who read it know it.
        """
        from singleout.assessment.report.checks import sarif_text
        from singleout.assessment.report.written import SARIF, write_checks

        return write_checks(self, sarif_text(self, file), path, SARIF)

    @_as_planned
    def plot(self) -> alt.LayerChart | alt.FacetChart:
        """Return the picture: the risk matrix with the rows in its cells."""
        from singleout.assessment.chart import matrix_of

        return matrix_of(self)

    def __str__(self) -> str:
        return self.verdict

    @_as_planned
    def __repr__(self) -> str:
        from singleout.assessment.report.notebook import one_line

        return one_line(self)

    @_as_planned
    def _repr_html_(self) -> str:
        from singleout.assessment.report.notebook import summary_html

        return summary_html(self)
