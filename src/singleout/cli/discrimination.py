"""`singleout discrimination`: how far some columns tell the value of a sensitive one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout import __version__
from singleout.cli import options
from singleout.cli.data import Reading, takes_data
from singleout.cli.output import (
    check_free,
    number,
    print_json,
    print_table,
    save_chart,
    screen,
    share,
    write_csv,
)
from singleout.cli.progress import shown_if_slow
from singleout.core.choices import MissingPolicy
from singleout.core.text import printable

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
    missing: options.Missing = MissingPolicy.VALUE,
    top: Annotated[int, typer.Option("--top", min=0, help="How many values to show.")] = 10,
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
    check_free([csv], plot=plot, force=force, read=[data], engine=reading.engine)
    with shown_if_slow(), reading.open(data, [*known, sensitive]) as counter:
        found = discrimination_rate(counter, known, sensitive, variant, missing)
        source = counter.source
        answer = found.to_dict(top)
        if csv is not None:
            write_csv(csv, found.to_frame().to_dicts(), force=force)
        if plot is not None:
            save_chart(plot, found.plot(), force=force)
    if json:
        print_json({"singleout": __version__, "data": source, "results": [answer]})
    else:
        _show(source, found, answer)


def _show(source: str, found: DiscriminationRate, answer: dict[str, Any]) -> None:
    """Print the answer for people."""
    out = screen()
    out.print(
        f"{source}: {found.records:,} records, {found.entropy:.3f} bits to guess about "
        f"{found.sensitive}\n",
        soft_wrap=True,
    )
    print_table(
        f"How far {found.name} tells {found.sensitive}",
        ["variant", "rate"],
        [[name, f"{rate:.4f}"] for name, rate in answer["rates"].items()],
    )
    rows = answer["values"]
    if rows:
        print_table(
            "Values that tell most", list(rows[0]), [_cells(row, found.records) for row in rows]
        )
    out.print(f"{found}.", soft_wrap=True)
    for note in found.notes:
        out.print(f"Note: {printable(note)}", soft_wrap=True)


def _cells(row: dict[str, Any], records: int) -> list[str]:
    worded = {
        "records": number(row["records"]),
        "share": share(row["records"], records),
        "rate": f"{row['rate']:.4f}",
    }
    return [str(cell) for cell in (row | worded).values()]
