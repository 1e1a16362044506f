"""The job that writes what leaves: the treated file, its log, the steps, and the report on both."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.web.opening import called, opened
from singleout.web.work import Task
from singleout.web.workspaces import Source

if TYPE_CHECKING:
    from singleout.assessment.treated.treated import Treated

__all__ = ["FORMATS", "own_format", "write"]

FORMATS = (".csv", ".xlsx", ".parquet", ".sav", ".dta", ".jsonl")  # to choose from
_WORKBOOKS = (".xls", ".xlsm", ".xlsb", ".ods")  # which are read, and written as .xlsx
_OF_FILE = ("delimiter", "quote", "encoding")


def own_format(source: Source) -> str:
    """Return the ending of the treated file: that of the source, or the nearest to it."""
    from singleout.errors import BadChoice
    from singleout.io.write.table import format_of, source_extension

    path = Path(source.data)
    if not source.is_file or not path.is_file():
        return ".csv"
    ending = source_extension(path)
    if ending in _WORKBOOKS:
        return ".xlsx"
    try:
        format_of(f"treated{ending}")
    except BadChoice:
        return ".csv"
    return ending


def write(
    task: Task, steps: dict[str, Any], ending: str, key: str, *, report: bool = True
) -> dict[str, Any]:
    """Apply the steps, and write all files; the report takes longest and may be left out."""
    from singleout.assessment.treated.treat import treat_records
    from singleout.treatment.steps.steps import Steps
    from singleout.web.answering import Held
    from singleout.web.treating.measuring import plan_of

    source = task.workspace.source
    assert source is not None
    plan = plan_of(Held(task.workspace))
    chosen = Steps.of(steps)
    options = {name: source.reading[name] for name in _OF_FILE if name in source.reading}
    with opened(source) as counter:
        records = counter.held if counter.held is not None else counter.records(None)
        data = source.data if source.is_file else None
        treated = treat_records(data, records, chosen, plan, **options)
        name = f"treated{ending}"
        treated.write(task.file(name), force=True)
        treated.write_log(task.file("log.csv"), force=True)
        chosen.write(task.file("steps.yaml"), force=True)
        if report:
            _named(treated, source).report(task.file("report.html"))
    return {
        "key": key,
        "treated": name,
        "files": {
            path.name: path.stat().st_size for path in sorted((task.folder / "files").iterdir())
        },
    }


def _named(treated: Treated, source: Source) -> Treated:
    """Return the same under the name that its user knows."""
    applied = replace(treated.applied, table=called(treated.table, source))
    return replace(treated, original=called(treated.original, source), applied=applied)
