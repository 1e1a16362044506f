"""A first plan, guessed from the names and values of a table; every guess gives its reason.

Guesses lean to caution: what could name a person is a direct identifier until somebody says
otherwise. No value appears in a reason, and nothing leaves the computer.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from singleout.assessment.guess.column import Guess, Subject, guess_column
from singleout.assessment.guess.header import header_warnings
from singleout.assessment.plan.plan import ColumnPlan, Plan, Population
from singleout.assessment.rating.scales import Exposure
from singleout.core.choices import Role
from singleout.core.progress import track
from singleout.core.results import Result
from singleout.core.table import Table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Guess", "GuessedPlan", "guessed_plan"]

# A weight beside a height is the body's.
_ALSO_OF_THE_BODY = ("weight", "weights", "poids", "gewicht", "peso")


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
    """

    plan: Plan
    guesses: tuple[Guess, ...]
    source: str
    records: int
    warnings: tuple[str, ...] = ()

    @property
    def unexplained(self) -> tuple[str, ...]:
        """The columns that were not understood."""
        return ()

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What is odd about the table or missing for an assessment, one sentence each."""
        notes = list(self.warnings)
        if not self.plan.quasi_identifiers:
            notes.append("No column looks like something that others know; say which are.")
        if not self.plan.sensitive:
            notes.append("No column looks sensitive; say whose disclosure would hit people.")
        return tuple(notes)

    def for_file(self, data: str) -> GuessedPlan:
        """Return the same guesses in a plan that names its data file.

        Parameters
        ----------
        data
            The path of the file, as seen from where the plan will be.
        """
        return replace(self, plan=self.plan.model_copy(update={"data": data}))

    def to_frame(self) -> pl.DataFrame:
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
            "notes": list(self.notes),
            "plan": self.plan.to_dict(),
        }

    def _repr_html_(self) -> str:
        heads = ("column", "role", "exposure", "severity", "scale", "sure", "reason")
        head = "".join(f"<th scope='col'>{name}</th>" for name in heads)
        body = "".join(
            "<tr>"
            + "".join(f"<td>{html.escape(_cell(row[name]))}</td>" for name in heads)
            + "</tr>"
            for row in map(_row, self.guesses)
        )
        title = f"Guessed plan of {html.escape(self.source)}"
        return (
            f"<table><caption>{title}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>"
        )

    def to_yaml(self) -> str:
        """Return the plan as YAML with a comment for every guess; reading it gives the plan."""
        from singleout.assessment.guess.text import commented

        return commented(self.plan, self.guesses, self.source, self.records, self.notes)


def guessed_plan(table: Table) -> GuessedPlan:
    """Guess what each column of a table means.

    Names are read in English, French, German, Dutch and Spanish. Patterns of values are looked for
    in a sample of the records; different values are counted on all. A role that the table has
    already is kept.

    Parameters
    ----------
    table
        The table.

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
    subjects = [Subject.of(column) for column in track(list(table), "Looking at columns")]
    body = any(subject.meaning_key == "body" for subject in subjects)
    guesses = [guess_column(_of_the_body(s) if body else s) for s in subjects]
    guesses = _one_weight(guesses)
    if not any(guess.role == Role.QUASI_IDENTIFIER for guess in guesses):
        guesses = [_known_after_all(guess) for guess in guesses]
    columns = {guess.column: _column_plan(guess) for guess in guesses}
    weight = next((guess.column for guess in guesses if guess.role == Role.WEIGHT), None)
    plan = Plan(missing=table.missing, columns=columns, population=Population(weights=weight))
    warnings = header_warnings({subject.column.name: subject.look for subject in subjects})
    return GuessedPlan(plan, tuple(guesses), table.source, table.rows, warnings)


def _of_the_body(subject: Subject) -> Subject:
    named = subject.column.name.strip().casefold() in _ALSO_OF_THE_BODY
    return replace(subject, meaning_key="body") if named else subject


def _one_weight(guesses: Sequence[Guess]) -> list[Guess]:
    """Keep one weight, of persons rather than of households."""
    weights = [guess for guess in guesses if guess.role == Role.WEIGHT]
    if len(weights) < 2:
        return list(guesses)
    kept = next((guess for guess in weights if guess.meaning != "household weight"), weights[0])
    return [
        replace(guess, role=Role.OTHER, reason=f"{guess.reason}; {kept.column!r} serves as weight")
        if guess in weights and guess is not kept
        else guess
        for guess in guesses
    ]


def _known_after_all(guess: Guess) -> Guess:
    """Where nothing looks known to others, take what was not understood, to have a start."""
    if not guess.unknown:
        return guess
    return replace(
        guess,
        role=Role.QUASI_IDENTIFIER,
        exposure=Exposure.IR,
        reason=f"{guess.reason}; taken because no other column looks known to others",
    )


def _column_plan(guess: Guess) -> ColumnPlan:
    bodily, material, moral = guess.impacts or (None, None, None)
    return ColumnPlan(
        role=guess.role,
        exposure=guess.exposure,
        bodily=bodily,
        material=material,
        moral=moral,
        scale=guess.scale,
    )


def _cell(value: object) -> str:
    return "–" if value is None else str(value)


def _row(guess: Guess) -> dict[str, Any]:
    return {
        "column": guess.column,
        "role": str(guess.role),
        "exposure": None if guess.exposure is None else guess.exposure.name,
        "severity": max(guess.impacts) if guess.impacts else None,
        "scale": guess.scale,
        "sure": guess.sure,
        "reason": guess.reason,
    }
