"""A first plan, guessed from the names and values of a table; every guess gives its reason.

Guesses lean to caution: what could name a person is a direct identifier until somebody says
otherwise. No value appears in a reason, and nothing leaves the computer.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from singleout.assessment.guess.codes import codes_by
from singleout.assessment.guess.column import Guess, Subject, guess_column
from singleout.assessment.guess.context import in_context
from singleout.assessment.guess.counts import counts_of_people, what_would_work
from singleout.assessment.guess.header import header_warnings
from singleout.assessment.guess.subject import seen_by_others
from singleout.assessment.guess.subjects import subjects_of
from singleout.assessment.plan.plan import ColumnPlan, Plan, Population
from singleout.assessment.plan.reading import PlanReading
from singleout.assessment.rating.scales import Exposure
from singleout.core.choices import Role
from singleout.core.frame_kinds import Frame, framed
from singleout.core.results import Result
from singleout.core.table import Table
from singleout.core.text import printable
from singleout.engines.counter import Counter
from singleout.engines.local.counter import LocalCounter
from singleout.engines.reading import read
from singleout.errors import UnusableTable
from singleout.report.say import say

__all__ = ["Guess", "GuessedPlan", "guess_from", "guessed_plan"]

_SHOWN = 8  # names in a note
_FOUND = (Role.QUASI_IDENTIFIER, Role.SENSITIVE)  # also by the values alone


@dataclass(frozen=True)
class GuessedPlan(Result):
    """A plan of guesses, and the reason of each.

    Parameters
    ----------
    plan
        The plan.
    guesses
        What was guessed for each column, and why.
    source
        What the table is called.
    records
        How many records it has.
    warnings
        What is odd about the table, one sentence each.
    counts
        The columns that say how many people a row stands for, if the table is one of counts.
    """

    plan: Plan
    guesses: tuple[Guess, ...]
    source: str
    records: int
    warnings: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()

    @cached_property
    def unexplained(self) -> tuple[str, ...]:
        """The columns whose role nobody has stated and that neither name nor values explain.

        The risk depends on them. The plan leaves them out; if there is nothing else that others
        could know, it takes them for that, and they are still among these. A column that is
        understood to be harmless is not.
        """
        return tuple(guess.column for guess in self.guesses if not guess.understood)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What is odd about the table or missing for an assessment, one sentence each."""
        notes = list(self.warnings)
        if self.counts:
            notes.append(say("guess.notes.counts_in_plan", column=repr(self.counts[0])))
        if self.unexplained:
            # without a header the names are values of the first record, which are not repeated
            notes.append(_on_unexplained(() if self.warnings else self.unexplained))
        if not self.plan.quasi_identifiers:
            notes.append(say("guess.notes.nothing_known"))
        if not self.plan.sensitive:
            notes.append(say("guess.notes.nothing_sensitive"))
        return tuple(notes)

    def of_people(self) -> GuessedPlan:
        """Return the same; refuse to take the rows of a table of counts for people."""
        if self.counts:
            raise UnusableTable(what_would_work(self.counts))
        return self

    @framed
    def for_file(self, data: str, reading: Mapping[str, Any] | None = None) -> GuessedPlan:
        """Return the same guesses in a plan that names its data file and how it is read.

        Parameters
        ----------
        data
            The path of the file, as seen from where the plan will be.
        reading
            The options that the file was read with, as `singleout.read` takes them.
        """
        stated = {"data": data, "reading": PlanReading(**(reading or {}))}
        return replace(self, plan=self.plan.model_copy(update=stated))

    def to_frame(self) -> Frame:
        """Return a row for each column: column, role, exposure, severity, scale, sure, reason."""
        from singleout.core.frames import pl

        names = ("column", "role", "exposure", "severity", "scale", "sure", "reason")
        rows = [row.values() for row in map(_row, self.guesses)]
        kinds = {"severity": pl.Int64}
        return pl.DataFrame(
            [list(row) for row in rows],
            schema={name: kinds.get(name, pl.String) for name in names},
            orient="row",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the plan and the guesses as plain values."""
        return {
            "source": self.source,
            "records": self.records,
            "guesses": [_row(guess) for guess in self.guesses],
            "unexplained": list(self.unexplained),
            "counts": list(self.counts),
            "notes": list(self.notes),
            "plan": self.plan.to_dict(),
        }

    def __str__(self) -> str:
        return say(
            "guess.file.title",
            source=self.source,
            records=self.records,
            columns=len(self.guesses),
        )

    def _repr_html_(self) -> str:
        heads = ("column", "role", "exposure", "severity", "scale", "sure", "reason")
        head = "".join(f"<th scope='col'>{name}</th>" for name in heads)
        body = "".join(
            "<tr>"
            + "".join(f"<td>{html.escape(printable(_cell(row[name])))}</td>" for name in heads)
            + "</tr>"
            for row in map(_row, self.guesses)
        )
        title = html.escape(printable(self))
        return (
            f"<table><caption>{title}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>"
        )

    def to_yaml(self) -> str:
        """Return the plan as YAML with a comment for every guess; reading it gives the plan."""
        from singleout.assessment.guess.text import commented

        return commented(self.plan, self.guesses, self.source, self.records, self.notes)


@framed
def guessed_plan(table: Any) -> GuessedPlan:
    """Guess what each column of a table means.

    Names are read in English, French, German, Dutch and Spanish. Patterns of values are looked for
    in a sample of the records; different values are counted on all. A role that the table has
    already is kept.

    Parameters
    ----------
    table
        A `Table`, or what `read` makes one of.

    Returns
    -------
    GuessedPlan
        The plan, with a reason for every guess.

    Examples
    --------
    >>> import singleout as so
    >>> people = so.read({"geslacht": ["m", "v", "v"], "inkomen": [100, 200, 200]})
    >>> guessed = so.guessed_plan(people)
    >>> guessed.plan.quasi_identifiers, guessed.plan.sensitive
    (('geslacht',), ('inkomen',))
    >>> guessed.guesses[0].reason
    'the name speaks of a sex or gender, and the values fit'
    """
    counter = LocalCounter(table if isinstance(table, Table) else read(table))
    return guess_from(subjects_of(counter), counter)


def guess_from(subjects: Sequence[Subject], counter: Counter) -> GuessedPlan:
    """Guess what the columns of a table mean, wherever it is; ``subjects`` are by `subjects_of`."""
    guesses = _one_weight(
        [_scaled(subject, guess_column(subject)) for subject in in_context(subjects)]
    )
    counts = counts_of_people(counter, _stated(subjects, guesses))
    guesses = [
        _counting(guess, first=guess.column == counts[0]) if guess.column in counts else guess
        for guess in guesses
    ]
    if counter.count is not None:
        reason = say("guess.reasons.stated_count")
        guesses.append(Guess(counter.count, Role.COUNT, reason, "sure", basis="source"))
    if not any(guess.role == Role.QUASI_IDENTIFIER for guess in guesses):
        guesses = _known_after_all(guesses)
    columns = {
        guess.column: _column_plan(guess)
        for guess in guesses
        if guess.understood or guess.role != Role.OTHER
    }
    weight = next((guess.column for guess in guesses if guess.role == Role.WEIGHT), None)
    plan = Plan(missing=counter.policy, columns=columns, population=Population(weights=weight))
    warnings = header_warnings({subject.column.name: subject.look for subject in subjects})
    return GuessedPlan(plan, tuple(guesses), counter.source, counter.rows, warnings, counts)


def _stated(subjects: Sequence[Subject], guesses: Sequence[Guess]) -> dict[str, Role]:
    """Return what columns are for; a number that no word explains is left open."""
    return {
        guess.column: guess.role
        for subject, guess in zip(subjects, guesses, strict=True)
        if guess.meaning or subject.column.role != Role.OTHER or guess.role in _FOUND
    }


def _counting(guess: Guess, *, first: bool) -> Guess:
    """Take a column for numbers of people; rows can be counted by the first of several."""
    return Guess(
        guess.column,
        Role.COUNT if first else Role.OTHER,
        say("guess.reasons.counts"),
        "likely",
        basis="name and values",
    )


def _scaled(subject: Subject, guess: Guess) -> Guess:
    """Return a guess that says where numbers are taken for codes, if nothing else says that."""
    rated = guess.unknown or guess.role in (Role.QUASI_IDENTIFIER, Role.SENSITIVE)
    codes = codes_by(subject.column, subject.look) if rated and guess.scale is None else None
    if codes is None:
        return guess
    return replace(guess, scale="nominal", reason=say(f"guess.codes.{codes}", reason=guess.reason))


def _one_weight(guesses: Sequence[Guess]) -> list[Guess]:
    """Keep one weight, of persons rather than of households."""
    weights = [guess for guess in guesses if guess.role == Role.WEIGHT]
    if len(weights) < 2:
        return list(guesses)
    kept = next((guess for guess in weights if guess.meaning != "household weight"), weights[0])
    return [
        replace(
            guess,
            role=Role.OTHER,
            reason=say("guess.reasons.other_weight", reason=guess.reason, weight=repr(kept.column)),
        )
        if guess in weights and guess is not kept
        else guess
        for guess in guesses
    ]


def _known_after_all(guesses: Sequence[Guess]) -> list[Guess]:
    """Where nothing looks known to others, take what was not understood, to have a start.

    If there is nothing of that kind, what others see serves, although it is sensitive.
    """
    unknown = [guess.column for guess in guesses if guess.unknown]
    seen = [guess.column for guess in guesses if seen_by_others(guess)]
    taken = unknown or (seen if len(seen) > 1 else [])
    return [_known(guess) if guess.column in taken else guess for guess in guesses]


def _known(guess: Guess) -> Guess:
    """Take a column for something that others know, without having understood that they do."""
    return replace(
        guess,
        role=Role.QUASI_IDENTIFIER,
        exposure=Exposure.IR,
        sensitive=False,
        impacts=None,
        offered=(),
        harmless=(),
        basis="nothing",
        reason=say("guess.reasons.known_after_all", reason=guess.reason),
    )


def _column_plan(guess: Guess) -> ColumnPlan:
    bodily, material, moral = guess.impacts or (None, None, None)
    return ColumnPlan(
        role=guess.role,
        exposure=guess.exposure,
        sensitive=guess.sensitive,
        bodily=bodily,
        material=material,
        moral=moral,
        values={value: 1 for value, _ in guess.harmless},
        scale=guess.scale,
    )


def _on_unexplained(names: Sequence[str]) -> str:
    columns = ", ".join(map(repr, names[:_SHOWN])) or say("guess.notes.some_columns")
    if len(names) > _SHOWN:
        columns = say("guess.notes.and_more", columns=columns, more=len(names) - _SHOWN)
    return say("guess.notes.unexplained", columns=columns, n=len(names))


def _cell(value: object) -> str:
    return "–" if value is None else str(value)


def _row(guess: Guess) -> dict[str, Any]:
    return {
        "column": guess.column,
        "role": ", ".join(guess.roles),
        "exposure": None if guess.exposure is None else guess.exposure.name,
        "severity": max(guess.impacts) if guess.impacts else None,
        "scale": guess.scale,
        "sure": guess.sure,
        "reason": guess.reason,
    }
