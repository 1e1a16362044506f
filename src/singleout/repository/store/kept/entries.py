"""An entry of the log: who submitted what, when, and what came of it.

The leaf of the tree is public. It holds the hashes of the submission and of the outcome, not what
they say, so that records which not everybody may read stay closed, and a withdrawn one can be
emptied, while every proof can still be checked. The outcome is never emptied: it keeps the
population and the cost, for the ledger. A random salt in it hides what it says from its hash.
"""

from __future__ import annotations

import secrets
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from singleout.errors import StoreChanged
from singleout.repository.documents.canonical import SAFE, canonical, hash_of, plain_document
from singleout.repository.documents.quick_json import plain_text
from singleout.repository.store.admitted.states import RecordState

__all__ = [
    "ACCEPTED",
    "BudgetCharge",
    "EntryLeaf",
    "EntryOutcome",
    "StateChange",
    "hash_of",
    "read_leaf",
    "read_outcome",
]

ACCEPTED = "accepted"  # what is no record


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class StateChange(_Part):
    """A state that an entry gives to a record of an earlier one."""

    record: str
    state: RecordState
    reasons: tuple[str, ...] = ()


class BudgetCharge(_Part):
    """What a record costs each person of its population."""

    tier: str
    cost: float
    people: float
    sd: float = 0.0
    population: dict[str, Any]


class EntryOutcome(_Part):
    """What came of a submission.

    Parameters
    ----------
    state
        The state of the record, or ``accepted`` for everything else.
    reasons
        Why, each as one sentence.
    record
        The id of the record, if it is one.
    charge
        What the record costs, if a ledger is kept.
    changes
        The states that other records got by it.
    salt
        Random, so that nobody can guess the outcome from its hash.
    """

    state: str = ACCEPTED
    reasons: tuple[str, ...] = ()
    record: str | None = None
    charge: BudgetCharge | None = None
    changes: tuple[StateChange, ...] = ()
    salt: str = Field(default_factory=lambda: secrets.token_hex(16))

    def to_bytes(self) -> bytes:
        """Return the canonical bytes."""
        plain: dict[str, Any] = {
            "changes": [plain_document(change) for change in self.changes],
            "reasons": self.reasons,
            "salt": self.salt,
            "state": self.state,
        }
        if self.record is not None:
            plain["record"] = self.record
        if self.charge is not None:
            charge = self.charge
            counts = {"people": _whole(charge.people), "sd": _whole(charge.sd)}
            plain["charge"] = charge.__dict__ | counts
        return plain_text(plain) or canonical(plain)


def _whole(count: float) -> float:
    return int(count) if count.is_integer() and abs(count) <= SAFE else count


class EntryLeaf(_Part):
    """The leaf of an entry: its canonical bytes are hashed into the tree."""

    index: int
    time: str
    by: str
    nonce: str
    submission: str
    state: str
    record: str | None = None
    outcome: str

    def to_bytes(self) -> bytes:
        """Return the canonical bytes."""
        # hashes, names of states and timestamps: no character that JSON escapes
        record = "" if self.record is None else f'"record":"{self.record}",'
        return (
            f'{{"by":"{self.by}","index":{self.index},"nonce":"{self.nonce}",'
            f'"outcome":"{self.outcome}",{record}"state":"{self.state}",'
            f'"submission":"{self.submission}","time":"{self.time}"}}'
        ).encode()


def read_leaf(index: int, data: bytes) -> EntryLeaf:
    """Return the leaf of stored bytes.

    Raises
    ------
    StoreChanged
        If they are no leaf, or not that of this entry.
    """
    try:
        leaf = EntryLeaf.model_validate_json(data)
    except ValidationError:
        raise StoreChanged(f"Entry {index} was changed: its leaf cannot be read.", index) from None
    if leaf.index != index:
        raise StoreChanged(f"Entry {index} was changed: its leaf says {leaf.index}.", index)
    return leaf


def read_outcome(index: int, data: bytes) -> EntryOutcome:
    """Return the outcome of stored bytes.

    Raises
    ------
    StoreChanged
        If they are no outcome.
    """
    try:
        return EntryOutcome.model_validate_json(data)
    except ValidationError:
        raise StoreChanged(
            f"Entry {index} was changed: its outcome cannot be read.", index
        ) from None
