"""`singleout discrimination`: how far some columns tell the value of a sensitive one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.shared import classes, options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs, number, print_table, share_of, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.choices import MissingPolicy
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.methods.discrimination.result import DiscriminationRate

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
    information beside it. --csv writes all combinations of values, worst first.
    """
    from singleout.methods.discrimination.function import discrimination_rate

    known = list(options.quasi_identifier(qi))
    groups = [name for name in by or [] if name not in (*known, sensitive)]
    outputs = Outputs(
        json=json, csv=csv, plot=plot, force=force, read=[data], engine=reading.engine
    )
    with shown_if_slow(), reading.open(data, [*known, sensitive, *groups]) as counter:
        result = discrimination_rate(counter, known, sensitive, variant, missing, groups)
        plain = result.to_dict(top)
        source = counter.source
        outputs.write(rows=lambda: result.to_frame().to_dicts(), chart=result.plot)
    outputs.show(lambda: {"data": source, "results": [plain]}, lambda: _show(source, result, plain))


def _show(source: str, result: DiscriminationRate, plain: dict[str, Any]) -> None:
    """Print the answer for people."""
    columns = {"known": result.name, "sensitive": result.sensitive}
    about = {"source": source, "records": result.records, "bits": result.entropy}
    tell(say("screen.discrimination.about", **about, sensitive=result.sensitive))
    rates = [[name, f"{rate:.4f}"] for name, rate in plain["rates"].items()]
    show_table("screen.discrimination.rates", rates, **columns)
    if result.groups:
        show_table("screen.discrimination.groups", _of_groups(result), by=", ".join(result.by))
    rows = plain["values"]
    if rows:
        # the heads are the user's own columns
        cells = [_cells(row, result.records) for row in rows]
        print_table(say("screen.discrimination.values"), list(rows[0]), cells)
    tell(f"{result}.", notes=result.notes)


def _of_groups(result: DiscriminationRate) -> list[list[str]]:
    return [
        [result.group_name(value), number(part.records), f"{part.rate:.4f}", str(part.level)]
        for value, part in result.groups.items()
    ]


def _cells(row: dict[str, Any], records: int) -> list[str]:
    worded = {
        "records": number(row["records"]),
        "share": share_of(row["records"], records),
        "rate": f"{row['rate']:.4f}",
    }
    return [str(cell) for cell in (row | worded).values()]
