"""The words that records share: attributes, their possible values, and how they are coded.

A vocabulary is a versioned document whose identity is its hash. It says which values an attribute
can have, which codings it has from fine to coarse, and which attributes determine which: a postcode
determines its city, so that the cells of postcode by city are as many as there are postcodes. The
number of possible cells is that within a population, not in the whole country (C1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from singleout.core.text import printable
from singleout.errors import BadChoice, did_you_mean
from singleout.io.yaml.file import Mistake, Origin, checked, plain, read_yaml
from singleout.repository.documents.canonical import content_hash, read_json
from singleout.repository.documents.cells import cells_of
from singleout.repository.documents.closure import closed_under
from singleout.repository.documents.coding import Coding, coding_name
from singleout.repository.documents.population import DeclaredPopulation, PopulationLike
from singleout.repository.documents.values import EVERYTHING, ValueSet, scalar, text_of

__all__ = ["Attribute", "Vocabulary"]

Kind = Literal["nominal", "integer", "number", "date"]
_ALL_NUMBERS = ValueSet.of({"in": [{"to": 0}, {"from": 0}]})
_ALL_DAYS = ValueSet.of({"from": "0001-01-01"})
_LONGEST_DESCRIPTION = 2_000


def _mapped(given: Any) -> Any:
    """Return a mapping of values with its keys and values as canonical texts and values."""
    if not isinstance(given, Mapping):
        return given
    return {text_of(scalar(key)): scalar(value) for key, value in given.items()}


class Attribute(BaseModel):
    """Something that is known of people: its possible values, codings, and what it determines."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str = Field(default="", exclude=True)
    kind: Kind = "nominal"
    description: str = Field(default="", max_length=_LONGEST_DESCRIPTION)
    values: Any = None  # a set of values, as in a population
    possible: int | None = Field(default=None, ge=1)
    codings: dict[str, Coding] = Field(default_factory=dict)
    determines: dict[str, Annotated[dict[str, Any], BeforeValidator(_mapped)] | None] = Field(
        default_factory=dict
    )
    ages: bool = False

    @model_validator(mode="before")
    @classmethod
    def _with_names(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        values = dict(given)
        try:
            if values.get("values") is not None:
                values["values"] = ValueSet.of(values["values"], "'values'").term()
        except BadChoice as error:
            raise Mistake(("values",), str(error)) from None
        codings = values.get("codings")
        if isinstance(codings, Mapping):
            values["codings"] = {
                name: {**coding, "name": coding_name(str(name))}
                if isinstance(coding, Mapping)
                else coding
                for name, coding in codings.items()
            }
        return values

    @cached_property
    def domain(self) -> ValueSet:
        """The values that are possible."""
        if self.values is not None:
            known = ValueSet.of(self.values, self.name)
            return known.discrete() if self.is_whole else known
        if self.kind == "nominal":
            return EVERYTHING
        return _ALL_DAYS if self.kind == "date" else _ALL_NUMBERS

    @property
    def is_whole(self) -> bool:
        """Whether its numbers are whole."""
        return self.kind == "integer"

    def coding(self, name: str) -> Coding:
        """Return a coding by its name; intervals need not be declared."""
        name = coding_name(name)
        if name in self.codings:
            return self.codings[name]
        if name.startswith("level="):
            known = ", ".join(self.codings) or "none"
            raise BadChoice(
                f"{self.name!r} has no coding {printable(name)!r}; the vocabulary has: {known}."
                f"{did_you_mean(name, self.codings)}"
            )
        return Coding(name=name)

    @property
    def ladder(self) -> tuple[Coding, ...]:
        """All codings, the finest first."""
        found = [self.codings.get("identity", Coding()), *self.codings.values()]
        distinct = list({coding.name: coding for coding in found}.values())
        return tuple(
            sorted(distinct, key=lambda one: sum(one.coarser_than(other) for other in distinct))
        )


class Vocabulary(BaseModel):
    """Attributes by name, as one versioned document."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, max_length=200)
    version: str = Field(min_length=1, max_length=50)
    description: str = Field(default="", max_length=_LONGEST_DESCRIPTION)
    attributes: dict[str, Attribute] = Field(min_length=1, max_length=1_000)

    @model_validator(mode="before")
    @classmethod
    def _with_names(cls, given: Any) -> Any:
        if not isinstance(given, Mapping) or not isinstance(given.get("attributes"), Mapping):
            return given
        attributes = {
            name: {**attribute, "name": str(name)} if isinstance(attribute, Mapping) else attribute
            for name, attribute in given["attributes"].items()
        }
        return {**given, "attributes": attributes}

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
        return checked(cls, values, origin)

    @classmethod
    def from_json(cls, text: str | bytes) -> Vocabulary:
        """Return the vocabulary of a JSON text."""
        return checked(cls, read_json(text, "vocabulary"), Origin("vocabulary"))

    # ---- questions

    @cached_property
    def hash(self) -> str:
        """The identity of the document."""
        return content_hash(self)

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
        if attribute is None or attribute.kind == "nominal":
            return None
        return attribute.is_whole

    def closed(self, sets: Mapping[str, ValueSet]) -> dict[str, ValueSet]:
        """Return what terms say of all attributes, given possible values and determination."""
        return closed_under(sets, self.attributes)

    def cells_possible(
        self, quasi_identifier: Sequence[Any], population: PopulationLike = None
    ) -> int | None:
        """Return how many combinations of codes are possible in a population, if it can be known.

        Parameters
        ----------
        quasi_identifier
            Names of attributes, or coded attributes of a record.
        population
            Who is counted; None for everybody.
        """
        return cells_of(self, quasi_identifier, DeclaredPopulation.of(population))

    def __str__(self) -> str:
        return f"{self.name} {self.version}"
