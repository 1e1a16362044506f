"""Explore: tick columns and look at what they give away, measure by measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.responses import Response

from singleout.core.choices import Role
from singleout.core.language import spoken
from singleout.web.companions import Unanswered, ask
from singleout.web.errors import Refused
from singleout.web.exploring.linked import narrowed
from singleout.web.exploring.views import VIEWS, View, again, view_named
from singleout.web.jobs import Job
from singleout.web.pages.start import look_of
from singleout.web.rendering import data_first, jobs_of, page, redirect, settings_of, workspace_of
from singleout.web.workspaces import Workspace

__all__ = ["router"]

router = APIRouter()

_SETS = "sets"


@router.get("/explore")
def explore(request: Request) -> Response:
    """Go to the first view."""
    return redirect(request, f"/explore/{_SETS}")


@router.get("/explore/{name}")
def show(request: Request, name: str, column: str = "", of: int = -1) -> Response:
    """Show a view with what was measured last; ``column`` and ``of`` narrow the lists of SUDA."""
    view = view_named(name)
    workspace = workspace_of(request)
    columns = _columns(request)
    if not columns:
        return data_first(request)
    ticked = _ticked(workspace, columns)
    shown: dict[str, Any] = {"job": None, "found": None, "lists": None}
    if view.name == _SETS:
        shown["found"] = _sets(workspace, ticked)
    else:
        shown |= _measured(jobs_of(request).latest(f"explore-{name}"), column, of)
    remembered = workspace.state().get("explore", {}).get(name) or _at_first(workspace, columns)
    return page(
        request,
        "explore.html.j2",
        view=view,
        views=VIEWS,
        columns=columns,
        ticked=ticked,
        fields=remembered,
        again=_again(workspace, view, ticked, shown["found"]),
        column=column,
        of=of,
        **shown,
    )


@router.post("/explore/{name}")
async def measure(request: Request, name: str) -> Response:
    """Take the columns and the fields, and measure."""
    form = await request.form()
    return await run_in_threadpool(_measure, request, view_named(name), form)


def _measure(request: Request, view: View, form: FormData) -> Response:
    workspace = workspace_of(request)
    columns = _columns(request)
    given = [str(one) for one in form.getlist("columns")]
    ticked = [name for name in columns if name in given]
    fields = {
        field.name: [str(one)[:200] for one in form.getlist(field.name)] for field in view.fields
    }
    options = view.options(fields)
    with workspace.changing() as state:
        kept = state.setdefault("explore", {})
        kept["columns"] = ticked
        kept[view.name] = fields
    if view.name == _SETS:
        return page(
            request,
            "explored.html.j2",
            found=_sets(workspace, ticked),
            lists=None,
            again=_again(workspace, view, ticked, None),
        )
    if not ticked:
        raise Refused(422, "web.explore.no_columns")
    jobs_of(request).start(
        f"explore-{view.name}",
        "singleout.web.exploring.measures:explore",
        view=view.name,
        columns=ticked,
        options=options,
        records=settings_of(request).record_view,
    )
    return redirect(request, f"/explore/{view.name}")


# ---- what is shown


def _columns(request: Request) -> list[str]:
    """Return the names of all columns; none as long as the data was not looked at."""
    if workspace_of(request).source is None:
        return []
    job = look_of(request)
    return [one["name"] for one in job.result["columns"]] if job.state == "done" else []


def _ticked(workspace: Workspace, columns: Sequence[str]) -> list[str]:
    """Return the columns that were ticked last; at first those that others could know."""
    kept = workspace.state().get("explore", {}).get("columns")
    if kept is None:
        plan = workspace.plan()
        kept = [] if plan is None else plan.with_role(Role.QUASI_IDENTIFIER)
    return [name for name in columns if name in kept]


def _at_first(workspace: Workspace, columns: Sequence[str]) -> dict[str, list[str]]:
    """Return what fields hold at first that depends on the data: a column not to be learnt."""
    plan = workspace.plan()
    sensitive = [] if plan is None else [one for one in plan.sensitive if one in columns]
    return {"sensitive": sensitive[:1]} if sensitive else {}


def _sets(workspace: Workspace, ticked: Sequence[str]) -> dict[str, Any] | None:
    if not ticked:
        return None
    try:
        found: dict[str, Any] = ask(
            workspace, "singleout.web.exploring.measures:sets", columns=list(ticked)
        )
    except Unanswered as problem:
        return {"problem": problem.sentence}
    return found


def _measured(job: Job | None, column: str, of: int) -> dict[str, Any]:
    if job is None or job.state != "done":
        return {"job": job}
    result = job.result
    found = {**result, **result["said"][spoken()]}
    lists = found.get("lists")
    if lists is None:
        return {"job": job, "found": found}
    chosen = lists["sets"][of]["columns"] if 0 <= of < len(lists["sets"]) else None
    known = column if column in found["columns"] else None
    return {"job": job, "found": found, "lists": narrowed(lists, known, chosen)}


def _again(
    workspace: Workspace, view: View, ticked: Sequence[str], found: dict[str, Any] | None
) -> tuple[str, list[str]] | None:
    source = workspace.source
    if source is None or not ticked:
        return None
    measured = found or {}
    columns = measured.get("columns", ticked)
    return again(view, source.name, columns, measured.get("options", {}))
