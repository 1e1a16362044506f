"""How one quasi-identifier relates to another: finer, coarser, or neither."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from singleout.errors import BadChoice
from singleout.report.say import say
from singleout.repository.documents.canonical import content_hash
from singleout.repository.documents.coding import Coding
from singleout.repository.documents.record import CodedAttribute, Record

if TYPE_CHECKING:
    from singleout.repository.documents.vocabulary import Vocabulary

__all__ = ["Related", "Relation", "coded", "is_coarser", "named", "qid_key", "related", "written"]

QuasiIdentifier = tuple[CodedAttribute, ...]


class Relation(StrEnum):
    """How a quasi-identifier relates to the one asked for."""

    EQUAL = "equal"
    FINER = "finer"  # its cells lie within those asked for
    COARSER = "coarser"  # the cells asked for lie within its own


@dataclass(frozen=True)
class Related:
    """A relation, and what differs: each attribute as asked and as found; None where it is not."""

    relation: Relation
    differences: tuple[tuple[CodedAttribute | None, CodedAttribute | None], ...] = ()


def coded(quasi_identifier: Iterable[Any]) -> QuasiIdentifier:
    """Return a quasi-identifier from names, ``"name:coding"`` or coded attributes, in order.

    >>> [str(one) for one in coded(["sex", "age:width=5"])]
    ['age:width=5', 'sex']
    """
    if isinstance(quasi_identifier, str):
        quasi_identifier = quasi_identifier.split(",")
    found = sorted(
        (
            CodedAttribute.of(one.strip() if isinstance(one, str) else one)
            for one in quasi_identifier
        ),
        key=lambda one: one.attribute,
    )
    if not found:
        raise BadChoice("The quasi-identifier is empty; name at least one attribute.")
    names = [one.attribute for one in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadChoice(f"The quasi-identifier has {twice!r} twice; give each attribute once.")
    return tuple(found)


def qid_key(quasi_identifier: Sequence[CodedAttribute]) -> str:
    """Return the hash of the attributes and their codings, as records have it."""
    pairs = [[one.attribute, one.coding] for one in quasi_identifier]
    return content_hash({"quasi_identifier": pairs})


def written(quasi_identifier: Iterable[CodedAttribute]) -> str:
    """Return the attributes as text."""
    return ", ".join(map(str, quasi_identifier))


def named(record: Record) -> str:
    """Return what a record is about, in a few words."""
    about = {"attributes": written(record.quasi_identifier), "population": str(record.population)}
    return say("repository.answering.about", **about)


def related(
    asked: QuasiIdentifier, found: QuasiIdentifier, vocabulary: Vocabulary | None = None
) -> Related | None:
    """Return how ``found`` relates to ``asked``; None if its cells are neither finer nor coarser.

    An attribute that others determine, such as the city of a postcode, makes no difference.
    """
    mine = {one.attribute: one for one in asked}
    other = {one.attribute: one for one in found}
    relations: set[Relation] = set()
    differences = []
    for name in sorted({*mine, *other}):
        here, there = mine.get(name), other.get(name)
        if here == there or _same(here, there):
            continue
        relation = _of_attribute(here, there, vocabulary)
        if relation is None:
            return None
        whole = other if here is None else mine
        if (here is None or there is None) and _determined(name, whole, vocabulary):
            continue
        relations.add(relation)
        differences.append((here, there))
    if len(relations) > 1:
        return None
    return Related(relations.pop() if relations else Relation.EQUAL, tuple(differences))


def _same(here: CodedAttribute | None, there: CodedAttribute | None) -> bool:
    return here is not None and there is not None and here.coding == there.coding


def _of_attribute(
    here: CodedAttribute | None, there: CodedAttribute | None, vocabulary: Vocabulary | None
) -> Relation | None:
    if here is None:
        return Relation.FINER
    if there is None:
        return Relation.COARSER
    if is_coarser(there, here, vocabulary):
        return Relation.COARSER
    return Relation.FINER if is_coarser(here, there, vocabulary) else None


def is_coarser(
    one: CodedAttribute, other: CodedAttribute, vocabulary: Vocabulary | None = None
) -> bool:
    """Whether each group of the other coding of the same attribute lies within one of this."""
    wanted = _coding(other, vocabulary)
    coding: Coding | None = _coding(one, vocabulary)
    for _ in range(50):  # up the tree of levels
        if coding is None or wanted is None or coding.name == wanted.name:
            return False
        if coding.coarser_than(wanted):
            return True
        if coding.kind != "level":
            return False
        below = one.model_copy(update={"coding": coding.of})
        if coding.of == wanted.name:
            return True
        coding = _coding(below, vocabulary)
    return False


def _coding(one: CodedAttribute, vocabulary: Vocabulary | None) -> Coding | None:
    if vocabulary is None or one.attribute not in vocabulary:
        return Coding(name=one.coding)
    try:
        return vocabulary[one.attribute].coding(one.coding)
    except BadChoice:  # a level that the vocabulary does not have
        return None


def _determined(name: str, whole: dict[str, CodedAttribute], vocabulary: Vocabulary | None) -> bool:
    """Whether another attribute, as it is, determines this one."""
    if vocabulary is None:
        return False
    return any(
        one.coding == "identity"
        and one.attribute != name
        and one.attribute in vocabulary
        and name in vocabulary[one.attribute].determines
        for one in whole.values()
    )
