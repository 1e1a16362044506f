"""Data with the plan that it is assessed by: given, or guessed from records or from counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from singleout.assessment.counted import counted_table
from singleout.assessment.guess.counts import refuse_counts
from singleout.assessment.guess.guess import GuessedPlan, guess_from, guessed_plan
from singleout.assessment.guess.subjects import subjects_of
from singleout.assessment.guess.values import Look
from singleout.assessment.plan.plan import ColumnPlan, Plan
from singleout.core.choices import Role
from singleout.core.counts import SizeProfile
from singleout.core.table import Table
from singleout.engines.counter import Counter
from singleout.errors import BadChoice
from singleout.io.names import pick
from singleout.methods.units import require_units
from singleout.report.say import say

__all__ = ["Opened", "opened_with"]

_RATINGS = ("certainty", "paper")


@dataclass(frozen=True, eq=False)
class Opened:
    """Data and the plan for it.

    Parameters
    ----------
    table
        The records, or as many as were counted for each combination.
    columns
        All columns of the source.
    plan
        The plan, given or guessed.
    unexplained
        The columns whose role nobody has stated.
    notes
        What a reader should know, one sentence each.
    counted
        Whether the table was counted where it is.
    insiders
        Of data that was counted: how many records share values in all columns that insiders may
        know, where the table has not all of these.
    looks
        Of data that was counted to guess a plan: what the values of all columns look like.
    """

    table: Table
    columns: tuple[str, ...]
    plan: Plan
    unexplained: tuple[str, ...]
    notes: list[str]
    counted: bool = False
    insiders: SizeProfile | None = None
    looks: Mapping[str, Look] | None = None


def opened_with(
    counter: Counter,
    plan: Plan | None,
    rating: str | None,
    by: Sequence[str],
    unit: str | None = None,
) -> Opened:
    """Return the data with a plan that is given or guessed, and the unit in it if one is given."""
    _agree_on_counts(counter, plan)
    if counter.held is None:
        return _counted(counter, plan, rating, by, unit)
    table = counter.held.table
    notes = list(counter.notes)
    guessed = plan is None
    if plan is None:
        guess = guessed_plan(table).of_people()
        plan, unexplained = guess.plan, _left(table.columns, guess)
        notes += _on_guess(guess)
    else:
        unexplained = _not_named(table.columns, plan)
    given = _of_unit(_rated_by(plan, rating), unit, table.columns, guessed=guessed)
    refuse_counts(table, given.roles)
    unexplained = tuple(name for name in unexplained if name != given.unit)
    return Opened(table, table.columns, given, unexplained, [*notes, *given.check(table)])


def _of_unit(plan: Plan, unit: str | None, columns: Sequence[str], *, guessed: bool) -> Plan:
    """Return the plan with the column that says which records are of one person.

    A guess that others know people by it, or must not learn it, gives way to what was said of it.
    """
    if unit is None:
        return plan
    (name,) = pick([unit], columns)
    known = plan.columns.get(name)
    if guessed and known is not None and known.role != Role.DIRECT_IDENTIFIER:
        other = plan.columns | {name: ColumnPlan(role=Role.OTHER)}
        plan = plan.model_copy(update={"columns": other})
    require_units(name, plan.quasi_identifiers, plan.missing)
    return plan.model_copy(update={"unit": name})


def _counted(
    counter: Counter,
    plan: Plan | None,
    rating: str | None,
    by: Sequence[str],
    unit: str | None,
) -> Opened:
    """Return counts of what a plan asks about; one that is not given is guessed from counts."""
    names, looks, said = counter.columns, None, []
    guessed = plan is None
    if plan is None:
        subjects = subjects_of(counter)
        guess = guess_from(subjects, counter).of_people()
        plan, unexplained = guess.plan, _left(names, guess)
        looks = {subject.column.name: subject.look for subject in subjects}
        said += _on_guess(guess)
    else:
        unexplained = _not_named(names, plan)
    given = _of_unit(_rated_by(plan, rating), unit, names, guessed=guessed)
    unexplained = tuple(name for name in unexplained if name != given.unit)
    said += given.check([*names, *filter(None, [counter.count])])
    refuse_counts(counter, given.roles)
    table, insiders = counted_table(counter, given, unexplained, by)
    notes = [*table.notes, *said]
    return Opened(
        table, names, given, unexplained, notes, counted=True, insiders=insiders, looks=looks
    )


def _agree_on_counts(counter: Counter, plan: Plan | None) -> None:
    """Refuse a plan that takes a column for something else than what rows are counted by."""
    if counter.count is None or plan is None:
        return
    stated = plan.columns.get(counter.count)
    if stated is not None and stated.role not in (Role.COUNT, Role.OTHER):
        raise BadChoice(
            f"{counter.count!r} is to say how many people a row stands for, but its role in the "
            f"plan is {stated.role}; write role: {Role.COUNT}, or name another column."
        )


def _on_guess(guess: GuessedPlan) -> list[str]:
    """Return that the plan was guessed, and which columns are taken for numbers of people."""
    return [
        say("assessment.guessed"),
        *(
            say("guess.numbered", column=one.column, reason=one.reason)
            for one in guess.guesses
            if one.numbered
        ),
    ]


def _not_named(names: Sequence[str], plan: Plan) -> tuple[str, ...]:
    return tuple(name for name in names if name not in plan.columns)


def _left(names: Sequence[str], guess: GuessedPlan) -> tuple[str, ...]:
    """Return the columns that were not understood, or that the guess left out."""
    left = {*guess.unexplained, *_not_named(names, guess.plan)}
    return tuple(name for name in names if name in left)


def _rated_by(plan: Plan, rating: str | None) -> Plan:
    if rating is None:
        return plan
    if rating not in _RATINGS:
        raise BadChoice(f"{rating!r} is not a rating; choose one of {', '.join(_RATINGS)}.")
    methods = plan.methods.model_copy(update={"rating": rating})
    return plan.model_copy(update={"methods": methods})
