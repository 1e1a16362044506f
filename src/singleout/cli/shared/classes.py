"""What the commands on classes of records share: options, the data, and rows for each record."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.shared import options
from singleout.cli.shared.data import with_ids
from singleout.errors import BadChoice

if TYPE_CHECKING:
    import polars as pl

    from singleout.cli.shared.data import Reading
    from singleout.engines.counter import Counter
    from singleout.methods.sampling import Population

__all__ = [
    "By",
    "Identifier",
    "Known",
    "PerRecord",
    "PopulationSize",
    "PopulationTable",
    "SamplingFraction",
    "Unit",
    "Weights",
    "opened",
    "population_of",
    "quasi_identifiers",
    "record_rows",
    "refuse_ids_without_a_file",
    "refuse_records_of_counts",
    "refuse_units_of_counts",
]

Known = Annotated[
    list[str],
    typer.Option("--qi", metavar="A,B,C", help="Columns that others could know; repeatable."),
]
By = Annotated[
    list[str] | None,
    typer.Option("--by", metavar="COLUMN", help="Also for each group of records; repeatable."),
]
PopulationSize = Annotated[
    int | None,
    typer.Option("--population", metavar="N", help="How many people there are in all."),
]
SamplingFraction = Annotated[
    float | None,
    typer.Option(
        "--sampling-fraction",
        **options.SHARE,
        help="The share of the population that is in the data.",
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(
        "--weights", metavar="COLUMN", help="The column that says how many people a record is for."
    ),
]
PopulationTable = Annotated[
    str | None,
    typer.Option(
        "--population-table",
        metavar="FILE",
        help="A file that counts the population by the columns of --qi, and of --by.",
    ),
]
Unit = Annotated[
    str | None,
    typer.Option(
        "--unit",
        metavar="COLUMN",
        help="Which records are of one person: count people, each by the rarest of theirs.",
    ),
]
Identifier = Annotated[
    str | None,
    typer.Option("--id", metavar="COLUMN", help="Give this column for each record of --csv, too."),
]
PerRecord = Annotated[
    Path | None,
    typer.Option("--csv", metavar="OUT", help="Write the result of each record to a CSV file."),
]


def population_of(
    size: int | None, sampling_fraction: float | None, weights: str | None, table: str | None
) -> Population | None:
    """Return the population that the options state; None if none of them is given."""
    from singleout.methods.sampling import Population

    stated = {
        "--population": size,
        "--sampling-fraction": sampling_fraction,
        "--weights": weights,
        "--population-table": table,
    }
    given = [option for option, value in stated.items() if value is not None]
    if len(given) > 1:
        raise BadChoice(f"The population is given by {' and by '.join(given)}; keep one of them.")
    if not given:
        return None
    return Population(size=size, sampling_fraction=sampling_fraction, weights=weights, table=table)


def opened(
    reading: Reading,
    data: str,
    columns: Sequence[str | None],
    *,
    csv: Path | None,
    identifier: str | None,
) -> Counter:
    """Open the data with these columns, and refuse to write records that are not here."""
    refuse_ids_without_a_file(identifier, csv)
    refuse_records_of_counts(reading, csv, "--csv")
    needed = [name for name in (*columns, identifier) if name is not None]
    counter = reading.open(data, list(dict.fromkeys(needed)))
    if csv is not None and counter.held is None:
        counter.close()
        raise BadChoice(
            "--csv writes every record, and the data is counted where it is; add --engine local to "
            "fetch it, or leave --csv out."
        )
    return counter


def refuse_ids_without_a_file(
    identifier: str | None, path: Path | None, option: str = "--csv"
) -> None:
    """Refuse an id where no file is written that would have it."""
    if identifier is not None and path is None:
        raise BadChoice(f"--id names the records of a file that {option} writes; add {option} OUT.")


def refuse_units_of_counts(unit: str | None, reading: Reading) -> None:
    """Refuse to count people in a table of counts, whose rows stand for several."""
    if unit is not None and reading.count is not None:
        raise BadChoice("--unit counts people and cannot go with --count; leave one of them out.")


def refuse_records_of_counts(reading: Reading, path: Path | None, option: str) -> None:
    """Refuse to write the records of a table of counts, which has none."""
    if path is not None and reading.count is not None:
        raise BadChoice(
            f"{option} writes every record, and a table of counts has none: its rows stand for the "
            f"people that {reading.count!r} counts; leave {option} out."
        )


def record_rows(
    frame: pl.DataFrame, counter: Counter, identifier: str | None
) -> list[dict[str, Any]]:
    """Return a row for each record: its id if one is asked for, its number, and its results."""
    held = counter.held
    assert held is not None
    numbered = frame.with_row_index("record", offset=1)
    return with_ids(numbered, held.table, identifier).to_dicts()


def quasi_identifiers(texts: Sequence[str] | None) -> list[str]:
    """Return the columns of ``--qi A,B`` and its repetitions, each once."""
    given = texts or ()
    return list(dict.fromkeys(name for text in given for name in options.quasi_identifier(text)))
