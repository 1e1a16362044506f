"""One attribute of a vocabulary: its possible values, its codings, and what it determines."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from singleout.core.text import printable
from singleout.errors import BadChoice, did_you_mean
from singleout.io.yaml.errors import Mistake
from singleout.repository.documents.coding import (
    IDENTITY,
    PERIODS,
    Coding,
    canonical_mapping,
    coding_name,
)
from singleout.repository.documents.fields import Count, DocumentModel, Words
from singleout.repository.documents.grouping import coded_column, group_of, is_coarser
from singleout.repository.documents.values import EVERYTHING, Scalar, ValueSet

if TYPE_CHECKING:
    from singleout.core.table import Column

__all__ = ["Attribute"]

_ALL_NUMBERS = ValueSet.of({"in": [{"to": 0}, {"from": 0}]})
_ALL_DAYS = ValueSet.of({"from": "0001-01-01"})

Mapped = Annotated[dict[str, Scalar] | Literal["unknown"], BeforeValidator(canonical_mapping)]


class Attribute(DocumentModel):
    """Something that is known of people.

    Parameters
    ----------
    kind
        What its values are: names, whole numbers, numbers or dates.
    values
        The possible values, written as in a population: a list, a range.
    possible
        How many values are possible, where they are not listed.
    codings
        The ways to code it, by their names: ``width=5``, ``level=province``.
    determines
        The attributes that follow from this one: a mapping of values, or ``unknown``.
    ages
        Whether it changes with time: an age does, a year of birth does not.
    """

    name: str = Field(default="", exclude=True)
    kind: Literal["nominal", "integer", "number", "date"] = "nominal"
    description: Words = ""
    values: Any = None
    possible: Count | None = None
    codings: dict[str, Coding] = Field(default_factory=dict, max_length=100)
    determines: dict[str, Mapped] = Field(default_factory=dict, max_length=100)
    ages: bool = False

    @field_validator("values", mode="before")
    @classmethod
    def _values(cls, given: Any) -> Any:
        return None if given is None else ValueSet.of(given, "'values'").term()

    @field_validator("codings", mode="before")
    @classmethod
    def _codings(cls, given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        named: dict[str, Any] = {}
        for key, coding in given.items():
            try:
                name = coding_name(str(key))
            except BadChoice as error:
                raise Mistake((key,), str(error)) from None
            if name in named:
                raise Mistake((key,), f"the coding {name!r} stands here twice; give it once.")
            named[name] = {**coding, "name": name} if isinstance(coding, Mapping) else coding
        return named

    @model_validator(mode="after")
    def _consistent(self) -> Attribute:
        for name, coding in self.codings.items():
            if coding.kind == "interval" and self.kind not in ("integer", "number"):
                raise Mistake(
                    ("codings", name), f"intervals are of numbers, but the kind is {self.kind!r}."
                )
            if coding.kind != "level" and (coding.mapping is not None or coding.of != IDENTITY):
                raise Mistake(("codings", name), "only a level has 'mapping' and 'of'.")
            self._check_chain(name)
        if self.name in self.determines:
            raise Mistake(("determines", self.name), "an attribute cannot determine itself.")
        if self.domain.is_empty:
            raise Mistake(("values",), f"none of the values is of the kind {self.kind!r}.")
        return self

    def _check_chain(self, name: str) -> None:
        seen = [name]
        while (below := self.coding_or_none(seen[-1])) is not None and below.of != IDENTITY:
            if below.of in seen or self.coding_or_none(below.of) is None:
                raise Mistake(
                    ("codings", name, "of"),
                    f"a level is made of a coding below it, and {below.of!r} is none.",
                )
            seen.append(below.of)

    # ---- values

    @cached_property
    def domain(self) -> ValueSet:
        """The values that are possible."""
        of_kind = {"nominal": EVERYTHING, "date": _ALL_DAYS}.get(self.kind, _ALL_NUMBERS)
        known = of_kind if self.values is None else ValueSet.of(self.values, self.name) & of_kind
        return known.discrete() if self.is_whole else known

    @cached_property
    def is_whole(self) -> bool | None:
        """Whether its numbers are whole; None if that cannot be known."""
        if self.kind != "nominal":
            return self.kind != "number"
        return None if self.values is None else ValueSet.of(self.values, self.name).is_whole

    # ---- codings

    def coding_or_none(self, name: str) -> Coding | None:
        """Return a coding by its canonical name; intervals and periods need not be declared."""
        if name in self.codings:
            return self.codings[name]
        numeric = self.kind in ("integer", "number")
        if name == IDENTITY or (name.startswith("width=") and numeric):
            return Coding(name=name)
        return Coding(name=name) if self.kind == "date" and name in PERIODS else None

    def coding(self, name: str) -> Coding:
        """Return a coding by its name."""
        found = self.coding_or_none(coding_name(name))
        if found is None:
            known = ", ".join([IDENTITY, *(one for one in self.codings if one != IDENTITY)])
            raise BadChoice(
                f"{self.name!r} has no coding {printable(name)!r}; the vocabulary has: "
                f"{printable(known)}.{did_you_mean(name, self.codings)}"
            )
        return found

    def coarser(self, coarse: str, fine: str) -> bool:
        """Whether each group of the fine coding lies within one of the coarse, and they differ."""
        return is_coarser(self, self.coding(coarse), self.coding(fine))

    @cached_property
    def ladder(self) -> tuple[Coding, ...]:
        """All codings that are declared, the finest first."""
        found = list({IDENTITY: Coding(), **self.codings}.values())
        below = {
            one.name: sum(is_coarser(self, one, other) for other in found if other is not one)
            for one in found
        }
        return tuple(sorted(found, key=lambda one: (below[one.name], one.name)))

    def group_of(self, coding: str, value: Any) -> Scalar | None:
        """Return the group of a value under a coding; None if it has none."""
        return group_of(self, self.coding(coding), value)

    def coded(self, column: Column, coding: str = IDENTITY) -> Column:
        """Return a column of data with its values coded; missing stays missing.

        Raises
        ------
        UnusableColumn
            If a value is not possible, or has no group.
        """
        return coded_column(self, self.coding(coding), column)
