"""Treat: a hierarchy as a tree, with the records at each node, to be edited and published."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Form, Request
from starlette.responses import PlainTextResponse, Response

from singleout.errors import SingleoutError
from singleout.web.companions import Unanswered, ask
from singleout.web.errors import Refused
from singleout.web.pages.treat import Fields, NotReady, about, said_by, take_steps, tree_path
from singleout.web.rendering import data_first, page, redirect, settings_of, workspace_of
from singleout.web.treating.history import changing, history_of

__all__ = ["router"]

router = APIRouter()

_TREES = "singleout.web.treating.trees"


@router.get("/treat/tree")
def tree(request: Request, column: str = "") -> Response:
    """Show the tree of a column."""
    return _page(request, column)


def _page(request: Request, column: str, *, problem: str = "", text: str | None = None) -> Response:
    try:
        shown = about(request)
    except NotReady:
        return data_first(request)
    names = [one["name"] for one in shown["look"]["columns"] if not one["hidden"]]
    chosen = column if column in names else next((n for n in names if n in shown["known"]), "")
    found = None
    written = text
    status = 422 if problem else 200
    if chosen:
        rows = shown["history"].now.trees.get(chosen)
        try:
            found = ask(workspace_of(request), f"{_TREES}:tree", column=chosen, rows=rows)
            if written is None:
                written = ask(workspace_of(request), f"{_TREES}:text_of", column=chosen, rows=rows)
        except (Unanswered, Refused) as error:
            problem = problem or said_by(error)
    return page(
        request,
        "treat_tree.html.j2",
        status=status,
        **shown,
        names=names,
        chosen=chosen,
        tree=found,
        text=written,
        problem=problem,
    )


@router.post("/treat/tree/edit")
def edit(
    request: Request,
    form: Fields,
    column: str = Form(""),
    do: str = Form(""),
    name: str = Form(""),
) -> Response:
    """Change the tree: put nodes under one, rename one, take some apart, leave out a level."""
    try:
        rows = about(request)["history"].now.trees.get(column)
        change = _change(do, name, [one for one in form.getlist("node") if isinstance(one, str)])
        new = ask(
            workspace_of(request), f"{_TREES}:edited", column=column, rows=rows, change=change
        )
    except (Unanswered, Refused) as error:
        return _page(request, column, problem=said_by(error))
    return _kept(request, column, new)


def _change(do: str, name: str, nodes: list[str]) -> dict[str, Any]:
    """Return a change as plain values; a node is its level and its label."""
    kind, _, given = do.partition(":")
    if kind == "level" and given.isdecimal():
        return {"do": kind, "level": int(given[:4])}
    pairs = [node.partition(":") for node in nodes]
    levels = {level for level, _, _ in pairs}
    if not pairs:
        raise Refused(422, "web.treat.errors.tick")
    if len(levels) > 1 or not all(level.isdecimal() for level in levels):
        raise Refused(422, "web.treat.errors.one_level")
    labels = [label for _, _, label in pairs]
    return {"do": kind, "level": int(levels.pop()[:4]), "labels": labels, "name": name.strip()}


def _kept(request: Request, column: str, rows: list[list[str]] | None) -> Response:
    with changing(workspace_of(request)) as keep:
        keep(history_of(workspace_of(request)).now.with_tree(column, rows))
    return redirect(request, tree_path(column))


@router.post("/treat/tree/text")
def write(request: Request, column: str = Form(""), text: str = Form("")) -> Response:
    """Take a tree that was written as lines."""
    try:
        about(request)
        rows = ask(workspace_of(request), f"{_TREES}:rows_of", column=column, text=text)
    except (Unanswered, Refused) as error:
        return _page(request, column, problem=said_by(error), text=text)
    return _kept(request, column, rows)


@router.post("/treat/tree/proposed")
def proposed(request: Request, column: str = Form("")) -> Response:
    """Go back to the tree that is proposed."""
    return _kept(request, column, None)


@router.post("/treat/tree/publish")
def publish(request: Request, column: str = Form(""), level: int = Form(...)) -> Response:
    """Add the step that publishes a column on a level; it replaces other recodings of it."""
    try:
        draft = about(request)["history"].now
    except NotReady:
        return data_first(request)
    try:
        rows = draft.trees.get(column) or ask(
            workspace_of(request),
            f"{_TREES}:edited",
            column=column,
            rows=None,
            change={"do": "keep"},
        )
        step = {"recode": column, "hierarchy": rows, "level": level}
        rest = [one for one in draft.steps if one.get("recode") != column]
        # before steps that look at all columns, whose classes it changes
        take_steps(request, [step, *rest])
    except (SingleoutError, Unanswered, Refused) as error:
        return _page(request, column, problem=said_by(error))
    return redirect(request, "/treat")


@router.get("/treat/tree.csv")
def download(request: Request, column: str = "") -> Response:
    """Send the tree as a file that other tools read, too."""
    if settings_of(request).read_only:
        raise Refused(403, "web.errors.read_only")
    rows = about(request)["history"].now.trees.get(column)
    text = ask(workspace_of(request), f"{_TREES}:text_of", column=column, rows=rows)
    return PlainTextResponse(
        text,
        media_type="text/csv",
        headers={"content-disposition": f'attachment; filename="{_file(column)}"'},
    )


def _file(column: str) -> str:
    from singleout.treatment.hierarchies.proposals import file_names

    name = file_names([column])[column]
    return name if name.isascii() else "hierarchy.csv"
