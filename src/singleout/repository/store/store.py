"""A store: append signed submissions, ask for records, prove and verify its log."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, Engine, select

from singleout.core.paths import expanded
from singleout.errors import BadChoice, BadSubmission, NotAllowed, StoreChanged, UnreadableFile
from singleout.repository.documents.bodies import HolderEntry, Role
from singleout.repository.documents.keys import HolderKey, key_id, read_public_key
from singleout.repository.documents.population import DeclaredPopulation, PopulationLike
from singleout.repository.documents.record import CodedAttribute
from singleout.repository.documents.submission import Submission
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.repository.gate.ledger import LedgerEntry
from singleout.repository.log.heads import RememberedHeads, SignedHead
from singleout.repository.log.merkle import consistency_proof, inclusion_proof
from singleout.repository.store import budget, reading, tables
from singleout.repository.store.appending import Appender, Asked, read_head
from singleout.repository.store.carry import carry
from singleout.repository.store.database import (
    Target,
    connect,
    target_of,
)
from singleout.repository.store.database import reading as reading_from
from singleout.repository.store.group_commit import GroupCommit
from singleout.repository.store.migrate import CURRENT, upgrade, version_of
from singleout.repository.store.opening import (
    Location,
    claim,
    first_entry,
    key_path,
    own_key,
    prepare,
    shown,
)
from singleout.repository.store.states import ANSWERING, RecordState
from singleout.repository.store.stored import (
    Receipt,
    RegisteredHolder,
    StateRow,
    StoredDocument,
    StoredEntry,
    StoredRecord,
    StoredToken,
)
from singleout.repository.store.transfer import Exported, begin_copy, export_log, extend
from singleout.repository.store.tree import StoredTree

__all__ = ["Store"]

P = ParamSpec("P")
AnswerT = TypeVar("AnswerT")


class Store:
    """A repository in an SQLite file or a PostgreSQL database. Use `create` and `open`."""

    def __init__(self, target: Target, engine: Engine, key: HolderKey | None) -> None:
        self.target = target
        self._engine = engine
        self._key = key
        with reading_from(engine) as connection:
            row = connection.execute(select(tables.repository)).mappings().first()
        if row is None:
            raise StoreChanged("The store was changed: it does not say which repository it is.")
        self.name: str = row["name"]
        self.personal: bool = row["personal"]
        self.key_id: str = row["key"]
        try:
            self.public_key: bytes = read_public_key(row["public_key"])
        except BadSubmission:
            raise StoreChanged("The public key of the repository was changed.") from None
        self._public_keys: dict[str, bytes] = {self.key_id: self.public_key}
        if key is not None and key.id != self.key_id:
            raise BadChoice(
                f"The key {key.id} is not that of the repository {self.name!r}, {self.key_id}."
            )

    # ---- made, opened, closed

    @classmethod
    def create(
        cls,
        target: Location,
        *,
        name: str,
        key_file: Location | None = None,
        personal: bool | None = None,
        owner: HolderKey | None = None,
    ) -> Store:
        """Make a new repository.

        Parameters
        ----------
        target
            The path of an SQLite file that is not there yet, or the URL of a PostgreSQL database.
        name
            What people call it.
        key_file
            Where the repository's own key is, or will be; beside an SQLite file by default.
        personal
            Whether anybody with the file may append, without roles, minima or a ledger; so by
            default for a file, not for a database.
        owner
            Whom to register from the start: in a repository that is not personal, as administrator.
        """
        where = target_of(target)
        personal = isinstance(where, Path) if personal is None else personal
        key = own_key(key_path(where, key_file), make=True)
        assert key is not None
        if isinstance(where, Path):
            claim(where)
        engine = connect(where)
        try:
            prepare(engine, where)
            first_entry(engine, key, name, personal=personal)
            if isinstance(where, Path):
                RememberedHeads().forget(str(where))
            store = cls(where, engine, key)
            if owner is not None:
                store.register(owner.public_bytes, name="owner", roles=("administrator",))
        except BaseException:
            engine.dispose()
            raise
        return store

    @classmethod
    def open(cls, target: Location, *, key_file: Location | None = None) -> Store:
        """Open a repository; without its key nothing can be appended."""
        where = target_of(target)
        if isinstance(where, Path) and not where.is_file():
            raise UnreadableFile(
                f"There is no repository at {str(where)!r}; make one with: "
                f"singleout repository init {where}"
            )
        engine = connect(where)
        try:
            with reading_from(engine) as connection:
                version = version_of(connection)
            if version is None:
                raise UnreadableFile(f"{shown(where)} holds no repository.")
            if version != CURRENT:
                upgrade(engine)
            return cls(where, engine, own_key(key_path(where, key_file), make=False))
        except BaseException:
            engine.dispose()
            raise

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def location(self) -> str:
        """Where it is, without a password."""
        return shown(self.target)

    # ---- appending

    @cached_property
    def _group(self) -> GroupCommit[Asked, Receipt]:
        return GroupCommit(Appender(self._engine, self._own_key, personal=self.personal).commit)

    def append(
        self,
        submission: Submission | dict[str, Any] | str | bytes,
        *,
        now: datetime | None = None,
        public_key: bytes | None = None,
    ) -> Receipt:
        """Append a submission; when this returns, it is on disk.

        Parameters
        ----------
        submission
            What to append, signed.
        now
            The time; that of the clock by default.
        public_key
            Whose key it is, where anybody may append: in a personal repository.

        Raises
        ------
        BadSubmission
            If it is malformed, forged, expired, was received before, or cannot be done.
        NotAllowed
            If this key may not do it.
        NotPublishable
            If the gate refuses the record.
        """
        given = Submission.of(submission)
        time = now or datetime.now(UTC)
        given.check(self.public_key_of(given.by, public_key), time)
        return self.append_checked(given, time)

    def append_checked(self, submission: Submission, now: datetime) -> Receipt:
        """Append a submission whose signature and time were checked."""
        _ = submission.document  # read it outside of the turn
        return self._group.do(Asked(submission, now))

    def has_received(self, submission: Submission) -> bool:
        """Return whether a submission is in the log."""
        table = tables.nonces
        wanted = select(table.c["index"]).where(
            table.c.by == submission.by, table.c.nonce == submission.nonce
        )
        with reading_from(self._engine) as connection:
            return connection.scalar(wanted) is not None

    def register(
        self,
        public_key: bytes,
        *,
        name: str,
        roles: Sequence[Role] = ("holder",),
        contact: str = "",
    ) -> Receipt:
        """Register somebody, signed by the repository's own key."""
        text = base64.urlsafe_b64encode(public_key).rstrip(b"=").decode()
        entry = HolderEntry(name=name, public_key=text, roles=tuple(roles), contact=contact)
        return self.append(Submission.sign(entry, self._own_key))

    @property
    def _own_key(self) -> HolderKey:
        if self._key is None:
            raise NotAllowed(
                f"The key of the repository {self.name!r} is not here, so nothing can be appended; "
                "give its file (key_file)."
            )
        return self._key

    def public_key_of(self, holder: str, given: bytes | None = None) -> bytes:
        """Return the public key of a holder; an id never gets another key, so it is kept."""
        known = self._public_keys.get(holder)
        if known is None:
            with reading_from(self._engine) as connection:
                found = reading.holders(connection, holder)
            if found:
                known = read_public_key(found[0].public_key)
            elif self.personal and given is not None and key_id(given) == holder:
                self.register(given, name=holder)
                known = given
            else:
                raise NotAllowed(f"{holder} is not registered here; ask the administrator.")
            self._public_keys[holder] = known
        return known

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
        return self._ask(reading.records_for, qid_key, population, states, vocabulary)

    def records_of_key(
        self, key: str, states: Sequence[RecordState] = ANSWERING
    ) -> list[StoredRecord]:
        """Return the records of one quasi-identifier, population and date."""
        return self._ask(reading.records_of_key, key, states)

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

    # ---- the log

    @property
    def size(self) -> int:
        """The number of entries."""
        return self.head().size

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

    @staticmethod
    def _checked_size(current: int, size: int | None) -> int:
        if size is not None and size > current:
            raise BadChoice(f"The log has {current} entries, not {size}; ask for a smaller size.")
        return current if size is None else size

    def verify(self, remembered: SignedHead | None = None) -> SignedHead:
        """Check everything, and that the log continues a head seen before; return the head.

        Raises
        ------
        StoreChanged
            If anything was changed, added or removed; it names the entry or the table.
        """
        from singleout.repository.store.verify import verify

        return verify(self._engine, remembered)

    def export(self, path: Location) -> SignedHead:
        """Write all entries with their proofs to a new file of JSON lines."""
        return export_log(self._engine, expanded(path))

    def import_(self, path: Location) -> int:
        """Take in an export; return how many entries were added.

        That of this very repository continues it, as it is. From another, everything that its
        holders signed is submitted here under the rules of this repository: a record that went
        through no gate is not taken into a public one.
        """
        exported = Exported(expanded(path))
        if exported.head.key == self.key_id:
            return self.extend(exported.entries(), exported.head)
        return carry(self, exported)

    def extend(self, entries: Iterable[StoredEntry], head: SignedHead) -> int:
        """Continue this log by entries of the same repository elsewhere, as they are.

        A mirror follows its repository by this. Entries that are here already are skipped.
        """
        head.check(self.public_key)
        return extend(self._engine, entries, head)

    @classmethod
    def copy(
        cls,
        target: Location,
        entries: Iterable[StoredEntry],
        head: SignedHead,
        *,
        key_file: Location | None = None,
    ) -> Store:
        """Make a new store of the entries of a repository elsewhere, and of its signed head.

        With the key of that repository, this is the repository itself, restored. Without, it is a
        mirror: it answers and verifies, and nothing can be appended to it.
        """
        where = target_of(target)
        if isinstance(where, Path):
            claim(where)
        engine = connect(where)
        try:
            prepare(engine, where)
            key = None if key_file is None else HolderKey.load(expanded(key_file))
            begin_copy(engine, head, mirror=key is None)
            extend(engine, entries, head)
            store = cls(where, engine, key)
            head.check(store.public_key)
        except BaseException:
            engine.dispose()
            if isinstance(where, Path):
                where.unlink(missing_ok=True)
            raise
        return store

    @classmethod
    def restore(
        cls, target: Location, path: Location, *, key_file: Location | None = None
    ) -> Store:
        """Make a new store from an export, as `copy` does."""
        exported = Exported(expanded(path))
        return cls.copy(target, exported.entries(), exported.head, key_file=key_file)

    def _ask(
        self,
        question: Callable[Concatenate[Connection, P], AnswerT],
        *given: P.args,
        **named: P.kwargs,
    ) -> AnswerT:
        with reading_from(self._engine) as connection:
            return question(connection, *given, **named)
