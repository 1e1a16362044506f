"""What a store gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from singleout.repository.documents.record import Record
from singleout.repository.log.heads import SignedHead
from singleout.repository.store.admitted.states import RecordState

__all__ = [
    "Receipt",
    "RegisteredHolder",
    "StateRow",
    "StoredDocument",
    "StoredEntry",
    "StoredRecord",
    "StoredToken",
]


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode()


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


@dataclass(frozen=True)
class Receipt:
    """What the submitter gets: the proof shows that the entry is in the tree of the head.

    Parameters
    ----------
    index
        The index of the entry.
    id
        The id of the record, inventory, decision or holder; otherwise of the submission.
    state
        The state of the record, or ``accepted``.
    reasons
        Why, each as one sentence.
    leaf
        The text whose hash is in the tree.
    head
        The signed head of the tree.
    proof
        The inclusion proof of the leaf.
    """

    index: int
    id: str
    state: str
    reasons: tuple[str, ...]
    leaf: bytes
    head: SignedHead
    proof: tuple[bytes, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {
            "index": self.index,
            "id": self.id,
            "state": self.state,
            "reasons": list(self.reasons),
            "leaf": self.leaf.decode(),
            "head": self.head.model_dump(),
            "proof": [node.hex() for node in self.proof],
        }


@dataclass(frozen=True)
class StoredRecord:
    """A record and what is known of it; the record itself is None once it was withdrawn."""

    id: str
    record: Record | None
    state: RecordState
    reasons: tuple[str, ...]
    index: int
    time: str
    holder: str
    access: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {
            "id": self.id,
            "record": None if self.record is None else self.record.to_dict(),
            "state": self.state,
            "reasons": list(self.reasons),
            "index": self.index,
            "time": self.time,
            "holder": self.holder,
        }


@dataclass(frozen=True)
class StoredEntry:
    """An entry of the log; the submission is None where its record was withdrawn.

    In a mirror, submission and outcome are None where its owner may not read the record.
    """

    index: int
    leaf_hash: bytes
    leaf: bytes
    outcome: bytes | None
    submission: bytes | None

    def to_dict(self, *, withheld: bool = False) -> dict[str, Any]:
        """Return plain values that JSON can hold; with nothing but the leaf if ``withheld``."""
        withheld = withheld or self.outcome is None
        return {
            "index": self.index,
            "leaf": self.leaf.decode(),
            "leaf_hash": self.leaf_hash.hex(),
            "outcome": None if withheld else _text(self.outcome),
            "submission": None if withheld else _text(self.submission),
            "withheld": withheld,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> StoredEntry:
        """Return the entry of plain values."""
        return cls(
            int(values["index"]),
            bytes.fromhex(values["leaf_hash"]),
            values["leaf"].encode(),
            _bytes(values["outcome"]),
            _bytes(values["submission"]),
        )


@dataclass(frozen=True)
class StateRow:
    """A state that a record got, by which entry, when, by whom and why."""

    index: int
    time: str
    by: str
    state: RecordState
    reasons: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {**asdict(self), "reasons": list(self.reasons)}


@dataclass(frozen=True)
class RegisteredHolder:
    """Somebody who may submit, or could once."""

    id: str
    name: str
    public_key: str
    roles: tuple[str, ...]
    contact: str
    active: bool
    index: int


@dataclass(frozen=True)
class StoredToken:
    """What a token opens, by the hash of the token."""

    hash: str
    name: str
    roles: tuple[str, ...]
    holder: str | None
    expires: str | None
    active: bool
    index: int


@dataclass(frozen=True)
class StoredDocument:
    """An inventory or a decision."""

    id: str
    holder: str
    index: int
    time: str
    body: dict[str, Any]
