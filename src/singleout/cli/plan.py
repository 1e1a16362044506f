"""`singleout plan`: a first plan for a file, guessed, with a reason for every guess."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singleout.cli.shared import options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.paths import expanded, real
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.assessment.guess.guess import GuessedPlan

__all__ = ["plan"]


@takes_data
def plan(
    data: options.Data,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="PLAN", help="Write the plan to a file, not to the terminal."
        ),
    ] = None,
    json: options.Json = False,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", metavar="OUT", help="Also write the guesses, a row for each column."),
    ] = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Guess what each column of a file means, as a plan to check and to assess the file with.

    Names are understood in English, French, German, Dutch and Spanish, and values by their
    patterns. The plan is YAML; every guess in it says why, and how sure it is. No value of a column
    that names people is written, and nothing is sent anywhere.
    """
    from singleout.assessment.guess.guess import guess_from
    from singleout.assessment.guess.subjects import subjects_of

    outputs = Outputs(
        json=json, csv=csv, files=[output], force=force, read=[data], engine=reading.engine
    )
    with shown_if_slow():
        choice = reading.choose(data)
        with reading.open(data, choice=choice, look=False) as counter:
            guessed = guess_from(subjects_of(counter), counter)
        # the URL of a database may hold a password, which does not belong in a plan
        if choice.is_one_file:
            guessed = guessed.for_file(_seen_from(output, data), reading.parsing)
        text = guessed.to_yaml()
        outputs.write(
            rows=lambda: guessed.to_dict()["guesses"],
            files={output: lambda part: part.write_text(text, encoding="utf-8")},
        )
    if output is None:
        outputs.show(guessed.to_dict, lambda: sys.stdout.write(text))
    else:
        outputs.show(guessed.to_dict, lambda: _say_what_was_written(guessed, output))


def _seen_from(plan_file: Path | None, data: str) -> str:
    """Return the path of the data from the folder of the plan, which may be moved with it."""
    file = expanded(data)
    if plan_file is None or file.is_absolute():
        return str(file)
    try:
        return os.path.relpath(file, plan_file.parent)
    except ValueError:  # on another drive
        return str(real(file))


def _say_what_was_written(guessed: GuessedPlan, output: Path) -> None:
    unsure = sum(guess.sure == "unsure" for guess in guessed.guesses)
    written = say("screen.plan", n=len(guessed.guesses), file=output, unsure=unsure)
    tell(written, notes=guessed.notes)
