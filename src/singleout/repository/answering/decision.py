"""What was decided, with the numbers it was decided on and a hash of both."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.core.frame_kinds import Frame
from singleout.core.results import Result, ResultPart
from singleout.report.say import say
from singleout.repository.answering.policies import DisclosurePolicy, Predicted
from singleout.repository.answering.relations import written
from singleout.repository.answering.steps import PathStep
from singleout.repository.documents.bodies import DecisionEntry
from singleout.repository.documents.canonical import content_hash
from singleout.repository.documents.population import DeclaredPopulation
from singleout.repository.documents.record import CodedAttribute

if TYPE_CHECKING:
    from singleout.report.content import Report

__all__ = ["AskedOtherwise", "DecidedAction", "RepositoryDecision"]

DROPPED = "drop"


class DecidedAction(StrEnum):
    """What to do about a quasi-identifier."""

    ACCEPT = "accept"
    COARSEN = "coarsen"
    DROP = "drop"
    REFUSE = "refuse"


@dataclass(frozen=True)
class AskedOtherwise(ResultPart):
    """An attribute that is to be asked otherwise.

    Parameters
    ----------
    attribute
        Its name.
    asked
        The coding it was asked in.
    to
        The coding it is to be asked in, or ``drop``.
    """

    attribute: str
    asked: str
    to: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values that JSON can hold."""
        return dict(vars(self))

    def __str__(self) -> str:
        key = "dropped" if self.to == DROPPED else "coarsened"
        return say(f"repository.answering.decide.{key}", name=self.attribute, to=self.to)


@dataclass(frozen=True, eq=False)
class RepositoryDecision(Result):
    """Whether a quasi-identifier may be asked of so many people, and how.

    Parameters
    ----------
    action
        ``accept``, ``coarsen``, ``drop`` or ``refuse``.
    quasi_identifier, population, people, policy
        What was asked, of whom, of how many, and what must hold.
    changes
        What to ask otherwise; none unless coarsened or dropped.
    predicted
        What is predicted of the quasi-identifier as asked; None if nothing is known of it.
    accepted
        What is predicted of the one that is accepted; None if none is.
    records
        The ids of the records it rests on.
    path
        How the record of the accepted quasi-identifier, or of the asked one, was found.
    reasons
        Why not as asked, one sentence each.
    notes
        What a reader should know, one sentence each.
    subject
        What is decided on: the name of a questionnaire or of a release.
    """

    action: DecidedAction
    quasi_identifier: tuple[CodedAttribute, ...]
    population: DeclaredPopulation
    people: int
    policy: DisclosurePolicy
    changes: tuple[AskedOtherwise, ...] = ()
    predicted: Predicted | None = None
    accepted: Predicted | None = None
    records: tuple[str, ...] = ()
    path: tuple[PathStep, ...] = ()
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    subject: str = ""

    @property
    def is_accepted(self) -> bool:
        """Whether it may be asked as it is."""
        return self.action is DecidedAction.ACCEPT

    @cached_property
    def hash(self) -> str:
        """The hash of the decision and of the numbers it rests on."""
        return content_hash(_known(self._document()))

    def _document(self) -> dict[str, Any]:
        return {
            "subject": self.subject,
            "action": str(self.action),
            "says": str(self),
            "quasi_identifier": [str(one) for one in self.quasi_identifier],
            "population": self.population.to_dict(),
            "people": self.people,
            "policy": self.policy.to_dict(),
            "changes": [change.to_dict() for change in self.changes],
            "predicted": None if self.predicted is None else self.predicted.to_dict(),
            "accepted": None if self.accepted is None else self.accepted.to_dict(),
            "records": list(self.records),
            "path": [step.to_dict() for step in self.path],
            "reasons": list(self.reasons),
            "notes": list(self.notes),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the decision, its numbers and its hash as plain values."""
        return self._document() | {"hash": self.hash}

    def to_frame(self) -> Frame:
        """Return one row for each attribute: as asked, and as it may be asked."""
        from singleout.core.frames import pl

        changed = {change.attribute: change.to for change in self.changes}
        refused = self.action is DecidedAction.REFUSE
        rows = [
            {
                "attribute": one.attribute,
                "asked": one.coding,
                "decided": "refuse" if refused else changed.get(one.attribute, one.coding),
            }
            for one in self.quasi_identifier
        ]
        return pl.DataFrame(rows)

    def report_content(self) -> Report:
        """Return the content of the report."""
        from singleout.repository.answering.page import decision_page

        return decision_page(self)

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write the report: what may be asked, why, and the numbers it rests on.

        Parameters
        ----------
        path
            The file, whose name ends in ``.html``.
        """
        from singleout.report.files import HTML, checked_path, write_text
        from singleout.report.page import page

        return write_text(checked_path(path, HTML), page(self.report_content()))

    def entry(self) -> DecisionEntry:
        """Return what a repository stores of it, to be signed and submitted."""
        return DecisionEntry(
            subject=self.subject or written(self.quasi_identifier),
            outcome=str(self.action),
            records=self.records,
            document=_known(self.to_dict()),
            reason=" ".join(self.reasons)[:2000],
        )

    def for_plan(self) -> dict[str, Any]:
        """Return what goes into the section ``decisions`` of a plan, and from there into reports.

        Examples
        --------
        >>> so.Plan.of({"columns": {...}, "decisions": [decided.for_plan()]})  # doctest: +SKIP
        """
        return {
            "subject": self.subject or written(self.quasi_identifier),
            "action": str(self.action),
            "says": str(self),
            "hash": self.hash,
            "records": list(self.records),
        }

    def __str__(self) -> str:
        values = {
            "asked": written(self.quasi_identifier),
            "people": self.people,
            "population": str(self.population),
            "changes": "; ".join(map(str, self.changes)),
        }
        return say(f"repository.answering.decide.{self.action}", **values)


def _known(document: Any) -> Any:
    """Return a document without what is not known: no null stands in what is signed."""
    if isinstance(document, dict):
        return {name: _known(value) for name, value in document.items() if value is not None}
    if isinstance(document, list):
        return [_known(value) for value in document]
    return document
