"""How populations are looked up: by the names of their terms, then by their values.

The shape of a population names its attributes: those with one value, and those with a range or a
set. Records of one quasi-identifier have few shapes, and an index finds each of them in one step. A
population that contains another has a shape whose attributes the other has too, and the same single
values; what is left is decided by the exact test.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any

from singleout.repository.documents.values import ValueSet, text_of

if TYPE_CHECKING:
    from singleout.repository.documents.population import DeclaredPopulation
    from singleout.repository.documents.vocabulary import Vocabulary

__all__ = [
    "Address",
    "Shape",
    "address_of",
    "bounds_of",
    "keys_of_supersets",
    "single_in",
    "single_values",
]

_ADDRESS = "_address"  # kept with a population, as a cached property would be


@dataclass(frozen=True)
class Shape:
    """The attributes of a population: of one value, and of several."""

    single: tuple[str, ...]
    several: tuple[str, ...]

    def __str__(self) -> str:
        return self.text

    @cached_property
    def text(self) -> str:
        """The names, as the index has them."""
        return _shape_text(self.single, self.several)

    @classmethod
    def read(cls, text: str) -> Shape:
        """Return the shape of its text."""
        single, several = json.loads(text)
        return cls(tuple(single), tuple(several))

    def values_key(self, values: Mapping[str, str]) -> str:
        """Return the key of single values under this shape."""
        pairs = [str(self), *(values[name] for name in self.single)]
        text = ", ".join(map(encode_basestring, pairs))
        return hashlib.sha256(f"[{text}]".encode()).hexdigest()[:32]


@lru_cache(maxsize=1_000)
def _shape_text(single: tuple[str, ...], several: tuple[str, ...]) -> str:
    return json.dumps([single, several], ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True)
class Address:
    """Where a population stands in the index.

    Parameters
    ----------
    shape
        The names of its attributes.
    equal
        A hash of the shape and the single values.
    low, high
        The bounds of its first range, if it has one: of numbers, or of days.
    """

    shape: str
    equal: str
    low: float | None
    high: float | None


def address_of(population: DeclaredPopulation) -> Address:
    """Return where a population stands in the index; it is computed once."""
    known: Address | None = population.__dict__.get(_ADDRESS)
    if known is None:
        known = population.__dict__[_ADDRESS] = _computed_address(population)
    return known


def _computed_address(population: DeclaredPopulation) -> Address:
    terms: Mapping[str, Any] = population.root
    several = tuple(name for name, term in terms.items() if isinstance(term, dict))
    single = {name: text_of(term) for name, term in terms.items() if name not in several}
    shape = Shape(tuple(single), several)
    low, high = bounds_of(population.sets[several[0]]) if several else (None, None)
    return Address(str(shape), shape.values_key(single), low, high)


def bounds_of(values: ValueSet) -> tuple[float | None, float | None]:
    """Return the least and the greatest number or day of a set; nothing if it has others too."""
    spans = (*values.numbers.spans, *values.days.spans)
    mixed = bool(values.numbers.spans) and bool(values.days.spans)
    if values.negated or values.others or mixed or not spans:
        return None, None
    low, high = min(span.low for span in spans), max(span.high for span in spans)
    if math.isinf(low) and math.isinf(high):
        return None, None
    return float(low), float(high)


def single_values(
    population: DeclaredPopulation, vocabulary: Vocabulary | None = None
) -> tuple[dict[str, str], dict[str, ValueSet]]:
    """Return the single values that everybody of a population has, and all sets of values.

    What a vocabulary says that these values determine is among them.
    """
    sets: Mapping[str, ValueSet] = population.sets
    if vocabulary is not None:
        # nobody has a value that the vocabulary does not list
        listed = {
            name: attribute.domain
            for name, attribute in vocabulary.attributes.items()
            if not attribute.domain.negated
        }
        sets = listed | vocabulary.closed(sets)
    return single_in(sets), dict(sets)


def single_in(sets: Mapping[str, ValueSet]) -> dict[str, str]:
    """Return the values of the sets that have one."""
    single = {}
    for name, values in sets.items():
        value = None if values.negated else _only(values) or _only(values.discrete())
        if value is not None:
            single[name] = value
    return single


def _only(values: ValueSet) -> str | None:
    """Return the value of a set that has one, as text."""
    spans = (*values.numbers.spans, *values.days.spans)
    if values.negated or len(spans) + len(values.others) != 1:
        return None
    if spans and spans[0].low != spans[0].high:
        return None
    return text_of(values.term())


def keys_of_supersets(
    shapes: Sequence[Shape], single: Mapping[str, str], sets: Mapping[str, ValueSet]
) -> list[tuple[str, str, float | None, float | None]]:
    """Return, for each shape that can contain a population, what to look up."""
    found = []
    for shape in shapes:
        if not (set(shape.single) <= set(single) and set(shape.several) <= set(sets)):
            continue
        low, high = bounds_of(sets[shape.several[0]]) if shape.several else (None, None)
        found.append((str(shape), shape.values_key(single), low, high))
    return found
