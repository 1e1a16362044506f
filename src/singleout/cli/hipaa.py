"""`singleout hipaa`: which identifiers of HIPAA's Safe Harbor data holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from singleout.cli.shared import classes, options
from singleout.cli.shared.data import Reading, takes_data
from singleout.cli.shared.output import Outputs, number, show_table, tell, write_rows
from singleout.cli.shared.progress import shown_if_slow
from singleout.core.text import printable
from singleout.core.wording import percent
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.assessment.hipaa.result import SafeHarbor

__all__ = ["hipaa"]

_Columns = Annotated[
    list[str] | None,
    typer.Option(
        "--columns", metavar="A,B,C", help="The columns to examine; all if not given. Repeatable."
    ),
]


@takes_data
def hipaa(
    data: options.Data,
    columns: _Columns = None,
    by: classes.By = None,
    json: options.Json = False,
    csv: options.CsvOut = None,
    plot: options.Plot = None,
    force: options.Force = False,
    *,
    reading: Reading,
) -> None:
    """Find the identifiers that HIPAA's Safe Harbor asks to remove.

    The 18 of 45 CFR 164.514(b)(2)(i), by the names of columns, the forms of values, check digits
    and lists. No value is shown. --csv writes a row for each finding.
    """
    from singleout.assessment.hipaa.function import hipaa as find

    wanted = options.column_names(columns)
    groups = list(by or [])
    outputs = Outputs(
        json=json, csv=csv, plot=plot, force=force, read=[data], engine=reading.engine
    )
    needed = None if wanted is None else list(dict.fromkeys([*wanted, *groups]))
    with shown_if_slow(), reading.open(data, needed) as counter:
        result = find(counter, wanted, groups)
        source = counter.source
        frame = result.to_frame()
        outputs.write(
            files={csv: lambda part: write_rows(part, frame.to_dicts(), frame.columns)},
            chart=result.plot,
        )
    outputs.show({"data": source, "results": [result.to_dict()]}, lambda: _show(source, result))


def _show(source: str, result: SafeHarbor) -> None:
    """Print the answer for people."""
    counts = {"records": result.records, "columns": len(result.columns)}
    tell(say("screen.hipaa.about", source=source, **counts))
    parts = [("", result)]
    parts += [(f"  {result.group_name(value)}, ", part) for value, part in result.groups.items()]
    rows = [
        [
            f"{label}{finding.identifier} {finding.title}: {finding.column}",
            number(finding.records),
            percent(finding.share),
        ]
        for label, part in parts
        for finding in part.findings
    ]
    if rows:
        show_table("screen.hipaa.findings", rows)
    for finding in result.findings:
        tell(printable(f"{finding.identifier} {finding.column}: {finding.reason}."))
    tell(f"{result}.", notes=result.notes)
