"""What Safe Harbor asks to remove, as a result: a finding for each column and identifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.methods.groups import Grouped
from singleout.report.say import in_a_row, say

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Finding", "SafeHarbor"]


@dataclass(frozen=True)
class Finding:
    """An identifier of Safe Harbor that a column seems to hold; it has no value of the column.

    Parameters
    ----------
    identifier
        The paragraph of 45 CFR 164.514(b)(2)(i): ``A`` to ``R``.
    column
        The name of the column.
    evidence
        What speaks for it: ``name``, ``pattern``, ``check digits``, ``text`` (it occurs within the
        values), ``list`` (of towns, months, ZIP areas), ``values`` (ages, years), ``unique``
        (almost every record has its own value) and ``role`` (somebody declared it).
    reason
        The same in words.
    records
        How many of the examined records hold it; of a column with very many values a sample is
        examined.
    share
        These records / examined records that have a value in the column.
    declared
        Whether the role of the column is direct identifier, so that it is known already.
    """

    identifier: str
    column: str
    evidence: tuple[str, ...]
    reason: str
    records: int
    share: float
    declared: bool = False

    @property
    def title(self) -> str:
        """What the identifier is: ``Telephone numbers``."""
        return say(f"hipaa.identifiers.{self.identifier}")


@dataclass(frozen=True)
class SafeHarbor(Grouped, Result):
    """The identifiers of HIPAA's Safe Harbor that were recognised in data.

    Parameters
    ----------
    findings
        What was found, in the order of the paragraphs, then of the columns.
    columns
        The columns that were examined.
    records
        How many records there are.
    notes
        What a reader should know, one sentence each.
    by
        The columns of the groups.
    groups
        The same for the records of each group, by its value.
    """

    findings: tuple[Finding, ...]
    columns: tuple[str, ...]
    records: int
    notes: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    groups: Mapping[Any, SafeHarbor] = field(default_factory=dict, repr=False)
    group_labels: Mapping[Any, str] = field(default_factory=dict, repr=False)

    @property
    def clean(self) -> bool:
        """Whether none of the identifiers was recognised."""
        return not self.findings

    @property
    def identifiers(self) -> tuple[str, ...]:
        """The paragraphs of the identifiers that were found: ``('A', 'C')``."""
        return tuple(dict.fromkeys(finding.identifier for finding in self.findings))

    @property
    def undeclared(self) -> tuple[Finding, ...]:
        """The findings in columns that nobody declared to be direct identifiers."""
        return tuple(finding for finding in self.findings if not finding.declared)

    def of(self, column: str) -> tuple[Finding, ...]:
        """Return what was found in a column.

        Parameters
        ----------
        column
            The name of the column.
        """
        return tuple(finding for finding in self.findings if finding.column == column)

    # ---- ways to look at it

    def to_frame(self) -> Frame:
        """Return a row for each finding, and for those of each group."""
        from singleout.core.frames import pl

        kinds = {"records": pl.Int64, "share": pl.Float64, "declared": pl.Boolean}
        names = (
            *(("group",) if self.by else ()),
            "identifier",
            "title",
            "column",
            "evidence",
            "reason",
            *kinds,
        )
        rows = [
            _row(finding) | group | {"evidence": ", ".join(finding.evidence)}
            for group, part in self._parts()
            for finding in part.findings
        ]
        return pl.DataFrame(
            [[row[name] for name in names] for row in rows],
            schema={name: kinds.get(name, pl.String) for name in names},
            orient="row",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the findings as plain values that JSON can hold."""
        answer: dict[str, Any] = {
            "clean": self.clean,
            "records": self.records,
            "columns": list(self.columns),
            "identifiers": list(self.identifiers),
            "findings": [_row(finding) for finding in self.findings],
            "notes": list(self.notes),
        }
        return self._with_groups(answer)

    def plot(self) -> alt.Chart | alt.FacetChart:
        """Return the picture: which share of the records each finding is about."""
        from singleout.assessment.hipaa.chart import finding_bars

        return finding_bars([_row(finding) for finding in self.findings])

    def __str__(self) -> str:
        if self.clean:
            return say("hipaa.clean", n=len(self.columns))
        columns = {finding.column for finding in self.findings}
        titles = in_a_row(
            f"{letter} {say(f'hipaa.identifiers.{letter}')}" for letter in self.identifiers
        )
        return say("hipaa.found", n=len(self.identifiers), columns=len(columns), titles=titles)


def _row(finding: Finding) -> dict[str, Any]:
    return {
        "identifier": finding.identifier,
        "title": finding.title,
        "column": finding.column,
        "evidence": list(finding.evidence),
        "reason": finding.reason,
        "records": finding.records,
        "share": finding.share,
        "declared": finding.declared,
    }
