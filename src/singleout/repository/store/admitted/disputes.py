"""Disputes that arise by themselves, between records of one key, and end by themselves."""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlalchemy import Connection, select

from singleout.report.say import say
from singleout.repository.documents.record import Record
from singleout.repository.store.admitted.agreement import disagree
from singleout.repository.store.admitted.states import RecordState
from singleout.repository.store.kept import reading, tables
from singleout.repository.store.kept.entries import StateChange
from singleout.repository.store.kept.stored import StoredRecord

__all__ = ["arising", "settled"]


def arising(
    record: Record, others: Sequence[StoredRecord]
) -> tuple[RecordState, tuple[str, ...], list[StateChange]]:
    """Return the state of a new record among others of its key, why, and what becomes of them."""
    state: RecordState = "valid"
    reasons: tuple[str, ...] = ()
    changes = []
    for other in others:
        if other.record is None or not disagree(record, other.record):
            continue
        state = "disputed"
        reasons = (*reasons, say("repository.store.disagrees", record=other.id))
        if other.state == "valid":
            why = say("repository.store.disagrees", record=record.id)
            changes.append(StateChange(record=other.id, state="disputed", reasons=(why,)))
    return state, reasons, changes


def settled(
    connection: Connection, gone: StoredRecord, new: Record | None = None
) -> list[StateChange]:
    """Return which records are valid again when one leaves, and perhaps another takes its place.

    A record that somebody disputed stays disputed until a moderator resolves it.
    """
    if gone.record is None:
        return []
    rest = [one for one in reading.records_of_key(connection, gone.record.key) if one.id != gone.id]
    standing = [one.record for one in rest if one.record is not None]
    if new is not None:
        standing.append(new)
    why = say("repository.store.settled", record=gone.id)
    return [
        StateChange(record=one.id, state="valid", reasons=(why,))
        for one in rest
        if one.state == "disputed"
        and one.record is not None
        and not any(disagree(one.record, other) for other in standing)
        and _arose_by_itself(connection, one.id)
    ]


def _arose_by_itself(connection: Connection, record: str) -> bool:
    """Return whether the last state of a record came from another record, not from a dispute."""
    states, entries = tables.states, tables.entries
    leaf = connection.scalar(
        select(entries.c.leaf)
        .join(states, states.c["index"] == entries.c["index"])
        .where(states.c.record == record)
        .order_by(states.c["index"].desc())
        .limit(1)
    )
    return leaf is not None and "record" in json.loads(leaf)
