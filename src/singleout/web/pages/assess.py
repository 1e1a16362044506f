"""Assess: the report, alive."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from singleout.web.rendering import jobs_of, page, redirect, workspace_of

__all__ = ["router"]

router = APIRouter()

ASSESS = "assess"


@router.get("/assess")
def assess(request: Request) -> Response:
    """Show the assessment of now, or how far it is."""
    if workspace_of(request).source is None:
        return redirect(request, "/")
    return page(request, "assess.html.j2", job=jobs_of(request).latest(ASSESS))


@router.post("/assess")
def start(request: Request) -> Response:
    """Start the assessment."""
    if workspace_of(request).source is None:
        return redirect(request, "/")
    jobs_of(request).start(ASSESS, "singleout.web.assessing:assess")
    return redirect(request, "/assess")
