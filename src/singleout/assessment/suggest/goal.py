"""What a treated table must keep, and how far a table is from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from singleout.assessment.suggest.state import State
from singleout.core import arguments
from singleout.core.wording import in_figures, percent, stated_percent
from singleout.errors import BadChoice
from singleout.report.say import say

if TYPE_CHECKING:
    from singleout.assessment.plan.parts import ReleasePolicy

__all__ = ["BY_RATING", "Goal", "goal_of"]

BY_RATING = frozenset({"highest_risk", "records_at_risk"})  # reached by diluting sensitive values
_SHARES = ("unique_share", "records_at_risk", "t", "population_uniqueness")
_IN_PERCENT = ("unique_share", "records_at_risk", "population_uniqueness")


@dataclass(frozen=True)
class Goal:
    """Limits that must all be kept; what is None does not matter.

    Parameters
    ----------
    k
        Records that share each combination of the quasi-identifiers, at least.
    distinct_l, t
        Different sensitive values in each class, at least; and its distance from the table, at
        most.
    highest_risk
        The level of the verdict, at most.
    unique_share, records_at_risk
        Shares of the records that are unique, and at severe or critical risk, at most.
    qar
        T, the risk of the table by QaR, at most.
    population_uniqueness
        The share of the population that is unique in it, as estimated, at most.
    """

    k: int | None = None
    distinct_l: int | None = None
    t: float | None = None
    highest_risk: int | None = None
    unique_share: float | None = None
    records_at_risk: float | None = None
    qar: float | None = None
    population_uniqueness: float | None = None

    @property
    def limits(self) -> dict[str, float]:
        """What is asked for, by name."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: value for name, value in values.items() if value is not None}

    @property
    def least_k(self) -> int:
        """The smallest classes that can keep the limits."""
        return max(self.k or 1, self.distinct_l or 1, 2 if self.unique_share is not None else 1)

    def beyond(self, state: State) -> dict[str, float]:
        """Return how far a table is from each limit that it breaks."""
        found = {}
        for name, limit in self.limits.items():
            value = getattr(state, name)
            if value is None:  # it could not be measured, so nobody can say that it is kept
                found[name] = 1.0
            elif name in ("k", "distinct_l"):
                found[name] = max(0.0, 1 - value / limit)
            else:
                found[name] = max(0.0, float(value) - limit)
        return {name: by for name, by in found.items() if by > 0}

    def sentence(self, name: str, state: State) -> str:
        """Return what a table has and what is asked for, in words."""
        limit, value = self.limits[name], getattr(state, name)
        if value is None:
            return say(f"suggest.unknown.{name}")
        shown, asked = (
            (percent(value, beside=limit), stated_percent(limit))
            if name in _IN_PERCENT
            else (in_figures(float(value), 6), in_figures(float(limit), 6))
        )
        return say(f"suggest.limit.{name}", value=shown, limit=asked)


def goal_of(policy: ReleasePolicy | None, asked: Mapping[str, Any]) -> Goal:
    """Return the limits of a plan's policy, replaced by those that are asked for by name."""
    limits = {} if policy is None else dict(policy.through_unique_share.limits)
    limits |= {name: _checked(name, value) for name, value in asked.items() if value is not None}
    if not limits:
        raise BadChoice(
            "There is no policy to reach: give k=5 or highest_risk=2 or another limit, or a plan "
            "with a policy."
        )
    return Goal(**limits)  # type: ignore[arg-type]


def _checked(name: str, value: Any) -> float:
    if name in _SHARES:
        return arguments.share(value, name, zero=True, one=True)
    if name == "qar":
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            raise BadChoice(
                f"qar is the largest T that is accepted, a number above 0, not {value!r}."
            )
        return float(value)
    number = arguments.whole(value, name)
    if name == "highest_risk" and number > 4:
        raise BadChoice(f"highest_risk is a level from 1 (Minor) to 4 (Critical), not {number}.")
    return number
