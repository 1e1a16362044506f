"""Treat: what leaves: the treated file in its own format, the log, the steps, the report."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Form, Request
from starlette.responses import PlainTextResponse, Response

from singleout.web.errors import Refused
from singleout.web.pages.treat import NotReady, about, hash_of
from singleout.web.rendering import data_first, jobs_of, page, redirect, settings_of, workspace_of
from singleout.web.treating.files import FORMATS, own_format
from singleout.web.treating.history import history_of

__all__ = ["router"]

router = APIRouter()

FILES = "treat-files"


@router.get("/treat/files")
def files(request: Request) -> Response:
    """Show the files that were made of the steps of now, or how far that is."""
    try:
        shown = about(request)
    except NotReady:
        return data_first(request)
    job = jobs_of(request).latest(FILES)
    found = job.result if job is not None and job.state == "done" else None
    source = workspace_of(request).source
    assert source is not None
    own = own_format(source)
    return page(
        request,
        "treat_files.html.j2",
        **shown,
        job=job,
        found=found,
        current=found is not None and found["key"] == _key(shown),
        formats=[own, *(one for one in FORMATS if one != own)],
    )


def _key(shown: dict[str, Any]) -> str:
    """Return what identifies the steps and the plan that files were made by."""
    return f"{shown['history'].now.key}-{hash_of(shown['plan'])}"


@router.post("/treat/files")
def make(request: Request, ending: str = Form(""), report: str = Form("")) -> Response:
    """Start to write the files."""
    if settings_of(request).read_only:
        raise Refused(403, "web.errors.read_only")
    try:
        shown = about(request)
    except NotReady:
        return data_first(request)
    source = workspace_of(request).source
    assert source is not None
    own = own_format(source)
    if ending and ending not in (own, *FORMATS):
        raise Refused(422, "web.treat.errors.format")
    jobs_of(request).start(
        FILES,
        "singleout.web.treating.files:write",
        steps=shown["history"].now.entries,
        ending=ending or own,
        key=_key(shown),
        report=report == "yes",
    )
    return redirect(request, "/treat/files")


@router.get("/treat/steps.yaml")
def steps(request: Request) -> Response:
    """Send the steps of now as a file."""
    from singleout.treatment.steps.steps import Steps

    if settings_of(request).read_only:
        raise Refused(403, "web.errors.read_only")
    text = Steps.of(history_of(workspace_of(request)).now.entries).to_yaml()
    return PlainTextResponse(
        text,
        media_type="application/yaml",
        headers={"content-disposition": 'attachment; filename="steps.yaml"'},
    )
