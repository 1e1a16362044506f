"""What a funnel is asked: answers with their shares, and shares of answers together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from numbers import Real
from typing import Any

from singleout.core.choices import choose
from singleout.core.text import printable
from singleout.errors import BadChoice, nearest
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
_ROUNDING = 1e-9  # by how much shares that were computed may break a rule


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
    """Return what to take as known, or say why that cannot be."""
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
    numeric = isinstance(population, Real) and not isinstance(population, bool)
    if not numeric or not 1 <= population <= _MOST_PEOPLE or int(population) != population:
        raise BadChoice(
            f"population must be a whole number of 1 to 10^12 people, not "
            f"{printable(repr(population))}."
        )
    return int(population)


def checked_answers(answers: Any) -> list[Answer]:
    """Return the answers in order, or say what is wrong with them."""
    if isinstance(answers, Mapping):
        given = [_answer(question, value) for question, value in answers.items()]
    else:
        given = list(answers) if isinstance(answers, Iterable) else [answers]
    if not all(isinstance(one, Answer) and isinstance(one.question, str) for one in given):
        raise BadChoice(
            "answers must be the share of each question's answer, as in {'sex': 0.51} or "
            "{'sex': ('female', 0.51)}, or a list of Answer."
        )
    if not given:
        raise BadChoice("No answers were given; give the share of one at least, as {'sex': 0.51}.")
    names = [answer.question for answer in given]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadChoice(f"{twice!r} is answered twice; give one answer to each question.")
    for answer in given:
        _check_share(answer.share, f"The share of {answer.question!r}", least_excluded=True)
    return [Answer(one.question, one.answer, float(one.share)) for one in given]


def _answer(question: str, value: Any) -> Answer:
    if isinstance(value, Answer):
        return value
    if isinstance(value, tuple | list) and len(value) == 2:
        return Answer(question, str(value[0]), value[1])
    return Answer(question, "", value)


def _check_share(share: Any, whose: str, *, least_excluded: bool) -> None:
    numeric = isinstance(share, Real) and not isinstance(share, bool) and isfinite(share)
    if not numeric or not 0 <= share <= 1 or (least_excluded and share == 0):
        least = "above 0" if least_excluded else "from 0"
        raise BadChoice(f"{whose} must be a number {least} to 1, not {printable(repr(share))}.")


def known_together(answers: Sequence[Answer], joint: Any) -> Known:
    """Return the shares of answers together by their places, and refuse what cannot be."""
    if joint is None:
        return {}
    if not isinstance(joint, Mapping):
        raise BadChoice(
            "joint must be the share of people who give answers together, by the names of the "
            f"questions, as in {{('age', 'sex'): 0.07}}, not {printable(repr(joint))}."
        )
    places = {answer.question: place for place, answer in enumerate(answers)}
    known: dict[frozenset[int], float] = {}
    for names, share in joint.items():
        group = _group(names, places)
        known[group] = _share_together([answers[place] for place in sorted(group)], share)
    return known


def _group(names: Any, places: Mapping[str, int]) -> frozenset[int]:
    """Return the places of the questions of a group."""
    group = list(names) if isinstance(names, tuple | frozenset) else [names]
    unknown = next((name for name in group if name not in places), None)
    if unknown is not None:
        hint = nearest(str(unknown), places)
        advice = f" Did you mean {hint!r}?" if hint else ""
        raise BadChoice(
            f"joint has a share for {printable(repr(unknown))}, which is not answered; the answers "
            f"are to: {', '.join(places)}.{advice}"
        )
    if len(set(group)) < 2:
        raise BadChoice(
            f"joint has a share for {group!r}; a share of answers together needs two questions at "
            "least."
        )
    return frozenset(places[name] for name in group)


def _share_together(answers: Sequence[Answer], share: Any) -> float:
    """Return the share of answers together, or say why it cannot be."""
    words = " and ".join(repr(answer.question) for answer in answers)
    _check_share(share, f"The share of {words} together", least_excluded=False)
    singles = [answer.share for answer in answers]
    least, most = max(0.0, sum(singles) - len(singles) + 1), min(singles)
    if not least - _ROUNDING <= share <= most + _ROUNDING:
        raise BadChoice(
            f"A share of {share:.6g} for {words} together contradicts their own shares, which "
            f"allow {least:.6g} to {most:.6g}."
        )
    return float(min(max(share, least), most))
