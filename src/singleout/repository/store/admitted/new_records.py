"""Decide on a new record: whether it may be published, and which state it gets.

What the gate does not allow is refused, and leaves no trace. What no table can have, or what
contradicts valid records, is stored and set apart, with the reasons.
"""

from __future__ import annotations

from sqlalchemy import bindparam, select

from singleout.errors import BadSubmission, NotAllowed, NotPublishable
from singleout.report.say import say
from singleout.repository.documents.record import Record
from singleout.repository.documents.submission import Submission
from singleout.repository.gate.gate import cost_of
from singleout.repository.gate.tiers import TIERS
from singleout.repository.store.admitted.admission import Admission
from singleout.repository.store.admitted.agreement import contradictions
from singleout.repository.store.admitted.budget import refusal
from singleout.repository.store.admitted.disputes import arising, settled
from singleout.repository.store.admitted.neighbours import records_within, siblings_of
from singleout.repository.store.admitted.plausibility import impossible
from singleout.repository.store.admitted.siblings import unusual
from singleout.repository.store.admitted.states import ANSWERING, RecordState, check_transition
from singleout.repository.store.kept import reading, tables
from singleout.repository.store.kept.entries import BudgetCharge, EntryOutcome, StateChange
from singleout.repository.store.kept.pending import is_alone
from singleout.repository.store.kept.statements import Prepared
from singleout.repository.store.kept.stored import StoredRecord

__all__ = ["COMPARED", "VOCABULARY", "decide_on_record", "has_vocabulary"]

COMPARED = 200  # records that a new one is compared with
VOCABULARY = Prepared(
    select(tables.vocabularies.c["index"]).where(tables.vocabularies.c.hash == bindparam("wanted"))
)
_UNFINISHED: tuple[RecordState, ...] = ("valid", "quarantined", "disputed")


def decide_on_record(
    admission: Admission, submission: Submission, record: Record
) -> tuple[EntryOutcome, str]:
    """Return what comes of a record, and its id."""
    admission.needs("holder", "publish records")
    if record.holder not in ("", submission.by) or (not admission.personal and not record.holder):
        raise NotAllowed(
            f"The record names the holder {record.holder or 'nobody'!r}, and {submission.by} "
            "submits it; a holder publishes its own records."
        )
    _check_new(admission, record)
    others = reading.records_of_key(admission.connection, record.key, _UNFINISHED)
    corrected = _corrected(admission, submission, record, others)
    if record.vocabulary is not None and not has_vocabulary(admission, record.vocabulary):
        raise BadSubmission(
            f"The vocabulary {record.vocabulary} of the record is not here; submit it first."
        )
    charge = None if admission.personal else _gated(admission, record)
    state, reasons, changes = _judged(admission, record, corrected, others)
    outcome = EntryOutcome(
        state=state, reasons=reasons, record=record.id, charge=charge, changes=changes
    )
    return outcome, record.id


def _check_new(admission: Admission, record: Record) -> None:
    before = reading.find_record(admission.connection, record.id)
    if before is not None:
        raise BadSubmission(f"The record {record.id} is here already, as entry {before.index}.")


def has_vocabulary(admission: Admission, wanted: str) -> bool:
    """Return whether a vocabulary is registered."""
    return bool(VOCABULARY.rows(admission.connection, wanted=wanted))


def _corrected(
    admission: Admission, submission: Submission, record: Record, others: list[StoredRecord]
) -> StoredRecord | None:
    """Return the record that this one corrects; refuse a second one that corrects none."""
    if record.supersedes is None:
        mine = [one for one in others if one.holder == submission.by]
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
    refused = refusal(admission.connection, charge, record.population)
    if refused is not None:
        raise NotPublishable([str(refused)], [refused])
    return charge


def _judged(
    admission: Admission,
    record: Record,
    corrected: StoredRecord | None,
    others: list[StoredRecord],
) -> tuple[RecordState, tuple[str, ...], tuple[StateChange, ...]]:
    """Return the state of a new record, why, and what becomes of others."""
    changes = []
    if corrected is not None:
        sentence = say("repository.store.superseded", record=record.id)
        changes.append(StateChange(record=corrected.id, state="superseded", reasons=(sentence,)))
    reasons = (*impossible(record), *_inconsistent(admission, record))
    if reasons:
        if corrected is not None:
            changes += settled(admission.connection, corrected)
        return "quarantined", reasons, tuple(changes)
    answering = [
        one
        for one in others
        if one.state in ANSWERING and (corrected is None or one.id != corrected.id)
    ]
    state, reasons, arisen = arising(record, answering)
    reasons = (*reasons, *unusual(record, siblings_of(admission.connection, record)))
    if corrected is not None:
        changes += settled(admission.connection, corrected, record)
    return state, reasons, (*changes, *arisen)


def _inconsistent(admission: Admission, record: Record) -> list[str]:
    """Return how a record contradicts valid ones, of other cells or of wholes and parts."""
    connection, day = admission.connection, record.reference_date
    if not admission.personal and is_alone(connection, record.population.key):
        return []
    same = reading.records_of_people(connection, record, ("valid",), COMPARED)
    place = connection, record.qid_key, record.population
    wider = reading.records_for(*place, ("valid",), most=COMPARED)
    narrower = records_within(*place, most=COMPARED, has_ledger=not admission.personal)
    return contradictions(
        record,
        [one.record for one in same if one.record and one.record.reference_date == day],
        [
            one.record
            for one in wider
            if one.record
            and one.record.reference_date == day
            and one.record.population != record.population
        ],
        [one for one in narrower if one.reference_date == day],
    )
