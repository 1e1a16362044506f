"""Questions: which record answers, what it predicts, what several reveal, what is spent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from singleout.core.language import speaking, spoken
from singleout.errors import NotAllowed, UndefinedMeasure
from singleout.io.yaml.file import Origin, checked
from singleout.repository.answering.answer import RepositoryAnswer
from singleout.repository.answering.compose import compose
from singleout.repository.answering.query import find
from singleout.repository.answering.relations import coded, qid_key
from singleout.repository.gate.ledger import ROUNDING
from singleout.repository.gate.tiers import TIERS
from singleout.repository.service.answered import (
    ChargeAnswer,
    Composed,
    FoundAnswer,
    FoundRecords,
    Predictions,
)
from singleout.repository.service.asked import (
    ChargeQuestion,
    ComposePart,
    ComposeQuestion,
    PredictQuestion,
    QueryQuestion,
    SearchQuestion,
)
from singleout.repository.service.bodies import check_type, parse, read_body
from singleout.repository.service.problems import Refused
from singleout.repository.service.readable import LongSearch, ReadableStore
from singleout.repository.service.routes.route import (
    answers,
    asks,
    caller_of,
    new_router,
    respond,
    service_of,
)
from singleout.repository.service.service import Answer, RepositoryService, as_json

__all__ = ["router"]

router: APIRouter = new_router("questions")

_SHORT = 4_000  # bytes of a question that is read while others wait

_Compute = Callable[[RepositoryService, ReadableStore, Any], dict[str, Any]]


async def _answer(
    request: Request, model: type[BaseModel], compute: _Compute, *, is_brief: bool = False
) -> Response:
    """Answer a question from memory, at once if that takes a few rows, or in a thread."""
    service, caller = service_of(request), caller_of(request)
    settings = service.settings
    check_type(request)
    body = await read_body(request, settings.limits.question, settings.body_patience)

    def computed(size: int, *, brief: bool = False) -> Answer:
        question = checked(model, parse(body, len(body), settings.limits), Origin("question"))
        readable = ReadableStore(service.store, caller, brief=brief)
        try:
            with speaking(spoken()):  # the environment is asked once, not for every sentence
                document = compute(service, readable, question)
        except UndefinedMeasure:  # nothing was found to predict from; such an answer is not kept
            service.demand.add(readable.unanswered, service.words(size))
            raise
        return Answer(as_json(document, size), readable.restricted, readable.unanswered)

    def briefly(size: int) -> Answer | None:
        if not is_brief or len(body) > _SHORT:
            return None
        try:
            return computed(size, brief=True)
        except LongSearch:
            return None

    answer = await service.answered(caller, model.__name__, body, computed, briefly)
    await service.note(answer.unanswered)
    return respond(request, answer)


@router.post(
    "/query",
    summary="Find the record that answers",
    response_model=None,
    responses=answers(FoundAnswer, 404, body=True),
    openapi_extra=asks(QueryQuestion),
)
async def query(request: Request) -> Response:
    """Return the nearest record, the path to it and what the path does to a prediction."""
    return await _answer(request, QueryQuestion, _query, is_brief=True)


def _query(_: RepositoryService, store: ReadableStore, question: QueryQuestion) -> dict[str, Any]:
    return _shown(_found(store, question.quasi_identifier, question), store)


@router.post(
    "/predict",
    summary="Predict how many would be alone",
    response_model=None,
    responses=answers(Predictions, 403, 404, 410, body=True),
    openapi_extra=asks(PredictQuestion),
)
async def predict(request: Request) -> Response:
    """Return predictions with their intervals and guaranteed bounds."""
    return await _answer(request, PredictQuestion, _predict)


def _predict(
    _: RepositoryService, store: ReadableStore, question: PredictQuestion
) -> dict[str, Any]:
    answer = _part(store, question)
    return {
        "predictions": [answer.predict(people=size).to_dict() for size in question.sizes],
        "answer": _shown(answer, store),
    }


@router.post(
    "/compose",
    summary="Compose quasi-identifiers",
    response_model=None,
    responses=answers(Composed, 403, 404, 410, body=True),
    openapi_extra=asks(ComposeQuestion),
)
async def compose_records(request: Request) -> Response:
    """Return what the quasi-identifiers of several records reveal together."""
    return await _answer(request, ComposeQuestion, _compose)


def _compose(
    _: RepositoryService, store: ReadableStore, question: ComposeQuestion
) -> dict[str, Any]:
    composition = compose([_part(store, part) for part in question.parts])
    return {
        "composition": composition.to_dict(),
        "predictions": [composition.predict(people=size).to_dict() for size in question.sizes],
    }


@router.post(
    "/search",
    summary="All records that contain a population",
    response_model=None,
    responses=answers(FoundRecords, body=True),
    openapi_extra=asks(SearchQuestion),
)
async def search(request: Request) -> Response:
    """Return the records behind a query, for clients that search by themselves."""
    return await _answer(request, SearchQuestion, _search)


def _search(_: RepositoryService, store: ReadableStore, question: SearchQuestion) -> dict[str, Any]:
    key = qid_key(coded(question.quasi_identifier))
    words = store.vocabulary(question.vocabulary)
    found = store.records_for(key, question.population, question.states, words)
    return {"records": [one.to_dict() for one in found], "withheld": store.withheld}


@router.post(
    "/charge",
    summary="What a record would cost",
    response_model=None,
    responses=answers(ChargeAnswer, body=True),
    openapi_extra=asks(ChargeQuestion),
)
async def charge(request: Request) -> Response:
    """Return what would have been spent of the budget of these people."""
    return await _answer(request, ChargeQuestion, _charge)


def _charge(
    service: RepositoryService, store: ReadableStore, question: ChargeQuestion
) -> dict[str, Any]:
    if question.tier == "registered" and not store.caller.rank:
        raise Refused(401, "The registered tier is for those who have a token.", NotAllowed)
    tiers = [tier for tier in TIERS.values() if tier.total >= TIERS[question.tier].total]
    if not store.caller.rank:
        tiers = tiers[:1]  # what registered records have cost is not for everybody
    spent = [service.store.charge(question.population, question.cost, one.name) for one in tiers]
    allowed = all(cost <= one.total + ROUNDING for cost, one in zip(spent, tiers, strict=True))
    return {"charge": spent[0], "total": tiers[0].total, "allowed": allowed}


# ---- what they share


def _found(
    store: ReadableStore, asked: Any, question: QueryQuestion | ComposePart | PredictQuestion
) -> RepositoryAnswer:
    people = question.people if isinstance(question, QueryQuestion) else None
    return find(
        store,
        asked,
        question.population,
        vocabulary=store.vocabulary(question.vocabulary),
        reference_date=question.reference_date,
        people=people,
        demand=store.note,
    )


def _part(store: ReadableStore, part: ComposePart | PredictQuestion) -> RepositoryAnswer:
    """Return the answer of a record, or of a question."""
    if part.record is None:
        return _found(store, part.quasi_identifier, part)
    record = store.record(part.record).record
    assert record is not None  # a withdrawn one was refused
    return RepositoryAnswer(record.quasi_identifier, record.population, (record,))


def _shown(answer: RepositoryAnswer, store: ReadableStore) -> dict[str, Any]:
    return {**answer.to_dict(), "withheld": store.withheld}
