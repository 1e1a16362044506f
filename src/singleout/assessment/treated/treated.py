"""A treated table: what is published, every change, what it brought and what it cost."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.assessment.comparison.cells import cell_changes
from singleout.assessment.comparison.changes import Change, Unit
from singleout.assessment.comparison.result import Comparison
from singleout.assessment.plan.plan import Plan
from singleout.assessment.treated.files import refuse_input
from singleout.assessment.treated.loss import measured_loss
from singleout.assessment.treated.treatment import Treatment
from singleout.core.arrays import F64, Flags
from singleout.core.choices import MissingPolicy, Role
from singleout.core.frame_kinds import Frame, framed, in_kind, kind_of
from singleout.core.results import notebook_view
from singleout.core.table import Table
from singleout.io.write.treated import Sourced, typed_frame, write_treated
from singleout.report.say import say
from singleout.treatment.steps.apply import Applied
from singleout.treatment.steps.steps import Steps

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from singleout.assessment.suggest.result import Suggestion
    from singleout.methods.anonymity.result import AnonymitySets
    from singleout.report.content import Report
    from singleout.treatment.losses import Losses

__all__ = ["Treated", "TreatedComparison"]

PlanLike = Plan | str | os.PathLike[str] | Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class TreatedComparison(Comparison):
    """Every measure before and after a treatment, its loss among them.

    Parameters
    ----------
    loss
        The arithmetic loss of the columns that others can know; None if none of them is left.
    """

    loss: float | None = None

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """All measures: first what was achieved, then what it cost."""
        measured = Comparison.changes.func(self)  # type: ignore[attr-defined]
        if self.loss is None:
            return tuple(measured)
        name = say("treated.loss")
        return (*measured, Change("loss", name, Unit.SHARE, 0.0, self.loss, is_cost=True))


@dataclass(frozen=True, eq=False, repr=False)
class Treated(Treatment):
    """What steps have made of a table; the table itself is as it was.

    Parameters
    ----------
    steps
        What was done.
    original
        The table as it was read.
    applied
        What was published, with the log and what values cover.
    plan
        What the columns mean, where it was given.
    source
        The file that the table was read from; None if it was none.
    """

    steps: Steps
    original: Table
    applied: Applied
    plan: Plan | None = None
    source: Sourced | None = None
    _read: Any = None

    # ---- what was done

    @property
    def table(self) -> Table:
        """The published table."""
        return self.applied.table

    @property
    def log(self) -> pl.DataFrame:
        """Every change: step (from 1), column, from, to, records."""
        return self.applied.log

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know, one sentence each."""
        return self.applied.notes

    @property
    def removed(self) -> int:
        """How many records are no longer there."""
        return self.original.rows - self.table.rows

    @property
    def columns_lost(self) -> tuple[str, ...]:
        """The columns that are no longer there."""
        left = set(self.table.columns)
        return tuple(name for name in self.original.columns if name not in left)

    @property
    def counted(self) -> tuple[str, ...]:
        """The columns whose loss counts: what others can know, or else what steps have changed."""
        if self.plan is not None and self.plan.quasi_identifiers:
            wanted: tuple[str, ...] = self.plan.quasi_identifiers
        else:
            wanted = self.original.quasi_identifiers or self._changed
        return tuple(name for name in wanted if name in set(self.original.columns))

    @property
    def known(self) -> tuple[str, ...]:
        """Those of them that are still there."""
        return tuple(name for name in self.counted if name in set(self.table.columns))

    @property
    def _changed(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for one in self.steps for name in one.columns_changed))

    # ---- what it cost and brought

    @cached_property
    @framed
    def loss(self) -> Losses | None:
        """All measures of loss, of the columns that count; None if there are none."""
        return measured_loss(self)

    def shares(self, name: str) -> F64:
        """Return for each published record the share of a column's values that its value covers.

        Parameters
        ----------
        name
            The column.
        """
        return self.applied.shares_of_records(self.original, name, self._suppressed)

    @cached_property
    def _suppressed(self) -> Flags:
        """The published records that say nothing any more in the columns that count."""
        return self.applied.suppressed(self.original, self.counted)

    @property
    def anonymity(self) -> tuple[AnonymitySets | None, AnonymitySets | None]:
        """How many records share their values in the columns that count, before and after.

        A blank cell is a value of its own. None where no such column is there.
        """
        from singleout.methods.anonymity.function import anonymity_sets

        before, after = (
            anonymity_sets(table, columns, missing=MissingPolicy.VALUE) if columns else None
            for table, columns in ((self.original, self.counted), (self.table, self.known))
        )
        return before, after

    @framed
    def compare(self, plan: PlanLike | None = None) -> TreatedComparison:
        """Return every measure before and after.

        Parameters
        ----------
        plan
            What the columns mean, as for `assess`. If not given, that of the treatment, or else the
            roles of the table; where it has none, they are guessed from the original.
        """
        from singleout.assessment.comparison.compare import compare

        found = compare(self.original, self.table, self._plan(plan))
        cells = cell_changes(self.original.take(self.applied.rows), self.table)
        loss = self.loss
        return TreatedComparison(
            found.before,
            found.after,
            cells,
            found.notes,
            found.attributes,
            loss=None if loss is None else loss.loss,
        )

    def _plan(self, given: PlanLike | None) -> Plan | None:
        if given is not None:
            return Plan.of(given)
        if self.plan is not None:
            return self.plan
        if not self.original.quasi_identifiers:
            return None
        with_role = [column for column in self.original if column.role != Role.OTHER]
        roles = {column.name: {"role": str(column.role)} for column in with_role}
        return Plan.of({"columns": roles, "missing": str(self.original.missing)})

    def report(
        self,
        path: str | os.PathLike[str],
        plan: PlanLike | None = None,
        *,
        suggestion: Suggestion | None = None,
        show_records: bool = False,
        when: datetime | None = None,
    ) -> Path:
        """Write a report on the treated table, with a section on what the treatment did.

        Parameters
        ----------
        path
            The file, whose name ends in .html; one that exists is written over.
        plan
            What the columns mean, as for `compare`.
        suggestion
            The suggestion that the treatment follows, for its frontier.
        show_records
            Whether to show the riskiest records with their values.
        when
            The time to put on the report, as for `Assessment.report`.
        """
        from singleout.report.files import HTML, checked_path, write_text
        from singleout.report.page import page

        file = checked_path(path, HTML)
        refuse_input(file, self._read)
        content = self.report_content(
            plan, suggestion=suggestion, show_records=show_records, when=when
        )
        return write_text(file, page(content), private=show_records)

    def report_content(
        self,
        plan: PlanLike | None = None,
        *,
        suggestion: Suggestion | None = None,
        show_records: bool = False,
        when: datetime | None = None,
    ) -> Report:
        """Return what the report on the treated table holds; see `report`."""
        from singleout.assessment.report.content import report_of
        from singleout.assessment.report.treatment import treatment_section

        found = self.compare(plan)
        return report_of(
            found.after,
            show_records=show_records,
            when=when,
            comparison=found,
            treatment=treatment_section(self, found, suggestion),
        )

    # ---- how it leaves

    def to_frame(self) -> Frame:
        """Return the published data, with the types of the source where values have not changed."""
        from singleout.core.frames import pl
        from singleout.io.write.table import column_series, source_extension

        if self.source is not None and source_extension(self.source.path) in (".parquet", ".pq"):
            frame = typed_frame(self.table, self.source)
        else:
            frame = pl.DataFrame([column_series(column) for column in self.table])
        return in_kind(frame, kind_of(self))

    def write(self, path: str | os.PathLike[str], force: bool = False) -> Path:
        """Write the published data to a file, in the format of its extension.

        What no step changed is written as the source has it: labels, formats and declared missing
        values of SPSS and Stata, the delimiter of a text file, types of a Parquet file. In columns
        that a step names or that others can know, all kinds of missing become one.

        Parameters
        ----------
        path
            The file.
        force
            Whether a file that exists is written over; never the one that was read.
        """
        from singleout.core.output_files import write_safely
        from singleout.io.write.table import check_writable

        to = Path(path)
        check_writable(to.name)
        refuse_input(to, self._read)
        write_safely(
            to,
            lambda part: write_treated(self.table, part, target=to.name, source=self.source),
            force=force,
            private=True,
        )
        return to

    def _values(self) -> dict[str, Any]:
        loss = self.loss
        return {
            "source": self.original.source,
            "records": {"before": self.original.rows, "after": self.table.rows},
            "columns": {"before": list(self.original.columns), "after": list(self.table.columns)},
            "steps": self.steps.outline(),
            "sentences": list(self.sentences),
            "changed": self.summary["records"].to_list(),
            "loss": None if loss is None else loss.to_dict(),
            "notes": list(self.notes),
        }

    @property
    def summary(self) -> pl.DataFrame:
        """One row for each step: what it did, and how many cells or records it changed."""
        from singleout.core.frames import pl

        changed = dict(self.log.group_by("step").agg(pl.col("records").sum()).iter_rows())
        numbers = range(1, len(self.steps) + 1)
        return pl.DataFrame(
            {
                "step": list(numbers),
                "what": list(self.sentences),
                "records": [int(changed.get(number, 0)) for number in numbers],
            },
            schema={"step": pl.Int64, "what": pl.String, "records": pl.Int64},
        )

    def plot(self) -> alt.Chart:
        """Return the picture: how many records share their values, before and after."""
        from singleout.assessment.treated.chart import class_sizes

        return class_sizes(self.original, self.table, self.known or self.table.columns)

    def __str__(self) -> str:
        return say(
            "treated.summary",
            source=self.original.source,
            n=len(self.steps),
            before=self.original.rows,
            after=self.table.rows,
            columns_before=len(self.original.columns),
            columns_after=len(self.table.columns),
        )

    def _repr_html_(self) -> str:
        return notebook_view(self, str(self), self.summary)
