"""What a population says of attributes that it does not name: a postcode determines its city.

Terms are followed along "determines", forwards and backwards, until nothing changes. The answer to
"can anybody be in it?" is exact unless two attributes each determine the same two others; then a
contradiction may go unseen, and a population counts as possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from singleout.repository.documents.values import EVERYTHING, Scalar, ValueSet, text_of

if TYPE_CHECKING:
    from singleout.repository.documents.attribute import Attribute

__all__ = ["Determination", "closed_under", "determinations", "families"]

_REMEMBERED = 1_000  # answers of each determination
_FEW = 200  # values that are looked up one by one


@dataclass(eq=False)
class Determination:
    """One attribute determines another by a mapping of values."""

    name: str
    other: str
    mapping: Mapping[str, Scalar]
    whole: bool = False  # whether the numbers that determine are whole
    _allowed: dict[ValueSet, ValueSet] = field(default_factory=dict, repr=False)
    _images: dict[ValueSet, ValueSet | None] = field(default_factory=dict, repr=False)

    @cached_property
    def origins(self) -> dict[str, ValueSet]:
        """The values that determine each value of the other attribute."""
        keys: dict[str, list[str]] = {}
        for key, value in self.mapping.items():
            keys.setdefault(text_of(value), []).append(key)
        return {value: ValueSet.of_many(found) for value, found in keys.items()}

    def _pointwise(self, mine: ValueSet) -> list[Scalar] | None:
        """Return the values of a small set, to be looked up one by one."""
        size = mine.size
        if size is None or size > _FEW or not (self.whole or mine.is_finite):
            return None
        return list(mine.each())

    @cached_property
    def mapped(self) -> ValueSet:
        """The values that determine the other attribute."""
        return ValueSet.of_many(self.mapping)

    def narrowed(self, mine: ValueSet, others: ValueSet) -> ValueSet:
        """Return the values of a set that leave the other attribute within another."""
        points = self._pointwise(mine)
        if points is None:
            return mine & self._leaving(others)
        kept = [(value, self.mapping.get(text_of(value))) for value in points]
        return ValueSet.of_many(v for v, other in kept if other is None or other in others)

    def _leaving(self, others: ValueSet) -> ValueSet:
        found = self._allowed.get(others)
        if found is None:
            outside = (keys for value, keys in self.origins.items() if value not in others)
            found = ValueSet.union(outside).complement()
            _remember(self._allowed, others, found)
        return found

    def image(self, mine: ValueSet) -> ValueSet | None:
        """Return the values that a set determines; None if some of its values determine nothing."""
        points = self._pointwise(mine)
        if points is not None:
            found = [self.mapping.get(text_of(value)) for value in points]
            return None if None in found else ValueSet.of_many(found)
        if mine not in self._images:
            unmapped = mine - self.mapped
            total = (unmapped.discrete() if self.whole else unmapped).is_empty
            image = (
                ValueSet.of_many(value for value, keys in self.origins.items() if mine.meets(keys))
                if total
                else None
            )
            _remember(self._images, mine, image)
        return self._images[mine]


def _remember(memory: dict[ValueSet, Any], key: ValueSet, answer: Any) -> None:
    if len(memory) >= _REMEMBERED:
        memory.clear()
    memory[key] = answer


def determinations(attributes: Mapping[str, Attribute]) -> Iterator[Determination]:
    """Yield what is known to determine what, value by value."""
    for name, attribute in attributes.items():
        for other, mapping in attribute.determines.items():
            if isinstance(mapping, dict) and mapping:
                yield Determination(name, other, mapping, bool(attribute.is_whole))


def families(rules: Iterable[Determination]) -> dict[str, frozenset[str]]:
    """Return for each attribute those that it is linked with by determinations, itself included."""
    linked: dict[str, frozenset[str]] = {}
    for rule in rules:
        family = linked.get(rule.name, frozenset([rule.name])) | linked.get(
            rule.other, frozenset([rule.other])
        )
        linked.update(dict.fromkeys(family, family))
    return linked


def closed_under(
    sets: Mapping[str, ValueSet],
    attributes: Mapping[str, Attribute],
    rules: tuple[Determination, ...],
) -> dict[str, ValueSet]:
    """Return the values that are left for each attribute that terms say something about."""
    left = {name: _possible(name, values, attributes) for name, values in sets.items()}
    waiting = list(rules)
    while waiting:
        changed: set[str] = set()
        for rule in waiting:
            changed |= _follow(left, attributes, rule)
        waiting = [rule for rule in rules if {rule.name, rule.other} & changed]
    return left


def _follow(
    left: dict[str, ValueSet], attributes: Mapping[str, Attribute], rule: Determination
) -> set[str]:
    """Narrow both sides of a determination; return the attributes that changed."""
    before = {name: left.get(name) for name in (rule.name, rule.other)}
    if before == {rule.name: None, rule.other: None}:
        return set()
    mine = before[rule.name]
    if mine is None:
        mine = _possible(rule.name, EVERYTHING, attributes)
    others = before[rule.other]
    if others is not None:
        mine = _possible(rule.name, rule.narrowed(mine, others), attributes)
    left[rule.name] = mine
    image = rule.image(mine)
    if image is not None:
        left[rule.other] = _possible(
            rule.other, image if others is None else others & image, attributes
        )
    return {name for name, values in before.items() if left.get(name) != values}


def _possible(name: str, values: ValueSet, attributes: Mapping[str, Attribute]) -> ValueSet:
    attribute = attributes.get(name)
    if attribute is None:
        return values
    left = values & attribute.domain
    return left.discrete() if attribute.is_whole else left
