"""`singleout eliminate`: remove the riskiest records, and say what any removal could achieve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singleout import __version__
from singleout.cli import options
from singleout.cli.data import Reading, takes_data
from singleout.cli.options import Columns, Estimator, Size, Tail, column_names
from singleout.cli.output import (
    check_free,
    number,
    print_json,
    print_table,
    save_chart,
    screen,
    write_csv,
    write_safely,
)
from singleout.cli.progress import shown_if_slow
from singleout.core.choices import MissingPolicy
from singleout.core.paths import expanded
from singleout.core.text import printable
from singleout.errors import BadChoice

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from singleout.core.table import Table
    from singleout.treatment.result import Elimination

__all__ = ["eliminate"]


@takes_data
def eliminate(
    data: options.Data,
    records: Annotated[
        int | None, typer.Option("--records", help="How many records to remove.")
    ] = None,
    share: Annotated[
        float | None, typer.Option("--share", help="What share of the records to remove, as 0.1.")
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(
            "--criterion",
            metavar="CRITERION",
            help="Which records go first: top-uniqueness, contribution, uniqueness-plus, "
            "uniqueness-star, entropy or pls; may be repeated to compare. "
            "If not given, top-uniqueness.",
        ),
    ] = None,
    every: Annotated[
        int,
        typer.Option(
            "--every", min=0, help="Compute it anew after so many removals; 0 computes it once."
        ),
    ] = 100,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="OUT", help="Write the file without the removed records."
        ),
    ] = None,
    columns: Columns = None,
    size: Size = 3,
    alpha: Annotated[
        float, typer.Option("--alpha", help="The share of the combinations beyond the risk.")
    ] = 0.01,
    tail: Tail = 0.05,
    estimator: Estimator = "plotting",
    ordinal: Annotated[
        list[str] | None,
        typer.Option(
            "--ordinal", metavar="A,B,C", help="Columns with an order, for entropy and pls."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Start of the chance in pls.")] = None,
    missing: options.Missing = MissingPolicy.VALUE,
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Remove the records that add most to the risk of the whole table.

    Shows the risk before and after, and the most that removing so many records could achieve,
    whichever they are. --out writes the reduced file in the format of its name; what it keeps is
    copied as it was. --csv writes the risk after each block of removals.
    """
    from singleout.io.write.table import check_writable
    from singleout.treatment.eliminate import eliminate as remove

    # to replace the one file that is read by what is left of it may be asked for
    replaced = out is not None and _is_the_file(out, data, force=force)
    check_free(
        [None if replaced else out, csv], plot=plot, force=force, read=[data], engine=reading.engine
    )
    if out is not None:
        check_writable(out.name)
    wanted = column_names(columns)
    choice = reading.choose(data)
    # what cannot be copied from a file is written from memory, with all its columns
    needed = wanted if choice.is_local or out is None else None
    with shown_if_slow(), reading.open(data, needed, choice) as counter:
        found = counter.records(needed)
        table = found.table
        answers = remove(
            found,
            records,
            share,
            criterion=criterion or ["top-uniqueness"],
            every=every or None,
            columns=wanted,
            size=size,
            alpha=alpha,
            tail=tail,
            estimator=estimator,
            missing=missing,
            ordinal=column_names(ordinal),
            rng=seed,
        )
        best = min(answers, key=lambda answer: answer.risk[-1])
        if plot is not None:
            from singleout.treatment.result import draw

            save_chart(plot, draw(answers), force=force)
        if out is not None:
            write = _dump(table, best, out)
            if choice.is_local:
                write = _copy(reading, data, best, out, found.in_source)
            write_safely(out, write, force=force, private=True)
    if csv is not None:
        rows = [row for answer in answers for row in answer.to_frame().to_dicts()]
        write_csv(csv, rows, force=force)
    if json:
        results = [answer.to_dict() for answer in answers]
        print_json({"singleout": __version__, "data": table.source, "results": results})
        return
    _show(table, answers)
    if out is not None:
        _say_written(out, table, best, compared=len(answers) > 1)


def _is_the_file(out: Path, data: str, *, force: bool) -> bool:
    """Whether the reduced file is to replace the one that is read, which needs force."""
    from singleout.engines.sql.urls import is_database_url

    source = expanded(data)
    if is_database_url(data) or not (out.is_file() and source.is_file() and out.samefile(source)):
        return False
    if not force:
        raise BadChoice(
            f"{str(out)!r} is the file that is read; choose another name for the reduced one, or "
            "add --force to replace it."
        )
    return True


def _copy(
    reading: Reading,
    data: str,
    best: Elimination,
    out: Path,
    in_source: NDArray[np.bool_] | None,
) -> Callable[[Path], None]:
    """Return what copies the records that are left from the file."""
    from singleout.io.write.table import write_without

    rows, removed, how = best.rows, best.order - 1, reading.of_file
    if in_source is not None:  # those who do not meet the condition are not in the table
        kept = in_source.copy()
        kept[kept.nonzero()[0][best.order - 1]] = False
        rows, removed = len(kept), (~kept).nonzero()[0]
    return lambda part: write_without(data, removed, part, rows=rows, target=out.name, **how)


def _dump(table: Table, best: Elimination, out: Path) -> Callable[[Path], None]:
    """Return what writes the records that are left of a table that was fetched."""
    from singleout.io.write.table import write_table

    return lambda part: write_table(best.table(table), part, target=out.name)


def _show(table: Table, answers: Sequence[Elimination]) -> None:
    """Print the answers for people."""
    first = answers[0]
    out = screen()
    out.print(
        f"{printable(table.source)}: {len(first.order):,} of {first.records:,} records removed "
        f"({first.share:.1%})\n",
        soft_wrap=True,
    )
    print_table(
        "Risk of the table",
        ["criterion", "before", "after", "reduction", "at most", "lowest after", "top", "at most"],
        [_row(answer) for answer in answers],
    )
    out.print(
        "top: reduction of the mean theta of the combinations that were above the threshold; "
        "at most: what no choice of so many records can exceed.",
        soft_wrap=True,
    )
    for answer in answers:
        out.print(f"{answer}.", soft_wrap=True)
    for warning in dict.fromkeys(text for answer in answers for text in _warnings(answer)):
        out.print(f"Warning: {warning}", soft_wrap=True)
    for note in first.notes:
        out.print(f"Note: {printable(note)}", soft_wrap=True)


def _row(answer: Elimination) -> list[str]:
    return [
        answer.name,
        f"{answer.risk[0]:.4f}",
        f"{answer.risk[-1]:.4f}",
        f"{answer.reduction[-1]:.1%}",
        f"{answer.bound[-1]:.1%}",
        number(answer.lowest),
        f"{answer.achieved_top[-1]:.1%}",
        f"{answer.bound_top[-1]:.1%}",
    ]


def _warnings(answer: Elimination) -> list[str]:
    found = []
    if not answer.worth_trying:
        found.append(
            f"Removing records is not worth it: {answer.share:.1%} of them can lower the mean "
            f"theta of the riskiest combinations by {max(answer.bound_top[-1], 0):.1%} at most, "
            "whichever they are; recode columns instead."
        )
    if answer.reduction[-1] <= 0:
        found.append(f"By {answer.name}, the risk does not fall.")
    elif answer.lowest < len(answer.order):
        found.append(
            f"By {answer.name}, the risk is lowest after {answer.lowest:,} removals "
            f"({answer.reduction.max():.1%}); what is removed after that does no good."
        )
    return found


def _say_written(out: Path, table: Table, best: Elimination, *, compared: bool) -> None:
    """Say what was written, and which criterion chose it."""
    chosen = f", by {best.name}, which lowers the risk most" if compared else ""
    screen().print(
        f"Written: {printable(out)}, {table.rows - len(best.order):,} records{chosen}.",
        soft_wrap=True,
    )
