"""`singleout treat`: apply steps to a file, a database or many files, and log every change."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.assess import check_report
from singleout.cli.shared import options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.language import read_plan
from singleout.cli.shared.output import Outputs, number, share_of, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.cli.treatment.parts import (
    LogFile,
    ReportFile,
    files_of,
    log_beside,
    measured,
    tell_steps,
    tell_written,
)
from singleout.core.text import names_in_text
from singleout.errors import BadChoice
from singleout.report.say import say

if TYPE_CHECKING:
    import polars as pl

    from singleout.assessment.plan.plan import Plan
    from singleout.assessment.treated.treated import Treated
    from singleout.engines.counter import Counter
    from singleout.treatment.steps.steps import Steps

__all__ = ["treat", "write_treatment"]


@takes_data
def treat(
    data: options.Data,
    steps: Annotated[
        Path, typer.Argument(metavar="STEPS.yaml", help="What to do, one step after the other.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--out",
            metavar="OUT",
            help="Write the treated data, in the format of the name; only show it if not given.",
        ),
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(
            "--plan",
            metavar="PLAN.yaml",
            help="What the columns mean: k and loss are those of its quasi-identifiers, and of the "
            "columns that the steps change if not given.",
        ),
    ] = None,
    log: LogFile = None,
    report: ReportFile = None,
    print_sql: Annotated[
        bool,
        typer.Option("--print-sql", help="Print the SQL that selects the treated data, and end."),
    ] = False,
    dialect: Annotated[
        str | None,
        typer.Option(
            "--dialect",
            metavar="DIALECT",
            help="The dialect of --print-sql, as postgres or snowflake; that of the data if not "
            "given.",
        ),
    ] = None,
    json: options.Json = False,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Apply steps to data, and log every change; the data itself is never touched.

    Shows what each step changes, what it costs and how many records share their values before and
    after. Without --out nothing is written. Data in a database or a folder of Parquet files is
    recoded where it is, and streamed to OUT. The log shows original values: keep it as safe as the
    original.
    """
    from singleout.assessment.treated.treat import refuse_counted, treat_records
    from singleout.io.write.table import check_writable
    from singleout.report.page import write_page
    from singleout.treatment.steps.steps import Steps

    if dialect is not None and not print_sql:
        raise BadChoice("--dialect is for --print-sql; add --print-sql, or leave --dialect out.")
    check_report(report)
    chosen = Steps.read(steps)
    given = read_plan(plan)
    reading = reading.by_plan(given, data)
    log = log_beside(out, log)
    if out is not None:
        check_writable(out.name)
    outputs = Outputs(
        json=json,
        plot=plot,
        files=[out, log, report],
        force=force,
        read=[data, steps, plan, *files_of(chosen)],
        engine=reading.engine,
    )
    with shown_if_slow(), reading.open(data) as counter:
        refuse_counted(counter)
        held = counter.held
        if held is None or print_sql:
            _elsewhere(
                counter,
                chosen,
                given,
                outputs,
                (out, log, report),
                print_sql=print_sql,
                dialect=dialect,
            )
            return
        treated = treat_records(data, held, chosen, given, **reading.of_file)
        files = {report: lambda part: write_page(treated.report_content(), part)}
        write_treatment(treated, outputs, out, log, chart=True, files=files)
    outputs.show(lambda: _plain(treated), lambda: _show(treated, outputs, out, log, report))


def write_treatment(
    treated: Treated,
    outputs: Outputs,
    out: Path | None,
    log: Path | None,
    *,
    chart: bool = False,
    files: dict[Path | None, Any] | None = None,
    private: Sequence[Path | None] = (),
    **more: Any,
) -> None:
    """Write what is published and the log, together with other files, ``private`` ones too."""
    from singleout.assessment.treated.files import log_content
    from singleout.io.write.treated import write_treated

    target = "" if out is None else out.name
    writers: dict[Path | None, Any] = {
        **(files or {}),
        out: lambda part: write_treated(treated.table, part, target=target, source=treated.source),
        log: lambda part: log_content(treated.log, treated.steps).write_csv(part),
    }
    outputs.write(
        chart=treated.plot if chart else more.pop("picture", None),
        files=writers,
        private=[out, log, *private],
        **more,
    )


# ---- data that is elsewhere


def _elsewhere(
    counter: Counter,
    steps: Steps,
    plan: Plan | None,
    outputs: Outputs,
    files: tuple[Path | None, Path | None, Path | None],
    *,
    print_sql: bool,
    dialect: str | None,
) -> None:
    """Recode data where it is: print the statement, or stream what it selects."""
    from singleout.assessment.treated.files import log_content
    from singleout.assessment.treated.treat import planned_rules
    from singleout.engines.sql.treated import selected
    from singleout.treatment.steps.log import log_frame

    out, log, report = files
    if counter.held is not None:
        raise BadChoice(
            "--print-sql is for data that is treated where it is, and this data is read here; add "
            "--engine database, or leave --print-sql out."
        )
    for option, file in (("--plot", outputs.plot), ("--report", report)):
        if file is not None:
            raise BadChoice(
                f"{option} needs all records here, and the data is treated where it is; add "
                f"--engine local to fetch it, or leave {option} out."
            )
    rules = planned_rules(counter, steps, plan)
    found = selected(counter, rules.columns, rules.values)
    if print_sql:
        _print_sql(found.sql(dialect))
        return
    entries = log_frame(rules.entries)
    target = "" if out is None else out.name
    outputs.write(
        files={
            out: lambda part: found.stream(part, target=target),
            log: lambda part: log_content(entries, steps).write_csv(part),
        },
        private=[out, log],
    )
    facts = {
        "source": counter.source,
        "records": {"before": counter.rows, "after": counter.rows},
        "columns": {"before": list(counter.columns), "after": list(rules.columns)},
        "steps": steps.outline(),
        "sentences": list(steps.sentences),
        "notes": list(counter.notes),
    }
    outputs.show(facts, lambda: _show_elsewhere(facts, steps, entries, out, log))


def _print_sql(text: str) -> None:
    """Print a statement: exactly where a program reads it, harmless on a terminal."""
    if sys.stdout.isatty():
        tell(text)
    else:
        sys.stdout.write(f"{text}\n")


def _show_elsewhere(
    facts: dict[str, Any], steps: Steps, log: pl.DataFrame, out: Path | None, log_file: Path | None
) -> None:
    records, columns = facts["records"]["before"], len(facts["columns"]["before"])
    tell(say("screen.table", source=facts["source"], records=records, columns=columns))
    tell_steps(steps.sentences, _effects(log, len(steps)))
    tell("", say("screen.treat.elsewhere"), notes=facts["notes"])
    _tell_files(out, log_file)


# ---- the screen


def _plain(treated: Treated) -> dict[str, Any]:
    sides = dict(zip(("before", "after"), treated.anonymity, strict=True))
    anonymity = {
        side: None if sets is None else {"k": sets.k, "unique": sets.unique}
        for side, sets in sides.items()
    }
    return {**treated.to_dict(), "known": list(treated.counted), "anonymity": anonymity}


def _show(
    treated: Treated, outputs: Outputs, out: Path | None, log: Path | None, report: Path | None
) -> None:
    original = treated.original
    tell(
        say(
            "screen.table",
            source=original.source,
            records=original.rows,
            columns=len(original.columns),
        )
    )
    tell_steps(treated.sentences, _effects(treated.log, len(treated.steps)))
    tell("")
    show_table("screen.treat.change", _rows(treated))
    notes = list(dict.fromkeys([*original.notes, *treated.notes]))
    if treated.plan is None and treated.counted:
        some = names_in_text(treated.counted[:4])
        more = len(treated.counted) - 4
        columns = say("screen.assess.more_columns", columns=some, n=more) if more > 0 else some
        notes.append(say("screen.treat.of_changed", columns=columns))
    tell(notes=notes)
    _tell_files(out, log)
    tell_written(("screen.written", report), ("screen.written", outputs.plot))


def _tell_files(out: Path | None, log: Path | None) -> None:
    if out is None:
        tell(say("screen.treat.nothing_written"))
    tell_written(("screen.written", out), ("screen.treat.log", log))


def _effects(log: pl.DataFrame, steps: int) -> list[str]:
    """Return for each step how many cells or records it changed."""
    cells, records = [0] * steps, [0] * steps
    for row in log.iter_rows(named=True):
        counted = records if row["column"] is None else cells
        counted[row["step"] - 1] += row["records"]
    return [
        say("screen.treat.records", n=moved)
        if moved and not changed
        else say("screen.treat.cells", n=changed)
        for changed, moved in zip(cells, records, strict=True)
    ]


def _rows(treated: Treated) -> list[list[str]]:
    before, after = treated.original, treated.table
    loss = treated.loss
    rows = [
        ["records", number(before.rows), number(after.rows)],
        ["columns", number(len(before.columns)), number(len(after.columns))],
    ]
    sets = treated.anonymity
    rows += [
        ["k", *("–" if one is None else number(one.k) for one in sets)],
        ["unique", *("–" if one is None else number(one.unique) for one in sets)],
        [
            "unique_share",
            *("–" if one is None else share_of(one.unique, one.records) for one in sets),
        ],
        ["loss", measured(0.0), measured(None if loss is None else loss.loss)],
    ]
    return [[say(f"screen.treat.measure.{name}"), *cells] for name, *cells in rows]
