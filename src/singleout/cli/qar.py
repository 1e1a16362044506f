"""`singleout qar`: the risk of a whole table, and the combinations of columns that make it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.shared import options
from singleout.cli.shared.data import CountReading, takes_data
from singleout.cli.shared.output import Outputs, number, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.choices import MissingPolicy
from singleout.core.wording import figure, stated_percent
from singleout.errors import BadChoice
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.methods.qar.exposure import RiskExposure
    from singleout.methods.qar.result import DatasetRisk

__all__ = ["qar"]


@takes_data
def qar(
    data: options.Data,
    columns: options.Columns = None,
    size: options.Size = 3,
    alpha: Annotated[
        list[float] | None,
        typer.Option(
            "--alpha",
            help="The share of the combinations beyond the risk; 0.01 if not given. Repeatable.",
        ),
    ] = None,
    tail: options.Tail = 0.05,
    estimator: options.Estimator = "plotting",
    missing: options.Missing = MissingPolicy.VALUE,
    cost: Annotated[
        float | None,
        typer.Option(
            "--cost", min=0, help="What one re-identified record costs; shows what is at stake."
        ),
    ] = None,
    probability: Annotated[
        float | None,
        typer.Option(
            "--probability",
            **options.SHARE,
            help="With --cost: the chance of an attack; 1 if not given.",
        ),
    ] = None,
    top: Annotated[int, options.top("of the worst combinations")] = 10,
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: CountReading,
) -> None:
    """Measure the risk of the whole table over all combinations of a few columns.

    A combination of columns that takes as many different values as there are records tells
    everybody apart. The risk T is what only the share alpha of the combinations exceed, estimated
    from the riskiest of them. --csv writes all combinations, worst first.
    """
    from singleout.methods.qar.function import qar as measure
    from singleout.methods.qar.result import draw

    if probability is not None and cost is None:
        raise BadChoice("--probability goes with --cost; add --cost AMOUNT, or leave it out.")
    wanted = options.column_names(columns)
    outputs = Outputs(
        json=json, csv=csv, plot=plot, force=force, read=[data], engine=reading.engine
    )
    with shown_if_slow(), reading.open(data, wanted) as counter:
        results = measure(
            counter,
            wanted,
            size,
            alpha=alpha or [0.01],
            tail=tail,
            estimator=estimator,
            missing=missing,
        )
        source = counter.source
        chance = 1.0 if probability is None else probability
        stakes = [] if cost is None else [each.exposure(cost, chance) for each in results]
        outputs.write(
            rows=results[0].combinations_ranked.to_dicts,
            chart=lambda: draw(results, stakes[0].plot() if stakes else None),
        )
    outputs.show(
        lambda: {"data": source, "results": _plain(results, stakes, top)},
        lambda: _show(source, results, stakes, top),
    )


def _plain(
    results: Sequence[DatasetRisk], stakes: Sequence[RiskExposure], top: int
) -> list[dict[str, Any]]:
    answers = [result.to_dict(top) for result in results]
    for answer, stake in zip(answers, stakes, strict=False):
        answer["exposure"] = stake.to_dict()
    return answers


def _show(
    source: str, results: Sequence[DatasetRisk], stakes: Sequence[RiskExposure], top: int
) -> None:
    """Print the results for people."""
    first = results[0]
    tell(
        say(
            "screen.qar.about",
            source=source,
            records=say("screen.records", n=first.records),
            combinations=say("screen.combinations", n=first.combinations),
            size=first.size,
            columns=say("screen.columns_in_all", n=len(first.columns)),
        )
    )
    risks = [[stated_percent(result.alpha), *_fit(result)] for result in results]
    show_table("screen.qar.risk", risks)
    if top:
        show_table(
            "screen.qar.worst",
            [
                [row["columns"], number(row["distinct"]), figure(row["theta"], ".4f")]
                for row in first.to_dict(top)["quasi_identifiers"]
            ],
        )
    for stake in stakes:
        show_table(
            "screen.qar.exposure",
            [
                [name, number(round(records)), figure(loss, ",.0f")]
                for name, records, loss in stake.rows()
            ],
        )
    interval = [say("qar.interval_of")] if any(result.interval for result in results) else []
    tell(
        *(f"{result}." for result in results),
        warnings=[text for result in results for text in result.warnings],
        notes=[
            *(stake.assumption for stake in stakes[:1]),
            *interval,
            say(f"screen.qar.missing.{first.missing}"),
            *first.notes,
        ],
    )


def _fit(result: DatasetRisk) -> list[str]:
    interval = result.interval
    return [
        figure(result.risk, ".4f"),
        "–" if interval is None else " – ".join(figure(limit, ".4f") for limit in interval),
        figure(result.empirical, ".4f"),
        figure(result.threshold, ".4f"),
        number(result.exceedances),
        *("–" if value is None else figure(value, ".4f") for value in (result.shape, result.scale)),
    ]
