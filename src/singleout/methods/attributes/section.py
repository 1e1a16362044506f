"""Attribute risk in an assessment: options in a plan, its part of the report."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, Any

from pydantic import Field

from singleout.core.wording import count, percent
from singleout.methods.effort import affordable, unless_too_large
from singleout.methods.method import Context, Measured, Method
from singleout.methods.options import Count
from singleout.methods.options import Part as Options
from singleout.report.content import Message, Paragraph, Part, Section
from singleout.report.say import say, term
from singleout.report.schema import COUNT, SHARE, TEXT, TEXTS, array, or_none, record
from singleout.report.words import listed, shortened, table

if TYPE_CHECKING:
    from singleout.methods.attributes.result import AttributeRisk

__all__ = ["METHOD"]

_MOST = 300_000_000  # records x combinations: about a second on two cores
_WORST = 10  # combinations in a table and in JSON


class AttributesPlan(Options):
    """How combinations of columns are compared."""

    enabled: bool = Field(default=True, description="Whether to measure them.")
    max_size: Count = Field(default=2, description="How many columns a combination has at most.")


class _Attributes(Method):
    """How far columns and their combinations tell records apart."""

    name = "attributes"
    options = AttributesPlan
    about = "How far columns and their combinations tell records apart."
    example = "{max_size: 2}"
    plan_order = 6
    report_order = 4
    schema = or_none(
        record(
            {
                "max_size": COUNT,
                "keys": array(TEXTS),
                "worst": array(
                    record({"combination": TEXT, "distinction": SHARE, "separation": SHARE})
                ),
            }
        ),
        "How far combinations of columns tell records apart; null if it was not measured.",
    )

    def measure(self, context: Context) -> Measured:
        """Compare as many columns as can be combined in reasonable time."""
        from singleout.methods.attributes.function import attribute_risk

        asked: AttributesPlan = context.options[self.name]
        if not asked.enabled:
            return Measured()
        if not context.has_groups:
            return Measured(None, (say("attributes.no_groups"),))
        size = min(asked.max_size, len(context.known))
        most = max(_MOST // context.table.rows, comb(size, size))
        names, notes = affordable(context.table, context.known, self.name, size, most=most)
        return unless_too_large(
            self.name, notes, lambda: attribute_risk(context.table, names, size)
        )

    def section(self, measured: Measured, options: Any) -> Section:
        """Return the columns that tell most, or why they were not compared."""
        if measured.result is None:
            return Section(self.name, say("attributes.title"), (self.nothing(measured, options),))
        risk: AttributeRisk = measured.result
        heads = {
            "attributes.combination": "text",
            "attributes.distinct": "number",
            "attributes.distinction": "number",
            "attributes.separation": "number",
            "attributes.unique": "number",
        }
        rows = (
            (
                shortened(listed(one.columns)),
                count(one.distinct),
                percent(one.distinction),
                percent(one.separation),
                percent(one.unique_share),
            )
            for one in risk.combinations[:_WORST]
        )
        parts: list[Part] = [
            Paragraph(say("report.sentence", text=risk)),
            table("attributes.caption", heads, rows),
        ]
        if measured.notes:
            parts.append(Message(say("report.notes"), measured.notes))
        return Section(self.name, say("attributes.title"), tuple(parts))

    def to_json(self, result: AttributeRisk) -> dict[str, Any]:
        """Return the keys and the combinations that tell most."""
        return result.to_dict(_WORST)

    def terms(self) -> tuple[tuple[str, str], ...]:
        """Return what distinction and separation are."""
        return (term("attributes.explained"),)

    def sources(self) -> tuple[str, ...]:
        """Return where it was published."""
        return (say("attributes.source"),)


METHOD = _Attributes()
