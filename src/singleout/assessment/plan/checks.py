"""Contradictions within a plan, each refused with its location."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from singleout.core.choices import MissingPolicy, Role
from singleout.core.table import Column
from singleout.errors import nearest
from singleout.io.yaml.errors import Location, Mistake

if TYPE_CHECKING:
    from singleout.assessment.plan.parts import ReleasePolicy
    from singleout.assessment.plan.plan import Plan

__all__ = [
    "check_combination",
    "check_counts",
    "check_policy",
    "check_unit",
    "check_weights",
    "spellings",
]

_MOST_LENIENT = {
    "highest_risk": 4,
    "k": 1,
    "unique_share": 1,
    "records_at_risk": 1,
    "special_uniques": 1,
    "dis_suda": 1,
}


def check_weights(plan: Plan) -> None:
    """Refuse a plan with two weights, or with weights in a column of another role."""
    weights = plan.with_role(Role.WEIGHT)
    if len(weights) > 1:
        raise Mistake(
            ("columns", weights[1], "role"),
            f"{weights[0]!r} is the weight already; give {weights[1]!r} another role.",
        )
    named = plan.population.weights
    if named in plan.columns and plan.columns[named].role != Role.WEIGHT:
        raise Mistake(
            ("population", "weights"),
            f"the role of {named!r} is {plan.columns[named].role}; a column of weights has the "
            f"role {Role.WEIGHT}.",
        )
    if named is not None and weights and named != weights[0]:
        raise Mistake(
            ("population", "weights"),
            f"{named!r} is to be the weight, but {weights[0]!r} has that role; name one of them.",
        )


def check_unit(plan: Plan) -> None:
    """Refuse a unit that others know people by, or with which a wildcard has no meaning."""
    unit = plan.unit
    if unit is None:
        return
    if unit in plan.quasi_identifiers:
        raise Mistake(
            ("unit",),
            f"{unit!r} says which records are of one person, so it cannot be a quasi-identifier "
            "too; give it another role.",
        )
    if plan.missing == MissingPolicy.WILDCARD:
        raise Mistake(
            ("unit",),
            "people are not counted where a missing value matches everything; give missing: value "
            "or drop, or leave unit out.",
        )
    if plan.with_role(Role.COUNT):
        raise Mistake(
            ("unit",),
            "a row of a table of counts stands for several people, so that there is no unit; leave "
            "it out.",
        )


def check_counts(plan: Plan) -> None:
    """Refuse a plan with two columns that say how many people a row stands for."""
    counts = plan.with_role(Role.COUNT)
    if len(counts) > 1:
        raise Mistake(
            ("columns", counts[1], "role"),
            f"{counts[0]!r} says already how many people a row stands for; give {counts[1]!r} "
            "another role.",
        )


def check_policy(policy: ReleasePolicy, path: Location = ("policy",)) -> None:
    """Refuse a policy that no data could break, since it would be no gate."""
    limits = policy.limits
    if not limits and path and "tolerated" in policy.model_fields_set:
        return  # it says how the level is read, and nothing is accepted or refused
    if not limits:
        known = ", ".join(_MOST_LENIENT)
        raise Mistake(path, f"the policy asks for nothing; give at least one of {known}.")
    if all(limit == _MOST_LENIENT[name] for name, limit in limits.items()):
        lenient = " and ".join(f"{name}: {limit:g}" for name, limit in limits.items())
        raise Mistake(
            path,
            f"the policy accepts everything: no data exceed {lenient}; give highest_risk of 3 or "
            "less, k of 2 or more, or unique_share, records_at_risk, special_uniques or dis_suda "
            "below 100 %.",
        )


def check_combination(plan: Plan, name: str, members: Sequence[str]) -> None:
    """Refuse a combination of what nobody outside can know, or that leaves nothing to infer."""
    path = ("combinations", name)
    for index, member in enumerate(members):
        _check_member(plan, member, members[:index], (*path, index))
    if plan.sensitive and set(plan.sensitive) <= set(members):
        raise Mistake(
            path,
            f"the combination holds every sensitive column, {list(plan.sensitive)}, so that "
            "nothing is left to infer from it; leave one out.",
        )


def _check_member(plan: Plan, member: str, before: Sequence[str], path: Location) -> None:
    if member not in plan.columns:
        hint = nearest(member, plan.columns)
        if hint:
            raise Mistake(path, f"{member!r} is not among the columns; did you mean {hint!r}?")
        raise Mistake(path, f"{member!r} is not among the columns; add it with its role.")
    if member in before:
        raise Mistake(path, f"{member!r} stands here twice; give it once.")
    role = plan.columns[member].role
    if role not in (Role.QUASI_IDENTIFIER, Role.SENSITIVE):
        raise Mistake(
            path,
            f"a combination holds what others can know, and the role of {member!r} is {role}; "
            f"make it a {Role.QUASI_IDENTIFIER}, or leave it out.",
        )


def spellings(column: Column) -> set[str]:
    """Return the values of a column as a plan can write them: as text, or by their labels."""
    values = [*column.values, None] if column.has_missing else column.values
    return {text for value in values for text in (str(value), column.label(value))}
