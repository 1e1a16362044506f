"""Assess: the report, alive. A cell of the matrix opens its rows, a row its worst values."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import FileResponse, Response

from singleout.core.language import spoken
from singleout.web.errors import Refused
from singleout.web.jobs import Job
from singleout.web.rendering import data_first, jobs_of, page, redirect, settings_of, workspace_of

__all__ = ["router"]

router = APIRouter()

ASSESS = "assess"
_TOLD = 15  # values of an attribute
_DOWNLOADS = {
    "report.html": ("report-{}.html", "text/html; charset=utf-8"),
    "report.json": ("report.json", "application/json"),
    "pia.json": ("pia-{}.json", "application/json"),
}


@router.get("/assess")
def assess(request: Request) -> Response:
    """Show the assessment of now, or how far it is."""
    workspace = workspace_of(request)
    if workspace.source is None:
        return data_first(request)
    job = jobs_of(request).latest(ASSESS)
    if job is None or job.state != "done":
        return page(request, "assess.html.j2", job=job)
    return page(request, "assessed.html.j2", job=job, **_shown(request, job))


def _shown(request: Request, job: Job) -> dict[str, Any]:
    from singleout.web.assessing import plan_key

    workspace = workspace_of(request)
    found, plan, source = job.result, workspace.plan(), workspace.source
    assert source is not None
    inside = (job.folder / f"inside-{spoken()}.html").read_text(encoding="utf-8")
    return {
        "found": found,
        "inside": Markup(inside),  # made of templates that escape everything
        "changed": plan is not None and plan_key(plan) != found["plan"],
        "matrix": _matrix(found),
        **_again(source.name if source.is_file else source.data),
    }


def _matrix(found: dict[str, Any]) -> list[list[dict[str, int]]]:
    """Return the risk matrix from the easiest attack down, with the number of rows in each cell."""
    return [
        [
            {
                "exploitability": down,
                "severity": across,
                "risk": found["matrix"][down - 1][across - 1],
                "rows": len(_in_cell(found, down, across)),
            }
            for across in (1, 2, 3, 4)
        ]
        for down in (4, 3, 2, 1)
    ]


def _in_cell(found: dict[str, Any], exploitability: int, severity: int) -> list[dict[str, Any]]:
    return [
        {**row, "number": number}
        for number, row in enumerate(found["rows"])
        if row["exploitability"] == exploitability and row["severity"] == severity
    ]


def _again(name: str) -> dict[str, Any]:
    """Return the command and the lines of Python that do the same."""
    from singleout.io.files import without_secrets

    file = without_secrets(name)
    return {
        "command": f"singleout assess {shlex.quote(file)} --plan plan.yaml -o report.html",
        "python": [
            "import singleout as so",
            f'found = so.assess({file!r}, "plan.yaml")',
            'found.report("report.html")',
        ],
    }


@router.post("/assess")
def start(request: Request) -> Response:
    """Start the assessment."""
    if workspace_of(request).source is None:
        return data_first(request)
    jobs_of(request).start(
        ASSESS,
        "singleout.web.assessing:assess",
        record_view=settings_of(request).record_view,
    )
    return redirect(request, "/assess")


# ---- what opens


def _done(request: Request) -> Job:
    job = jobs_of(request).latest(ASSESS)
    if job is None or job.state != "done":
        raise Refused(404, "web.errors.no_job")
    return job


@router.get("/assess/cell")
def cell(request: Request, exploitability: int, severity: int) -> Response:
    """Show the rows of a cell of the risk matrix."""
    found = _done(request).result
    rows = _in_cell(found, exploitability, severity)
    return page(
        request,
        "cell.html.j2",
        rows=rows,
        exploitability=min(4, max(1, exploitability)),
        severity=min(4, max(1, severity)),
    )


@router.get("/assess/row/{number}")
def row(request: Request, number: int) -> Response:
    """Show the values of a row that give most away."""
    found = _done(request).result
    if not 0 <= number < len(found["rows"]):
        raise Refused(404, "web.errors.no_job")
    wanted = found["rows"][number]
    known = ", ".join(wanted["columns"])
    told = [
        one
        for one in found["told"]
        if one["known"] == known and one["sensitive"] == wanted["sensitive"]
    ]
    return page(request, "told.html.j2", row=wanted, told=told[:_TOLD], more=len(told) - _TOLD)


@router.get("/assess/record/{number}")
def record(request: Request, number: int) -> Response:
    """Show what a record says, and what singles it out; only where that is allowed."""
    if not settings_of(request).record_view:
        raise Refused(403, "web.errors.record_view")
    found = _done(request).result
    one = next((each for each in found["records"] if each["record"] == number), None)
    if one is None:
        raise Refused(404, "web.errors.no_record")
    return page(request, "record.html.j2", record=one)


@router.get("/assess/files/{name}")
def download(request: Request, name: str) -> Response:
    """Send the report, or one of its other forms, in the language of the page."""
    job = _done(request)
    if name not in _DOWNLOADS:
        raise Refused(404, "web.errors.no_job")
    pattern, kind = _DOWNLOADS[name]
    path: Path | None = job.file(pattern.format(spoken()))
    if path is None:
        raise Refused(404, "web.errors.no_job")
    return FileResponse(path, media_type=kind, filename=name)
