"""Whether a record may join those published: the budget of its people, and differences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from singleout.errors import BadChoice, NotAllowed
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import Record
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.repository.gate.ledger import (
    ROUNDING,
    LedgerEntry,
    charge,
    check_budget,
    check_differences,
    over_budget,
    readable_by,
    readers_of,
)
from singleout.repository.gate.refusal import Refusal
from singleout.repository.gate.tiers import TIERS

__all__ = ["KeepsLedger", "entry_of", "refusals_in", "refusals_of"]

Entry = LedgerEntry[DeclaredPopulation]


class KeepsLedger(Protocol):
    """What a repository is asked before a record is made for it."""

    def ledger(self, population: DeclaredPopulation) -> Iterable[Entry]:
        """Return all records, of any holder and date, that share people with a population."""


def entry_of(record: Record) -> Entry | None:
    """Return what the ledger has to know of a record; None if it went through no gate."""
    if record.gate.tier not in TIERS:
        return None
    return LedgerEntry(
        record.population,
        record.gate.cost,
        record.gate.tier,
        record.people or 0,
        record.numbers.sd.people or 0.0,
    )


def refusals_in(
    repository: Any,
    record: Record,
    vocabulary: Vocabulary | None = None,
    before: Iterable[Record] = (),
) -> tuple[Refusal, ...]:
    """Return why a repository would refuse a record after others, as far as it can be asked.

    A file is asked for its ledger, and a service for what these people have to bear; a personal
    repository keeps neither, and None is no repository.
    """
    store = getattr(repository, "store", repository)
    kept = [entry for entry in map(entry_of, before) if entry is not None]
    if store is None or getattr(store, "personal", False):
        return refusals_of(record, kept, vocabulary)
    if hasattr(store, "ledger"):
        return refusals_of(record, [*store.ledger(record.population), *kept], vocabulary)
    if not hasattr(store, "charge"):
        raise BadChoice(
            f"repository must be a Repository or a Store, not a {type(repository).__name__}."
        )
    found = refusals_of(record, kept, vocabulary)
    over = None if found else _over_budget(store, record, kept, vocabulary)
    return found if over is None else (over,)


def _over_budget(
    store: Any, record: Record, before: Sequence[Entry], vocabulary: Vocabulary | None
) -> Refusal | None:
    """Return a refusal if the service says that a budget is spent, in any tier that can read it.

    What the registered tier has borne is told to those who have a token only; without one it is
    checked when the record is submitted.
    """

    def disjoint(one: DeclaredPopulation, other: DeclaredPopulation) -> bool:
        return one.is_disjoint(other, vocabulary)

    new = entry_of(record)
    if new is None:
        return None
    for tier in readers_of(new):
        batch = [(e.population, e.cost) for e in readable_by(before, tier)]
        together = charge((new.population, new.cost), batch, disjoint)
        try:
            spent = store.charge(record.population, together, tier.name)
        except NotAllowed:
            continue
        if spent > tier.total + ROUNDING:
            return over_budget(new, spent, tier)
    return None


def refusals_of(
    record: Record, published: Iterable[Entry], vocabulary: Vocabulary | None = None
) -> tuple[Refusal, ...]:
    """Return why a record may not join the published ones; nothing if it may."""
    new, entries = entry_of(record), list(published)
    if new is None:
        return ()

    def disjoint(one: DeclaredPopulation, other: DeclaredPopulation) -> bool:
        return one.is_disjoint(other, vocabulary)

    def contains(whole: DeclaredPopulation, part: DeclaredPopulation) -> bool:
        return whole.contains(part, vocabulary)

    def covered(whole: DeclaredPopulation, parts: Sequence[DeclaredPopulation]) -> bool:
        left: list[Any] = [whole]
        for part in parts:
            left = [piece for one in left for piece in _without(one, part, vocabulary)]
        return not left

    found = (
        check_budget(new, entries, disjoint),
        check_differences(new, entries, contains=contains, disjoint=disjoint, covered=covered),
    )
    return tuple(refusal for refusal in found if refusal is not None)


def _without(
    one: DeclaredPopulation, part: DeclaredPopulation, vocabulary: Vocabulary | None
) -> tuple[DeclaredPopulation, ...]:
    if one.is_disjoint(part, vocabulary):
        return (one,)
    return one.difference(part, vocabulary)
