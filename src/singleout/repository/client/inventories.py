"""Inventories of a repository, matched with what it knows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
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
    from singleout.repository.client.repository import Repository
    from singleout.repository.store.stored import Receipt

__all__ = ["Inventory"]

_UNREGISTERED = "yours"


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
        words = self._repository.vocabulary_for([*names, *chosen.entry.population.attributes])
        published = self._repository.quasi_identifiers()
        ask = _asker(self._repository, people)
        return match(chosen, others, published, ask, vocabulary=words, share=share)

    def demand(self) -> DemandList:
        """Return the combinations that are asked for and no record is about."""

        def is_known(names: CodedNames, population: DeclaredPopulation) -> bool:
            answer = self._repository.query(names, population)
            asked = {*map(str, names)}
            return answer.found and {*map(str, answer.record.quasi_identifier)} == asked

        return demand(self.entries(), is_known)


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
    if not answer.found:
        return None
    number = people or answer.record.people
    if number is None:
        return None
    try:
        predicted = answer.predict(number)
    except UndefinedMeasure:  # a legacy record that does not say how many cells there are
        return None
    return KnownRisk(predicted.share, number, answer.exact)
