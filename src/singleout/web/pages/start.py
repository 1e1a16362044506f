"""Start: choose data, see what each column may mean, and say what it does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Form, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from singleout.web.companions import dismiss
from singleout.web.errors import Refused
from singleout.web.jobs import Job
from singleout.web.pages.plan import choices, column_views
from singleout.web.rendering import jobs_of, page, redirect, settings_of, workspace_of
from singleout.web.uploads import receive_upload
from singleout.web.workspaces import Source

if TYPE_CHECKING:
    from singleout.engines.sql.urls import DatabaseUrl

__all__ = ["look_of", "router"]

router = APIRouter()

LOOK = "look"


@router.get("/")
def start(request: Request, first: str = "") -> Response:
    """Show the ways to data, or the data that is chosen; ``first`` if another page needs data."""
    workspace = workspace_of(request)
    if workspace.source is None:
        return page(
            request,
            "start.html.j2",
            offered=_offered(request),
            lost=workspace.state().get("lost", False),
            needed=bool(first),
        )
    job = look_of(request)
    sheets = _sheets(job)
    if job.state != "done":
        return page(request, "looking.html.j2", job=job, sheets=sheets)
    look = job.result
    return page(
        request,
        "columns.html.j2",
        look=look,
        sheets=sheets,
        plan=workspace.plan(),
        columns=column_views(workspace, look),
        choices=choices(),
        editing=False,
        planned=bool(workspace.state().get("planned")),
    )


def _sheets(job: Job) -> list[str]:
    """Return the sheets of a workbook; none of another file."""
    try:
        found: list[str] = json.loads((job.folder / "sheets.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    return found


def look_of(request: Request) -> Job:
    """Return the job that looks at the data; it is started if there is none."""
    jobs = jobs_of(request)
    return jobs.latest(LOOK) or jobs.start(LOOK, "singleout.web.looking:look")


def _offered(request: Request) -> list[str]:
    from singleout.io.files import without_secrets

    return [without_secrets(file) for file in settings_of(request).files]


# ---- ways to data


@router.post("/data/upload")
async def upload(request: Request) -> Response:
    """Take a file from the browser."""
    if settings_of(request).read_only:
        raise Refused(403, "web.errors.read_only")
    received = await receive_upload(request)
    source = Source("upload", received.name, str(received.path))
    return await run_in_threadpool(_chosen, request, source)


@router.post("/data/demo")
def demo(request: Request) -> Response:
    """Take the demo, with its plan."""
    from singleout.assessment.plan.demo import demo_plan_text
    from singleout.io.demo import demo_files

    file = next(path for path in demo_files() if path.suffix == ".csv")
    return _chosen(request, Source("demo", "demo", str(file)), demo_plan_text())


@router.post("/data/offered")
def offered(request: Request, number: int = Form(...)) -> Response:
    """Take what the server was started with, by its number."""
    files = settings_of(request).files
    if not 0 <= number < len(files):
        raise Refused(422, "web.errors.not_offered")
    data, shown = files[number], _offered(request)[number]
    if "://" in data:
        return _chosen(request, Source("database", shown, data))
    return _chosen(request, Source("path", Path(data).name, data))


@router.post("/data/address")
def address(request: Request, address: str = Form("")) -> Response:
    """Take a table in a database, by its address."""
    from singleout.engines.sql.urls import is_database_url, read_url
    from singleout.io.files import without_secrets

    settings, data = settings_of(request), address.strip()
    if settings.read_only:
        raise Refused(403, "web.errors.read_only")
    if not is_database_url(data):
        raise Refused(422, "web.errors.address")
    # files, sockets and options of drivers are opened with the rights of whoever runs the server
    if settings.is_shared and not _is_on_a_network(read_url(data)):
        raise Refused(403, "web.errors.local_database")
    return _chosen(request, Source("database", without_secrets(data), data))


def _is_on_a_network(url: DatabaseUrl) -> bool:
    return bool(url.host) and not url.host.startswith("/") and not url.options


def _chosen(request: Request, source: Source, plan: str | None = None) -> Response:
    workspace = workspace_of(request)
    jobs_of(request).cancel_all()
    dismiss(workspace)
    workspace.choose(source, plan)
    if plan is not None:
        workspace.remember(planned=True)
    look_of(request)
    return redirect(request, "/")


@router.post("/data/other")
def other(request: Request) -> Response:
    """Go back to the ways to data."""
    workspace = workspace_of(request)
    jobs_of(request).cancel_all()
    with workspace.changing() as state:
        old: dict[str, Any] | None = state.get("source")
        state.clear()
    if old is not None and old["kind"] == "upload":
        Path(old["data"]).unlink(missing_ok=True)
    (workspace.folder / "plan.yaml").unlink(missing_ok=True)
    return redirect(request, "/")


@router.post("/data/reading")
def reading(
    request: Request,
    sheet: str = Form(""),
    header_row: str = Form(""),
    skip_rows: str = Form(""),
    delimiter: str = Form(""),
    encoding: str = Form(""),
    missing_values: str = Form(""),
) -> Response:
    """Read the same file in another way; a plan that was guessed is guessed anew."""
    from singleout.assessment.plan.reading import PlanReading

    workspace = workspace_of(request)
    if workspace.source is None:
        return redirect(request, "/")
    stated: dict[str, Any] = {
        "sheet": sheet,
        "header_row": header_row,
        "skip_rows": skip_rows,
        "delimiter": delimiter.replace("\\t", "\t"),
        "encoding": encoding,
    }
    stated = {key: value for key, value in stated.items() if value}
    if header_row.strip().isdigit():
        stated["header_row"] = int(header_row)
    stated["missing_values"] = [one.strip() for one in missing_values.split(",") if one.strip()]
    options = PlanReading(**stated).options
    workspace.read_as(options)
    if not workspace.state().get("planned"):
        (workspace.folder / "plan.yaml").unlink(missing_ok=True)
        workspace.remember(stated=[])
    look_of(request)
    return redirect(request, "/")
