"""The funnel: how many people are left after each answer. Koot (2012), appendix B.

Everybody in the population starts in one set, and each answer leaves those in it who would have
given the same one. What is known of the answers one by one only bounds how many give them all
(Fréchet); with independence, or with shares of people who give some of them together, it becomes a
number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from math import log2
from typing import TYPE_CHECKING, Any

from singleout.core.frame_kinds import Frame, framed
from singleout.core.results import Result
from singleout.core.wording import figure
from singleout.predict.distribution.people import readable
from singleout.predict.funnel.answers import (
    Answer,
    FunnelMode,
    checked_answers,
    checked_population,
    chosen_mode,
    known_together,
)
from singleout.predict.funnel.together import Bounds, likely_together
from singleout.report.say import say

if TYPE_CHECKING:
    import os
    from pathlib import Path

    import altair as alt

    from singleout.report.content import Report

__all__ = ["Funnel", "FunnelStep", "funnel", "narrowed", "people_left"]

_LEAST_SHOWN = 1e-4  # people: less is shown as "less than"


@dataclass(frozen=True)
class FunnelStep:
    """What is left after an answer.

    Parameters
    ----------
    question, answer
        What was asked and answered.
    share
        The people who would give this answer / all people.
    size
        How many people are expected to give all answers so far; None if only bounds are known.
    factor
        The size of the set before the answer / after it; None if one of them is unknown or 0.
    bits
        The information in the answer: log2 of the factor.
    lower, upper
        Bounds of the size of the set, which hold for any dependence between answers.
    alone
        The chance that nobody else in the population gives all answers so far.
    """

    question: str
    answer: str
    share: float
    size: float | None
    factor: float | None
    bits: float | None
    lower: float
    upper: float
    alone: float | None


@dataclass(frozen=True)
class Funnel(Result):
    """How many people are left after each answer.

    Parameters
    ----------
    population
        How many people there are before the first answer.
    steps
        What each answer leaves, in the order they are given.
    mode
        What was taken as known about answers that are given together.
    notes, warnings
        What a reader should know, and why not to rely on it: one sentence each.
    """

    population: int
    steps: tuple[FunnelStep, ...]
    mode: FunnelMode = FunnelMode.INDEPENDENT
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def size(self) -> float | None:
        """How many people are expected to give all answers; None if only bounds are known."""
        return self.steps[-1].size

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest number of people who can give all answers."""
        return self.steps[-1].lower, self.steps[-1].upper

    @property
    def factor(self) -> float | None:
        """The population / the people left after all answers."""
        return self.population / self.size if self.size else None

    @property
    def bits(self) -> float | None:
        """The information in all answers together; log2 of the population singles one out."""
        return None if self.factor is None else log2(self.factor)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values that JSON can hold; None where undefined."""
        return {
            "population": self.population,
            "mode": str(self.mode),
            "size": self.size,
            "lower": self.bounds[0],
            "upper": self.bounds[1],
            "factor": self.factor,
            "bits": self.bits,
            "bits_to_single_out": log2(self.population),
            "steps": [asdict(step) for step in self.steps],
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }

    def to_frame(self) -> Frame:
        """Return the steps as a polars frame, one row for each answer."""
        from singleout.core.frames import pl

        numbers = ["share", "size", "factor", "bits", "lower", "upper", "alone"]
        rows = [asdict(step) for step in self.steps]
        return pl.DataFrame(rows, infer_schema_length=None).with_columns(
            pl.col(numbers).cast(pl.Float64)
        )

    def plot(self) -> alt.LayerChart | alt.FacetChart:
        """Return the picture: the set after each answer, with its bounds."""
        from singleout.predict.funnel.chart import left_after

        return left_after(self)

    def report_content(self, source: str = "") -> Report:
        """Return the content of the report.

        Parameters
        ----------
        source
            What the numbers are from, for the line below the title.
        """
        from singleout.predict.funnel.page import funnel_page

        return funnel_page(self, source)

    def to_html(self, path: str | os.PathLike[str]) -> Path:
        """Write the report: one HTML file that fetches nothing.

        Parameters
        ----------
        path
            The file, whose name ends in ``.html``.
        """
        from singleout.report.files import HTML, checked_path, write_text
        from singleout.report.page import page

        return write_text(checked_path(path, HTML), page(self.report_content()))

    def __str__(self) -> str:
        numbers = {
            "population": self.population,
            "answers": say("predict.funnel.answers", n=len(self.steps)),
            "lower": people_left(self.bounds[0]),
            "upper": people_left(self.bounds[1]),
        }
        if self.size is None:
            return say("predict.funnel.left_between", **numbers)
        if self.bits is None:
            return say("predict.funnel.left_none", **numbers)
        key = "left" if self.size >= _LEAST_SHOWN else "left_few"
        return say(f"predict.funnel.{key}", size=people_left(self.size), bits=self.bits, **numbers)


@framed
def funnel(
    population: int,
    answers: Mapping[str, Any] | Iterable[Answer],
    *,
    joint: Mapping[Sequence[str], float] | None = None,
    mode: str | None = None,
) -> Funnel:
    """Follow how few people are left after each answer: appendix B of Koot (2012).

    Parameters
    ----------
    population
        How many people could have answered, such as the inhabitants of a country.
    answers
        For each question, in order, the share of people who would answer the same, or the answer
        and its share: ``{"sex": ("female", 0.51)}``. Or a list of `Answer`.
    joint
        The share of people who give some of the answers together, by the names of the questions:
        ``{("age", "sex"): 0.07}``. Of all populations that fit, the one that depends least
        (of largest entropy) is taken.
    mode
        ``independent``: one answer says nothing about another; ``joint``: as ``joint`` says;
        ``bounds``: nothing is assumed, so only the bounds are known. If not given, ``joint`` with
        shares of answers together, and ``independent`` without.

    Returns
    -------
    Funnel
        The set after each answer with its Fréchet bounds, and the bits that the answer gave away.

    Examples
    --------
    >>> from singleout.predict import funnel
    >>> left = funnel(16_000_000, {"education": ("vocational", 0.3), "background": 0.79})
    >>> [round(step.size) for step in left.steps]
    [4800000, 3792000]
    >>> [round(bound) for bound in left.bounds]
    [1440000, 4800000]
    >>> together = {("education", "background"): 0.2}
    >>> answers = {"education": 0.3, "background": 0.79}
    >>> round(funnel(16_000_000, answers, joint=together).size)
    3200000
    """
    start = checked_population(population)
    listed = checked_answers(answers)
    known = known_together(listed, joint)
    chosen = chosen_mode(mode, has_joint=bool(known))
    together = likely_together([answer.share for answer in listed], known)
    shares = None if chosen is FunnelMode.BOUNDS else together.shares
    return narrowed(start, listed, shares, together.bounds, mode=chosen, warnings=together.warnings)


def narrowed(
    population: int,
    answers: Sequence[Answer],
    shares: Sequence[float] | None,
    bounds: Bounds,
    *,
    mode: FunnelMode,
    notes: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
) -> Funnel:
    """Return the funnel of answers in order.

    Shares and bounds are, for each answer, of the people who give it and all before it; without
    shares only bounds are known.
    """
    sizes = None if shares is None else [population * share for share in shares]
    steps = tuple(
        FunnelStep(
            answer.question,
            answer.answer,
            answer.share,
            None if sizes is None else sizes[index],
            *_narrowing(population, sizes, index),
            population * lower,
            population * upper,
            None if shares is None else (1 - min(1.0, shares[index])) ** (population - 1),
        )
        for index, (answer, (lower, upper)) in enumerate(zip(answers, bounds, strict=True))
    )
    assumes = mode is FunnelMode.INDEPENDENT and len(steps) > 1
    assumption = (say("predict.funnel.independent"),) if assumes else ()
    return Funnel(
        population, steps, mode, (*assumption, *notes), (*warnings, *_too_few(population, steps))
    )


def _narrowing(
    population: int, sizes: Sequence[float] | None, index: int
) -> tuple[float | None, float | None]:
    """Return the factor by which an answer divided the set, and its bits."""
    if sizes is None or sizes[index] <= 0:
        return None, None
    before = sizes[index - 1] if index else population
    factor = before / sizes[index]
    return factor, log2(factor)


def _too_few(population: int, steps: Sequence[FunnelStep]) -> tuple[str, ...]:
    sizes = [population, *(step.size for step in steps)]
    for step, (before, after) in zip(steps, pairwise(sizes), strict=True):
        if after == 0:
            return (say("predict.funnel.nobody", question=step.question),)
        if before is not None and after is not None and after < 1 <= before:
            return (say("predict.funnel.fewer_than_one", question=step.question),)
    return ()


def people_left(size: float) -> str:
    """Return a number of people with two digits, or all left of the decimal point."""
    if 0 < size < _LEAST_SHOWN:
        return readable(size)
    return figure(size, ",.0f") if size >= 10 or size == 0 else figure(size, ".2g")
