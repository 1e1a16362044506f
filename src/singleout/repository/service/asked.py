"""The questions that can be asked over HTTP."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import HASH, CodedAttribute

__all__ = [
    "ChargeQuestion",
    "ComposePart",
    "ComposeQuestion",
    "PredictQuestion",
    "QueryQuestion",
    "SearchQuestion",
]

_MOST_PEOPLE = 10**12
_MOST_SIZES = 100
_MOST_PARTS = 16
_MOST_ATTRIBUTES = 50

_Hash = Annotated[str, StringConstraints(pattern=HASH)]
_Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
_Asked = Annotated[
    tuple[_Name | CodedAttribute, ...], Field(min_length=1, max_length=_MOST_ATTRIBUTES)
]
_People = Annotated[int, Field(ge=1, le=_MOST_PEOPLE)]
_Sizes = _People | Annotated[tuple[_People, ...], Field(min_length=1, max_length=_MOST_SIZES)]


class _Asks(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Context(_Asks):
    vocabulary: _Hash | None = None
    reference_date: date | None = None


class QueryQuestion(_Context):
    """Which record answers for this quasi-identifier and population."""

    quasi_identifier: _Asked
    population: DeclaredPopulation = DeclaredPopulation({})
    people: _People | None = None


class _RecordOrQuestion(_Context):
    record: _Hash | None = None
    quasi_identifier: _Asked | None = None
    population: DeclaredPopulation = DeclaredPopulation({})

    @model_validator(mode="after")
    def _one_of_both(self) -> Any:
        if (self.record is None) == (self.quasi_identifier is None):
            raise ValueError("give either a record or a quasi-identifier.")
        return self


class PredictQuestion(_RecordOrQuestion):
    """How many of so many people would be alone."""

    people: _Sizes

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of people, one or several."""
        return (self.people,) if isinstance(self.people, int) else self.people


class ComposePart(_RecordOrQuestion):
    """A record, or a question for one."""


class ComposeQuestion(_Asks):
    """What several quasi-identifiers reveal together."""

    parts: Annotated[tuple[ComposePart, ...], Field(min_length=2, max_length=_MOST_PARTS)]
    people: _Sizes | None = None

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of people, if any."""
        if self.people is None:
            return ()
        return (self.people,) if isinstance(self.people, int) else self.people


class SearchQuestion(_Asks):
    """All records of a quasi-identifier whose population contains this one."""

    quasi_identifier: _Asked
    population: DeclaredPopulation = DeclaredPopulation({})
    vocabulary: _Hash | None = None
    states: Annotated[
        tuple[Literal["valid", "quarantined", "disputed", "superseded"], ...], Field(min_length=1)
    ] = ("valid", "disputed")


class ChargeQuestion(_Asks):
    """What a record would cost the people of a population."""

    population: DeclaredPopulation = DeclaredPopulation({})
    cost: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
    tier: Literal["public", "registered"] = "public"
