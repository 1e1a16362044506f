"""Records as the search for an answer asks for them, with the words that they share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import CodedAttribute

if TYPE_CHECKING:
    from singleout.repository.documents.vocabulary import Vocabulary

__all__ = ["VocabularySource", "fitting_vocabulary"]


class VocabularySource:
    """A store that is asked with a vocabulary: PC4=1056 then is within City=Amsterdam."""

    def __init__(self, store: Any, vocabulary: Vocabulary | None) -> None:
        self._store = store
        self.words = vocabulary

    def records_for(self, qid_key: str, containing: DeclaredPopulation) -> Sequence[Any]:
        """Return the records of a quasi-identifier whose population contains another."""
        found: Sequence[Any] = self._store.records_for(qid_key, containing, vocabulary=self.words)
        return found

    def quasi_identifiers(self) -> Sequence[tuple[Sequence[CodedAttribute], int]]:
        """Return each quasi-identifier that has records, and how many."""
        found: Sequence[tuple[Sequence[CodedAttribute], int]] = self._store.quasi_identifiers()
        return found

    def vocabulary(self, wanted: str) -> Vocabulary:
        """Return a vocabulary by its hash."""
        found: Vocabulary = self._store.vocabulary(wanted)
        return found


def fitting_vocabulary(
    store: Any, names: Iterable[str], population: DeclaredPopulation
) -> Vocabulary | None:
    """Return the latest vocabulary that has most of the names, and people of a population.

    None if none has any of the names: that of another country may have the same ones.
    """
    wanted = {*names, *population.attributes}
    best: Vocabulary | None = None
    most = 0
    for row in reversed(store.vocabularies()):
        words: Vocabulary = store.vocabulary(row["hash"])
        known = len(wanted & set(words.attributes))
        if known > most and not population.is_empty(words):
            best, most = words, known
    return best
