"""`singleout query`: what is published about a quasi-identifier, and what it predicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.repository import shared
from singleout.cli.shared import options
from singleout.cli.shared.output import Outputs, number, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.wording import percent
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.repository.answering.answer import RepositoryAnswer
    from singleout.repository.answering.prediction import RepositoryPrediction

__all__ = ["query", "show_predictions"]

_NOTHING = 1

People = Annotated[
    list[int] | None,
    typer.Option(
        "--people",
        "-k",
        help="Predict how many of so many people would be unique. Repeatable.",
    ),
]
Cells = Annotated[
    int | None,
    typer.Option("--cells", help="How many combinations are possible, if no record says so."),
]
Day = Annotated[
    str | None,
    typer.Option("--date", metavar="YYYY-MM-DD", help="The day it is asked for; today."),
]


def query(
    qi: shared.QuasiIdentifiers = None,
    population: shared.Population = None,
    repository: shared.RepositoryOption = None,
    people: People = None,
    cells: Cells = None,
    date: Day = None,
    token: shared.TokenFile = None,
    purpose: shared.Purpose = None,
    json: options.Json = False,
    csv: options.CsvOut = None,
    force: options.Force = False,
) -> None:
    """Ask a repository what is known about attributes in a population.

    Where there is no record of just that, the nearest one answers, and what that does to the
    prediction is said. Only the names of attributes and the population are sent, never a value of
    yours. Exit code 1 if no record can answer.
    """
    wanted = shared.one_quasi_identifier(qi)
    outputs = Outputs(json=json, csv=csv, force=force)
    numbers = list(people or ())
    with (
        shown_if_slow(),
        shared.opened(repository, token=token, purpose=purpose) as asked,
    ):
        answer = asked.query(
            wanted,
            shared.people_of(population),
            people=numbers[0] if numbers else None,
            cells=cells,
            reference_date=day_of(date),
        )
        predictions = [answer.predict(each) for each in numbers] if answer.found else []
        outputs.write(rows=lambda: answer.to_frame().to_dicts())
    outputs.show(
        lambda: {
            **answer.to_dict(),
            "predictions": [each.to_dict() for each in predictions],
        },
        lambda: _show(answer, predictions),
    )
    if not answer.found:
        raise typer.Exit(_NOTHING)


def day_of(text: str | None) -> Any:
    """Return the day of a text."""
    from datetime import date

    from singleout.errors import BadChoice

    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadChoice(f"--date {text!r} is no day; write it as 2025-01-31.") from None


def _show(answer: RepositoryAnswer, predictions: list[RepositoryPrediction]) -> None:
    if not answer.found:
        tell(str(answer), notes=answer.nearest)
        return
    show_table("repository.client.records", shared.record_rows(answer.records))
    tell(*(step.says for step in answer.path))
    show_predictions(predictions)
    notes = dict.fromkeys(note for each in predictions for note in each.notes)
    said = {step.says for step in answer.path}
    tell(notes=[note for note in notes or answer.notes if note not in said])


def show_predictions(predictions: list[RepositoryPrediction]) -> None:
    """Print a row for each number of people."""
    if not predictions:
        return
    show_table(
        "repository.client.predictions",
        [
            [
                number(each.people),
                percent(each.share),
                _between(each.mean_interval(), each.people),
                percent(each.below(5)[0]),
                percent(each.below(11)[0]),
            ]
            for each in predictions
        ],
    )
    tell(say("repository.client.predictions.legend"))


def _between(ends: tuple[float, float], people: int) -> str:
    low, high = (percent(end / max(people, 1)) for end in ends)
    return f"{low} to {high}"
