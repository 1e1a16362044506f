"""`singleout demo`: what the tool does, on the table that comes with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singleout import __version__
from singleout.cli import options
from singleout.cli.assess import check_report
from singleout.cli.assess_screen import show as show_assessment
from singleout.cli.output import check_free, print_json, screen, write_csv, write_safely
from singleout.cli.progress import shown_if_slow
from singleout.cli.sets import show, summary_rows
from singleout.core.text import printable
from singleout.errors import SingleoutError

if TYPE_CHECKING:
    from singleout.assessment.result import Assessment

__all__ = ["QUASI_IDENTIFIERS", "REPORT", "demo"]

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
    from singleout.io.demo import copy_demo, demo_files
    from singleout.io.demo import demo as demo_table
    from singleout.methods.anonymity.function import anonymity_sets

    check_report(output)
    check_free([output, save, save_plan, csv], force=force, read=demo_files())
    with shown_if_slow():
        table = demo_table()
        answers = anonymity_sets(table, QUASI_IDENTIFIERS)
        found = assess(table, demo_plan())
        # what is printed for programs comes alone
        said = "" if json and output is None else _report(found, output, force=force)
    if save is not None:
        write_safely(save, copy_demo, force=force)
    if save_plan is not None:
        text = demo_plan_text()
        write_safely(save_plan, lambda part: part.write_text(text, encoding="utf-8"), force=force)
    if csv is not None:
        write_csv(csv, summary_rows(answers), force=force)
    if json:
        _print_json(table.source, [answer.to_dict() for answer in answers], found)
        return
    _say(
        "7,634 people of five areas of Massachusetts (American Community Survey 2019).",
        "What does it take to single one of them out?\n",
    )
    show(table.source, answers, gaps=False, as_json=False)
    _say("\nAnd what would it mean for them? Here is the assessment, by the plan of the demo:\n")
    show_assessment(found, top=5)
    columns = "+".join(QUASI_IDENTIFIERS[2])
    _say(
        f"{said}\n",
        "Try your own file:  singleout assess FILE, or singleout sets FILE --qi COLUMN+COLUMN",
        f"or this one:        singleout demo --save demo.csv --save-plan plan.yaml, then "
        f"singleout assess demo.csv --plan plan.yaml or singleout sets demo.csv --qi {columns}",
    )


def _report(found: Assessment, output: Path | None, *, force: bool) -> str:
    """Write the report and say where it is; only where it was asked for is a failure one."""
    from singleout.assessment.report.content import report_of
    from singleout.report.page import write_page

    path = output or REPORT
    if output is None and path.exists() and not force:
        return (
            f"The report was not written: {path} exists already in this folder and was left as it "
            "is. Add --force to write it anew, or --output to write it elsewhere."
        )
    try:
        write_safely(path, lambda part: write_page(report_of(found), part), force=force)
    except SingleoutError as error:
        if output is not None:
            raise
        return f"The report was not written: {error} Give --output to write it elsewhere."
    return f"The report is {path}: open it in a browser."


def _print_json(source: str, results: list[dict[str, object]], found: Assessment) -> None:
    from singleout.assessment.report.json import report_json

    print_json(
        {
            "singleout": __version__,
            "data": source,
            "results": results,
            "assessment": report_json(found),
        }
    )


def _say(*sentences: str) -> None:
    for sentence in sentences:
        for line in sentence.split("\n"):
            screen().print(printable(line), soft_wrap=True)
