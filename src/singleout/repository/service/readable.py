"""A store as one caller sees it: records that they may not read are not there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from singleout.errors import BadChoice, NotAllowed
from singleout.repository.answering.relations import qid_key
from singleout.repository.documents.canonical import plain_document
from singleout.repository.service.access import Caller
from singleout.repository.service.demand import combination
from singleout.repository.service.problems import Refused
from singleout.repository.store.admitted.states import ANSWERING, RecordState

if TYPE_CHECKING:
    from singleout.repository.documents.population import DeclaredPopulation
    from singleout.repository.documents.record import CodedAttribute
    from singleout.repository.documents.vocabulary import Vocabulary
    from singleout.repository.store.kept.demand import Combination
    from singleout.repository.store.kept.stored import StateRow, StoredRecord
    from singleout.repository.store.store import Store

__all__ = ["LongSearch", "ReadableStore"]

_FEW = 50  # rows and shapes that are read while others wait


class LongSearch(Exception):  # not an error: another thread answers
    """A question needs more than a few rows."""


class ReadableStore:
    """What a caller may read, for one request.

    Parameters
    ----------
    store
        The store.
    caller
        Who asks.
    brief
        Whether to raise `LongSearch` instead of reading more than a few rows.
    """

    def __init__(self, store: Store, caller: Caller, *, brief: bool = False) -> None:
        self._store = store
        self.caller = caller
        self._brief = brief
        self._withheld: set[str] = set()
        self._restricted: dict[str, None] = {}
        self.unanswered: Combination | None = None

    @property
    def withheld(self) -> int:
        """How many registered records a token with a purpose would have added."""
        return len(self._withheld)

    @property
    def restricted(self) -> tuple[str, ...]:
        """The ids of the records so far that are not public."""
        return tuple(self._restricted)

    def note(self, asked: Sequence[CodedAttribute], population: DeclaredPopulation) -> None:
        """Note that nothing was found for a question."""
        self.unanswered = combination(asked, population)

    def records_for(
        self,
        qid_key: str,
        containing: DeclaredPopulation,
        states: Sequence[RecordState] = ANSWERING,
        vocabulary: Vocabulary | None = None,
    ) -> list[StoredRecord]:
        """Return the records whose population contains another, as far as the caller may."""
        if self._brief:
            few = self._store.few_records_for(qid_key, containing, _FEW)
            if few is None:
                raise LongSearch
            return [one for one in few if self._is_readable(one)]
        found = self._store.records_for(qid_key, containing, states, vocabulary)
        return [one for one in found if self._is_readable(one)]

    def quasi_identifiers(self) -> list[tuple[tuple[CodedAttribute, ...], int]]:
        """Return the quasi-identifiers that have records."""
        if self._brief:
            raise LongSearch
        return self._store.quasi_identifiers()

    def counted(self) -> list[dict[str, Any]]:
        """Return the quasi-identifiers and their numbers of records as plain values."""
        return [
            {
                "quasi_identifier": [plain_document(one) for one in attributes],
                "qid_key": qid_key(attributes),
                "records": number,
            }
            for attributes, number in self.quasi_identifiers()
        ]

    def history(self, wanted: str) -> list[StateRow]:
        """Return the states of a record, which the caller must be allowed to know."""
        return self._store.history(wanted)

    def vocabulary(self, wanted: str | None) -> Vocabulary | None:
        """Return a vocabulary by its hash, or None for None."""
        if self._brief and wanted is not None:
            raise LongSearch
        return None if wanted is None else self._store.vocabulary(wanted)

    def record(self, wanted: str) -> StoredRecord:
        """Return one record.

        Raises
        ------
        Refused
            If there is none, it was withdrawn, or the caller may not read it.
        """
        try:
            found = self._store.record(wanted)
        except BadChoice as error:
            raise Refused(404, str(error)) from None
        if found.record is None:
            raise Refused(
                410, f"The record {wanted} was withdrawn; only its hash is kept.", NotAllowed
            )
        if not self._is_readable(found):
            refusal = self.caller.refusal(found.record.access)
            raise Refused(403 if self.caller.rank else 401, str(refusal), NotAllowed)
        return found

    def _is_readable(self, found: StoredRecord) -> bool:
        record = found.record
        if record is None:
            return False
        if not self.caller.may_read(record.access, found.holder):
            if record.access == "registered":
                self._withheld.add(found.id)
            return False
        if record.access != "public":
            self._restricted[found.id] = None
        return True
