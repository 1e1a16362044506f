"""What a plan may have missed: columns that name people, and files without a header."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from singleout.assessment.guess.header import header_warnings
from singleout.assessment.guess.looking import look_at
from singleout.assessment.guess.names import counts_something, match_name
from singleout.assessment.guess.values import Look
from singleout.assessment.guess.words import MEANINGS
from singleout.core.choices import Role
from singleout.core.table import Column, Table
from singleout.report.say import say
from singleout.treatment.hierarchies.dates import date_parts
from singleout.treatment.hierarchies.order import in_order

if TYPE_CHECKING:
    from singleout.assessment.plan.plan import Plan

__all__ = ["missed_by_plan", "ordered_columns", "scale_notes", "taken_as_codes"]

_SHOWN = 5  # names in a sentence
_CODES = 25  # more different numbers than this are a quantity, unless the name says otherwise
_YEARS = (1800, 2100)


def missed_by_plan(
    table: Table, plan: Plan, looks: Mapping[str, Look] | None = None
) -> tuple[str, ...]:
    """Return warnings about columns that the plan does not rate though they may name people.

    ``looks`` is what the values of all columns look like, where the table has only some of them.

    >>> import singleout as so
    >>> people = so.read({"who": [f"name {i}" for i in range(10)], "sex": ["f", "m"] * 5})
    >>> plan = so.Plan.of({"columns": {"sex": {"role": "quasi-identifier"}}})
    >>> missed_by_plan(people, plan)[0][:52]
    "Almost every record has a value of its own in 'who',"
    """
    if looks is None:
        looks = {column.name: look_at(column) for column in table}
    return (*_own_values(looks, plan), *header_warnings(looks))


def _own_values(looks: Mapping[str, Look], plan: Plan) -> Iterator[str]:
    names = [name for name, look in looks.items() if _not_rated(name, plan) and look.nearly_unique]
    if not names:
        return
    columns = ", ".join(repr(name) for name in names[:_SHOWN])
    if len(names) > _SHOWN:
        columns = say("guess.notes.and_more", columns=columns, more=len(names) - _SHOWN)
    yield say(
        "guess.notes.own_values",
        columns=columns,
        direct=Role.DIRECT_IDENTIFIER,
        known=Role.QUASI_IDENTIFIER,
    )


def _not_rated(name: str, plan: Plan) -> bool:
    return name not in plan.columns or plan.columns[name].role == Role.OTHER


def ordered_columns(table: Table, plan: Plan) -> tuple[str, ...]:
    """Return the columns of a plan whose values have an order, by the plan or by themselves."""
    return tuple(
        name
        for name, stated in plan.columns.items()
        if name in table.columns
        and in_order(table[name], stated.scale)
        and not (stated.scale is None and _are_codes(table[name]))
    )


def taken_as_codes(table: Table, plan: Plan) -> tuple[str, ...]:
    """Return the quasi-identifiers whose numbers are taken as codes though the plan says nothing.

    Parameters
    ----------
    table
        The table.
    plan
        What its columns mean.

    Examples
    --------
    >>> import singleout as so
    >>> people = so.read({"race": [1, 2, 3], "age": [30, 31, 40]})
    >>> known = {"role": "quasi-identifier"}
    >>> taken_as_codes(people, so.Plan.of({"columns": {"race": known, "age": known}}))
    ('race',)
    """
    return tuple(
        name
        for name in plan.quasi_identifiers
        if name in table.columns
        and plan.columns[name].scale is None
        and in_order(table[name], None)
        and len(table[name].values) > 2  # two values are not merged
        and _are_codes(table[name])
    )


def _are_codes(column: Column) -> bool:
    """Whether numbers stand for something else, by their name or as they are few and whole.

    To merge rare codes is never wrong; intervals of codes mean nothing.
    """
    if date_parts([str(value) for value in column.values]) is not None:
        return False
    numbers = [float(value) for value in column.values]
    if all(_YEARS[0] <= number <= _YEARS[1] for number in numbers):
        return False
    match = match_name(column.name)
    meaning = MEANINGS.get(match.meaning) if match else None
    if meaning is not None:
        return not meaning.ordered and len(column.values) <= _CODES
    if counts_something(column.name) or len(column.values) > _CODES:
        return False
    return all(number.is_integer() for number in numbers)


def scale_notes(table: Table, plan: Plan) -> tuple[str, ...]:
    """Return a note for each column that is called ordinal but whose order nobody can tell."""
    return tuple(
        say("guess.notes.no_order", column=repr(name))
        for name in plan.ordinal
        if name in table.columns and not in_order(table[name], "ordinal")
    )
