"""Repository: publish from the chosen data, after a look at exactly what would become public."""

from __future__ import annotations

import json
from typing import Any

from fastapi import APIRouter, Form, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from singleout.web.companions import Unanswered
from singleout.web.errors import Refused
from singleout.web.pages.predict import columns_looked_at
from singleout.web.pages.repository import not_answering
from singleout.web.pages.treat import Fields
from singleout.web.rendering import redirect, workspace_of
from singleout.web.repositories.again import publish_again
from singleout.web.repositories.asking import area_page, asked, chosen
from singleout.web.repositories.fields import wanted_in
from singleout.web.repositories.where import Where
from singleout.web.workspaces import Workspace, write_json

__all__ = ["router"]

router = APIRouter()

_FILE = "publish.json"


def _columns(request: Request) -> list[str]:
    return [one["name"] for one in columns_looked_at(request) if not one["hidden"]]


def _draft(workspace: Workspace, where: Where) -> dict[str, Any]:
    """Return what was tried last of this data for this repository; nothing of another."""
    source = workspace.source
    try:
        kept: dict[str, Any] = json.loads(workspace.file(_FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    same = source is not None and kept["source"] == source.key and kept["for"] == where.target
    return kept if same else {}


@router.get("/repository/publish")
def publish(request: Request) -> Response:
    """Show the form, what would become public, and what became of it."""
    where = chosen(request)
    try:
        takes = asked(request, where, "publishing:offered")
    except Unanswered as problem:
        return not_answering(request, "publish", problem)
    source = workspace_of(request).source
    draft = _draft(workspace_of(request), where)
    again = None
    if draft and source is not None:
        again = publish_again(where, source, draft["wanted"])
    return area_page(
        request,
        "repository_publish.html.j2",
        "publish",
        where=where,
        columns=_columns(request),
        takes=takes,
        draft=draft,
        given=draft.get("given", {}),
        again=again,
    )


@router.post("/repository/publish/try")
def attempt(request: Request, form: Fields) -> Response:
    """Compute what would become public; nothing is written or sent."""
    where, columns = _changeable(request), _columns(request)
    workspace = workspace_of(request)
    source = workspace.source
    if source is None or not columns:
        raise Refused(409, "web.repository.errors.no_data")
    wanted = wanted_in(form, columns)
    outcome = asked(request, where, "publishing:tried", wanted=wanted)
    kept = {
        "source": source.key,
        "for": where.target,
        "wanted": wanted,
        "given": _given(form),
        "outcome": outcome,
        "receipt": None,
    }
    write_json(workspace.file(_FILE), kept)
    return redirect(request, "/repository/publish")


def _given(form: FormData) -> dict[str, Any]:
    """Return the fields as they were filled in, to be shown again."""
    given: dict[str, Any] = {
        name: str(value) for name, value in form.items() if name not in ("csrf", "column", "coding")
    }
    codings = dict(zip(form.getlist("of"), form.getlist("coding"), strict=False))
    return {**given, "column": form.getlist("column"), "codings": codings}


@router.post("/repository/publish")
def send(request: Request, record: str = Form("")) -> Response:
    """Publish just what was shown."""
    where, workspace = _changeable(request), workspace_of(request)
    draft = _draft(workspace, where)
    if not draft or draft["outcome"].get("id") != record:
        raise Refused(409, "web.repository.errors.other_draft")
    receipt = asked(request, where, "publishing:published", record=draft["outcome"]["record"])
    write_json(workspace.file(_FILE), {**draft, "receipt": receipt})
    return redirect(request, "/repository/publish")


def _changeable(request: Request) -> Where:
    """Return the repository, if the user may sign something for it."""
    where = chosen(request)
    if not where.may_change:
        raise Refused(403, "web.repository.errors.closed")
    return where
