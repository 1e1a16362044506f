"""`singleout demo`: what the tool does, on the table that comes with it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from singleout.cli import options
from singleout.cli.output import check_free, screen, write_csv, write_safely
from singleout.cli.progress import shown_if_slow
from singleout.cli.sets import show, summary_rows

__all__ = ["QUASI_IDENTIFIERS", "demo"]

QUASI_IDENTIFIERS = (
    ("PUMA",),
    ("PUMA", "SEX"),
    ("PUMA", "SEX", "AGEP"),
    ("PUMA", "SEX", "AGEP", "RAC1P", "MSP"),
    ("PUMA", "SEX", "AGEP", "RAC1P", "MSP", "EDU", "INDP_CAT"),
)


def demo(
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="OUT", help="Write the demo table to a CSV file."),
    ] = None,
    json: options.Json = False,
    csv: options.CsvOut = None,
    force: options.Force = False,
) -> None:
    """Show what singleout does, on a table of 7,634 real people that comes with it."""
    from singleout.api.anonymity import anonymity_sets
    from singleout.io.demo import copy_demo
    from singleout.io.demo import demo as demo_table

    check_free([save, csv], force=force, data=None)
    with shown_if_slow():
        table = demo_table()
        answers = anonymity_sets(table, QUASI_IDENTIFIERS)
    if save is not None:
        write_safely(save, copy_demo, force=force)
    if csv is not None:
        write_csv(csv, summary_rows(answers), force=force)
    if not json:
        screen().print(
            "7,634 people of five areas of Massachusetts (American Community Survey 2019).\n"
            "What does it take to single one of them out?\n",
            soft_wrap=True,
        )
    show(table, answers, as_json=json)
    if not json:
        columns = "+".join(QUASI_IDENTIFIERS[2])
        screen().print(
            "\nTry your own file:  singleout sets FILE --qi COLUMN+COLUMN\n"
            f"or this one:        singleout demo --save demo.csv, then "
            f"singleout sets demo.csv --qi {columns} --by PUMA",
            soft_wrap=True,
        )
