"""The words that records share: attributes, their possible values, and how they are coded.

A vocabulary is a versioned document whose identity is its hash. It says which values an attribute
can have, which codings it has from fine to coarse, and which attributes determine which: a postcode
determines its city. The number of possible cells is that within a population, not in the whole
country (C1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import Field, field_validator, model_validator

from singleout.core.text import printable
from singleout.errors import BadChoice, did_you_mean
from singleout.io.yaml.file import Mistake, Origin, checked, plain, read_yaml
from singleout.report.say import say
from singleout.repository.documents.attribute import Attribute
from singleout.repository.documents.canonical import content_hash, read_json
from singleout.repository.documents.cells import cells_of
from singleout.repository.documents.closure import (
    Determination,
    closed_under,
    determinations,
    families,
)
from singleout.repository.documents.fields import DocumentModel, Name, Words
from singleout.repository.documents.population import DeclaredPopulation, PopulationLike
from singleout.repository.documents.record import CodedAttribute
from singleout.repository.documents.values import EVERYTHING, ValueSet, scalar, text_of

__all__ = ["Attribute", "Vocabulary"]

_REMEMBERED = 1_000  # closures


class Vocabulary(DocumentModel):
    """Attributes by name, as one versioned document.

    Examples
    --------
    >>> sexes = {"name": "demo", "version": "1", "attributes": {"sex": {"values": ["F", "M"]}}}
    >>> Vocabulary.of(sexes).cells_possible(["sex"])
    2
    """

    name: Name
    version: Name
    description: Words = ""
    attributes: dict[str, Attribute] = Field(min_length=1, max_length=1_000)

    @field_validator("attributes", mode="before")
    @classmethod
    def _with_names(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        named = {}
        for name, attribute in given.items():
            try:
                checked_name = text_of(scalar(name, "The name of an attribute"))
            except BadChoice as error:
                raise Mistake((name,), str(error)) from None
            named[checked_name] = (
                {**attribute, "name": checked_name} if isinstance(attribute, Mapping) else attribute
            )
        return named

    @model_validator(mode="after")
    def _consistent(self) -> Vocabulary:
        for rule in self.rules:
            self._check_rule(rule)
        for name, attribute in self.attributes.items():
            for other in attribute.determines:
                if other not in self.attributes:
                    raise Mistake(
                        ("attributes", name, "determines", other),
                        f"{name!r} determines {other!r}, which is no attribute here."
                        f"{did_you_mean(other, self.attributes)}",
                    )
        return self

    def _check_rule(self, rule: Determination) -> None:
        path = ("attributes", rule.name, "determines", rule.other)
        own, others = self.attributes[rule.name], self.attributes.get(rule.other)
        via = [
            (first.mapping, second.mapping)
            for first in self.rules
            for second in self.rules
            if (first.name, first.other, second.other) == (rule.name, second.name, rule.other)
        ]
        for key, value in rule.mapping.items():
            if key not in own.domain:
                raise Mistake((*path, key), f"{key!r} is no value of {rule.name!r}.")
            if others is not None and value not in others.domain:
                raise Mistake((*path, key), f"{text_of(value)!r} is no value of {rule.other!r}.")
            for first, second in via:
                other_way = second.get(text_of(first.get(key, "")))
                if other_way is not None and text_of(other_way) != text_of(value):
                    raise Mistake(
                        (*path, key),
                        f"{key!r} determines {text_of(value)!r} here, but {text_of(other_way)!r} "
                        "by way of another attribute.",
                    )

    # ---- reading

    @classmethod
    def of(cls, given: Vocabulary | Mapping[str, Any] | str | Path) -> Vocabulary:
        """Return a vocabulary from a mapping or a file, or as it is."""
        if isinstance(given, Vocabulary):
            return given
        if isinstance(given, Mapping):
            origin = Origin("vocabulary")
            return checked(cls, plain(given, origin), origin)
        return cls.read(given)

    @classmethod
    def read(cls, path: str | Path) -> Vocabulary:
        """Read a vocabulary from a YAML or JSON file; an error names its line and key."""
        values, origin = read_yaml(path, "vocabulary")
        return checked(cls, _without_empty(values), origin)

    @classmethod
    def from_json(cls, text: str | bytes) -> Vocabulary:
        """Return the vocabulary of a JSON text."""
        return checked(cls, read_json(text, "vocabulary"), Origin("vocabulary"))

    def to_dict(self) -> dict[str, Any]:
        """Return the document as plain values."""
        return self.model_dump(mode="json", exclude_none=True)

    # ---- questions

    @cached_property
    def hash(self) -> str:
        """The identity of the document."""
        return content_hash(self)

    @cached_property
    def rules(self) -> tuple[Determination, ...]:
        """What is known to determine what, value by value."""
        return tuple(determinations(self.attributes))

    def __contains__(self, name: object) -> bool:
        return name in self.attributes

    def __getitem__(self, name: str) -> Attribute:
        if name not in self.attributes:
            raise BadChoice(
                f"The vocabulary {self.name!r} has no attribute {printable(name)!r}."
                f"{did_you_mean(name, self.attributes)}"
            )
        return self.attributes[name]

    def is_whole(self, name: str) -> bool | None:
        """Whether the numbers of an attribute are whole; None if the vocabulary cannot say."""
        attribute = self.attributes.get(name)
        return None if attribute is None else attribute.is_whole

    def closed(self, sets: Mapping[str, ValueSet]) -> dict[str, ValueSet]:
        """Return what terms say of all attributes, given possible values and determination."""
        key = frozenset(sets.items())
        if key not in self._closures:
            if len(self._closures) >= _REMEMBERED:
                self._closures.clear()
            self._closures[key] = closed_under(sets, self.attributes, self.rules)
        return dict(self._closures[key])

    @cached_property
    def _closures(self) -> dict[Any, dict[str, ValueSet]]:
        return {}

    @cached_property
    def anywhere(self) -> dict[str, ValueSet]:
        """The values that each attribute can have, given what determines it."""
        return self.closed(dict.fromkeys(self.attributes, EVERYTHING))

    @cached_property
    def _families(self) -> dict[str, frozenset[str]]:
        return families(self.rules)

    def is_impossible(self, sets: Mapping[str, ValueSet]) -> bool:
        """Whether nobody can meet terms."""
        alone: dict[str, ValueSet] = {}
        together: dict[str, ValueSet] = {}
        for name, values in sets.items():
            linked = self._families.get(name, frozenset())
            (alone if len(linked & sets.keys()) < 2 else together)[name] = values
        # a single term says nothing of the others that they do not allow
        for name, values in alone.items():
            left = values & self.anywhere.get(name, EVERYTHING)
            if (left.discrete() if self.is_whole(name) else left).is_empty:
                return True
        return any(values.is_empty for values in self.closed(together).values())

    def cells_possible(
        self, quasi_identifier: Iterable[Any], population: PopulationLike = None
    ) -> int | None:
        """Return how many combinations of codes are possible in a population, if it can be known.

        Parameters
        ----------
        quasi_identifier
            Names of attributes, with codings such as ``"age:width=5"``, or coded attributes.
        population
            Who is counted; None for everybody.
        """
        coded = [CodedAttribute.of(one) for one in quasi_identifier]
        pairs = [(one.attribute, one.coding) for one in coded]
        return cells_of(self, pairs, DeclaredPopulation.of(population))

    def __str__(self) -> str:
        return say(
            "repository.documents.vocabulary",
            name=self.name,
            version=self.version,
            n=len(self.attributes),
        )


def _without_empty(values: Any) -> Any:
    """Return what a file holds without empty sections of attributes: a saved one may have them."""
    attributes = values.get("attributes") if isinstance(values, dict) else None
    if not isinstance(attributes, dict):
        return values
    kept = {
        name: {key: part for key, part in attribute.items() if part not in ({}, "")}
        if isinstance(attribute, dict)
        else attribute
        for name, attribute in attributes.items()
    }
    return {**values, "attributes": kept}
