"""`singleout suda`: which records a few values single out, and which columns make it so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.screens.suda import show, show_exact, show_record
from singleout.cli.shared import classes, options
from singleout.cli.shared.data import PartsReading, takes_data, with_ids
from singleout.cli.shared.output import Outputs
from singleout.cli.shared.progress import shown_if_slow
from singleout.cli.shared.renamed import Formerly, plus_within_a_name
from singleout.cli.shared.scenarios import ScenarioFiles, keys_of, show_scenarios
from singleout.cli.shared.suda_files import Files, numbers_of, parts_of, show_part, singled_out
from singleout.errors import BadChoice

if TYPE_CHECKING:
    import polars as pl

    from singleout.methods.suda.exact import ExactUniques
    from singleout.methods.suda.one_record import RecordUniques
    from singleout.methods.suda.result import Suda

__all__ = ["suda"]


@takes_data
def suda(
    data: options.Data,
    qi: Annotated[
        list[str] | None,
        typer.Option(
            "--qi",
            metavar="A,B,C",
            help="Columns that others could know, to combine, at most 64; all if not given. "
            "Repeatable.",
        ),
        Formerly("--columns", plus_within_a_name),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(
            "--key",
            metavar="NAME=A,B,C",
            help="Columns that one kind of intruder knows, under a name; several of them are "
            "searched in one run and compared. Repeatable.",
        ),
    ] = None,
    max_size: Annotated[
        str,
        typer.Option(
            "--max-size",
            metavar="N|auto|all",
            help="The largest set of columns to search; auto: all sizes where that is quick, "
            "otherwise the largest that is.",
        ),
    ] = "auto",
    sampling_fraction: Annotated[
        float | None,
        typer.Option(
            "--sampling-fraction",
            **options.SHARE,
            help="The share of the population that is in the data: adds DIS and DIS-SUDA.",
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="COLUMN",
            help="The column that says how many people a record is for: adds DIS and DIS-SUDA.",
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            **options.SHARE,
            help="Mark the records with a DIS-SUDA above this; needs --sampling-fraction or "
            "--weights.",
        ),
    ] = None,
    population: Annotated[
        str | None,
        typer.Option(
            "--population",
            metavar="DATA",
            help="Everybody, where that is known, to see how right the scores are; it is only "
            "counted.",
        ),
    ] = None,
    simulate: Annotated[
        int | None,
        typer.Option(
            "--simulate",
            metavar="N",
            help="Draw N samples from the population, or from the data as if it were one, to see "
            "how right the scores are.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Start of the chance in --simulate.")] = 0,
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
            "--qi names it.",
        ),
    ] = None,
    record: Annotated[
        list[str] | None,
        typer.Option(
            "--record",
            metavar="ID",
            help="Show the minimal uniques of this record by column and size: its number, or its "
            "value of the column --id. Repeatable.",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            metavar="S",
            help="Search the records of --record, or else all unique ones, riskiest first, for "
            "sets of all sizes, however many columns there are, until this time is over.",
        ),
    ] = None,
    part: Annotated[
        str | None,
        typer.Option(
            "--part",
            metavar="I/N",
            help="Search one part of N, on this machine, and keep it in --checkpoint, which all "
            "parts share.",
        ),
    ] = None,
    merge: Annotated[
        bool,
        typer.Option(
            "--merge", help="Only put together the parts in --checkpoint; refuse if one is missing."
        ),
    ] = False,
    top: Annotated[int, options.top("records, values and sets")] = 10,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT.csv",
            help="Write all records to OUT.csv, and beside it OUT-variables.csv, OUT-values.csv, "
            "OUT-sets.csv and OUT-summary.json.",
        ),
    ] = None,
    uniques: Annotated[
        Path | None,
        typer.Option(
            "--uniques",
            metavar="OUT.csv",
            help="Write every minimal unique: its record, its columns and their values. There can "
            "be very many.",
        ),
    ] = None,
    in_percent: Annotated[
        bool,
        typer.Option(
            "--percent", help="Write contributions as percentages, as the paper has them."
        ),
    ] = False,
    json: options.Json = False,
    csv: classes.PerRecord = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: PartsReading,
) -> None:
    """Find the records that a few of their values single out: special uniques (SUDA).

    A minimal unique of a record is a set of columns in which no other record has its values, while
    every part of the set is shared. The smaller and the more numerous they are, the higher the
    record's score. -o writes the three parts of the result: the summary, all records, and what
    each column and each value contributes.
    """
    from singleout.methods.suda.function import suda as measure
    from singleout.methods.suda.question import COPIES

    wanted = classes.quasi_identifiers(qi) or None
    groups = list(by or [])
    beside = [] if weights is None else [weights]
    needed = None if wanted is None else list(dict.fromkeys([*wanted, *groups, *beside]))
    size = _size(max_size)
    choices: dict[str, Any] = {
        "max_size": size,
        "sampling_fraction": sampling_fraction,
        "weights": weights,
        "scoring": scoring,
        "missing": missing,
        "by": groups or None,
        "threshold": threshold,
        "population": population,
        "simulate": simulate,
        "seed": seed,
    }
    if key:
        idle = {"--qi": qi, "--record": record, "--uniques": uniques}
        keys = keys_of(key, {name for name, value in idle.items() if value})
        show_scenarios(
            data,
            reading,
            keys,
            choices,
            identifier=identifier,
            files=ScenarioFiles(output, csv, plot, json=json, force=force),
        )
        return
    parts = parts_of(output, uniques)
    outputs = Outputs(
        json=json,
        csv=csv,
        plot=plot,
        files=list(parts.values()),
        force=force,
        read=[data, population],
        engine=reading.engine,
    )
    with shown_if_slow(), reading.records(data, needed, identifier, copies=COPIES) as records:
        table = records.table
        folder = None if records.spreads_tasks else reading.checkpoint
        if part is not None:
            show_part(records, wanted, part, folder, choices, outputs)
            return
        result = measure(
            records,
            wanted,
            list_uniques=uniques is not None,
            checkpoint=folder,
            merge=merge,
            **choices,
        )
        singled, exact = singled_out(result, list(numbers_of(record, table, identifier)), seconds)
        shown = with_ids(result.risky(top), table, identifier)
        files = Files(result, table, identifier, in_percent=in_percent)
        outputs.write(
            chart=result.plot,
            files=files.writers(parts) | {csv: files.write_records},
            private=[csv, *parts.values()],
        )
    outputs.show(
        lambda: {
            "data": table.source,
            "results": [
                result.to_dict(top)
                | {"risky": shown.to_dicts()}
                | ({"one_record": [one.to_dict() for one, _ in singled]} if singled else {})
                | ({"exact": exact.to_dict()} if exact else {})
            ],
        },
        lambda: _show(table.source, result, shown, singled, exact, top=top, identifier=identifier),
    )


def _show(
    source: str,
    result: Suda,
    risky: pl.DataFrame,
    singled: Sequence[tuple[RecordUniques, str | None]],
    exact: ExactUniques | None,
    *,
    top: int,
    identifier: str | None,
) -> None:
    """Print the records that were asked for, or else everything."""
    if not singled:
        show(source, result, risky, top=top, identifier=identifier)
        if exact is not None:
            show_exact(exact, top)
    for one, name in singled:
        show_record(one, name)


def _size(text: str) -> int | str | None:
    """Return the largest size to search; None for all, the word auto as it is."""
    word = text.strip().casefold()
    if word in ("all", "auto"):
        return None if word == "all" else word
    try:
        return int(text)
    except ValueError:
        raise BadChoice(
            f"--max-size is {text!r}; give a whole number of columns, 1 or more, auto or all."
        ) from None
