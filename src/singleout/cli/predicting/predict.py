"""`singleout predict`: how identifying data will be, before it is collected."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, isfinite
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.predicting import compared, qq, validate, wrong_values
from singleout.cli.predicting import plan as predict_plan
from singleout.cli.predicting.numbers import listed_numbers, numbers_of_people, wholes
from singleout.cli.shared import options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs
from singleout.cli.shared.progress import shown_if_slow
from singleout.errors import BadChoice
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.cli.screens.places import ShownPlaces
    from singleout.predict.distribution.distribution import Distribution

__all__ = ["app", "predict"]

app = typer.Typer(invoke_without_command=True, no_args_is_help=True)
app.command("plan")(predict_plan.plan)
app.command("validate")(validate.validate)
app.command("qq")(qq.qq)
app.command("errors")(wrong_values.errors)

_UP_TO = 10
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
        list[str] | None,
        typer.Option(
            "--people",
            "-k",
            metavar="K",
            help="How many people there will be; several as 20,40 or 5:80:5. Repeatable.",
        ),
    ] = None,
    cells: Annotated[
        str | None,
        typer.Option(
            "--cells",
            metavar="N",
            help="How many values are possible; equally likely if nothing else is given. Several "
            "as 1:20.",
        ),
    ] = None,
    kl: Annotated[
        str | None,
        typer.Option(
            "--kl",
            metavar="NATS",
            help="With --cells: the Kullback-Leibler distance from equally likely, in nats; "
            "several as 0.09,0.4.",
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
    by: compared.By = None,
    measure: compared.Measured = None,
    against: compared.Against = None,
    least: compared.Least = None,
    sort: compared.Sort = None,
    formula: compared.Formula = None,
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
    and with --people how many of them there will be. --by compares places. `singleout predict plan`
    finds how to ask.
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
    _check_sources(sources)
    asked = _Spread(
        [] if cells is None else wholes([cells], "--cells", "95"),
        [] if kl is None else listed_numbers(kl, "--kl", "0.09,0.4"),
        None if power_sums is None else listed_numbers(power_sums, "--power-sums"),
        shares,
        *(data, qi, count),
    )
    many = numbers_of_people(people)
    how = {"--measure": measure, "--against": against, "--formula": formula}
    places = {"--least": least, "--sort": sort}
    quantity = normal if normal is not None else exponential
    values = next((sources[name] for name in _OF_CELLS if sources[name] is not None), None)
    several = bool(by) or len(many) > 1 or asked.several
    _check_only_with("--cells", cells, {"--kl": kl, "--power-sums": power_sums})
    of_data = {"--qi": qi, "--count": count, "--by": by or None, **places}
    _check_only_with("--data", data, {**of_data, **reading.given})
    _check_only_with("--by", by or None, places)
    _check_only_with("--normal or --exponential", quantity, {"--width": width or None})
    _check_only_with("--cells, --shares or --data", values, {"--up-to": up_to})
    _check_only_with("--by or several numbers of people", several or None, how)
    if without_replacement and data is None:
        raise BadChoice(
            "--without-replacement needs to know how many people each cell has; give --data, or "
            "leave it out."
        )
    outputs = Outputs(
        json=json, csv=csv, plot=plot, force=force, read=[data], engine=reading.engine
    )
    with shown_if_slow(_LESS):
        shown: predict_screen.Shown | ShownPlaces
        if data is not None and by:
            shown = compared.of_places(
                data,
                qi,
                by,
                many,
                reading,
                how=how,
                cells=asked.possible,
                counts=count,
                without_replacement=without_replacement,
                **{name.removeprefix("--"): value for name, value in places.items()},
            )
        elif quantity is not None:
            one = _one_number(many)
            shown = predict_screen.widths(
                one, normal, exponential, width or [], without_replacement
            )
        elif several:
            shown = compared.of_spreads(asked.named(reading), many, without_replacement, how=how)
        else:
            spread = asked.one(reading)
            _check_drawn(spread, many[0], without_replacement)
            shown = predict_screen.cells(
                spread, many[0], up_to or _UP_TO, without_replacement, asked.limits(many[0])
            )
        outputs.write(rows=shown.rows, chart=shown.chart)
    outputs.show(shown.to_dict, shown.show)


def _check_sources(sources: dict[str, Any]) -> None:
    there = [f"--{name}" for name, value in sources.items() if value is not None]
    if len(there) != 1 and there != ["--cells", "--data"]:  # cells are then the possible ones
        what = " and ".join(there) if there else "nothing"
        raise BadChoice(
            f"Say in one way how people spread, and not with {what}: {_SOURCES}."
            if there
            else f"Say how people spread over the possible values: {_SOURCES}."
        )


def _one_number(people: Sequence[int]) -> int:
    if len(people) > 1:
        raise BadChoice("Give one number of people with --normal or --exponential.")
    return people[0]


def _check_only_with(needed: str, value: Any, others: dict[str, Any]) -> None:
    extra = next((name for name, other in others.items() if other is not None), None)
    if value is None and extra is not None:
        raise BadChoice(f"{extra} goes with {needed}; give that as well, or leave {extra} out.")


@dataclass(frozen=True)
class _Spread:
    """How people spread over cells, by whichever options were given."""

    cells: Sequence[float]
    distances: Sequence[float]
    sums: Sequence[float] | None
    shares: str | None
    data: str | None
    qi: str | None
    count: str | None

    def __post_init__(self) -> None:
        if self.distances and self.sums is not None:
            raise BadChoice("Give either --kl or --power-sums, and not both.")
        if self.data is not None and (self.distances or self.sums or len(self.cells) > 1):
            raise BadChoice(
                "With --data, --cells is one number, and the distance is that of the data."
            )
        if len(self.cells) > 1 and self.sums is not None:
            raise BadChoice("With --power-sums, --cells is one number.")

    @property
    def several(self) -> bool:
        return len(self.cells) > 1 or len(self.distances) > 1

    @property
    def possible(self) -> float | None:
        return self.cells[0] if self.cells else None

    def one(self, reading: Reading) -> Distribution:
        """Return the only distribution asked for."""
        from singleout.predict.distribution.distribution import Distribution

        if self.data is not None:
            names = compared.quasi_identifier(self.qi)
            with reading.open(self.data, [*names, *filter(None, [self.count])]) as counter:
                return Distribution.from_table(
                    counter, names, counts=self.count, cells=self.possible
                )
        if self.shares is not None:
            shares = _checked_shares(listed_numbers(self.shares, "--shares"))
            return Distribution.from_probabilities(shares)
        kl = self.distances[0] if self.distances else None
        return _of_cells(self.cells[0], kl, self.sums)

    def named(self, reading: Reading) -> dict[str, Distribution] | Sequence[float]:
        """Return the distributions asked for by name, or numbers of equally likely cells."""
        if self.data is None and self.shares is None and not (self.distances or self.sums):
            return self.cells
        if not self.several:
            name = self.data or say("predict.places.people_given")
            return {name: self.one(reading)}
        return {
            _name(kl, cells if len(self.cells) > 1 else None): _of_cells(cells, kl, None)
            for cells in self.cells
            for kl in self.distances
        }

    def limits(self, people: int) -> tuple[float, float] | None:
        """Return the limits of the number of unique people, if only a summary is known."""
        from singleout.cli.screens.predict import limits_of

        if self.data is not None:
            return None
        kl = self.distances[0] if self.distances else None
        return limits_of(self.possible, kl, self.sums, people)


def _name(kl: float, cells: float | None) -> str:
    number = "" if cells is None else f", N = {cells:,.0f}"
    return f"κ = {kl:g}{number}"


def _of_cells(cells: float, kl: float | None, sums: Sequence[float] | None) -> Distribution:
    from singleout.predict.distribution.distribution import Distribution

    if kl is None and sums is None:
        return Distribution.equally_likely(cells)
    return Distribution.from_summary(cells=cells, kl=kl, power_sums=sums)


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
