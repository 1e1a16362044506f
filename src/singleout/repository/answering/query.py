"""Find the record that answers a question: exact, of a larger population, finer or coarser (D4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from singleout.core.arguments import whole
from singleout.report.say import say
from singleout.repository.answering.answer import RepositoryAnswer, most_pessimistic
from singleout.repository.answering.memory import RecordSource, ask_for_records
from singleout.repository.answering.paths import staleness
from singleout.repository.answering.relations import (
    QuasiIdentifier,
    Related,
    Relation,
    coded,
    qid_key,
    related,
    written,
)
from singleout.repository.documents.population import DeclaredPopulation, PopulationLike
from singleout.repository.documents.record import Record

if TYPE_CHECKING:
    from singleout.repository.documents.vocabulary import Vocabulary

__all__ = ["Demand", "candidates", "find"]

Demand = Callable[[QuasiIdentifier, DeclaredPopulation], None]

_MOST_NEAREST = 5
_NO_DATE = date(1, 1, 1)


def find(
    source: RecordSource,
    quasi_identifier: Iterable[Any],
    population: PopulationLike = None,
    *,
    vocabulary: Vocabulary | None = None,
    reference_date: date | None = None,
    people: int | None = None,
    cells: int | None = None,
    demand: Demand | None = None,
) -> RepositoryAnswer:
    """Return what is known of a quasi-identifier in a population.

    A record of exactly that; else of the nearest larger population; else of a finer
    quasi-identifier, which overstates unique people, or of a coarser one, which understates them.

    Parameters
    ----------
    source
        A store, a client or a `RecordList`.
    quasi_identifier
        Names of attributes, as ``"age"`` or ``"age:width=5"``, or coded attributes.
    population
        Who is asked about; None for everybody.
    vocabulary
        The words that are shared: which codings are coarser, which attributes determine which.
    reference_date
        The day it is asked for: the nearest record is taken, and its age is said. Today if absent.
    people
        How many people there will be: what each step does is then computed for that many.
    cells
        N: how many cells are possible, for records that do not say so.
    demand
        Called where nothing is found, to note that it was asked for.
    """
    asked = coded(quasi_identifier)
    wanted = DeclaredPopulation.of(population)
    number = None if people is None else whole(people, "people", at_least=0)
    for relation, qid in candidates(source, asked, vocabulary):
        remarks: dict[str, tuple[str, ...]] = {}
        records = ask_for_records(source, qid_key(qid), wanted, vocabulary, remarks)
        if not records:
            continue
        chosen = _nearest(records, wanted, reference_date, vocabulary)
        notes = (
            *staleness(chosen[0], reference_date, vocabulary),
            *(why for one in chosen for why in remarks.get(one.id, ())),
        )
        return RepositoryAnswer(
            asked,
            wanted,
            most_pessimistic(chosen, cells),
            relation,
            notes,
            vocabulary=vocabulary,
            people=number,
            cells=cells,
        )
    if demand is not None:
        demand(asked, wanted)
    return RepositoryAnswer(
        asked, wanted, nearest=_what_is_nearest(source, asked), vocabulary=vocabulary, people=number
    )


def candidates(
    source: RecordSource, asked: QuasiIdentifier, vocabulary: Vocabulary | None
) -> Iterator[tuple[Related, QuasiIdentifier]]:
    """Yield quasi-identifiers that can answer: the one asked for, finer and then coarser ones."""
    yield Related(Relation.EQUAL), asked
    found = []
    for each, _ in source.quasi_identifiers():
        qid = tuple(each)
        relation = related(asked, qid, vocabulary)
        if relation is not None and qid_key(qid) != qid_key(asked):
            found.append((relation, qid))
    order = (Relation.EQUAL, Relation.FINER, Relation.COARSER)
    found.sort(
        key=lambda pair: (
            order.index(pair[0].relation),
            len(pair[0].differences),
            written(pair[1]),
        )
    )
    yield from found


def _nearest(
    records: Sequence[Record],
    population: DeclaredPopulation,
    on: date | None,
    vocabulary: Vocabulary | None,
) -> list[Record]:
    """Return the records of one population and one day: the smallest, and the nearest in time."""
    if len(records) == 1:
        return list(records)

    def distance(record: Record) -> tuple[bool, float, int, str]:
        larger = not population.contains(record.population, vocabulary)
        people = record.numbers.people
        size = float("inf") if people is None else float(people)
        terms = len(record.population.root)
        return larger, size if larger else 0.0, -terms, record.population.key

    best = min(records, key=distance)
    same = [each for each in records if each.population == best.population]
    if not population.contains(best.population, vocabulary):
        same = [each for each in same if best.population.contains(each.population, vocabulary)]
    day = _nearest_day(same, on)
    return [each for each in same if each.reference_date == day]


def _nearest_day(records: Sequence[Record], on: date | None) -> date | None:
    days = {each.reference_date for each in records if each.reference_date is not None}
    if not days:
        return None
    if on is None:
        return max(days)
    return min(days, key=lambda day: (abs((day - on).days), -day.toordinal()))


def _what_is_nearest(source: RecordSource, asked: QuasiIdentifier) -> tuple[str, ...]:
    """Return sentences on quasi-identifiers that share most attributes with the one asked for."""
    names = {one.attribute for one in asked}
    near = []
    for each, number in source.quasi_identifiers():
        others = {one.attribute for one in each}
        shared = len(names & others)
        if shared:
            near.append((-shared, len(others ^ names), written(each), number))
    return tuple(
        say("repository.answering.near", found=found, n=number)
        for _, _, found, number in sorted(near)[:_MOST_NEAREST]
    )
