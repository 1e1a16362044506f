"""`singleout population-uniqueness`: who is alone in the population, from a sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.shared import classes, options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.choices import MissingPolicy
from singleout.core.wording import figure, percent
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.methods.population.result import PopulationUniqueness

__all__ = ["population_uniqueness"]


@takes_data
def population_uniqueness(
    data: options.Data,
    qi: classes.Known,
    population: classes.PopulationSize = None,
    sampling_fraction: classes.SamplingFraction = None,
    weights: classes.Weights = None,
    population_table: classes.PopulationTable = None,
    estimator: Annotated[
        list[str] | None,
        typer.Option(
            "--estimator",
            metavar="NAME",
            help="zayatz, pitman, snb, dankar, loglinear or predicted; repeatable. All if not "
            "given.",
        ),
    ] = None,
    by: classes.By = None,
    missing: options.Missing = MissingPolicy.VALUE,
    seed: Annotated[
        int, typer.Option("--seed", help="The seed of the random numbers of intervals.")
    ] = 0,
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Estimate how many people are alone in the population that a sample was drawn from.

    Six estimators, each with an interval, and the one to believe. State the population by its
    size, by the sampling fraction, by a column of weights or by a table of counts.
    """
    from singleout.methods.population.function import population_uniqueness as measure

    known = classes.quasi_identifiers(qi)
    groups = list(by or [])
    stated = classes.population_of(population, sampling_fraction, weights, population_table)
    outputs = Outputs(
        json=json,
        csv=csv,
        plot=plot,
        force=force,
        read=[data, population_table],
        engine=reading.engine,
    )
    columns = [*known, *groups, weights]
    with (
        shown_if_slow(),
        classes.opened(reading, data, columns, csv=None, identifier=None) as counter,
    ):
        result = measure(counter, known, stated, estimator or "all", groups, missing, seed=seed)
        source = counter.source
        outputs.write(rows=lambda: result.to_frame().to_dicts(), chart=result.plot)
    outputs.show({"data": source, "results": [result.to_dict()]}, lambda: _show(source, result))


def _show(source: str, result: PopulationUniqueness) -> None:
    """Print the answer for people."""
    about = {"records": result.records, "people": round(result.people)}
    tell(say("screen.population_uniqueness.about", source=source, **about))
    rows = _rows("", result)
    for value, part in result.groups.items():
        rows += _rows(f"  {result.group_name(value)}, ", part)
    show_table("screen.population_uniqueness.estimates", rows)
    refused = [
        f"{say(f'population.names.{name}')}: {' '.join(one.notes)}"
        for name, one in result.estimates.items()
        if one.notes
    ]
    tell(f"{result}.", notes=(*refused, *result.notes))


def _rows(group: str, result: PopulationUniqueness) -> list[list[Any]]:
    rows = []
    for name, one in result.estimates.items():
        interval = "–"
        if one.low is not None and one.high is not None:
            interval = f"{percent(one.low)} to {percent(one.high)}"
        mark = say("population.marked") if name == result.found.best else ""
        share = "–" if one.share is None else percent(one.share)
        count = "–" if one.count is None else figure(one.count, ",.0f")
        rows.append([f"{group}{say(f'population.names.{name}')}{mark}", share, interval, count])
    return rows
