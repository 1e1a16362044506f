"""Decide what comes of a submission: who may submit it, and what state its record gets.

Deciding only reads. What is refused raises, and leaves no trace in the log; what is implausible is
stored, set apart, with the reasons.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from singleout.errors import BadSubmission, NotAllowed, NotPublishable
from singleout.report.say import say
from singleout.repository.documents.bodies import (
    DecisionEntry,
    Dispute,
    HolderEntry,
    HolderRemoval,
    InventoryEntry,
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
from singleout.repository.gate.gate import cost_of
from singleout.repository.gate.tiers import TIERS
from singleout.repository.store import reading, tables
from singleout.repository.store.agreement import contradictions, disagree
from singleout.repository.store.budget import refusal
from singleout.repository.store.entries import BudgetCharge, EntryOutcome, StateChange
from singleout.repository.store.plausibility import impossible
from singleout.repository.store.states import RecordState, check_transition
from singleout.repository.store.stored import RegisteredHolder, StoredRecord

__all__ = ["Admission", "decide"]

_RANKS = {"reader": 0, "holder": 1, "moderator": 2, "administrator": 3}
_COMPARED = 200  # records that a new one is compared with
_UNFINISHED: tuple[RecordState, ...] = ("valid", "quarantined", "disputed")


@dataclass(frozen=True)
class Admission:
    """What a decision is made with.

    Parameters
    ----------
    connection
        A connection that sees everything appended before.
    by
        Who submits.
    personal
        Whether this is a personal repository: no minima, no ledger, no roles.
    """

    connection: Connection
    by: RegisteredHolder
    personal: bool

    def needs(self, role: str, what: str) -> None:
        """Refuse who has not this role or a higher one."""
        has = max((_RANKS[one] for one in self.by.roles), default=-1)
        if not self.personal and has < _RANKS[role]:
            raise NotAllowed(
                f"{self.by.id} may not {what}: that needs the role {role}, and it has "
                f"{', '.join(self.by.roles) or 'none'}."
            )

    def is_moderator(self) -> bool:
        """Whether who submits may rule on records of others."""
        return self.personal or bool({"moderator", "administrator"} & set(self.by.roles))

    def record(self, wanted: str) -> StoredRecord:
        """Return a record that a submission names."""
        found = reading.find_record(self.connection, wanted)
        if found is None:
            raise BadSubmission(f"There is no record {wanted} here; check its id.")
        return found


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


def _check_nonce(connection: Connection, submission: Submission) -> None:
    nonces = tables.nonces
    before = connection.scalar(
        select(nonces.c["index"]).where(
            nonces.c.by == submission.by, nonces.c.nonce == submission.nonce
        )
    )
    if before is not None:
        raise BadSubmission(f"This submission was received before, as entry {before}; sign anew.")


# ---- records


def _on_record(
    admission: Admission, submission: Submission, record: Record
) -> tuple[EntryOutcome, str]:
    admission.needs("holder", "publish records")
    if record.holder not in ("", submission.by) or (not admission.personal and not record.holder):
        raise NotAllowed(
            f"The record names the holder {record.holder or 'nobody'!r}, and {submission.by} "
            "submits it; a holder publishes its own records."
        )
    _check_new(admission, record)
    corrected = _corrected(admission, submission, record)
    if record.vocabulary is not None and not _has_vocabulary(admission, record.vocabulary):
        raise BadSubmission(
            f"The vocabulary {record.vocabulary} of the record is not here; submit it first."
        )
    charge = None if admission.personal else _gated(admission, record)
    state, reasons, changes = _judged(admission, record, corrected)
    outcome = EntryOutcome(
        state=state, reasons=reasons, record=record.id, charge=charge, changes=changes
    )
    return outcome, record.id


def _check_new(admission: Admission, record: Record) -> None:
    before = reading.find_record(admission.connection, record.id)
    if before is not None:
        raise BadSubmission(f"The record {record.id} is here already, as entry {before.index}.")


def _has_vocabulary(admission: Admission, wanted: str) -> bool:
    table = tables.vocabularies
    found = admission.connection.scalar(select(table.c["index"]).where(table.c.hash == wanted))
    return found is not None


def _corrected(admission: Admission, submission: Submission, record: Record) -> StoredRecord | None:
    """Return the record that this one corrects; refuse a second one that corrects none."""
    if record.supersedes is None:
        mine = [
            one
            for one in reading.records_of_key(admission.connection, record.key, _UNFINISHED)
            if one.holder == submission.by
        ]
        if mine:
            raise BadSubmission(
                f"You published {mine[0].id} about this quasi-identifier, population and date "
                "already; publish the new record as its correction (supersedes)."
            )
        return None
    old = admission.record(record.supersedes)
    if old.holder != submission.by:
        raise NotAllowed(f"The record {old.id} is of {old.holder}; only that holder corrects it.")
    check_transition(old.id, old.state, "superseded")
    assert old.record is not None
    if old.record.key != record.key:
        raise BadSubmission(
            f"The record {old.id} is about another quasi-identifier, population or date; "
            "withdraw it, and publish this one by itself."
        )
    return old


def _gated(admission: Admission, record: Record) -> BudgetCharge:
    """Return what a record costs; refuse it if the gate would not let it through."""
    numbers, gate = record.numbers, record.gate
    tier = TIERS.get(gate.tier)
    if tier is None or numbers.people is None:
        raise NotPublishable(say("repository.store.no_gate"))
    if record.access == "public" and gate.tier != "public":
        raise NotPublishable(say("repository.store.access", tier=gate.tier))
    if numbers.people < tier.least_people:
        sentence = say(
            "repository.store.people",
            people=numbers.people,
            least=tier.least_people,
            tier=tier.name,
        )
        raise NotPublishable(sentence)
    least = cost_of(numbers.people, gate.price, numbers.cells or float("inf"))
    if not 0 < gate.price <= tier.price or gate.cost < least * (1 - 1e-9):
        raise NotPublishable(say("repository.store.cost", cost=gate.cost, least=least))
    charge = BudgetCharge(
        tier=tier.name,
        cost=gate.cost,
        people=numbers.people,
        sd=numbers.sd.people or 0.0,
        population=record.population.to_dict(),
    )
    refused = refusal(admission.connection, charge)
    if refused is not None:
        raise NotPublishable([str(refused)], [refused])
    return charge


def _judged(
    admission: Admission, record: Record, corrected: StoredRecord | None
) -> tuple[RecordState, tuple[str, ...], tuple[StateChange, ...]]:
    """Return the state of a new record, why, and what becomes of others."""
    changes = []
    if corrected is not None:
        sentence = say("repository.store.superseded", record=record.id)
        changes.append(StateChange(record=corrected.id, state="superseded", reasons=(sentence,)))
    reasons = (*impossible(record), *_inconsistent(admission, record))
    if reasons:
        return "quarantined", reasons, tuple(changes)
    state: RecordState = "valid"
    for other in reading.records_of_key(admission.connection, record.key):
        if corrected is not None and other.id == corrected.id:
            continue
        assert other.record is not None
        if disagree(record, other.record):
            state = "disputed"
            reasons = (*reasons, say("repository.store.disagrees", record=other.id))
            if other.state == "valid":
                sentence = say("repository.store.disagrees", record=record.id)
                changes.append(StateChange(record=other.id, state="disputed", reasons=(sentence,)))
    return state, reasons, tuple(changes)


def _inconsistent(admission: Admission, record: Record) -> list[str]:
    """Return how a record contradicts valid ones, of other cells or of wider populations."""
    connection, columns = admission.connection, tables.records.c
    same = reading.records_where(
        connection,
        columns.population == record.population.key,
        columns.qid_key != record.qid_key,
        columns.state == "valid",
        most=_COMPARED,
    )
    wider = reading.records_for(
        connection, record.qid_key, record.population, ("valid",), most=_COMPARED
    )
    day, own = record.reference_date, record.population
    return contradictions(
        record,
        [one.record for one in same if one.record and one.record.reference_date == day],
        [
            one.record
            for one in wider
            if one.record and one.record.reference_date == day and one.record.population != own
        ],
    )


# ---- statements about records


def _on_dispute(
    admission: Admission, submission: Submission, body: Dispute
) -> tuple[EntryOutcome, str]:
    admission.needs("holder", "dispute records")
    record = admission.record(body.record)
    return _changed(submission, record, "disputed", body.reason)


def _on_withdrawal(
    admission: Admission, submission: Submission, body: Withdrawal
) -> tuple[EntryOutcome, str]:
    record = admission.record(body.record)
    if record.holder != submission.by and not admission.is_moderator():
        raise NotAllowed(
            f"The record {record.id} is of {record.holder}; only it or a moderator withdraws it."
        )
    return _changed(submission, record, "withdrawn", body.reason)


def _on_ruling(
    admission: Admission, submission: Submission, body: Ruling
) -> tuple[EntryOutcome, str]:
    admission.needs("moderator", "rule on records")
    record = admission.record(body.record)
    return _changed(submission, record, body.state, body.reason)


def _changed(
    submission: Submission, record: StoredRecord, state: RecordState, reason: str
) -> tuple[EntryOutcome, str]:
    check_transition(record.id, record.state, state)
    change = StateChange(record=record.id, state=state, reasons=(reason,))
    return EntryOutcome(changes=(change,)), submission.hash


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
    if _has_vocabulary(admission, body.vocabulary.hash):
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


_RULES: dict[type, Callable[[Admission, Submission, Any], tuple[EntryOutcome, str]]] = {
    Record: _on_record,
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
}
