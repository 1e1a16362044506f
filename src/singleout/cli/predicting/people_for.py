"""`singleout predict people-for`: how many people must share an area."""

from __future__ import annotations

from typing import Annotated

import typer

from singleout.cli.predicting import spreads
from singleout.cli.shared import options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.errors import BadChoice

__all__ = ["people_for"]


@takes_data
def people_for(
    cells: spreads.Cells = None,
    kl: spreads.Kl = None,
    shares: spreads.Shares = None,
    data: spreads.Data = None,
    qi: spreads.Qi = None,
    count: spreads.Count = None,
    unique: Annotated[
        str | None,
        typer.Option("--unique", metavar="5%", help="The share of people that may be unique."),
    ] = None,
    cost: Annotated[
        float | None,
        typer.Option(
            "--cost",
            help="Instead: what an area costs, in unique people; finds the size at which unique "
            "people less costs are most.",
        ),
    ] = None,
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Find how many people must share an area, a class or a school for few of them to be unique.

    Say how they spread over the other things that are asked, such as age: --cells 95, --shares, or
    --data FILE --qi age; and with --unique how many may be unique.
    """
    from singleout.predict.set_sizes.people_for import people_for as found_for

    if (unique is None) == (cost is None):
        raise BadChoice("Give --unique 5%, the share that may be unique, or --cost: one of them.")
    outputs = Outputs(
        json=json, csv=csv, plot=plot, force=force, read=[data], engine=reading.engine
    )
    with shown_if_slow():
        spread = spreads.spread_of(
            cells=cells, kl=kl, shares=shares, data=data, qi=qi, count=count, reading=reading
        )
        found = found_for(spread, spreads.share_of_text(unique, "--unique"), cost=cost)
        outputs.write(rows=lambda: found.to_frame().to_dicts(), chart=found.plot)
    outputs.show(
        found.to_dict, lambda: tell(f"{found}.", warnings=found.warnings, notes=found.notes)
    )
