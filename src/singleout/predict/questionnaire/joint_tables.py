"""Tables of how common combinations of answers are, in agreement with the questions themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from singleout.core.arrays import F64
from singleout.errors import nearest
from singleout.io.yaml.file import Location, Mistake
from singleout.predict.questionnaire.file import JointEntry, QuestionnaireFile, as_share
from singleout.predict.questionnaire.questions import ROUNDED, Coding, Question, total_of

__all__ = ["JointTable", "joint_tables"]

_MOST_QUESTIONS_OF_A_TABLE = 6


@dataclass(frozen=True, eq=False)
class JointTable:
    """How common the combinations of answers to several questions are.

    Parameters
    ----------
    questions
        The places of the questions, one for each axis.
    codings
        The name of the coding that each axis has.
    shares
        The people who give each combination of answers / all people.
    """

    questions: tuple[int, ...]
    codings: tuple[str, ...]
    shares: F64 = field(repr=False)

    def __post_init__(self) -> None:
        self.shares.setflags(write=False)


def joint_tables(file: QuestionnaireFile, questions: Sequence[Question]) -> tuple[JointTable, ...]:
    """Return the tables of a file, in agreement with the questions.

    Parameters
    ----------
    file
        What the file holds, each entry of the right kind.
    questions
        Its questions.
    """
    return tuple(
        _table(entry, ("joint", place), questions) for place, entry in enumerate(file.joint)
    )


def _table(entry: JointEntry, path: Location, questions: Sequence[Question]) -> JointTable:
    places = _places(entry, path, questions)
    given = [key for key in ("shares", "counts") if getattr(entry, key) is not None]
    if len(given) != 1:
        raise Mistake(path, "a joint table needs either shares or counts, and not both.")
    where = (*path, given[0])
    cells = dict(_cells(getattr(entry, given[0]), where, len(places)))
    if not cells:
        raise Mistake(where, "the joint table is empty.")
    codings = [
        _coding_of_axis(questions[place], [labels[axis] for labels in cells], where)
        for axis, place in enumerate(places)
    ]
    shares = np.zeros([len(coding.options) for coding in codings])
    places_of = [{option: at for at, option in enumerate(one.options)} for one in codings]
    for labels, number in cells.items():
        at = tuple(known[label] for known, label in zip(places_of, labels, strict=True))
        shares[at] = number
    names = " and ".join(map(repr, entry.questions))
    shares /= total_of(shares.ravel(), where, f"{names} together", is_share=given[0] == "shares")
    for axis, coding in enumerate(codings):
        _check_margin(shares, axis, coding, entry.questions[axis], where)
    return JointTable(tuple(places), tuple(c.name for c in codings), _raked(shares, codings))


def _places(entry: JointEntry, path: Location, questions: Sequence[Question]) -> list[int]:
    names = [question.name for question in questions]
    for axis, name in enumerate(entry.questions):
        if name not in names:
            hint = nearest(name, names)
            advice = f" Did you mean {hint!r}?" if hint else ""
            raise Mistake(
                (*path, "questions", axis),
                f"there is no question {name!r}; there are: {', '.join(names)}.{advice}",
            )
    if len(set(entry.questions)) < len(entry.questions):
        raise Mistake((*path, "questions"), "a joint table has each question only once.")
    if len(entry.questions) > _MOST_QUESTIONS_OF_A_TABLE:
        raise Mistake(
            (*path, "questions"),
            f"a joint table has at most {_MOST_QUESTIONS_OF_A_TABLE} questions.",
        )
    return [names.index(name) for name in entry.questions]


def _cells(
    given: Any, path: Location, depth: int, labels: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield the labels and the number of each cell of a nested table."""
    if len(labels) == depth:
        number = as_share(given)
        if number is None:
            raise Mistake(path, f"{' and '.join(labels)}: a number must stand here.")
        yield labels, number
        return
    if not isinstance(given, Mapping):
        raise Mistake(
            path,
            f"the table has {depth} questions, so its numbers stand under {depth} options each.",
        )
    for label, below in given.items():
        yield from _cells(below, (*path, label), depth, (*labels, label))


def _coding_of_axis(question: Question, labels: Sequence[str], path: Location) -> Coding:
    """Return the coding whose options the labels are: the one with the fewest others."""
    wanted = set(labels)
    fitting = [coding for coding in question.codings if wanted <= set(coding.options)]
    if fitting:
        return min(fitting, key=lambda coding: len(coding.options))
    most = max(question.codings, key=lambda coding: len(wanted & set(coding.options)))
    unknown = next(label for label in labels if label not in most.options)
    hint = nearest(unknown, most.options)
    advice = f" Did you mean {hint!r}?" if hint else ""
    raise Mistake(
        path,
        f"{unknown!r} is not an option of {question.name!r} in one coding with the others."
        + advice,
    )


def _check_margin(shares: F64, axis: int, coding: Coding, question: str, path: Location) -> None:
    margin = _margin(shares, axis)
    worst = int(np.abs(margin - coding.shares).argmax())
    if abs(margin[worst] - coding.shares[worst]) > ROUNDED:
        raise Mistake(
            path,
            f"by this table the share of {coding.options[worst]!r} in {question!r} is "
            f"{margin[worst]:.4g}, and by the question itself {coding.shares[worst]:.4g}.",
        )


def _margin(shares: F64, axis: int) -> F64:
    found: F64 = shares.sum(axis=tuple(other for other in range(shares.ndim) if other != axis))
    return found


def _raked(shares: F64, codings: Sequence[Coding], sweeps: int = 100) -> F64:
    """Return the table scaled to the exact shares of its questions: it was rounded."""
    for _ in range(sweeps):
        before = shares
        for axis, coding in enumerate(codings):
            margin = _margin(shares, axis)
            factor = np.divide(coding.shares, margin, out=np.zeros_like(margin), where=margin > 0)
            shape = [-1 if other == axis else 1 for other in range(shares.ndim)]
            shares = shares * factor.reshape(shape)
        if np.abs(shares - before).max() < 1e-14:
            break
    found: F64 = shares / shares.sum()
    return found
