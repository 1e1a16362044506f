"""`singleout person`: what one's own answers reveal; computed here, nothing is sent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singleout.cli.assess import check_report
from singleout.cli.shared import options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs, number, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.wording import percent
from singleout.errors import BadChoice
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.predict.own.result import OwnRisk

__all__ = ["Cell", "person"]

Cell = Annotated[
    list[str] | None,
    typer.Option(
        "--cell",
        metavar="COLUMN=VALUE,…",
        help="Your own values, as PC4=1056,gender=F,YoB=1981; matched as text. They are not sent, "
        "and not kept. Repeatable.",
    ),
]


@takes_data
def person(
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="FILE", help="The data to be compared with."),
    ] = None,
    cell: Cell = None,
    count: Annotated[
        str | None,
        typer.Option(
            "--count",
            metavar="COLUMN",
            help="The column that says how many people a row stands for.",
        ),
    ] = None,
    people: Annotated[
        int | None,
        typer.Option(
            "--people",
            "-k",
            help="Among how many people you could be looked for, you included; those of the data "
            "if absent.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", metavar="OUT.html", help="Write a page that you can keep."),
    ] = None,
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Show what your own answers reveal of you, beside the average of all people.

    The data are a table of people, or of numbers of people with --count, as statistical offices
    publish them. Everything is computed on this machine: your values are sent nowhere, not even to
    a database that holds the data. The page of --output holds them, and only you can read it.
    """
    from singleout.predict.own.function import person as assessed
    from singleout.report.page import write_page

    values = options.pairs(cell, "--cell", "a column and your value", "PC4=1056")
    if data is None:
        raise BadChoice("Say with --data which data to compare with, as --data census.csv.")
    if not values:
        raise BadChoice("Give your values with --cell, as --cell PC4=1056,gender=F,YoB=1981.")
    check_report(output)
    outputs = Outputs(
        json=json,
        csv=csv,
        plot=plot,
        files=[output],
        force=force,
        read=[data],
        engine=reading.engine,
    )
    with shown_if_slow():
        with reading.open(data, [*values, *filter(None, [count])]) as counter:
            found = assessed(counter, values, counts=count, people=people)
        outputs.write(
            rows=lambda: found.to_frame().to_dicts(),
            chart=found.plot,
            files={output: lambda part: write_page(found.report_content(), part)},
            private=[output],
        )

    def for_people() -> None:
        _show(found)
        outputs.tell_written()

    outputs.show(found.to_dict, for_people)


def _show(found: OwnRisk) -> None:
    from singleout.predict.distribution.people import readable

    show_table(
        "screen.person.risk",
        [
            [
                say("screen.person.you"),
                percent(found.unique),
                percent(found.match),
                readable(found.expected_set),
            ],
            [
                say("screen.person.average"),
                percent(found.average_unique),
                percent(found.average_match),
                readable(found.average_set),
            ],
        ],
        people=found.people,
    )
    show_table(
        "screen.person.answers",
        [
            [
                answer.column,
                answer.value,
                *map(number, (answer.people, answer.left, answer.without)),
            ]
            for answer in found.answers
        ],
    )
    telling = found.most_telling
    tell(
        f"{found}.",
        say("screen.person.advice", column=telling.column, people=telling.without),
        say("screen.person.sent"),
        warnings=found.warnings,
        notes=found.notes,
    )
