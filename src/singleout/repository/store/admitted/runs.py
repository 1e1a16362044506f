"""Submissions that can be decided on together: none of them changes what is decided on another."""

from __future__ import annotations

from typing import Any

from singleout.repository.documents.record import Record
from singleout.repository.documents.submission import Submission
from singleout.repository.store.kept.lookup import Address, Shape, address_of

__all__ = ["Run"]


class Run:
    """Submissions of records of different people, in their order; or one of anything.

    All populations have single values of the same attributes, and no two have the same values.

    Parameters
    ----------
    first
        The first submission.
    """

    def __init__(self, first: Submission) -> None:
        address = _address(first)
        shape = None if address is None else Shape.read(address.shape)
        self._shape = None if address is None or shape is None or shape.several else address.shape
        self._seen: set[Any] = set()
        self.takes(first)

    def takes(self, submission: Submission) -> bool:
        """Add a submission and return True, if it is independent of those before."""
        address = _address(submission)
        nonce = (submission.by, submission.nonce)
        if address is None or address.shape != self._shape:
            return False
        if address.equal in self._seen or nonce in self._seen:
            return False
        self._seen |= {address.equal, nonce}
        return True


def _address(submission: Submission) -> Address | None:
    """Return the address of the population of a record that corrects no other."""
    record = submission.document
    if (
        not isinstance(record, Record)
        or record.supersedes is not None
        or not record.population.root
    ):
        return None
    return address_of(record.population)
