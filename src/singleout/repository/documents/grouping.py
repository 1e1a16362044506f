"""The groups that values of an attribute fall into under a coding: which, and how many."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.table import Column, smallest_codes
from singleout.errors import UnusableColumn
from singleout.repository.documents.canonical import short
from singleout.repository.documents.coding import IDENTITY, PERIODS, Coding, period_of
from singleout.repository.documents.spans import Span
from singleout.repository.documents.values import Scalar, ValueSet, scalar, text_of

if TYPE_CHECKING:
    from singleout.repository.documents.attribute import Attribute

__all__ = [
    "MOST_ENUMERATED",
    "coded_column",
    "each_value",
    "group_of",
    "groups_count",
    "is_coarser",
]

MOST_ENUMERATED = 1_000_000


def group_of(attribute: Attribute, coding: Coding, value: Any) -> Scalar | None:
    """Return the group of a value; None if the coding has none for it."""
    if _is_period(attribute, coding):
        days = ValueSet.of(value).days.spans
        return period_of(coding.name, int(days[0].low)) if days else None
    inner: Scalar | None = scalar(value)
    if coding.of != IDENTITY:
        inner = group_of(attribute, attribute.coding(coding.of), value)
    return None if inner is None else coding.group_of(inner)


def _is_period(attribute: Attribute, coding: Coding) -> bool:
    return attribute.kind == "date" and coding.name in PERIODS and coding.mapping is None


# ---- how many


def groups_count(attribute: Attribute, coding: Coding, values: ValueSet) -> int | None:
    """Return how many groups a set of values reaches; None if that cannot be known."""
    found = _counted(attribute, coding, values)
    if found is not None:
        return found
    if values == attribute.domain:  # nothing is narrowed: what is stated holds
        return attribute.possible if coding.kind == "identity" else coding.possible
    return None


def _counted(attribute: Attribute, coding: Coding, values: ValueSet) -> int | None:
    if values.negated:
        return None
    if coding.kind == "identity":
        return _size(attribute, values)
    if coding.kind == "interval":
        return _intervals(coding, values)
    if _is_period(attribute, coding):
        spans = [
            (period_of(coding.name, int(span.low)), period_of(coding.name, int(span.high)))
            for span in values.days.spans
        ]
        return _distinct(spans)
    listed = each_value(attribute, values)
    if listed is None or not _has_mapping(attribute, coding):
        return None
    return len({_marked(group_of(attribute, coding, value)) for value in listed})


def _has_mapping(attribute: Attribute, coding: Coding) -> bool:
    below = attribute.coding(coding.of)
    return coding.mapping is not None and (
        below.kind != "level" or _is_period(attribute, below) or _has_mapping(attribute, below)
    )


def _marked(group: Scalar | None) -> str | None:
    return None if group is None else text_of(group)


def _size(attribute: Attribute, values: ValueSet) -> int | None:
    return values.size if attribute.is_whole or values.is_finite else None


def _intervals(coding: Coding, values: ValueSet) -> int | None:
    if values.others or values.days.spans:
        return None
    spans = []
    for span in values.numbers.spans:
        if math.isinf(span.low) or math.isinf(span.high):
            return None
        last = coding.index_of(span.high)
        if span.high_open and _starts(coding, span):
            last -= 1
        spans.append((coding.index_of(span.low), last))
    return _distinct(spans)


def _starts(coding: Coding, span: Span) -> bool:
    """Whether an interval starts where a span ends."""
    return coding.group_of(span.high) == span.high


def _distinct(spans: list[tuple[int, int]]) -> int:
    """Return how many numbers are in ranges, each from one number to another, in order."""
    total, reached = 0, None
    for low, high in spans:
        first = low if reached is None else max(low, reached + 1)
        total += max(0, high - first + 1)
        reached = high if reached is None else max(high, reached)
    return total


def each_value(attribute: Attribute, values: ValueSet) -> Iterator[Scalar] | None:
    """Return the values of a set one by one; None if there are too many, or no end of them."""
    size = _size(attribute, values) if not values.negated else None
    if size is None or size > MOST_ENUMERATED:
        return None
    return values.each()


# ---- which is coarser


def is_coarser(attribute: Attribute, coarse: Coding, fine: Coding) -> bool:
    """Whether each group of the fine coding lies within one of the coarse, and they differ."""
    if coarse.name == fine.name:
        return False
    if coarse.coarser_than(fine) or _above(attribute, coarse, fine):
        return True
    if attribute.kind == "date" and coarse.name in PERIODS and fine.name in PERIODS:
        return PERIODS.index(coarse.name) > PERIODS.index(fine.name)
    listed = each_value(attribute, attribute.domain)
    if listed is None or coarse.kind == "identity":
        return False
    outer: dict[str | None, str | None] = {}
    for value in listed:
        one = _marked(group_of(attribute, coarse, value))
        if one is None or outer.setdefault(_marked(group_of(attribute, fine, value)), one) != one:
            return False
    return len(set(outer.values())) < len(outer)


def _above(attribute: Attribute, coarse: Coding, fine: Coding) -> bool:
    """Whether one coding is made of another, by any number of steps."""
    while coarse.of != IDENTITY:
        coarse = attribute.coding(coarse.of)
        if coarse.name == fine.name or coarse.coarser_than(fine):
            return True
    return False


# ---- columns


def coded_column(attribute: Attribute, coding: Coding, column: Column) -> Column:
    """Return a column with its values coded; missing stays missing."""
    groups = [_group_in(attribute, coding, value, column.name) for value in column.values]
    book = sorted({text_of(group): group for group in groups}.items())
    index = {text: code for code, (text, _) in enumerate(book)}
    recoded = np.array(
        [index[text_of(group)] for group in groups] + [len(book)] * column.has_missing,
        dtype=np.uint32,
    )
    codes = smallest_codes(recoded[column.codes], len(book) + column.has_missing)
    return Column(
        column.name,
        codes,
        tuple(group for _, group in book),
        has_missing=column.has_missing,
        role=column.role,
    )


def _group_in(attribute: Attribute, coding: Coding, value: Any, name: str) -> Scalar:
    group = group_of(attribute, coding, value) if value in attribute.domain else None
    if group is None:
        raise UnusableColumn(
            f"Column {name!r} has the value {short(str(value))}, which the vocabulary does not "
            f"have under {attribute.name!r} as {coding.name!r}; add it, or leave it out."
        )
    return group
