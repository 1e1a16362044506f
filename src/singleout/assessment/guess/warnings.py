"""What a plan may have missed: columns that name people, and files without a header."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from singleout.assessment.advice.coarsen import in_order
from singleout.assessment.guess.header import header_warnings
from singleout.assessment.guess.values import Look, look_at
from singleout.core.choices import Role
from singleout.core.table import Table
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.assessment.plan.plan import Plan

__all__ = ["missed_by_plan", "ordered_columns", "scale_notes"]

_SHOWN = 5  # names in a sentence


def missed_by_plan(table: Table, plan: Plan) -> tuple[str, ...]:
    """Return warnings about columns that the plan does not rate though they may name people.

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
        if name in table.columns and in_order(table[name], stated.scale)
    )


def scale_notes(table: Table, plan: Plan) -> tuple[str, ...]:
    """Return a note for each column that is called ordinal but whose order nobody can tell."""
    return tuple(
        say("guess.notes.no_order", column=repr(name))
        for name in plan.ordinal
        if name in table.columns and not in_order(table[name], "ordinal")
    )
