"""Compute the derived tables from the entries, one after the other.

The outcome of each entry was decided when it was appended and stands in its leaf, so that deriving
needs no judgement: the same entries give the same tables, whatever the rules are by then.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import BindParameter, Connection, Table, bindparam, delete, insert, select, update

from singleout.repository.documents.canonical import content_hash
from singleout.repository.documents.keys import key_id, read_public_key
from singleout.repository.documents.record import Record
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.repository.store.admitted.states import ANSWERING
from singleout.repository.store.derived.ledger_tables import LedgerTables
from singleout.repository.store.kept import tables
from singleout.repository.store.kept.entries import EntryLeaf, EntryOutcome, StateChange
from singleout.repository.store.kept.lookup import address_of
from singleout.repository.store.kept.pending import PendingRows
from singleout.repository.store.kept.statements import Prepared

__all__ = ["Derivation", "plain_list"]

Body = Callable[[int], Mapping[str, Any] | None]

_EMPTIED = dict.fromkeys(
    ("key", "qid_key", "population", "shape", "equal", "low", "high", "access"), None
)


def _read(body: Mapping[str, Any] | None) -> Record | None:
    return None if body is None else Record.model_validate(body)


def plain_list(items: Any) -> str:
    """Return a list of texts as the text of a cell."""
    every = list(items)
    return json.dumps(every, ensure_ascii=False, separators=(",", ":")) if every else "[]"


class Derivation:
    """Write into the derived tables what entries say.

    Parameters
    ----------
    connection
        A connection within a transaction.
    body
        A function of an index that returns what was submitted; read from the same database by
        default.
    """

    def __init__(self, connection: Connection, body: Body | None = None) -> None:
        self._connection = connection
        self._body = body or self._own_body
        self._ledger = LedgerTables(connection)
        self.pending = PendingRows.of(connection)
        self.pending.before_flush(self._count_records)
        self._counted: dict[str, tuple[int, Record]] = {}

    def apply(
        self,
        leaf: EntryLeaf,
        outcome: EntryOutcome | None,
        body: Mapping[str, Any] | None,
        record: Record | None = None,
    ) -> None:
        """Derive what follows from an entry.

        ``body`` is None if it was emptied since, and ``outcome`` in a mirror that may not know it.
        ``record`` is the body, if it was read already.
        """
        self._add(tables.nonces, by=leaf.by, nonce=leaf.nonce, index=leaf.index)
        if outcome is None:
            return
        if outcome.record is not None:
            self._record(leaf, outcome, record or _read(body))
        elif body is not None:
            _BODIES.get(str(body["kind"]), _nothing)(self, leaf, body)
        for change in outcome.changes:
            self._change(leaf.index, change)

    def _add(self, table: Table, **row: Any) -> None:
        self.pending.add(_INSERTS[table], row)

    def _run(self, statement: Prepared, **values: Any) -> None:
        statement.run(self._connection, **values)

    # ---- records

    def _record(self, leaf: EntryLeaf, outcome: EntryOutcome, record: Record | None) -> None:
        reasons = plain_list(outcome.reasons)
        row = {
            "index": leaf.index,
            "id": outcome.record,
            "state": outcome.state,
            "reasons": reasons,
            "holder": leaf.by,
        }
        if record is None:
            self._add(tables.records, **row, **_EMPTIED)
        else:
            address = address_of(record.population)
            self._add(
                tables.records,
                **row,
                key=record.key,
                qid_key=record.qid_key,
                population=record.population.key,
                shape=address.shape,
                equal=address.equal,
                low=address.low,
                high=address.high,
                access=record.access,
            )
            if outcome.state in ANSWERING:
                self._answers(record)
        self._add(
            tables.states,
            record=outcome.record,
            index=leaf.index,
            state=outcome.state,
            reasons=reasons,
        )
        if outcome.charge is not None:
            self._ledger.charge(
                leaf.index, outcome.charge, None if record is None else record.population
            )

    def _answers(self, record: Record) -> None:
        """Count a record that queries find."""
        count, _ = self._counted.get(record.qid_key, (0, record))
        self._counted[record.qid_key] = count + 1, record

    def _count_records(self) -> None:
        """Write how many more records queries find."""
        counted, self._counted = self._counted, {}
        for qid_key, (count, record) in counted.items():
            if not _MORE.run(self._connection, wanted=qid_key, more=count):
                attributes = [[one.attribute, one.coding] for one in record.quasi_identifier]
                self._add(
                    tables.quasi_identifiers,
                    qid_key=qid_key,
                    attributes=json.dumps(attributes, ensure_ascii=False),
                    count=count,
                )

    def _change(self, index: int, change: StateChange) -> None:
        old = _STATE.first(self._connection, wanted=change.record)
        if old is None:  # a mirror may not know it
            return
        place, state, qid_key = old
        was, now = state in ANSWERING, change.state in ANSWERING
        if was and not now and qid_key is not None:
            _ONE_LESS.run(self._connection, wanted=qid_key)
            _NONE_LEFT.run(self._connection, wanted=qid_key)
        elif now and not was:
            body = self._body(place)
            if body is not None:
                self._answers(Record.model_validate(body))
        reasons = plain_list(change.reasons)
        self._add(
            tables.states, record=change.record, index=index, state=change.state, reasons=reasons
        )
        if change.state == "withdrawn":
            self._run(_EMPTY_RECORD, wanted=change.record, why=reasons)
            self._run(_EMPTY_SUBMISSION, wanted=place)
        else:
            self._run(_NEW_STATE, wanted=change.record, new=change.state, why=reasons)

    def _own_body(self, index: int) -> Mapping[str, Any] | None:
        stored = self._connection.scalar(
            select(tables.entries.c.submission).where(tables.entries.c.index == index)
        )
        if stored is None:
            return None
        body: Mapping[str, Any] = json.loads(stored)["body"]
        return body

    # ---- everything else

    def repository(self, leaf: EntryLeaf, body: Mapping[str, Any]) -> None:
        """Keep what entry 0 says of the repository itself."""
        self._add(
            tables.repository,
            only=1,
            name=body["name"],
            personal=body["personal"],
            key=leaf.by,
            public_key=body["public_key"],
        )
        own = {"public_key": body["public_key"], "name": body["name"], "roles": ["administrator"]}
        self.holder(leaf, own)

    def holder(self, leaf: EntryLeaf, body: Mapping[str, Any]) -> None:
        """Register a holder, or change what is registered of one."""
        holder = key_id(read_public_key(body["public_key"]))
        self._run(_FORGET_HOLDER, wanted=holder)
        self._add(
            tables.holders,
            id=holder,
            name=body["name"],
            public_key=body["public_key"],
            roles=plain_list(body["roles"]),
            contact=body.get("contact", ""),
            active=True,
            index=leaf.index,
        )

    def key_rotation(self, leaf: EntryLeaf, body: Mapping[str, Any]) -> None:
        """Let another key be that of the repository: an administrator, as the old one was."""
        new = {"key": key_id(read_public_key(body["public_key"])), "public_key": body["public_key"]}
        self._add(tables.rotations, index=leaf.index, previous=body["previous"], **new)
        self._run(_NEW_KEY, new_key=new["key"], new_public_key=new["public_key"])
        name = self._connection.scalar(select(tables.repository.c.name))
        self.holder(leaf, {**body, "name": name, "roles": ["administrator"]})
        self._run(_REMOVE_HOLDER, wanted=leaf.by, at=leaf.index)

    def holder_removal(self, leaf: EntryLeaf, body: Mapping[str, Any]) -> None:
        """Let a holder submit nothing any more; what was submitted stays verifiable."""
        self._run(_REMOVE_HOLDER, wanted=body["holder"], at=leaf.index)

    def token(self, leaf: EntryLeaf, body: Mapping[str, Any]) -> None:
        """Keep the hash of a token."""
        self._add(
            tables.tokens,
            hash=body["token_hash"],
            name=body["name"],
            roles=plain_list(body["roles"]),
            holder=body.get("holder"),
            expires=body.get("expires"),
            active=True,
            index=leaf.index,
        )

    def token_removal(self, leaf: EntryLeaf, body: Mapping[str, Any]) -> None:
        """Let a token open nothing any more."""
        self._run(_REMOVE_TOKEN, wanted=body["token_hash"], at=leaf.index)

    def vocabulary(self, leaf: EntryLeaf, body: Mapping[str, Any]) -> None:
        """Register a vocabulary."""
        vocabulary = Vocabulary.model_validate(body["vocabulary"])
        self._add(
            tables.vocabularies,
            hash=vocabulary.hash,
            name=vocabulary.name,
            version=vocabulary.version,
            index=leaf.index,
        )

    def inventory(self, leaf: EntryLeaf, body: Mapping[str, Any]) -> None:
        """Register an inventory; a newer version takes the place of the one it supersedes."""
        if body.get("supersedes"):
            self._run(_FORGET_INVENTORY, wanted=body["supersedes"])
        self._add(tables.inventories, id=content_hash(body), holder=leaf.by, index=leaf.index)

    def decision(self, leaf: EntryLeaf, body: Mapping[str, Any]) -> None:
        """Keep a decision."""
        self._add(tables.decisions, id=content_hash(body), holder=leaf.by, index=leaf.index)


def _nothing(derivation: Derivation, leaf: EntryLeaf, body: Mapping[str, Any]) -> None:
    """Disputes, withdrawals, resolutions and rulings change states only."""


_BODIES: dict[str, Callable[[Derivation, EntryLeaf, Mapping[str, Any]], None]] = {
    "repository/1": Derivation.repository,
    "holder/1": Derivation.holder,
    "key-rotation/1": Derivation.key_rotation,
    "holder-removal/1": Derivation.holder_removal,
    "token/1": Derivation.token,
    "token-removal/1": Derivation.token_removal,
    "vocabulary/1": Derivation.vocabulary,
    "inventory/1": Derivation.inventory,
    "decision/1": Derivation.decision,
}


# ---- statements, written once so that they are compiled once

_WANTED: BindParameter[Any] = bindparam("wanted")
_AT: BindParameter[Any] = bindparam("at")
_qids, _records, _holders, _tokens = (
    tables.quasi_identifiers,
    tables.records,
    tables.holders,
    tables.tokens,
)
_COUNT = _qids.c["count"]
_MORE = Prepared(
    update(_qids).where(_qids.c.qid_key == _WANTED).values({_COUNT: _COUNT + bindparam("more")})
)
_ONE_LESS = Prepared(update(_qids).where(_qids.c.qid_key == _WANTED).values({_COUNT: _COUNT - 1}))
_NONE_LEFT = Prepared(delete(_qids).where(_qids.c.qid_key == _WANTED, _COUNT == 0))
_STATE = Prepared(
    select(_records.c["index"], _records.c.state, _records.c.qid_key).where(
        _records.c.id == _WANTED
    )
)
_WHY: BindParameter[Any] = bindparam("why")
_NEW_STATE = Prepared(
    update(_records).where(_records.c.id == _WANTED).values(state=bindparam("new"), reasons=_WHY)
)
_EMPTY_RECORD = Prepared(
    update(_records)
    .where(_records.c.id == _WANTED)
    .values(state="withdrawn", reasons=_WHY, **_EMPTIED)
)
_EMPTY_SUBMISSION = Prepared(
    update(tables.entries).where(tables.entries.c["index"] == _WANTED).values(submission=None)
)
_NEW_KEY = Prepared(
    update(tables.repository).values(
        key=bindparam("new_key"), public_key=bindparam("new_public_key")
    )
)
_FORGET_HOLDER = Prepared(delete(_holders).where(_holders.c.id == _WANTED))
_REMOVE_HOLDER = Prepared(
    update(_holders)
    .where(_holders.c.id == _WANTED)
    .values({_holders.c.active: False, _holders.c["index"]: _AT})
)
_REMOVE_TOKEN = Prepared(
    update(_tokens)
    .where(_tokens.c.hash == _WANTED)
    .values({_tokens.c.active: False, _tokens.c["index"]: _AT})
)
_FORGET_INVENTORY = Prepared(delete(tables.inventories).where(tables.inventories.c.id == _WANTED))
_INSERTS = {table: Prepared(insert(table)) for table in tables.DERIVED}
