"""The input of a funnel: answers with their shares, and shares of answers together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from singleout.core.arguments import share
from singleout.core.choices import choose
from singleout.core.text import printable
from singleout.errors import BadChoice, did_you_mean
from singleout.predict.distribution.people import whole_number
from singleout.predict.funnel.together import Known

__all__ = [
    "Answer",
    "FunnelMode",
    "checked_answers",
    "checked_population",
    "chosen_mode",
    "known_together",
]

_MOST_PEOPLE = 10**12  # more than ever lived
_ROUNDING = 1e-9  # tolerance for shares that were computed


class FunnelMode(StrEnum):
    """What is taken as known about answers that are given together."""

    INDEPENDENT = "independent"  # one answer says nothing about another, as in the thesis
    JOINT = "joint"  # as the shares of people who give several answers together say
    BOUNDS = "bounds"  # nothing: only what can be said for certain


@dataclass(frozen=True)
class Answer:
    """An answer to a question, and how common it is.

    Parameters
    ----------
    question
        What was asked.
    answer
        What was answered.
    share
        The people who would answer the same / all people.
    """

    question: str
    answer: str
    share: float


def chosen_mode(mode: str | None, *, has_joint: bool) -> FunnelMode:
    """Return the mode, or say why it does not fit the shares of answers together."""
    if mode is None:
        return FunnelMode.JOINT if has_joint else FunnelMode.INDEPENDENT
    chosen = choose(FunnelMode, mode, "mode")
    if chosen is FunnelMode.JOINT and not has_joint:
        raise BadChoice(
            "mode='joint' needs to know how many people give answers together; give joint=, as in "
            "joint={('age', 'sex'): 0.07}."
        )
    if chosen is FunnelMode.INDEPENDENT and has_joint:
        raise BadChoice(
            "mode='independent' would ignore the shares in joint=; leave one of the two out."
        )
    return chosen


def checked_population(population: Any) -> int:
    """Return how many people there are, or say what is wrong with it."""
    number = whole_number(population)
    if number is None or not 1 <= number <= _MOST_PEOPLE:
        raise BadChoice(
            f"population must be a whole number of 1 to 10^12 people, not "
            f"{printable(repr(population))}."
        )
    return number


def checked_answers(answers: Any) -> list[Answer]:
    """Return the answers in order, or say what is wrong with them."""
    if isinstance(answers, Mapping):
        listed = [_answer(question, value) for question, value in answers.items()]
    else:
        listed = list(answers) if isinstance(answers, Iterable) else [answers]
    if not all(isinstance(one, Answer) and isinstance(one.question, str) for one in listed):
        raise BadChoice(
            "answers must be the share of each question's answer, as in {'sex': 0.51} or "
            "{'sex': ('female', 0.51)}, or a list of Answer."
        )
    if not listed:
        raise BadChoice("No answers were given; give the share of one at least, as {'sex': 0.51}.")
    names = [answer.question for answer in listed]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadChoice(f"{twice!r} is answered twice; give one answer to each question.")
    return [
        replace(one, share=share(one.share, f"The share of {one.question!r}", one=True))
        for one in listed
    ]


def _answer(question: str, value: Any) -> Answer:
    if isinstance(value, Answer):
        return value
    if isinstance(value, tuple | list) and len(value) == 2:
        return Answer(question, str(value[0]), value[1])
    return Answer(question, "", value)


def known_together(answers: Sequence[Answer], joint: Any) -> Known:
    """Return the shares of answers together by their indices, or say which is impossible."""
    if joint is None:
        return {}
    if not isinstance(joint, Mapping):
        raise BadChoice(
            "joint must be the share of people who give answers together, by the names of the "
            f"questions, as in {{('age', 'sex'): 0.07}}, not {printable(repr(joint))}."
        )
    indices = {answer.question: index for index, answer in enumerate(answers)}
    known: dict[frozenset[int], float] = {}
    for names, together in joint.items():
        group = _group(names, indices)
        known[group] = _share_together([answers[index] for index in sorted(group)], together)
    return known


def _group(names: Any, indices: Mapping[str, int]) -> frozenset[int]:
    """Return the indices of the questions of a group."""
    group = list(names) if isinstance(names, tuple | frozenset) else [names]
    unknown = next((name for name in group if name not in indices), None)
    if unknown is not None:
        raise BadChoice(
            f"joint has a share for {printable(repr(unknown))}, which is not answered; the answers "
            f"are to: {', '.join(indices)}.{did_you_mean(unknown, indices)}"
        )
    if len(set(group)) < 2:
        raise BadChoice(
            f"joint has a share for {group!r}; a share of answers together needs two questions at "
            "least."
        )
    return frozenset(indices[name] for name in group)


def _share_together(answers: Sequence[Answer], together: Any) -> float:
    """Return the share of answers together, or say why it is impossible."""
    words = " and ".join(repr(answer.question) for answer in answers)
    number = share(together, f"The share of {words} together", zero=True, one=True)
    singles = [answer.share for answer in answers]
    least, most = max(0.0, sum(singles) - len(singles) + 1), min(singles)
    if not least - _ROUNDING <= number <= most + _ROUNDING:
        raise BadChoice(
            f"A share of {number:.6g} for {words} together contradicts their own shares, which "
            f"allow {least:.6g} to {most:.6g}."
        )
    return min(max(number, least), most)
