"""Inventories of a repository, matched with what it knows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.errors import BadChoice, UndefinedMeasure, did_you_mean
from singleout.repository.documents.bodies import InventoryEntry
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.inventories.codings import CodedNames
from singleout.repository.inventories.entries import inventory_of
from singleout.repository.inventories.matching import (
    AskRisk,
    RegisteredInventory,
    demand,
    match,
)
from singleout.repository.inventories.results import DemandList, InventoryMatch, KnownRisk

if TYPE_CHECKING:
    from singleout.repository.answering.answer import RepositoryAnswer
    from singleout.repository.answering.compose import Composition
    from singleout.repository.client.repository import Repository
    from singleout.repository.store.kept.stored import Receipt

__all__ = ["Inventory"]

_UNREGISTERED = "yours"
_SIGNS = {"coarser": "≥", "finer": "≤", "super-population": "≈", "date": "≈"}


InventoryLike = InventoryEntry | Mapping[str, Any] | str | Path


class Inventory:
    """The data sets, questionnaires and releases of a repository: ``repository.inventory``.

    Parameters
    ----------
    repository
        Whose inventory it is.
    """

    def __init__(self, repository: Repository) -> None:
        self._repository = repository

    def add(self, entry: InventoryLike) -> Receipt:
        """Register a data set, a questionnaire or a release: an entry, plain values or a file."""
        return self._repository.submit(inventory_of(entry))

    def __iter__(self) -> Iterator[RegisteredInventory]:
        return iter(self.entries())

    def __len__(self) -> int:
        return len(self.entries())

    def entries(self) -> list[RegisteredInventory]:
        """Return everything that is registered; of corrections, the latest."""
        found = [
            RegisteredInventory(each.id, each.holder, InventoryEntry.model_validate(each.body))
            for each in self._repository.store.inventories()
        ]
        replaced = {each.entry.supersedes for each in found}
        return [each for each in found if each.id not in replaced]

    def match(
        self, entry: InventoryLike, *, people: int | None = None, share: float = 0.05
    ) -> InventoryMatch:
        """Match an entry, registered or not, with what is published and what others hold.

        Parameters
        ----------
        entry
            The identity or the name of a registered one; an entry, plain values or a file.
        people
            How many answer; everybody in the population of a record by default.
        share
            The share of unique people from which a combination counts as identifying.
        """
        others = self.entries()
        chosen = _chosen(entry, others)
        names = [one.attribute for one in chosen.entry.attributes]
        words = self._repository.vocabulary_for(names, chosen.entry.population)
        published = self._repository.quasi_identifiers()
        ask = _asker(self._repository, people)
        return match(chosen, others, published, ask, vocabulary=words, share=share)

    def demand(self) -> DemandList:
        """Return the combinations that are asked for and no record is about."""

        def is_known(names: CodedNames, population: DeclaredPopulation) -> bool:
            answer = self._repository.query(names, population)
            asked = {*map(str, names)}
            return answer.found and {*map(str, answer.record.quasi_identifier)} == asked

        store = self._repository.store
        return replace(demand(self.entries(), is_known), asked=tuple(store.demand()))


def _chosen(given: InventoryLike, others: list[RegisteredInventory]) -> RegisteredInventory:
    if isinstance(given, InventoryEntry | Mapping):
        return RegisteredInventory("", _UNREGISTERED, inventory_of(given))
    wanted = os.fspath(given)
    for each in others:
        if wanted in (each.id, each.entry.name):
            return each
    if Path(wanted).exists():
        return RegisteredInventory("", _UNREGISTERED, inventory_of(given))
    names = [each.entry.name for each in others]
    raise BadChoice(
        f"{wanted!r} is neither a file nor a registered inventory.{did_you_mean(wanted, names)}"
    )


def _asker(repository: Repository, people: int | None) -> AskRisk:
    """Return what a repository predicts for quasi-identifiers; each is asked for once."""
    known: dict[tuple[str, str], KnownRisk | None] = {}

    def ask(names: CodedNames, population: DeclaredPopulation) -> KnownRisk | None:
        place = "+".join(map(str, names)), population.key
        if place not in known:
            known[place] = _risk(repository, names, population, people)
        return known[place]

    return ask


def _risk(
    repository: Repository, names: CodedNames, population: DeclaredPopulation, people: int | None
) -> KnownRisk | None:
    answer = repository.query(names, population)
    number = people or (answer.record.people if answer.found else None)
    if number is None:
        return None
    kinds = {step.kind for step in answer.path}
    try:
        if "coarser" in kinds and (together := _put_together(repository, names, answer)):
            return KnownRisk(together.predict(number).share, number, "≈")
        share = answer.predict(number).share
    except (UndefinedMeasure, BadChoice):  # a legacy record without its number of cells
        return None
    sign = next((_SIGNS[kind] for kind in _SIGNS if kind in kinds), "=")
    return KnownRisk(share, number, sign)


def _put_together(
    repository: Repository, names: CodedNames, answer: RepositoryAnswer
) -> Composition | None:
    """Return the composition of a coarser record with one of each attribute that it lacks."""
    known = {str(one) for one in answer.record.quasi_identifier}
    left = [one for one in names if str(one) not in known]
    if {one.attribute for one in left} & set(answer.record.columns):
        return None  # it has the attribute in a coarser coding
    others = [repository.query([one], answer.population) for one in left]
    if not all(other.found and not _is_coarser(other) for other in others):
        return None
    return repository.compose([answer.record, *(other.record for other in others)])


def _is_coarser(answer: RepositoryAnswer) -> bool:
    return any(step.kind == "coarser" for step in answer.path)
