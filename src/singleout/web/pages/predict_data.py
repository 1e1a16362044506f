"""Predict from data: intervals and top codes by sliders, and places side by side."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Form, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.responses import Response

from singleout.web.companions import Unanswered, ask
from singleout.web.errors import Refused
from singleout.web.pages.predict import columns_looked_at
from singleout.web.predicting.again import places_again, rounding_again
from singleout.web.predicting.pasted import EXAMPLE_AGES, number, numbered_values, whole_number
from singleout.web.rendering import page, redirect, wants_fragment, workspace_of
from singleout.web.workspaces import Workspace

__all__ = ["router"]

router = APIRouter()

_KEY = "predict"
_MOST_TEXT = 100_000  # letters of a pasted table


# ---- rounding


@router.get("/predict/rounding")
def rounding(request: Request) -> Response:
    """Show the sliders, and how many people would be unique."""
    workspace = workspace_of(request)
    columns = _numbers_of(request)
    chosen = _chosen(workspace, columns)
    return page(
        request,
        "predict_rounding.html.j2",
        part="rounding",
        columns=columns,
        chosen=chosen,
        pasted=chosen["pasted"] or EXAMPLE_AGES,
        **_rounded(workspace, chosen),
    )


@router.post("/predict/rounding")
def choose_numbers(
    request: Request, column: str = Form(""), pasted: str = Form(""), people: str = Form("40")
) -> Response:
    """Take the numbers to be rounded: of a column, or of a pasted table."""
    if column and column not in _numbers_of(request):
        raise Refused(422, "web.predict.errors.column")
    if not column:
        numbered_values(pasted[:_MOST_TEXT])
    kept = {"column": column, "people": whole_number(people)}
    if not column:
        kept["pasted"] = pasted[:_MOST_TEXT].replace("\r\n", "\n")
    _remember(workspace_of(request), "rounding", kept)
    return redirect(request, "/predict/rounding")


@router.post("/predict/slide")
def slide(request: Request, width: str = Form(""), top: str = Form("")) -> Response:
    """Take where the sliders are."""
    workspace = workspace_of(request)
    chosen = _chosen(workspace, _numbers_of(request))
    chosen |= {"width": number(width), "top": _signed(top)}
    if chosen["width"] <= 0:
        raise Refused(422, "web.predict.errors.number", text=width[:50])
    _remember(workspace, "rounding", chosen)
    if not wants_fragment(request):
        return redirect(request, "/predict/rounding")
    return page(request, "predicted_rounding.html.j2", **_rounded(workspace, chosen))


def _signed(text: str) -> float:
    """Return a number that may be below 0, as a slider gives it."""
    below = text.strip().startswith("-")
    found = number(text.strip().removeprefix("-"))
    return -found if below else found


def _numbers_of(request: Request) -> list[str]:
    looked = columns_looked_at(request)
    return [one["name"] for one in looked if one["kind"] == "number" and not one["hidden"]]


def _chosen(workspace: Workspace, columns: list[str]) -> dict[str, Any]:
    """Return what is to be rounded; at first the example, or what was pasted."""
    chosen: dict[str, Any] = {"column": "", "pasted": "", "people": 40}
    chosen |= {"width": None, "top": None}
    chosen |= workspace.state().get(_KEY, {}).get("rounding", {})
    if chosen["column"] not in columns:
        chosen["column"] = ""
    return chosen


def _rounded(workspace: Workspace, chosen: dict[str, Any]) -> dict[str, Any]:
    module = "singleout.web.predicting.rounding"
    pasted: list[tuple[float, int]] = []
    if not chosen["column"]:
        pasted = list(numbered_values(chosen["pasted"] or EXAMPLE_AGES).items())
    source: dict[str, Any] = {"column": chosen["column"], "pasted": pasted}
    try:
        limits = ask(workspace, f"{module}:limits", **source)
        width = chosen["width"] or limits["notch"]
        top = limits["most"] if chosen["top"] is None else chosen["top"]
        found = ask(
            workspace,
            f"{module}:rounded",
            people=chosen["people"],
            width=width,
            top=top,
            **source,
        )
    except Unanswered as problem:
        return {"found": {"problem": problem.sentence}, "limits": None, "again": None}
    data = workspace.source
    coded = top if top < limits["most"] else None
    return {
        "found": found,
        "limits": {**limits, "width": width, "top": top},
        "again": rounding_again(
            "" if data is None else data.name, chosen["column"], chosen["people"], width, coded
        ),
    }


# ---- places


@router.get("/predict/places")
def places(request: Request) -> Response:
    """Show the places of the data side by side."""
    workspace = workspace_of(request)
    columns = [one["name"] for one in columns_looked_at(request) if not one["hidden"]]
    kept: dict[str, Any] = {"by": "", "columns": [], "people": 40}
    kept |= workspace.state().get(_KEY, {}).get("places", {})
    shown: dict[str, Any] = {"found": None, "again": None}
    known = kept["by"] in columns and all(one in columns for one in kept["columns"])
    if known and kept["columns"] and workspace.source is not None:
        try:
            shown["found"] = ask(workspace, "singleout.web.predicting.placing:compared", **kept)
            shown["again"] = places_again(workspace.source.name, **kept)
        except Unanswered as problem:
            shown["found"] = {"problem": problem.sentence}
    return page(
        request, "predict_places.html.j2", part="places", columns=columns, kept=kept, **shown
    )


@router.post("/predict/places")
async def compare_places(request: Request) -> Response:
    """Take the column of the places, and what would be asked."""
    form = await request.form()
    return await run_in_threadpool(_compare, request, form)


def _compare(request: Request, form: FormData) -> Response:
    columns = [one["name"] for one in columns_looked_at(request) if not one["hidden"]]
    by = str(form.get("by", ""))
    given = [str(one) for one in form.getlist("columns")]
    ticked = [name for name in columns if name in given and name != by]
    if by not in columns or not ticked:
        raise Refused(422, "web.predict.errors.places")
    people = whole_number(str(form.get("people", "")))
    kept = {"by": by, "columns": ticked, "people": people}
    _remember(workspace_of(request), "places", kept)
    return redirect(request, "/predict/places")


def _remember(workspace: Workspace, key: str, values: dict[str, Any]) -> None:
    with workspace.changing() as state:
        state.setdefault(_KEY, {})[key] = values
