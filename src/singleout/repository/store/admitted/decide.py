"""Decide what comes of a submission: who may submit it, and which states records get.

Deciding only reads. What is refused raises, and leaves no trace in the log; what is implausible is
stored, set apart, with the reasons.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, bindparam, select

from singleout.errors import BadSubmission, NotAllowed
from singleout.repository.documents.bodies import (
    DecisionEntry,
    Dispute,
    HolderEntry,
    HolderRemoval,
    InventoryEntry,
    KeyRotation,
    RepositoryEntry,
    Resolution,
    Ruling,
    TokenEntry,
    TokenRemoval,
    VocabularyEntry,
    Withdrawal,
)
from singleout.repository.documents.canonical import content_hash
from singleout.repository.documents.record import Record
from singleout.repository.documents.submission import Submission
from singleout.repository.store.admitted.admission import Admission
from singleout.repository.store.admitted.disputes import settled
from singleout.repository.store.admitted.new_records import decide_on_record, has_vocabulary
from singleout.repository.store.admitted.states import ANSWERING, RecordState, check_transition
from singleout.repository.store.kept import reading, tables
from singleout.repository.store.kept.entries import EntryOutcome, StateChange
from singleout.repository.store.kept.statements import Prepared
from singleout.repository.store.kept.stored import StoredRecord

__all__ = ["RECEIVED", "decide"]


def decide(admission: Admission, submission: Submission) -> tuple[EntryOutcome, str]:
    """Return what comes of a submission, and the id of what it is about.

    Raises
    ------
    BadSubmission
        If it was received before, or cannot be done.
    NotAllowed
        If this key may not do it.
    NotPublishable
        If the gate refuses the record.
    """
    _check_nonce(admission.connection, submission)
    body = submission.document
    return _RULES[type(body)](admission, submission, body)


RECEIVED = Prepared(
    select(tables.nonces.c["index"]).where(
        tables.nonces.c.by == bindparam("by"), tables.nonces.c.nonce == bindparam("nonce")
    )
)


def _check_nonce(connection: Connection, submission: Submission) -> None:
    before = RECEIVED.scalar(connection, by=submission.by, nonce=submission.nonce)
    if before is not None:
        raise BadSubmission(f"This submission was received before, as entry {before}; sign anew.")


# ---- statements about records


def _on_dispute(
    admission: Admission, submission: Submission, body: Dispute
) -> tuple[EntryOutcome, str]:
    admission.needs("holder", "dispute records")
    record = admission.record(body.record)
    return _changed(admission, submission, record, "disputed", body.reason)


def _on_withdrawal(
    admission: Admission, submission: Submission, body: Withdrawal
) -> tuple[EntryOutcome, str]:
    record = admission.record(body.record)
    if record.holder != submission.by and not admission.is_moderator():
        raise NotAllowed(
            f"The record {record.id} is of {record.holder}; only it or a moderator withdraws it."
        )
    return _changed(admission, submission, record, "withdrawn", body.reason)


def _on_ruling(
    admission: Admission, submission: Submission, body: Ruling
) -> tuple[EntryOutcome, str]:
    admission.needs("moderator", "rule on records")
    record = admission.record(body.record)
    return _changed(admission, submission, record, body.state, body.reason)


def _changed(
    admission: Admission,
    submission: Submission,
    record: StoredRecord,
    state: RecordState,
    reason: str,
) -> tuple[EntryOutcome, str]:
    check_transition(record.id, record.state, state)
    changes = [StateChange(record=record.id, state=state, reasons=(reason,))]
    if state not in ANSWERING:
        changes += settled(admission.connection, record)
    return EntryOutcome(changes=tuple(changes)), submission.hash


def _on_resolution(
    admission: Admission, submission: Submission, body: Resolution
) -> tuple[EntryOutcome, str]:
    admission.needs("moderator", "resolve disputes")
    disputed = reading.records_of_key(admission.connection, body.key, ("disputed",))
    if not disputed:
        raise BadSubmission(f"No record of the key {body.key} is disputed; there is no dispute.")
    ids = [one.id for one in disputed]
    if body.chosen is not None and body.chosen not in ids:
        raise BadSubmission(
            f"The record {body.chosen} is not among the disputed ones of this key: "
            f"{', '.join(ids)}."
        )
    changes = tuple(
        StateChange(
            record=one,
            state="valid" if body.chosen in (None, one) else "superseded",
            reasons=(body.reason,),
        )
        for one in ids
    )
    return EntryOutcome(changes=changes), submission.hash


# ---- holders, tokens, vocabularies, inventories, decisions


def _on_holder(
    admission: Admission, submission: Submission, body: HolderEntry
) -> tuple[EntryOutcome, str]:
    del submission
    admission.needs("administrator", "register holders")
    return EntryOutcome(), body.id


def _on_holder_removal(
    admission: Admission, submission: Submission, body: HolderRemoval
) -> tuple[EntryOutcome, str]:
    del submission
    admission.needs("administrator", "remove holders")
    known = reading.holders(admission.connection, body.holder)
    if not known or not known[0].active:
        raise BadSubmission(f"{body.holder} is not registered; there is nobody to remove.")
    return EntryOutcome(), body.holder


def _on_token(
    admission: Admission, submission: Submission, body: TokenEntry
) -> tuple[EntryOutcome, str]:
    del submission
    admission.needs("administrator", "give tokens")
    if reading.find_token(admission.connection, body.token_hash) is not None:
        raise BadSubmission("This token is known already; make a new one.")
    return EntryOutcome(), body.token_hash


def _on_token_removal(
    admission: Admission, submission: Submission, body: TokenRemoval
) -> tuple[EntryOutcome, str]:
    del submission
    admission.needs("administrator", "revoke tokens")
    known = reading.find_token(admission.connection, body.token_hash)
    if known is None or not known.active:
        raise BadSubmission("There is no such token, or it was revoked already.")
    return EntryOutcome(), body.token_hash


def _on_vocabulary(
    admission: Admission, submission: Submission, body: VocabularyEntry
) -> tuple[EntryOutcome, str]:
    del submission
    admission.needs("holder", "publish vocabularies")
    if has_vocabulary(admission, body.vocabulary.hash):
        raise BadSubmission(f"The vocabulary {body.vocabulary.hash} is here already.")
    return EntryOutcome(), body.vocabulary.hash


def _on_inventory(
    admission: Admission, submission: Submission, body: InventoryEntry
) -> tuple[EntryOutcome, str]:
    admission.needs("holder", "register inventories")
    _check_document(admission, tables.inventories, content_hash(submission.body))
    if body.supersedes is not None:
        old = reading.documents(admission.connection, tables.inventories, body.supersedes)
        if not old:
            raise BadSubmission(f"There is no inventory {body.supersedes} to supersede.")
        if old[0].holder != submission.by:
            raise NotAllowed(
                f"The inventory {old[0].id} is of {old[0].holder}; only that holder changes it."
            )
    return EntryOutcome(), content_hash(submission.body)


def _on_decision(
    admission: Admission, submission: Submission, body: DecisionEntry
) -> tuple[EntryOutcome, str]:
    del body
    admission.needs("holder", "store decisions")
    _check_document(admission, tables.decisions, content_hash(submission.body))
    return EntryOutcome(), content_hash(submission.body)


def _check_document(admission: Admission, table: Any, wanted: str) -> None:
    if reading.documents(admission.connection, table, wanted):
        raise BadSubmission(f"{wanted} is here already.")


def _on_repository(
    admission: Admission, submission: Submission, body: RepositoryEntry
) -> tuple[EntryOutcome, str]:
    del admission, submission, body
    raise BadSubmission("A repository is described by its first entry only; make a new one.")


def _on_key_rotation(
    admission: Admission, submission: Submission, body: KeyRotation
) -> tuple[EntryOutcome, str]:
    del admission, submission, body
    raise BadSubmission(
        "The key of a repository is rotated where it is kept: singleout repository keys --rotate "
        "FILE."
    )


_RULES: dict[type, Callable[[Admission, Submission, Any], tuple[EntryOutcome, str]]] = {
    Record: decide_on_record,
    Dispute: _on_dispute,
    Withdrawal: _on_withdrawal,
    Ruling: _on_ruling,
    Resolution: _on_resolution,
    HolderEntry: _on_holder,
    HolderRemoval: _on_holder_removal,
    TokenEntry: _on_token,
    TokenRemoval: _on_token_removal,
    VocabularyEntry: _on_vocabulary,
    InventoryEntry: _on_inventory,
    DecisionEntry: _on_decision,
    RepositoryEntry: _on_repository,
    KeyRotation: _on_key_rotation,
}
