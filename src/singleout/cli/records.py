"""`singleout records`: which records add most to the risk of a table, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from singleout import __version__
from singleout.cli import options
from singleout.cli.data import Reading, takes_data
from singleout.cli.identifiers import needed_columns, records_with_id, with_ids
from singleout.cli.options import Columns, Estimator, Size, Tail, column_names
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
from singleout.core.wording import in_figures

if TYPE_CHECKING:
    from singleout.core.table import Table
    from singleout.methods.qar.contribution_result import RecordContributions

__all__ = ["records"]


@takes_data
def records(
    data: options.Data,
    columns: Columns = None,
    size: Size = 3,
    alpha: Annotated[
        float, typer.Option("--alpha", help="The share of the combinations beyond the risk.")
    ] = 0.01,
    tail: Tail = 0.05,
    estimator: Estimator = "plotting",
    missing: options.Missing = MissingPolicy.VALUE,
    top: Annotated[
        int, typer.Option("--top", min=0, max=options.MOST_ROWS, help="How many records to show.")
    ] = 10,
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
    riskiest first. --csv writes all records.
    """
    from singleout.methods.qar.contributions import contributions

    wanted = column_names(columns)
    check_free([csv], plot=plot, force=force, read=[data], engine=reading.engine)
    needed = needed_columns(wanted, identifier)
    with shown_if_slow(), reading.open(data, needed) as counter:
        records = records_with_id(counter, wanted, identifier)
        table = records.table
        found = contributions(
            records,
            wanted,
            size,
            alpha=alpha,
            tail=tail,
            estimator=estimator,
            missing=missing,
            ordinal=column_names(ordinal, "--ordinal"),
            pls=pls,
        )
        shown = with_ids(found.top(top), table, identifier).to_dicts()
        if plot is not None:
            save_chart(plot, found.plot(), force=force, private=True)
        if csv is not None:
            rows = with_ids(found.to_frame(), table, identifier).to_dicts()
            write_csv(csv, rows, force=force, private=True)
    if json:
        result = found.to_dict(top=0) | {"top": shown}
        print_json({"singleout": __version__, "data": table.source, "results": [result]})
    else:
        _show(table, found, shown, identifier)


def _show(
    table: Table, found: RecordContributions, rows: list[dict[str, Any]], identifier: str | None
) -> None:
    """Print the answer for people."""
    out = screen()
    whole = found.dataset
    out.print(
        f"{printable(table.source)}: {found.records:,} records, {whole.combinations:,} "
        f"combinations of {whole.size} of {len(whole.columns):,} columns\n",
        soft_wrap=True,
    )
    if rows:
        extra = {name: head for name, head in _EXTRA.items() if name in rows[0]}
        heads = ["record", "contribution", "U+", "U*", "unique in", *extra.values(), "unique for"]
        print_table(
            "Records that add most to the risk",
            [*([identifier] if identifier else []), *heads],
            [_cells(row, list(extra)) for row in rows],
        )
    for sentence in _sentences(found):
        out.print(printable(sentence), soft_wrap=True)


_EXTRA = {"entropy": "entropy", "pls_score": "PLS score", "filtered_entropy": "filtered"}


def _cells(row: dict[str, Any], extra: list[str]) -> list[str]:
    return [
        *([str(row["id"])] if "id" in row else []),
        number(row["record"]),
        in_figures(row["contribution"]),
        f"{row['uniqueness_plus']:.4f}",
        f"{row['uniqueness_star']:.4f}",
        number(row["unique_in"]),
        *(f"{row[name]:.4f}" for name in extra),
        row["unique_for"],
    ]


def _sentences(found: RecordContributions) -> list[str]:
    """Return what there is to say about all records."""
    said = [f"{found}."]
    none = int((found.unique_in == 0).sum())
    said.append(f"{none:,} records ({share(none, found.records)}) are unique in no combination.")
    if found.rank is not None:
        many = int(found.cluster.sum())
        said.append(
            f"Contributions fall into two clusters: {many:,} records are "
            f"{found.cluster_in_words}, which moves the threshold of the fit."
        )
    if found.pls is not None:
        train, test = (
            "undefined" if area is None else f"{area:.4f}"
            for area in (found.pls.auc_train, found.pls.auc_test)
        )
        said.append(
            f"Prediction from the values ({found.pls.terms}, {found.pls.factors} factors): area "
            f"under the curve {train} on the records that trained it, {test} on the others."
        )
    said += [f"Warning: {text}" for text in found.warnings]
    said += [f"Note: {text}" for text in found.notes]
    return said
