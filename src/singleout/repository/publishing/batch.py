"""Several records from one look at the data, gated together: they share the price of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import Record
from singleout.repository.documents.vocabulary import Vocabulary
from singleout.repository.gate.ledger import families
from singleout.repository.gate.refusal import Refusal
from singleout.repository.publishing.question import Attributes, Question

__all__ = ["RecordBatch", "RefusedRecord", "shares_of"]


@dataclass(frozen=True)
class RefusedRecord:
    """A record of a batch that would not pass, and why."""

    quasi_identifier: Attributes
    population: DeclaredPopulation
    refusal: Refusal

    def __str__(self) -> str:
        return f"{', '.join(map(str, self.quasi_identifier))}; {self.population}: {self.refusal}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {
            "quasi_identifier": list(map(str, self.quasi_identifier)),
            "population": self.population.to_dict(),
            **self.refusal.to_dict(),
        }


@dataclass(frozen=True)
class RecordBatch(Result):
    """Records that were gated together, and those that were refused."""

    records: tuple[Record, ...]
    refused: tuple[RefusedRecord, ...] = ()

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, index: int) -> Record:
        return self.records[index]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold."""
        return {
            "records": [record.to_dict() for record in self.records],
            "refused": [refused.to_dict() for refused in self.refused],
        }

    def to_frame(self) -> Frame:
        """Return one row for each record."""
        import polars as pl

        return pl.concat([record._polars_frame() for record in self.records])

    def __str__(self) -> str:
        return "\n".join(map(str, [*self.records, *self.refused]))


def shares_of(asked: Sequence[Question], vocabulary: Vocabulary | None) -> int:
    """Return into how many parts a batch divides its price: as many as a person has records in it.

    Populations that exclude each other need not share: nobody is in two.
    """

    def disjoint(one: DeclaredPopulation, other: DeclaredPopulation) -> bool:
        return one.is_disjoint(other, vocabulary)

    records = [(population, float(len(identifiers))) for population, identifiers in asked]
    return int(sum(family[0][1] for family in families(records, disjoint)))
