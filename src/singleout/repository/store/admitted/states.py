"""The states of a record and who may change them. Nothing is overwritten: D5 of the design.

    submitted ──▶ valid ◀──▶ disputed ──▶ superseded ──▶ withdrawn
        │           ▲▼           ▼            ▲              ▲
        └───▶ quarantined ◀──────┘            │              │
                    └─────────────────────────┴──────────────┘

``withdrawn`` is final, and keeps the hash of the record only.
"""

from __future__ import annotations

from typing import Literal, get_args

from singleout.errors import BadSubmission

__all__ = ["ANSWERING", "STATES", "TRANSITIONS", "RecordState", "check_transition"]

RecordState = Literal["submitted", "valid", "quarantined", "disputed", "superseded", "withdrawn"]

STATES: tuple[RecordState, ...] = get_args(RecordState)
ANSWERING: tuple[RecordState, ...] = ("valid", "disputed")  # a query finds these

TRANSITIONS: dict[RecordState, tuple[RecordState, ...]] = {
    "submitted": ("valid", "quarantined", "disputed"),
    "valid": ("quarantined", "disputed", "superseded", "withdrawn"),
    "quarantined": ("valid", "superseded", "withdrawn"),
    "disputed": ("valid", "quarantined", "superseded", "withdrawn"),
    "superseded": ("withdrawn",),
    "withdrawn": (),
}


def check_transition(record: str, old: RecordState, new: RecordState) -> None:
    """Refuse a change of state that D5 does not have.

    Raises
    ------
    BadSubmission
        If a record in the old state cannot get the new one.
    """
    allowed = TRANSITIONS[old]
    if new in allowed:
        return
    can = f"it can only become {' or '.join(allowed)}" if allowed else "that is final"
    raise BadSubmission(f"The record {record} is {old} and cannot become {new}; {can}.")
