"""Changes of a repository: signed submissions, at one address or at that of their kind."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Path
from starlette.requests import Request
from starlette.responses import Response

from singleout.errors import BadSubmission, NotPublishable, SingleoutError
from singleout.report.say import say
from singleout.repository.documents.bodies import BODIES
from singleout.repository.documents.quick_json import read_canonical
from singleout.repository.documents.submission import Submission
from singleout.repository.service.answered import BatchAnswer, SubmissionReceipt
from singleout.repository.service.bodies import (
    check_depth,
    check_type,
    parse,
    read_body,
    read_lines,
)
from singleout.repository.service.problems import Refused, problem_of
from singleout.repository.service.routes.route import (
    HASH_PATTERN,
    answers,
    asks,
    new_router,
    service_of,
)
from singleout.repository.service.service import RepositoryService, as_json
from singleout.repository.service.settings import BodyLimits, ServiceSettings
from singleout.repository.store.kept.stored import Receipt

__all__ = ["router"]

router: APIRouter = new_router("changes")

_RecordId = Annotated[str, Path(pattern=HASH_PATTERN)]
_DOCUMENTED: dict[str, Any] = {
    "status_code": 201,
    "response_model": None,
    "responses": answers(SubmissionReceipt, 403, 404, 409, 410, status=201, body=True),
    "openapi_extra": asks(Submission),
}
# also accepted at an address of their own
_AT: dict[str, tuple[str, ...]] = {
    "/records": ("record/1",),
    "/resolutions": ("resolution/1",),
    "/holders": ("holder/1", "holder-removal/1"),
    "/tokens": ("token/1", "token-removal/1"),
    "/vocabularies": ("vocabulary/1",),
    "/inventories": ("inventory/1",),
    "/decisions": ("decision/1",),
}
# and of the record that they are about: the kind, and the field that names the record
_OF_RECORD = {
    "dispute": ("dispute/1", "record"),
    "withdraw": ("withdrawal/1", "record"),
    "rule": ("ruling/1", "record"),
    "supersede": ("record/1", "supersedes"),
}


@router.post("/submissions", summary="Submit", **_DOCUMENTED)
async def submit(request: Request) -> Response:
    """Append a signed submission to the log."""
    return await _append(request, await _read(request))


@router.post(
    "/submissions/batch",
    summary="Submit several",
    response_model=None,
    responses=answers(BatchAnswer, body=True),
    openapi_extra={
        "requestBody": {
            "required": True,
            "description": "One signed submission on each line.",
            "content": {"application/x-ndjson": {"schema": {"type": "string"}}},
        }
    },
)
async def submit_several(request: Request) -> Response:
    """Append signed submissions, each by itself: what is refused does not stop the others."""
    service = service_of(request)
    lines = await read_lines(request, service.settings.batch, service.settings)
    request.state.take_more(len(lines) - 1)
    answers, facts = await service.append_by(_append_lines, service, lines)
    request.state.audit = {"batch": facts}
    for fact in facts:
        _count(service, fact["kind"], fact["state"])
    return as_json({"answers": answers})


def _append_lines(
    service: RepositoryService, lines: list[bytes]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the answer to each line, and what the audit log says of those that were stored."""
    read = [_read_line(line, service.settings) for line in lines]
    submissions = [one for one in read if isinstance(one, Submission)]
    results = iter(service.store.append_all(submissions))
    answers, facts = [], []
    for one in read:
        result = next(results) if isinstance(one, Submission) else one
        if isinstance(one, Submission) and isinstance(result, Receipt):
            answers.append({"status": 201, "receipt": result.to_dict()})
            fact = {"index": result.index, "id": result.id, "state": result.state}
            facts.append({"kind": _kind_of({"body": one.body}), "by": one.by, **fact})
        elif not isinstance(result, Receipt):
            failed = result.response() if isinstance(result, Refused) else problem_of(result)
            content = json.loads(bytes(failed.body))
            answers.append({"status": failed.status_code, "problem": content})
    return answers, facts


def _read_line(line: bytes, settings: ServiceSettings) -> Submission | Refused | SingleoutError:
    limits = settings.limits
    try:
        submission = Submission.of_values(*_values_of(line, limits.submission, limits))
        _check_body(submission, settings)
    except (Refused, SingleoutError) as error:
        return error
    return submission


def _submit_one_of(kinds: tuple[str, ...]) -> Callable[[Request], Coroutine[Any, Any, Response]]:
    async def submit_one_of(request: Request) -> Response:
        submission = await _read(request)
        _check_kind(submission, kinds)
        return await _append(request, submission)

    return submit_one_of


def _submit_about(kind: str, field: str) -> Callable[[Request, str], Coroutine[Any, Any, Response]]:
    async def submit_about(request: Request, id: _RecordId) -> Response:  # noqa: A002
        submission = await _read(request)
        _check_kind(submission, (kind,))
        if submission.body.get(field) != id:
            raise BadSubmission(f"The {field!r} of the body is another record than {id}.")
        return await _append(request, submission)

    return submit_about


for _path, _kinds in _AT.items():
    _name = _path.removeprefix("/")
    router.add_api_route(
        _path,
        _submit_one_of(_kinds),
        methods=["POST"],
        name=f"submit_{_name}",
        summary=f"Submit {' or '.join(_kinds)}",
        **_DOCUMENTED,
    )
for _verb, (_kind, _field) in _OF_RECORD.items():
    router.add_api_route(
        f"/records/{{id}}/{_verb}",
        _submit_about(_kind, _field),
        methods=["POST"],
        name=f"{_verb}_record",
        summary=f"Submit {_kind} about a record",
        **_DOCUMENTED,
    )


# ---- reading and appending


async def _read(request: Request) -> Submission:
    """Return the submission of a request; only a vocabulary may be large."""
    settings = service_of(request).settings
    limits = settings.limits
    check_type(request)
    body = await read_body(
        request, max(limits.vocabulary, limits.submission), settings.body_patience
    )
    values, text = _values_of(body, len(body), limits)
    if len(body) > limits.submission and _kind_of(values) != "vocabulary/1":
        raise Refused(
            413, f"A submission has at most {limits.submission:,} bytes, unless of a vocabulary."
        )
    return Submission.of_values(values, text)


def _values_of(body: bytes, largest: int, limits: BodyLimits) -> tuple[Any, bytes | None]:
    """Return the plain values of JSON bytes, and those bytes if they are canonical."""
    check_depth(body, limits.depth)
    values = read_canonical(body) if len(body) <= largest else None
    return (parse(body, largest, limits), None) if values is None else (values, body)


def _kind_of(values: Any) -> str:
    """Return the kind of the body; empty if it is not one that is known."""
    body = values.get("body") if isinstance(values, Mapping) else None
    kind = body.get("kind") if isinstance(body, Mapping) else None
    return kind if isinstance(kind, str) and kind in BODIES else ""


def _check_kind(submission: Submission, kinds: tuple[str, ...]) -> None:
    if submission.body.get("kind") not in kinds:
        raise BadSubmission(
            f"Here only {' or '.join(kinds)} is submitted; send others to /v1/submissions."
        )


async def _append(request: Request, submission: Submission) -> Response:
    service = service_of(request)
    facts: dict[str, Any] = {"kind": _kind_of({"body": submission.body}), "by": submission.by}
    request.state.audit = facts
    _check_body(submission, service.settings)
    receipt = await service.append(submission)
    facts.update(index=receipt.index, id=receipt.id, state=receipt.state)
    _count(service, facts["kind"], receipt.state)
    return as_json(receipt.to_dict(), receipt.head.size, 201)


def _check_body(submission: Submission, settings: ServiceSettings) -> None:
    """Refuse a record whose number of possible cells was counted in the data, or only stated."""
    body = submission.body
    if not settings.require_vocabulary or body.get("kind") != "record/1":
        return
    numbers = body.get("numbers")
    source = numbers.get("cells_from") if isinstance(numbers, Mapping) else None
    if source != "vocabulary" or body.get("vocabulary") is None:
        raise NotPublishable(say("repository.service.vocabulary"))


def _count(service: RepositoryService, kind: str, state: str) -> None:
    service.metrics.submissions[kind, state] += 1
