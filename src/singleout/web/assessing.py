"""The job of the page Assess: the assessment, its report and its other files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from singleout.web.charts import chart_text
from singleout.web.opening import opened
from singleout.web.work import Task

__all__ = ["assess"]


def assess(task: Task) -> dict[str, Any]:
    """Assess the data of a workspace by its plan, and write the report in all its forms."""
    from singleout.assessment.assess import assess as measure
    from singleout.io.fingerprint import fingerprint

    source = task.workspace.source
    assert source is not None
    with opened(source) as counter:
        found = measure(counter, task.workspace.plan())
    sha256 = fingerprint(source.data) if source.is_file else None
    found = replace(found, facts=replace(found.facts, source=source.name, sha256=sha256))
    found.report(task.file("report.html"))
    found.report_json(task.file("report.json"))
    found.pia(task.file("pia.json"))
    return {
        "level": found.level,
        "verdict": found.verdict,
        "matrix": chart_text(found.plot()),
    }
