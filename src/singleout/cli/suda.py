"""`singleout suda`: which records a few values single out, and which columns make it so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout import __version__
from singleout.cli.screens.suda import show
from singleout.cli.shared import classes, options
from singleout.cli.shared.data import SearchReading, takes_data, with_ids
from singleout.cli.shared.output import Outputs
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.text import json_text, spreadsheet_safe
from singleout.errors import BadChoice

if TYPE_CHECKING:
    import polars as pl

    from singleout.core.table import Table
    from singleout.methods.suda.result import Suda

__all__ = ["suda"]


@takes_data
def suda(
    data: options.Data,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            metavar="A,B,C",
            help="The columns to combine, at most 64; all if not given. Repeatable.",
        ),
    ] = None,
    max_size: Annotated[
        str,
        typer.Option(
            "--max-size", metavar="N|all", help="The largest set of columns to search, or all."
        ),
    ] = "3",
    sampling_fraction: Annotated[
        float | None,
        typer.Option(
            "--sampling-fraction",
            metavar="F",
            help="The share of the population that is in the data: adds DIS and DIS-SUDA.",
        ),
    ] = None,
    scoring: Annotated[
        str,
        typer.Option(
            "--scoring",
            metavar="lattice|normalised|ihsn",
            help="What a minimal unique of each size weighs.",
        ),
    ] = "lattice",
    missing: Annotated[
        str,
        typer.Option(
            "--missing",
            metavar="value|never|drop",
            help="What a missing value means: a value like another, a cell that never singles "
            "anybody out, or a reason to drop the record.",
        ),
    ] = "value",
    by: classes.By = None,
    identifier: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="COLUMN",
            help="Give this column for each record, beside its number; it is not combined, unless "
            "--columns names it.",
        ),
    ] = None,
    top: Annotated[int, options.top("records and values")] = 10,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT.csv",
            help="Write all records to OUT.csv, and beside it OUT-variables.csv, OUT-values.csv "
            "and OUT-summary.json.",
        ),
    ] = None,
    json: options.Json = False,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: SearchReading,
) -> None:
    """Find the records that a few of their values single out: special uniques (SUDA).

    A minimal unique of a record is a set of columns in which no other record has its values, while
    every part of the set is shared. The smaller and the more numerous they are, the higher the
    record's score. -o writes the three parts of the result: the summary, all records, and what
    each column and each value contributes.
    """
    from singleout.methods.suda.function import suda as measure

    wanted = options.column_names(columns)
    groups = list(by or [])
    needed = None if wanted is None else list(dict.fromkeys([*wanted, *groups]))
    size = _size(max_size)
    parts = _parts(output)
    outputs = Outputs(
        json=json,
        plot=plot,
        files=list(parts.values()),
        force=force,
        read=[data],
        engine=reading.engine,
    )
    with shown_if_slow(), reading.records(data, needed, identifier) as records:
        table = records.table
        result = measure(
            records, wanted, size, sampling_fraction, scoring, missing, by=groups or None
        )
        shown = with_ids(result.risky(top), table, identifier)
        outputs.write(
            chart=result.plot,
            files=_writers(parts, result, table, identifier),
            private=list(parts.values()),
        )
    outputs.show(
        lambda: {
            "data": table.source,
            "results": [result.to_dict(top) | {"risky": shown.to_dicts()}],
        },
        lambda: show(table.source, result, shown, top=top, identifier=identifier),
    )


def _size(text: str) -> int | None:
    """Return the largest size to search; None for all."""
    if text.strip().casefold() == "all":
        return None
    try:
        return int(text)
    except ValueError:
        raise BadChoice(
            f"--max-size is {text!r}; give a whole number of columns, 1 or more, or all."
        ) from None


# ---- the three parts as files


def _parts(output: Path | None) -> dict[str, Path]:
    """Return the files to write: the records under the name that was given, the rest beside it."""
    if output is None:
        return {}
    if output.suffix.lower() != ".csv":
        raise BadChoice(f"The records are written as CSV; end the name {output.name!r} in .csv.")
    return {
        "records": output,
        "variables": output.with_name(f"{output.stem}-variables.csv"),
        "values": output.with_name(f"{output.stem}-values.csv"),
        "summary": output.with_name(f"{output.stem}-summary.json"),
    }


def _writers(
    parts: dict[str, Path], result: Suda, table: Table, identifier: str | None
) -> dict[Path | None, Callable[[Path], Any]]:
    """Return what writes each part."""
    if not parts:
        return {}

    def summary(part: Path) -> None:
        facts = {"singleout": __version__, "data": table.source, **result.summary}
        part.write_text(json_text(facts), encoding="utf-8")

    return {
        parts["records"]: lambda part: _write_csv(
            part, with_ids(result.to_frame(), table, identifier)
        ),
        parts["variables"]: lambda part: _write_csv(part, result.variable_contributions),
        parts["values"]: lambda part: _write_csv(part, result.value_contributions),
        parts["summary"]: summary,
    }


def _write_csv(part: Path, frame: pl.DataFrame) -> None:
    """Write a frame as a CSV file that is harmless in a spreadsheet."""
    from singleout.core.frames import pl

    safe = [
        pl.Series(column.name, map(spreadsheet_safe, column), dtype=pl.String)
        for column in frame.select(pl.col(pl.String)).get_columns()
    ]
    heads = {name: str(spreadsheet_safe(name)) for name in frame.columns}
    frame.with_columns(safe).rename(heads).write_csv(part)
