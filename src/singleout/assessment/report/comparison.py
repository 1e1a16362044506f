"""A comparison of two versions in a report: every measure before and after, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from singleout.core.text import in_figures
from singleout.report.content import (
    Facts,
    Message,
    Paragraph,
    Part,
    Section,
    Table,
    TableColumn,
)
from singleout.report.sentences import Sentences
from singleout.report.words import figures, listed, percent, shortened

if TYPE_CHECKING:
    from singleout.assessment.comparison.result import Change, Comparison

__all__ = ["comparison_section"]


def comparison_section(comparison: Comparison, said: Sentences) -> Section:
    """Return the measures of two versions side by side.

    Parameters
    ----------
    comparison
        The comparison, whose version after is the one that the report is about.
    said
        The words.
    """
    facts = comparison.before.facts
    versions = [
        (said.before, shortened(facts.source)),
        (said.sha256_before, facts.sha256 or said.no_file),
        (said.after, shortened(comparison.after.facts.source)),
    ]
    for title, names in (
        (said.columns_lost, comparison.columns_lost),
        (said.columns_added, comparison.columns_added),
    ):
        if names:
            versions.append((title, listed(names, said)))
    achieved = [change for change in comparison.changes if not change.is_cost]
    cost = [change for change in comparison.changes if change.is_cost]
    parts: list[Part] = [Paragraph(comparison.verdict), Facts(tuple(versions))]
    if comparison.notes:
        parts.append(Message(said.notes, comparison.notes))
    parts += [
        _table(said.comparison_caption, achieved, said),
        _table(said.cost_caption, cost, said),
    ]
    parts += figures(comparison.plot(), "comparison")
    return Section("comparison", said.comparison, tuple(parts))


def _table(caption: str, changes: Iterable[Change], said: Sentences) -> Table:
    numbers = (said.before, said.after, said.change)
    return Table(
        caption,
        (
            TableColumn(said.measure),
            *(TableColumn(title, "number") for title in numbers),
            TableColumn(said.effect),
        ),
        tuple(
            (
                shortened(change.name),
                _shown(change.before, change, said),
                _shown(change.after, change, said),
                _shown(change.change, change, said, sign="+"),
                said.effects[change.effect or ""],
            )
            for change in changes
        ),
    )


def _shown(value: float | None, change: Change, said: Sentences, sign: str = "") -> str:
    """Return a number as its unit asks for; a change with its sign."""
    if value is None:
        return said.not_said
    if sign and round(value, 9) == 0:
        return "0"
    if str(change.unit) in ("count", "level"):
        return f"{round(value):{sign},}"
    if str(change.unit) == "share":
        return said.points.format(points=f"{100 * value:+.1f}") if sign else percent(value)
    return in_figures(value, 5, sign=sign)
