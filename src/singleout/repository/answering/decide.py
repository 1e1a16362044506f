"""Decide what may be asked: accept, coarsen an attribute, drop one, or refuse (D9).

A quasi-identifier is accepted if the upper ends of what is predicted keep the policy: those of the
95 % interval of its record, of the record of a finer one, or what the number of possible cells
allows whatever the distribution is. Otherwise other codings are tried, those with the least change
first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import islice, product
from typing import TYPE_CHECKING, Any

from singleout.errors import BadChoice, did_you_mean
from singleout.predict.distribution.distribution import check_people
from singleout.predict.planning.policy import Policy
from singleout.report.say import say
from singleout.repository.answering.answer import RepositoryAnswer
from singleout.repository.answering.decision import (
    DROPPED,
    AskedOtherwise,
    DecidedAction,
    RepositoryDecision,
)
from singleout.repository.answering.memory import RecordSource, ask_for_records
from singleout.repository.answering.policies import DisclosurePolicy, Predicted
from singleout.repository.answering.query import find
from singleout.repository.answering.relations import QuasiIdentifier, coded, is_coarser
from singleout.repository.answering.steps import PathEffect
from singleout.repository.documents.population import DeclaredPopulation, PopulationLike
from singleout.repository.documents.record import CodedAttribute

if TYPE_CHECKING:
    from singleout.repository.documents.vocabulary import Vocabulary

__all__ = ["decide"]

_MOST_TRIED = 200  # quasi-identifiers, those with the least change first
_MOST_COMBINATIONS = 100_000


@dataclass(frozen=True, eq=False)
class _Question:
    """What is asked of whom, and where records are."""

    source: _Cached
    population: DeclaredPopulation
    policy: DisclosurePolicy
    people: int
    vocabulary: Vocabulary | None
    reference_date: date | None
    cells: int | None
    never_drop: frozenset[str] = frozenset()

    def ask(self, qid: QuasiIdentifier) -> RepositoryAnswer:
        return find(
            self.source,
            qid,
            self.population,
            vocabulary=self.vocabulary,
            reference_date=self.reference_date,
            people=self.people,
            cells=self.cells,
        )

    def possible(self, qid: QuasiIdentifier) -> float | None:
        """Return how many cells are possible, if the vocabulary knows it."""
        if self.vocabulary is None or any(one.attribute not in self.vocabulary for one in qid):
            return None
        return self.vocabulary.cells_possible(qid, self.population) or None


@dataclass(frozen=True, eq=False)
class _Tried:
    """What is known of one quasi-identifier."""

    answer: RepositoryAnswer | None
    predicted: Predicted | None
    reasons: tuple[str, ...]


class _Cached:
    """A source whose list of quasi-identifiers is read once."""

    def __init__(self, source: RecordSource) -> None:
        self._source = source

    def records_for(
        self,
        qid_key: str,
        containing: DeclaredPopulation,
        vocabulary: Vocabulary | None = None,
    ) -> Sequence[Any]:
        return ask_for_records(self._source, qid_key, containing, vocabulary)

    @cached_property
    def _known(self) -> list[tuple[QuasiIdentifier, int]]:
        return [(tuple(qid), number) for qid, number in self._source.quasi_identifiers()]

    def quasi_identifiers(self) -> list[tuple[QuasiIdentifier, int]]:
        return self._known


def decide(
    source: RecordSource,
    quasi_identifier: Iterable[Any],
    population: PopulationLike = None,
    *,
    policy: DisclosurePolicy | Policy | Mapping[str, Any],
    people: int,
    vocabulary: Vocabulary | None = None,
    reference_date: date | None = None,
    cells: int | None = None,
    subject: str = "",
    never_drop: Iterable[str] = (),
) -> RepositoryDecision:
    """Decide whether a quasi-identifier may be asked of so many people, and else how.

    Parameters
    ----------
    source
        A store, a client or a `RecordList`.
    quasi_identifier, population
        What is to be asked, and of whom.
    policy
        What must hold, such as ``{"unique": 0.05, "in_sets_of": (5, 0.9), "any_unique": 0.5}``.
    people
        How many people are to be asked.
    vocabulary
        Which codings there are, and how many cells are possible.
    reference_date
        The day it is asked for; today if absent.
    cells
        N: how many cells are possible, for records that do not say so.
    subject
        What is decided on: the name of a questionnaire or of a release.
    never_drop
        The names of attributes that may be coarsened and not left out.
    """
    asked = coded(quasi_identifier)
    question = _Question(
        _Cached(source),
        DeclaredPopulation.of(population),
        DisclosurePolicy.of(policy),
        check_people(people, least=1),
        vocabulary,
        reference_date,
        cells,
        _checked_never_drop(never_drop, asked),
    )
    first = _tried(question, asked, is_first=True)
    if not first.reasons:
        return _decision(question, asked, DecidedAction.ACCEPT, first, first, (), subject)
    for qid in islice(_alternatives(question, asked), _MOST_TRIED):
        other = _tried(question, qid)
        if not other.reasons:
            changes = _changes(asked, qid)
            dropped = any(change.to == DROPPED for change in changes)
            action = DecidedAction.DROP if dropped else DecidedAction.COARSEN
            return _decision(question, asked, action, first, other, changes, subject)
    return _decision(question, asked, DecidedAction.REFUSE, first, None, (), subject)


def _tried(question: _Question, qid: QuasiIdentifier, *, is_first: bool = False) -> _Tried:
    """Return what is known of a quasi-identifier, and why it cannot be accepted.

    The record of the first is looked at in any case, since its numbers go with the decision.
    """
    policy, people = question.policy, question.people
    possible = question.possible(qid)
    bound = policy.by_cells(possible, people)
    kept = possible is not None and not policy.broken(bound)
    if kept and not is_first:
        return _Tried(None, bound, ())
    answer = question.ask(qid)
    has_cells = answer.found and (answer.record.cells is not None or question.cells is not None)
    if not has_cells and kept:
        return _Tried(None, bound, ())
    if not answer.found:
        return _Tried(None, None, (str(answer),))
    if not has_cells or (answer.record.cells is None and not is_first):
        return _Tried(answer, None, (say("repository.answering.decide.no_cells"),))
    prediction = answer.predict(people)
    predicted = policy.measured(prediction, possible)
    reasons = list(policy.broken(predicted))
    if not kept:
        reasons += [step.says for step in prediction.path if step.effect is PathEffect.TOO_LOW]
    return _Tried(answer, predicted, tuple(reasons))


def _decision(
    question: _Question,
    asked: QuasiIdentifier,
    action: DecidedAction,
    first: _Tried,
    taken: _Tried | None,
    changes: tuple[AskedOtherwise, ...],
    subject: str,
) -> RepositoryDecision:
    used = [one.answer for one in (first, taken) if one is not None and one.answer is not None]
    ids = dict.fromkeys(answer.record.id for answer in used)
    path = used[-1].path if used else ()
    notes = [note for answer in used[-1:] for note in answer.notes]
    notes += [step.says for step in path if step.kind != "exact"]
    if taken is not None and taken.answer is None:
        notes.append(say("repository.answering.decide.by_cells"))
    notes.append(say("repository.answering.decide.average"))  # C10
    if question.never_drop:
        names = ", ".join(map(repr, sorted(question.never_drop)))
        notes.append(say("repository.answering.decide.never_drop", names=names))
    return RepositoryDecision(
        action,
        asked,
        question.population,
        question.people,
        question.policy,
        changes,
        first.predicted,
        None if taken is None else taken.predicted,
        tuple(ids),
        path,
        first.reasons,
        tuple(dict.fromkeys(notes)),
        subject,
    )


# ---- other ways to ask


def _alternatives(question: _Question, asked: QuasiIdentifier) -> Iterator[QuasiIdentifier]:
    """Yield coarser quasi-identifiers, those with the least change first."""
    ladders = [_ladder(question, one) for one in asked]
    most = math.prod(len(ladder) for ladder in ladders)
    if most > _MOST_COMBINATIONS:  # then one attribute at a time
        choices = [
            [ladder[0] for ladder in ladders[:index]] + [step] + [ladder[0] for ladder in rest]
            for index, ladder in enumerate(ladders)
            for rest in [ladders[index + 1 :]]
            for step in ladder[1:]
        ]
    else:
        choices = [list(choice) for choice in product(*ladders)]
    choices.sort(key=lambda choice: (sum(loss > 0 for loss, _ in choice), _loss(choice)))
    for choice in choices:
        qid = tuple(one for _, one in choice if one is not None)
        if qid and _loss(choice) > 0:
            yield qid


def _loss(choice: Sequence[tuple[float, CodedAttribute | None]]) -> float:
    return math.fsum(loss for loss, _ in choice)


def _ladder(
    question: _Question, asked: CodedAttribute
) -> list[tuple[float, CodedAttribute | None]]:
    """Return the ways to ask an attribute, with what each loses: as asked 0, dropped 1."""
    codings = {asked.coding: asked}
    vocabulary = question.vocabulary
    if vocabulary is not None and asked.attribute in vocabulary:
        for coding in vocabulary[asked.attribute].ladder:
            known = CodedAttribute(attribute=asked.attribute, coding=coding.name)
            codings.setdefault(coding.name, known)
    for qid, _ in question.source.quasi_identifiers():
        for one in qid:
            if one.attribute == asked.attribute:
                codings.setdefault(
                    one.coding, CodedAttribute(attribute=one.attribute, coding=one.coding)
                )
    coarser = [one for one in codings.values() if is_coarser(one, asked, vocabulary)]
    coarser.sort(key=lambda one: sum(is_coarser(one, other, vocabulary) for other in coarser))
    steps: list[tuple[float, CodedAttribute | None]] = [(0.0, asked)]
    steps += [((index + 1) / (len(coarser) + 1), one) for index, one in enumerate(coarser)]
    return steps if asked.attribute in question.never_drop else [*steps, (1.0, None)]


def _checked_never_drop(never_drop: Iterable[str], asked: QuasiIdentifier) -> frozenset[str]:
    wanted = [never_drop] if isinstance(never_drop, str) else list(never_drop)
    names = [one.attribute for one in asked]
    unknown = next((name for name in wanted if name not in names), None)
    if unknown is not None:
        raise BadChoice(
            f"never_drop has {unknown!r}, which is not asked; asked are: {', '.join(names)}."
            f"{did_you_mean(unknown, names)}"
        )
    return frozenset(wanted)


def _changes(asked: QuasiIdentifier, taken: QuasiIdentifier) -> tuple[AskedOtherwise, ...]:
    now = {one.attribute: one.coding for one in taken}
    return tuple(
        AskedOtherwise(one.attribute, one.coding, now.get(one.attribute, DROPPED))
        for one in asked
        if now.get(one.attribute) != one.coding
    )
