"""The joint distribution of answers: independent except where joint tables connect questions.

Questions that tables connect form a part, and the parts are independent of each other. Where
several tables overlap in a part, the distribution of maximum entropy with these margins is taken
(iterative proportional fitting).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from math import prod

import numpy as np

from singleout.core.arrays import F64
from singleout.errors import BadChoice, UndefinedMeasure, did_you_mean
from singleout.predict.correlation.fitting import Margin, fit_margins
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.funnel.answers import Answer, FunnelMode
from singleout.predict.funnel.funnel import Funnel, narrowed
from singleout.predict.funnel.together import bounds_together, linked, within
from singleout.predict.questionnaire.independent import MOST_GROUPS, combined
from singleout.predict.questionnaire.joint_tables import JointTable, margin
from singleout.predict.questionnaire.questions import DROP, Coding, Question
from singleout.report.say import say

__all__ = ["AnswerModel", "answer_model", "answered", "option_of"]

_MOST_CELLS = 1 << 22  # combinations of answers to questions that tables connect


@dataclass(frozen=True, eq=False)
class AnswerModel:
    """The share of each combination of answers.

    Questions have names and a coding, None if not asked. ``parts`` are the indices of the questions
    of each independent part, ascending, with the shares of the combinations of their answers;
    ``tables`` the same for the joint tables that needed no approximation. ``warnings`` name the
    tables that could not be used.
    """

    questions: tuple[str, ...]
    codings: tuple[Coding | None, ...]
    parts: tuple[tuple[tuple[int, ...], F64], ...] = field(repr=False)
    tables: tuple[tuple[tuple[int, ...], F64], ...] = field(repr=False)
    warnings: tuple[str, ...] = ()

    @property
    def asked(self) -> list[int]:
        """The indices of the questions that are asked."""
        return [index for index, coding in enumerate(self.codings) if coding is not None]

    def margins(self, questions: Sequence[int]) -> list[F64]:
        """Return the shares of the answers to some questions, by independent part."""
        wanted = set(questions)
        return [
            margin(shares, [axis for axis, question in enumerate(members) if question in wanted])
            for members, shares in self.parts
            if wanted & set(members)
        ]

    def distribution(self, questions: Sequence[int], groups: int = MOST_GROUPS) -> Distribution:
        """Return the distribution over the combinations of answers to some questions."""
        margins = (shares / shares.sum() for shares in self.margins(questions))
        return combined(map(Distribution.from_probabilities, margins), groups)

    def share(self, answers: Mapping[int, int]) -> float:
        """Return the share of people who give all these answers: option by question."""
        product = 1.0
        for members, shares in self.parts:
            axes = [axis for axis, question in enumerate(members) if question in answers]
            cell = tuple(answers[members[axis]] for axis in axes)
            product *= float(margin(shares, axes)[cell])
        return product

    def extreme(self, *, rarest: bool) -> dict[int, int]:
        """Return the rarest combination that somebody gives, or the most common one."""
        answers = {}
        for members, shares in self.parts:
            ranked = np.where(shares > 0, -shares if rarest else shares, -np.inf)
            cell = np.unravel_index(int(ranked.argmax()), shares.shape)
            answers.update({question: int(i) for question, i in zip(members, cell, strict=True)})
        return dict(sorted(answers.items()))

    def known(self, answers: Sequence[tuple[int, int]]) -> dict[frozenset[int], float]:
        """Return the joint shares that tables have of answers, by indices into their list."""
        at = {question: (index, option) for index, (question, option) in enumerate(answers)}
        known_shares = {}
        for members, shares in self.tables:
            here = [axis for axis, question in enumerate(members) if question in at]
            for axes in chain.from_iterable(
                combinations(here, count) for count in range(2, len(here) + 1)
            ):
                cell = tuple(at[members[axis]][1] for axis in axes)
                group = frozenset(at[members[axis]][0] for axis in axes)
                known_shares[group] = float(margin(shares, axes)[cell])
        return known_shares


def answer_model(
    questions: Sequence[Question],
    tables: Sequence[JointTable],
    codings: Mapping[str, str | None] | None = None,
    *,
    independent: bool = False,
) -> AnswerModel:
    """Return the distribution of the answers to questions that are asked in these codings.

    A coding of ``drop`` or None leaves a question out. Questions without a coding here are asked in
    their own. ``independent`` ignores the tables.
    """
    chosen = _chosen(questions, codings or {})
    warnings: list[str] = []
    usable, certain = [], []
    for table in () if independent else tables:
        recoded = _recoded(table, questions, chosen, warnings)
        if recoded is not None:
            members, shares, exact = recoded
            usable.append((members, shares))
            certain += [(members, shares)] if exact else []
    asked = [index for index, coding in enumerate(chosen) if coding is not None]
    groups = {frozenset(members): None for members, _ in usable}
    names = tuple(question.name for question in questions)
    parts = tuple(
        (tuple(members), _part(members, names, chosen, usable, warnings))
        for members in linked(asked, groups)
    )
    return AnswerModel(names, tuple(chosen), parts, tuple(certain), tuple(warnings))


def _chosen(
    questions: Sequence[Question], codings: Mapping[str, str | None]
) -> list[Coding | None]:
    names = [question.name for question in questions]
    unknown = next((name for name in codings if name not in names), None)
    if unknown is not None:
        raise BadChoice(f"There is no question {unknown!r}; there are: {', '.join(names)}.")
    chosen = []
    for question in questions:
        name = codings.get(question.name, question.ask)
        chosen.append(None if name is None or name == DROP else question.coding(name))
    return chosen


# ---- tables in the codings that are asked


def _recoded(
    table: JointTable,
    questions: Sequence[Question],
    chosen: Sequence[Coding | None],
    warnings: list[str],
) -> tuple[tuple[int, ...], F64, bool] | None:
    """Return a table in the chosen codings, and whether that needed no approximation."""
    axes = [axis for axis, index in enumerate(table.questions) if chosen[index] is not None]
    if len(axes) < 2:
        return None
    shares, exact = table.shares, True
    for axis in axes:
        question, asked = questions[table.questions[axis]], chosen[table.questions[axis]]
        tabled = question.coding(table.codings[axis])
        if asked is None or asked is tabled:
            continue
        if asked.groups is None or tabled.groups is None:
            warnings.append(
                say(
                    "predict.questionnaire.table_unused",
                    questions=", ".join(repr(questions[index].name) for index in table.questions),
                    tabled=repr(tabled.name),
                    question=repr(question.name),
                    asked=repr(asked.name),
                )
            )
            return None
        matrix = _from_to(tabled, asked, question.codings[0].shares)
        shares = np.moveaxis(np.tensordot(shares, matrix, axes=(axis, 0)), -1, axis)
        exact = exact and bool(np.isin(matrix, (0, 1)).all())
    members = [table.questions[axis] for axis in axes]
    ordered = np.transpose(margin(shares, axes), np.argsort(members))
    return tuple(sorted(members)), ordered, exact


def _from_to(tabled: Coding, asked: Coding, first: F64) -> F64:
    """Return for each option of one coding the shares of its people in those of the other."""
    assert tabled.groups is not None
    assert asked.groups is not None
    people = np.zeros((len(tabled.options), len(asked.options)))
    np.add.at(people, (tabled.groups, asked.groups), first)
    total = people.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(people, total, out=np.zeros_like(people), where=total > 0))


# ---- tables that overlap


def _part(
    members: Sequence[int],
    questions: Sequence[str],
    chosen: Sequence[Coding | None],
    tables: Sequence[tuple[tuple[int, ...], F64]],
    warnings: list[str],
) -> F64:
    """Return the shares of the combinations of answers to questions that tables connect."""
    inside = [(axes, shares) for axes, shares in tables if set(axes) <= set(members)]
    if len(inside) == 1 and len(inside[0][0]) == len(members):
        return inside[0][1]
    margins = [coding.shares for index in members if (coding := chosen[index]) is not None]
    if len(margins) == 1:
        return margins[0]
    cells = prod(len(margin) for margin in margins)
    if cells > _MOST_CELLS:
        raise UndefinedMeasure(
            f"The joint tables connect {len(members)} questions, which have {cells:,} "
            f"combinations of answers, and {_MOST_CELLS:,} can be fitted; give fewer tables, or "
            "ask in coarser codings."
        )
    known = [Margin((questions[index],), one) for index, one in zip(members, margins, strict=True)]
    known += [Margin(tuple(questions[index] for index in axes), one) for axes, one in inside]
    fitted, fit_warnings = fit_margins(known)
    warnings += fit_warnings
    return fitted.joint


# ---- the funnel of some answers


def option_of(question: Question, index: int, model: AnswerModel, option: str) -> tuple[int, int]:
    """Return the index of a question and that of an option in the coding that is asked."""
    coding = model.codings[index]
    if coding is None:
        raise BadChoice(f"{question.name!r} is dropped, so there is no answer to it.")
    if option in coding.options:
        return index, coding.options.index(option)
    shown = ", ".join(coding.options[:12]) + (", …" if len(coding.options) > 12 else "")
    other = next((one.name for one in question.codings if option in one.options), None)
    if other is not None:
        raise BadChoice(
            f"{question.name!r} has no option {option!r}; it has: {shown}. It is one of the coding "
            f"{other!r}: ask {question.name!r} in that coding."
        )
    advice = did_you_mean(option, coding.options)
    raise BadChoice(f"{question.name!r} has no option {option!r}; it has: {shown}.{advice}")


def answered(
    model: AnswerModel,
    indices: Sequence[tuple[int, int]],
    population: int,
    mode: FunnelMode,
    notes: tuple[str, ...],
) -> Funnel:
    """Return the funnel of some answers: indices of questions and their options, in order."""
    answers = [_answer(model, question, option) for question, option in indices]
    shares = [model.share(dict(indices[: count + 1])) for count in range(len(indices))]
    known = {} if mode is FunnelMode.INDEPENDENT else model.known(indices)
    bounds = bounds_together([answer.share for answer in answers], known)
    return narrowed(
        population,
        answers,
        None if mode is FunnelMode.BOUNDS else within(shares, bounds),
        bounds,
        mode=mode,
        notes=notes,
        warnings=model.warnings,
    )


def _answer(model: AnswerModel, question: int, option: int) -> Answer:
    coding = model.codings[question]
    assert coding is not None
    share, name = float(coding.shares[option]), model.questions[question]
    if share == 0:
        raise BadChoice(f"Nobody answers {coding.options[option]!r} to {name!r}: its share is 0.")
    return Answer(name, coding.options[option], share)
