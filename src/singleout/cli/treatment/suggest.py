"""`singleout suggest`: steps that reach a policy with the least loss, and what else there is."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.assess import NOT_MET, PlanFile, check_report
from singleout.cli.shared import classes as shared
from singleout.cli.shared import options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.ending import stopped_by_the_first
from singleout.cli.shared.language import read_plan
from singleout.cli.shared.output import Outputs, number, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.cli.shared.streams import STANDARD_INPUT, is_standard_input
from singleout.cli.treatment import parts
from singleout.cli.treatment.parts import measured
from singleout.cli.treatment.treat import write_treatment
from singleout.core.wording import in_figures, stated_percent
from singleout.errors import BadChoice
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.assessment.suggest.result import Suggestion
    from singleout.assessment.suggest.state import State
    from singleout.assessment.treated.treated import Treated

__all__ = ["suggest"]

_COLUMNS = 15  # whose loss is shown
_SHARES = ("records_at_risk", "unique_share", "population_uniqueness")


def _limit(name: str, what: str, metavar: str = "N") -> Any:
    return typer.Option(name, metavar=metavar, help=what)


@takes_data
def suggest(
    data: options.Data,
    plan: PlanFile = None,
    qi: Annotated[
        list[str] | None,
        typer.Option(
            "--qi",
            metavar="A,B,C",
            help="Columns that others could know, which are treated; those of the plan, or guessed "
            "ones, if not given. Repeatable.",
        ),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option("--sensitive", metavar="A,B", help="Columns that nobody should learn."),
    ] = None,
    unit: shared.Unit = None,
    k: Annotated[int | None, _limit("--k", "Records that share each combination.")] = None,
    highest_risk: Annotated[
        int | None, _limit("--highest-risk", "The highest level of the verdict, 1 to 4.")
    ] = None,
    records_at_risk: Annotated[
        str | None,
        _limit("--records-at-risk", "Records at severe or critical risk, at most.", "SHARE"),
    ] = None,
    unique_share: Annotated[
        str | None, _limit("--unique-share", "Unique records, at most.", "SHARE")
    ] = None,
    distinct_l: Annotated[
        int | None, _limit("--distinct-l", "Different sensitive values in each class, at least.")
    ] = None,
    t: Annotated[
        float | None, _limit("--t", "Distance of each class from the table, at most.", "T")
    ] = None,
    qar: Annotated[float | None, _limit("--qar", "T of QaR, at most.", "T")] = None,
    population_uniqueness: Annotated[
        str | None,
        _limit("--population-uniqueness", "People unique in the population, at most.", "SHARE"),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="local|full-domain|cells",
            help="Whether every class of records has levels of its own, which loses least, or "
            "each column has one level, or single cells are blanked.",
        ),
    ] = "local",
    hierarchy: parts.HierarchyFiles = None,
    max_suppressed: Annotated[
        str,
        typer.Option("--max-suppressed", metavar="SHARE", help="Records that may be suppressed."),
    ] = "0",
    max_cells: Annotated[
        str | None,
        typer.Option(
            "--max-cells", metavar="SHARE", help="With cells: cells that may be blanked; any."
        ),
    ] = None,
    metric: Annotated[
        str,
        typer.Option(
            "--metric", metavar="loss|geometric|entropy", help="What full-domain makes small."
        ),
    ] = "loss",
    importance: Annotated[
        list[str] | None,
        typer.Option(
            "--importance",
            metavar="A=2,B=0.5",
            help="How much columns matter; 1 if not given. What matters more is kept longer.",
        ),
    ] = None,
    fixed: Annotated[
        list[str] | None,
        typer.Option("--fixed", metavar="A,B", help="Columns that are never touched. Repeatable."),
    ] = None,
    steps: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="STEPS.yaml", help="Write the steps."),
    ] = None,
    apply: Annotated[
        Path | None,
        typer.Option("--apply", metavar="OUT", help="Also write the treated data, with a log."),
    ] = None,
    log: parts.LogFile = None,
    report: parts.ReportFile = None,
    json: options.Json = False,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", metavar="OUT", help="Write all that was tried to a CSV file."),
    ] = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Find steps after which the data keeps a policy, with the least loss.

    The policy is that of the plan, or what --k, --highest-risk and the like ask for. Shows what is
    reached, what it costs, and what less or more protection would cost. Ctrl-C stops the search and
    shows the best so far. Exits with 1 if no treatment reaches the policy. SHARE is 0.02 or 2%.
    """
    from singleout.assessment.suggest.function import suggest as search
    from singleout.assessment.treated.treat import treat_records
    from singleout.io.write.table import check_writable

    check_report(report)
    if apply is not None:
        check_writable(apply.name)
    elif log is not None:
        raise BadChoice("--log is for the data that --apply writes; add --apply OUT.")
    log = parts.log_beside(apply, log)
    known = shared.quasi_identifiers(qi) if qi else None
    given = read_plan(plan)
    reading = reading.by_plan(given, data)
    shared.refuse_units_of_counts(unit, reading)
    by_plan = None if given is None else given.quasi_identifiers
    hierarchies = parts.hierarchy_files(hierarchy, known or by_plan)
    asked: dict[str, Any] = {
        "quasi_identifiers": known,
        "sensitive": options.column_names(sensitive, "--sensitive"),
        "unit": unit,
        "k": k,
        "highest_risk": highest_risk,
        "records_at_risk": parts.share(records_at_risk, "--records-at-risk"),
        "unique_share": parts.share(unique_share, "--unique-share"),
        "distinct_l": distinct_l,
        "t": t,
        "qar": qar,
        "population_uniqueness": parts.share(population_uniqueness, "--population-uniqueness"),
        "method": method,
        "hierarchies": hierarchies,
        "max_suppressed": parts.share(max_suppressed, "--max-suppressed"),
        "max_cells": parts.share(max_cells, "--max-cells"),
        "metric": metric,
        "importance": _importance(importance),
        "fixed": options.column_names(fixed, "--fixed"),
    }
    outputs = Outputs(
        json=json,
        csv=csv,
        plot=plot,
        files=[steps, apply, log, report],
        force=force,
        read=[data, plan, *hierarchies.values()],
        engine=reading.engine,
    )
    with shown_if_slow():
        with reading.open(data) as counter, stopped_by_the_first():
            records = counter.records()
            found = search(records, given, **asked)
            tried = found.frontier.to_dicts()
            # steps that need memory are not applied where the data is
            fetched = counter.held is None and any(step.in_memory for step in found.steps)
        treated = None
        if apply is not None or report is not None:
            treated = treat_records(
                data,
                records,
                found.steps,
                found.plan,
                found.best.treatment.applied,
                **reading.of_file,
            )
        _write(found, treated, outputs, steps, apply, log, report)
    source = records.source
    following = _following(data, plan, steps, reading, fetched=fetched) if apply is None else None
    outputs.show(
        lambda: {"data": source, **found.to_dict()},
        lambda: _show(source, found, tried, outputs, following, (steps, apply, log, report)),
    )
    if not found.reached:
        raise typer.Exit(NOT_MET)


def _importance(texts: list[str] | None) -> dict[str, float]:
    found = options.pairs(texts, "--importance", "a column and a number", "age=2")
    try:
        return {name: float(value) for name, value in found.items()}
    except ValueError:
        wrong = next(value for value in found.values() if not _is_number(value))
        raise BadChoice(f"--importance {wrong!r} is no number; write it as age=2.") from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _write(
    found: Suggestion,
    treated: Treated | None,
    outputs: Outputs,
    steps: Path | None,
    apply: Path | None,
    log: Path | None,
    report: Path | None,
) -> None:
    """Write the steps, what they make of the data, all that was tried, and its picture."""
    from singleout.report.page import write_page

    files: dict[Path | None, Any] = {
        steps: lambda part: part.write_text(found.steps.to_yaml(), encoding="utf-8")
    }
    if treated is not None:
        files[report] = lambda part: write_page(treated.report_content(suggestion=found), part)
    rows = found.frontier.to_dicts
    if treated is None:
        outputs.write(files=files, rows=rows, chart=found.plot, private=[steps])
        return
    write_treatment(
        treated,
        outputs,
        apply,
        log,
        files=files,
        private=[steps],
        rows=rows,
        picture=found.plot,
    )


def _following(
    data: str, plan: Path | None, steps: Path | None, reading: Reading, *, fetched: bool
) -> str:
    """Return the command that applies the steps."""
    from singleout.engines.sql.urls import is_database_url

    name = Path(data).name
    plain = not is_database_url(data) and not any(sign in name for sign in "*?[{#")
    suffix = Path(name.removesuffix(".gz")).suffix
    out = f"treated{suffix}" if plain and suffix else "treated.csv"
    shown = STANDARD_INPUT if is_standard_input(data) else data
    words = ["singleout", "treat", shown, str(steps or "steps.yaml"), "-o", out]
    if plan is not None:
        words += ["--plan", str(plan)]
    given = {**reading.given, "--engine": "local"} if fetched else reading.given
    for option, value in given.items():
        for one in value if isinstance(value, list) else [value]:
            words += [option, str(one)]
    return shlex.join(words)


# ---- the screen


def _show(
    source: str,
    found: Suggestion,
    tried: list[dict[str, Any]],
    outputs: Outputs,
    following: str | None,
    written: tuple[Path | None, Path | None, Path | None, Path | None],
) -> None:
    from singleout.cli.shared.advice import without_passwords

    before = found.before
    tell(say("screen.suggest.about", source=source, records=before.records))
    tell(f"{found}\n")
    parts.tell_steps(found.steps.sentences)
    tell("")
    show_table("screen.suggest.state", _states(found))
    _show_columns(found)
    show_table("screen.suggest.frontier", _points(tried))
    if not found.reached:
        tell(*(say("screen.suggest.blocked", why=why) for why in found.blocked))
    tell(notes=found.notes)
    steps, apply, log, report = written
    parts.tell_written(
        ("screen.suggest.steps" if found.steps.hold_values else "screen.written", steps),
        ("screen.written", apply),
        ("screen.treat.log", log),
        ("screen.written", report),
        ("screen.written", outputs.csv),
        ("screen.written", outputs.plot),
    )
    if following is not None and len(found.steps):
        key = "screen.suggest.apply" if steps is not None else "screen.suggest.write_and_apply"
        tell(say(key, command=without_passwords(following)))


def _states(found: Suggestion) -> list[list[str]]:
    limits = found.goal.limits
    names = [
        name
        for name in found.before.to_dict()
        if name in limits or getattr(found.after, name) is not None
    ]
    rows = [
        [name, _shown(name, found.before), _shown(name, found.after), _asked(name, limits)]
        for name in names
    ]
    rows.append(["suppressed", number(0), number(found.suppressed), ""])
    rows.append(["loss", measured(0.0), measured(found.loss), ""])
    return [[say(f"screen.suggest.measure.{name}"), *cells] for name, *cells in rows]


def _shown(name: str, state: State) -> str:
    from singleout.assessment.report.levels import risk_in_words

    value = getattr(state, name)
    if value is None:
        return "–"
    if name == "highest_risk":
        return str(risk_in_words(value))
    if name in _SHARES:
        return measured(value)
    return number(value) if isinstance(value, int) else in_figures(value, 3)


def _asked(name: str, limits: dict[str, float]) -> str:
    from singleout.assessment.report.levels import risk_in_words

    if name not in limits:
        return ""
    limit = limits[name]
    key = "screen.suggest.least" if name in ("k", "distinct_l") else "screen.suggest.most"
    if name == "highest_risk":
        return say(key, limit=risk_in_words(int(limit)))
    return say(key, limit=stated_percent(limit) if name in _SHARES else in_figures(limit, 6))


def _show_columns(found: Suggestion) -> None:
    """Print what the columns lose, the most first."""
    lost = sorted(found.loss_by_column.items(), key=lambda pair: -pair[1])
    levels = found.levels
    if not any(loss for _, loss in lost):
        return
    key = "screen.suggest.levels" if levels else "screen.suggest.lost"
    rows = [
        [name, measured(loss), *([number(levels[name])] if levels else [])]
        for name, loss in lost[:_COLUMNS]
    ]
    show_table(key, rows)
    if len(lost) > _COLUMNS:
        tell(say("screen.suggest.more_columns", n=len(lost) - _COLUMNS))


def _points(tried: list[dict[str, Any]]) -> list[list[str]]:
    """Return a row for each treatment; those that look the same on a screen are one."""
    found: dict[tuple[str, ...], list[str]] = {}
    for row in tried:
        cells = _point(row)
        if row["suggested"] or tuple(cells[:-1]) not in found:
            found[tuple(cells[:-1])] = cells
    return list(found.values())


def _point(row: dict[str, Any]) -> list[str]:
    from singleout.assessment.report.levels import risk_in_words

    if row["suggested"]:
        policy = "suggested" if row["met"] else "nearest"
    else:
        policy = "met" if row["met"] else "not_met"
    return [
        measured(row["loss"]),
        number(row["k"]),
        measured(row["unique_share"]),
        str(risk_in_words(row["highest_risk"])),
        measured(row["records_at_risk"]),
        number(row["suppressed"]),
        say(f"screen.suggest.policy.{policy}"),
    ]
