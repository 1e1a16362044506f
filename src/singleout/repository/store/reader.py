"""Ask a store: its records, what else is registered, and its log."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, Engine, select

from singleout.errors import BadChoice
from singleout.repository.documents.population import DeclaredPopulation, PopulationLike
from singleout.repository.documents.record import CodedAttribute
from singleout.repository.documents.submission import Submission
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.repository.gate.ledger import LedgerEntry
from singleout.repository.log.heads import SignedHead
from singleout.repository.log.merkle import consistency_proof, inclusion_proof
from singleout.repository.log.rotation import AnnouncedKey
from singleout.repository.store.admitted import budget
from singleout.repository.store.admitted.states import ANSWERING, RecordState
from singleout.repository.store.appending import read_head, read_size
from singleout.repository.store.derived.tree import StoredTree
from singleout.repository.store.kept import reading, tables
from singleout.repository.store.kept.database import reading as reading_from
from singleout.repository.store.kept.demand import Combination, read_demand, shown_demand
from singleout.repository.store.kept.quick_reading import QuickReading
from singleout.repository.store.kept.stored import (
    RegisteredHolder,
    StateRow,
    StoredDocument,
    StoredEntry,
    StoredRecord,
    StoredToken,
)

__all__ = ["StoreReader"]

P = ParamSpec("P")
AnswerT = TypeVar("AnswerT")


class StoreReader:
    """What can be asked of a store; nothing here changes it."""

    _engine: Engine
    _reading: QuickReading

    # ---- records

    def record(self, wanted: str) -> StoredRecord:
        """Return a record by its id; its contents are None if it was withdrawn."""
        found = self._ask(reading.find_record, wanted)
        if found is None:
            raise BadChoice(f"There is no record {wanted} here; check its id.")
        return found

    def records_for(
        self,
        qid_key: str,
        containing: PopulationLike = None,
        states: Sequence[RecordState] = ANSWERING,
        vocabulary: Vocabulary | None = None,
    ) -> list[StoredRecord]:
        """Return the records of a quasi-identifier whose population contains another.

        The narrowest populations come first. With a vocabulary, what the values of the population
        determine counts too: PC4=1056 is within City=Amsterdam.
        """
        population = DeclaredPopulation.of(containing)
        with self._reading() as connection:
            return reading.records_for(connection, qid_key, population, states, vocabulary)

    def few_records_for(
        self, qid_key: str, containing: DeclaredPopulation, most: int
    ) -> list[StoredRecord] | None:
        """Return what `records_for` does; None if more than so many rows would have to be read."""
        with self._reading() as connection:
            return reading.few_records_for(connection, qid_key, containing, most)

    def records_of_key(
        self, key: str, states: Sequence[RecordState] = ANSWERING
    ) -> list[StoredRecord]:
        """Return the records of one quasi-identifier, population and date."""
        return self._ask(reading.records_of_key, key, states)

    def records_of_qid(self, qid_key: str, most: int = 1_000) -> list[StoredRecord]:
        """Return records of a quasi-identifier that queries find, of whatever people."""
        return self._ask(reading.records_of_qid, qid_key, most)

    def quasi_identifiers(self) -> list[tuple[tuple[CodedAttribute, ...], int]]:
        """Return each quasi-identifier that queries find records of, and how many."""
        return self._ask(reading.quasi_identifiers)

    def history(self, record: str) -> list[StateRow]:
        """Return the states of a record, the first one first."""
        return self._ask(reading.history, record)

    def charge(
        self, population: PopulationLike, cost: float = 0.0, tier: str | None = None
    ) -> float:
        """Return what a person of a population bears at most, a new record of this cost included.

        ``tier`` counts what its readers see; all records by default.
        """
        return self._ask(budget.charged, DeclaredPopulation.of(population), cost, tier)

    def ledger(self, population: PopulationLike) -> list[LedgerEntry[DeclaredPopulation]]:
        """Return what `publishable` asks: who else has records of these people, and their cost."""
        return self._ask(budget.ledger, DeclaredPopulation.of(population))

    # ---- everything else that is registered

    def vocabularies(self) -> list[dict[str, Any]]:
        """Return the hash, name, version and entry of each vocabulary, the oldest first."""
        table = tables.vocabularies
        with reading_from(self._engine) as connection:
            rows = connection.execute(select(table).order_by(table.c["index"]))
            return [dict(row) for row in rows.mappings()]

    def vocabulary(self, wanted: str) -> Vocabulary:
        """Return a vocabulary by its hash."""
        found = self._ask(reading.find_vocabulary, wanted)
        if found is None:
            raise BadChoice(f"There is no vocabulary {wanted} here; check its hash.")
        return found

    def holders(self) -> list[RegisteredHolder]:
        """Return everybody who is or was registered."""
        return self._ask(reading.holders)

    def holder(self, wanted: str) -> RegisteredHolder:
        """Return one of them."""
        found = self._ask(reading.holders, wanted)
        if not found:
            raise BadChoice(f"{wanted} is not registered here; check the id.")
        return found[0]

    def token(self, hashed: str) -> StoredToken | None:
        """Return what a token opens, by the SHA-256 of the token in hexadecimal."""
        return self._ask(reading.find_token, hashed)

    def inventories(self, wanted: str | None = None) -> list[StoredDocument]:
        """Return the inventories, or the one of an id."""
        return self._ask(reading.documents, tables.inventories, wanted)

    def decisions(self, wanted: str | None = None) -> list[StoredDocument]:
        """Return the decisions, or the one of an id."""
        return self._ask(reading.documents, tables.decisions, wanted)

    def demand(self) -> list[dict[str, Any]]:
        """Return combinations of attributes that were often asked for in vain, over HTTP."""
        return shown_demand(self.demand_counts())

    def demand_counts(self) -> Counter[Combination]:
        """Return how often each combination was asked for in vain."""
        with reading_from(self._engine) as connection:
            return read_demand(connection)

    # ---- the log

    def has_received(self, submission: Submission) -> bool:
        """Return whether a submission is in the log."""
        table = tables.nonces
        wanted = select(table.c["index"]).where(
            table.c.by == submission.by, table.c.nonce == submission.nonce
        )
        with reading_from(self._engine) as connection:
            return connection.scalar(wanted) is not None

    @property
    def size(self) -> int:
        """The number of entries."""
        with self._reading(statements=1) as connection:
            return read_size(connection)

    def head(self) -> SignedHead:
        """Return the signed head of the tree."""
        return self._ask(read_head)

    def entries(self, start: int = 0, end: int | None = None) -> Iterator[StoredEntry]:
        """Yield entries in their order, all by default; the store is read meanwhile."""
        with reading_from(self._engine) as connection:
            last = read_head(connection).size if end is None else end
            yield from reading.entries(connection, start, last)

    def inclusion(self, index: int, size: int | None = None) -> list[bytes]:
        """Return the proof that an entry is in the tree of a size, the current one by default."""
        with reading_from(self._engine) as connection:
            whole = self._checked_size(read_head(connection).size, size)
            return inclusion_proof(StoredTree(connection).read, index, whole)

    def consistency(self, first: int, second: int | None = None) -> list[bytes]:
        """Return the proof that the tree of one size continues that of another."""
        with reading_from(self._engine) as connection:
            whole = self._checked_size(read_head(connection).size, second)
            return consistency_proof(StoredTree(connection).read, first, whole)

    def rotations(self, size: int | None = None) -> list[AnnouncedKey]:
        """Return the keys that the log announces, with their proofs for the tree of a size."""
        with reading_from(self._engine) as connection:
            whole = self._checked_size(read_head(connection).size, size)
            tree = StoredTree(connection)
            return [
                AnnouncedKey(
                    entry.index,
                    entry.leaf,
                    entry.submission or b"{}",
                    tuple(inclusion_proof(tree.read, entry.index, whole)),
                )
                for entry in reading.rotations(connection)
                if entry.index < whole
            ]

    @staticmethod
    def _checked_size(current: int, size: int | None) -> int:
        if size is not None and size > current:
            raise BadChoice(f"The log has {current} entries, not {size}; ask for a smaller size.")
        return current if size is None else size

    def _ask(
        self,
        question: Callable[Concatenate[Connection, P], AnswerT],
        *given: P.args,
        **named: P.kwargs,
    ) -> AnswerT:
        with reading_from(self._engine) as connection:
            return question(connection, *given, **named)
