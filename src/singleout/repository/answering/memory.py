"""Records in a list, asked like a store: for records in hand, and for mirrors in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any, Protocol

from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import CodedAttribute, Record

if TYPE_CHECKING:
    from singleout.repository.documents.vocabulary import Vocabulary

__all__ = ["RecordList", "RecordSource", "ask_for_records"]


class RecordSource(Protocol):
    """What can be asked for records: a store, a client, or a list."""

    def records_for(self, qid_key: str, containing: DeclaredPopulation) -> Sequence[Any]:
        """Return the records of a quasi-identifier whose population contains another."""
        ...

    def quasi_identifiers(self) -> Sequence[tuple[Sequence[CodedAttribute], int]]:
        """Return each quasi-identifier that has records, and how many."""
        ...


def ask_for_records(
    source: RecordSource,
    qid_key: str,
    containing: DeclaredPopulation,
    vocabulary: Vocabulary | None,
    remarks: dict[str, tuple[str, ...]] | None = None,
) -> list[Record]:
    """Return the records of a quasi-identifier whose population contains another.

    A source that looks for populations itself is told the vocabulary, if it takes one: a postcode
    is within its city only for who knows which postcodes the city has. What a store says of a
    valid record is noted in ``remarks``, by its id.
    """
    ask: Any = source.records_for
    takes = vocabulary is not None and "vocabulary" in signature(ask).parameters
    held = ask(qid_key, containing, **({"vocabulary": vocabulary} if takes else {}))
    records = [getattr(each, "record", each) for each in held]
    if remarks is not None:
        said = ((each, getattr(each, "reasons", ())) for each in held)
        remarks.update({each.id: why for each, why in said if why and each.state == "valid"})
    return [each for each in records if each.population.contains(containing, vocabulary)]


@dataclass(frozen=True)
class _Held:
    record: Record
    state: str = "valid"


class RecordList:
    """Records in memory, asked like a store.

    Parameters
    ----------
    records
        All of them valid.
    vocabulary
        The words they share, if any.
    """

    def __init__(self, records: Iterable[Record], vocabulary: Vocabulary | None = None) -> None:
        self.records = tuple(records)
        self._vocabulary = vocabulary

    def records_for(
        self,
        qid_key: str,
        containing: DeclaredPopulation,
        vocabulary: Vocabulary | None = None,
    ) -> list[_Held]:
        """Return the records of a quasi-identifier whose population contains another."""
        words = vocabulary or self._vocabulary
        return [
            _Held(record)
            for record in self.records
            if record.qid_key == qid_key and record.population.contains(containing, words)
        ]

    def quasi_identifiers(self) -> list[tuple[tuple[CodedAttribute, ...], int]]:
        """Return each quasi-identifier that has records, and how many."""
        by_key = {record.qid_key: record.quasi_identifier for record in self.records}
        return [
            (by_key[key], number)
            for key, number in Counter(record.qid_key for record in self.records).items()
        ]

    def vocabulary(self, hash: str | None = None) -> Vocabulary | None:  # noqa: A002
        """Return the vocabulary, if it is the one with this hash."""
        if self._vocabulary is None or hash not in (None, self._vocabulary.hash):
            return None
        return self._vocabulary
