"""`singleout predict`: how identifying data will be, before it is collected."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, isfinite
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.predicting import plan as predict_plan
from singleout.cli.shared import options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs
from singleout.cli.shared.progress import shown_if_slow
from singleout.errors import BadChoice

if TYPE_CHECKING:
    from singleout.predict.distribution.distribution import Distribution

__all__ = ["app", "predict"]

app = typer.Typer(invoke_without_command=True, no_args_is_help=True)
app.command("plan")(predict_plan.plan)

_UP_TO = 10
_MOST_PEOPLE = 10**12
_SUM_TOLERANCE = 1e-6  # as in Distribution.from_probabilities
_LESS = "give fewer people, fewer cells or a larger width"
_OF_CELLS = ("cells", "shares", "data")
_SOURCES = (
    "--cells N (equally likely), --shares 0.5,0.3,0.2, --data FILE --qi A,B, "
    "--normal SD --width W or --exponential MEAN --width W"
)


@app.callback()
@takes_data
def predict(
    context: typer.Context,
    people: Annotated[
        int | None, typer.Option("--people", "-k", help="How many people there will be.")
    ] = None,
    cells: Annotated[
        float | None,
        typer.Option(
            "--cells", help="How many values are possible; equally likely if nothing else is given."
        ),
    ] = None,
    kl: Annotated[
        float | None,
        typer.Option(
            "--kl", help="With --cells: the Kullback-Leibler distance from equally likely, in nats."
        ),
    ] = None,
    power_sums: Annotated[
        str | None,
        typer.Option(
            "--power-sums",
            metavar="S2,S3,…",
            help="With --cells: the sums of the squares, cubes and so on of the shares.",
        ),
    ] = None,
    shares: Annotated[
        str | None,
        typer.Option("--shares", metavar="0.5,0.3,…", help="The share of people of each value."),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="FILE", help="Data to take the shares from; needs --qi."),
    ] = None,
    qi: Annotated[
        str | None,
        typer.Option("--qi", metavar="A,B,C", help="Columns that others could know."),
    ] = None,
    count: Annotated[
        str | None,
        typer.Option(
            "--count",
            metavar="COLUMN",
            help="With --data: the column that says how many people a row stands for.",
        ),
    ] = None,
    normal: Annotated[
        float | None,
        typer.Option("--normal", metavar="SD", help="A normal quantity; needs --width."),
    ] = None,
    exponential: Annotated[
        float | None,
        typer.Option("--exponential", metavar="MEAN", help="An exponential one; needs --width."),
    ] = None,
    width: Annotated[
        list[float] | None,
        typer.Option("--width", help="How wide the intervals of the quantity are. Repeatable."),
    ] = None,
    up_to: Annotated[
        int | None,
        typer.Option("--up-to", min=1, help="Up to which size sets are shown; 10 if absent."),
    ] = None,
    without_replacement: Annotated[
        bool | None,
        typer.Option(
            "--without-replacement/--with-replacement",
            help="Whether nobody is drawn twice from the people in the data; "
            "if absent, above 1% of them.",
        ),
    ] = None,
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Predict how many people will be unique, before anything is collected.

    Say how people spread over the possible values: --cells N if all are equally likely, --shares,
    --data FILE --qi A,B for those of other data, or --normal SD --width W for a rounded quantity;
    and with --people how many of them there will be. `singleout predict plan` finds how to ask.
    """
    from singleout.cli.screens import predict as predict_screen

    sources = {
        "cells": cells,
        "shares": shares,
        "data": data,
        "normal": normal,
        "exponential": exponential,
    }
    if context.invoked_subcommand is not None:
        if people is not None or any(value is not None for value in sources.values()):
            raise BadChoice(
                f"Write the options after {context.invoked_subcommand!r}: singleout predict "
                f"{context.invoked_subcommand} …"
            )
        return
    many = _check_sources(sources, people)
    _check_only_with("--cells", cells, {"--kl": kl, "--power-sums": power_sums})
    if kl is not None and power_sums is not None:
        raise BadChoice("Give either --kl or --power-sums, and not both.")
    _check_only_with("--data", data, {"--qi": qi, "--count": count, **reading.given})
    quantity = normal if normal is not None else exponential
    _check_only_with("--normal or --exponential", quantity, {"--width": width or None})
    values = next((sources[name] for name in _OF_CELLS if sources[name] is not None), None)
    _check_only_with("--cells, --shares or --data", values, {"--up-to": up_to})
    if without_replacement and data is None:
        raise BadChoice(
            "--without-replacement needs to know how many people each cell has; give --data, or "
            "leave it out."
        )
    outputs = Outputs(
        json=json, csv=csv, plot=plot, force=force, read=[data], engine=reading.engine
    )
    with shown_if_slow(_LESS):
        shown: predict_screen.Shown
        if quantity is not None:
            wide = width or []
            shown = predict_screen.widths(many, normal, exponential, wide, without_replacement)
        else:
            sums = None if power_sums is None else _numbers(power_sums, "--power-sums")
            if data is not None:
                spread = _of_data(data, qi, count, reading)
            else:
                spread = _spread(cells, kl, sums, shares)
            _check_drawn(spread, many, without_replacement)
            limits = predict_screen.limits_of(cells, kl, sums, many)
            shown = predict_screen.cells(spread, many, up_to or _UP_TO, without_replacement, limits)
        outputs.write(rows=shown.rows, chart=shown.chart)
    outputs.show(shown.to_dict, shown.show)


def _check_sources(sources: dict[str, Any], people: int | None) -> int:
    there = [f"--{name}" for name, value in sources.items() if value is not None]
    if len(there) != 1:
        what = " and ".join(there) if there else "nothing"
        raise BadChoice(
            f"Say in one way how people spread, and not with {what}: {_SOURCES}."
            if there
            else f"Say how people spread over the possible values: {_SOURCES}."
        )
    if people is None:
        raise BadChoice("Say with --people how many people there will be, as --people 1000.")
    if people < 1:
        raise BadChoice(f"--people must be 1 or more, not {people}.")
    if people > _MOST_PEOPLE:
        raise BadChoice(f"--people must be at most 10^12, more than ever lived, not {people:,}.")
    return people


def _check_only_with(needed: str, value: Any, others: dict[str, Any]) -> None:
    extra = next((name for name, other in others.items() if other is not None), None)
    if value is None and extra is not None:
        raise BadChoice(f"{extra} goes with {needed}; give that as well, or leave {extra} out.")


def _of_data(data: str, qi: str | None, count: str | None, reading: Reading) -> Distribution:
    """Return how people spread in data in hand, wherever it is."""
    from singleout.predict.distribution.distribution import Distribution

    if qi is None:
        raise BadChoice("Say with --qi which columns of the data others could know: --qi A,B.")
    names = list(options.quasi_identifier(qi))
    with reading.open(data, [*names, *filter(None, [count])]) as counter:
        return Distribution.from_table(counter, names, counts=count)


def _spread(
    cells: float | None,
    kl: float | None,
    power_sums: Sequence[float] | None,
    shares: str | None,
) -> Distribution:
    """Return how people spread, by whichever option was given."""
    from singleout.predict.distribution.distribution import Distribution

    if shares is not None:
        return Distribution.from_probabilities(_checked_shares(_numbers(shares, "--shares")))
    assert cells is not None
    if kl is None and power_sums is None:
        return _equally_likely(cells)
    return Distribution.from_summary(cells=cells, kl=kl, power_sums=power_sums)


def _checked_shares(shares: Sequence[float]) -> Sequence[float]:
    largest = max(shares)
    if largest > 1 + _SUM_TOLERANCE and isfinite(largest):
        raise BadChoice(
            f"--shares has {largest:.7g}, but a share of all people is at most 1; give numbers of "
            "people in a file: --data FILE --qi A --count N."
        )
    total = fsum(shares)
    if isfinite(total) and abs(total - 1) > _SUM_TOLERANCE:
        raise BadChoice(
            f"--shares sum to {total:.7g}, not to 1; give the shares of all people, or numbers of "
            "people in a file: --data FILE --qi A --count N."
        )
    return shares


def _check_drawn(spread: Distribution, people: int, without_replacement: bool | None) -> None:
    """Refuse to draw more people than there are, in the words of the command line."""
    population = spread.population
    if without_replacement is not False and population is not None and people > population:
        raise BadChoice(
            f"{people:,} people cannot be drawn from the {population:,} of the data; give fewer, "
            "or --with-replacement if the data is itself a sample."
        )


def _equally_likely(cells: float) -> Distribution:
    import numpy as np

    from singleout.predict.distribution.distribution import Distribution
    from singleout.predict.distribution.people import MOST_POSSIBLE

    if not (cells >= 1 and float(cells).is_integer()):
        raise BadChoice(f"--cells must be a whole number of 1 or more, not {cells:g}.")
    if cells > MOST_POSSIBLE:
        raise BadChoice(f"--cells must be at most {MOST_POSSIBLE:g}, not {cells:g}.")
    # a whole number of 64 bits holds every number of cells that a float holds exactly
    exact = int(cells) if cells < 2**53 else float(cells)
    return Distribution(np.array([1 / cells]), np.array([exact]), exact)


def _numbers(text: str, option: str) -> Sequence[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise BadChoice(
            f"{option} {text!r} is not a list of numbers; write them as 0.5,0.3,0.2."
        ) from None
