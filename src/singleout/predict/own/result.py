"""What one person's answers reveal of her, beside what they reveal of others: the result."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from singleout.core.frame_kinds import Frame
from singleout.core.results import Result, ResultPart
from singleout.predict.distribution.people import readable
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt

    from singleout.report.content import Report

__all__ = ["OwnAnswer", "OwnRisk"]


@dataclass(frozen=True)
class OwnAnswer(ResultPart):
    """One of her answers.

    Parameters
    ----------
    column, value
        What was asked, and her value as the data call it.
    people
        How many people of the data have this value.
    left
        How many have it and all values before it.
    without
        How many have all her values but this one: her set if she kept it to herself.
    rare
        Whether it is far less common than the value of a typical person.
    """

    column: str
    value: str
    people: int
    left: int
    without: int
    rare: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class OwnRisk(Result):
    """What her answers reveal of her, beside the average of all people of the data.

    Parameters
    ----------
    source
        What the data is called.
    population
        How many people the data hold.
    people
        k: among how many people she could be looked for, she included.
    answers
        Her answers, one after the other.
    members
        How many people of the data have all her values; 0 if nobody has.
    unique, average_unique
        The chance that nobody else of the k people has her values; people expected to be unique /
        all k people.
    expected_set, average_set
        How many of the k people are expected to have her values, she included; the mean over all k
        people.
    match, average_match
        The chance to name the right person by a guess among those who have the same values: hers,
        and the mean over all k people.
    as_small
        People of the data in sets at most as large as hers / all people of the data.
    outlier
        Whether her combination is far less common than that of a typical person.
    notes, warnings
        What she should know, one sentence each.
    """

    source: str
    population: int
    people: int
    answers: tuple[OwnAnswer, ...]
    members: int
    unique: float
    average_unique: float
    expected_set: float
    average_set: float
    match: float
    average_match: float
    as_small: float
    outlier: bool
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def most_telling(self) -> OwnAnswer:
        """The answer without which most people share the others."""
        return max(self.answers, key=lambda answer: answer.without)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        return {
            **vars(self),
            "answers": [answer.to_dict() for answer in self.answers],
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }

    def to_frame(self) -> Frame:
        """Return one row for each answer."""
        from singleout.core.frames import pl

        return pl.DataFrame([answer.to_dict() for answer in self.answers])

    def plot(self) -> alt.LayerChart | alt.FacetChart:
        """Return the picture: how many people are left after each answer, and without it."""
        from singleout.predict.own.chart import own_answers

        return own_answers(self)

    def report_content(self) -> Report:
        """Return the content of the page that she can keep."""
        from singleout.predict.own.page import own_page

        return own_page(self)

    def to_html(self, path: str | os.PathLike[str]) -> Path:
        """Write the page that she can keep; a new file can be read by its owner only.

        Parameters
        ----------
        path
            The file, whose name ends in ``.html``.
        """
        from singleout.report.files import HTML, checked_path, write_text
        from singleout.report.page import page

        file = checked_path(path, HTML)
        return write_text(file, page(self.report_content()), private=True)

    def __str__(self) -> str:
        numbers = {
            "people": self.people,
            "unique": self.unique,
            "average": self.average_unique,
            "others": readable(self.expected_set - 1),
        }
        if self.members == 0:
            return say("predict.own.nobody", population=self.population)
        if self.people != self.population:
            return say("predict.own.says_some", **numbers)
        key = "alone" if self.members == 1 else "says"
        return say(f"predict.own.{key}", n=self.members - 1, **numbers)
