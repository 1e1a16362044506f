"""`singleout eliminate`: remove the riskiest records, and say what any removal could achieve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singleout.cli.shared import classes, options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs, number, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.choices import MissingPolicy
from singleout.core.paths import expanded
from singleout.core.wording import figure, percent
from singleout.errors import BadChoice
from singleout.report.say import say

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from singleout.core.table import Table
    from singleout.engines.counter import Records
    from singleout.engines.open import Choice
    from singleout.treatment.result import Elimination

__all__ = ["eliminate"]


@takes_data
def eliminate(
    data: options.Data,
    records: Annotated[
        int | None, typer.Option("--records", help="How many records to remove.")
    ] = None,
    share: Annotated[
        float | None,
        typer.Option(
            "--share", **options.SHARE, help="What share of the records to remove, as 0.1."
        ),
    ] = None,
    criterion: Annotated[
        list[str] | None,
        typer.Option(
            "--criterion",
            metavar="CRITERION",
            help="Which records go first: top-uniqueness, contribution, uniqueness-plus, "
            "uniqueness-star, entropy, pls, pls-quadratic, filtered-entropy or score; may be "
            "repeated to compare. If not given, top-uniqueness.",
        ),
    ] = None,
    every: Annotated[
        list[int] | None,
        typer.Option(
            "--every",
            min=0,
            help="Compute it anew after so many removals; 0 computes it once. May be repeated to "
            "compare. If not given, 100.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="OUT", help="Write the file without the removed records."
        ),
    ] = None,
    qi: options.Combined = None,
    size: options.Size = 3,
    alpha: options.Alpha = 0.01,
    tail: options.Tail = 0.05,
    estimator: options.Estimator = "plotting",
    ordinal: Annotated[
        list[str] | None,
        typer.Option(
            "--ordinal", metavar="A,B,C", help="Columns with an order, for entropy and pls."
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Start of the chance in pls.")] = None,
    factors: options.Factors = None,
    train: options.Train = None,
    score: options.Score = None,
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
    copied as it was. --csv writes the risk after each block of removals. With --count people are
    removed: the counts of the reduced file are lower, and rows of which nobody is left are gone.
    """
    from singleout.io.write.table import check_writable
    from singleout.treatment.eliminate import eliminate as remove
    from singleout.treatment.result import draw

    # the one file that is read may be replaced by what is left of it, with --force
    replaced = out is not None and _is_the_file(out, data, force=force)
    outputs = Outputs(
        json=json,
        csv=csv,
        plot=plot,
        files=[None if replaced else out],
        force=force,
        read=[data, *options.score_file(score)],
        engine=reading.engine,
    )
    if out is not None:
        check_writable(out.name)
    wanted = classes.quasi_identifiers(qi) or None
    choice = reading.choose(data)
    # what cannot be copied from a file is written from memory, with all its columns
    needed = wanted if choice.is_local or out is None else None
    with shown_if_slow(), reading.open(data, needed, choice) as counter:
        fetched = counter.repeated(needed, 1)
        table = fetched.table
        results = remove(
            fetched if reading.count is None else counter,
            records,
            share,
            criterion=criterion or ["top-uniqueness" if score is None else "score"],
            every=[step or None for step in every or [100]],
            columns=wanted,
            size=size,
            alpha=alpha,
            tail=tail,
            estimator=estimator,
            missing=missing,
            ordinal=options.column_names(ordinal, "--ordinal"),
            rng=seed,
            factors=factors,
            train=train,
            score=options.score_numbers(score),
        )
        best = min(results, key=lambda result: result.risk[-1])
        copied = (reading, data, fetched.in_source) if choice.is_local else None
        if out is not None and reading.count is not None:
            table, copied = _with_counts(reading, data, choice, fetched), None
        outputs.write(
            rows=lambda: [row for result in results for row in result.to_frame().to_dicts()],
            chart=lambda: draw(results),
            files={out: lambda part: _write_rest(part, table, best, out, copied)},
            private=[out],
        )
    outputs.show(
        lambda: {"data": counter.source, "results": [result.to_dict() for result in results]},
        lambda: _show(table, results, best, out),
    )


def _with_counts(reading: Reading, data: str, choice: Choice, rows: Records) -> Table:
    """Return the table of counts as it was removed from: the file, or the cells of a database."""
    import numpy as np

    from singleout.core.table import Column, Table, smallest_codes

    if choice.is_local:
        with replace(reading, count=None).open(data, None, choice, look=False) as counter:
            return counter.records().table
    assert reading.count is not None
    assert rows.people is not None
    values, codes = np.unique(rows.people, return_inverse=True)
    people = Column(reading.count, smallest_codes(codes, len(values)), tuple(values.tolist()))
    return Table([*rows.table, people], source=rows.table.source)


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


def _write_rest(
    part: Path,
    table: Table,
    best: Elimination,
    out: Path | None,
    copied: tuple[Reading, str, NDArray[np.bool_] | None] | None,
) -> None:
    """Write the records that are left: copied from the file, or those of a fetched table."""
    from singleout.io.write.table import write_table, write_without

    assert out is not None
    if copied is None:
        write_table(best.table(table), part, target=out.name)
        return
    reading, data, in_source = copied
    rows, removed = best.rows, best.order - 1
    if in_source is not None:  # those who do not meet the condition are not in the table
        left = in_source.copy()
        left[left.nonzero()[0][removed]] = False
        rows, removed = len(left), (~left).nonzero()[0]
    write_without(data, removed, part, rows=rows, target=out.name, **reading.of_file)


def _show(
    table: Table, results: Sequence[Elimination], best: Elimination, out: Path | None
) -> None:
    """Print the results for people, and what was written."""
    first = results[0]
    tell(
        say(
            "screen.eliminate.about",
            source=table.source,
            removed=first.gone,
            records=first.records,
            share=percent(first.share),
        )
    )
    show_table("screen.eliminate.risk", [_row(result) for result in results])
    tell(
        say("screen.eliminate.legend"),
        *(f"{result}." for result in results),
        warnings=[text for result in results for text in _warnings(result)],
        notes=first.notes,
    )
    if out is not None:
        key = "screen.eliminate.written_best" if len(results) > 1 else "screen.eliminate.written"
        tell(say(key, file=out, records=best.rows - best.gone, criterion=best.name))


def _row(result: Elimination) -> list[str]:
    return [
        result.name,
        figure(result.risk[0], ".4f"),
        figure(result.risk[-1], ".4f"),
        percent(result.reduction[-1]),
        percent(result.bound[-1]),
        number(result.lowest),
        percent(result.achieved_top[-1]),
        percent(result.bound_top[-1]),
    ]


def _warnings(result: Elimination) -> list[str]:
    warnings = []
    if not result.worth_trying:
        most = percent(max(result.bound_top[-1], 0))
        share = percent(result.share)
        warnings.append(say("screen.eliminate.not_worth_it", share=share, most=most))
    if result.reduction[-1] <= 0:
        warnings.append(say("screen.eliminate.no_fall", criterion=result.name))
    elif result.lowest < result.gone:
        warnings.append(
            say(
                "screen.eliminate.lowest_before",
                criterion=result.name,
                lowest=result.lowest,
                reduction=percent(result.reduction.max()),
            )
        )
    return warnings
