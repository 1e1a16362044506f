"""The store behind a service: the same questions as to a store in a file, asked over HTTP.

Nothing that the service says is taken on trust where it can be checked: a receipt must prove that
the entry is in a tree whose head the repository has signed, and each head must continue the last
one that was seen here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from pydantic import ValidationError

from singleout.errors import InputError, StoreChanged, UnreachableData
from singleout.repository.client.http import Connection
from singleout.repository.client.proofs import check_receipt
from singleout.repository.documents.canonical import content_hash, plain_document
from singleout.repository.documents.keys import key_id, read_public_key
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import CodedAttribute, Record
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.repository.log.heads import SignedHead
from singleout.repository.log.rotation import AnnouncedKey
from singleout.repository.store.admitted.states import ANSWERING, RecordState
from singleout.repository.store.kept.stored import (
    Receipt,
    RegisteredHolder,
    StateRow,
    StoredDocument,
    StoredRecord,
)

if TYPE_CHECKING:
    from singleout.repository.documents.submission import Submission

__all__ = ["RemoteStore"]

_PAGE = 500


class RemoteStore:
    """A repository that is reached over HTTP.

    Parameters
    ----------
    connection
        How it is reached.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._vocabularies: dict[str, Vocabulary] = {}

    @property
    def location(self) -> str:
        """The address."""
        return self._connection.url

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _refused(self) -> UnreachableData:
        return UnreachableData(
            f"The repository at {self.location} answered something unexpected; is it of another "
            "version of singleout?"
        )

    # ---- what it is

    @cached_property
    def about(self) -> dict[str, Any]:
        """What the repository says about itself."""
        found = self._connection.get("")
        if not isinstance(found, dict) or "public_key" not in found:
            raise self._refused()
        if key_id(read_public_key(str(found["public_key"]))) != found.get("key"):
            raise StoreChanged(
                f"The repository at {self.location} names another key than its public key."
            )
        return found

    @property
    def name(self) -> str:
        """What the repository is called."""
        return str(self.about.get("name", ""))

    @property
    def personal(self) -> bool:
        """Whether it has neither minima nor registered holders."""
        return bool(self.about.get("personal"))

    @property
    def public_key(self) -> bytes:
        """The key that signs its heads."""
        return read_public_key(str(self.about["public_key"]))

    # ---- changing it

    def append(self, submission: Submission, **_: Any) -> Receipt:
        """Send a submission; the receipt is checked."""
        answer = self._connection.post("/submissions", plain_document(submission))
        try:
            index = int(answer["index"])
            leaf = answer.get("leaf") or self._connection.get(f"/log/entries/{index}")["leaf"]
            receipt = Receipt(
                index=index,
                id=str(answer["id"]),
                state=str(answer["state"]),
                reasons=tuple(map(str, answer["reasons"])),
                leaf=str(leaf).encode(),
                head=SignedHead.model_validate(answer["head"]),
                proof=tuple(map(bytes.fromhex, answer["proof"])),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise self._refused() from None
        check_receipt(receipt, submission, self.public_key)
        return receipt

    # ---- records

    def record(self, wanted: str) -> StoredRecord:
        """Return a record by its identity."""
        return self._stored(self._connection.get(f"/records/{quote(wanted, safe='')}"))

    def records_for(
        self,
        qid_key: str,
        containing: DeclaredPopulation,
        states: Sequence[RecordState] = ANSWERING,
        **_: Any,
    ) -> list[StoredRecord]:
        """Return the records of a quasi-identifier whose population contains another."""
        wanted = self._by_key.get(qid_key)
        if wanted is None:
            return []
        question = {
            "quasi_identifier": [plain_document(one) for one in wanted],
            "population": containing.to_dict(),
            "states": list(states),
        }
        found = self._connection.post("/search", question)
        return [self._stored(one) for one in self._list(found, "records")]

    def quasi_identifiers(self) -> list[tuple[tuple[CodedAttribute, ...], int]]:
        """Return each quasi-identifier that queries find, and how many records it has."""
        found = self._list(self._connection.get("/quasi-identifiers"), "quasi_identifiers")
        try:
            answer = [
                (tuple(map(CodedAttribute.of, one["quasi_identifier"])), int(one["records"]))
                for one in found
            ]
        except (KeyError, TypeError, InputError):
            raise self._refused() from None
        self.__dict__["_by_key"] = {_qid_key(names): names for names, _ in answer}
        return answer

    @cached_property
    def _by_key(self) -> dict[str, tuple[CodedAttribute, ...]]:
        return {_qid_key(names): names for names, _ in self.quasi_identifiers()}

    def history(self, wanted: str) -> list[StateRow]:
        """Return the states of a record, the first one first."""
        found = self._list(
            self._connection.get(f"/records/{quote(wanted, safe='')}/history"), "history"
        )
        try:
            return [
                StateRow(
                    int(one["index"]),
                    str(one["time"]),
                    str(one.get("by", "")),
                    one["state"],
                    tuple(one["reasons"]),
                )
                for one in found
            ]
        except (KeyError, TypeError, AttributeError):
            raise self._refused() from None

    def charge(self, population: DeclaredPopulation, cost: float, tier: str = "public") -> float:
        """Return what people would have been charged after a record; registered needs a token."""
        question = {"population": population.to_dict(), "cost": cost, "tier": tier}
        return float(self._connection.post("/charge", question)["charge"])

    # ---- vocabularies, holders, inventories, decisions

    def vocabularies(self) -> list[dict[str, Any]]:
        """Return the hash, name and version of each vocabulary, the oldest first."""
        return [dict(one) for one in self._all("/vocabularies", "vocabularies")]

    def vocabulary(self, wanted: str) -> Vocabulary:
        """Return a vocabulary by its hash, which is checked."""
        if wanted not in self._vocabularies:
            path = f"/vocabularies/{quote(wanted, safe='')}"
            found = Vocabulary.of(self._connection.get(path))
            if found.hash != wanted:
                raise StoreChanged(f"The vocabulary {wanted} was changed: its hash differs.")
            self._vocabularies[wanted] = found
        return self._vocabularies[wanted]

    def holders(self) -> list[RegisteredHolder]:
        """Return everybody who is or was registered."""
        try:
            return [
                RegisteredHolder(
                    id=str(one["id"]),
                    name=str(one["name"]),
                    public_key=str(one["public_key"]),
                    roles=tuple(one["roles"]),
                    contact=str(one.get("contact", "")),
                    active=bool(one["active"]),
                    index=int(one.get("index", 0)),
                )
                for one in self._all("/holders", "holders")
            ]
        except (KeyError, TypeError):
            raise self._refused() from None

    def inventories(self) -> list[StoredDocument]:
        """Return everything that is registered in the inventory."""
        return self._documents("/inventories", "inventories", "inventory")

    def decisions(self) -> list[StoredDocument]:
        """Return the decisions that the token opens."""
        return self._documents("/decisions", "decisions", "decision")

    def _documents(self, path: str, key: str, inner: str) -> list[StoredDocument]:
        try:
            return [
                StoredDocument(
                    str(one["id"]),
                    str(one["holder"]),
                    int(one.get("index", 0)),
                    str(one.get("time", "")),
                    dict(one[inner]),
                )
                for one in self._all(path, key)
            ]
        except (KeyError, TypeError):
            raise self._refused() from None

    def demand(self) -> list[dict[str, Any]]:
        """Return combinations that others asked the service for in vain, and how often."""
        return [dict(one) for one in self._list(self._connection.get("/demand"), "combinations")]

    # ---- the log

    def head(self) -> SignedHead:
        """Return the signed head, its signature checked."""
        try:
            head = SignedHead.model_validate(self._connection.get("/log/head"))
        except ValidationError:
            raise self._refused() from None
        if head.key != self.about.get("key"):  # it may have been rotated since
            del self.__dict__["about"]
        head.check(self.public_key)
        return head

    def consistency(self, first: int, second: int) -> list[bytes]:
        """Return the proof that one tree continues another."""
        found = self._connection.get("/log/consistency", first=first, second=second)
        return self._proof(found)

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """Return the proof that an entry is in a tree."""
        return self._proof(self._connection.get("/log/inclusion", index=index, size=size))

    def rotations(self, size: int) -> list[AnnouncedKey]:
        """Return the keys that the log announces, with proofs for the tree of a size."""
        found = self._list(self._connection.get("/log/keys", size=size), "keys")
        try:
            return [AnnouncedKey.from_dict(one) for one in found]
        except (KeyError, TypeError, ValueError):
            raise self._refused() from None

    def entries(self, start: int, end: int) -> Iterator[dict[str, Any]]:
        """Yield entries as the service shows them: leaf, submission, and whether it is withheld."""
        while start < end:
            limit = min(_PAGE, end - start)
            answer = self._connection.get("/log/entries", **{"from": start, "limit": limit})
            found = self._list(answer, "entries")
            if not found:
                raise StoreChanged(
                    f"The repository at {self.location} does not show entry {start}, though its "
                    f"log has {end}.",
                    start,
                )
            yield from found
            start += len(found)

    # ---- reading answers

    def _proof(self, answer: Any) -> list[bytes]:
        try:
            return [bytes.fromhex(one) for one in self._list(answer, "proof")]
        except (TypeError, ValueError):
            raise self._refused() from None

    def _list(self, answer: Any, key: str) -> list[Any]:
        found = answer.get(key) if isinstance(answer, dict) else None
        if not isinstance(found, list):
            raise self._refused()
        return found

    def _all(self, path: str, key: str) -> Iterator[Any]:
        """Yield the items of all pages."""
        after: Any = None
        while True:
            answer = self._connection.get(path, after=after, limit=_PAGE)
            yield from self._list(answer, key)
            following = answer.get("next")
            if following is None or following == after:
                return
            after = following

    def _stored(self, answer: Any) -> StoredRecord:
        try:
            record = None if answer["record"] is None else Record.of(answer["record"])
            stored = StoredRecord(
                id=str(answer["id"]),
                record=record,
                state=answer["state"],
                reasons=tuple(map(str, answer["reasons"])),
                index=int(answer["index"]),
                time=str(answer["time"]),
                holder=str(answer["holder"]),
                access=None if record is None else record.access,
            )
        except (KeyError, TypeError, InputError):
            raise self._refused() from None
        if record is not None and record.id != stored.id:
            raise StoreChanged(
                f"Entry {stored.index} was changed: the record {stored.id} has another hash.",
                stored.index,
            )
        return stored


def _qid_key(names: Sequence[CodedAttribute]) -> str:
    return content_hash({"quasi_identifier": [[one.attribute, one.coding] for one in names]})
