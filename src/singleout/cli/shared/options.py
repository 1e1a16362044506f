"""Options that several commands share, and how a quasi-identifier is written."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.shared.renamed import Formerly, plus_within_a_name
from singleout.core.arguments import from_percent
from singleout.core.choices import MissingPolicy
from singleout.errors import BadChoice

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def _share(text: Any) -> float:
    """Return the share that an option has as its value: 0.05, 5% or 5 %."""
    try:
        return float(from_percent(text))
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a share; write it as 0.05 or as 5%.") from None


SHARE: Any = {"parser": _share, "metavar": "SHARE"}  # of an option: a number or a percentage
MOST_ROWS = 10**9  # that anybody can be shown

_COMMA = re.compile(r"(?<!\\),")
_EQUALS = re.compile(r"(?<!\\)=")
_COMMA_OR_PLUS = re.compile(r"(?<!\\)[+,]")

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="The data file: CSV, Parquet, Excel, SPSS, R and more; a folder of Parquet files, "
        "several files ('data/*.csv'), a table in a database "
        "(postgresql://user@host/database#table), or - for the standard input.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
CsvOut = Annotated[
    Path | None, typer.Option("--csv", metavar="OUT", help="Also write the result to a CSV file.")
]
Plot = Annotated[
    Path | None,
    typer.Option("--plot", metavar="OUT", help="Draw it: OUT.svg, .png, .pdf, .html or .json."),
]
ReportOut = Annotated[
    Path | None,
    typer.Option("--output", metavar="REPORT.html", help="Also write a report: one HTML file."),
]
Force = Annotated[
    bool, typer.Option("--force", help="Write over files that exist, but never over what is read.")
]
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
Sheet = Annotated[
    str | None,
    typer.Option(
        "--sheet", help="The sheet of a workbook; the only one with a table if not given."
    ),
]
HeaderRow = Annotated[
    int | None,
    typer.Option(
        "--header-row",
        metavar="NUMBER",
        help="The row, or line, that has the names of the columns; found if not given.",
    ),
]
SkipRows = Annotated[
    str | None,
    typer.Option(
        "--skip-rows",
        metavar="ROWS",
        help="Rows to leave out: 3 for the first three, 1-3,57 by their numbers, 0 to keep all; "
        "titles, totals and remarks if not given.",
    ),
]
CellRange = Annotated[
    str | None,
    typer.Option(
        "--range", metavar="B3:F20", help="The cells of a sheet that hold names and records."
    ),
]
Name = Annotated[
    str | None, typer.Option("--name", help="The data frame in an R file that holds several.")
]
Where = Annotated[
    str | None,
    typer.Option(
        "--where",
        metavar="CONDITION",
        help="Look at the records that meet a condition only: \"age >= 18 and region = 'north'\".",
    ),
]
Count = Annotated[
    str | None,
    typer.Option(
        "--count",
        metavar="COLUMN",
        help="In a table of counts: the column that says how many people a row stands for.",
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="local|database|spark",
        help="What counts: this process, a database (DuckDB for files), or Spark. If not given, "
        "the data decides.",
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory", metavar="SIZE", help="How much memory DuckDB may use for files, as 4GB."
    ),
]
Fetch = Annotated[
    bool | None,
    typer.Option(
        "--fetch",
        help="Let records leave the database where they are counted sooner in this process.",
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option(
        "--timeout", metavar="SECONDS", help="Give up if the database takes longer than this."
    ),
]
Checkpoint = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        metavar="FOLDER",
        help="With Spark: keep finished parts here, and go on from them after an interruption.",
    ),
]
PartsFolder = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        metavar="FOLDER",
        help="Keep finished parts of the search here, and go on from them after an interruption.",
    ),
]
Approximate = Annotated[
    float | None,
    typer.Option(
        "--approximate",
        metavar="ERROR",
        help="With Spark: estimate distinct counts with this relative error, as 0.01.",
    ),
]
Combined = Annotated[
    list[str] | None,
    typer.Option(
        "--qi",
        metavar="A,B,C",
        help="Columns that others could know, to combine; all if not given. Repeatable.",
    ),
    Formerly("--columns", plus_within_a_name),
]
Size = Annotated[int, typer.Option("--size", help="How many columns a combination has.")]
Tail = Annotated[
    float, typer.Option("--tail", help="The share of the combinations that the fit rests on.")
]
Estimator = Annotated[
    str,
    typer.Option("--estimator", metavar="plotting|unbiased", help="How the tail is fitted."),
]
Alpha = Annotated[
    float, typer.Option("--alpha", help="The share of the combinations beyond the risk.")
]
Factors = Annotated[
    int | None,
    typer.Option("--factors", help="With pls: how many factors it has; 3 if not given."),
]
Train = Annotated[
    float | None,
    typer.Option(
        "--train",
        **SHARE,
        help="With pls: the share of the records that train it; 0.75 if not given.",
    ),
]
Score = Annotated[
    str | None,
    typer.Option(
        "--score",
        metavar="FILE:COLUMN",
        help="A number for each record from another file, which has them in the same order.",
    ),
]
QuestionnaireFile = Annotated[
    str | None,
    typer.Argument(
        metavar="QUESTIONNAIRE", help="The YAML file; the sample that comes with it if absent."
    ),
]
# the policy of a collection
MostUnique = Annotated[
    float | None,
    typer.Option("--unique", **SHARE, help="The share of people that may be unique, as 5%."),
]
InSetsOf = Annotated[
    int | None,
    typer.Option("--in-sets-of", metavar="SIZE", help="The size that sets should have."),
]
ShareInSets = Annotated[
    float | None,
    typer.Option(
        "--share",
        **SHARE,
        help="With --in-sets-of: the share of people in such sets; 95% if absent.",
    ),
]
NeverDrop = Annotated[
    list[str] | None,
    typer.Option(
        "--never-drop", metavar="NAME,…", help="What must be asked in any case. Repeatable."
    ),
]


def score_file(score: str | None) -> list[str]:
    """Return the file of ``FILE:COLUMN``, if it is given."""
    return [] if score is None else [_file_and_column(score)[0]]


def score_numbers(score: str | None) -> NDArray[np.float64] | None:
    """Return the numbers of ``FILE:COLUMN``, if it is given."""
    if score is None:
        return None
    from singleout.io.read import read

    file, column = _file_and_column(score)
    return read(file, columns=[column])[column].numbers()


def _file_and_column(text: str) -> tuple[str, str]:
    file, _, column = text.rpartition(":")
    if not (file and column):
        raise BadChoice(f"--score {text!r} has no column; write it as FILE:COLUMN.")
    return file, column


def top(what: str) -> Any:
    """Return the option that says how many rows to show."""
    return typer.Option("--top", min=0, max=MOST_ROWS, help=f"How many {what} to show.")


def quasi_identifier(text: str) -> tuple[str, ...]:
    r"""Return the columns of ``A,B,C`` or ``A+B+C``; within a name these are ``\,`` and ``\+``."""
    return tuple(_split(text, _COMMA_OR_PLUS, "--qi"))


def column_names(texts: Sequence[str] | None, option: str = "--columns") -> list[str] | None:
    r"""Return the columns of ``A,B`` and its repetitions; a comma in a name is written ``\,``."""
    if not texts:
        return None
    return list(dict.fromkeys(name for text in texts for name in _split(text, _COMMA, option)))


def _split(text: str, separator: re.Pattern[str], option: str) -> list[str]:
    names = [part.replace("\\,", ",").replace("\\+", "+") for part in separator.split(text)]
    if not all(names):
        raise BadChoice(
            f"{option} {text!r} has an empty column name; write columns as A,B, "
            r"and a comma within a name as \,."
        )
    return names


def pairs(
    texts: Sequence[str] | None,
    option: str,
    what: str = "a question and an answer",
    example: str = "age=30-39",
) -> dict[str, str]:
    r"""Return the pairs of ``A=b,C=d``; ``\,`` and ``\=`` are parts of a name."""
    answers: dict[str, str] = {}
    for part in (part for text in texts or () for part in _COMMA.split(text)):
        sides = _EQUALS.split(part, maxsplit=1)
        if len(sides) != 2 or not all(side.strip() for side in sides):
            raise BadChoice(
                f"{option} {part!r} is not {what}; write them as {example}, and "
                r"a comma within one of them as \,."
            )
        question, answer = (re.sub(r"\\([,=])", r"\1", side).strip() for side in sides)
        if question in answers:
            raise BadChoice(f"{option} has {question!r} twice; give it once.")
        answers[question] = answer
    return answers
