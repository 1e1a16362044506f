"""Match inventories with what is published and with each other. Koot (2012), section 7.3.1.

An inventory reveals a quasi-identifier if it has all its attributes, each at least as fine. It can
be linked to an identified data set by what both have, in the coarser coding, about people who can
be in both. Whether that identifies anybody is asked of the repository.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.inventories.codings import CodedNames, finest, in_common, is_as_fine
from singleout.repository.inventories.results import (
    DemandList,
    InventoryMatch,
    JointRisk,
    KnownRisk,
    LinkableData,
    TouchedIdentifier,
    UnansweredQuestion,
    most_identifying,
)

if TYPE_CHECKING:
    from singleout.repository.documents.bodies import InventoryEntry
    from singleout.repository.documents.vocabulary import Vocabulary

__all__ = ["AskRisk", "RegisteredInventory", "asked_together", "demand", "joint_risks", "match"]

AskRisk = Callable[[CodedNames, DeclaredPopulation], KnownRisk | None]
_MOST_AT_ONCE = 3  # inventories that are looked at together, besides all of them


@dataclass(frozen=True)
class RegisteredInventory:
    """An entry of the inventory, with its identity and who registered it."""

    id: str
    holder: str
    entry: InventoryEntry


def match(
    inventory: RegisteredInventory,
    others: Sequence[RegisteredInventory],
    published: Iterable[tuple[CodedNames, int]],
    ask: AskRisk,
    *,
    vocabulary: Vocabulary | None = None,
    share: float = 0.05,
) -> InventoryMatch:
    """Match an inventory with published quasi-identifiers and with other inventories.

    Parameters
    ----------
    inventory
        What is matched; it may be among the others.
    others
        All that is registered.
    published
        Quasi-identifiers, and how many records there are of each.
    ask
        What the repository predicts for a quasi-identifier in a population.
    vocabulary
        What the codings are from.
    share
        The share of unique people from which a combination is identifying.
    """
    entry = inventory.entry
    touched = [
        TouchedIdentifier(quasi_identifier, records, finer, ask(quasi_identifier, entry.population))
        for quasi_identifier, records in published
        for finer in _revealed(entry, quasi_identifier, vocabulary)
    ]
    links = list(_links(inventory, others, ask, vocabulary))
    same_holder = [one for one in others if one.holder == inventory.holder]
    joint = [
        risk
        for risk in joint_risks(same_holder, ask, vocabulary=vocabulary, share=share)
        if entry.name in risk.names
    ]
    return InventoryMatch(
        entry,
        tuple(sorted(touched, key=_most_first)),
        tuple(sorted(links, key=_most_first)),
        tuple(joint),
    )


def _most_first(one: TouchedIdentifier | LinkableData) -> tuple[float, str]:
    columns = one.quasi_identifier if isinstance(one, TouchedIdentifier) else one.shared
    return (-(one.risk.unique if one.risk else -1.0), str([str(column) for column in columns]))


def asked_together(entry: InventoryEntry) -> list[CodedNames]:
    """Return the combinations that an inventory asks for: those it names, or all at once."""
    if not entry.combinations:
        return [finest([entry.attributes])]
    by_name = {one.attribute: one for one in entry.attributes}
    return [finest([[by_name[name] for name in names]]) for names in entry.combinations]


def _revealed(
    entry: InventoryEntry, quasi_identifier: CodedNames, vocabulary: Vocabulary | None
) -> Iterator[bool]:
    """Yield once, if the quasi-identifier is revealed: whether in more detail than it has."""
    for asked in asked_together(entry):
        mine = {one.attribute: one for one in asked}
        if all(
            one.attribute in mine and is_as_fine(mine[one.attribute], one, vocabulary)
            for one in quasi_identifier
        ):
            yield any(mine[one.attribute].coding != one.coding for one in quasi_identifier)
            return


def _links(
    inventory: RegisteredInventory,
    others: Iterable[RegisteredInventory],
    ask: AskRisk,
    vocabulary: Vocabulary | None,
) -> Iterator[LinkableData]:
    entry = inventory.entry
    for other in others:
        if other.id == inventory.id or not other.entry.identified:
            continue
        shared = max(
            (
                in_common(asked, other.entry.attributes, vocabulary)
                for asked in asked_together(entry)
            ),
            key=len,
        )
        both = entry.population.intersection(other.entry.population, vocabulary)
        if shared and both is not None:
            yield LinkableData(
                other.id, other.entry.name, other.holder, shared, both, ask(shared, both)
            )


# ---- several inventories


def joint_risks(
    inventories: Sequence[RegisteredInventory],
    ask: AskRisk,
    *,
    vocabulary: Vocabulary | None = None,
    share: float = 0.05,
) -> list[JointRisk]:
    """Return what questionnaires and releases of one holder reveal together but not one by one."""
    by_holder: dict[str, list[RegisteredInventory]] = {}
    for one in inventories:
        if one.entry.what != "dataset":
            by_holder.setdefault(one.holder, []).append(one)
    found = [
        risk
        for holder, theirs in by_holder.items()
        for group in _groups(theirs)
        if (risk := _joint(holder, group, ask, vocabulary, share)) is not None
    ]
    return _smallest(found)


def _groups(theirs: Sequence[RegisteredInventory]) -> Iterator[tuple[RegisteredInventory, ...]]:
    for size in range(2, min(_MOST_AT_ONCE, len(theirs)) + 1):
        yield from combinations(theirs, size)
    if len(theirs) > _MOST_AT_ONCE:
        yield tuple(theirs)


def _joint(
    holder: str,
    group: Sequence[RegisteredInventory],
    ask: AskRisk,
    vocabulary: Vocabulary | None,
    share: float,
) -> JointRisk | None:
    people: DeclaredPopulation | None = DeclaredPopulation.of(None)
    for one in group:
        people = None if people is None else people.intersection(one.entry.population, vocabulary)
    everything = finest((one.entry.attributes for one in group), vocabulary)
    each = [finest([one.entry.attributes], vocabulary) for one in group]
    if people is None or everything in each:  # nothing is added
        return None
    together = ask(everything, people)
    alone = most_identifying(ask(one, people) for one in each)
    if together is None or alone is None or not alone.unique < share <= together.unique:
        return None
    if together.sign == "≤" or alone.sign == "≥":  # the bounds are on the wrong side
        return None
    return JointRisk(holder, tuple(one.entry.name for one in group), everything, together, alone)


def _smallest(risks: Sequence[JointRisk]) -> list[JointRisk]:
    """Return those that no smaller group explains."""
    return [
        one
        for one in risks
        if not any(
            other.holder == one.holder and set(other.names) < set(one.names) for other in risks
        )
    ]


def demand(
    inventories: Iterable[RegisteredInventory],
    is_known: Callable[[CodedNames, DeclaredPopulation], bool],
) -> DemandList:
    """Return the combinations that are asked for without a record, the most asked for first.

    Parameters
    ----------
    inventories
        All that is registered.
    is_known
        Whether a record is about a quasi-identifier in a population, or in one around it.
    """
    asked: dict[tuple[CodedNames, DeclaredPopulation], list[str]] = {}
    for one in inventories:
        if one.entry.what == "dataset":  # it asks nobody
            continue
        for names in asked_together(one.entry):
            asked.setdefault((names, one.entry.population), []).append(one.entry.name)
    questions = [
        UnansweredQuestion(names, population, tuple(dict.fromkeys(by)))
        for (names, population), by in asked.items()
        if not is_known(names, population)
    ]
    ordered = sorted(questions, key=lambda one: (-len(one.names), str(one.to_dict())))
    return DemandList(tuple(ordered))
