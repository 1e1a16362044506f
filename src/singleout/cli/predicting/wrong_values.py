"""`singleout predict errors`: what wrong values of a register do to sets of people."""

from __future__ import annotations

from typing import Annotated

import typer

from singleout.cli.predicting import compared
from singleout.cli.shared import options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs, tell
from singleout.cli.shared.progress import shown_if_slow

__all__ = ["errors"]


@takes_data
def errors(
    data: options.Data,
    qi: Annotated[
        str | None, typer.Option("--qi", metavar="A,B", help="Columns that others could know.")
    ] = None,
    share: Annotated[
        float, typer.Option("--share", help="The chance of each value to be wrong.")
    ] = 0.01,
    count: Annotated[
        str | None,
        typer.Option(
            "--count", metavar="COLUMN", help="The column of how many people a row stands for."
        ),
    ] = None,
    repeats: Annotated[
        int, typer.Option("--repeats", min=2, help="How many registers are simulated.")
    ] = 20,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the random numbers.")] = 1,
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Simulate what wrong values of a register do to sets of people.

    An error moves a person to another combination: who was alone is no longer found there, and a
    record may be alone where nobody is.
    """
    from singleout.predict.checking.wrong_values import wrong_values

    names = compared.quasi_identifier(qi)
    outputs = Outputs(
        json=json, csv=csv, plot=plot, force=force, read=[data], engine=reading.engine
    )
    with shown_if_slow(), reading.open(data, [*names, *filter(None, [count])]) as counter:
        found = wrong_values(counter, names, share, counts=count, repeats=repeats, seed=seed)
        outputs.write(rows=lambda: found.to_frame().to_dicts(), chart=found.plot)
    outputs.show(lambda: {"errors": found.to_dict()}, lambda: tell(f"{found}.", notes=found.notes))
