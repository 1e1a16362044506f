"""Repository: disputes and moderation, and the proof that the log is whole."""

from __future__ import annotations

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from singleout.web.companions import Unanswered
from singleout.web.errors import Refused
from singleout.web.pages.repository import not_answering
from singleout.web.rendering import jobs_of, redirect
from singleout.web.repositories.again import prove_again
from singleout.web.repositories.asking import area_page, asked, chosen
from singleout.web.repositories.changing import CHANGES
from singleout.web.repositories.fields import reason_in, record_in

__all__ = ["router"]

router = APIRouter()

_PROOF = "proof"


@router.get("/repository/disputes")
def disputes(request: Request, before: int = 0) -> Response:
    """Show the records that are not settled, and what the user may do."""
    where = chosen(request)
    try:
        found = asked(request, where, "browsing:unsettled", before=before)
    except Unanswered as problem:
        return not_answering(request, "moderate", problem)
    return area_page(request, "repository_disputes.html.j2", "moderate", where=where, found=found)


@router.post("/repository/change")
def change(
    request: Request, record: str = Form(""), what: str = Form(""), reason: str = Form("")
) -> Response:
    """Dispute or withdraw a record, or rule on it."""
    where = chosen(request)
    if not where.may_change:
        raise Refused(403, "web.repository.errors.closed")
    if what not in CHANGES:
        raise Refused(422, "web.repository.errors.choice")
    identity = record_in(record)
    asked(
        request,
        where,
        "changing:changed",
        identity=identity,
        what=what,
        reason=reason_in(reason),
    )
    return redirect(request, f"/repository/record?id={identity}")


@router.get("/repository/proof")
def proof(request: Request) -> Response:
    """Show the result of the last check of the log, or how far it is."""
    where = chosen(request)
    job = jobs_of(request).latest(_PROOF)
    found = job.result if job is not None and job.state == "done" else None
    if found is not None and found["target"] != where.target:
        job = found = None
    return area_page(
        request,
        "repository_proof.html.j2",
        "proof",
        where=where,
        job=job,
        found=found,
        again=prove_again(where),
    )


@router.post("/repository/proof")
def prove(request: Request) -> Response:
    """Check the log in a process of its own."""
    where = chosen(request)
    jobs_of(request).start(
        _PROOF, "singleout.web.repositories.proving:prove", where=where.to_dict()
    )
    return redirect(request, "/repository/proof")
