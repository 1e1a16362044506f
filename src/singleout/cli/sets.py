"""`singleout sets`: anonymity sets, as in Koot's Tables 3.2 to 3.5."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singleout import __version__
from singleout.cli import options
from singleout.cli.data import Reading, takes_data
from singleout.cli.output import (
    check_free,
    number,
    print_json,
    print_table,
    save_chart,
    screen,
    share,
    write_csv,
)
from singleout.cli.progress import shown_if_slow
from singleout.core.choices import MissingPolicy
from singleout.core.text import printable
from singleout.errors import BadChoice

if TYPE_CHECKING:
    import altair as alt

    from singleout.engines.counter import Counter
    from singleout.methods.anonymity.result import AnonymitySets

__all__ = ["sets", "show", "summary_rows"]

_ROWS_SHOWN = 60

_POLICIES = {
    MissingPolicy.VALUE: "A missing value counts as a value like another (--missing value).",
    MissingPolicy.WILDCARD: (
        "A missing value matches everything (--missing wildcard). Where one occurs, records do not "
        "fall into sets, and what needs sets is shown as a dash."
    ),
}  # how many records were dropped is among the notes of the answer


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
    weight: Annotated[
        str | None, typer.Option("--weight", metavar="COLUMN", help="The sampling weights.")
    ] = None,
    json: options.Json = False,
    csv: options.CsvOut = None,
    records: Annotated[
        Path | None,
        typer.Option(
            "--records", metavar="OUT", help="Write each record's set size to a CSV file."
        ),
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

    wanted = [options.quasi_identifier(text) for text in qi or []]
    groups = list(by or [])
    check_free([csv, records], plot=plot, force=force, read=[data], engine=reading.engine)
    needed = [*(c for columns in wanted for c in columns), *groups, *filter(None, [weight])]
    named = list(dict.fromkeys(needed)) if wanted else None
    with shown_if_slow(), reading.open(data, named) as found:
        if not wanted:
            raise BadChoice(
                "Say with --qi which columns others could know about a person, as in "
                f"--qi {','.join(found.columns[:2])}. The data has: {list(found.columns)}."
            )
        if records is not None and found.held is None:
            raise BadChoice(
                "--records needs every record, and the data is counted where it is; add "
                "--engine local to fetch it."
            )
        answers = anonymity_sets(found, wanted, by=groups, missing=missing, weight=weight)
        gaps, source = _has_gaps(found, answers), found.source
        chart = _chart(answers) if plot is not None else None
        if records is not None:
            rows = _per_record(answers, weighted=weight is not None)
            write_csv(records, rows, force=force, private=True)
        if plot is not None and chart is not None:
            save_chart(plot, chart, force=force)
    if csv is not None:
        write_csv(csv, summary_rows(answers), force=force)
    show(source, answers, gaps=gaps, as_json=json)


def show(source: str, answers: Sequence[AnonymitySets], *, gaps: bool, as_json: bool) -> None:
    """Print the answers for people or for programs.

    Parameters
    ----------
    source, answers
        What was counted, and what was found.
    gaps
        Whether any quasi-identifier lacks a value anywhere.
    as_json
        Whether programs read it.
    """
    if as_json:
        results = [answer.to_dict() for answer in answers]
        print_json({"singleout": __version__, "data": source, "results": results})
        return
    rows = [row for answer in answers for row in _labelled(answer)]
    hidden = max(0, len(rows) - _ROWS_SHOWN)
    rows = rows[:_ROWS_SHOWN]
    print_table(
        "Anonymity sets: how many records share a combination",
        [
            "quasi-identifier",
            "records",
            "sets",
            "min",
            "1st qu.",
            "median",
            "mean",
            "3rd qu.",
            "max",
        ],
        [_sizes(label, answer) for label, answer in rows],
    )
    print_table(
        "Records in small sets",
        ["quasi-identifier", "unique", "share", "≤ 5", "≤ 10", "≤ 50", "≤ 100"],
        [_small(label, answer) for label, answer in rows],
    )
    out = screen()
    if hidden:
        out.print(f"{hidden:,} more rows are not shown; --csv and --json have them all.\n")
    for answer in answers:
        out.print(_sentence(answer), soft_wrap=True)
    notes = dict.fromkeys(note for answer in answers for note in answer.notes)
    policy = [_POLICIES[answers[0].missing]] if answers[0].missing in _POLICIES else []
    for note in [*(policy if gaps else []), *notes]:
        out.print(f"Note: {printable(note)}", soft_wrap=True)


def _has_gaps(found: Counter, answers: Sequence[AnonymitySets]) -> bool:
    """Whether what a missing value means makes a difference."""
    names = list(dict.fromkeys(name for answer in answers for name in answer.quasi_identifiers))
    return any(found.missing(names).values())


def _labelled(answer: AnonymitySets) -> list[tuple[str, AnonymitySets]]:
    """Return an answer and its groups, each with the words of its row."""
    parts = [(f"  {answer.group_name(value)}", part) for value, part in answer.groups.items()]
    return [(f"{answer.name}, all records" if parts else answer.name, answer), *parts]


def _sizes(label: str, answer: AnonymitySets) -> list[str]:
    sets, mean = (answer.sets, answer.mean) if answer.has_sets else (None, None)
    first, median, third = answer.quartiles if answer.has_sets else (None, None, None)
    found = [answer.records, sets, answer.minimum, first, median, mean, third, answer.maximum]
    return [label, *(number(value) for value in found)]


def _small(label: str, answer: AnonymitySets) -> list[str]:
    up_to = [number(answer.at_most(k)) for k in (5, 10, 50, 100)]
    return [label, number(answer.unique), share(answer.unique, answer.records), *up_to]


def _sentence(answer: AnonymitySets) -> str:
    text = (
        f"{printable(answer.name)}: {answer.unique:,} of {answer.records:,} records "
        f"({share(answer.unique, answer.records)}) can be singled out"
    )
    if answer.k > 1:
        others = "1 other" if answer.k == 2 else f"{answer.k - 1:,} others"
        text += f": everyone shares with at least {others}"
    text += f" (k = {answer.k:,})."
    if answer.weighted_minimum is not None:
        text += (
            f" By the weights, the rarest combination stands for {number(answer.weighted_minimum)} "
            f"of {number(answer.weighted_total)} people."
        )
    link = answer.size_median_correlation
    if link is not None:
        text += f" Correlation of a group's size with its median: {link:.3f}."
    return text


def summary_rows(answers: Sequence[AnonymitySets]) -> list[dict[str, object]]:
    """Return the answers as the rows of a file."""
    rows = [row for answer in answers for row in answer.to_frame().to_dicts()]
    return [{"quasi_identifier": row.pop("quasi_identifier"), **row} for row in rows]


def _per_record(answers: Sequence[AnonymitySets], *, weighted: bool) -> list[dict[str, object]]:
    columns = {f"size on {answer.name}": answer.per_record.tolist() for answer in answers}
    if weighted:
        columns |= {f"weight on {a.name}": a.weighted_per_record.tolist() for a in answers}
    numbers = range(1, len(answers[0].per_record) + 1)
    return [
        {"record": record, **dict(zip(columns, cells, strict=True))}
        for record, *cells in zip(numbers, *columns.values(), strict=True)
    ]


def _chart(answers: Sequence[AnonymitySets]) -> alt.VConcatChart:
    import altair as alt

    return alt.vconcat(*(answer.plot() for answer in answers))
