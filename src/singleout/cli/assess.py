"""`singleout assess`: from a file to a decision, on the screen, in a report, or for a pipeline."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.screens.assess import show, tell_how_to_apply, tell_how_to_gate
from singleout.cli.shared import classes, options
from singleout.cli.shared.data import Reading, takes_data, with_ids
from singleout.cli.shared.language import read_plan
from singleout.cli.shared.output import Outputs, check_free, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.cli.shared.streams import is_standard_input
from singleout.core.text import printable
from singleout.errors import BadChoice

if TYPE_CHECKING:
    from singleout.assessment.plan.plan import Plan, ReleasePolicy
    from singleout.assessment.result import Assessment
    from singleout.engines.counter import Records

__all__ = ["NOT_MET", "PlanFile", "ReportOut", "ShowRecords", "assess", "check_report", "signed"]

_TOP = 5  # rows
NOT_MET = 1  # the exit code of a policy that is not kept

PlanFile = Annotated[
    Path | None,
    typer.Option(
        "--plan", metavar="PLAN.yaml", help="What the columns mean; guessed if not given."
    ),
]
ReportOut = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="REPORT.html", help="Write the report."),
]
ShowRecords = Annotated[
    bool,
    typer.Option(
        "--show-records", help="Show the riskiest records in the report, with their values."
    ),
]


@takes_data
def assess(
    data: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[DATA]...",
            help="The data file, folder of Parquet files, files of a pattern in quotes or table in "
            "a database; several files, or a folder of others, are assessed one by one. The file "
            "that the plan names if not given.",
        ),
    ] = None,
    plan: PlanFile = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="REPORT.html",
            help="Write the report; of several files, the folder that their reports go to.",
        ),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option(
            "--policy",
            metavar="POLICY.yaml",
            help="What is accepted, in place of the plan's own policy: exit 1 if it is not met.",
        ),
    ] = None,
    rating: Annotated[
        str | None,
        typer.Option(
            "--rating",
            metavar="certainty|paper",
            help="How records are rated, in place of what the plan says: by how sure an attacker "
            "can be of them, or by the discrimination rate of the paper.",
        ),
    ] = None,
    advice: Annotated[
        bool, typer.Option("--advice/--no-advice", help="Whether to look for what lowers the risk.")
    ] = True,
    by: classes.By = None,
    unit: classes.Unit = None,
    together: Annotated[
        bool,
        typer.Option("--together", help="Read several files of the same columns as one table."),
    ] = False,
    show_records: ShowRecords = False,
    pia: Annotated[
        Path | None,
        typer.Option(
            "--pia", metavar="OUT.json", help="Also write a file for the PIA software of the CNIL."
        ),
    ] = None,
    report_json: Annotated[
        Path | None,
        typer.Option("--report-json", metavar="OUT.json", help="Also write the report as JSON."),
    ] = None,
    junit: Annotated[
        Path | None,
        typer.Option(
            "--junit", metavar="OUT.xml", help="Also write each limit of the policy as a test case."
        ),
    ] = None,
    sarif: Annotated[
        Path | None,
        typer.Option(
            "--sarif",
            metavar="OUT.sarif",
            help="Also write the limits that are not kept for code scanning (SARIF 2.1.0).",
        ),
    ] = None,
    steps: Annotated[
        Path | None,
        typer.Option(
            "--steps",
            metavar="STEPS.yaml",
            help="Also write what is advised as steps, which singleout treat applies.",
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            "--top",
            min=0,
            max=options.MOST_ROWS,
            help="How many of the worst rows to show: 5, or none beside a report.",
        ),
    ] = None,
    json: options.Json = False,
    csv: Annotated[
        Path | None,
        typer.Option(
            "--csv",
            metavar="OUT.csv",
            help="Also write every record with its values, its severity and its risk.",
        ),
    ] = None,
    identifier: classes.Identifier = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Assess how severe and how likely disclosure is, and what to do first.

    Rates what others could know about people against what it would tell them, measures with every
    method, and tries out what lowers the risk. Exits with 1 if the policy, of the plan or of
    --policy, is not met, and with 0 otherwise. singleout plan writes a plan to start from. Several
    files are assessed one by one, with a line for each; if one cannot be read, the exit code is 2.
    """
    from singleout.assessment.assess import assess as measure
    from singleout.assessment.gate import under_policy
    from singleout.assessment.report.checks import junit_text, sarif_text
    from singleout.assessment.report.content import report_of
    from singleout.assessment.report.json import report_json as plain_report
    from singleout.assessment.report.json import report_json_text
    from singleout.assessment.report.pia import pia_text
    from singleout.cli.assess_files import assess_each, data_files, report_paths
    from singleout.report.page import write_page

    classes.refuse_units_of_counts(unit, reading)
    asked, accepted, given = _given(data, plan, policy)
    files, left_out = data_files(given)
    several = len(files) > 1
    held: list[Records | None] = []

    def measured(file: str | list[str]) -> Assessment:
        how = reading.by_plan(asked, file if isinstance(file, str) else file[0])
        how.refuse_ids_of_counts(identifier)
        with how.open(file, look=False) as counter:
            held.append(_with_column(counter.held, identifier))
            found = measure(counter, asked, rating=rating, advice=advice, by=by, unit=unit)
        found = signed(found, file, how)
        return found if accepted is None else under_policy(found, accepted)

    if several and not together:
        alone: dict[str, object] = {
            "--pia": pia,
            "--report-json": report_json,
            "--junit": junit,
            "--sarif": sarif,
        }
        alone |= {"--steps": steps, "--csv": csv, "--id": identifier, "--plot": plot, "--top": top}
        reports = report_paths(output, files, alone)
        check_free(reports.values(), force=force, read=[*files, plan, policy])
        assess_each(
            reports, measured, json=json, show_records=show_records, force=force, notes=left_out
        )
        return
    check_report(output)
    classes.refuse_ids_without_a_file(identifier, csv)
    source = files[0]
    outputs = Outputs(
        json=json,
        csv=csv,
        plot=plot,
        files=[output, pia, report_json, junit, sarif, steps],
        force=force,
        read=[*files, plan, policy],
        engine=reading.engine,
    )
    with shown_if_slow():
        result = measured(files if several else source)
        is_file = not several and Path(source).is_file() and not is_standard_input(source)
        file = source if is_file else None
        outputs.write(
            rows=lambda: _entries(result, held[0], identifier),
            chart=result.plot,
            files={
                output: lambda part: write_page(report_of(result, show_records=show_records), part),
                pia: lambda part: part.write_text(pia_text(result), encoding="utf-8"),
                report_json: lambda part: part.write_text(
                    report_json_text(result), encoding="utf-8"
                ),
                junit: lambda part: part.write_text(junit_text(result), encoding="utf-8"),
                sarif: lambda part: part.write_text(sarif_text(result, file), encoding="utf-8"),
                steps: lambda part: part.write_text(result.steps.to_yaml(), encoding="utf-8"),
            },
            # steps hold values and numbers of records
            private=[steps, csv, *([output] if show_records else [])],
        )

    def for_people() -> None:
        briefly = output is not None and top is None
        show(result, top=_TOP if top is None else top, briefly=briefly)
        outputs.tell_written()
        tell(notes=left_out)
        if several:  # no other command takes several files
            return
        if len(result.steps) or result.remedy is not None:
            tell_how_to_apply(result, source, plan, steps)
        if result.met is None:
            tell_how_to_gate(result, source, plan)

    outputs.show(lambda: plain_report(result), for_people)
    close_gate(result, quietly=json)


def _with_column(held: Records | None, name: str | None) -> Records | None:
    """Return the records, if they have this column: it is refused before any long work."""
    if name is not None and held is not None:
        held.table[name]
    return held


def _entries(
    found: Assessment, held: Records | None, identifier: str | None
) -> list[dict[str, Any]]:
    """Return a row for each record, with its id if one is asked for."""
    entries = found.entries()  # refused where the records are elsewhere
    return (entries if held is None else with_ids(entries, held.table, identifier)).to_dicts()


def check_report(path: Path | None) -> None:
    """Refuse the name of a report that is no HTML file."""
    from singleout.report.files import HTML, checked_path

    if path is not None:
        checked_path(path, HTML)


def signed(found: Assessment, source: str | list[str], reading: Reading) -> Assessment:
    """Return the assessment with the fingerprint of the file that was read, and how it was read."""
    from singleout.io.fingerprint import fingerprint

    sha256 = fingerprint(source)
    return replace(found, facts=replace(found.facts, sha256=sha256, reading=reading.recorded))


def close_gate(found: Assessment, *, quietly: bool) -> None:
    """Say in one line whether the policy is kept, and leave with 1 if it is not.

    ``quietly`` keeps what is met to itself, and says the rest beside the output for programs.
    """
    from singleout.assessment.gate import gate_line

    line = gate_line(found)
    if line is not None and not (quietly and found.met):
        typer.echo(printable(line), err=quietly)
    if found.met is False:
        raise typer.Exit(NOT_MET)


def _given(
    data: list[str] | None, plan: Path | None, policy: Path | None
) -> tuple[Plan | None, ReleasePolicy | None, list[str]]:
    """Return the plan, the policy and the data, the first two read before any long work."""
    from singleout.assessment.assess import named_file
    from singleout.assessment.gate import read_policy

    given = read_plan(plan)
    accepted = None if policy is None else read_policy(policy)
    if data:
        return given, accepted, data
    named = None if given is None else named_file(given)
    if named is None:
        raise BadChoice(
            "There is nothing to assess: give a data file, or a plan that names one under data."
        )
    return given, accepted, [str(named)]
