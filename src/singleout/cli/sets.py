"""`singleout sets`: anonymity sets, as in Koot's Tables 3.2 to 3.5."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.shared import classes, options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs, number, share_of, show_table, tell, write_rows
from singleout.cli.shared.progress import shown_if_slow
from singleout.cli.shared.renamed import Formerly
from singleout.core.choices import MissingPolicy
from singleout.core.wording import percent
from singleout.errors import BadChoice
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from singleout.engines.counter import Counter
    from singleout.methods.anonymity.result import AnonymitySets

__all__ = ["sets", "show", "summary_rows"]

_ROWS_SHOWN = 60


@takes_data
def sets(
    data: options.Data,
    qi: Annotated[
        list[str] | None,
        typer.Option(
            "--qi", metavar="A,B,C", help="Columns that others could know; may be repeated."
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option("--by", metavar="COLUMN", help="Also for each group; may be repeated."),
    ] = None,
    missing: options.Missing = MissingPolicy.VALUE,
    weights: Annotated[
        str | None,
        typer.Option("--weights", metavar="COLUMN", help="The sampling weights."),
        Formerly("--weight"),
    ] = None,
    sort: Annotated[
        str | None,
        typer.Option(
            "--sort",
            metavar="records|sets|minimum|median|mean|maximum|unique|unique-share|distance",
            help="With --by: the order of the groups, the largest number first.",
        ),
    ] = None,
    cells: Annotated[
        int | None,
        typer.Option(
            "--cells",
            min=1,
            metavar="N",
            help="How many combinations are possible: also show the Kullback-Leibler distance "
            "from equally likely ones.",
        ),
    ] = None,
    unit: classes.Unit = None,
    json: options.Json = False,
    csv: options.CsvOut = None,
    records: Annotated[
        Path | None,
        typer.Option(
            "--records", metavar="OUT", help="Write each record's set size to a CSV file."
        ),
    ] = None,
    identifier: Annotated[
        str | None,
        typer.Option("--id", metavar="COLUMN", help="Give this column for each of --records, too."),
    ] = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Count how many records share each combination of columns.

    Every record is in the set of those that look the same on the columns. A record alone in its
    set is unique: whoever knows these columns of a person knows which record is theirs.
    """
    from singleout.methods.anonymity.function import anonymity_sets

    if sort is not None and not by:
        raise BadChoice("--sort goes with --by; give that as well, or leave --sort out.")
    classes.refuse_ids_without_a_file(identifier, records, "--records")
    wanted = [options.quasi_identifier(text) for text in qi or []]
    groups = list(by or [])
    outputs = Outputs(
        json=json,
        csv=csv,
        plot=plot,
        files=[records],
        force=force,
        read=[data],
        engine=reading.engine,
    )
    classes.refuse_records_of_counts(reading, records, "--records")
    classes.refuse_units_of_counts(unit, reading)
    needed = [*(c for columns in wanted for c in columns), *groups]
    needed += filter(None, [weights, unit, identifier])
    named = list(dict.fromkeys(needed)) if wanted else None
    with shown_if_slow(), reading.open(data, named) as counter:
        if not wanted:
            raise BadChoice(
                "Say with --qi which columns others could know about a person, as in "
                f"--qi {','.join(counter.columns[:2])}. The data has: {list(counter.columns)}."
            )
        if records is not None and counter.held is None:
            raise BadChoice(
                "--records needs every record, and the data is counted where it is; add "
                "--engine local to fetch it."
            )
        if records is not None and unit is not None:
            raise BadChoice(
                "--records writes the set of each record, and --unit counts people; leave one out."
            )
        results = anonymity_sets(
            counter,
            wanted,
            by=groups,
            missing=missing,
            weight=weights,
            cells=cells,
            sort=sort,
            unit=unit,
        )
        gaps, source = _has_gaps(counter, results), counter.source
        outputs.write(
            rows=lambda: summary_rows(results),
            chart=lambda: _chart(results),
            files={
                records: lambda part: write_rows(
                    part,
                    classes.record_rows(
                        _per_record(results, weighted=weights is not None), counter, identifier
                    ),
                )
            },
            private=[records],
        )
    outputs.show(
        lambda: {"data": source, "results": [result.to_dict() for result in results]},
        lambda: show(results, gaps=gaps),
    )


def show(results: Sequence[AnonymitySets], *, gaps: bool) -> None:
    """Print the results for people; ``gaps``: whether a quasi-identifier lacks a value anywhere."""
    rows = [row for result in results for row in _labelled(result)]
    shown = rows[:_ROWS_SHOWN]
    show_table("screen.sets.sizes", [_sizes(label, result) for label, result in shown])
    show_table("screen.sets.small", [_small(label, result) for label, result in shown])
    if results[0].cells is not None:
        spread = [_distance(label, result) for label, result in shown if result.has_sets]
        show_table("screen.sets.distance", spread, cells=results[0].cells)
    if len(rows) > _ROWS_SHOWN:
        tell(say("screen.sets.hidden", n=len(rows) - _ROWS_SHOWN))
    notes = [note for result in results for note in result.notes]
    # how many records were dropped is among the notes of the result
    if gaps and results[0].missing != MissingPolicy.DROP:
        notes.insert(0, say(f"screen.sets.missing.{results[0].missing}"))
    tell(*map(_sentence, results), notes=notes)


def _has_gaps(counter: Counter, results: Sequence[AnonymitySets]) -> bool:
    """Whether it makes a difference what a missing value means."""
    names = list(dict.fromkeys(name for result in results for name in result.quasi_identifiers))
    return any(counter.missing(names).values())


def _labelled(result: AnonymitySets) -> list[tuple[str, AnonymitySets]]:
    """Return a result and its groups, each with the label of its row."""
    groups = [(f"  {result.group_name(value)}", part) for value, part in result.groups.items()]
    label = say("screen.sets.all_records", name=result.name) if groups else result.name
    return [(label, result), *groups]


def _sizes(label: str, result: AnonymitySets) -> list[str]:
    sets, mean = (result.sets, result.mean) if result.has_sets else (None, None)
    first, median, third = result.quartiles if result.has_sets else (None, None, None)
    sizes = [result.records, sets, result.minimum, first, median, mean, third, result.maximum]
    return [label, *map(number, sizes)]


def _small(label: str, result: AnonymitySets) -> list[str]:
    up_to = [number(result.at_most(k)) for k in (5, 10, 50, 100)]
    return [label, number(result.unique), share_of(result.unique, result.records), *up_to]


def _distance(label: str, result: AnonymitySets) -> list[str]:
    return [
        label,
        number(result.records),
        f"{result.kl_distance():.4f}",
        f"{result.shannon_entropy:.3f}",
        percent(result.degree_of_anonymity()),
    ]


def _sentence(result: AnonymitySets) -> str:
    counts: dict[str, Any] = {
        "name": result.name,
        "unique": result.unique,
        "records": result.records,
        "share": share_of(result.unique, result.records),
        "k": result.k,
    }
    of = "screen.sets.people" if result.unit is not None else "screen.sets"
    sentences = [say(f"{of}.{'shared' if result.k > 1 else 'alone'}", n=result.k - 1, **counts)]
    if result.weighted_minimum is not None:
        least, total = number(result.weighted_minimum), number(result.weighted_total)
        sentences.append(say("screen.sets.weighted", least=least, total=total))
    correlation = result.size_median_correlation
    if correlation is not None:
        sentences.append(say("screen.sets.correlation", correlation=correlation))
    return " ".join(sentences)


def summary_rows(results: Sequence[AnonymitySets]) -> list[dict[str, Any]]:
    """Return the results as the rows of a file."""
    rows = [row for result in results for row in result.to_frame().to_dicts()]
    return [{"quasi_identifier": row.pop("quasi_identifier"), **row} for row in rows]


def _per_record(results: Sequence[AnonymitySets], *, weighted: bool) -> pl.DataFrame:
    from singleout.core.frames import pl

    columns: dict[str, Any] = {f"size on {one.name}": one.per_record for one in results}
    if weighted:
        columns |= {f"weight on {one.name}": one.weighted_per_record for one in results}
    return pl.DataFrame(columns)


def _chart(results: Sequence[AnonymitySets]) -> alt.VConcatChart:
    import altair as alt

    return alt.vconcat(*(result.plot() for result in results))
