"""`singleout columns`: what a file holds, without showing anybody's values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from singleout import __version__
from singleout.cli import options
from singleout.cli.data import Reading, takes_data
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
    from singleout.engines.counter import Counter

__all__ = ["columns"]


_SHOWN = 1_000  # rows of a table on the screen, which takes long to be laid out


@takes_data
def columns(
    data: options.Data,
    json: options.Json = False,
    csv: options.CsvOut = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """List the columns: how many different values each has, and how many are missing."""
    check_free([csv], force=force, read=[data], engine=reading.engine)
    with shown_if_slow(), reading.open(data) as found:
        rows = _rows(found)
        source, records, notes = found.source, found.rows, found.notes
    if csv is not None:
        write_csv(csv, rows, force=force)
    if json:
        print_json(
            {
                "singleout": __version__,
                "data": source,
                "records": records,
                "columns": rows,
            }
        )
        return
    print_table(
        f"{source}: {records:,} records, {len(rows):,} columns",
        ["column", "different values", "missing", "share missing"],
        [
            [
                row["column"],
                number(row["different_values"]),
                number(row["missing"]),
                share(row["missing"], records),
            ]
            for row in rows[:_SHOWN]
        ],
    )
    if len(rows) > _SHOWN:
        screen().print(
            f"The first {_SHOWN:,} columns are shown; --csv or --json gives all of them.",
            soft_wrap=True,
        )
    for note in notes:
        screen().print(f"Note: {printable(note)}", soft_wrap=True)


def _rows(counter: Counter) -> list[dict[str, Any]]:
    """Count the values of each column; a missing value is none of the different values."""
    missing = counter.missing(counter.columns)
    distinct = counter.distinct_counts(counter.columns, 1).counts.tolist()
    return [
        {
            "column": name,
            "different_values": values - (missing[name] > 0),
            "missing": missing[name],
            "description": counter.facts(name).description,
        }
        for name, values in zip(counter.columns, distinct, strict=True)
    ]
