"""The log: its signed head, its entries, and proofs that nothing was changed or removed."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from singleout.repository.log.heads import SignedHead
from singleout.repository.service import answered
from singleout.repository.service.access import Caller
from singleout.repository.service.problems import Refused
from singleout.repository.service.routes.route import (
    LARGEST_INDEX,
    answers,
    caller_of,
    new_router,
    respond,
    service_of,
)
from singleout.repository.service.service import Answer, RepositoryService, as_json

__all__ = ["router"]

router: APIRouter = new_router("log")

_MOST = 1_000
_Index = Annotated[int, Query(ge=0, le=LARGEST_INDEX)]
_Size = Annotated[int | None, Query(ge=0, le=LARGEST_INDEX)]
_FOR_STAFF = ("token/1", "token-removal/1")
_ABOUT_A_RECORD = ("dispute/1", "withdrawal/1", "ruling/1")


@router.get(
    "/log/head",
    summary="The signed tree head",
    response_model=None,
    responses=answers(SignedHead),
)
async def head(request: Request) -> Response:
    """Return the head of the log."""
    service = service_of(request)
    found = await service.read(service.store.head)
    return as_json(found.model_dump(), found.size)


@router.get(
    "/log/entries",
    summary="Entries",
    response_model=None,
    responses=answers(answered.LogEntries),
)
async def entries(
    request: Request,
    start: Annotated[int, Query(alias="from", ge=0, le=LARGEST_INDEX)] = 0,
    limit: Annotated[int, Query(ge=1, le=_MOST)] = 100,
) -> Response:
    """Return a page of entries, as far as the caller may read them."""
    service, caller = service_of(request), caller_of(request)

    def read() -> Answer:
        size = service.store.size
        shown, restricted = _shown(service, caller, start, min(start + limit, size))
        following = start + limit if start + limit < size else None
        return Answer(as_json({"entries": shown, "next": following}, size), restricted)

    return respond(request, await service.read(read))


@router.get(
    "/log/entries/{index}",
    summary="An entry",
    response_model=None,
    responses=answers(answered.LogEntry, 404),
)
async def entry(request: Request, index: Annotated[int, Path(ge=0, le=LARGEST_INDEX)]) -> Response:
    """Return one entry."""
    service, caller = service_of(request), caller_of(request)

    def read() -> Answer:
        size = service.store.size
        if index >= size:
            raise Refused(404, f"There is no entry {index}; the log has {size}.")
        shown, restricted = _shown(service, caller, index, index + 1)
        return Answer(as_json(shown[0], size), restricted)

    return respond(request, await service.read(read))


@router.get(
    "/log/inclusion",
    summary="A proof of inclusion",
    response_model=None,
    responses=answers(answered.InclusionAnswer),
)
async def inclusion(request: Request, index: _Index, size: _Size = None) -> Response:
    """Return the proof that an entry is in the tree of a size (RFC 9162, section 2.1.3)."""
    service = service_of(request)

    def read() -> Response:
        now = service.store.size
        tree = now if size is None else size
        if not index < tree <= now:
            raise Refused(422, f"Give an index below the size, and a size of at most {now}.")
        (found,) = service.store.entries(index, index + 1)
        proof = service.store.inclusion(index, tree)
        return as_json(
            {
                "index": index,
                "size": tree,
                "leaf_hash": found.leaf_hash.hex(),
                "proof": [node.hex() for node in proof],
            },
            now,
        )

    return await service.read(read)


@router.get(
    "/log/consistency",
    summary="A proof of consistency",
    response_model=None,
    responses=answers(answered.ConsistencyAnswer),
)
async def consistency(request: Request, first: _Index, second: _Size = None) -> Response:
    """Return the proof that a tree continues an earlier one (RFC 9162, section 2.1.4)."""
    service = service_of(request)

    def read() -> Response:
        now = service.store.size
        last = now if second is None else second
        if not 1 <= first <= last <= now:
            raise Refused(422, f"Give sizes with 1 <= first <= second <= {now}.")
        proof = service.store.consistency(first, last)
        shown = {"first": first, "second": last, "proof": [node.hex() for node in proof]}
        return as_json(shown, now)

    return await service.read(read)


@router.get(
    "/log/keys",
    summary="Keys of the repository that followed each other",
    response_model=None,
    responses=answers(answered.AnnouncedKeys),
)
async def keys(request: Request, size: _Size = None) -> Response:
    """Return the entries that announce a new key, each signed by the one before, with proofs."""
    service = service_of(request)

    def read() -> Response:
        now = service.store.size
        tree = now if size is None else size
        if tree > now:
            raise Refused(422, f"Give a size of at most {now}.")
        found = service.store.rotations(tree)
        return as_json({"keys": [one.to_dict() for one in found], "size": tree}, now)

    return await service.read(read)


# ---- which entries a caller may read


def _shown(
    service: RepositoryService, caller: Caller, start: int, end: int
) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Return entries, and the ids of the records in them that are not public."""
    shown: list[dict[str, Any]] = []
    restricted: list[str] = []
    for found in service.store.entries(start, max(start, end)):
        leaf = json.loads(found.leaf)
        submission = None if found.submission is None else json.loads(found.submission)
        readable = submission is not None and _may_read(service, caller, submission)
        if submission is not None and readable:
            access = submission["body"].get("access", "public")
            if submission["body"]["kind"] == "record/1" and access != "public":
                restricted.append(leaf["record"])
        shown.append(found.to_dict(withheld=not readable))
    return shown, tuple(restricted)


def _may_read(service: RepositoryService, caller: Caller, submission: dict[str, Any]) -> bool:
    body, by = submission["body"], submission["by"]
    kind = body["kind"]
    if kind == "record/1":
        return caller.may_read(body.get("access", "public"), body.get("holder") or by)
    if kind in _FOR_STAFF:
        return caller.is_at_least("moderator")
    if kind == "decision/1":
        return caller.is_at_least("moderator") or by == caller.holder
    if kind in _ABOUT_A_RECORD:
        about = service.store.record(body["record"])
        if about.record is None:  # withdrawn: nothing of it is left
            return True
        return caller.may_read(about.record.access, about.holder)
    return True
