"""How many cells a quasi-identifier can have in a population (C1).

Attributes that determine one another are counted together: the cells of postcode by city are as
many as there are postcodes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING

from singleout.repository.documents.grouping import (
    each_value,
    group_of,
    groups_count,
)
from singleout.repository.documents.values import EVERYTHING, Scalar, ValueSet, text_of

if TYPE_CHECKING:
    from singleout.repository.documents.closure import Determination
    from singleout.repository.documents.coding import Coding
    from singleout.repository.documents.population import DeclaredPopulation
    from singleout.repository.documents.vocabulary import Vocabulary

__all__ = ["cells_of"]

_MOST_ROWS = 200_000


def cells_of(
    vocabulary: Vocabulary, coded: Sequence[tuple[str, str]], population: DeclaredPopulation
) -> int | None:
    """Return the number of possible combinations of codes, or None if it cannot be known."""
    codings = {name: vocabulary[name].coding(coding) for name, coding in coded}
    narrowed = {
        name: values & vocabulary.anywhere.get(name, EVERYTHING)
        for name, values in population.sets.items()
    }
    left = (
        vocabulary.closed({**vocabulary.anywhere, **narrowed}) if narrowed else vocabulary.anywhere
    )
    if any(values.is_empty for values in left.values()):
        return 0
    followed = _followed(vocabulary, codings)
    if followed is None:
        return None
    sizes = [
        _together(vocabulary, group, {n: c for n, c in followed.items() if n in group}, left)
        for group in _components(vocabulary, followed)
    ]
    return None if None in sizes else prod(size for size in sizes if size is not None)


def _followed(vocabulary: Vocabulary, codings: dict[str, Coding]) -> dict[str, Coding] | None:
    """Return the attributes but those that follow from others in a way that is not listed."""
    kept = dict(codings)
    for name, coding in codings.items():
        for other, mapping in vocabulary[name].determines.items():
            if mapping == "unknown" and other in kept and other != name:
                if coding.kind != "identity":
                    return None  # how many go together is not known
                del kept[other]
    return kept


def _components(vocabulary: Vocabulary, codings: Iterable[str]) -> list[set[str]]:
    """Return the attributes with all that they determine, those that meet together."""
    groups: list[set[str]] = []
    for name in codings:
        reached = {name}
        waiting = [name]
        while waiting:
            here = waiting.pop()
            for rule in vocabulary.rules:
                if rule.name == here and rule.other not in reached:
                    reached.add(rule.other)
                    waiting.append(rule.other)
        apart = [group for group in groups if not group & reached]
        groups = [*apart, reached.union(*(group for group in groups if group & reached))]
    return groups


def _together(
    vocabulary: Vocabulary, names: set[str], codings: dict[str, Coding], left: dict[str, ValueSet]
) -> int | None:
    if len(codings) == 1:  # what it determines does not split it
        ((name, coding),) = codings.items()
        return groups_count(vocabulary[name], coding, left[name])
    rules = [rule for rule in vocabulary.rules if {rule.name, rule.other} <= names]
    rows: list[dict[str, Scalar]] = [{}]
    for name in _in_order(names, rules):
        extended = _extended(vocabulary, rows, name, rules, left)
        if extended is None:
            return None
        rows = extended
    seen = {
        tuple(_code(vocabulary, name, coding, row[name]) for name, coding in codings.items())
        for row in rows
    }
    return len(seen)


def _code(vocabulary: Vocabulary, name: str, coding: Coding, value: Scalar) -> str | None:
    group = group_of(vocabulary[name], coding, value)
    return None if group is None else text_of(group)


def _in_order(names: set[str], rules: list[Determination]) -> Iterator[str]:
    """Yield attributes, those that determine others first."""
    waiting = sorted(names)
    while waiting:
        free = [
            name
            for name in waiting
            if not any(rule.other == name and rule.name in waiting for rule in rules)
        ]
        for name in free or waiting[:1]:  # two may determine each other
            waiting.remove(name)
            yield name


def _extended(
    vocabulary: Vocabulary,
    rows: list[dict[str, Scalar]],
    name: str,
    rules: list[Determination],
    left: dict[str, ValueSet],
) -> list[dict[str, Scalar]] | None:
    """Return the combinations with one more attribute; None if there are too many to list."""
    back = [rule for rule in rules if rule.other == name]
    forth = [rule for rule in rules if rule.name == name]
    extended: list[dict[str, Scalar]] = []
    every: list[Scalar] | None = None
    for row in rows:
        fixed = {
            text_of(value): value
            for rule in back
            if rule.name in row and (value := rule.mapping.get(text_of(row[rule.name]))) is not None
        }
        if not fixed and every is None:
            listed = each_value(vocabulary[name], left[name])
            if listed is None:
                return None
            every = list(listed)
        chosen = list(fixed.values()) if fixed else every or []
        extended += [
            {**row, name: value}
            for value in (chosen if len(fixed) < 2 else [])
            if value in left[name] and _agrees(row, value, forth)
        ]
        if len(extended) > _MOST_ROWS:
            return None
    return extended


def _agrees(row: dict[str, Scalar], value: Scalar, rules: list[Determination]) -> bool:
    return all(
        text_of(rule.mapping.get(text_of(value), row[rule.other])) == text_of(row[rule.other])
        for rule in rules
        if rule.other in row
    )
