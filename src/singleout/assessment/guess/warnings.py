"""What a plan may have missed: columns that name people, and files without a header."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from singleout.assessment.advice.coarsen import in_order
from singleout.assessment.advice.coarsen_dates import date_parts
from singleout.assessment.guess.header import header_warnings
from singleout.assessment.guess.names import counts_something, match_name
from singleout.assessment.guess.values import Look, look_at
from singleout.assessment.guess.words import MEANINGS
from singleout.core.choices import Role
from singleout.core.table import Column, Table

if TYPE_CHECKING:
    from singleout.assessment.plan.plan import Plan

__all__ = ["missed_by_plan", "ordered_columns", "scale_notes", "taken_as_codes"]

_SHOWN = 5  # names in a sentence
_CODES = 25  # more different numbers than this are a quantity, unless the name says otherwise
_YEARS = (1800, 2100)


def missed_by_plan(table: Table, plan: Plan) -> tuple[str, ...]:
    """Return warnings about columns that the plan does not rate though they may name people.

    Parameters
    ----------
    table
        The table.
    plan
        What its columns mean.

    Examples
    --------
    >>> import singleout as so
    >>> people = so.read({"who": [f"name {i}" for i in range(10)], "sex": ["f", "m"] * 5})
    >>> plan = so.Plan.of({"columns": {"sex": {"role": "quasi-identifier"}}})
    >>> missed_by_plan(people, plan)[0][:52]
    "Almost every record has a value of its own in 'who',"
    """
    looks = {column.name: look_at(column) for column in table}
    return (*_own_values(looks, plan), *header_warnings(looks))


def _own_values(looks: Mapping[str, Look], plan: Plan) -> Iterator[str]:
    names = [name for name, look in looks.items() if _not_rated(name, plan) and look.nearly_unique]
    if not names:
        return
    shown = ", ".join(repr(name) for name in names[:_SHOWN])
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    yield (
        f"Almost every record has a value of its own in {shown}{more}, which the plan does not "
        f"rate: give the role {Role.DIRECT_IDENTIFIER} to what names people, and "
        f"{Role.QUASI_IDENTIFIER} to what others can know."
    )


def _not_rated(name: str, plan: Plan) -> bool:
    return name not in plan.columns or plan.columns[name].role == Role.OTHER


def ordered_columns(table: Table, plan: Plan) -> tuple[str, ...]:
    """Return the columns of a plan whose values have an order, by the plan or by themselves.

    Parameters
    ----------
    table
        The table.
    plan
        What its columns mean.
    """
    return tuple(
        name
        for name, said in plan.columns.items()
        if name in table.columns
        and in_order(table[name], said.scale)
        and not (said.scale is None and _are_codes(table[name]))
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
    """Return a note for each column that is called ordinal but whose order nobody can tell.

    Parameters
    ----------
    table
        The table.
    plan
        What its columns mean.
    """
    return tuple(
        f"The plan calls {name!r} ordinal, but its values are words whose order is not known here: "
        "they are taken as nominal where values are merged; begin each with a number to order them."
        for name in plan.ordinal
        if name in table.columns and not in_order(table[name], "ordinal")
    )
