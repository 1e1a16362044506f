"""For a person: what would my answers reveal? The browser computes it; no answer is sent."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from singleout.core.choices import Role
from singleout.report.say import say, words
from singleout.web.companions import Unanswered, ask
from singleout.web.jobs import Job
from singleout.web.pages.predict import columns_looked_at
from singleout.web.predicting import builder
from singleout.web.rendering import jobs_of, page, workspace_of

__all__ = ["router"]

router = APIRouter()

_MOST_COLUMNS = 20
_MODULE = "singleout.web.predicting.columns"


@router.get("/person")
def person(request: Request, of: str = "") -> Response:
    """Show the questions with how common each answer is, for the browser to compute with."""
    workspace = workspace_of(request)
    asked = builder.kept(workspace)
    columns = _columns(request)
    sources = [*(["questionnaire"] if asked["questions"] else []), *(["data"] if columns else [])]
    sources.append("example")
    source = of if of in sources else sources[0]
    shown: dict[str, Any] = {"questions": [], "problem_sentence": ""}
    try:
        if source == "data":
            choices = ask(workspace, f"{_MODULE}:choices_of_columns", columns=columns)
            people = _records(request)
        else:
            given = asked if source == "questionnaire" else builder.EXAMPLE
            choices = ask(
                workspace, f"{_MODULE}:choices_of_questions", asked=builder.as_file(given)
            )
            people = given["population"]
        shown |= {"questions": choices, "people": people}
    except Unanswered as problem:
        shown["problem_sentence"] = problem.sentence
    return page(
        request, "person.html.j2", of=source, sources=sources, sentences=_sentences(), **shown
    )


def _sentences() -> dict[str, str]:
    """Return what the script says; it fills in the blanks itself."""
    blank = {"answers": "{answers}"}
    return {
        "you": say("screen.person.you"),
        "average": say("screen.person.average"),
        "rare": say("predict.own.rare_answers", **blank),
        "outlier": say("predict.own.outlier"),
        **{key: str(words("web.person.script")[key]) for key in ("says", "advice", "bounds")},
    }


def _columns(request: Request) -> list[str]:
    """Return the columns that others could know, without those that name people."""
    plan = workspace_of(request).plan()
    known = set() if plan is None else set(plan.with_role(Role.QUASI_IDENTIFIER))
    looked = [one for one in columns_looked_at(request) if not one["hidden"]]
    return [one["name"] for one in looked if one["name"] in known][:_MOST_COLUMNS]


def _records(request: Request) -> int:
    job: Job | None = jobs_of(request).latest("look")
    assert job is not None
    return int(job.result["records"])
