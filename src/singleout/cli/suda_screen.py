"""Special uniques on the screen: minimal uniques by size, columns, values, records and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from singleout.cli.output import number, print_table, screen, share
from singleout.core.text import printable
from singleout.core.wording import in_figures, percent

if TYPE_CHECKING:
    import polars as pl

    from singleout.core.table import Table
    from singleout.methods.suda.result import Suda

__all__ = ["show"]

_MISSING = {
    "value": "A missing value counts as a value like another (--missing value).",
    "never": "A missing cell is never part of a minimal unique (--missing never).",
    "drop": "Records that lack a value are left out (--missing drop).",
}


def show(
    table: Table, found: Suda, risky: pl.DataFrame, *, top: int, identifier: str | None
) -> None:
    """Print sizes, contributions and the riskiest records.

    Parameters
    ----------
    table, found
        What was read, and what was found in it.
    risky
        The records to show, with their ids if there are any.
    top
        How many values to show.
    identifier
        The column that names the records, if there is one.
    """
    out = screen()
    out.print(
        f"{printable(table.source)}: {found.records:,} records, sets of up to {found.max_size} of "
        f"{len(found.columns):,} columns\n",
        soft_wrap=True,
    )
    _show_sizes(found)
    _show_contributions(found, top)
    if len(risky):
        _show_records(found, risky, identifier)
    for sentence in (f"{found}.", *_notes(found)):
        out.print(printable(sentence), soft_wrap=True)


def _show_sizes(found: Suda) -> None:

    weights, totals = found.weights.tolist(), found.summary["uniques_by_size"]
    having = (found.counts_by_size > 0).sum(axis=0).tolist()
    print_table(
        "Minimal uniques",
        ["size", "minimal uniques", "records that have one", "weight"],
        [
            [size, number(totals[size]), number(records), in_figures(weight)]
            for size, records, weight in zip(totals, having, weights, strict=True)
        ],
    )


def _show_contributions(found: Suda, top: int) -> None:
    from singleout.core.frames import pl

    variables = found.variable_contributions.sort("share", descending=True, maintain_order=True)
    print_table(
        "What each column contributes",
        ["column", "share of all scores"],
        [[row["variable"], f"{row['share']:.1%}"] for row in variables.to_dicts()],
    )
    values = found.value_contributions.filter(pl.col("share") > 0)
    if top and len(values):
        print_table(
            "Values that contribute most",
            ["value", "records", "share of all scores"],
            [
                [f"{row['variable']}={row['value']}", number(row["records"]), f"{row['share']:.1%}"]
                for row in values.sort("share", descending=True, maintain_order=True)
                .head(min(top, len(values)))
                .to_dicts()
            ],
        )


def _show_records(found: Suda, risky: pl.DataFrame, identifier: str | None) -> None:
    heads = ["record", f"score (M={found.max_size})", "of the lattice", "minimal uniques"]
    if found.has_dis_score:
        heads.insert(3, "DIS-SUDA")
    sizes = [name for name in risky.columns if name.startswith("uniques_of_size_")]
    rows = []
    for row in risky.to_dicts():
        cells = [number(row["record"]), in_figures(row["score"])]
        cells.append(percent(row["proportion_of_lattice"]))
        if found.has_dis_score:
            cells.append(f"{row['dis_score']:.4f}")
        cells.append(number(sum(row[name] for name in sizes)))
        rows.append([*([row["id"]] if identifier else []), *cells])
    print_table(
        "Records that stand out most", [*([identifier] if identifier else []), *heads], rows
    )
    for row in risky.to_dicts():
        screen().print(printable(f"Record {row['record']:,}: {row['because']}."), soft_wrap=True)
    screen().print()


def _notes(found: Suda) -> list[str]:
    """Return what there is to say about the run."""
    unique = f"{found.unique:,} of {found.records:,} records ({share(found.unique, found.records)})"
    said = [
        f"{unique} are unique on all columns, and {found.in_pairs:,} share their combination with "
        "one other record."
    ]
    notes = (_MISSING[found.missing], *found.notes)
    return said + [f"Note: {text}" for text in notes]
