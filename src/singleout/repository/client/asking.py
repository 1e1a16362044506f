"""What a repository answers: query, predict, decide, compose; the search runs here.

A service is asked for records only, and what they predict is computed on this machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from singleout.errors import BadChoice
from singleout.repository.client.heads import check_head
from singleout.repository.client.oneself import assessed
from singleout.repository.client.remote import RemoteStore
from singleout.repository.client.source import VocabularySource, fitting_vocabulary
from singleout.repository.documents.population import DeclaredPopulation, PopulationLike
from singleout.repository.documents.record import CodedAttribute, Record
from singleout.repository.documents.vocabulary import Vocabulary

if TYPE_CHECKING:
    from singleout.repository.answering.answer import RepositoryAnswer
    from singleout.repository.answering.compose import Composition
    from singleout.repository.answering.decision import RepositoryDecision
    from singleout.repository.answering.person import SelfAssessment
    from singleout.repository.answering.prediction import RepositoryPrediction
    from singleout.repository.answering.table import RecordTable
    from singleout.repository.store.kept.stored import StateRow, StoredRecord
    from singleout.repository.store.store import Store

__all__ = ["Asking"]


class Asking:
    """The part of a repository that only asks.

    Parameters
    ----------
    store
        A store in a file, or the one behind a service.
    """

    def __init__(self, store: Store | RemoteStore) -> None:
        self.store = store
        self._checked = False
        self._words: dict[tuple[frozenset[str], str], Vocabulary | None] = {}

    @property
    def location(self) -> str:
        """The file or the URL."""
        return self.store.location

    @property
    def is_remote(self) -> bool:
        """Whether questions leave this machine."""
        return isinstance(self.store, RemoteStore)

    def _check_once(self) -> None:
        """Check before the first answer that the log continues the one that was seen before."""
        if not self._checked:
            check_head(self.store)
            self._checked = True

    def query(
        self,
        quasi_identifier: Iterable[Any],
        population: PopulationLike = None,
        *,
        reference_date: date | None = None,
        people: int | None = None,
        cells: int | None = None,
    ) -> RepositoryAnswer:
        """Return what is published about a quasi-identifier in a population.

        Where there is no record of just that, the nearest one answers: of a larger population, or
        of a finer or coarser quasi-identifier. ``path`` says how it was found and what that does
        to predictions.

        Parameters
        ----------
        quasi_identifier
            Attributes with their codings: ``["PC4", "Age:width=5"]``.
        population
            Whom it is about: ``{"City": "Amsterdam"}``; everybody by default.
        reference_date
            The day it is asked for; today by default.
        people
            How many people there will be: what each step does is computed for that many.
        cells
            How many combinations are possible, for records that do not say so.
        """
        from singleout.repository.answering.query import find

        source, asked, wanted = self._question(quasi_identifier, population)
        return find(
            source,
            asked,
            wanted,
            vocabulary=source.words,
            reference_date=reference_date,
            people=people,
            cells=cells,
        )

    def predict(
        self,
        quasi_identifier: Iterable[Any],
        population: PopulationLike = None,
        *,
        people: int,
        **how: Any,
    ) -> RepositoryPrediction:
        """Predict how many of so many people would be unique; ``how`` as in `query`."""
        return self.query(quasi_identifier, population, people=people, **how).predict(people)

    def decide(
        self,
        quasi_identifier: Iterable[Any],
        population: PopulationLike = None,
        *,
        policy: Mapping[str, Any] | Any,
        people: int,
        subject: str = "",
        **how: Any,
    ) -> RepositoryDecision:
        """Decide whether a quasi-identifier may be asked, and else how: coarser, or not at all.

        Parameters
        ----------
        quasi_identifier, population
            What is to be asked, and of whom.
        policy
            What must hold, such as ``{"unique": 0.05, "in_sets_of": (5, 0.9)}``.
        people
            How many people are asked; everybody in the population, to look at the worst case.
        subject
            What is decided on: the name of a questionnaire or of a release.
        **how
            ``reference_date`` and ``cells``, as in `query`; ``never_drop``, the names of attributes
            that may be coarsened and not left out.
        """
        from singleout.repository.answering.decide import decide

        source, asked, wanted = self._question(quasi_identifier, population)
        return decide(
            source,
            asked,
            wanted,
            policy=policy,
            people=people,
            vocabulary=source.words,
            subject=subject,
            **how,
        )

    def compose(
        self, parts: Iterable[Record | RepositoryAnswer | str], *, information: float | None = None
    ) -> Composition:
        """Put records of different attributes together: under independence, with the range.

        Parameters
        ----------
        parts
            Records, answers of `query`, or identities of records.
        information
            The mutual information of the attributes in nats, if it is known.
        """
        from singleout.repository.answering.compose import compose

        found = [self.content(each) if isinstance(each, str) else each for each in parts]
        names = [name for each in found for name in _record(each).columns]
        words = self.vocabulary_for(names, _record(found[0]).population if found else None)
        if words is not None and not all(name in words for name in names):
            words = None  # it cannot say how many cells there are
        return compose(found, information=information, vocabulary=words)

    def person(
        self,
        values: Mapping[str, Any],
        population: PopulationLike = None,
        *,
        people: int,
        margins: Mapping[str, Any] | None = None,
        **how: Any,
    ) -> SelfAssessment:
        """Assess what answers would reveal of yourself, here: your values are never sent.

        Parameters
        ----------
        values
            Your own answers: ``{"PC4": "1056", "Age:width=5": 34}``.
        population
            Who is asked.
        people
            How many people there are, you included.
        margins
            How common the values of each attribute are, from public tables.
        **how
            ``probability`` and ``ledger`` of `answering.person`.
        """
        return assessed(self, values, population, people=people, margins=margins, **how)

    def table(self, record: Record | str, people: Iterable[int] | None = None) -> RecordTable:
        """Return what a record predicts for several numbers of people. Koot (2012), section 4.1."""
        from singleout.repository.answering.table import table

        numbers = None if people is None else list(people)
        return table(self.content(record), numbers)

    def _question(
        self, quasi_identifier: Iterable[Any], population: PopulationLike
    ) -> tuple[VocabularySource, tuple[CodedAttribute, ...], DeclaredPopulation]:
        from singleout.repository.answering.relations import coded

        asked, wanted = coded(quasi_identifier), DeclaredPopulation.of(population)
        words = self.vocabulary_for([one.attribute for one in asked], wanted)
        return VocabularySource(self.store, words), asked, wanted

    def content(self, record: Record | str) -> Record:
        """Return a record by its identity, without its state."""
        if isinstance(record, Record):
            return record
        found = self.record(record).record
        if found is None:
            raise BadChoice(f"The record {record} was withdrawn; only its hash is left.")
        return found

    def vocabulary_for(
        self, names: Iterable[str], population: PopulationLike = None
    ) -> Vocabulary | None:
        """Return the latest vocabulary that knows most of these attributes and such people."""
        people = DeclaredPopulation.of(population)
        wanted = frozenset(names), people.key
        if wanted not in self._words:
            self._check_once()
            self._words[wanted] = fitting_vocabulary(self.store, wanted[0], people)
        return self._words[wanted]

    def record(self, wanted: str) -> StoredRecord:
        """Return a record by its identity, with its state."""
        if not isinstance(wanted, str):
            raise BadChoice(
                f"A record is named by its id, a text such as 'sha256:…', not by a "
                f"{type(wanted).__name__}; query finds the record of a quasi-identifier."
            )
        return self.store.record(wanted)

    def history(self, record: Record | str) -> list[StateRow]:
        """Return the states that a record had, the first one first."""
        return self.store.history(record.id if isinstance(record, Record) else record)

    def quasi_identifiers(self) -> list[tuple[tuple[CodedAttribute, ...], int]]:
        """Return the quasi-identifiers that are published, and how many records each has."""
        return self.store.quasi_identifiers()

    def records_for(self, qid_key: str, containing: PopulationLike = None) -> list[StoredRecord]:
        """Return the records of a quasi-identifier whose population contains another."""
        return self.store.records_for(qid_key, DeclaredPopulation.of(containing))


def _record(part: Record | RepositoryAnswer) -> Record:
    return part if isinstance(part, Record) else part.record
