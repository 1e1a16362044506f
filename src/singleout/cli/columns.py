"""`singleout columns`: what a file holds, without showing anybody's values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from singleout import __version__
from singleout.cli import options
from singleout.cli.output import (
    check_free,
    number,
    print_json,
    print_table,
    screen,
    share,
    write_csv,
)
from singleout.cli.progress import shown_if_slow
from singleout.core.text import printable

if TYPE_CHECKING:
    from singleout.core.table import Table

__all__ = ["columns"]


def columns(
    data: options.Data,
    na: options.Na = None,
    json: options.Json = False,
    csv: options.CsvOut = None,
    force: options.Force = False,
    delimiter: options.Delimiter = None,
    quote: options.Quote = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    name: options.Name = None,
) -> None:
    """List the columns of a file: how many different values each has, and how many are missing."""
    from singleout.io.read import read

    check_free([csv], force=force, data=data)
    with shown_if_slow():
        table = read(
            data,
            missing_values=na or (),
            delimiter=delimiter,
            quote=quote,
            encoding=encoding,
            sheet=sheet,
            name=name,
        )
    rows = _rows(table)
    if csv is not None:
        write_csv(csv, rows, force=force)
    if json:
        print_json(
            {
                "singleout": __version__,
                "data": table.source,
                "records": table.rows,
                "columns": rows,
            }
        )
        return
    print_table(
        f"{table.source}: {table.rows:,} records, {len(rows):,} columns",
        ["column", "different values", "missing", "share missing"],
        [
            [
                row["column"],
                number(row["different_values"]),
                number(row["missing"]),
                share(row["missing"], table.rows),
            ]
            for row in rows
        ],
    )
    for note in table.notes:
        screen().print(f"Note: {printable(note)}", soft_wrap=True)


def _rows(table: Table) -> list[dict[str, Any]]:
    return [
        {
            "column": column.name,
            "different_values": len(column.values),
            "missing": int(column.is_missing.sum()),
            "description": column.description,
        }
        for column in table
    ]
