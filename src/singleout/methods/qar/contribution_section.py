"""The contributions of records in an assessment: measured as QaR is, shown among the records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from singleout.core.wording import count, in_figures
from singleout.methods.effort import unless_too_large
from singleout.methods.method import Context, Measured, Method
from singleout.methods.options import Part as Options
from singleout.methods.qar.section import combined, why_not
from singleout.report.content import Paragraph, Part
from singleout.report.say import say
from singleout.report.schema import or_none
from singleout.report.words import figures, table

if TYPE_CHECKING:
    from singleout.methods.qar.contribution_result import RecordContributions

__all__ = ["METHOD"]

_MOST_FOR_CONTRIBUTIONS = 600_000_000  # records x combinations: about ten seconds on two cores


class ContributionsPlan(Options):
    """Whether the contribution of each record to the risk of the table is measured."""

    enabled: bool = Field(default=True, description="Whether to measure it.")


class _Contributions(Method):
    """What each record adds to the risk of the table."""

    name = "contributions"
    options = ContributionsPlan
    about = "What each record adds to the risk."
    example = "{enabled: yes}"
    plan_order = 3
    report_order = 4
    schema = or_none({"type": "object"}, "What records add to it; null if it was not measured.")

    def measure(self, context: Context) -> Measured:
        """Leave out each record in turn, with the options of QaR."""
        from singleout.methods.qar.contributions import contributions

        asked: ContributionsPlan = context.options[self.name]
        if not asked.enabled:
            return Measured()
        reason = why_not(context)
        if reason is not None:
            return Measured(None, (reason,))
        names, notes, how = combined(context, self.name, _MOST_FOR_CONTRIBUTIONS)
        return unless_too_large(
            self.name, notes, lambda: contributions(context.table, names, **how)
        )

    def spread(self, result: RecordContributions) -> list[Part]:
        """Return for how many records removing one lowers the risk, and by how much."""
        from singleout.methods.qar.contribution_chart import boxes

        key = "contributions.say" if result.lowering else "contributions.none"
        words = say(key, lowering=count(result.lowering), records=count(result.records))
        # no single record, unlike the picture of the result
        return [Paragraph(words), *figures(lambda: boxes(result), self.name)]

    def single_records(self, result: RecordContributions, most: int) -> list[Part]:
        """Return the records that add most."""
        if not result.lowering:
            return []
        heads = {
            "report.record": "number",
            "contributions.adds": "number",
            "contributions.unique_for": "text",
        }
        rows = [
            (count(row["record"]), in_figures(row["contribution"], 3), row["unique_for"])
            for row in result.top(min(most, result.lowering)).to_dicts()
        ]
        return [table("contributions.caption", heads, rows)]

    def to_json(self, result: RecordContributions) -> dict[str, Any]:
        """Return what holds of the table: no single record."""
        return result.to_dict(top=0)


METHOD = _Contributions()
