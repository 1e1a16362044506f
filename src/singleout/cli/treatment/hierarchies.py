"""`singleout hierarchies`: what values may become on each level, proposed for each column."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singleout.cli.shared import options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs, check_free, tell
from singleout.cli.shared.progress import shown_if_slow
from singleout.cli.treatment import parts
from singleout.core.paths import expanded
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.treatment.hierarchies.proposals import Hierarchies

__all__ = ["hierarchies"]


@takes_data
def hierarchies(
    data: options.Data,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns", metavar="A,B,C", help="The columns; all if not given. Repeatable."
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FOLDER", help="Write a CSV file in ARX's format for each."
        ),
    ] = None,
    ordinal: Annotated[
        list[str] | None,
        typer.Option("--ordinal", metavar="A,B", help="Columns whose values have an order."),
    ] = None,
    nominal: Annotated[
        list[str] | None,
        typer.Option("--nominal", metavar="A,B", help="Columns whose values have no order."),
    ] = None,
    json: options.Json = False,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Propose a hierarchy for each column: what its values become on each level, up to *.

    Dates become months and years, numbers intervals, codes lose their last characters, and rare
    values are merged. The files can be edited and given to singleout suggest --hierarchy.
    """
    from singleout.treatment.hierarchies.proposals import file_names
    from singleout.treatment.hierarchies.proposals import hierarchies as propose

    outputs = Outputs(json=json, force=force, read=[data], engine=reading.engine)
    wanted = options.column_names(columns)
    scaled = {
        "ordinal": options.column_names(ordinal, "--ordinal") or [],
        "nominal": options.column_names(nominal, "--nominal") or [],
    }
    with shown_if_slow(), reading.open(data, wanted) as counter:
        target = None if folder is None else expanded(folder)
        if target is not None:
            names = file_names(wanted or counter.columns).values()
            files = [target / name for name in names if target.is_dir()]
            check_free(files, force=force, read=[data], engine=reading.engine)
        found = propose(counter, wanted, **scaled)
        written = {} if target is None else found.write(target, force=force)
        source, notes = counter.source, counter.notes
    outputs.show(
        lambda: {
            "data": source,
            "hierarchies": found.to_dict(),
            "files": {name: str(path) for name, path in written.items()},
        },
        lambda: _show(source, found, list(written.values()), notes),
    )


def _show(source: str, found: Hierarchies, files: list[Path], notes: tuple[str, ...]) -> None:
    tell(say("screen.hierarchies.about", source=source, n=len(found)))
    for sentence in found.sentences:
        tell(parts.shortened(sentence))
    tell("", notes=notes)
    if not files:
        tell(say("screen.hierarchies.not_written"))
        return
    tell(*(say("screen.written", file=file) for file in files))
    tell(say("screen.hierarchies.next", folder=shlex.quote(str(files[0].parent))))
