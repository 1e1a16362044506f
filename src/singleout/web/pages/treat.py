"""Treat: step by step, with every measure before and after at once, undo and redo."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Depends, Form, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from singleout.errors import SingleoutError
from singleout.web.companions import Unanswered, ask
from singleout.web.errors import Refused, sentence_of
from singleout.web.pages.start import look_of
from singleout.web.rendering import data_first, jobs_of, page, redirect, settings_of, workspace_of
from singleout.web.treating.again import treated_again
from singleout.web.treating.files import own_format
from singleout.web.treating.forms import PERTURBING, kinds_for, step_of
from singleout.web.treating.history import Draft, changing, history_of, undoing

__all__ = [
    "Fields",
    "NotReady",
    "about",
    "hash_of",
    "router",
    "said_by",
    "take_steps",
    "tree_path",
]

router = APIRouter()

EFFECT = "treat-effect"
_LARGE = 1_000_000  # records: what takes longer than a few seconds is a job
_MEASURING = "singleout.web.treating.measuring"
_VALUES = "singleout.web.treating.distributions"


class NotReady(Refused):
    """There is no data yet, or it is still being read: the start page says so."""

    def __init__(self) -> None:
        super().__init__(409, "web.treat.errors.not_ready")


async def _form_of(request: Request) -> FormData:
    """Return the fields of a form."""
    return await request.form(max_files=0)


Fields = Annotated[FormData, Depends(_form_of)]


def about(request: Request) -> dict[str, Any]:
    """Return what every page of this area shows: the data, the plan, the steps."""
    workspace = workspace_of(request)
    plan = workspace.plan()
    if workspace.source is None or plan is None:
        raise NotReady
    job = look_of(request)
    if job.state != "done":
        raise NotReady
    look = job.result
    history = history_of(workspace)
    return {
        "look": look,
        "plan": plan,
        "history": history,
        "known": [name for name in plan.quasi_identifiers if name in _names(look)],
        "sentences": _sentences(history.now),
        "read_only": settings_of(request).read_only,
        "again_treat": treated_again(workspace.source, own_format(workspace.source)),
    }


def _names(look: dict[str, Any]) -> list[str]:
    return [column["name"] for column in look["columns"]]


def _sentences(draft: Draft) -> list[str]:
    from singleout.treatment.steps.steps import Steps

    return [str(one) for one in Steps.of(draft.entries).sentences]


def said_by(error: Exception) -> str:
    """Return the sentence of an error that a page shows above its form."""
    return error.sentence if isinstance(error, Unanswered | Refused) else sentence_of(error)


# ---- the page


@router.get("/treat")
def treat(request: Request, column: str = "", do: str = "") -> Response:
    """Show the steps, what they do, and the form for the next one."""
    return _page(request, column, do)


def _page(
    request: Request, column: str, do: str, *, problem: str = "", given: Any = None
) -> Response:
    try:
        shown = about(request)
    except NotReady:
        return data_first(request)
    found = next((one for one in shown["look"]["columns"] if one["name"] == column), None)
    kinds = kinds_for(None if found is None else found["kind"])
    if found is not None and found["hidden"]:
        kinds = ("drop",)
    kind = do if do in kinds else kinds[0]
    values = None
    if found is not None and not found["hidden"]:
        values, trouble = _asked(request, shown["history"].now, column)
        problem = problem or trouble
    return page(
        request,
        "treat.html.j2",
        status=422 if given is not None else 200,
        **shown,
        column=found,
        kinds=kinds,
        kind=kind,
        values=values,
        perturbing=PERTURBING,
        problem=problem,
        given={} if given is None else given,
    )


def _asked(request: Request, draft: Draft, column: str) -> tuple[dict[str, Any] | None, str]:
    """Return the values that a column has now, or why they are not there."""
    try:
        found = ask(
            workspace_of(request), f"{_VALUES}:values_now", steps=draft.entries, column=column
        )
    except (Unanswered, Refused) as error:
        return None, said_by(error)
    return found, ""


@router.get("/treat/effect")
def effect(request: Request) -> Response:
    """Show every measure before and after; a part of the page, which is asked for on its own."""
    shown = about(request)
    draft: Draft = shown["history"].now
    workspace = workspace_of(request)
    if shown["look"]["records"] < _LARGE:
        found = ask(workspace, f"{_MEASURING}:effect", steps=draft.entries)
        return page(request, "treat_effect.html.j2", **shown, effect=found, job=None)
    job = jobs_of(request).latest(EFFECT)
    key = f"{draft.key}-{hash_of(shown['plan'])}"
    if job is None or (not job.under_way and (job.state != "done" or job.result["key"] != key)):
        job = jobs_of(request).start(
            EFFECT, f"{_MEASURING}:effect_as_job", steps=draft.entries, key=key
        )
    found = job.result if job.state == "done" else None
    return page(request, "treat_effect.html.j2", **shown, effect=found, job=job)


def hash_of(plan: Any) -> str:
    """Return what identifies a plan."""
    import hashlib

    return hashlib.sha256(plan.to_yaml().encode()).hexdigest()[:16]


@router.get("/treat/column")
def column(request: Request, name: str = "") -> Response:
    """Show the values of a column before and after, side by side."""
    shown = about(request)
    found = ask(
        workspace_of(request),
        f"{_VALUES}:both",
        steps=shown["history"].now.entries,
        columns=[name],
    )
    return page(request, "treat_column.html.j2", found=found)


# ---- changes


@router.post("/treat/steps")
def add(
    request: Request,
    form: Fields,
    column: str = Form(""),
    do: str = Form(""),
) -> Response:
    """Add a step; one that cannot be applied is refused, with the form as it was."""
    try:
        shown = about(request)
    except NotReady:
        return data_first(request)
    try:
        entries = step_of(do, form, shown["known"])
        take_steps(request, [*shown["history"].now.steps, entries])
    except (SingleoutError, Unanswered, Refused) as error:
        return _page(request, column, do, problem=said_by(error), given=form)
    return redirect(request, "/treat")


def take_steps(request: Request, steps: list[dict[str, Any]]) -> None:
    """Make steps the present ones, if they can be applied."""
    from singleout.treatment.steps.steps import Steps

    workspace = workspace_of(request)
    draft = history_of(workspace).now.with_steps(steps)
    whole = Steps.of(draft.entries)
    ask(workspace, f"{_MEASURING}:check", steps=whole.to_dict())
    with changing(workspace) as keep:
        keep(draft.with_steps(whole.to_dict()["steps"]))


@router.post("/treat/remove")
def remove(request: Request, number: int = Form(...)) -> Response:
    """Take a step out of the list."""
    steps = list(history_of(workspace_of(request)).now.steps)
    if not 0 <= number < len(steps):
        raise Refused(422, "web.treat.errors.no_step")
    steps.pop(number)
    return _changed(request, steps)


@router.post("/treat/move")
def move(request: Request, number: int = Form(...)) -> Response:
    """Let a step come before the one above it."""
    steps = list(history_of(workspace_of(request)).now.steps)
    if not 0 < number < len(steps):
        raise Refused(422, "web.treat.errors.no_step")
    steps[number - 1], steps[number] = steps[number], steps[number - 1]
    return _changed(request, steps)


@router.post("/treat/clear")
def clear(request: Request) -> Response:
    """Take all steps out of the list."""
    return _changed(request, [])


def _changed(request: Request, steps: list[dict[str, Any]]) -> Response:
    try:
        about(request)
        take_steps(request, steps)
    except NotReady:
        return data_first(request)
    except (SingleoutError, Unanswered, Refused) as error:
        return _page(request, "", "", problem=said_by(error), given={})
    return redirect(request, "/treat")


@router.post("/treat/undo")
def undo(request: Request, tree: str = Form("")) -> Response:
    """Go back to the version before."""
    return _gone(request, -1, tree)


@router.post("/treat/redo")
def redo(request: Request, tree: str = Form("")) -> Response:
    """Take back what was undone."""
    return _gone(request, 1, tree)


def _gone(request: Request, by: int, tree: str) -> Response:
    """Go to another version, and show the list of steps, or the tree of a column."""
    undoing(workspace_of(request), by)
    return redirect(request, tree_path(tree) if tree else "/treat")


def tree_path(column: str) -> str:
    """Return the path of the tree of a column."""
    return f"/treat/tree?column={quote(column, safe='', errors='replace')}"
