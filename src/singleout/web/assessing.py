"""The job of the page Assess: the assessment, its report in every language, and what opens on it.

The page shows what is written here and computes nothing: a tab can be closed, and another opened.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from singleout.core.language import LANGUAGES, speaking
from singleout.web.opening import opened
from singleout.web.work import Task

if TYPE_CHECKING:
    from singleout.assessment.plan.plan import Plan
    from singleout.assessment.result import Assessment

__all__ = ["assess", "plan_key"]

_RECORDS = 25  # that can be looked at
_COLUMNS = 8  # of a record that single it out
_SETS = 6


def assess(task: Task, *, record_view: bool = False) -> dict[str, Any]:
    """Assess the data of a workspace by its plan, and write the report in all its forms."""
    from singleout.assessment.assess import assess as measure
    from singleout.io.fingerprint import fingerprint

    source, plan = task.workspace.source, task.workspace.plan()
    assert source is not None
    with opened(source) as counter:
        found = measure(counter, plan)
    sha256 = fingerprint(source.data) if source.is_file else None
    found = replace(found, facts=replace(found.facts, source=source.name, sha256=sha256))
    for code in LANGUAGES:
        with speaking(code):
            _write(task, found, code)
    found.report_json(task.file("report.json"))
    return {
        "plan": plan_key(found.plan if plan is None else plan),
        "level": found.level,
        "highest": found.range[1],
        "if_member": found.if_member,
        "highest_if_member": found.range_if_member[1],
        "population": found._of_members is not None,
        "matrix": [list(row) for row in found.plan.matrices.risk],
        "rows": _rows(found),
        "told": found.told().to_dicts(),
        "records": _records(found) if record_view and not found.counted else [],
    }


def plan_key(plan: Plan) -> str:
    """Return what identifies the content of a plan."""
    return hashlib.sha256(plan.to_yaml().encode()).hexdigest()[:16]


def _write(task: Task, found: Assessment, code: str) -> None:
    """Write the report of a language as a file of its own, and as the inside of a page."""
    from singleout.assessment.report.content import report_of
    from singleout.report.page import page_environment, write_page

    report = report_of(found)
    write_page(report, task.file(f"report-{code}.html"))
    inside = page_environment().get_template("inside.html.j2").render(report=report)
    (task.folder / f"inside-{code}.html").write_text(inside, encoding="utf-8")
    found.pia(task.file(f"pia-{code}.json"))


def _rows(found: Assessment) -> list[dict[str, Any]]:
    """Return what could be known against what would be learnt, rated; the worst first."""
    from singleout.assessment.findings import distinct_rows

    return [
        {
            "kind": str(row.combination.kind),
            "name": row.combination.name,
            "columns": list(row.combination.columns),
            "exposure": int(row.combination.exposure),
            "sensitive": row.sensitive,
            "identity": row.identity,
            "gain": row.gain,
            "exploitability": row.exploitability,
            "severity": row.severity,
            "risk": row.risk,
            "at_risk": row.reaching(3) / max(1, sum(row.by_risk)),
        }
        for row in distinct_rows(found.ratings)
    ]


def _records(found: Assessment) -> list[dict[str, Any]]:
    """Return the riskiest records: their values, and which of them single each out."""
    riskiest = found.riskiest(_RECORDS).to_dicts()
    values = found.values_of([row["record"] for row in riskiest])
    return [
        {
            "record": row["record"],
            "risk": row["risk"],
            "severity": row["severity"],
            "exploitability": row["exploitability"],
            "set_size": row["set_size"],
            "sensitive": row["sensitive"],
            "values": said,
            **_singled_out(found, row["record"]),
        }
        for row, said in zip(riskiest, values, strict=True)
    ]


def _singled_out(found: Assessment, number: int) -> dict[str, Any]:
    """Return the columns and the sets of columns by which a record is alone, if SUDA looked."""
    if found.suda is None:
        return {"by_columns": [], "sets": []}
    one = found.suda.of_record(number)
    shares = sorted(
        zip(one.columns, one.contributions.tolist(), strict=True), key=lambda pair: -pair[1]
    )
    return {
        "by_columns": [(name, share) for name, share in shares[:_COLUMNS] if share > 0],
        "sets": [list(names) for names in (one.uniques or ())[:_SETS]],
    }
