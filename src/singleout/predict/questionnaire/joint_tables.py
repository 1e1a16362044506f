"""Joint tables of answers, whose margins agree with the shares of the questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from singleout.core.arrays import F64
from singleout.errors import did_you_mean
from singleout.io.yaml.file import Location, Mistake
from singleout.predict.questionnaire.counted import CellCounts, CountFiles, nested_counts
from singleout.predict.questionnaire.file import JointEntry, QuestionnaireFile, as_share
from singleout.predict.questionnaire.questions import ROUNDED, Coding, Question, total_of

__all__ = ["JointTable", "joint_tables", "margin"]

_MOST_QUESTIONS_OF_A_TABLE = 6


@dataclass(frozen=True, eq=False)
class JointTable:
    """The share of each combination of answers to several questions: people / all people.

    Each axis has the index of its question and the name of its coding.
    """

    questions: tuple[int, ...]
    codings: tuple[str, ...]
    shares: F64 = field(repr=False)

    def __post_init__(self) -> None:
        self.shares.setflags(write=False)


def joint_tables(
    file: QuestionnaireFile, questions: Sequence[Question], files: CountFiles
) -> tuple[JointTable, ...]:
    """Return the joint tables of a file with these questions."""
    return tuple(
        _table(entry, ("joint", index), questions, files) for index, entry in enumerate(file.joint)
    )


def _table(
    entry: JointEntry, path: Location, questions: Sequence[Question], files: CountFiles
) -> JointTable:
    members = _members(entry, path, questions)
    keys = [key for key in ("shares", "counts") if getattr(entry, key) is not None]
    if len(keys) != 1:
        raise Mistake(path, "a joint table needs either shares or counts, and not both.")
    where = (*path, keys[0])
    cells = _cell_counts(entry, path, keys[0], files)
    codings = [
        _coding_of_axis(questions[index], cells.labels[axis], where)
        for axis, index in enumerate(members)
    ]
    if isinstance(entry.counts, str):
        _check_complete(entry.counts, entry.questions, cells, codings, where)
    shares = cells.laid_out([coding.options for coding in codings])
    names = " and ".join(map(repr, entry.questions))
    shares /= total_of(shares.ravel(), where, f"{names} together", is_share=keys[0] == "shares")
    for axis, coding in enumerate(codings):
        _check_margin(shares, axis, coding, entry.questions[axis], where)
    return JointTable(tuple(members), tuple(c.name for c in codings), _raked(shares, codings))


def _cell_counts(entry: JointEntry, path: Location, key: str, files: CountFiles) -> CellCounts:
    """Return the numbers of a joint table, from the questionnaire or from the file it names."""
    where = (*path, key)
    if isinstance(entry.counts, str):
        columns = entry.questions if entry.values is None else entry.values
        if len(columns) != len(entry.questions):
            raise Mistake(
                (*path, "values"),
                f"values names {len(columns)} columns, and the table has {len(entry.questions)} "
                "questions; name one for each, in their order.",
            )
        if len(set(columns)) < len(columns):
            raise Mistake((*path, "values"), "values names a column twice; name each once.")
        return files.cells(entry.counts, columns, entry.count, where)
    columns_of = next((k for k in ("values", "count") if getattr(entry, k) is not None), None)
    if columns_of is not None:
        raise Mistake(
            (*path, columns_of),
            f"{columns_of} names columns of a file; give that as well, as in counts: people.csv.",
        )
    cells = dict(_cells(getattr(entry, key), where, len(entry.questions)))
    if not cells:
        raise Mistake(where, "the joint table is empty.")
    return nested_counts(cells)


def _check_complete(
    name: str,
    questions: Sequence[str],
    cells: CellCounts,
    codings: Sequence[Coding],
    path: Location,
) -> None:
    """Refuse a file without one of the answers that people give."""
    for question, labels, coding in zip(questions, cells.labels, codings, strict=True):
        there = set(labels)
        given = zip(coding.options, coding.shares, strict=True)
        lacks = next((option for option, share in given if share > 0 and option not in there), None)
        if lacks is not None:
            raise Mistake(
                path,
                f"{name!r} has no record with {lacks!r} for {question!r}, which "
                f"{coding.shares[coding.options.index(lacks)]:.2g} of the people answer; add it.",
            )


def _members(entry: JointEntry, path: Location, questions: Sequence[Question]) -> list[int]:
    names = [question.name for question in questions]
    for axis, name in enumerate(entry.questions):
        if name not in names:
            advice = did_you_mean(name, names)
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
    entry: Any, path: Location, depth: int, labels: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], float]]:
    """Yield the labels and the number of each cell of a nested table."""
    if len(labels) == depth:
        number = as_share(entry)
        if number is None:
            raise Mistake(path, f"{' and '.join(labels)}: a number must stand here.")
        yield labels, number
        return
    if not isinstance(entry, Mapping):
        raise Mistake(
            path,
            f"the table has {depth} questions, so its numbers stand under {depth} options each.",
        )
    for label, below in entry.items():
        yield from _cells(below, (*path, label), depth, (*labels, label))


def _coding_of_axis(question: Question, labels: Sequence[str], path: Location) -> Coding:
    """Return the coding whose options the labels are: the one with the fewest others."""
    wanted = set(labels)
    fitting = [coding for coding in question.codings if wanted <= set(coding.options)]
    if fitting:
        return min(fitting, key=lambda coding: len(coding.options))
    most = max(question.codings, key=lambda coding: len(wanted & set(coding.options)))
    unknown = next(label for label in labels if label not in most.options)
    advice = did_you_mean(unknown, most.options)
    raise Mistake(
        path,
        f"{unknown!r} is not an option of {question.name!r} in one coding with the others.{advice}",
    )


def _check_margin(shares: F64, axis: int, coding: Coding, question: str, path: Location) -> None:
    sums = margin(shares, [axis])
    worst = int(np.abs(sums - coding.shares).argmax())
    if abs(sums[worst] - coding.shares[worst]) > ROUNDED:
        raise Mistake(
            path,
            f"by this table the share of {coding.options[worst]!r} in {question!r} is "
            f"{sums[worst]:.4g}, and by the question itself {coding.shares[worst]:.4g}.",
        )


def margin(table: F64, axes: Sequence[int]) -> F64:
    """Return the sums over all other axes."""
    others = tuple(axis for axis in range(table.ndim) if axis not in axes)
    return np.asarray(table.sum(axis=others))


def _raked(shares: F64, codings: Sequence[Coding], sweeps: int = 100) -> F64:
    """Return the table, which may be rounded, scaled to the exact shares of its questions."""
    for _ in range(sweeps):
        before = shares
        for axis, coding in enumerate(codings):
            sums = margin(shares, [axis])
            factor = np.divide(coding.shares, sums, out=np.zeros_like(sums), where=sums > 0)
            shape = [-1 if other == axis else 1 for other in range(shares.ndim)]
            shares = shares * factor.reshape(shape)
        if np.abs(shares - before).max() < 1e-14:
            break
    return np.asarray(shares / shares.sum())
