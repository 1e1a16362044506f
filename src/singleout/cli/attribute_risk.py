"""`singleout attribute-risk`: how far columns and their combinations tell records apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from singleout.cli.shared import classes, options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs, number, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.choices import MissingPolicy
from singleout.core.wording import percent
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.methods.attributes.result import AttributeRisk

__all__ = ["attribute_risk"]

_KEYS = 10  # on the screen


@takes_data
def attribute_risk(
    data: options.Data,
    qi: options.Combined = None,
    max_size: Annotated[
        int, typer.Option("--max-size", help="How many columns a combination has at most.")
    ] = 3,
    by: classes.By = None,
    missing: options.Missing = MissingPolicy.VALUE,
    top: Annotated[int, options.top("combinations")] = 10,
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Measure how far columns and their combinations tell records apart.

    The distinction of a combination is the number of its different values over the number of
    records; its separation is the share of pairs of records that differ in it. A minimal key tells
    all records apart, and no part of it does. --csv writes all combinations.
    """
    from singleout.methods.attributes.function import attribute_risk as measure

    wanted = classes.quasi_identifiers(qi) or None
    groups = list(by or [])
    outputs = Outputs(
        json=json, csv=csv, plot=plot, force=force, read=[data], engine=reading.engine
    )
    needed = None if wanted is None else list(dict.fromkeys([*wanted, *groups]))
    with shown_if_slow(), reading.open(data, needed) as counter:
        result = measure(counter, wanted, max_size, groups, missing)
        source = counter.source
        outputs.write(rows=lambda: result.to_frame().to_dicts(), chart=result.plot)
    outputs.show(
        {"data": source, "results": [result.to_dict(top)]}, lambda: _show(source, result, top)
    )


def _show(source: str, result: AttributeRisk, top: int) -> None:
    """Print the answer for people."""
    counts = {"records": result.records, "combinations": len(result.combinations)}
    tell(say("screen.attribute_risk.about", source=source, size=result.max_size, **counts))
    parts = [("", result)]
    parts += [(f"{result.group_name(value)}: ", part) for value, part in result.groups.items()]
    rows = [
        [
            f"{label}{','.join(one.columns)}",
            number(one.distinct),
            percent(one.distinction),
            percent(one.separation),
            percent(one.unique_share),
        ]
        for label, part in parts
        for one in part.combinations[:top]
    ]
    show_table("screen.attribute_risk.worst", rows)
    if result.keys:
        keys = "; ".join(",".join(names) for names in result.keys[:_KEYS])
        tell(say("screen.attribute_risk.keys", keys=keys))
    tell(f"{result}.", notes=result.notes)
