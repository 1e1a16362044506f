"""What a decision about a submission is made with: the store as it is, and who submits."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection

from singleout.errors import BadSubmission, NotAllowed
from singleout.repository.store.kept import reading
from singleout.repository.store.kept.stored import RegisteredHolder, StoredRecord

__all__ = ["Admission"]

_RANKS = {"reader": 0, "holder": 1, "moderator": 2, "administrator": 3}


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
