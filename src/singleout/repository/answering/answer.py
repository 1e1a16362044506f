"""What a query returns: the record that answers, how it was found, and what it predicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.errors import UndefinedMeasure
from singleout.report.say import say
from singleout.repository.answering.paths import steps_to
from singleout.repository.answering.prediction import RepositoryPrediction, predict_from
from singleout.repository.answering.relations import Related, Relation, named, written
from singleout.repository.answering.steps import PathStep
from singleout.repository.documents.canonical import plain_document
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import CodedAttribute, Record

if TYPE_CHECKING:
    from singleout.repository.documents.vocabulary import Vocabulary

__all__ = ["RepositoryAnswer", "entropy_of", "most_pessimistic"]

_SAME = Related(Relation.EQUAL)
_MOST_HOLDERS = 20  # of which predictions are compared


def entropy_of(record: Record, cells: int | None = None) -> float:
    """Return the entropy in nats, ln N - κ: records with more of it predict more unique people."""
    possible = cells if record.numbers.cells is None else record.numbers.cells
    return (math.log(possible) if possible else 0.0) - record.kappa


@dataclass(frozen=True, eq=False)
class RepositoryAnswer(Result):
    """What is known of a quasi-identifier in a population.

    Parameters
    ----------
    quasi_identifier, population
        What was asked for.
    records
        All valid records of what was found, of several holders; the most pessimistic first.
    relation
        How their quasi-identifier relates to the one asked for.
    notes
        What a reader should know, one sentence each.
    nearest
        What is nearest, where nothing was found; one sentence each.
    vocabulary
        The words that were used.
    people
        How many people it was asked for, if that was said.
    cells
        N as given by the user, for records that have none.
    """

    quasi_identifier: tuple[CodedAttribute, ...]
    population: DeclaredPopulation
    records: tuple[Record, ...] = ()
    relation: Related = _SAME
    notes: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    vocabulary: Vocabulary | None = None
    people: int | None = None
    cells: int | None = None

    @property
    def found(self) -> bool:
        """Whether there is a record."""
        return bool(self.records)

    @property
    def record(self) -> Record:
        """The most pessimistic valid record."""
        if not self.records:
            raise UndefinedMeasure(str(self))
        return self.records[0]

    @cached_property
    def path(self) -> tuple[PathStep, ...]:
        """The steps from what was asked to what was found, with what each does."""
        return self._path(self.people)

    def _path(self, people: int | None) -> tuple[PathStep, ...]:
        if not self.records:
            return ()
        return steps_to(
            self.quasi_identifier,
            self.population,
            self.record,
            self.relation,
            vocabulary=self.vocabulary,
            people=people,
        )

    @property
    def exact(self) -> bool:
        """Whether the record is of the quasi-identifier and the population asked for."""
        return self.found and all(step.kind == "exact" for step in self.path)

    @property
    def range(self) -> tuple[float, float] | None:
        """The least and the largest distance where holders disagree; None otherwise."""
        distances = {record.kappa for record in self.records}
        return (min(distances), max(distances)) if len(distances) > 1 else None

    def predict(self, people: int, *, cells: int | None = None) -> RepositoryPrediction:
        """Predict how many of so many people would be unique, by the most pessimistic record.

        Parameters
        ----------
        people
            k: how many people there will be.
        cells
            N: how many cells are possible, for records that do not say so.
        """
        given = self.cells if cells is None else cells
        path = self._path(people) if self.found else ()
        found = [
            predict_from(record, people, cells=given, path=path)
            for record in (self.records or (self.record,))[:_MOST_HOLDERS]
        ]
        worst = max(found, key=lambda one: one.mean)
        notes = (*worst.notes, *self.notes, *(step.says for step in path if step.kind != "exact"))
        means = [one.mean for one in found]
        disagreement = (min(means), max(means)) if len(found) > 1 else None
        if disagreement is not None and disagreement[1] > disagreement[0]:
            low, high = disagreement
            holders = len(found)
            notes += (say("repository.answering.disagree", n=holders, low=low, high=high),)
        return replace(worst, notes=notes, range=disagreement)

    # ---- ways to look at it

    def to_dict(self, people: int | None = None) -> dict[str, Any]:
        """Return everything as plain values; effects for so many people, if given."""
        path = self.path if people is None else self._path(people)
        low_high = self.range
        records = [plain_document(record) for record in self.records]
        return {
            "found": self.found,
            "exact": self.exact,
            "quasi_identifier": [str(one) for one in self.quasi_identifier],
            "population": self.population.to_dict(),
            "record": dict(records[0]) if records else None,
            "id": self.record.id if self.found else None,
            "records": records,
            "path": [step.to_dict() for step in path],
            "range": None if low_high is None else {"kappa": list(low_high)},
            "notes": list(self.notes),
            "nearest": list(self.nearest),
        }

    def to_frame(self) -> Frame:
        """Return one row for each record."""
        from singleout.core.frames import pl

        if not self.records:
            return pl.DataFrame({"nearest": list(self.nearest)}, schema={"nearest": pl.String})
        return pl.concat([record._polars_frame() for record in self.records])

    def __str__(self) -> str:
        asked = {"asked": written(self.quasi_identifier), "population": str(self.population)}
        if not self.records:
            return say("repository.answering.nothing", **asked)
        key = "found" if self.exact else "found_near"
        return say(
            f"repository.answering.{key}",
            **asked,
            record=named(self.record),
            kappa=self.record.kappa,
        )


def most_pessimistic(records: Sequence[Record], cells: int | None = None) -> tuple[Record, ...]:
    """Return records by the unique people they predict, the most first."""
    if len(records) == 1:
        return tuple(records)
    return tuple(sorted(records, key=lambda one: (-entropy_of(one, cells), one.id)))
