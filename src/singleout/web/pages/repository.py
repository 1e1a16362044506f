"""Repository: which one, what is published in it, one record in full, and the search."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from singleout.web.companions import Unanswered
from singleout.web.pages.predict import added
from singleout.web.predicting import builder
from singleout.web.rendering import page, redirect, settings_of, workspace_of
from singleout.web.repositories.again import browse_again, record_again, search_again
from singleout.web.repositories.asking import area_page, asked, chosen, ways
from singleout.web.repositories.fields import day_of, names_in, people_in, record_in
from singleout.web.repositories.where import choose, where_of

__all__ = ["not_answering", "router"]

router = APIRouter()


@router.get("/repository")
def browse(request: Request, before: int = 0) -> Response:
    """Show what is published, the newest first; or the ways to a repository."""
    where = where_of(workspace_of(request), settings_of(request))
    if where is None:
        return page(request, "repository_choose.html.j2", **ways(request))
    try:
        found = asked(request, where, "browsing:browsed", before=before)
    except Unanswered as problem:
        return not_answering(request, "browse", problem)
    again = browse_again(where)
    return area_page(
        request,
        "repository.html.j2",
        "browse",
        where=where,
        found=found,
        before=before,
        again=again,
    )


def not_answering(request: Request, part: str, problem: Unanswered) -> Response:
    """Show what is wrong with the repository, and the ways to another."""
    return area_page(
        request,
        "repository_problem.html.j2",
        part,
        where=chosen(request),
        status=422,
        sentence=problem.sentence,
    )


@router.post("/repository/choose")
def choose_one(request: Request, kind: str = Form(""), address: str = Form("")) -> Response:
    """Take a repository: that of the server, one to practise with, or the one at an address."""
    choose(workspace_of(request), settings_of(request), kind, address)
    return redirect(request, "/repository")


@router.get("/repository/record")
def record(request: Request, id: str = "") -> Response:  # noqa: A002
    """Show a record in full."""
    where, identity = chosen(request), record_in(id)
    try:
        found = asked(request, where, "browsing:record_in_full", identity=identity)
    except Unanswered as problem:
        return not_answering(request, "browse", problem)
    return area_page(
        request,
        "repository_record.html.j2",
        "browse",
        where=where,
        found=found,
        again=record_again(where, identity, found["may"]),
    )


@router.post("/repository/predict")
def predict(request: Request, record: str = Form("")) -> Response:
    """Take a record as a question of the page Predict."""
    question = asked(request, chosen(request), "browsing:as_question", identity=record_in(record))
    workspace = workspace_of(request)
    first = not builder.kept(workspace)["questions"]
    response = added(request, question["name"], {"summary": question["summary"]})
    if first and question["people"]:
        with builder.changing(workspace) as made:
            made.update(population=question["people"], people=None)
    return response


@router.get("/repository/search")
def search(
    request: Request, qi: str = "", population: str = "", people: str = "", date: str = ""
) -> Response:
    """Show the form of the search, and what was found."""
    where = chosen(request)
    given = {"qi": qi, "population": population, "people": people, "date": date}
    try:
        known = asked(request, where, "searching:attributes_of")
        found = again = None
        if qi.strip():
            question: dict[str, Any] = {
                "names": names_in(qi),
                "population": population.strip()[:2000],
                "people": people_in(people),
                "day": day_of(date),
            }
            found = asked(request, where, "searching:searched", **question)
            again = search_again(where, **question)
    except Unanswered as problem:
        return not_answering(request, "search", problem)
    return area_page(
        request,
        "repository_search.html.j2",
        "search",
        where=where,
        given=given,
        known=known,
        found=found,
        again=again,
    )
