"""Predict: what a questionnaire would give away, what rounding does, and places side by side."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Form, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.responses import Response

from singleout.web.companions import Unanswered, ask
from singleout.web.errors import Refused
from singleout.web.predicting import builder
from singleout.web.predicting.again import funnel_again
from singleout.web.predicting.loaded import questionnaire_in
from singleout.web.predicting.pasted import pasted_answers, whole_number
from singleout.web.rendering import (
    jobs_of,
    page,
    redirect,
    wants_fragment,
    workspace_of,
)
from singleout.web.uploads import receive_text
from singleout.web.workspaces import Workspace

__all__ = ["added", "columns_looked_at", "router"]

router = APIRouter()

_FOLLOWED = "singleout.web.predicting.following:followed"
_LARGEST_FILE = 2_000_000  # bytes
_WHICH = ("commonest", "rarest")


@router.get("/predict")
def predict(request: Request) -> Response:
    """Show the questionnaire, and who is left after its answers."""
    workspace = workspace_of(request)
    asked = builder.kept(workspace)
    return page(
        request,
        "predict.html.j2",
        part="questionnaire",
        asked=asked,
        columns=[one["name"] for one in columns_looked_at(request) if not one["hidden"]],
        **_followed(workspace, asked),
    )


@router.post("/predict/example")
def example(request: Request) -> Response:
    """Take the example of the thesis in place of the questionnaire."""
    with builder.changing(workspace_of(request)) as asked:
        asked.update(builder.EXAMPLE)
    return redirect(request, "/predict")


@router.post("/predict/clear")
def clear(request: Request) -> Response:
    """Start anew."""
    with builder.changing(workspace_of(request)) as asked:
        asked.update(questions=[], answers={})
    return redirect(request, "/predict")


@router.post("/predict/add")
def add(
    request: Request,
    name: str = Form(""),
    answers: str = Form(""),
    rest: str = Form(""),
) -> Response:
    """Add a question that was typed or pasted."""
    return added(request, name, pasted_answers(answers, rest))


@router.post("/predict/add-column")
def add_column(request: Request, column: str = Form("")) -> Response:
    """Add a question whose answers are the values of a column of the data."""
    workspace = workspace_of(request)
    if column not in [one["name"] for one in columns_looked_at(request) if not one["hidden"]]:
        raise Refused(422, "web.predict.errors.column")
    counts = ask(workspace, "singleout.web.predicting.columns:answers_of_column", column=column)
    return added(request, column, counts)


@router.post("/predict/load")
async def load(request: Request) -> Response:
    """Take a questionnaire from a file, as it was saved here or by the command line."""
    text = await receive_text(request, _LARGEST_FILE, "web.predict.errors.file_text")
    return await run_in_threadpool(_loaded, request, text)


def _loaded(request: Request, text: str) -> Response:
    workspace = workspace_of(request)
    read = questionnaire_in(text)
    ask(workspace, "singleout.web.predicting.following:checked", asked=builder.as_file(read))
    with builder.changing(workspace) as asked:
        asked.update(read)
    return redirect(request, "/predict")


@router.post("/predict/remove")
def remove(request: Request, name: str = Form("")) -> Response:
    """Leave out a question."""
    with builder.changing(workspace_of(request)) as asked:
        builder.remove(asked, name)
    return redirect(request, "/predict")


@router.post("/predict/follow")
async def follow(request: Request) -> Response:
    """Take the numbers of people and the answers to follow."""
    form = await request.form()
    return await run_in_threadpool(_follow, request, form)


@router.get("/predict/questionnaire.yaml")
def download(request: Request) -> Response:
    """Send the questionnaire as the file that commands read."""
    asked = builder.kept(workspace_of(request))
    if not asked["questions"]:
        raise Refused(404, "web.predict.errors.no_questions")
    return Response(
        builder.yaml(asked),
        media_type="application/yaml; charset=utf-8",
        headers={"content-disposition": 'attachment; filename="questionnaire.yaml"'},
    )


def columns_looked_at(request: Request) -> list[dict[str, Any]]:
    """Return the columns of the chosen data; none as long as it was not looked at."""
    if workspace_of(request).source is None:
        return []
    job = jobs_of(request).latest("look")
    columns: list[dict[str, Any]] = []
    if job is not None and job.state == "done":
        columns = job.result["columns"]
    return columns


def added(request: Request, name: str, answers: dict[str, Any]) -> Response:
    """Add a question, and show the questionnaire."""
    workspace = workspace_of(request)
    larger = builder.add(builder.kept(workspace), name, answers)
    ask(workspace, "singleout.web.predicting.following:checked", asked=builder.as_file(larger))
    with builder.changing(workspace) as asked:
        asked.update(builder.add(asked, name, answers))
    return redirect(request, "/predict")


def _follow(request: Request, form: FormData) -> Response:
    workspace = workspace_of(request)
    population = whole_number(str(form.get("population", "")))
    answering = str(form.get("people", "")).strip()
    people = whole_number(answering) if answering else None
    if people is not None and people > population:
        raise Refused(422, "web.predict.errors.more_than_all", people=people, n=population)
    which = str(form.get("which", ""))
    with builder.changing(workspace) as asked:
        asked.update(population=population, people=people)
        if which in _WHICH:
            asked["answers"] = _extreme(workspace, asked, which)
        else:
            names = [str(one) for one in form.getlist("question")]
            given = [str(one) for one in form.getlist("answer")]
            builder.follow(asked, dict(zip(names, given, strict=False)))
        now = dict(asked)
    if which in _WHICH or not wants_fragment(request):
        return redirect(request, "/predict")
    return page(request, "predicted_funnel.html.j2", **_followed(workspace, now))


def _extreme(workspace: Workspace, asked: builder.Asked, which: str) -> dict[str, str]:
    if not asked["questions"]:
        return {}
    found: dict[str, str] = ask(
        workspace, _FOLLOWED, asked=builder.as_file(asked), answers={}, which=which
    )["answers"]
    return found


def _followed(workspace: Workspace, asked: builder.Asked) -> dict[str, Any]:
    """Return what the page shows of a questionnaire."""
    if not asked["questions"]:
        return {"found": None, "again": None}
    try:
        found = ask(workspace, _FOLLOWED, asked=builder.as_file(asked), answers=asked["answers"])
    except Unanswered as problem:
        return {"found": {"problem": problem.sentence}, "again": None}
    return {"found": found, "again": funnel_again(found["answers"])}
