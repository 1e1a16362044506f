"""How hard a disclosure hits, in a report: Tables 4 and 5 of Sondeck and Laurent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from singleout.assessment.plan.parts import ColumnPlan
from singleout.methods.levels import level_name
from singleout.report.content import Cell, Level, Paragraph, Part, ReportTable, Section
from singleout.report.say import say
from singleout.report.words import first_of, head, shortened

if TYPE_CHECKING:
    from singleout.assessment.result import Assessment

__all__ = ["impacts_section"]

_SHOWN = 100
_IMPACTS = ("bodily", "material", "moral")


def impacts_section(assessment: Assessment) -> Iterator[Section]:
    """Yield the impacts by attribute and by value, as the plan states them; nothing if it does not.

    Only values that the plan names are shown, and none of the data besides.
    """
    stated = {
        name: column
        for name, column in assessment.plan.columns.items()
        if column.severity is not None
    }
    if not stated:
        return
    shown, below = first_of(list(stated.items()), _SHOWN)
    attributes = ReportTable(
        say("report.impacts.by_attribute"),
        (
            head("report.attribute"),
            *(head(f"report.impacts.{name}", "step") for name in _IMPACTS),
            head("report.severity", "step"),
        ),
        tuple(_attribute(name, column) for name, column in shown),
        below=below,
    )
    parts: list[Part] = [Paragraph(say("report.impacts.says")), attributes]
    parts += [_values(name, column) for name, column in stated.items() if column.values]
    yield Section("impacts", say("report.impacts.title"), tuple(parts))


def _attribute(name: str, column: ColumnPlan) -> tuple[Cell, ...]:
    levels = (column.bodily, column.material, column.moral, column.severity)
    return (shortened(name), *map(_level, levels))


def _values(name: str, column: ColumnPlan) -> ReportTable:
    shown, below = first_of(list(column.values.items()), _SHOWN)
    rows: list[tuple[Cell, ...]] = [(shortened(value), _level(level)) for value, level in shown]
    if column.impact is not None:
        rows.append((say("report.impacts.others"), _level(column.impact)))
    return ReportTable(
        say("report.impacts.by_value", column=shortened(name)),
        (head("report.impacts.value"), head("report.severity", "step")),
        tuple(rows),
        below=below,
    )


def _level(level: int | None) -> Cell:
    return say("report.not_said") if level is None else Level(level, level_name("severity", level))
