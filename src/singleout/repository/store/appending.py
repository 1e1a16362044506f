"""Append submissions: decide, write the entry and what follows from it, sign the new head."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property, partial
from typing import Any

from sqlalchemy import Connection, Engine, bindparam, insert, select, update

from singleout.errors import BadChoice, NotAllowed, SingleoutError, StoreChanged
from singleout.repository.documents.keys import HolderKey, SignedStatement, are_signed
from singleout.repository.documents.record import Record
from singleout.repository.documents.submission import Submission, time_text
from singleout.repository.log.heads import SignedHead
from singleout.repository.log.merkle import Frontier, Node, inclusion_proofs, leaf_hash
from singleout.repository.store.admitted.admission import Admission
from singleout.repository.store.admitted.decide import decide
from singleout.repository.store.admitted.foreseen_siblings import ForeseenSiblings
from singleout.repository.store.admitted.foresight import foresee
from singleout.repository.store.admitted.runs import Run
from singleout.repository.store.derived.derive import Derivation
from singleout.repository.store.derived.tree import StoredTree
from singleout.repository.store.kept import reading, tables
from singleout.repository.store.kept.database import writing
from singleout.repository.store.kept.entries import EntryLeaf, EntryOutcome, hash_of, read_outcome
from singleout.repository.store.kept.group_commit import Job
from singleout.repository.store.kept.statements import Prepared
from singleout.repository.store.kept.stored import Receipt, StoredEntry

__all__ = ["Appender", "Asked", "Growth", "Unread", "append_rotation", "read_head", "read_size"]

Unread = Submission | Mapping[str, Any] | str | bytes

_MOST_NODES = 5_000

_head = tables.head
_HEAD = Prepared(select(_head.c.size, _head.c.root, _head.c.time, _head.c.key, _head.c.signature))
_SIZE = Prepared(select(_head.c.size))
_INSERT = Prepared(insert(tables.entries))
_NEW_HEAD = Prepared(
    update(_head)
    .where(_head.c.only == 1)
    .values(
        {name: bindparam(f"new_{name}") for name in ("size", "root", "time", "key", "signature")}
    )
)


def read_size(connection: Connection) -> int:
    """Return the number of entries."""
    size = _SIZE.scalar(connection)
    if size is None:
        raise StoreChanged("The signed tree head is missing (table head).")
    return int(size)


def read_head(connection: Connection) -> SignedHead:
    """Return the head of the tree."""
    row = _HEAD.first(connection)
    if row is None:
        raise StoreChanged("The signed tree head is missing (table head).")
    size, root, time, key, signature = row
    return SignedHead(size=size, root=root, time=time, key=key, signature=signature)


@dataclass(frozen=True)
class Asked:
    """Something to append.

    Parameters
    ----------
    given
        What was submitted.
    now
        When it came.
    key_of
        Returns the public key of who submits; None if the signature and the time were checked.
    """

    given: Unread
    now: datetime
    key_of: Callable[[str], bytes] | None = None

    @cached_property
    def submission(self) -> Submission:
        """What was submitted."""
        made = Submission.of(self.given)
        if self.key_of is not None:
            self.statements.append(made.statement(self.key_of(made.by)))
        return made

    @cached_property
    def statements(self) -> list[SignedStatement]:
        """What its signature says, once it was read: one, or none if it was checked before."""
        return []

    def check(self, signed: Iterator[bool]) -> None:
        """Check the signature, of which it is known whether it holds, the time, and the body."""
        for _, _, public_key in self.statements:
            self.submission.check_signed(next(signed), public_key, self.now)
        _ = self.submission.document


@dataclass(frozen=True)
class _Appended:
    """An entry before its tree has a head."""

    index: int
    id: str
    outcome: EntryOutcome
    leaf: bytes


class Growth:
    """A tree within one transaction: entries are appended, then it gets its head.

    Parameters
    ----------
    connection
        The connection of the one who writes.
    size
        The number of entries before.
    edge
        The right edge of the tree, if it is at hand.
    """

    def __init__(
        self, connection: Connection, size: int, edge: Sequence[bytes] | None = None
    ) -> None:
        self._connection = connection
        self.tree = StoredTree(connection)
        self.frontier = self.tree.frontier(size) if edge is None else Frontier(size, edge)
        if edge is not None:
            self.tree.remember_edge(self.frontier)
        self._derivation = Derivation(connection)
        self.pending = self._derivation.pending
        self._completed: list[tuple[Node, bytes]] = []

    @property
    def size(self) -> int:
        """The number of entries."""
        return self.frontier.size

    def append(self, submission: Submission, outcome: EntryOutcome, time: str) -> bytes:
        """Append an entry and what follows from it; return its leaf."""
        text, came_of_it = submission.text, outcome.to_bytes()
        leaf = EntryLeaf(
            index=self.size,
            time=time,
            by=submission.by,
            nonce=submission.nonce,
            submission=hash_of(text),
            state=outcome.state,
            record=outcome.record,
            outcome=hash_of(came_of_it),
        )
        data = leaf.to_bytes()
        self.insert(leaf, data, came_of_it, text)
        document = submission.document
        read = document if isinstance(document, Record) else None
        self._derivation.apply(leaf, outcome, submission.body, read)
        return data

    def insert(
        self, leaf: EntryLeaf, data: bytes, outcome: bytes | None, submission: bytes | None
    ) -> None:
        """Write an entry, and let the tree grow by it."""
        hashed = leaf_hash(data)
        row = {
            "index": leaf.index,
            "leaf_hash": hashed,
            "leaf": data,
            "outcome": outcome,
            "submission": submission,
        }
        self.pending.add(_INSERT, row)
        completed = self.frontier.append(hashed)
        self.tree.remember(completed)
        self._completed += completed

    def copy(self, leaf: EntryLeaf, entry: StoredEntry) -> None:
        """Append an entry of the same log elsewhere, as it is."""
        self.insert(leaf, entry.leaf, entry.outcome, entry.submission)
        outcome = None if entry.outcome is None else read_outcome(leaf.index, entry.outcome)
        body = None if entry.submission is None else json.loads(entry.submission)["body"]
        self._derivation.apply(leaf, outcome, body)
        if len(self._completed) >= _MOST_NODES:
            self._store_nodes()

    def close(self, key: HolderKey, time: str) -> SignedHead:
        """Write what is left, and sign the head."""
        head = SignedHead.sign(self.size, self.frontier.root(), time, key)
        self.finish(head)
        return head

    def finish(self, head: SignedHead) -> None:
        """Write what is left, and the head."""
        self.pending.flush()
        self._store_nodes()
        fields = ("size", "root", "time", "key", "signature")
        _NEW_HEAD.run(self._connection, **{f"new_{name}": getattr(head, name) for name in fields})

    def _store_nodes(self) -> None:
        self.tree.store(self._completed)
        self._completed = []


def check_key(head: SignedHead, key: HolderKey) -> None:
    """Refuse to sign by a key that is no longer that of the repository."""
    if head.key not in (key.id, ""):
        raise NotAllowed(
            f"The key of the repository was rotated: it is {head.key} now, and {key.id} signs "
            "nothing any more; open the repository again with the new key."
        )


def append_rotation(
    engine: Engine, submission: Submission, old: HolderKey, new: HolderKey
) -> SignedHead:
    """Append the announcement of a new key, which signs the head from then on."""
    with writing(engine) as connection:
        before = read_head(connection)
        check_key(before, old)
        if reading.holders(connection, new.id):
            raise BadChoice(f"The key {new.id} was used here before; make a new one.")
        growth = Growth(connection, before.size)
        time = max(before.time, time_text(datetime.now(UTC)))
        growth.append(submission, EntryOutcome(), time)
        return growth.close(new, time)


class Appender:
    """Append groups of submissions, each in one transaction.

    Parameters
    ----------
    engine
        The database.
    key
        The key of the repository.
    personal
        Whether it is a personal one.
    """

    def __init__(self, engine: Engine, key: HolderKey, *, personal: bool) -> None:
        self._engine = engine
        self._key = key
        self._personal = personal
        self._edge: tuple[str, list[bytes]] | None = None  # of the last root seen

    def commit(self, jobs: Sequence[Job[Asked, Receipt]]) -> list[Receipt]:
        """Append all that is not refused; return the receipts once they are on disk."""
        with _without_collections():
            readable = _readable(jobs)
            return self._committed(readable) if readable else []

    def _committed(self, readable: Sequence[Job[Asked, Receipt]]) -> list[Receipt]:
        with writing(self._engine) as connection:
            before = read_head(connection)
            check_key(before, self._key)
            known = self._edge is not None and self._edge[0] == before.root
            edge = self._edge[1] if self._edge is not None and known else None
            growth = Growth(connection, before.size, edge)
            time, time_of = before.time, cache(time_text)
            appended = []
            for run in _runs(readable):
                together = [job.asked.submission for job in run]
                siblings = self._foreseen(connection, growth, together) if run[1:] else None
                admission = cache(partial(self._admission, connection))  # a run changes no holder
                for job in run:
                    time = max(time, time_of(job.asked.now))
                    try:
                        submission = job.asked.submission
                        outcome, subject = decide(admission(submission.by), submission)
                    except SingleoutError as error:
                        job.error = error
                        continue
                    index = growth.size
                    leaf = growth.append(job.asked.submission, outcome, time)
                    appended.append(_Appended(index, subject, outcome, leaf))
                    if siblings is not None:
                        siblings.appended(index, job.asked.submission, outcome)
                growth.pending.forget()
            if not appended:
                return []
            head = growth.close(self._key, time)
            indexes = [one.index for one in appended]
            proofs = inclusion_proofs(growth.tree.read, indexes, head.size)
            receipts = [_receipt(*each, head) for each in zip(appended, proofs, strict=True)]
        self._edge = head.root, list(growth.frontier.hashes)
        return receipts

    def _foreseen(
        self, connection: Connection, growth: Growth, together: Sequence[Submission]
    ) -> ForeseenSiblings:
        return foresee(connection, growth.pending, together, has_ledger=not self._personal)

    def _admission(self, connection: Connection, by: str) -> Admission:
        known = reading.holders(connection, by)
        if not known or not known[0].active:
            raise NotAllowed(f"{by} is not registered here; ask the administrator.")
        return Admission(connection, known[0], self._personal)


@contextmanager
def _without_collections() -> Iterator[None]:
    """Let Python look for cycles afterwards: there are none in what a commit makes and drops."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _readable(jobs: Sequence[Job[Asked, Receipt]]) -> list[Job[Asked, Receipt]]:
    """Read and check what was submitted, before the turn to write; note why any is refused."""
    read = [job for job in jobs if _is_done(job, lambda asked: asked.submission)]
    signed = iter(are_signed([one for job in read for one in job.asked.statements]))
    return [job for job in read if _is_done(job, lambda asked: asked.check(signed))]


def _is_done(job: Job[Asked, Receipt], step: Callable[[Asked], Any]) -> bool:
    try:
        step(job.asked)
    except SingleoutError as error:
        job.error = error
        return False
    return True


def _runs(jobs: Sequence[Job[Asked, Receipt]]) -> Iterator[list[Job[Asked, Receipt]]]:
    """Yield jobs in their order, those together that are independent of each other."""
    run, some = Run(jobs[0].asked.submission), [jobs[0]]
    for job in jobs[1:]:
        if run.takes(job.asked.submission):
            some.append(job)
        else:
            yield some
            run, some = Run(job.asked.submission), [job]
    yield some


def _receipt(appended: _Appended, proof: Sequence[bytes], head: SignedHead) -> Receipt:
    outcome = appended.outcome
    return Receipt(
        index=appended.index,
        id=appended.id,
        state=outcome.state,
        reasons=outcome.reasons,
        leaf=appended.leaf,
        head=head,
        proof=tuple(proof),
    )
