"""`singleout predict qq`: whether a quantity is normal enough to be predicted as such."""

from __future__ import annotations

from typing import Annotated

import typer

from singleout.cli.shared import options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.cli.shared.renamed import Formerly, plus_within_a_name
from singleout.errors import BadChoice

__all__ = ["qq"]


@takes_data
def qq(
    data: options.Data,
    qi: Annotated[
        str | None,
        typer.Option("--qi", metavar="COLUMN", help="The quantity that others could know."),
        Formerly("--column", plus_within_a_name),
    ] = None,
    width: Annotated[
        float | None,
        typer.Option("--width", help="With --people: how wide the intervals will be."),
    ] = None,
    people: Annotated[
        int | None, typer.Option("--people", "-k", min=1, help="How many people there will be.")
    ] = None,
    count: Annotated[
        str | None,
        typer.Option(
            "--count", metavar="COLUMN", help="The column of how many people a row stands for."
        ),
    ] = None,
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Check a quantity against the normal law before `predict --normal` assumes it.

    Shows mean and standard deviation, how well the quantiles agree, and with --width and --people
    how many people would be unique by the values observed and by the normal law. --plot draws the
    QQ-plot.
    """
    from singleout.predict.checking.qq import qq as check

    names = () if qi is None else options.quasi_identifier(qi)
    if len(names) != 1:
        raise BadChoice("Say with --qi which one column is the quantity, as --qi height.")
    column = names[0]
    outputs = Outputs(
        json=json, csv=csv, plot=plot, force=force, read=[data], engine=reading.engine
    )
    with shown_if_slow(), reading.open(data, [column, *filter(None, [count])]) as counter:
        found = check(counter, column, width=width, people=people, counts=count)
        outputs.write(rows=lambda: found.to_frame().to_dicts(), chart=found.plot)
    outputs.show(lambda: {"normal": found.to_dict()}, lambda: tell(f"{found}.", notes=found.notes))
