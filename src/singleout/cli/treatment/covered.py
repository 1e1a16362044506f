"""`singleout covered`: how many published rows may be each original record, whoever made them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singleout.cli.shared import classes as shared
from singleout.cli.shared import options
from singleout.cli.shared.data import Reading, takes_data, with_ids
from singleout.cli.shared.output import Outputs, number, share_of, show_table, tell, write_rows
from singleout.cli.shared.progress import shown_if_slow
from singleout.cli.treatment import parts
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.core.table import Table
    from singleout.treatment.covered.result import Covered

__all__ = ["covered"]

_SINGLY = 5  # so many counts below k have a line each


@takes_data
def covered(
    before: parts.Before,
    after: parts.After,
    qi: shared.Known,
    k: Annotated[
        int, typer.Option("--k", metavar="N", help="How many rows must cover a record.")
    ] = 5,
    hierarchy: parts.HierarchyFiles = None,
    identifier: shared.Identifier = None,
    json: options.Json = False,
    csv: shared.PerRecord = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Count for each original record the published rows that may be it.

    A row may be a person's if each cell equals the person's value, covers it, or is blank. Works
    for tables that any tool made; a tool that counts blank cells as equal to everything leaves
    records that one row only covers.
    """
    from singleout.treatment.covered.function import covered as measure
    from singleout.treatment.hierarchies.read import read_hierarchy

    shared.refuse_ids_without_a_file(identifier, csv)
    known = shared.quasi_identifiers(qi)
    files = parts.hierarchy_files(hierarchy, known)
    outputs = Outputs(
        json=json,
        csv=csv,
        plot=plot,
        force=force,
        read=[before, after, *files.values()],
        engine=reading.engine,
    )
    with shown_if_slow():
        names = [*known, *([identifier] if identifier is not None else [])]
        original = reading.table(before, list(dict.fromkeys(names)))
        treated = reading.table(after, known)
        hierarchies = {name: read_hierarchy(file, name) for name, file in files.items()}
        result = measure(original, treated, known, k, hierarchies=hierarchies)
        outputs.write(
            chart=result.plot,
            files={csv: lambda part: _write_records(part, result, original, identifier)},
            private=[csv],
        )
    sources = {"data": original.source, "treated": treated.source}

    def for_people() -> None:
        _show(sources, result)
        outputs.tell_written()

    outputs.show(lambda: {**sources, **result.to_dict()}, for_people)


def _write_records(part: Path, result: Covered, table: Table, identifier: str | None) -> None:
    write_rows(part, with_ids(result.to_frame(), table, identifier).to_dicts())


def _show(sources: dict[str, str], result: Covered) -> None:
    tell(
        say(
            "screen.covered.about",
            before=sources["data"],
            after=sources["treated"],
            records=result.records,
            rows=result.rows,
            n=len(result.columns),
        )
    )
    show_table("screen.covered.rows", _rows(result))
    tell(f"{result}", say("screen.covered.legend"), notes=result.notes)


def _rows(result: Covered) -> list[list[str]]:
    """Return how many records few rows cover, how many some more, and how many enough."""
    counts, k = result.counts, result.k
    singly = min(k, _SINGLY)
    bands = [(say("screen.covered.fewer", low=size), counts == size) for size in range(singly)]
    if k > singly:
        low = {"low": singly, "high": k - 1}
        key = "screen.covered.range" if k - 1 > singly else "screen.covered.fewer"
        bands.append((say(key, **low), (counts >= singly) & (counts < k)))
    bands.append((say("screen.covered.enough", k=k), counts >= k))
    return [
        [label, number(int(within.sum())), share_of(int(within.sum()), result.records)]
        for label, within in bands
    ]
