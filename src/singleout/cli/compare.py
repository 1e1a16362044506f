"""`singleout compare`: an original and what was made of it, measured side by side."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli import options
from singleout.cli.assess import PlanFile, ReportOut, ShowRecords, check_report, signed
from singleout.cli.assess_screen import show_outputs
from singleout.cli.data import Reading, takes_data
from singleout.cli.output import (
    check_chart,
    check_free,
    number,
    print_json,
    print_table,
    screen,
    write_chart,
    write_rows,
)
from singleout.cli.progress import shown_if_slow
from singleout.core.output_files import write_together
from singleout.core.progress import working_on
from singleout.core.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from singleout.assessment.comparison.result import Change, Comparison

__all__ = ["compare"]


@takes_data
def compare(
    before: Annotated[
        str, typer.Argument(metavar="BEFORE", help="The original: a file, folder or table.")
    ],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="What was made of it.")],
    plan: PlanFile = None,
    output: ReportOut = None,
    show_records: ShowRecords = False,
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Compare two versions of a table: what a change brought, and what it cost.

    Both are assessed under the same plan. They may have different columns and records. --output
    writes the report of AFTER, with a section that compares it with BEFORE. The policy of the plan
    is only told: the exit code is 0 also where AFTER does not meet it, and singleout assess AFTER
    is the gate.
    """
    from singleout.assessment.comparison.compare import compare as measure

    check_report(output)
    check_chart(plot)
    outputs = [output, csv, plot]
    check_free(outputs, force=force, read=[before, after, plan], engine=reading.engine)
    with shown_if_slow():
        tables = [reading.table(source) for source in (before, after)]
        found = measure(tables[0], tables[1], plan)
        found = replace(
            found,
            before=signed(found.before, before, reading),
            after=signed(found.after, after, reading),
        )
        _write(found, output, csv, plot, show_records=show_records, force=force)
    if json:
        print_json(found.to_dict())
    else:
        _show(found)
        show_outputs(output, csv, plot)


def _write(
    found: Comparison,
    output: Path | None,
    csv: Path | None,
    plot: Path | None,
    *,
    show_records: bool,
    force: bool,
) -> None:
    """Write all that is asked for, or nothing."""
    from singleout.assessment.report.content import report_of
    from singleout.report.page import write_page

    rows = found.to_frame().to_dicts()
    writers: dict[Path | None, Callable[[Path], Any]] = {
        output: lambda part: write_page(
            report_of(found.after, show_records=show_records, comparison=found), part
        ),
        csv: lambda part: write_rows(part, rows),
        plot: lambda part: write_chart(part, found.plot()),
    }
    asked = {path: write for path, write in writers.items() if path is not None}
    if asked:
        working_on("Writing")
        private = [output] if output is not None and show_records else []
        write_together(asked, force=force, private=private)


# ---- for people


def _show(found: Comparison) -> None:
    from singleout.assessment.gate import gate_line

    sources = [
        f"{when}: {side.facts.source}, {side.facts.rows:,} records, "
        f"{len(side.facts.columns):,} columns"
        for when, side in (("Before", found.before), ("After", found.after))
    ]
    _say(*sources, "", found.verdict, "")
    for title, is_cost in (("What it brought", False), ("What it cost", True)):
        print_table(
            title,
            ["measure", "before", "after", "change", ""],
            [
                [
                    change.name,
                    _value(change, change.before),
                    _value(change, change.after),
                    _difference(change),
                    _effect(change),
                ]
                for change in found.changes
                if change.is_cost == is_cost
            ],
        )
    _say(*(f"Note: {note}" for note in found.notes))
    policy = gate_line(found.after)
    if policy is not None:
        _say(f"After: {policy}")


def _say(*sentences: str) -> None:
    for sentence in sentences:
        screen().print(printable(sentence), soft_wrap=True)


def _value(change: Change, value: float | None) -> str:
    from singleout.assessment.comparison.result import Unit

    if value is None:
        return "–"
    if change.unit == Unit.SHARE:
        return f"{value:.4f}"
    if change.unit == Unit.LEVEL:
        from singleout.assessment.rating.scales import RISKS, named_level

        return named_level(int(value), RISKS)
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
