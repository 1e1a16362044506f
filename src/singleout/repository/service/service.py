"""A service: a store, threads to wait for it, answers that are kept, and what is counted.

It holds nothing that another process would need: several of them serve one PostgreSQL database.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic_core import to_json
from starlette.responses import Response

from singleout.errors import NotAllowed
from singleout.repository.service.access import (
    Caller,
    KnownToken,
    bearer,
    matching,
    purpose_of,
    token_hash,
)
from singleout.repository.service.answers import FreshNumber, KeptAnswers
from singleout.repository.service.audit import AuditLog
from singleout.repository.service.demand import DemandCounts
from singleout.repository.service.metrics import ServiceMetrics
from singleout.repository.service.problems import Refused
from singleout.repository.service.settings import ServiceSettings
from singleout.repository.store.kept.demand import Combination

if TYPE_CHECKING:
    from singleout.repository.documents.submission import Submission
    from singleout.repository.store.kept.stored import Receipt
    from singleout.repository.store.store import Store

__all__ = ["Answer", "RepositoryService", "as_json"]

_T = TypeVar("_T")
_UNAUTHORIZED = {"WWW-Authenticate": 'Bearer realm="singleout"'}


@dataclass(frozen=True)
class Answer:
    """A response, which records that are not public it was made from, and what was not found."""

    response: Response
    restricted: tuple[str, ...] = field(default=())
    unanswered: Combination | None = None


def as_json(document: Any, size: int | None = None, status: int = 200) -> Response:
    """Return a document as a response that was computed from a tree of this size."""
    content = to_json(document, inf_nan_mode="null")  # JSON has no word for what is not finite
    headers = {} if size is None else {"Tree-Size": str(size)}
    return Response(content, status, headers, media_type="application/json")


class RepositoryService:
    """What the routes share."""

    def __init__(self, store: Store, settings: ServiceSettings) -> None:
        self.store = store
        self.settings = settings
        self.metrics = ServiceMetrics()
        self.demand = DemandCounts(store, counting=settings.demand)
        self._words: tuple[int, frozenset[str]] = -1, frozenset()
        self.audit = AuditLog(settings.audit)
        self._readers = ThreadPoolExecutor(settings.readers, "read")
        self._writers = ThreadPoolExecutor(settings.writers, "append")
        self._waiting: list[tuple[Submission, asyncio.Future[Receipt]]] = []
        self._appending: asyncio.Task[None] | None = None
        self._size = FreshNumber(lambda: self.read(self._store_size))
        self._is_file = isinstance(store.target, Path)
        self._answers: KeptAnswers[Answer] = KeptAnswers(settings.cache)
        self._tokens: KeptAnswers[tuple[KnownToken, ...]] = KeptAnswers(1_000_000)

    def close(self) -> None:
        """Wait for what is under way, and close the store."""
        self._writers.shutdown(wait=True)
        self._readers.shutdown(wait=True)
        self.demand.flush()
        self.store.close()
        self.audit.close()

    # ---- the store

    async def read(self, call: Callable[..., _T], *given: Any) -> _T:
        """Call something that waits for the store, in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, call, *given)

    async def append(self, submission: Submission) -> Receipt:
        """Append a submission; those that wait at once are committed at once."""
        answer: asyncio.Future[Receipt] = asyncio.get_running_loop().create_future()
        self._waiting.append((submission, answer))
        if self._appending is None or self._appending.done():
            self._appending = asyncio.ensure_future(self._append_waiting())
        return await answer

    async def append_by(self, call: Callable[..., _T], *given: Any) -> _T:
        """Call something that appends, in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._writers, call, *given)

    async def _append_waiting(self) -> None:
        """Append all that wait, as long as there is any."""
        while self._waiting:
            group, self._waiting = self._waiting, []
            answers: Sequence[Receipt | BaseException]
            try:
                submissions = [submission for submission, _ in group]
                answers = await self.append_by(self.store.append_all, submissions)
            except Exception as error:  # noqa: BLE001 # a fault reaches everybody who waits
                answers = [error] * len(group)
            for (_, waiting), answer in zip(group, answers, strict=True):
                if waiting.done():  # nobody waits for it any more
                    continue
                if isinstance(answer, BaseException):
                    waiting.set_exception(answer)
                else:
                    waiting.set_result(answer)

    def _store_size(self) -> int:
        return self.store.size

    async def size(self) -> int:
        """Return the size of the tree, as of now or later."""
        if self._is_file:
            return self.store.size  # a few microseconds: less than to ask another thread
        return await self._size.get()

    def words(self, size: int) -> frozenset[str]:
        """Return the names of attributes that the repository has words for, at a size."""
        if self._words[0] != size:
            names = {one.attribute for qid, _ in self.store.quasi_identifiers() for one in qid}
            for each in self.store.vocabularies():
                names.update(self.store.vocabulary(each["hash"]).attributes)
            self._words = size, frozenset(names)
        return self._words[1]

    async def note(self, wanted: Combination | None) -> None:
        """Count what was asked for without an answer."""
        if wanted is not None and self.demand.counting:
            self.demand.add(wanted, await self.read(self.words, await self.size()))
            if self.demand.is_due:
                self._writers.submit(self.demand.flush)

    # ---- answers

    async def answered(
        self,
        caller: Caller,
        route: str,
        question: bytes,
        compute: Callable[[int], Answer],
        briefly: Callable[[int], Answer | None] = lambda _: None,
    ) -> Answer:
        """Return the answer to a question: the one that is kept, or a new one.

        What ``briefly`` answers from a file takes less time than to have another thread do it;
        everything else is computed by one.
        """
        size = await self.size()
        today = datetime.now(UTC).date().isoformat()  # some notes speak of the age of a record
        key = (route, caller.view, today, question)
        answer = self._answers.get(size, key)
        self.metrics.cache["hit" if answer is not None else "miss"] += 1
        if answer is None:
            brief = briefly(size) if self._is_file else None
            answer = await self.read(compute, size) if brief is None else brief
            weight = 500 + len(question) + len(bytes(answer.response.body))
            self._answers.put(size, key, answer, weight)
        return answer

    # ---- callers

    async def caller(self, authorization: str | None, purpose: str | None, address: str) -> Caller:
        """Return who asks.

        Raises
        ------
        Refused
            If they show a token that opens nothing.
        """
        if authorization is None:
            return Caller(name=self.audit.caller(address))
        try:
            given = bearer(authorization)
        except NotAllowed as error:
            raise Refused(401, str(error), NotAllowed, _UNAUTHORIZED) from None
        token = matching(given, await self._known(given))
        if token is None:
            raise _unknown("This token is unknown or revoked; ask the administrator for another.")
        if token.is_expired(datetime.now(UTC)):
            raise _unknown(f"This token expired at {token.expires}; ask for another.")
        return Caller.with_token(token, purpose_of(purpose))

    async def _known(self, given: str) -> tuple[KnownToken, ...]:
        """Return the stored tokens with the hash of the given one: one, or none."""
        size = await self.size()
        key = (token_hash(given),)
        known = self._tokens.get(size, key)
        if known is None:
            known = await self.read(self._token, key[0])
            self._tokens.put(size, key, known, 500)
        return known

    def _token(self, wanted: str) -> tuple[KnownToken, ...]:
        found = self.store.token(wanted)
        if found is None or not found.active:
            return ()
        return (KnownToken(found.hash, tuple(found.roles), found.holder, found.expires),)


def _unknown(sentence: str) -> Refused:
    return Refused(401, sentence, NotAllowed, _UNAUTHORIZED)
