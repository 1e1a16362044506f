"""The plan by clicking: what columns mean, who the records stand for, what is accepted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Form, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from singleout.web.companions import ask
from singleout.web.errors import Refused
from singleout.web.planning import BOTH, IMPACTS, with_column, with_people, with_policy
from singleout.web.rendering import page, redirect, wants_fragment, workspace_of
from singleout.web.uploads import receive_text
from singleout.web.workspaces import Workspace

if TYPE_CHECKING:
    from singleout.assessment.plan.plan import Plan

__all__ = ["changing_plan", "choices", "column_views", "router"]

router = APIRouter()

CHANGED = {"HX-Trigger": "plan-changed"}  # the range of the risk is asked for again
_LARGEST_PLAN = 2_000_000  # bytes


# ---- what a page shows of it


def choices() -> dict[str, list[tuple[str, str]]]:
    """Return the words for roles, exposures and severities, to choose from."""
    from singleout.assessment.rating.scales import Exposure
    from singleout.methods.levels import level_name, level_names
    from singleout.report.say import say
    from singleout.web.planning import ROLES

    return {
        "roles": [
            ("", say("web.columns.no_role")),
            *((role, say(f"web.columns.roles.{role}")) for role in ROLES),
        ],
        "exposures": [
            ("", say("web.columns.not_stated")),
            *((one.name, f"{one.name} – {level_name('exposure', one)}") for one in Exposure),
        ],
        "severities": [
            ("", say("web.columns.not_stated")),
            *((str(n), f"{n} {word}") for n, word in enumerate(level_names("severity"), start=1)),
        ],
        "risks": [
            ("", say("web.columns.not_stated")),
            *((str(n), f"{n} {word}") for n, word in enumerate(level_names("risk"), start=1)),
        ],
    }


def column_views(workspace: Workspace, look: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the columns as they are shown: what was seen of them, and what the plan says."""
    plan = workspace.plan()
    assert plan is not None
    state = workspace.state()
    return [
        _view(number, column, plan.columns.get(column["name"]), state)
        for number, column in enumerate(look["columns"])
    ]


def _view(
    number: int, column: dict[str, Any], stated: Any, state: dict[str, Any]
) -> dict[str, Any]:
    role = ""
    if stated is not None:
        role = BOTH if len(stated.all_roles) > 1 else str(stated.role)
    by = "guess"
    if column["name"] in state.get("stated", ()):
        by = "user"
    elif state.get("planned"):
        by = "plan"
    values = {} if stated is None else stated.values
    shown = column["offered"] or [one["value"] for one in column["frequent"]]
    return {
        **column,
        "number": number,
        "role": role,
        "by": by,
        "exposure": stated.exposure.name if stated is not None and stated.exposure else "",
        "severity": None if stated is None else stated.severity,
        "impacts": {
            name: "" if stated is None else getattr(stated, name) or "" for name in IMPACTS
        },
        "values": [] if column["hidden"] else [(one, values.get(one, "")) for one in shown],
        "other_values": [one for one in values if one not in shown],
        "is_known": "quasi-identifier" in role,
        "is_learnt": "sensitive" in role,
    }


# ---- changes


@contextmanager
def changing_plan(workspace: Workspace) -> Iterator[tuple[Plan, dict[str, Any]]]:
    """Give the plan and what is remembered, while no other request changes them.

    Whoever clicks fast has two changes under way at once: neither may undo the other.
    """
    with workspace.changing() as state:
        plan = workspace.plan()
        if plan is None:
            raise Refused(409, "web.errors.not_read")
        yield plan, state


@router.post("/plan/column")
async def column(request: Request) -> Response:
    """State what a column means."""
    form = await request.form()
    texts = [(key, value) for key, value in form.multi_items() if isinstance(value, str)]
    return await run_in_threadpool(_column, request, texts)


def _column(request: Request, texts: list[tuple[str, str]]) -> Response:
    from singleout.web.pages.start import look_of

    workspace, stated = workspace_of(request), dict(texts)
    job = look_of(request)
    if job.state != "done":
        raise Refused(409, "web.errors.not_read")
    look = job.result
    name = stated.get("name", "")
    number = next((n for n, one in enumerate(look["columns"]) if one["name"] == name), None)
    if number is None:
        raise Refused(422, "web.errors.no_column")
    values = [value for key, value in texts if key == "value"]
    levels = [value for key, value in texts if key == "level"]
    by_value = dict(zip(values, levels, strict=False))
    with changing_plan(workspace) as (plan, state):
        workspace.keep_plan(with_column(plan, name, stated.get("role", ""), stated, by_value))
        state["stated"] = sorted({*state.get("stated", ()), name})
    if not wants_fragment(request):
        return redirect(request, f"/#column-{number}")
    view = column_views(workspace, look)[number]
    response = page(request, "column.html.j2", column=view, choices=choices(), editing=True)
    response.headers.update(CHANGED)
    return response


@router.post("/plan/people")
def people(
    request: Request,
    how: str = Form(""),
    size: str = Form(""),
    fraction: str = Form(""),
    weights: str = Form(""),
    unit: str = Form(""),
    missing: str = Form("value"),
) -> Response:
    """State who the records stand for."""
    workspace = workspace_of(request)
    with changing_plan(workspace) as (plan, _):
        workspace.keep_plan(with_people(plan, how, size, fraction, weights, unit, missing))
    return redirect(request, "/#people")


@router.post("/plan/policy")
def policy(
    request: Request,
    highest_risk: str = Form(""),
    k: str = Form(""),
    unique_share: str = Form(""),
    records_at_risk: str = Form(""),
) -> Response:
    """State what is accepted."""
    workspace = workspace_of(request)
    limits = {"highest_risk": highest_risk, "k": k, "unique_share": unique_share}
    with changing_plan(workspace) as (plan, _):
        workspace.keep_plan(with_policy(plan, limits | {"records_at_risk": records_at_risk}))
    return redirect(request, "/#policy")


@router.get("/range")
def range_of_risk(request: Request) -> Response:
    """Show the range that what nobody has stated leaves open, and ask for it."""
    workspace = workspace_of(request)
    if workspace.plan() is None:
        raise Refused(409, "web.errors.not_read")
    found = ask(workspace, "singleout.web.ranging:open_questions")
    return page(request, "range.html.j2", found=found, choices=choices())


# ---- the file of it


@router.get("/plan.yaml")
def save(request: Request) -> Response:
    """Send the plan as a file, which the command line takes as it is."""
    from singleout.assessment.plan.reading import PlanReading

    workspace = workspace_of(request)
    plan, source = workspace.plan(), workspace.source
    if plan is None or source is None:
        raise Refused(409, "web.errors.not_read")
    plan = plan.model_copy(update={"reading": PlanReading(**source.reading)})
    headers = {"content-disposition": 'attachment; filename="plan.yaml"'}
    return Response(plan.to_yaml(), media_type="application/yaml; charset=utf-8", headers=headers)


@router.post("/plan/load")
async def load(request: Request) -> Response:
    """Take a plan from a file; one that does not fit the data is refused."""
    text = await receive_text(request, _LARGEST_PLAN, "web.errors.plan_text")
    return await run_in_threadpool(_loaded, request, text)


def _loaded(request: Request, text: str) -> Response:
    from singleout.assessment.plan.plan import Plan
    from singleout.web.pages.start import look_of

    workspace = workspace_of(request)
    job = look_of(request)
    if job.state != "done":
        raise Refused(409, "web.errors.not_read")
    plan = Plan.parse(text, name="plan.yaml")
    # a path in it would be one of this machine, which whoever uploads has no right to name
    if plan.population.table is not None:
        raise Refused(422, "web.errors.plan_paths")
    look, source = job.result, workspace.source
    assert source is not None
    anew = source.is_file and plan.reading.options not in ({}, source.reading)
    if not anew:
        names = [one["name"] for one in look["columns"]]
        plan.check([*names, *([look["count"]] if look["count"] else [])])
    workspace.keep_plan(plan.model_copy(update={"data": None}))
    workspace.remember(planned=True, stated=[])
    if anew:
        workspace.read_as(plan.reading.options)
        look_of(request)
    return redirect(request, "/")
