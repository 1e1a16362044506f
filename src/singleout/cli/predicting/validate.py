"""`singleout predict validate`: predicted beside observed shares, within areas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from singleout.cli.predicting import compared
from singleout.cli.predicting.numbers import wholes
from singleout.cli.shared import options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs, number, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.wording import percent
from singleout.errors import BadChoice
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.predict.checking.result import Validation

__all__ = ["validate"]

_ROWS_SHOWN = 60


@takes_data
def validate(
    data: options.Data,
    qi: Annotated[
        str | None, typer.Option("--qi", metavar="A,B", help="Columns that others could know.")
    ] = None,
    within: Annotated[
        list[str] | None,
        typer.Option(
            "--within", metavar="COLUMN", help="The areas, such as postal codes. Repeatable."
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by", metavar="COLUMN", help="The larger places that predict; all data if absent."
        ),
    ] = None,
    count: Annotated[
        str | None,
        typer.Option(
            "--count", metavar="COLUMN", help="The column of how many people a row stands for."
        ),
    ] = None,
    cells: Annotated[
        str | None,
        typer.Option("--cells", metavar="N", help="How many values are possible everywhere."),
    ] = None,
    step: Annotated[
        int, typer.Option("--step", min=1, help="How many sizes of areas share a row.")
    ] = 5,
    most: Annotated[
        int, typer.Option("--most", min=1, help="Leave out areas with more people.")
    ] = 100,
    formula: compared.Formula = None,
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Compare predicted with observed shares of people who are alone, in pairs and in threes.

    The ages of a municipality predict how many people of a postal code are alone with their age;
    where people are known by postal code, that is observed as well.
    """
    from singleout.predict.checking.validate import validate as compare

    names = compared.quasi_identifier(qi)
    areas = options.column_names(within, "--within")
    if not areas:
        raise BadChoice("Say with --within which column holds the areas, as --within postcode.")
    groups = options.column_names(by, "--by") or []
    outputs = Outputs(
        json=json, csv=csv, plot=plot, force=force, read=[data], engine=reading.engine
    )
    needed = [*names, *areas, *groups, *filter(None, [count])]
    with shown_if_slow(), reading.open(data, needed) as counter:
        found = compare(
            counter,
            names,
            areas,
            by=groups,
            cells=None if cells is None else wholes([cells], "--cells", "80")[0],
            counts=count,
            step=step,
            most=most,
            formula=formula or "kl-finite",
        )
        outputs.write(rows=lambda: found.to_frame().to_dicts(), chart=found.plot)
    outputs.show(lambda: {"validation": found.to_dict()}, lambda: _show(found))


def _show(found: Validation) -> None:
    rows = [
        [
            row.place,
            number(round(row.people, 1)),
            number(row.areas),
            percent(row.psi[0]),
            "–" if row.sd is None else percent(2 * row.sd[0]),
            percent(row.phi[0]),
            percent(row.approximation[0]),
            percent(row.uniform[0]),
            f"{percent(row.psi[1])} / {percent(row.phi[1])}",
            f"{percent(row.psi[2])} / {percent(row.phi[2])}",
        ]
        for row in found.rows[:_ROWS_SHOWN]
    ]
    show_table("screen.validation.table", rows)
    if len(found.rows) > _ROWS_SHOWN:
        tell(say("screen.validation.hidden", n=len(found.rows) - _ROWS_SHOWN))
    more = "screen.validation.more" if found.bias > 0 else "screen.validation.fewer"
    tell(f"{found}.", say(more, bias=abs(found.bias)), notes=found.notes)
