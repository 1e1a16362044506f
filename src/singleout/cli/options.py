"""Options that several commands share, and how a quasi-identifier is written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from singleout.core.choices import MissingPolicy
from singleout.errors import BadChoice

__all__ = [
    "CsvOut",
    "Data",
    "Delimiter",
    "Encoding",
    "Force",
    "Json",
    "Missing",
    "Na",
    "Name",
    "Plot",
    "Quote",
    "Sheet",
    "quasi_identifier",
]

_PLUS = re.compile(r"(?<!\\)\+")

Data = Annotated[
    str,
    typer.Argument(metavar="DATA", help="The data file: CSV, Parquet, Excel, SPSS, R and more."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
CsvOut = Annotated[
    Path | None, typer.Option("--csv", metavar="OUT", help="Also write the result to a CSV file.")
]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="OUT", help="Draw it: OUT.svg, .png, .pdf, .html or .json."),
]
Force = Annotated[bool, typer.Option("--force", help="Write over files that exist.")]
Missing = Annotated[
    MissingPolicy,
    typer.Option(
        "--missing",
        help="What a missing value means: a value like another, a wildcard that matches "
        "everything, or a reason to drop the record.",
    ),
]
Na = Annotated[
    list[str] | None,
    typer.Option("--na", metavar="TEXT", help="Text that means missing; may be repeated."),
]
Delimiter = Annotated[
    str | None, typer.Option("--delimiter", help="What separates values; detected if not given.")
]
Quote = Annotated[
    str | None, typer.Option("--quote", help="What quotes values; detected if not given.")
]
Encoding = Annotated[
    str | None, typer.Option("--encoding", help="The text encoding; detected if not given.")
]
Sheet = Annotated[str | None, typer.Option("--sheet", help="The sheet of an Excel file.")]
Name = Annotated[
    str | None, typer.Option("--name", help="The data frame in an R file that holds several.")
]


def quasi_identifier(text: str) -> tuple[str, ...]:
    r"""Return the columns of ``A+B+C``; a plus sign within a name is written ``\+``."""
    names = tuple(part.replace("\\+", "+") for part in _PLUS.split(text))
    if not all(names):
        raise BadChoice(
            f"--qi {text!r} has an empty column name; write columns as A+B, "
            r"and a plus sign within a name as \+."
        )
    return names
