"""`singleout utility`: what an analyst still finds in treated data, beside what was there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from singleout.cli.shared import options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs, number, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.cli.treatment import parts
from singleout.core.wording import figure, in_figures
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.treatment.utility.margins import ColumnUtility
    from singleout.treatment.utility.result import Utility

__all__ = ["utility"]

_NAME = 24  # characters of a name in a pair


@takes_data
def utility(
    before: parts.Before,
    after: parts.After,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            metavar="A,B,C",
            help="The columns to compare; those that both have if not given. Repeatable.",
        ),
    ] = None,
    outcome: Annotated[
        str | None,
        typer.Option(
            "--outcome", metavar="COLUMN", help="The column that a regression explains by others."
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option("--weights", metavar="COLUMN", help="The column of weights of records."),
    ] = None,
    hierarchy: parts.HierarchyFiles = None,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Start of the chance in pMSE of large tables.")
    ] = None,
    top: Annotated[int, options.top("columns, pairs and terms")] = 10,
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Compare treated data with the original by what analysts compute.

    Distributions of columns and of pairs, means, correlations, a regression, and how well a model
    tells treated records from original ones. --plot draws columns side by side.
    """
    from singleout.treatment.hierarchies.read import read_hierarchy
    from singleout.treatment.utility.function import utility as measure

    wanted = options.column_names(columns)
    files = parts.hierarchy_files(hierarchy, wanted)
    outputs = Outputs(
        json=json,
        csv=csv,
        plot=plot,
        force=force,
        read=[before, after, *files.values()],
        engine=reading.engine,
    )
    with shown_if_slow():
        original, treated = (reading.table(source) for source in (before, after))
        result = measure(
            original,
            treated,
            columns=wanted,
            weights=weights,
            outcome=outcome,
            hierarchies={name: read_hierarchy(file, name) for name, file in files.items()},
            rng=seed,
        )
        outputs.write(rows=lambda: result.to_frame().to_dicts(), chart=result.plot)
    sources = {"data": original.source, "treated": treated.source}

    def for_people() -> None:
        _show(sources, result, top)
        outputs.tell_written()

    outputs.show(lambda: {**sources, **result.to_dict()}, for_people)


# ---- the screen


def _show(sources: dict[str, str], result: Utility, top: int) -> None:
    tell(
        say(
            "screen.utility.about",
            before=sources["data"],
            after=sources["treated"],
            records=result.records_before,
            records_after=result.records_after,
        )
    )
    tell(f"{result}\n")
    if top:
        _show_columns(result, top)
        _show_pairs(result, top)
        _show_regression(result, top)
    if result.losses is not None:
        tell(str(result.losses))
    tell(notes=result.notes)


def _show_columns(result: Utility, top: int) -> None:
    """Print the columns that changed, the most changed first."""
    changed = [column for column in result.columns if column.changed]
    ordered = sorted(changed, key=_least_changed_last)
    if not ordered:
        return
    show_table("screen.utility.columns", [_row(column) for column in ordered[:top]])
    numbers = [column for column in ordered if column.before and column.after][:top]
    if numbers:
        show_table("screen.utility.numbers", [_numbers(column) for column in numbers])
    if len(ordered) > top:
        tell(say("screen.utility.more_columns", n=len(ordered) - top))
    tell(f"{say('screen.utility.legend')}\n")


def _least_changed_last(column: ColumnUtility) -> tuple[float, float]:
    return -column.total_variation, -(column.spread_variation or 0.0)


def _row(column: ColumnUtility) -> list[str]:
    return [
        column.name,
        number(column.values),
        number(column.categories),
        parts.measured(column.blank_after),
        _figures(column.hellinger),
        _figures(column.total_variation),
        _figures(column.spread_variation),
    ]


def _numbers(column: ColumnUtility) -> list[str]:
    assert column.before is not None
    assert column.after is not None
    sides = column.before, column.after
    return [
        column.name,
        *(in_figures(side.mean, 5) for side in sides),
        *(in_figures(side.sd, 5) for side in sides),
        *(in_figures(side.quantiles[2], 5) for side in sides),
    ]


def _show_pairs(result: Utility, top: int) -> None:
    pairs = [one for one in result.worst_pairs if one.total_variation][:top]
    if pairs:
        rows = [
            [_pair(one.first, one.second), _figures(one.total_variation), _figures(one.hellinger)]
            for one in pairs
        ]
        show_table("screen.utility.pairs", rows)
    correlations = [one for one in result.correlations if one.change][:top]
    if correlations:
        rows = [
            [
                _pair(one.first, one.second),
                _figures(one.pearson_before),
                _figures(one.pearson_after),
                _figures(one.spearman_before),
                _figures(one.spearman_after),
            ]
            for one in correlations
        ]
        show_table("screen.utility.correlations", rows)


def _show_regression(result: Utility, top: int) -> None:
    found = result.regression
    if found is None:
        return
    terms = sorted(found.terms, key=lambda term: term.overlap)[:top]
    rows = [
        [
            parts.shortened(term.name, 2 * _NAME),
            _with_error(term.before, term.error_before),
            _with_error(term.after, term.error_after),
            parts.measured(term.overlap),
        ]
        for term in terms
    ]
    show_table("screen.utility.regression", rows, outcome=found.outcome, kind=found.kind)


def _with_error(value: float, error: float) -> str:
    return f"{in_figures(value, 4)} ± {in_figures(error, 2)}"


def _pair(first: str, second: str) -> str:
    return f"{parts.shortened(first, _NAME)}, {parts.shortened(second, _NAME)}"


def _figures(value: float | None) -> str:
    return "–" if value is None else figure(value, ".3f")
