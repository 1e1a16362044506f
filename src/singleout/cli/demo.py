"""`singleout demo`: what the tool does, on the table that comes with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singleout.cli.assess import check_report
from singleout.cli.screens.assess import show as show_assessment
from singleout.cli.sets import show, summary_rows
from singleout.cli.shared import options
from singleout.cli.shared.output import Outputs, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.output_files import write_safely
from singleout.errors import SingleoutError
from singleout.report.say import say
from singleout.report.translation import translated

if TYPE_CHECKING:
    from singleout.assessment.result import Assessment
    from singleout.methods.anonymity.result import AnonymitySets

__all__ = ["REPORT", "demo"]

REPORT = Path("singleout-demo-report.html")
QUASI_IDENTIFIERS = (
    ("PUMA",),
    ("PUMA", "SEX"),
    ("PUMA", "SEX", "AGEP"),
    ("PUMA", "SEX", "AGEP", "RAC1P", "MSP"),
    ("PUMA", "SEX", "AGEP", "RAC1P", "MSP", "EDU", "INDP_CAT"),
)


def demo(
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="REPORT.html",
            help=f"Where to write the report; {REPORT} in this folder if not given.",
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="OUT", help="Write the demo table to a CSV file."),
    ] = None,
    save_plan: Annotated[
        Path | None,
        typer.Option("--save-plan", metavar="OUT", help="Write the plan of the demo to a file."),
    ] = None,
    json: options.Json = False,
    csv: options.CsvOut = None,
    force: options.Force = False,
) -> None:
    """Show what singleout does, on a table of 7,634 real people that comes with it."""
    from singleout.assessment.assess import assess
    from singleout.assessment.plan.demo import demo_plan, demo_plan_text
    from singleout.assessment.report.json import report_json
    from singleout.io.demo import copy_demo, demo_files
    from singleout.io.demo import demo as demo_table
    from singleout.methods.anonymity.function import anonymity_sets

    check_report(output)
    files = [output, save, save_plan]
    outputs = Outputs(json=json, csv=csv, files=files, force=force, read=demo_files())
    with shown_if_slow():
        table = demo_table()
        results = anonymity_sets(table, QUASI_IDENTIFIERS)
        assessment = assess(table, demo_plan())
        # nothing is written unasked where a program reads the result
        written = "" if json and output is None else _report(assessment, output, force=force)
        plan = demo_plan_text()
        outputs.write(
            rows=lambda: summary_rows(results),
            files={
                save: copy_demo,
                save_plan: lambda part: part.write_text(plan, encoding="utf-8"),
            },
        )
    outputs.show(
        lambda: {
            "data": table.source,
            "results": [result.to_dict() for result in results],
            "assessment": report_json(assessment),
        },
        lambda: _show(results, assessment, written),
    )


def _show(results: list[AnonymitySets], assessment: Assessment, written: str) -> None:
    tell(say("screen.demo.first"))
    show(results, gaps=False)
    tell(say("screen.demo.then"))
    show_assessment(assessment, top=5)
    tell(f"{written}\n", say("screen.demo.last", columns=",".join(QUASI_IDENTIFIERS[2])))


def _report(assessment: Assessment, output: Path | None, *, force: bool) -> str:
    """Write the report and return where it is; it fails only where the report was asked for."""
    from singleout.assessment.report.content import report_of
    from singleout.report.page import write_page

    path = output or REPORT
    if output is None and path.exists() and not force:
        return say("screen.demo.exists", file=path)
    try:
        write_safely(path, lambda part: write_page(report_of(assessment), part), force=force)
    except SingleoutError as error:
        if output is not None:
            raise
        return say("screen.demo.not_written", why=translated(str(error)))
    return say("screen.demo.written", file=path)
