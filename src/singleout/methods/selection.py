"""Which columns and records a question is about, and notes on those left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from singleout.core.arrays import Flags
from singleout.core.choices import MissingPolicy, Role, choose
from singleout.core.table import Table
from singleout.engines.counter import with_role
from singleout.engines.local import counting as local
from singleout.errors import BadChoice, UndefinedMeasure, UnusableTable
from singleout.io.names import pick
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.engines.counter import Counter

__all__ = [
    "columns_to_combine",
    "kept_records",
    "kept_rows",
    "known_columns",
    "left_out_note",
    "named_columns",
    "only_with_role",
    "policy_of",
    "refuse_personal",
    "require_known",
]

# Columns that nobody would match people by: left out unless they are named.
_NOT_COMBINED = (Role.DIRECT_IDENTIFIER, Role.WEIGHT, Role.HOUSEHOLD, Role.COUNT)


def named_columns(names: Any, option: str) -> list[str] | None:
    """Return the columns that a user named, each once; None if none were named."""
    if names is None:
        return None
    if not isinstance(names, Iterable):
        raise BadChoice(f"{option} must be names of columns, not {names!r}.")
    # a data frame may have numbers for names; as columns they are text
    return [names] if isinstance(names, str) else list(dict.fromkeys(map(str, names)))


def require_known(names: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse to go on without a quasi-identifier."""
    if not names:
        raise BadChoice(
            "No quasi-identifiers were given: name the columns that others could know about a "
            f"person. The table has: {list(columns)}."
        )


def known_columns(counter: Counter, named: Sequence[str] | None) -> tuple[str, ...]:
    """Return the quasi-identifiers: those named, or else the columns that have this role."""
    names = with_role(counter, Role.QUASI_IDENTIFIER) if named is None else tuple(named)
    require_known(names, counter.columns)
    return tuple(pick(names, counter.columns))


def only_with_role(counter: Counter, role: Role) -> str | None:
    """Return the column that has a role; None if none has, and several are refused."""
    having = with_role(counter, role)
    if len(having) > 1:
        raise BadChoice(f"Only one column can be the {role}, not {list(having)}.")
    return having[0] if having else None


def policy_of(counter: Counter, missing: str | None) -> MissingPolicy:
    """Return what a missing value means: as the user says, or else by the table."""
    if missing is None:
        return counter.policy
    return choose(MissingPolicy, missing, "missing-value policy")


def refuse_personal(counter: Counter, names: Iterable[str], what: str = "results") -> None:
    """Refuse direct identifiers: no result may hold their values."""
    personal = sorted(set(names) & set(with_role(counter, Role.DIRECT_IDENTIFIER)))
    if personal:
        raise BadChoice(
            f"{personal} identifies people directly, so {what} may not be given by its values; "
            "leave it out."
        )


def columns_to_combine(counter: Counter) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns to combine where none are named, and a note on each of the others."""
    roles = {name: counter.facts(name).role for name in counter.columns}
    names = tuple(name for name, role in roles.items() if role not in _NOT_COMBINED)
    notes = tuple(
        say("methods.column_left_out", column=name, role=role)
        for name, role in roles.items()
        if role in _NOT_COMBINED
    )
    return names, notes


def kept_records(
    table: Table, names: Sequence[str], policy: str, *, purpose: str, wildcards: str = ""
) -> Flags:
    """Return which records a question is about: those with a value in all columns under ``drop``.

    Under ``wildcard`` no record may lack one, and under any other policy all are kept. Messages of
    errors say what records are for (none is left to ``purpose``) and end with ``wildcards``.
    """
    if policy not in (MissingPolicy.DROP, MissingPolicy.WILDCARD):
        return np.ones(table.rows, dtype=np.bool_)
    complete = local.complete_records(table, names)
    _require_some(int(complete.sum()), table.rows, policy, purpose, wildcards)
    return complete


def kept_rows(
    counter: Counter, names: Sequence[str], policy: str, *, purpose: str, wildcards: str = ""
) -> int:
    """Return how many records a question is about: the same from counts."""
    if policy not in (MissingPolicy.DROP, MissingPolicy.WILDCARD):
        return counter.rows
    complete = counter.complete(names)
    _require_some(complete, counter.rows, policy, purpose, wildcards)
    return complete


def _require_some(complete: int, rows: int, policy: str, purpose: str, wildcards: str) -> None:
    """Refuse a question that no record is left for, or that wildcards leave without groups."""
    if complete == rows:
        return
    if policy == MissingPolicy.WILDCARD:
        raise UndefinedMeasure(
            "Where a missing value matches everything, records do not fall into groups, so "
            + wildcards
        )
    if complete == 0:
        raise UnusableTable(
            f"Every record lacks a value in one of the columns, so none is left to {purpose}; let "
            "missing be a value, or choose other columns."
        )


def left_out_note(rows: int, kept: int) -> tuple[str, ...]:
    """Return a note on the records that were left out, if any were."""
    if kept == rows:
        return ()
    return (say("methods.records_left_out", left_out=rows - kept, rows=rows),)
