"""What is registered besides records: vocabularies, holders, inventories, decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from singleout.errors import BadChoice, NotAllowed
from singleout.repository.documents.canonical import plain_document
from singleout.repository.service import answered
from singleout.repository.service.access import Caller
from singleout.repository.service.problems import Refused
from singleout.repository.service.routes.route import (
    HASH_PATTERN,
    HOLDER_PATTERN,
    answers,
    caller_of,
    new_router,
    service_of,
)
from singleout.repository.service.service import as_json
from singleout.repository.store.kept.stored import RegisteredHolder, StoredDocument

__all__ = ["router"]

router: APIRouter = new_router("registers")

_MOST = 1_000
_Id = Annotated[str, Path(pattern=HASH_PATTERN)]
_HolderId = Annotated[str, Path(pattern=HOLDER_PATTERN)]
_After = Annotated[str | None, Query(max_length=100)]
_Limit = Annotated[int, Query(ge=1, le=_MOST)]
_Item = TypeVar("_Item")
_UNCHANGING = {"Cache-Control": "private, max-age=86400"}


def _page(
    items: Sequence[_Item], key: Callable[[_Item], str], after: str | None, limit: int
) -> tuple[Sequence[_Item], str | None]:
    """Return the items after the one that was seen last, and what the next page begins after."""
    start = 0
    if after is not None:
        seen = [index for index, item in enumerate(items) if key(item) == after]
        if not seen:
            raise Refused(422, "The parameter after must be an id of the list.")
        start = seen[0] + 1
    page = items[start : start + limit]
    return page, key(page[-1]) if start + limit < len(items) else None


@contextmanager
def _missing_as_404() -> Iterator[None]:
    try:
        yield
    except BadChoice as error:
        raise Refused(404, str(error)) from None


async def _answer(request: Request, compute: Callable[[], Any], **headers: str) -> Response:
    service = service_of(request)
    size = await service.size()
    response = as_json(await service.read(compute), size)
    response.headers.update(headers)
    return response


# ---- vocabularies


@router.get(
    "/vocabularies",
    summary="Vocabularies",
    response_model=None,
    responses=answers(answered.VocabularyList),
)
async def vocabularies(request: Request, after: _After = None, limit: _Limit = 100) -> Response:
    """Return the vocabularies that records refer to."""
    store = service_of(request).store

    def read() -> dict[str, Any]:
        page, following = _page(store.vocabularies(), lambda one: str(one["hash"]), after, limit)
        shown = [{key: one[key] for key in ("hash", "name", "version")} for one in page]
        return {"vocabularies": shown, "next": following}

    return await _answer(request, read)


@router.get(
    "/vocabularies/{hash}",
    summary="A vocabulary",
    response_model=None,
    responses=answers(answered.AnyDocument, 404),
)
async def vocabulary(request: Request, hash: _Id) -> Response:  # noqa: A002
    """Return a vocabulary; its hash is its name, so that it never changes."""
    store = service_of(request).store

    def read() -> Any:
        with _missing_as_404():
            return plain_document(store.vocabulary(hash))

    return await _answer(request, read, **_UNCHANGING)


# ---- holders


@router.get(
    "/holders",
    summary="Holders",
    response_model=None,
    responses=answers(answered.HolderList),
)
async def holders(request: Request, after: _After = None, limit: _Limit = 100) -> Response:
    """Return everybody who is or was registered."""
    store = service_of(request).store

    def read() -> dict[str, Any]:
        page, following = _page(store.holders(), lambda one: one.id, after, limit)
        return {"holders": [_holder(one) for one in page], "next": following}

    return await _answer(request, read)


@router.get(
    "/holders/{id}",
    summary="A holder",
    response_model=None,
    responses=answers(answered.HolderFacts, 404),
)
async def holder(request: Request, id: _HolderId) -> Response:  # noqa: A002
    """Return one of them."""
    store = service_of(request).store

    def read() -> dict[str, Any]:
        with _missing_as_404():
            return _holder(store.holder(id))

    return await _answer(request, read)


def _holder(found: RegisteredHolder) -> dict[str, Any]:
    return {
        "id": found.id,
        "name": found.name,
        "public_key": found.public_key,
        "roles": list(found.roles),
        "contact": found.contact or "",
        "active": bool(found.active),
        "index": found.index,
    }


# ---- inventories


@router.get(
    "/inventories",
    summary="Inventories",
    response_model=None,
    responses=answers(answered.InventoryList),
)
async def inventories(request: Request, after: _After = None, limit: _Limit = 100) -> Response:
    """Return the data sets and questionnaires that holders have registered."""
    store = service_of(request).store

    def read() -> dict[str, Any]:
        page, following = _page(store.inventories(), lambda one: one.id, after, limit)
        return {"inventories": [_document(one, "inventory") for one in page], "next": following}

    return await _answer(request, read)


@router.get(
    "/inventories/{id}",
    summary="An inventory",
    response_model=None,
    responses=answers(answered.InventoryFacts, 404),
)
async def inventory(request: Request, id: _Id) -> Response:  # noqa: A002
    """Return one of them."""
    store = service_of(request).store

    def read() -> dict[str, Any]:
        found = store.inventories(id)
        if not found:
            raise Refused(404, f"There is no inventory {id} here; check its id.")
        return _document(found[0], "inventory")

    return await _answer(request, read)


def _document(found: StoredDocument, name: str) -> dict[str, Any]:
    return {
        "id": found.id,
        "holder": found.holder,
        "index": found.index,
        "time": found.time,
        name: found.body,
    }


# ---- decisions


@router.get(
    "/decisions",
    summary="Decisions",
    response_model=None,
    responses=answers(answered.DecisionList, 403),
)
async def decisions(request: Request, after: _After = None, limit: _Limit = 100) -> Response:
    """Return the decisions of the token's holder; all of them for a moderator."""
    store, caller = service_of(request).store, caller_of(request)
    _check_may_read_decisions(caller)

    def read() -> dict[str, Any]:
        found = [one for one in store.decisions() if _is_theirs(caller, one.holder)]
        page, following = _page(found, lambda one: one.id, after, limit)
        return {"decisions": [_document(one, "decision") for one in page], "next": following}

    return await _answer(request, read)


@router.get(
    "/decisions/{id}",
    summary="A decision",
    response_model=None,
    responses=answers(answered.DecisionFacts, 403, 404),
)
async def decision(request: Request, id: _Id) -> Response:  # noqa: A002
    """Return one of them."""
    store, caller = service_of(request).store, caller_of(request)
    _check_may_read_decisions(caller)

    def read() -> dict[str, Any]:
        found = [one for one in store.decisions(id) if _is_theirs(caller, one.holder)]
        if not found:
            raise Refused(404, f"There is no decision {id} that this token may read.")
        return _document(found[0], "decision")

    return await _answer(request, read)


def _check_may_read_decisions(caller: Caller) -> None:
    if caller.holder is None and not caller.is_at_least("moderator"):
        sentence = "Decisions are read by their holder; send a token of that holder."
        raise Refused(403 if caller.rank else 401, sentence, NotAllowed)


def _is_theirs(caller: Caller, holder: str) -> bool:
    return caller.is_at_least("moderator") or holder == caller.holder
