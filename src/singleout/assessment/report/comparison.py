"""A comparison of two versions in a report: every measure before and after, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from singleout.assessment.report.levels import risk_range
from singleout.core.wording import in_figures, percent
from singleout.report.content import (
    Facts,
    Message,
    Paragraph,
    Part,
    ReportTable,
    Section,
)
from singleout.report.say import say
from singleout.report.words import figures, head, listed, shortened

if TYPE_CHECKING:
    from singleout.assessment.comparison.result import Change, Comparison

__all__ = ["comparison_section"]


def comparison_section(comparison: Comparison) -> Section:
    """Return the measures of two versions side by side; the report is about the version after."""
    facts = comparison.before.facts
    versions = [
        (say("report.before"), shortened(facts.source)),
        (say("report.sha256_before"), facts.sha256 or say("report.no_file")),
        (say("report.after"), shortened(comparison.after.facts.source)),
    ]
    for title, names in (
        (say("report.columns_lost"), comparison.columns_lost),
        (say("report.columns_added"), comparison.columns_added),
    ):
        if names:
            versions.append((title, listed(names)))
    achieved = [change for change in comparison.changes if not change.is_cost]
    cost = [change for change in comparison.changes if change.is_cost]
    parts: list[Part] = [Paragraph(comparison.verdict), Facts(tuple(versions))]
    if comparison.notes:
        parts.append(Message(say("report.notes"), comparison.notes))
    parts += [
        _table(say("report.comparison_caption"), achieved),
        _table(say("report.cost_caption"), cost),
    ]
    parts += figures(comparison.plot(), "comparison")
    return Section("comparison", say("report.comparison"), tuple(parts))


def _table(caption: str, changes: Iterable[Change]) -> ReportTable:
    numbers = ("report.before", "report.after", "report.change")
    return ReportTable(
        caption,
        (
            head("report.measure"),
            *(head(key, "number") for key in numbers),
            head("report.effect"),
        ),
        tuple(
            (
                shortened(change.name),
                _shown(change.before, change, possible=change.possible[0]),
                _shown(change.after, change, possible=change.possible[1]),
                _shown(change.change, change, sign="+"),
                say(f"report.effects.{change.effect or 'none'}"),
            )
            for change in changes
        ),
    )


def _shown(value: float | None, change: Change, sign: str = "", possible: int | None = None) -> str:
    """Return a number as its unit asks for; a change with its sign."""
    if value is None:
        return say("report.not_said")
    if sign and round(value, 9) == 0:
        return "0"
    if str(change.unit) == "level":
        level = round(value)
        return _levels(level) if sign else risk_range(level, possible or level)
    if str(change.unit) == "count":
        return f"{round(value):{sign},}"
    if str(change.unit) == "share":
        return say("report.points", points=f"{100 * value:+.1f}") if sign else percent(value)
    return in_figures(value, 5, sign=sign)


def _levels(change: int) -> str:
    """Return by how many levels the risk rises or falls."""
    return say("report.levels_higher" if change > 0 else "report.levels_lower", n=abs(change))
