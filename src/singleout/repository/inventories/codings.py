"""Which of two codings of an attribute tells more, and what two inventories have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from singleout.errors import BadChoice
from singleout.repository.documents.coding import Coding
from singleout.repository.documents.record import CodedAttribute

if TYPE_CHECKING:
    from singleout.repository.documents.vocabulary import Vocabulary

__all__ = ["CodedNames", "finest", "in_common", "is_as_fine"]

CodedNames = tuple[CodedAttribute, ...]


def is_as_fine(
    one: CodedAttribute, other: CodedAttribute, vocabulary: Vocabulary | None = None
) -> bool:
    """Whether whoever knows one coding of an attribute knows the other.

    >>> years, bands = CodedAttribute.of("Age"), CodedAttribute.of("Age:width=5")
    >>> is_as_fine(years, bands), is_as_fine(bands, years)
    (True, False)
    """
    if one.coding == other.coding:
        return True
    return _coding(other, vocabulary).coarser_than(_coding(one, vocabulary))


def _coding(one: CodedAttribute, vocabulary: Vocabulary | None) -> Coding:
    if vocabulary is not None and one.attribute in vocabulary:
        try:
            return vocabulary[one.attribute].coding(one.coding)
        except BadChoice:  # a level of another vocabulary
            pass
    return Coding(name=one.coding)


def in_common(
    one: Sequence[CodedAttribute],
    other: Sequence[CodedAttribute],
    vocabulary: Vocabulary | None = None,
) -> CodedNames:
    """Return what two lists of attributes can be compared by, each in the coarser coding."""
    theirs = {each.attribute: each for each in other}
    found = []
    for mine in one:
        its = theirs.get(mine.attribute)
        if its is None:
            continue
        if is_as_fine(mine, its, vocabulary):
            found.append(its)
        elif is_as_fine(its, mine, vocabulary):
            found.append(mine)
    return _plain(found)


def finest(
    lists: Iterable[Sequence[CodedAttribute]], vocabulary: Vocabulary | None = None
) -> CodedNames:
    """Return what several lists of attributes tell together, each in its finest coding."""
    best: dict[str, CodedAttribute] = {}
    for one in (each for each_list in lists for each in each_list):
        known = best.get(one.attribute)
        if known is None or is_as_fine(one, known, vocabulary):
            best[one.attribute] = one
    return _plain(best.values())


def _plain(attributes: Iterable[CodedAttribute]) -> CodedNames:
    """Return attributes in order, without the numbers of possible values."""
    ordered = sorted(attributes, key=lambda one: one.attribute)
    return tuple(CodedAttribute(attribute=one.attribute, coding=one.coding) for one in ordered)
