"""What the columns of a table mean for a suggestion: by a plan, by names given, or guessed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from singleout.assessment.guess.guess import guessed_plan
from singleout.assessment.plan.plan import ColumnPlan, Plan
from singleout.core.choices import Role
from singleout.core.table import Table
from singleout.errors import BadChoice
from singleout.io.names import pick
from singleout.report.say import say

__all__ = ["plan_of", "staying_names"]


def plan_of(
    table: Table,
    given: Plan | None,
    known: list[str] | None,
    sensitive: list[str] | None,
    notes: list[str],
) -> Plan:
    """Return the plan, with the quasi-identifiers that were named in place of its own."""
    for names in filter(None, (known, sensitive)):
        pick(names, table.columns)
    if given is not None:
        notes += given.check(table)
    elif known is None:
        notes.append(say("assessment.guessed"))
        given = guessed_plan(table).of_people().plan
    if given is None:
        return Plan.of({"columns": _roles(known or [], sensitive or [])})
    columns = dict(given.columns)
    if known is not None:
        columns = {
            name: one.model_copy(update={"role": Role.OTHER, "exposure": None})
            if one.role == Role.QUASI_IDENTIFIER and name not in known
            else one
            for name, one in columns.items()
        }
    for name, entries in _roles(known or [], sensitive or []).items():
        role = Role(entries["role"])
        if name not in columns or role not in columns[name].all_roles:
            columns[name] = ColumnPlan(**entries)
    return given.model_copy(update={"columns": columns})


def staying_names(table: Table, plan: Plan) -> list[str]:
    """Return a note on columns that look as if they named people, and that nobody spoke of."""
    unnamed = [name for name in table.columns if name not in plan.columns]
    if not unnamed:
        return []
    guesses = guessed_plan(table).guesses
    names = [
        repr(guess.column)
        for guess in guesses
        if guess.role == Role.DIRECT_IDENTIFIER and guess.column in unnamed
    ]
    return [say("suggest.names_stay", n=len(names), columns=", ".join(names))] if names else []


def _roles(known: Sequence[str], sensitive: Sequence[str]) -> dict[str, dict[str, Any]]:
    roles: dict[str, dict[str, Any]] = {name: {"role": "quasi-identifier"} for name in known}
    for name in sensitive:
        if name in roles:
            raise BadChoice(
                f"{name!r} is to be a quasi-identifier and sensitive; name it once, or give a plan "
                "that says both."
            )
        roles[name] = {"role": "sensitive"}
    return roles
