"""`singleout columns`: what a file holds, without showing anybody's values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from singleout.cli.shared import options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs, number, share_of, show_table, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = ["columns"]

_SHOWN = 1_000  # rows of a table on the screen, which is slow to render


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
    outputs = Outputs(json=json, csv=csv, force=force, read=[data], engine=reading.engine)
    with shown_if_slow(), reading.open(data) as counter:
        rows = _rows(counter)
        facts = {"data": counter.source, "records": counter.rows}
        notes = counter.notes
        outputs.write(rows=lambda: rows)
    outputs.show(lambda: {**facts, "columns": rows}, lambda: _show(facts, rows, notes))


def _show(facts: dict[str, Any], rows: list[dict[str, Any]], notes: tuple[str, ...]) -> None:
    show_table(
        "screen.columns",
        [
            [
                row["column"],
                number(row["different_values"]),
                number(row["missing"]),
                share_of(row["missing"], facts["records"]),
            ]
            for row in rows[:_SHOWN]
        ],
        **facts,
        columns=len(rows),
    )
    if len(rows) > _SHOWN:
        tell(say("screen.first_columns", shown=_SHOWN))
    tell(notes=notes)


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
