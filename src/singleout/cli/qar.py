"""`singleout qar`: the risk of a whole table, and the combinations of columns that make it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from singleout import __version__
from singleout.cli import options
from singleout.cli.data import CountReading, takes_data
from singleout.cli.options import Columns, Estimator, Size, Tail, column_names
from singleout.cli.output import (
    check_free,
    number,
    print_json,
    print_table,
    save_chart,
    screen,
    write_csv,
)
from singleout.cli.progress import shown_if_slow
from singleout.core.choices import MissingPolicy
from singleout.core.text import printable

if TYPE_CHECKING:
    from singleout.methods.qar.result import DatasetRisk

__all__ = ["qar"]

_POLICIES = {
    MissingPolicy.VALUE: "A missing value counts as a value like another (--missing value).",
    MissingPolicy.WILDCARD: "No value is missing, so there is nothing for wildcards to match.",
    MissingPolicy.DROP: "Records that lack a value are left out (--missing drop).",
}


@takes_data
def qar(
    data: options.Data,
    columns: Columns = None,
    size: Size = 3,
    alpha: Annotated[
        list[float] | None,
        typer.Option(
            "--alpha",
            help="The share of the combinations beyond the risk; 0.01 if not given. Repeatable.",
        ),
    ] = None,
    tail: Tail = 0.05,
    estimator: Estimator = "plotting",
    missing: options.Missing = MissingPolicy.VALUE,
    top: Annotated[
        int,
        typer.Option(
            "--top",
            min=0,
            max=options.MOST_ROWS,
            help="How many of the worst combinations to show.",
        ),
    ] = 10,
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

    wanted = column_names(columns)
    check_free([csv], plot=plot, force=force, read=[data], engine=reading.engine)
    with shown_if_slow(), reading.open(data, wanted) as found:
        answers = measure(
            found,
            wanted,
            size,
            alpha=alpha or [0.01],
            tail=tail,
            estimator=estimator,
            missing=missing,
        )
        source = found.source
        if plot is not None:
            save_chart(plot, draw(answers), force=force)
    if csv is not None:
        write_csv(csv, answers[0].combinations_ranked.to_dicts(), force=force)
    if json:
        results = [answer.to_dict(top) for answer in answers]
        print_json({"singleout": __version__, "data": source, "results": results})
    else:
        _show(source, answers, top)


def _show(source: str, answers: Sequence[DatasetRisk], top: int) -> None:
    """Print the answers for people."""
    from singleout.core.wording import stated_percent
    from singleout.report.say import say

    first = answers[0]
    intervals = (say("qar.interval_of"),) if any(answer.interval for answer in answers) else ()
    out = screen()
    out.print(
        f"{printable(source)}: {_many(first.records, 'record')}, "
        f"{_many(first.combinations, 'combination')} of {first.size} of "
        f"{_many(len(first.columns), 'column')}\n",
        soft_wrap=True,
    )
    print_table(
        "Risk of the table",
        ["alpha", "T", "95% of fits", "empirical", "threshold", "above it", "shape", "scale"],
        [[stated_percent(answer.alpha), *_fit(answer)] for answer in answers],
    )
    if top:
        print_table(
            "Worst combinations",
            ["columns", "distinct", "theta"],
            [
                [row["columns"], number(row["distinct"]), f"{row['theta']:.4f}"]
                for row in first.to_dict(top)["quasi_identifiers"]
            ],
        )
    for answer in answers:
        out.print(f"{answer}.", soft_wrap=True)
    warnings = dict.fromkeys(text for answer in answers for text in answer.warnings)
    for warning in warnings:
        out.print(f"Warning: {printable(warning)}", soft_wrap=True)
    for note in (*intervals, _POLICIES[first.missing], *first.notes):
        out.print(f"Note: {printable(note)}", soft_wrap=True)


def _many(things: int, name: str) -> str:
    return f"{things:,} {name}" if things == 1 else f"{things:,} {name}s"


def _fit(answer: DatasetRisk) -> list[str]:
    interval = answer.interval
    return [
        f"{answer.risk:.4f}",
        "–" if interval is None else f"{interval[0]:.4f} – {interval[1]:.4f}",
        f"{answer.empirical:.4f}",
        f"{answer.threshold:.4f}",
        number(answer.exceedances),
        *("–" if value is None else f"{value:.4f}" for value in (answer.shape, answer.scale)),
    ]
