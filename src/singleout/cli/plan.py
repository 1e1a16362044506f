"""`singleout plan`: a first plan for a file, guessed, with a reason for every guess."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singleout import __version__
from singleout.cli import options
from singleout.cli.data import Reading, takes_data
from singleout.cli.output import check_free, print_json, screen, write_safely
from singleout.cli.progress import shown_if_slow
from singleout.core.paths import expanded, real
from singleout.core.text import printable

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
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Guess what each column of a file means, as a plan to check and to assess the file with.

    Names are understood in English, French, German, Dutch and Spanish, and values by their
    patterns. The plan is YAML; every guess in it says why, and how sure it is. No value of a column
    that names people is written, and nothing is sent anywhere.
    """
    from singleout.assessment.guess.guess import guessed_plan

    check_free([output], force=force, read=[data], engine=reading.engine)
    with shown_if_slow():
        choice = reading.choose(data)
        with reading.open(data, choice=choice) as counter:
            guessed = guessed_plan(counter.records().table)
        # an address may hold a password, which has no place in a plan
        if choice.is_one_file:
            guessed = guessed.for_file(_seen_from(output, data))
    if output is not None:
        text = guessed.to_yaml()
        write_safely(output, lambda part: part.write_text(text, encoding="utf-8"), force=force)
    if json:
        print_json({"singleout": __version__, **guessed.to_dict()})
    elif output is None:
        sys.stdout.write(guessed.to_yaml())
    else:
        _say_what_was_written(guessed, output)


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
    out = screen()
    unsure = sum(guess.sure == "unsure" for guess in guessed.guesses)
    columns = len(guessed.guesses)
    out.print(
        f"{printable(output)}: {columns:,} {'column' if columns == 1 else 'columns'}, "
        f"{unsure:,} of the guesses unsure. Check them all before you rely on them.",
        soft_wrap=True,
    )
    for note in guessed.notes:
        out.print(f"Note: {printable(note)}", soft_wrap=True)
