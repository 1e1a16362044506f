"""What a data holder publishes: how heterogeneous a quasi-identifier is in a population (D1).

A record is frozen, and its identity is the hash of its canonical JSON. Three-tuples of
quasi-identifier, population and distance, as in Koot (2012), section 7.1.3, are accepted and marked
as legacy: every formula needs the number of cells besides the distance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from typing import Annotated, Any, Literal

from pydantic import Field, PrivateAttr, StringConstraints, field_validator

from singleout.core.frame_kinds import Frame, FrameKind, asked_kind
from singleout.core.results import Result
from singleout.io.yaml.file import Origin, checked
from singleout.repository.documents.canonical import (
    canonical,
    content_hash,
    hash_of,
    plain_document,
    read_json,
)
from singleout.repository.documents.coding import IDENTITY, coding_name
from singleout.repository.documents.fields import (
    HASH,
    KEY_ID,
    Count,
    Day,
    Deviation,
    DocumentModel,
    Hash,
    Name,
    Share,
    Words,
)
from singleout.repository.documents.legacy import from_three_tuple, is_three_tuple
from singleout.repository.documents.population import DeclaredPopulation, PopulationLike
from singleout.repository.documents.record_text import record_text
from singleout.repository.documents.values import scalar, text_of

__all__ = ["HASH", "CodedAttribute", "Coverage", "Deviations", "Gated", "Numbers", "Record"]

_MOST_ATTRIBUTES = 50


class CodedAttribute(DocumentModel):
    """An attribute of a quasi-identifier, and how it is coded.

    ``of`` takes ``"age:width=5"``.
    """

    attribute: Name
    coding: str = IDENTITY
    possible: Count | None = None

    @field_validator("attribute")
    @classmethod
    def _attribute(cls, given: str) -> str:
        return text_of(scalar(given, "The name of an attribute"))

    @field_validator("coding")
    @classmethod
    def _coding(cls, given: str) -> str:
        return coding_name(given)

    @classmethod
    def of(cls, given: Any) -> CodedAttribute:
        """Return a coded attribute from a name, ``"name:coding"``, a pair or a mapping."""
        if isinstance(given, CodedAttribute):
            return given
        if isinstance(given, str):
            name, colon, coding = given.rpartition(":")
            if not (colon and (coding == IDENTITY or coding.startswith(("width=", "level=")))):
                name, coding = given, IDENTITY
            try:
                return _coded_attribute(name, coding)
            except ValueError:
                given = {"attribute": name, "coding": coding}  # checked says what is wrong
        elif isinstance(given, tuple | list) and len(given) == 2:
            given = {"attribute": given[0], "coding": given[1]}
        return checked(cls, given, Origin("quasi-identifier"))

    def __str__(self) -> str:
        return self.attribute if self.coding == IDENTITY else f"{self.attribute}:{self.coding}"


class Coverage(DocumentModel):
    """How well the data covers the population (C9)."""

    kind: Literal["census", "register", "sample"] = "census"
    fraction: Share | None = None
    error_rate: Share | None = None
    audited: Day | None = None
    records_removed: Count | None = None
    objectors: Count | None = None
    target: DeclaredPopulation | None = None


class Deviations(DocumentModel):
    """The standard deviations of the noise of published numbers."""

    people: Deviation | None = None
    support: Deviation | None = None
    largest: Deviation | None = None
    kappa: Deviation | None = None
    s2: Deviation | None = None
    s3: Deviation | None = None
    small: Deviation | None = None


class Numbers(DocumentModel):
    """What is published: the distance, power sums and sizes, after the gate."""

    people: Count | None = None
    cells: Count | None = None  # N: how many are possible in the population
    cells_from: Literal["vocabulary", "observed", "stated"] = "stated"
    support: Count | None = None  # M: how many are occupied
    largest: Count | None = None  # C: the cap, in place of the largest cell
    kappa: float  # nats
    correction: Literal["none", "miller-madow"] = "none"
    s2: float | None = None
    s3: float | None = None
    small: float | None = None  # people in cells below 10 / all people
    sd: Deviations = Deviations()


class Gated(DocumentModel):
    """Which gate the numbers went through, and what it cost."""

    name: str = Field(default="gate/1", max_length=50)
    tier: Literal["public", "registered", "none"] = "none"
    price: Deviation = 0.0
    cost: Deviation = 0.0


class Record(Result, DocumentModel):
    """One published record.

    Parameters
    ----------
    vocabulary
        The hash of the vocabulary that names are from; None without one.
    quasi_identifier
        The attributes and their codings, in order of names.
    population, reference_date, coverage
        Whom the data is about, when, and how well it covers them.
    numbers, gate
        What is published, and the gate that it went through.
    holder
        The id of the key of who publishes it; empty in a personal repository.
    supersedes
        The id of the record that this one replaces.
    legacy
        Whether this is a three-tuple without a gate.
    """

    kind: Literal["record/1"] = "record/1"
    vocabulary: Hash | None = None
    quasi_identifier: tuple[CodedAttribute, ...] = Field(min_length=1, max_length=_MOST_ATTRIBUTES)
    population: DeclaredPopulation = DeclaredPopulation({})
    reference_date: Day | None = None
    coverage: Coverage = Coverage()
    numbers: Numbers
    gate: Gated = Gated()
    holder: Annotated[str, StringConstraints(pattern=f"{KEY_ID}|^$")] = ""
    software: Words = ""
    licence: Words = ""
    norm: Words = ""
    access: Literal["public", "registered", "holder"] = "public"
    supersedes: Hash | None = None
    legacy: bool = False
    _frames: FrameKind = PrivateAttr(default_factory=asked_kind)  # no field of the document

    @field_validator("quasi_identifier", mode="before")
    @classmethod
    def _known(cls, given: Any) -> Any:
        """Take attributes that other records had too as they were read then."""
        if not isinstance(given, list) or not all(map(_is_coded, given)):
            return given
        try:
            return tuple(_coded_attribute(one["attribute"], one["coding"]) for one in given)
        except ValueError:
            return given  # pydantic says which of them, and why

    @field_validator("quasi_identifier")
    @classmethod
    def _in_order(cls, given: tuple[CodedAttribute, ...]) -> tuple[CodedAttribute, ...]:
        ordered = tuple(sorted(given, key=lambda one: one.attribute))
        names = [one.attribute for one in ordered]
        if len(set(names)) < len(names):
            raise ValueError("the quasi-identifier has an attribute twice; give each once.")
        return ordered

    # ---- from elsewhere

    @classmethod
    def of(cls, given: Record | Mapping[str, Any] | str | bytes) -> Record:
        """Return the record of plain values or of a JSON text, or as it is."""
        if isinstance(given, Record):
            return given
        if isinstance(given, str | bytes):
            given = read_json(given, "record")
        if is_three_tuple(given):
            given = from_three_tuple(given)
        return checked(cls, given, Origin("record"))

    @classmethod
    def legacy_tuple(
        cls,
        quasi_identifier: Iterable[Any],
        population: PopulationLike,
        kappa: float,
        cells: int | None = None,
        people: int | None = None,
    ) -> Record:
        """Return a record of a quasi-identifier, a population and a distance only (R5)."""
        return cls.of(
            {
                "QID": [plain_document(CodedAttribute.of(one)) for one in quasi_identifier],
                "population": population,
                "KL": kappa,
                "N": cells,
                "n": people,
            }
        )

    # ---- identity

    @cached_property
    def id(self) -> str:
        """The content hash: what a repository calls it."""
        return content_hash(self)

    @cached_property
    def qid_key(self) -> str:
        """The hash of the attributes and their codings."""
        return hash_of(b"{%b}" % self._coded())

    @cached_property
    def key(self) -> str:
        """The hash of what two holders can disagree about: quasi-identifier, population, date."""
        day = self.reference_date
        written = "null" if day is None else f'"{day.isoformat()}"'
        return hash_of(
            b'{"population":%b,%b,"reference_date":%b}'
            % (self.population.text, self._coded(), written.encode())
        )

    def _coded(self) -> bytes:
        return _written(tuple((one.attribute, one.coding) for one in self.quasi_identifier))

    # ---- numbers

    @property
    def kappa(self) -> float:
        """The Kullback-Leibler distance from the uniform distribution, in nats."""
        return self.numbers.kappa

    @property
    def people(self) -> int | None:
        """How many people, as published."""
        return self.numbers.people

    @property
    def cells(self) -> int | None:
        """How many combinations are possible in the population."""
        return self.numbers.cells

    @property
    def power_sums(self) -> tuple[float, ...]:
        """The sums of squares and cubes of the shares of cells, those that are published."""
        return tuple(s for s in (self.numbers.s2, self.numbers.s3) if s is not None)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the attributes."""
        return tuple(one.attribute for one in self.quasi_identifier)

    # ---- to look at

    def to_dict(self) -> dict[str, Any]:
        """Return the document as plain values; what is not known is left out."""
        found = plain_document(self)
        assert isinstance(found, dict)
        return found

    def to_frame(self) -> Frame:
        """Return one row with the numbers of the record."""
        import polars as pl

        numbers = self.numbers
        return pl.DataFrame(
            {
                "quasi_identifier": [", ".join(map(str, self.quasi_identifier))],
                "population": [str(self.population)],
                "reference_date": pl.Series([self.reference_date], dtype=pl.Date),
                "people": pl.Series([_float(numbers.people)], dtype=pl.Float64),
                "cells": pl.Series([_float(numbers.cells)], dtype=pl.Float64),
                "kappa": [numbers.kappa],
                "kappa_sd": pl.Series([numbers.sd.kappa], dtype=pl.Float64),
                "s2": pl.Series([numbers.s2], dtype=pl.Float64),
                "s3": pl.Series([numbers.s3], dtype=pl.Float64),
                "id": [self.id],
            }
        )

    def __str__(self) -> str:
        return record_text(self)


def _is_coded(given: Any) -> bool:
    return (
        type(given) is dict
        and given.keys() == {"attribute", "coding"}
        and type(given["attribute"]) is str
        and type(given["coding"]) is str
    )


@lru_cache(maxsize=1_000)
def _coded_attribute(attribute: str, coding: str) -> CodedAttribute:
    return CodedAttribute(attribute=attribute, coding=coding)


@lru_cache(maxsize=1_000)
def _written(coded: tuple[tuple[str, str], ...]) -> bytes:
    """Return attributes and their codings as canonical JSON; records by the thousand share them."""
    return canonical({"quasi_identifier": [list(one) for one in coded]})[1:-1]


def _float(count: int | None) -> float | None:
    return None if count is None else float(count)
