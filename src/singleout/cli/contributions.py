"""`singleout contributions`: which records add most to the risk of a table, and why."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout.cli.shared import classes, options
from singleout.cli.shared.data import Reading, takes_data, with_ids
from singleout.cli.shared.output import Outputs, number, print_table, share_of, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.choices import MissingPolicy
from singleout.core.wording import figure, in_figures
from singleout.report.say import say, words

if TYPE_CHECKING:
    import polars as pl

    from singleout.core.table import Table
    from singleout.engines.counter import Counter
    from singleout.methods.qar.contribution_result import RecordContributions
    from singleout.methods.qar.pls import PartialLeastSquares

__all__ = ["contributions"]

_EXTRA = ("entropy", "pls_score", "filtered_entropy", "score")  # columns that not every result has


@takes_data
def contributions(
    data: options.Data,
    qi: options.Combined = None,
    size: options.Size = 3,
    alpha: options.Alpha = 0.01,
    tail: options.Tail = 0.05,
    estimator: options.Estimator = "plotting",
    missing: options.Missing = MissingPolicy.VALUE,
    top: Annotated[int, options.top("records")] = 10,
    identifier: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="COLUMN",
            help="Show this column for each record, beside its number; it is not combined.",
        ),
    ] = None,
    ordinal: Annotated[
        list[str] | None,
        typer.Option(
            "--ordinal",
            metavar="A,B",
            help="Columns whose values have an order: adds the entropy of each record. Repeatable.",
        ),
    ] = None,
    pls: Annotated[
        str | None,
        typer.Option(
            "--pls",
            metavar="linear|quadratic",
            help="Predict from its values whether removing a record lowers the risk.",
        ),
    ] = None,
    response: Annotated[
        str | None,
        typer.Option(
            "--response",
            metavar="sign|contribution",
            help="What --pls predicts: whether it lowers the risk, or by how much. "
            "If not given, sign.",
        ),
    ] = None,
    factors: options.Factors = None,
    train: options.Train = None,
    score: options.Score = None,
    json: options.Json = False,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", metavar="OUT", help="Also write all records to a CSV file."),
    ] = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Show which records add most to the risk of the table, and why.

    The contribution of a record is by how much removing it would lower the risk (see singleout
    qar). The reasons are the combinations of columns in which no other record is like it, the
    riskiest first. --csv writes all records. With --count a row is shown once, with the people
    that it stands for; what is shown holds for any one of them.
    """
    from singleout.methods.qar.contributions import contributions as measure

    wanted = classes.quasi_identifiers(qi) or None
    outputs = Outputs(
        json=json,
        csv=csv,
        plot=plot,
        force=force,
        read=[data, *options.score_file(score)],
        engine=reading.engine,
    )
    with shown_if_slow(), _opened(reading, data, wanted, identifier) as (counter, table):
        result = measure(
            counter,
            wanted,
            size,
            alpha=alpha,
            tail=tail,
            estimator=estimator,
            missing=missing,
            ordinal=options.column_names(ordinal, "--ordinal"),
            pls=pls,
            response=response,
            factors=factors,
            train=train,
            score=options.score_numbers(score),
        )
        shown = _named(result.top(top), table, identifier).to_dicts()
        outputs.write(
            rows=lambda: _named(result.to_frame(), table, identifier).to_dicts(),
            chart=result.plot,
            private=[csv, plot],
        )
    outputs.show(
        lambda: {"data": counter.source, "results": [result.to_dict(top=0) | {"top": shown}]},
        lambda: _show(counter.source, result, shown, identifier),
    )


@contextmanager
def _opened(
    reading: Reading, data: str, wanted: list[str] | None, identifier: str | None
) -> Iterator[tuple[Counter, Table | None]]:
    """Give what is measured, and the table that names its records; a table of counts has none."""
    if reading.count is None:
        with reading.records(data, wanted, identifier) as records:
            yield records, records.table
        return
    reading.refuse_ids_of_counts(identifier)
    with reading.open(data, wanted) as counter:
        yield counter, None


def _named(frame: pl.DataFrame, table: Table | None, identifier: str | None) -> pl.DataFrame:
    return frame if table is None else with_ids(frame, table, identifier)


def _show(
    source: str, result: RecordContributions, rows: list[dict[str, Any]], identifier: str | None
) -> None:
    """Print the answer for people."""
    whole = result.dataset
    tell(
        say(
            "screen.contributions.about",
            source=source,
            records=result.records,
            combinations=whole.combinations,
            size=whole.size,
            columns=len(whole.columns),
        )
    )
    if rows:
        extra = [name for name in _EXTRA if name in rows[0]]
        heads = words("screen.contributions.heads")
        unseen = {*_EXTRA, "people"} - {*rows[0]}
        shown = [text for name, text in heads.items() if name not in unseen]
        print_table(
            say("screen.contributions.title"),
            [*([identifier] if identifier else []), *shown],
            [_cells(row, extra) for row in rows],
        )
    show_table("screen.contributions.correlations", _correlations(result))
    tell(*_sentences(result), warnings=result.warnings, notes=result.notes)


def _cells(row: dict[str, Any], extra: list[str]) -> list[str]:
    return [
        *([str(row["id"])] if "id" in row else []),
        number(row["record"]),
        *([number(row["people"])] if "people" in row else []),
        in_figures(row["contribution"]),
        figure(row["uniqueness_plus"], ".4f"),
        figure(row["uniqueness_star"], ".4f"),
        number(row["unique_in"]),
        *(in_figures(row[name]) for name in extra),
        row["unique_for"],
    ]


def _correlations(result: RecordContributions) -> list[list[str]]:
    heads = words("screen.contributions.heads")
    return [
        [
            heads[row["measure"]],
            heads[row["other"]],
            *("–" if row[kind] is None else f"{row[kind]:.4f}" for kind in ("pearson", "kendall")),
        ]
        for row in result.correlated(result.telling_pairs).to_dicts()
    ]


def _sentences(result: RecordContributions) -> list[str]:
    """Return what there is to say about all records."""
    none = result.counted(result.unique_in == 0)
    share = share_of(none, result.records)
    sentences = [f"{result}.", say("screen.contributions.never_unique", n=none, share=share)]
    if result.has_clusters:
        sentences.append(
            say(
                "screen.contributions.clusters",
                n=result.counted(result.cluster),
                what=result.cluster_in_words,
            )
        )
    if result.pls is not None:
        sentences.append(_of_prediction(result.pls))
    return sentences


def _of_prediction(model: PartialLeastSquares) -> str:
    """Return how well a record's values predict its contribution."""
    measured = {
        "train": model.auc_train,
        "test": model.auc_test,
        "r2_train": model.r2_train,
        "r2_test": model.r2_test,
    }
    undefined = say("screen.contributions.undefined")
    return say(
        "screen.contributions.pls",
        response=say(f"screen.contributions.{model.response}"),
        terms=model.terms,
        factors=model.factors,
        trained=model.trained,
        **{
            name: undefined if one is None else figure(one, ".4f") for name, one in measured.items()
        },
    )
