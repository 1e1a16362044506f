"""`singleout attacker-risk`: prosecutor, journalist and marketer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from singleout.cli.shared import classes, options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.choices import MissingPolicy
from singleout.core.wording import percent
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.methods.attackers.measure import Attacker
    from singleout.methods.attackers.result import AttackerRisk

__all__ = ["attacker_risk"]


@takes_data
def attacker_risk(
    data: options.Data,
    qi: classes.Known,
    population: classes.PopulationSize = None,
    sampling_fraction: classes.SamplingFraction = None,
    weights: classes.Weights = None,
    population_table: classes.PopulationTable = None,
    threshold: Annotated[
        float, typer.Option("--threshold", help="A record is at risk if its chance is above this.")
    ] = 0.2,
    by: classes.By = None,
    unit: classes.Unit = None,
    missing: options.Missing = MissingPolicy.VALUE,
    identifier: classes.Identifier = None,
    json: options.Json = False,
    csv: classes.PerRecord = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Measure how likely three attackers are to find the right person for a record.

    A prosecutor knows that the person is in the file, a journalist does not, and a marketer wants
    as many right matches as possible. Without a population all three have the same chances.
    """
    from singleout.methods.attackers.function import attacker_risk as measure

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
    classes.refuse_units_of_counts(unit, reading)
    columns = [*known, *groups, weights, unit]
    with (
        shown_if_slow(),
        classes.opened(reading, data, columns, csv=csv, identifier=identifier) as counter,
    ):
        result = measure(counter, known, stated, threshold, groups, missing, unit=unit)
        source = counter.source
        outputs.write(
            rows=lambda: classes.record_rows(result.per_record, counter, identifier),
            chart=result.plot,
            private=[csv],
        )
    outputs.show({"data": source, "results": [result.to_dict()]}, lambda: _show(source, result))


def _show(source: str, result: AttackerRisk) -> None:
    """Print the answer for people."""
    about = {"records": result.records, "classes": len(result.classes.records)}
    of = (
        "screen.attacker_risk.about" if result.unit is None else "screen.attacker_risk.about_people"
    )
    tell(say(of, source=source, **about))
    rows = [_row(say(f"attackers.names.{name}"), a) for name, a in result.attackers.items()]
    for value, part in result.groups.items():
        rows += [
            _row(f"  {result.group_name(value)}, {say(f'attackers.names.{name}')}", attacker)
            for name, attacker in part.attackers.items()
        ]
    show_table("screen.attacker_risk.attackers", rows, threshold=percent(result.threshold))
    tell(f"{result}.", notes=result.notes)


def _row(name: str, attacker: Attacker) -> list[str]:
    shares = (attacker.at_risk, attacker.highest, attacker.success)
    return [name, *("–" if share is None else percent(share) for share in shares)]
