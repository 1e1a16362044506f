"""What a population says of attributes that it does not name: a postcode determines its city."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from singleout.repository.documents.values import EVERYTHING, ValueSet

if TYPE_CHECKING:
    from singleout.repository.documents.vocabulary import Attribute

__all__ = ["closed_under"]


def closed_under(
    sets: Mapping[str, ValueSet], attributes: Mapping[str, Attribute]
) -> dict[str, ValueSet]:
    """Return the values that are left for each attribute; nothing if there is a contradiction."""
    left = {
        name: values & attributes[name].domain if name in attributes else values
        for name, values in sets.items()
    }
    rules = [
        (name, other, mapping)
        for name, attribute in attributes.items()
        for other, mapping in attribute.determines.items()
        if mapping is not None
    ]
    while True:
        before = dict(left)
        for name, other, mapping in rules:
            _follow(left, attributes, (name, other, mapping))
        if left == before:
            return left


def _follow(
    left: dict[str, ValueSet],
    attributes: Mapping[str, Attribute],
    rule: tuple[str, str, Mapping[str, Any]],
) -> None:
    name, other, mapping = rule
    if name not in left and other not in left:
        return
    mine = left.get(name, attributes[name].domain)
    if other in left:
        excluded = [key for key, value in mapping.items() if value not in left[other]]
        if excluded:
            mine = mine - ValueSet.of_many(excluded)
    kept = {value for key, value in mapping.items() if key in mine}
    everywhere = (mine - ValueSet.of_many(mapping)).is_empty
    if everywhere:
        domain = attributes[other].domain if other in attributes else EVERYTHING
        left[other] = left.get(other, domain) & ValueSet.of_many(kept)
    left[name] = mine
