"""`singleout compare`: an original and what was made of it, measured side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singleout.cli.assess import PlanFile, ReportOut, ShowRecords, check_report, signed
from singleout.cli.shared import classes, options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.language import read_plan
from singleout.cli.shared.output import (
    Outputs,
    check_chart,
    number,
    show_table,
    tell,
    write_chart,
    write_rows,
)
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.wording import figure
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.assessment.comparison.attributes import AttributeChange
    from singleout.assessment.comparison.result import Change, Comparison

__all__ = ["compare"]

_ATTRIBUTES = 30  # shown


@takes_data
def compare(
    before: Annotated[
        str, typer.Argument(metavar="BEFORE", help="The original: a file, folder or table.")
    ],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="What was made of it.")],
    plan: PlanFile = None,
    unit: classes.Unit = None,
    output: ReportOut = None,
    show_records: ShowRecords = False,
    json: options.Json = False,
    csv: options.CsvOut = None,
    attributes: Annotated[
        Path | None,
        typer.Option(
            "--attributes", metavar="OUT.csv", help="Also write the attributes to a CSV file."
        ),
    ] = None,
    plot: options.Plot = None,
    plot_attributes: Annotated[
        Path | None,
        typer.Option(
            "--plot-attributes", metavar="OUT", help="Draw the rate of each attribute alone."
        ),
    ] = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Compare two versions of a table: what a change brought, and what it cost.

    Both are assessed under the same plan, as a whole and attribute by attribute; attributes whose
    coarsening gains nothing are named. They may have different columns and records. --output
    writes the report of AFTER, with a section that compares it with BEFORE. The policy of the plan
    is only told: the exit code is 0 also where AFTER does not meet it, and singleout assess AFTER
    is the gate.
    """
    from singleout.assessment.comparison.compare import compare as measure
    from singleout.assessment.report.content import report_of
    from singleout.report.page import write_page

    check_report(output)
    check_chart(plot_attributes)
    given = read_plan(plan)
    classes.refuse_units_of_counts(unit, reading)
    outputs = Outputs(
        json=json,
        csv=csv,
        plot=plot,
        files=[output, attributes, plot_attributes],
        force=force,
        read=[before, after, plan],
        engine=reading.engine,
    )
    with shown_if_slow():
        # what the plan says on reading is about the file that was treated, not about its copy
        first = reading.by_plan(given, before)
        reading = replace(reading, count=first.count)
        with first.open(before) as original, reading.open(after) as treated:
            result = measure(original, treated, given, unit=unit)
        result = replace(
            result,
            before=signed(result.before, before, reading),
            after=signed(result.after, after, reading),
        )
        outputs.write(
            rows=lambda: result.to_frame().to_dicts(),
            chart=result.plot,
            files={
                output: lambda part: write_page(
                    report_of(result.after, show_records=show_records, comparison=result), part
                ),
                attributes: lambda part: write_rows(
                    part,
                    result.attributes_frame().to_dicts(),
                    heads=result.attributes_frame().columns,
                ),
                plot_attributes: lambda part: write_chart(part, result.plot_attributes()),
            },
            private=[output] if show_records else [],
        )

    def for_people() -> None:
        _show(result)
        outputs.tell_written()

    outputs.show(result.to_dict, for_people)


# ---- for people


def _show(result: Comparison) -> None:
    from singleout.assessment.gate import gate_line

    for key, side in (("before", result.before), ("after", result.after)):
        facts = side.facts
        tell(
            say(
                f"screen.compare.{key}",
                source=facts.source,
                records=facts.rows,
                columns=len(facts.columns),
            )
        )
    tell(f"{result.verdict}\n")
    for key, is_cost in (("gains", False), ("costs", True)):
        rows = [_row(change) for change in result.changes if change.is_cost == is_cost]
        show_table(f"screen.compare.{key}", rows)
    _show_attributes(result)
    tell(notes=result.notes)
    policy = gate_line(result.after)
    if policy is not None:
        tell(say("screen.compare.policy", policy=policy))


def _show_attributes(result: Comparison) -> None:
    """Print the attributes, those that were changed first, and which were changed for nothing."""
    changes = sorted(result.attributes, key=lambda one: not one.degraded)
    if not changes:
        return
    show_table("screen.compare.attributes", [_attribute(one) for one in changes[:_ATTRIBUTES]])
    left = len(changes) - _ATTRIBUTES
    if left > 0:
        tell(say("screen.compare.more_attributes", n=left))
    if result.on_attributes:
        tell(f"{result.on_attributes}\n")


def _attribute(change: AttributeChange) -> list[str]:
    from singleout.assessment.rating.scales import Exposure
    from singleout.assessment.report.comparison import pays_in_words
    from singleout.methods.levels import level_names

    rates = [
        None if row is None else figure(row.rate, ".3f") for row in (change.before, change.after)
    ]
    levels = [
        _arrow([None if level is None else names[level - 1] for level in change.level(of)])
        for of, names in (
            ("inference", level_names("inference")),
            ("exploitability", level_names("exploitability")),
            ("risk", level_names("risk")),
        )
    ]
    return [
        change.attribute,
        say("screen.assess.who_it_is") if change.sensitive is None else change.sensitive,
        Exposure(change.exposure).name,
        _arrow([None if held is None else number(held) for held in change.values]),
        _arrow(rates),
        *levels,
        pays_in_words(change),
    ]


def _arrow(sides: Sequence[str | None]) -> str:
    before, after = ("–" if side is None else side for side in sides)
    return before if before == after else f"{before} → {after}"


def _row(change: Change) -> list[str]:
    return [
        change.name,
        _value(change, change.before, change.possible[0]),
        _value(change, change.after, change.possible[1]),
        _difference(change),
        _effect(change),
    ]


def _value(change: Change, value: float | None, possible: int | None) -> str:
    from singleout.assessment.comparison.result import Unit

    if value is None:
        return "–"
    if change.unit == Unit.SHARE:
        return figure(value, ".4f")
    if change.unit == Unit.LEVEL:
        from singleout.assessment.report.levels import risk_range

        return risk_range(int(value), possible or int(value))
    return number(value)


def _difference(change: Change) -> str:
    from singleout.assessment.comparison.result import Unit

    if change.change is None:
        return "–"
    if round(change.change, 9) == 0:  # a count may change where its share stays the same
        return "0"
    sign = "+" if change.change > 0 else "−"
    size = abs(change.change)
    return f"{sign}{size:.4f}" if change.unit == Unit.SHARE else f"{sign}{number(size)}"


def _effect(change: Change) -> str:
    if change.is_cost or change.effect in (None, "same"):
        return ""
    return str(change.effect)
