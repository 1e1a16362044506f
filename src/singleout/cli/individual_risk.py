"""`singleout individual-risk`: how likely each record of a sample is re-identified."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.shared import classes, options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs, number, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.choices import MissingPolicy
from singleout.core.wording import in_figures, percent, stated_percent
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.methods.individual.measure import RiskThreshold
    from singleout.methods.individual.result import IndividualRisk

__all__ = ["individual_risk"]

_ROWS_SHOWN = 60


@takes_data
def individual_risk(
    data: options.Data,
    qi: classes.Known,
    weights: Annotated[
        str,
        typer.Option(
            "--weights",
            metavar="COLUMN",
            help="The sampling weights: how many people of the population a record stands for.",
        ),
    ],
    household: Annotated[
        str | None,
        typer.Option("--household", metavar="COLUMN", help="Which records are of one household."),
    ] = None,
    by: classes.By = None,
    missing: options.Missing = MissingPolicy.VALUE,
    wanted: Annotated[
        float | None,
        typer.Option(
            "--wanted",
            **options.SHARE,
            help="The global risk that is wanted, as 0.01: adds above which risk records must be "
            "treated.",
        ),
    ] = None,
    identifier: classes.Identifier = None,
    json: options.Json = False,
    csv: classes.PerRecord = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Estimate how likely each record of a sample is re-identified (Benedetti and Franconi).

    Whoever knows the columns of a person guesses among the people of the population who share
    them; how many they are is estimated from the sampling weights. --csv writes the risk of every
    record, with --id beside the value of a column that names it.
    """
    from singleout.methods.individual.function import individual_risk as measure

    known, groups = classes.quasi_identifiers(qi), list(by or [])
    outputs = Outputs(
        json=json, csv=csv, plot=plot, force=force, read=[data], engine=reading.engine
    )
    columns = [*known, *groups, weights, household]
    with (
        shown_if_slow(),
        classes.opened(reading, data, columns, csv=csv, identifier=identifier) as counter,
    ):
        result = measure(counter, known, weights, household, groups, missing)
        threshold = None if wanted is None else result.threshold(wanted)
        source = counter.source
        outputs.write(
            rows=lambda: classes.record_rows(result.per_record, counter, identifier),
            chart=result.plot,
            private=[csv],
        )
    plain = result.to_dict() | _threshold_dict(threshold)
    outputs.show({"data": source, "results": [plain]}, lambda: _show(result, threshold))


def _threshold_dict(threshold: RiskThreshold | None) -> dict[str, Any]:
    if threshold is None:
        return {}
    asked = {"wanted": threshold.wanted, "risk": threshold.risk, "records": threshold.records}
    return {"threshold": asked}


def _show(result: IndividualRisk, threshold: RiskThreshold | None) -> None:
    """Print the answer for people."""
    groups = [(f"  {result.group_name(value)}", part) for value, part in result.groups.items()]
    label = say("screen.individual.all_records", name=result.name) if groups else result.name
    rows = [(label, result), *groups]
    shown = rows[:_ROWS_SHOWN]
    show_table("screen.individual.risk", [_risks(*row) for row in shown])
    show_table("screen.individual.above", [_above(*row) for row in shown])
    if len(rows) > _ROWS_SHOWN:
        tell(say("screen.individual.hidden", n=len(rows) - _ROWS_SHOWN))
    tell(f"{result}.", *_sentences(result, threshold), notes=result.notes)


def _risks(label: str, result: IndividualRisk) -> list[str]:
    household = result.household_global_risk
    return [
        label,
        number(result.records),
        in_figures(result.expected),
        percent(result.global_risk),
        percent(result.highest),
        "–" if household is None else percent(household),
    ]


def _above(label: str, result: IndividualRisk) -> list[str]:
    from singleout.methods.individual.result import LEVELS

    return [label, *(number(result.above(level)) for level in LEVELS)]


def _sentences(result: IndividualRisk, threshold: RiskThreshold | None) -> list[str]:
    sentences = []
    if result.household_spread is not None:
        sentences.append(
            say(
                "screen.individual.household",
                column=result.household_column,
                expected=in_figures(result.household_spread.expected),
                share=percent(result.household_spread.mean),
            )
        )
    if threshold is not None:
        sentences.append(
            say(
                "screen.individual.threshold" if threshold.records else "screen.individual.met",
                n=threshold.records,
                wanted=stated_percent(threshold.wanted),
                risk=percent(threshold.risk),
            )
        )
    return sentences
