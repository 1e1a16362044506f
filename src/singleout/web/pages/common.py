"""What all pages share: the switches of language and theme, jobs, their files, and charts."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from fastapi import APIRouter, Form, Request
from starlette.responses import FileResponse, Response

from singleout import report
from singleout.core.language import LANGUAGES
from singleout.web.charts import vega_file
from singleout.web.errors import Refused
from singleout.web.guard import LANGUAGE_COOKIE, THEME_COOKIE, cookie_header, cookie_name
from singleout.web.jobs import Job
from singleout.web.rendering import THEMES, jobs_of, page, redirect, settings_of, workspace_of
from singleout.web.workspaces import Workspaces

__all__ = ["router"]

router = APIRouter()

_KEPT = {"cache-control": "private, max-age=86400"}
_YEAR = 365 * 24 * 3600
_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".yaml": "application/yaml; charset=utf-8",
}


@router.post("/switch")
def switch(
    request: Request,
    language: str = Form(""),
    theme: str = Form(""),
    back: str = Form("/"),
) -> Response:
    """Choose the language or the theme, and go back to the page."""
    response = redirect(request, _own_path(back))
    for name, value, known in (
        (LANGUAGE_COOKIE, language, LANGUAGES),
        (THEME_COOKIE, theme, THEMES),
    ):
        if value in known:
            cookie = cookie_header(name, value, settings_of(request), seconds=_YEAR)
            response.headers.append("set-cookie", cookie)
    return response


def _own_path(path: str) -> str:
    """Return a path of this application; anything else leads to the start."""
    parts = urlsplit(path)
    own = not parts.scheme and not parts.netloc and path.startswith("/")
    return path if own and not path.startswith("//") and "\\" not in path else "/"


@router.post("/forget")
def forget(request: Request) -> Response:
    """Delete everything of whoever asks."""
    settings = settings_of(request)
    Workspaces(settings).remove(workspace_of(request))
    response = redirect(request, "/")
    response.headers.append(
        "set-cookie", cookie_header(cookie_name(settings), "", settings, seconds=0)
    )
    return response


# ---- jobs


def _job(request: Request, identity: str) -> Job:
    job = jobs_of(request).find(identity)
    if job is None:
        raise Refused(404, "web.errors.no_job")
    return job


@router.get("/jobs/{identity}")
def progress(request: Request, identity: str, then: str = "/") -> Response:
    """Show how far a job is; once it is over, the page ``then`` is loaded."""
    job = _job(request, identity)
    if job.under_way:
        return page(request, "progress.html.j2", job=job)
    return redirect(request, _own_path(then))


@router.post("/jobs/{identity}/cancel")
def cancel(request: Request, identity: str, then: str = Form("/")) -> Response:
    """End a job."""
    jobs_of(request).cancel(_job(request, identity).id)
    return redirect(request, _own_path(then))


@router.get("/jobs/{identity}/files/{name}")
def download(request: Request, identity: str, name: str) -> Response:
    """Send a file that a job has written, to be saved and not shown."""
    path = _job(request, identity).file(name)
    if path is None:
        raise Refused(404, "web.errors.no_job")
    kind = _KINDS.get(path.suffix, "application/octet-stream")
    return FileResponse(path, media_type=kind, filename=name)


# ---- charts


@router.get("/look/report.css")
def style() -> Response:
    """Send the style of reports, which pages share."""
    path = Path(report.__file__).parent / "report.css"
    return FileResponse(path, media_type="text/css", headers=_KEPT)


@router.get("/charts/vega.js")
def vega(request: Request) -> Response:
    """Send the script that draws charts."""
    path = vega_file(settings_of(request).folder)
    return FileResponse(path, media_type="text/javascript; charset=utf-8", headers=_KEPT)
