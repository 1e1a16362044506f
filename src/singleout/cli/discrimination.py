"""`singleout discriminate`, or `discrimination`: how far columns tell a sensitive one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.assess import PlanFile
from singleout.cli.shared import classes, options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.language import read_plan
from singleout.cli.shared.output import Outputs, number, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.choices import MissingPolicy
from singleout.core.wording import figure, percent
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.assessment.plan.plan import Plan
    from singleout.methods.discrimination.result import DiscriminationRate
    from singleout.methods.discrimination.told import Severities

__all__ = ["discrimination"]


@takes_data
def discrimination(
    data: options.Data,
    qi: Annotated[
        str,
        typer.Option("--qi", metavar="A,B,C", help="Columns that others could know, together."),
    ],
    sensitive: Annotated[
        str,
        typer.Option("--sensitive", metavar="COLUMN", help="The column that they want to know."),
    ],
    variant: Annotated[
        str,
        typer.Option(
            "--variant",
            metavar="paper|mutual-information|worst-value",
            help="How the rates of values become one rate.",
        ),
    ] = "paper",
    by: classes.By = None,
    missing: options.Missing = MissingPolicy.VALUE,
    plan: PlanFile = None,
    show_records: Annotated[
        bool,
        typer.Option(
            "--show-records", help="Show values that very few records have, which point at people."
        ),
    ] = False,
    rare: Annotated[
        int, typer.Option("--rare", min=1, help="A value that fewer records have is masked.")
    ] = 3,
    top: Annotated[int, options.top("values")] = 10,
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Measure how far knowing some columns tells the value of a sensitive one.

    The discrimination rate of Sondeck and Laurent is 1 where it is told for certain. The paper's
    own rate is at least 1 - 1/c for c different combinations of values, so look at the mutual
    information beside it. Values that give someone away come with what is inferred from them, and
    with its severity if a plan states it. --csv writes them all, the surest first.
    """
    from singleout.methods.discrimination.function import discrimination_rate

    known = list(options.quasi_identifier(qi))
    groups = [name for name in by or [] if name not in (*known, sensitive)]
    outputs = Outputs(
        json=json, csv=csv, plot=plot, force=force, read=[data, plan], engine=reading.engine
    )
    given = read_plan(plan)
    reading = reading.by_plan(given, data)
    severities = _severities(given, sensitive)
    with shown_if_slow(), reading.open(data, [*known, sensitive, *groups]) as counter:
        result = discrimination_rate(counter, known, sensitive, variant, missing, groups)
        told = result.told(severities, show_records=show_records, rare=rare)
        plain = result.to_dict(top if show_records else 0) | {"told": told.head(top).to_dicts()}
        source = counter.source
        outputs.write(
            rows=told.to_dicts,
            chart=lambda: result.plot(told=told),
            private=[csv, plot] if show_records else [],
        )
    outputs.show(lambda: {"data": source, "results": [plain]}, lambda: _show(source, result, plain))


def _severities(plan: Plan | None, sensitive: str) -> Severities | None:
    """Return the severities that a plan states for the sensitive column."""
    stated = None if plan is None else plan.columns.get(sensitive)
    return None if stated is None or stated.severity is None else stated.severity_of


def _show(source: str, result: DiscriminationRate, plain: dict[str, Any]) -> None:
    """Print the answer for people."""
    columns = {"known": result.name, "sensitive": result.sensitive}
    about = {"source": source, "records": result.records, "bits": result.entropy}
    tell(say("screen.discrimination.about", **about, sensitive=result.sensitive))
    rates = [[name, figure(rate, ".4f")] for name, rate in plain["rates"].items()]
    show_table("screen.discrimination.rates", rates, **columns)
    if result.groups:
        show_table("screen.discrimination.groups", _of_groups(result), by=", ".join(result.by))
    if plain["told"]:
        cells = [_cells(row) for row in plain["told"]]
        show_table("screen.discrimination.told", cells, **columns)
    tell(f"{result}.", notes=result.notes)


def _of_groups(result: DiscriminationRate) -> list[list[str]]:
    return [
        [result.group_name(value), number(part.records), figure(part.rate, ".4f"), str(part.level)]
        for value, part in result.groups.items()
    ]


def _cells(row: dict[str, Any]) -> list[str]:
    from singleout.assessment.rating.scales import named_level
    from singleout.methods.levels import level_names

    severity = row["severity"]
    return [
        row["value"],
        number(row["values"]),
        number(row["records"]),
        figure(row["rate"], ".4f"),
        row["inferred"],
        percent(row["share"]),
        "–" if severity is None else named_level(severity, level_names("severity")),
    ]
