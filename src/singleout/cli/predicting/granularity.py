"""`singleout predict granularity` and `width-for`: how finely to round observed columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.predicting import spreads
from singleout.cli.shared import options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs, number, print_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.wording import percent, stated_percent
from singleout.errors import BadChoice
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.predict.granularities.result import Granularity

__all__ = ["granularity", "width_for"]

_MOST_ROWS = 60

People = Annotated[
    str | None,
    typer.Option("--people", "-k", metavar="5,10,20", help="How many people there will be."),
]
Unique = Annotated[
    str | None,
    typer.Option("--unique", metavar="5%", help="The share of people that may be unique."),
]


@takes_data
def granularity(
    data: spreads.Data = None,
    qi: spreads.Qi = None,
    width: Annotated[
        list[str] | None,
        typer.Option(
            "--width",
            metavar="1,2,5",
            help="The widths of the intervals of the first column; again for the next ones.",
        ),
    ] = None,
    people: People = None,
    top: Annotated[
        list[str] | None,
        typer.Option(
            "--top",
            metavar="79",
            help="The value from which on all are one answer, for the first column; again for the "
            "next ones, - for none.",
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="COLUMN", help="A column of places, each on its own."),
    ] = None,
    count: spreads.Count = None,
    unique: Unique = None,
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Show how many people are unique by observed columns, the more finely they are rounded.

    As --data T --qi age --width 1,2,5 --top 79 -k 40 for ages by 1, 2 or 5 years. Two columns make
    a grid of their widths. With --unique the finest granularity that keeps to it is told.
    """
    from singleout.predict.granularities.function import granularity as measured

    names = _columns(data, qi)
    widths = [spreads.listed(text, "--width", "1,2,5") for text in width or ()]
    if len(widths) != len(names):
        raise BadChoice(
            f"Give --width for each column, as --width 1,2,5: {len(names)} columns are named and "
            f"{len(widths)} times widths."
        )
    tops = _tops(top or [], names)
    many = _people(people)
    share = spreads.share_of_text(unique, "--unique")
    outputs = Outputs(
        json=json, csv=csv, plot=plot, force=force, read=[data], engine=reading.engine
    )
    with shown_if_slow():
        needed = [*names, *filter(None, [by, count])]
        with reading.open(data or "", needed) as counter:
            asked = dict(zip(names, widths, strict=True))
            found = measured(counter, asked, many, top=tops, by=by, counts=count)
        finest = None if share is None else found.narrowest(share)
        outputs.write(rows=lambda: found.to_frame().to_dicts(), chart=found.plot)

    def plain() -> dict[str, Any]:
        answer: dict[str, Any] = found.to_dict()
        if finest is not None:
            wide = dict(zip(found.columns, finest.widths, strict=True))
            answer["narrowest"] = {"widths": wide, "unique_share": finest.unique_share}
        return answer

    def for_people() -> None:
        _show(found)
        sentences = [f"{found}."]
        if finest is not None and share is not None:
            wide = ", ".join(
                say("predict.granularity.width", column=name, width=each)
                for name, each in zip(found.columns, finest.widths, strict=True)
            )
            kept = {"target": stated_percent(share), "unique": finest.unique_share}
            sentences.append(say("predict.granularity.narrowest", widths=wide, **kept))
        tell(*sentences, notes=found.notes)

    outputs.show(plain, for_people)


@takes_data
def width_for(
    unique: Unique = None,
    people: Annotated[
        int | None, typer.Option("--people", "-k", help="How many people there will be.")
    ] = None,
    normal: Annotated[
        float | None, typer.Option("--normal", metavar="SD", help="A normal quantity.")
    ] = None,
    exponential: Annotated[
        float | None, typer.Option("--exponential", metavar="MEAN", help="An exponential one.")
    ] = None,
    data: spreads.Data = None,
    qi: spreads.Qi = None,
    count: spreads.Count = None,
    json: options.Json = False,
    *,
    reading: Reading,
) -> None:
    """Find how wide the intervals of a number must be for few people to be alone in theirs.

    The number is normal, exponential, or a column of data: --data FILE --qi age. The answer is the
    mean over all ways to place the intervals.
    """
    from scipy import stats

    from singleout.predict.intervals.intervals import width_for as found_for

    if [normal, exponential, data].count(None) != 2:
        raise BadChoice(
            "Say in one way what is rounded: --normal SD, --exponential MEAN or --data FILE --qi A."
        )
    share = spreads.share_of_text(unique, "--unique")
    if share is None or people is None:
        raise BadChoice("Give --unique 5%, the share that may be alone, and --people.")
    for size in (normal, exponential):
        if size is not None and not 0 < size < float("inf"):
            raise BadChoice(f"--normal and --exponential are numbers above 0, not {size}.")
    with shown_if_slow():
        source: Any
        if data is not None:
            source = _observed(data, _columns(data, qi), count, reading)
        else:
            source = stats.norm(0, normal) if normal is not None else stats.expon(0, exponential)
        found = found_for(source, share, people)
    Outputs(json=json).show(
        found.to_dict, lambda: tell(f"{found}.", warnings=found.warnings, notes=found.notes)
    )


def _observed(
    data: str, names: Sequence[str], count: str | None, reading: Reading
) -> dict[float, int]:
    """Return how many people have each value of a column."""
    from singleout.predict.granularities.function import numbers_of

    if len(names) != 1:
        raise BadChoice(f"One column is rounded at a time; --qi names {len(names)}.")
    with reading.open(data, [*names, *filter(None, [count])]) as counter:
        return numbers_of(counter.counts(list(names), count))


def _columns(data: str | None, qi: str | None) -> list[str]:
    if data is None or qi is None:
        raise BadChoice("Say with --data and --qi which columns are rounded: --data T --qi age.")
    return list(options.quasi_identifier(qi))


def _tops(texts: Sequence[str], names: Sequence[str]) -> dict[str, float]:
    if len(texts) > len(names):
        raise BadChoice(f"--top is given {len(texts)} times for {len(names)} columns.")
    return {
        name: spreads.listed(text, "--top", "79")[0]
        for name, text in zip(names, texts, strict=False)
        if text != "-"
    }


def _people(text: str | None) -> list[int]:
    if text is None:
        raise BadChoice("Say with --people how many people there will be, as -k 40 or -k 5,10,20.")
    numbers = spreads.listed(text, "--people", "5,10,20")
    if not all(each >= 1 and each.is_integer() for each in numbers):
        raise BadChoice(f"--people {text!r} must be whole numbers of 1 or more, as 5,10,20.")
    return [int(each) for each in numbers]


def _show(found: Granularity) -> None:
    heads = [say("screen.granularity.place")] if found.by is not None else []
    heads += [say("screen.granularity.width", column=name) for name in found.columns]
    keys = ["people", "cells", "kl", "singletons", "share"]
    keys += ["independent"] if len(found.columns) > 1 else []
    heads += [say(f"screen.granularity.{key}") for key in keys]
    rows = []
    for row in found.rows[:_MOST_ROWS]:
        cells = [row.place] if found.by is not None else []
        cells += [f"{width:g}" for width in row.widths]
        cells += [number(row.people), number(row.cells), f"{row.kl:.4f}"]
        cells += [number(round(row.singletons, 2)), percent(row.unique_share)]
        cells += [] if row.independent_share is None else [percent(row.independent_share)]
        rows.append(cells)
    print_table(say("screen.granularity.title"), heads, rows)
    more = len(found.rows) - len(rows)
    if more:
        tell(say("screen.granularity.more", n=more))
