"""Changes to a plan by clicking: each returns another plan, or the sentence that says why not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from singleout.core.choices import Role
from singleout.errors import BadChoice

if TYPE_CHECKING:
    from singleout.assessment.plan.plan import Plan

__all__ = ["BOTH", "IMPACTS", "ROLES", "with_column", "with_people", "with_policy"]

BOTH = "quasi-identifier+sensitive"
ROLES = (
    "quasi-identifier",
    "sensitive",
    BOTH,
    "direct-identifier",
    "other",
    "weight",
    "household",
    "count",
)
IMPACTS = ("bodily", "material", "moral")
_LIMITS = ("highest_risk", "k", "unique_share", "records_at_risk")


def with_column(
    plan: Plan, name: str, role: str, stated: Mapping[str, str], values: Mapping[str, str]
) -> Plan:
    """Return a plan that says something else about a column.

    Parameters
    ----------
    plan
        The plan before.
    name
        The column.
    role
        One of `ROLES`; empty if its role is to be open.
    stated
        ``exposure`` and the impacts, as a form sends them; what does not fit the role is left out.
    values
        The severity of single values, as a form sends them.
    """
    from singleout.assessment.plan.plan import Plan

    entries = plan.entries()
    columns = dict(entries.get("columns", {}))
    if not role:
        columns.pop(name, None)
    elif role not in ROLES:
        raise BadChoice(f"{role!r} is not a role; choose one of {', '.join(ROLES)}.")
    else:
        columns[name] = _column(columns.get(name, {}), role, stated, values)
    population = dict(entries.get("population", {}))
    if population.get("weights") == name and role != Role.WEIGHT:
        del population["weights"]
    return Plan.of({**entries, "columns": columns, "population": population})


def _column(
    before: Mapping[str, Any], role: str, stated: Mapping[str, str], values: Mapping[str, str]
) -> dict[str, Any]:
    known, learnt = "quasi-identifier" in role, "sensitive" in role
    roles: Any = ["quasi-identifier", "sensitive"] if role == BOTH else role
    column: dict[str, Any] = {"role": roles}
    column |= {key: before[key] for key in ("scale", "coding") if key in before}
    if known and stated.get("exposure"):
        column["exposure"] = stated["exposure"]
    if not learnt:
        return column
    column |= {key: _level(stated[key]) for key in IMPACTS if stated.get(key)}
    if "cuts" in before:
        column["cuts"] = before["cuts"]
    # a severity that no field shows, such as that of a range, stays
    kept = {
        value: level for value, level in before.get("values", {}).items() if value not in values
    }
    chosen = {value: _level(level) for value, level in values.items() if level}
    if kept or chosen:
        column["values"] = kept | chosen
    return column


def _level(text: str) -> int | str:
    return int(text) if text.isdigit() else text


def with_people(
    plan: Plan, how: str, size: str, fraction: str, weights: str, unit: str, missing: str
) -> Plan:
    """Return a plan that says something else on who the records stand for.

    ``how`` is ``size``, ``fraction``, ``weights``, ``kept`` (a table of the population that a file
    names) or empty if nothing is known of the population.
    """
    from singleout.assessment.plan.plan import Plan

    entries = plan.entries()
    columns = {
        name: {**one, "role": str(Role.OTHER)} if one["role"] == Role.WEIGHT else one
        for name, one in entries.get("columns", {}).items()
    }
    population: dict[str, Any] = {}
    if how == "size":
        population = {"size": _number(size, "The number of people")}
    elif how == "fraction":
        population = {"sampling_fraction": _number(fraction, "The share", percent=True)}
    elif how == "weights":
        population = {"weights": weights}
        columns[weights] = {"role": str(Role.WEIGHT)}
    elif how == "kept":
        population = dict(entries.get("population", {}))
    changed = {**entries, "columns": columns, "population": population, "unit": unit or None}
    return Plan.of({**changed, "missing": missing or "value"})


def with_policy(plan: Plan, limits: Mapping[str, str]) -> Plan:
    """Return a plan that accepts something else; limits that are empty are not asked for."""
    from singleout.assessment.plan.plan import Plan

    entries = plan.entries()
    policy = {key: one for key, one in entries.get("policy", {}).items() if key not in _LIMITS}
    for name in _LIMITS:
        text = limits.get(name, "").strip()
        if text:
            share = name in ("unique_share", "records_at_risk")
            policy[name] = _number(text, name, percent=share)
    entries.pop("policy", None)
    return Plan.of({**entries, "policy": policy} if policy else entries)


def _number(text: str, what: str, *, percent: bool = False) -> float:
    """Return a number that a person has written, with a point or a comma."""
    plain = text.strip().rstrip("%").replace("\u202f", "").replace("\xa0", "").replace(" ", "")
    try:
        number = float(plain.replace(",", ".")) if plain.count(",") <= 1 else float("nan")
    except ValueError:
        number = float("nan")
    if not math.isfinite(number):
        raise BadChoice(f"{what} is {text!r}; give a number.")
    if percent:
        return number / 100
    return int(number) if number.is_integer() else number
