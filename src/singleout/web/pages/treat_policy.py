"""Treat: ask for a policy, and choose from the frontier of risk against loss."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from singleout.errors import SingleoutError
from singleout.web.companions import Unanswered, ask
from singleout.web.errors import Refused
from singleout.web.jobs import Job
from singleout.web.pages.treat import Fields, NotReady, about, said_by, take_steps
from singleout.web.rendering import data_first, jobs_of, page, redirect, workspace_of
from singleout.web.treating.again import suggested_again
from singleout.web.treating.forms import IN_PLAN, METHODS, asked_of, limits_shown
from singleout.web.treating.suggesting import found_by, steps_of_point

__all__ = ["router"]

router = APIRouter()

SUGGEST = "treat-suggest"
_DEFAULT = {"k": 5, "highest_risk": 2}  # where the plan accepts anything


@router.get("/treat/policy")
def policy(request: Request) -> Response:
    """Show what can be asked for, and what the last search has found."""
    return _page(request)


def _page(request: Request, *, problem: str = "", given: Any = None) -> Response:
    try:
        shown = about(request)
    except NotReady:
        return data_first(request)
    job = jobs_of(request).latest(SUGGEST)
    found = found_by(job) if job is not None and job.state == "done" else None
    stated = {name: value for name, value in shown["plan"].policy.limits.items() if name in IN_PLAN}
    source = workspace_of(request).source
    assert source is not None
    return page(
        request,
        "treat_policy.html.j2",
        status=422 if problem else 200,
        **shown,
        job=job,
        found=found,
        methods=METHODS,
        given=limits_shown(stated or _DEFAULT) if given is None else given,
        problem=problem,
        again_suggest=suggested_again(source, found["asked"] if found else {}),
    )


@router.post("/treat/policy")
def search(request: Request, form: Fields) -> Response:
    """Keep what is accepted in the plan, and start the search."""
    from singleout.assessment.plan.parts import ReleasePolicy

    try:
        shown = about(request)
    except NotReady:
        return data_first(request)
    plan = shown["plan"]
    try:
        limits, asked = asked_of(form, shown["known"], shown["history"].now.trees)
    except (SingleoutError, Refused) as error:
        return _page(request, problem=said_by(error), given=form)
    rest = {
        name: value
        for name, value in plan.policy.model_dump(exclude_none=True).items()
        if name not in IN_PLAN
    }
    kept = plan.model_copy(update={"policy": ReleasePolicy(**rest, **limits)})
    workspace_of(request).keep_plan(kept)
    jobs_of(request).start(SUGGEST, "singleout.web.treating.suggesting:suggest", asked=asked)
    return redirect(request, "/treat/policy")


# ---- one treatment of the frontier


def _point(request: Request, number: int) -> tuple[Job, dict[str, Any]]:
    job = jobs_of(request).latest(SUGGEST)
    steps = steps_of_point(job, number) if job is not None and job.state == "done" else None
    if job is None or steps is None:
        raise Refused(404, "web.errors.no_job")
    return job, steps


@router.get("/treat/policy/{number}")
def point(request: Request, number: int) -> Response:
    """Show one treatment: its steps, what each column keeps, and what it costs."""
    try:
        shown = about(request)
    except NotReady:
        return data_first(request)
    job, steps = _point(request, number)
    found = found_by(job)
    one = found["points"][number]
    columns = sorted(one["columns"], key=lambda name: -one["columns"][name])
    both = ask(
        workspace_of(request),
        "singleout.web.treating.distributions:both",
        steps=steps,
        columns=columns,
    )
    return page(
        request,
        "treat_point.html.j2",
        **shown,
        found=found,
        point=one,
        number=number,
        both=both,
    )


@router.post("/treat/policy/choose")
def choose(request: Request, number: int = Form(...)) -> Response:
    """Take the steps of a treatment over."""
    try:
        about(request)
    except NotReady:
        return data_first(request)
    _, steps = _point(request, number)
    try:
        take_steps(request, list(steps["steps"]))
    except (SingleoutError, Unanswered, Refused) as error:
        return _page(request, problem=said_by(error))
    return redirect(request, "/treat")
