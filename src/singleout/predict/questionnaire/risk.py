"""The risk of a questionnaire for a respondent: expected, in the worst and in the best case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any

from singleout.core.frame_kinds import Frame
from singleout.core.results import Result
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.questionnaire.answer_model import AnswerModel
from singleout.predict.questionnaire.independent import entropy_bits
from singleout.predict.set_sizes.shares import share_below
from singleout.report.say import say

if TYPE_CHECKING:
    import altair as alt

__all__ = [
    "CodingComparison",
    "QuestionnaireRisk",
    "compared_coding",
    "question_rows",
]


@dataclass(frozen=True)
class QuestionRow:
    """What the answers up to a question give away.

    Parameters
    ----------
    question, coding, options
        What was asked, in which coding, with how many options.
    bits
        What the question adds on average, given the answers before it.
    total_bits
        What all questions so far give away on average.
    mean_set
        How many people of the population give the same answers as a person, on average.
    rarest_set, commonest_set
        How many people are expected to give the rarest and the most common combination so far.
    unique
        The people expected to be unique among those who answer / all who answer.
    """

    question: str
    coding: str
    options: int
    bits: float
    total_bits: float
    mean_set: float
    rarest_set: float
    commonest_set: float
    unique: float


@dataclass(frozen=True, eq=False)
class QuestionnaireRisk(Result):
    """What a questionnaire gives away, question by question.

    Parameters
    ----------
    population
        How many people could answer.
    people
        How many do.
    rows
        What the answers up to each question give away.
    distribution
        How people spread over the combinations of all answers: for further predictions.
    notes, warnings
        What a reader should know, and why not to rely on it: one sentence each.
    """

    population: int
    people: int
    rows: tuple[QuestionRow, ...]
    distribution: Distribution = field(repr=False)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def unique(self) -> float:
        """The people expected to be unique with all questions / all who answer."""
        return self.rows[-1].unique if self.rows else share_below(self.distribution, self.people, 2)

    def share_below(self, size: int) -> float:
        """Return the share of people expected in sets of fewer than ``size`` of those who answer.

        Parameters
        ----------
        size
            The size that a set should have.
        """
        return share_below(self.distribution, self.people, size)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        return {
            "population": self.population,
            "people": self.people,
            "unique": self.unique,
            "in_sets_below_5": self.share_below(5),
            "questions": [asdict(row) for row in self.rows],
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }

    def to_frame(self) -> Frame:
        """Return one row for each question, as a polars frame."""
        from singleout.core.frames import pl

        return pl.DataFrame([asdict(row) for row in self.rows], infer_schema_length=None)

    def plot(self) -> alt.LayerChart | alt.FacetChart:
        """Return the picture: the share of people who are unique after each question."""
        from singleout.predict.funnel.chart import unique_after

        asked = []
        for row in self.rows:
            how = "" if row.coding == row.question else f" ({row.coding})"
            asked.append((f"{row.question}{how}", row.unique))
        return unique_after(self.people, asked)

    def __str__(self) -> str:
        return say(
            "predict.questionnaire.risk",
            people=self.people,
            unique=self.unique,
            mean=self.rows[-1].mean_set if self.rows else float(self.population),
            population=self.population,
        )


@dataclass(frozen=True)
class CodingRow:
    """What the whole questionnaire gives away with a question asked in one way.

    Parameters
    ----------
    question, coding, options
        The question, the coding and how many options that has.
    bits
        What all answers give away on average.
    mean_set
        How many people of the population give the same answers as a person, on average.
    rarest_set
        How many people are expected to give the rarest combination of answers.
    unique
        The people expected to be unique among those who answer / all who answer.
    asked
        Whether the questionnaire asks in this way.
    """

    question: str
    coding: str
    options: int
    bits: float
    mean_set: float
    rarest_set: float
    unique: float
    asked: bool


@dataclass(frozen=True)
class CodingComparison(Result):
    """The ways to ask some questions, and what each gives away.

    Parameters
    ----------
    population
        How many people could answer.
    people
        How many do.
    rows
        One for each question and coding.
    notes, warnings
        What a reader should know, and why not to rely on it: one sentence each.
    """

    population: int
    people: int
    rows: tuple[CodingRow, ...]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold."""
        return {
            "population": self.population,
            "people": self.people,
            "codings": [asdict(row) for row in self.rows],
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }

    def to_frame(self) -> Frame:
        """Return one row for each question and coding, as a polars frame."""
        from singleout.core.frames import pl

        return pl.DataFrame([asdict(row) for row in self.rows], infer_schema_length=None)

    def plot(self) -> alt.FacetChart:
        """Return the picture: the share of people who are unique, by question and coding."""
        from singleout.predict.funnel.chart import unique_by_coding

        return unique_by_coding(
            self.people,
            [(row.question, row.coding, row.unique, row.asked) for row in self.rows],
        )

    def __str__(self) -> str:
        least = min(self.rows, key=lambda row: row.unique)
        most = max(self.rows, key=lambda row: row.unique)
        return say(
            "predict.questionnaire.codings",
            least=least.unique,
            least_coding=f"{least.question}: {least.coding}",
            most=most.unique,
            most_coding=f"{most.question}: {most.coding}",
            people=self.people,
        )


def question_rows(model: AnswerModel, population: int, people: int) -> tuple[QuestionRow, ...]:
    """Return the risk after each question, if so many people of the population answer."""
    rows: list[QuestionRow] = []
    so_far: list[int] = []
    for index, coding in enumerate(model.codings):
        if coding is None:
            continue
        so_far.append(index)
        bits, mean, rarest, commonest = _spread(model, so_far, population)
        rows.append(
            QuestionRow(
                model.questions[index],
                coding.name,
                len(coding.options),
                bits - (rows[-1].total_bits if rows else 0.0),
                bits,
                mean,
                rarest,
                commonest,
                share_below(model.distribution(so_far), people, 2),
            )
        )
    return tuple(rows)


def compared_coding(
    model: AnswerModel, index: int, name: str, population: int, people: int, *, asked: bool
) -> CodingRow:
    """Return the risk of all answers if the question of this index is asked in the named coding."""
    coding = model.codings[index]
    bits, mean, rarest, _ = _spread(model, model.asked, population)
    unique = share_below(model.distribution(model.asked), people, 2)
    options = 1 if coding is None else len(coding.options)
    return CodingRow(model.questions[index], name, options, bits, mean, rarest, unique, asked)


def _spread(
    model: AnswerModel, questions: Sequence[int], population: int
) -> tuple[float, float, float, float]:
    """Return the bits of the answers, and the expected, the smallest and the largest set.

    Each is computed part by part, so that no combination has to be listed.
    """
    margins = [margin[margin > 0] for margin in model.margins(questions)]
    squares = prod(float((margin**2).sum()) for margin in margins)
    rarest = population * prod(float(margin.min()) for margin in margins)
    commonest = population * prod(float(margin.max()) for margin in margins)
    bits = sum(entropy_bits(margin) for margin in margins)
    return bits, 1 + (population - 1) * squares, rarest, commonest
