"""How people answer a whole questionnaire: independent but for what joint tables say.

Questions that tables tie together form a part, and the parts are independent of each other. Where
several tables overlap in a part, the population of the largest entropy that fits them all is taken
(iterative proportional fitting), so that nothing depends on anything but as the tables say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from math import prod

import numpy as np

from singleout.core.arrays import F64
from singleout.errors import BadChoice, UndefinedMeasure
from singleout.predict.correlation.fitting import Margin, fit_margins
from singleout.predict.distribution.distribution import Distribution
from singleout.predict.funnel.together import linked
from singleout.predict.questionnaire.independent import MOST_GROUPS, combined
from singleout.predict.questionnaire.joint_tables import JointTable
from singleout.predict.questionnaire.questions import DROP, Coding, Question

__all__ = ["AnswerModel", "answer_model"]

_MOST_CELLS = 1 << 22  # combinations of answers to questions that tables tie together


@dataclass(frozen=True, eq=False)
class AnswerModel:
    """How common each combination of answers is.

    Parameters
    ----------
    questions
        The names of all questions.
    codings
        How each is asked; None if it is not.
    parts
        The places of the questions of each independent part, ascending, and the shares of the
        combinations of their answers.
    tables
        What is known for certain: tables of the questions as they are asked.
    warnings
        What could not be used, one sentence each.
    """

    questions: tuple[str, ...]
    codings: tuple[Coding | None, ...]
    parts: tuple[tuple[tuple[int, ...], F64], ...] = field(repr=False)
    tables: tuple[tuple[tuple[int, ...], F64], ...] = field(repr=False)
    warnings: tuple[str, ...] = ()

    @property
    def asked(self) -> list[int]:
        """The places of the questions that are asked."""
        return [place for place, coding in enumerate(self.codings) if coding is not None]

    def margins(self, places: Sequence[int]) -> list[F64]:
        """Return the shares of the answers to some questions, by independent part."""
        wanted = set(places)
        return [
            _margin(shares, [axis for axis, place in enumerate(members) if place in wanted])
            for members, shares in self.parts
            if wanted & set(members)
        ]

    def distribution(self, places: Sequence[int], groups: int = MOST_GROUPS) -> Distribution:
        """Return how people spread over the combinations of answers to some questions."""
        margins = self.margins(places)
        return combined((_distribution(shares) for shares in margins), groups)

    def share(self, answers: Mapping[int, int]) -> float:
        """Return the share of people who give all these answers: option by question."""
        found = 1.0
        for members, shares in self.parts:
            given = [axis for axis, place in enumerate(members) if place in answers]
            at = tuple(answers[members[axis]] for axis in given)
            found *= float(_margin(shares, given)[at])
        return found

    def extreme(self, *, rarest: bool) -> dict[int, int]:
        """Return the rarest combination that somebody gives, or the most common one."""
        found = {}
        for members, shares in self.parts:
            ranked = np.where(shares > 0, -shares if rarest else shares, -np.inf)
            at = np.unravel_index(int(ranked.argmax()), shares.shape)
            found.update({place: int(i) for place, i in zip(members, at, strict=True)})
        return {place: found[place] for place in sorted(found)}

    def known(self, answers: Sequence[tuple[int, int]]) -> dict[frozenset[int], float]:
        """Return what tables say of answers together, by the places of the answers in the list."""
        at = {question: (place, option) for place, (question, option) in enumerate(answers)}
        found = {}
        for members, shares in self.tables:
            here = [axis for axis, question in enumerate(members) if question in at]
            for axes in chain.from_iterable(
                combinations(here, count) for count in range(2, len(here) + 1)
            ):
                cell = tuple(at[members[axis]][1] for axis in axes)
                group = frozenset(at[members[axis]][0] for axis in axes)
                found[group] = float(_margin(shares, axes)[cell])
        return found


def answer_model(
    questions: Sequence[Question],
    tables: Sequence[JointTable],
    codings: Mapping[str, str | None] | None = None,
    *,
    independent: bool = False,
) -> AnswerModel:
    """Return how people answer the questions, asked in these codings.

    Parameters
    ----------
    questions
        What can be asked.
    tables
        How answers depend.
    codings
        The coding of some of the questions; ``drop`` or None leaves a question out. The others
        are asked as the questionnaire says.
    independent
        Do not use the tables.
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
    asked = [place for place, coding in enumerate(chosen) if coding is not None]
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


def _margin(shares: F64, axes: Sequence[int]) -> F64:
    """Return the sums over all other axes."""
    kept = set(axes)
    found: F64 = shares.sum(axis=tuple(axis for axis in range(shares.ndim) if axis not in kept))
    return found


def _distribution(shares: F64) -> Distribution:
    return Distribution.from_probabilities(shares.ravel() / shares.sum())


# ---- tables in the codings that are asked


def _recoded(
    table: JointTable,
    questions: Sequence[Question],
    chosen: Sequence[Coding | None],
    warnings: list[str],
) -> tuple[tuple[int, ...], F64, bool] | None:
    """Return a table in the chosen codings, and whether it is as certain as it was."""
    kept = [axis for axis, place in enumerate(table.questions) if chosen[place] is not None]
    if len(kept) < 2:
        return None
    shares, exact = table.shares, True
    for axis in kept:
        question, asked = questions[table.questions[axis]], chosen[table.questions[axis]]
        given = question.coding(table.codings[axis])
        if asked is None or asked is given:
            continue
        if asked.groups is None or given.groups is None:
            names = ", ".join(repr(questions[place].name) for place in table.questions)
            warnings.append(
                f"The joint table of {names} is not used: it has {given.name!r} for "
                f"{question.name!r}, which cannot be set against {asked.name!r} without groups."
            )
            return None
        matrix = _from_to(given, asked, question.codings[0].shares)
        shares = np.moveaxis(np.tensordot(shares, matrix, axes=(axis, 0)), -1, axis)
        exact = exact and bool(np.isin(matrix, (0, 1)).all())
    members = [table.questions[axis] for axis in kept]
    order = np.argsort(members)
    ordered = np.transpose(_margin(shares, kept), order)
    return tuple(sorted(members)), ordered, exact


def _from_to(given: Coding, asked: Coding, first: F64) -> F64:
    """Return for each option of one coding how its people spread over those of the other."""
    assert given.groups is not None
    assert asked.groups is not None
    people = np.zeros((len(given.options), len(asked.options)))
    np.add.at(people, (given.groups, asked.groups), first)
    total = people.sum(axis=1, keepdims=True)
    found: F64 = np.divide(people, total, out=np.zeros_like(people), where=total > 0)
    return found


# ---- tables that overlap


def _part(
    members: Sequence[int],
    questions: Sequence[str],
    chosen: Sequence[Coding | None],
    tables: Sequence[tuple[tuple[int, ...], F64]],
    warnings: list[str],
) -> F64:
    """Return the shares of the combinations of answers to questions that are tied together."""
    inside = [(places, shares) for places, shares in tables if set(places) <= set(members)]
    if len(inside) == 1 and len(inside[0][0]) == len(members):
        return inside[0][1]
    margins = [coding.shares for place in members if (coding := chosen[place]) is not None]
    if len(margins) == 1:
        return margins[0]
    cells = prod(len(margin) for margin in margins)
    if cells > _MOST_CELLS:
        raise UndefinedMeasure(
            f"The joint tables tie {len(members)} questions together, which have {cells:,} "
            f"combinations of answers, and {_MOST_CELLS:,} can be fitted; give fewer tables, or "
            "ask in coarser codings."
        )
    known = [Margin((questions[place],), one) for place, one in zip(members, margins, strict=True)]
    known += [Margin(tuple(questions[place] for place in places), one) for places, one in inside]
    fitted, said = fit_margins(known)
    warnings += said
    return fitted.joint
