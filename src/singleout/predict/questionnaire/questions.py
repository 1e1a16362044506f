"""Questions and the ways to ask them.

A coding is a way to ask: year of birth, or an age band. One that groups the options of the first
coding can be derived from tables of the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from singleout.core.arrays import F64, I64
from singleout.errors import BadChoice, did_you_mean
from singleout.io.yaml.file import Location, Mistake
from singleout.predict.questionnaire.counted import CountFiles
from singleout.predict.questionnaire.file import (
    CodingEntry,
    QuestionEntry,
    QuestionnaireFile,
)
from singleout.predict.questionnaire.published import RecordReader, read_record, shares_of_summary
from singleout.report.say import say

__all__ = ["DROP", "ROUNDED", "Coding", "Question", "questions_of", "total_of"]

DROP = "drop"  # the coding of a question that is not asked
ROUNDED = 0.01  # by how much published shares may miss what they should add up to
JOINT = "+"  # between answers that are given together
NONE = "none"  # of the answers of which several can be given
OTHER = "other"  # answers whose shares are not known
MOST_TICKED = 16  # answers, so that there are 65,536 sets of them
_EXACT = 1e-9
_SHOWN = 5
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")


@dataclass(frozen=True, eq=False)
class Coding:
    """A way to ask a question.

    Parameters
    ----------
    name
        What it is called; that of the question if there is only one.
    options
        What can be answered.
    shares
        The people who give each answer / all people.
    groups
        For each option of the question's first coding, the index of the option here that it
        belongs to; None if the coding is not made of groups of the first.
    """

    name: str
    options: tuple[str, ...]
    shares: F64 = field(repr=False)
    groups: I64 | None = field(repr=False)

    def __post_init__(self) -> None:
        for numbers in (self.shares, self.groups):
            if numbers is not None:
                numbers.setflags(write=False)


@dataclass(frozen=True, eq=False)
class Question:
    """A question and the ways to ask it, the most detailed first.

    Parameters
    ----------
    name
        A short name.
    text
        The question as respondents read it.
    codings
        The ways to ask it.
    ask
        The name of the coding that is asked.
    several
        What can be ticked where several answers can be given; none otherwise.
    never_drop
        Whether every plan must ask it.
    """

    name: str
    text: str
    codings: tuple[Coding, ...]
    ask: str
    several: tuple[str, ...] = ()
    never_drop: bool = False

    def written(self, answer: str) -> str:
        """Return an answer as its options are written: what was ticked, in the order of asking."""
        ticked = {part.strip() for part in answer.split(JOINT)}
        if not self.several or not ticked <= set(self.several):
            return answer
        return JOINT.join(option for option in self.several if option in ticked)

    def coding(self, name: str | None = None) -> Coding:
        """Return a coding by its name, or the one that is asked."""
        wanted = self.ask if name is None else name
        for coding in self.codings:
            if coding.name == wanted:
                return coding
        names = [coding.name for coding in self.codings]
        advice = did_you_mean(wanted, names)
        raise BadChoice(
            f"{self.name!r} has no coding {wanted!r}; it has: {', '.join(names)}.{advice}"
        )


# ---- questions


def _several_answers(entry: QuestionEntry, path: Location, notes: list[str]) -> Question:
    """Return a question to which several answers can be given: its options are all sets of them."""
    if entry.shares is None or entry.codings is not None or entry.rest is not None:
        raise Mistake(path, f"several answers to {entry.name!r} need shares, and nothing else.")
    names = tuple(entry.shares)
    if not 1 <= len(names) <= MOST_TICKED:
        raise Mistake(
            path,
            f"{entry.name!r} has {len(names)} answers of which several can be given, and at most "
            f"{MOST_TICKED} can be combined; ask for some of them apart.",
        )
    wrong = next((name for name, share in entry.shares.items() if share > 1), None)
    if wrong is not None:
        raise Mistake(
            (*path, "shares"), f"the share of {wrong!r} is above 1; it is that of all people."
        )
    joined = next((name for name in names if JOINT in name or name == NONE), None)
    if joined is not None:
        raise Mistake(
            (*path, "shares"), f"{joined!r} cannot be ticked by that name; leave out {JOINT!r}."
        )
    shares, options = np.ones(1), [""]
    for name, share in entry.shares.items():
        shares = np.concatenate([shares * (1 - share), shares * share])
        options += [f"{option}{JOINT}{name}" if option else name for option in options]
    options[0] = NONE
    notes.append(say("predict.questionnaire.several", question=repr(entry.name)))
    coding = Coding(entry.name, tuple(options), shares, np.arange(len(options)))
    ask = entry.ask or entry.name
    return Question(entry.name, entry.text, (coding,), ask, names, entry.never_drop)


def _with_rest(entry: CodingEntry, path: Location, whose: str, notes: list[str]) -> CodingEntry:
    """Return a coding with other answers that share equally what its shares leave."""
    assert entry.shares is not None
    assert entry.rest is not None
    left = 1 - sum(entry.shares.values())
    if left <= _EXACT:
        raise Mistake((*path, "rest"), f"the shares of {whose} leave nothing for a rest.")
    names = [OTHER] if entry.rest == 1 else [f"{OTHER} {n}" for n in range(1, entry.rest + 1)]
    taken = next((name for name in names if name in entry.shares), None)
    if taken is not None:
        raise Mistake((*path, "rest"), f"{whose} has an answer {taken!r} already; rename it.")
    notes.append(say("predict.questionnaire.rest", question=whose, share=left, n=entry.rest))
    shares = {**entry.shares, **dict.fromkeys(names, left / entry.rest)}
    return entry.model_copy(update={"shares": shares, "rest": None})


def questions_of(
    file: QuestionnaireFile, files: CountFiles, records: RecordReader | None = None
) -> tuple[tuple[Question, ...], tuple[str, ...]]:
    """Return the questions of a file, and notes on rounded shares and on stand-ins."""
    notes: list[str] = []
    questions: list[Question] = []
    for index, entry in enumerate(file.questions):
        path: Location = ("questions", index)
        if any(entry.name == other.name for other in questions):
            raise Mistake((*path, "name"), f"there is already a question {entry.name!r}.")
        if entry.several:
            questions.append(_several_answers(entry, path, notes))
        else:
            questions.append(_question(entry, path, notes, files, records))
    return tuple(questions), tuple(notes)


def _question(
    entry: QuestionEntry,
    path: Location,
    notes: list[str],
    files: CountFiles,
    records: RecordReader | None,
) -> Question:
    keys = ("shares", "counts", "value", "count", "summary", "record", "rest")
    own = {key: getattr(entry, key) for key in keys}
    if entry.codings is not None:
        if any(each is not None for each in own.values()):
            raise Mistake(
                path,
                f"{entry.name!r} has codings and options of its own; move the options to a coding.",
            )
        entries, paths = entry.codings, [(*path, "codings", i) for i in range(len(entry.codings))]
        if not entries:
            raise Mistake(path, f"{entry.name!r} has an empty list of codings.")
    else:
        alone = CodingEntry(name=entry.name, **own)
        entries, paths = [alone], [path]
    codings: list[Coding] = []
    for one, where in zip(entries, paths, strict=True):
        if any(one.name == other.name for other in codings):
            raise Mistake((*where, "name"), f"{entry.name!r} already has a coding {one.name!r}.")
        if one.name == DROP:
            raise Mistake(
                (*where, "name"),
                f"{DROP!r} is what leaving a question out is called; choose another name.",
            )
        first = codings[0] if codings else None
        whose = f"{entry.name!r}"
        taken = files.taken(read_record(one, where, whose, records, notes), where, entry)
        codings.append(_coding(taken, where, first, whose, notes))
    ask = entry.ask or codings[0].name
    question = Question(entry.name, entry.text, tuple(codings), ask, never_drop=entry.never_drop)
    try:
        question.coding()
    except BadChoice as error:
        raise Mistake((*path, "ask"), str(error)) from None
    return question


def _coding(
    entry: CodingEntry, path: Location, first: Coding | None, whose: str, notes: list[str]
) -> Coding:
    known = ("shares", "counts", "groups", "summary")
    keys = [key for key in known if getattr(entry, key) is not None]
    if len(keys) != 1:
        has = " and ".join(keys) if keys else "none"
        raise Mistake(
            path,
            f"{whose} needs one of shares, counts, groups, summary or record here, and has {has}.",
        )
    if entry.rest is not None and entry.shares is None:
        raise Mistake((*path, "rest"), f"rest of {whose} goes with shares, not with {keys[0]}.")
    if entry.groups is not None:
        return _grouping(entry.name, entry.groups, (*path, "groups"), first, notes)
    if entry.summary is not None:
        published = shares_of_summary(entry.summary, (*path, "summary"), whose, notes)
        names = tuple(str(rank) for rank in range(1, len(published) + 1))
        groups = np.arange(len(published)) if first is None else None
        return Coding(entry.name, names, published, groups)
    if entry.rest is not None:
        entry = _with_rest(entry, path, whose, notes)
    numbers = entry.shares if entry.shares is not None else entry.counts
    assert isinstance(numbers, dict)
    where = (*path, keys[0])
    shares = np.array(list(numbers.values()), dtype=np.float64)
    whole = total_of(shares, where, whose, is_share=entry.shares is not None)
    if entry.shares is not None and abs(whole - 1) > _EXACT:
        notes.append(say("predict.questionnaire.scaled", question=whose, total=whole))
    groups = np.arange(len(shares)) if first is None else None
    return Coding(entry.name, tuple(numbers), shares / whole, groups)


def total_of(shares: F64, path: Location, whose: str, *, is_share: bool) -> float:
    """Return the sum of shares or counts; refuse shares that do not add up to 1."""
    if len(shares) == 0:
        raise Mistake(path, f"{whose} has no options.")
    total = float(shares.sum())
    if is_share and abs(total - 1) > ROUNDED:
        raise Mistake(path, f"the shares of {whose} add up to {total:.6g}; they must add up to 1.")
    if total == 0:
        raise Mistake(path, f"the counts of {whose} are all 0; somebody must give an answer.")
    return total


def _grouping(
    name: str,
    entry: Mapping[str, str | list[str]],
    path: Location,
    first: Coding | None,
    notes: list[str],
) -> Coding:
    if first is None:
        raise Mistake(
            path, "the first coding is the most detailed; it needs shares or counts, not groups."
        )
    options = {option: index for index, option in enumerate(first.options)}
    groups = np.full(len(first.options), -1, dtype=np.int64)
    for index, (option, members) in enumerate(entry.items()):
        for member in _members(members, options, (*path, option)):
            if groups[member] >= 0:
                raise Mistake(
                    (*path, option), f"{first.options[member]!r} is in more than one group."
                )
            groups[member] = index
    empty = [option for index, option in enumerate(entry) if not (groups == index).any()]
    if empty:
        shown = ", ".join(map(repr, empty[:_SHOWN])) + (", …" if len(empty) > _SHOWN else "")
        notes.append(say("predict.questionnaire.empty_groups", groups=shown, coding=repr(name)))
    if (groups < 0).any():
        left = first.options[int(np.flatnonzero(groups < 0)[0])]
        raise Mistake(path, f"{left!r} of {first.name!r} is in none of the groups.")
    shares: F64 = np.zeros(len(entry))
    np.add.at(shares, groups, first.shares)
    return Coding(name, tuple(entry), shares, groups)


def _members(entry: str | list[str], options: Mapping[str, int], path: Location) -> Iterator[int]:
    """Yield the indices of the options in a list of names and of ranges ``first..last``."""
    for text in [entry] if isinstance(entry, str) else entry:
        if text in options:
            yield options[text]
            continue
        ends = [end.strip() for end in text.split("..")]
        unknown = next((end for end in ends if end not in options), None)
        if len(ends) == 2 and unknown is None:
            low, high = (options[end] for end in ends)
            if low > high:
                raise Mistake(path, f"{ends[0]!r} stands after {ends[1]!r} in the first coding.")
            yield from range(low, high + 1)
            continue
        numbers = [_as_number(end) for end in ends]
        if len(ends) != 2 or None in numbers:
            advice = did_you_mean(unknown, options)
            also = " The ends of a range are options or numbers." if len(ends) == 2 else ""
            raise Mistake(
                path, f"the first coding has no option {unknown or text!r}.{also}{advice}"
            )
        yield from _within(options, numbers)


def _within(options: Mapping[str, int], ends: Sequence[float | None]) -> Iterator[int]:
    """Yield the indices of the options that are numbers between two others, both included."""
    least, most = sorted(end for end in ends if end is not None)
    for option, index in options.items():
        number = _as_number(option)
        if number is not None and least <= number <= most:
            yield index


def _as_number(text: str) -> float | None:
    return float(text) if _NUMBER.fullmatch(text) else None
